package symtab

import (
	"go/parser"
	"go/token"
	"testing"
)

// Building a table is to be compared with parsing the same files on two goroutines.
func BenchmarkBuild(b *testing.B) {
	for _, path := range []string{"bufio", "database/sql", "go/types", "net/http"} {
		req := standard(b, path)
		req.Tests = true
		b.Run(path+"/parse", func(b *testing.B) {
			for b.Loop() {
				fset := token.NewFileSet()
				inParallel(parseHalf(fset, req.Files, 0), parseHalf(fset, req.Files, 1))
			}
		})
		b.Run(path+"/build", func(b *testing.B) {
			var buffer []byte
			for b.Loop() {
				buffer = Build(req).AppendJSON(buffer[:0])
			}
		})
	}
}

func parseHalf(fset *token.FileSet, files []File, half int) func() {
	return func() {
		for i := half; i < len(files); i += 2 {
			// Errors are not what is measured.
			_, _ = parser.ParseFile(fset, files[i].Name, files[i].Source, parser.SkipObjectResolution)
		}
	}
}
