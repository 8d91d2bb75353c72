package wire

import (
	"encoding/json"
	"fmt"
)

// The messages. What stands here is the protocol: triage/core/wire.py names the
// same fields.

// Hello is the first message, from the helper.
type Hello struct {
	Hello Versions `json:"hello"`
}

// Versions says what was built into one side.
type Versions struct {
	Protocol int    `json:"protocol"`
	Schema   int    `json:"schema"`
	Version  string `json:"version"`
	Go       string `json:"go,omitempty"`
}

// Request is what the host asks. Every request but a cancel is answered once.
type Request struct {
	ID      uint64          `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	BodyLen int64           `json:"body_len"`
	Body    []byte          `json:"-"`
}

// Decode reads the parameters into params; a failure is the host's fault.
func (r *Request) Decode(params any) error {
	if err := json.Unmarshal(r.Params, params); err != nil {
		return BadRequest("params of %s: %v", r.Method, err)
	}
	return nil
}

// SymbolsParams asks for the symbol table of one package directory. The body holds
// the files' bytes, one file after the other.
type SymbolsParams struct {
	Directory  string   `json:"directory"`
	ImportPath string   `json:"import_path"`
	GOOS       string   `json:"goos"`
	GOARCH     string   `json:"goarch"`
	Tags       []string `json:"tags"`
	Tests      bool     `json:"tests"`
	Focus      string   `json:"focus"`
	Files      []File   `json:"files"`
	// Types says whether types are to be checked; they are where nothing is said.
	Types *bool `json:"types"`
}

// File is a file's name and size; on the wire an array of the two.
type File struct {
	Name string
	Size int64
}

// UnmarshalJSON reads ["user.go", 1234].
func (f *File) UnmarshalJSON(data []byte) error {
	pair := []any{&f.Name, &f.Size}
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a file is [name, size], not %d values", len(pair))
	}
	return nil
}

// PrintParams asks for pieces of source as go/printer writes them. The body holds
// the snippets' texts, one after the other.
type PrintParams struct {
	Snippets []Snippet `json:"snippets"`
}

// Snippet is a whole top-level declaration and what to make of it.
type Snippet struct {
	Mode   string   `json:"mode"`
	Size   int64    `json:"size"`
	Offset int      `json:"offset"`
	Keep   []string `json:"keep"`
}

// PrintResult answers PrintParams, in its order.
type PrintResult struct {
	Texts []string `json:"texts"`
}

// CancelParams names a request that nobody waits for any more.
type CancelParams struct {
	ID uint64 `json:"id"`
}

// Reply answers a request: with a result or with an error.
type Reply struct {
	ID      uint64 `json:"id"`
	Result  any    `json:"result,omitempty"`
	Error   *Error `json:"error,omitempty"`
	BodyLen int    `json:"body_len,omitempty"`
}

// The codes of an Error.
const (
	CodeBadRequest = "bad-request"
	CodeTooLarge   = "too-large"
	CodeCancelled  = "cancelled" // answered to nobody: the host drops it
	CodeInternal   = "internal"
)

// Error says why there is no result; Stack is set where the helper itself failed.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

// Error makes an Error one of Go's.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// BadRequest returns an error for a request that the protocol does not allow.
func BadRequest(format string, args ...any) *Error {
	return &Error{Code: CodeBadRequest, Message: fmt.Sprintf(format, args...)}
}

// TooLarge returns an error for a request over a limit, which it should name.
func TooLarge(format string, args ...any) *Error {
	return &Error{Code: CodeTooLarge, Message: fmt.Sprintf(format, args...)}
}
