package symtab

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// messages says by the text of the runtime which kinds of fault it can be.
var messages = []struct {
	text  string
	kinds []int32
}{
	{"nil map", []int32{faultNilMapWrite}},
	{"nil pointer", []int32{faultNilDeref, faultNilFunc, faultNilInterface}},
	{"index out of range", []int32{faultIndex}},
	{"slice bounds", []int32{faultSlice}},
	{"interface conversion", []int32{faultAssertion}},
	{"divide by zero", []int32{faultDivide}},
	{"send on closed", []int32{faultSend}},
	{"close of nil", []int32{faultClose}},
	{"makeslice", []int32{faultMake}},
	{"cannot convert slice", []int32{faultConversion}},
	{"", []int32{faultPanic}},
}

// Each fault of a real program must stand in the table, under the line that the
// runtime reports and with the operand that was at fault.
func TestLinesOfTheRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	// No .go file: gofmt would put on one line what has to stand on two.
	source, err := os.ReadFile(filepath.Join("testdata", "panics.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	table := decode(t, Build(&Request{Files: []File{{"main.go", source}}}).AppendJSON(nil))
	output := runProgram(t, source)
	if n := strings.Count(output, "\n"); n != strings.Count(string(source), ", func(n *node) {\n") {
		t.Fatalf("%d cases ran:\n%s", n, output)
	}
	for report := range strings.Lines(output) {
		parts := strings.SplitN(strings.TrimSpace(report), "\t", 3)
		line, err := strconv.Atoi(parts[0])
		if err != nil || len(parts) != 3 {
			t.Fatalf("odd report %q", report)
		}
		if !table.hasFault(line, parts[1], kindsOf(parts[2])) {
			t.Errorf("no fault for %q", report)
		}
	}
}

func runProgram(t *testing.T, source []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, source, 0o600); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(build.Default.GOROOT, "bin", "go")
	if _, err := os.Stat(tool); err != nil {
		t.Skip("no go tool")
	}
	command := exec.Command(tool, "run", path)
	command.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("run %s: %v", path, err)
	}
	return string(output)
}

func kindsOf(message string) []int32 {
	for _, m := range messages {
		if strings.Contains(message, m.text) {
			return m.kinds
		}
	}
	return nil
}

func (d *decoded) hasFault(line int, text string, kinds []int32) bool {
	for n := range len(d.Faults) / 9 {
		r := record(d.Faults, 9, n)
		for _, kind := range kinds {
			if r[1] == line && int32(r[2]) == kind && squeeze(d.Strings[r[5]]) == squeeze(text) {
				return true
			}
		}
	}
	return false
}

// squeeze drops what layout puts between the parts of an expression.
func squeeze(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), ""), ",)", ")")
}
