package symtab

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

// Numbers must come out as strconv writes them.
func TestAppendInt(t *testing.T) {
	numbers := []int32{math.MinInt32, math.MinInt32 + 1, -10000, -1, math.MaxInt32}
	for n := range int32(12345) {
		numbers = append(numbers, n)
	}
	for _, n := range numbers {
		if want, got := strconv.Itoa(int(n)), string(appendInt(nil, n)); want != got {
			t.Errorf("%d is written as %s", n, got)
		}
	}
}

// Any text must come back out of the JSON, with U+FFFD for bytes that are no UTF-8.
func TestAppendText(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"a\"b\\c":           "a\"b\\c",
		"tab\tnl\n\x00\x1f": "tab\tnl\n\x00\x1f",
		"ä€😀\u2028":         "ä€😀\u2028",
		"bad\xffbyte\xe4":   "bad\ufffdbyte\ufffd",
		"<&>":               "<&>",
	} {
		var got string
		if err := json.Unmarshal(appendText(nil, text), &got); err != nil || got != want {
			t.Errorf("%q comes back as %q (%v)", text, got, err)
		}
	}
}

// An empty directory must give a well-formed table.
func TestEmpty(t *testing.T) {
	d := decode(t, Build(&Request{}).AppendJSON([]byte{}))
	if want, got := "context [linux amd64 []]\n", d.render(); want != got || d.Schema != Schema {
		t.Errorf("empty table is %q of schema %d", got, d.Schema)
	}
}

// The table must append to what its buffer holds.
func TestAppends(t *testing.T) {
	table := Build(&Request{Files: []File{{"a.go", []byte("package a")}}})
	if want, got := "head"+string(table.AppendJSON(nil)), string(table.AppendJSON([]byte("head"))); want != got {
		t.Errorf("appended is %s", got)
	}
}
