// Bench_floor parses the Go files of a directory and does nothing else: what a plain
// program, as a whole process, needs at the least. It is the floor that scripts/bench
// measures against.
package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "bench_floor:", err)
		os.Exit(1)
	}
}

// run parses every non-test file of a directory, on two goroutines.
func run(directory string) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	var paths []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			paths = append(paths, filepath.Join(directory, name))
		}
	}
	return parse(paths)
}

// parse shares the files out as the goroutines come free; the last error wins.
func parse(paths []string) error {
	var (
		fileSet = token.NewFileSet()
		next    atomic.Int64
		failed  atomic.Pointer[error]
		group   sync.WaitGroup
	)
	for range 2 {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				_, err := parser.ParseFile(fileSet, paths[i], nil, parser.SkipObjectResolution)
				if err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
