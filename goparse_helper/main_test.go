package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asHelper makes the test binary behave as the helper, so that tests can look at a
// real process: its streams and its exit status.
const asHelper = "RUN_AS_GOPARSE_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(asHelper) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

type outcome struct {
	stdout, stderr string
	status         int
}

func runHelper(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), asHelper+"=1")
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	var failed *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

func frame(header, body string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + body
}

// serving are the flags of a host that was built with the helper.
var serving = []string{"-serve", "-protocol", "2", "-schema", "1", "-version", "unset"}

// Standard output carries the hello and the replies, and nothing else; the end of the
// input is a clean end.
func TestServe(t *testing.T) {
	got := runHelper(t, frame(`{"id":3,"method":"print","params":{"snippets":[]}}`, ""), serving...)
	hello := `{"hello":{"protocol":2,"schema":1,"version":"unset","go":"` + built().Go + `"}}`
	want := outcome{stdout: frame(hello, "") + frame(`{"id":3,"result":{"texts":[]}}`, "")}
	if want != got {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A broken input gives status 1 and one line that says what was wrong.
func TestServeGarbage(t *testing.T) {
	got := runHelper(t, "certainly no frame", serving...)
	if got.status != 1 || !strings.HasPrefix(got.stderr, "goparse-helper: read frame header: ") ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("got %+v", got)
	}
}

// With -once there is one reply and no hello, without any versions.
func TestOnce(t *testing.T) {
	request := frame(`{"id":1,"method":"print","params":{"snippets":[]}}`, "")
	got := runHelper(t, request+request, "-once")
	if want := (outcome{stdout: frame(`{"id":1,"result":{"texts":[]}}`, "")}); want != got {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := runHelper(t, "", "-once"); got.status != 1 || got.stdout != "" {
		t.Errorf("without a request: %+v", got)
	}
}

// A host built from something else gets status 3 and a line that names both sides and
// the way out.
func TestMismatch(t *testing.T) {
	for i, other := range []string{2: "1", 4: "7", 6: "0.9.9"} {
		if other == "" {
			continue
		}
		args := append([]string{}, serving...)
		args[i] = other
		got := runHelper(t, "", args...)
		if got.status != 3 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
		for _, want := range []string{other, `"unset"`, "pip install --force-reinstall triage-go"} {
			if !strings.Contains(got.stderr, want) {
				t.Errorf("%v: no %s in %q", args, want, got.stderr)
			}
		}
	}
}

// Run by hand, the helper says what it is and where to read on.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-serve", "-once"}, {"-once", "file.go"}, {"-sevre"}, {"-serve", "-protocol", "x"}} {
		got := runHelper(t, "", args...)
		if got.status != 2 || got.stdout != "" || !strings.Contains(got.stderr, "-help") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// The manual is the package's documentation, whole and without its comment marks.
func TestHelp(t *testing.T) {
	got := runHelper(t, "", "-help")
	if got.status != 0 || got.stderr != "" {
		t.Errorf("got %+v", got)
	}
	if !strings.HasPrefix(got.stdout, "The goparse-helper command") || strings.ContainsAny(got.stdout, "*") {
		t.Errorf("got %q", got.stdout)
	}
	for _, want := range []string{"-serve", "-once", "body_len", "symbols", "print", "cancel", "GOMEMLIMIT"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the manual does not mention %s", want)
		}
	}
}

// What reads a manual that cannot be written is told.
func TestHelpUnwritable(t *testing.T) {
	_, closed := io.Pipe()
	closed.Close()
	if err := run([]string{"-help"}, nil, closed); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// A stray print does not reach the stream of replies.
func TestTakeStdout(t *testing.T) {
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	if got := takeStdout(); got != stdout || os.Stdout != os.Stderr {
		t.Errorf("got %v, with os.Stdout at %v", got.Name(), os.Stdout.Name())
	}
}

// The warm-up has Go code to work on, of the size of a real package.
func TestSample(t *testing.T) {
	names, err := fs.Glob(sampleFiles(), "*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	size := 0
	for _, name := range names {
		info, err := fs.Stat(sampleFiles(), name)
		if err != nil {
			t.Fatal(err)
		}
		size += int(info.Size())
	}
	if size < 20_000 {
		t.Errorf("the sample has %d bytes", size)
	}
}

// The helper is standard library alone, and what does its work has no way to a file,
// a socket or a process.
func TestImports(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			first, _, _ := strings.Cut(name, "/")
			if strings.Contains(first, ".") {
				t.Errorf("%s imports %s", path, name)
			}
			reachesOut := slices.Contains([]string{"net", "os", "plugin", "syscall"}, first)
			if reachesOut && strings.HasPrefix(path, "internal") {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
