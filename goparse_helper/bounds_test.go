package main

import (
	"fmt"
	"strings"
	"testing"
)

// What go/types recurses on without end must end the helper soon, with the runtime's own
// words, and not take the memory of the machine with it; without types it is answered.
func TestBounds(t *testing.T) {
	source := "package p\n\ntype T (T)\n\nvar x T\n\nvar y = x.a\n"
	const request = `{"id":1,"method":"symbols","params":{"types":%v,"files":[["a.go",%d]]},"body_len":%d}`
	for _, types := range []bool{true, false} {
		header := fmt.Sprintf(request, types, len(source), len(source))
		got := runHelper(t, frame(header, source), "-once")
		if types && (got.status != 2 || !strings.Contains(got.stderr, fmt.Sprintf("stack exceeds %d-byte limit", maxStack))) {
			t.Errorf("with types: status %d, %.200s", got.status, got.stderr)
		}
		if !types && (got.status != 0 || !strings.Contains(got.stdout, `"unchecked":true`)) {
			t.Errorf("without types: %+v", got)
		}
	}
}
