package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

const testLimit = 1 << 16

// frame builds a frame by hand: the tests must not trust the Writer.
func frame(header, body string) string {
	prefix := binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
	return string(prefix) + header + body
}

func request(id int, body string) string {
	header := fmt.Sprintf(`{"id":%d,"method":"m","params":{},"body_len":%d}`, id, len(body))
	return frame(header, body)
}

// readAll returns the bodies of all requests and the error that ended them.
func readAll(in io.Reader) ([]string, error) {
	reader := NewReader(in, testLimit)
	var bodies []string
	for {
		request, err := reader.Next()
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, string(request.Body))
	}
}

// However a stream is cut into reads, the same requests come out of it.
func TestNextAnySplit(t *testing.T) {
	stream := request(1, "") + request(2, "one\x00two\xff") + request(3, strings.Repeat("x", 9_000))
	want := []string{"", "one\x00two\xff", strings.Repeat("x", 9_000)}
	for size := range 70 {
		bodies, err := readAll(&chunks{data: []byte(stream), size: size + 1})
		if !reflect.DeepEqual(want, bodies) || err != io.EOF {
			t.Fatalf("reads of %d bytes: %d bodies, %v", size+1, len(bodies), err)
		}
	}
}

// chunks gives its data in reads of at most size bytes.
type chunks struct {
	data []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

// A stream that ends inside a frame is told apart from one that ends between two.
func TestNextHalfFrame(t *testing.T) {
	whole := request(1, "body")
	for cut := 1; cut < len(whole); cut++ {
		_, err := readAll(strings.NewReader(whole + whole[:cut]))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
}

// Bytes that are no frame end the stream with an error that says what is wrong.
func TestNextGarbage(t *testing.T) {
	cases := []struct{ stream, want string }{
		{"hello, world\n", "over the frame limit"},
		{frame("", ""), "not a request"},
		{frame("{", ""), "not a request"},
		{frame(`[1]`, ""), "not a request"},
		{frame(`{"id":-1}`, ""), "not a request"},
		{frame(`{"id":"x"}`, ""), "not a request"},
		{frame(`{"id":1,"body_len":-1}`, ""), "over the frame limit"},
		{frame(`{"id":1,"body_len":65537}`, ""), "over the frame limit"},
		{"\x01\x00\x01\x00", "over the frame limit"},
	}
	for _, c := range cases {
		_, err := readAll(strings.NewReader(c.stream))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.stream, err, c.want)
		}
	}
}

// A failing stream's own error comes through.
func TestNextReadError(t *testing.T) {
	broken := errors.New("broken")
	if _, err := readAll(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// What a Writer writes has the announced form, with printed Go code left readable.
func TestWrite(t *testing.T) {
	var out bytes.Buffer
	message := Reply{ID: 7, Result: PrintResult{Texts: []string{"<-c && f()"}}, BodyLen: 3}
	if err := NewWriter(&out, testLimit).Write(message, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	want := frame(`{"id":7,"result":{"texts":["<-c && f()"]},"body_len":3}`, "abc")
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// A reply that no frame can hold is refused before a byte of it is written.
func TestWriteTooLarge(t *testing.T) {
	var out bytes.Buffer
	writer := NewWriter(&out, testLimit)
	long := strings.Repeat("x", testLimit+1)
	for _, err := range []error{
		writer.Write(Reply{}, []byte(long)),
		writer.Write(Reply{Result: long}, nil),
	} {
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v", err)
		}
	}
	if out.Len() != 0 {
		t.Errorf("%d bytes were written", out.Len())
	}
}

// A host that has gone is an error, whichever part of the frame it misses.
func TestWriteBrokenStream(t *testing.T) {
	for _, size := range []int{0, 1 << 15} {
		writer := NewWriter(brokenWriter{}, testLimit)
		if err := writer.Write(Reply{}, make([]byte, size)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("body of %d bytes: %v", size, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A message that JSON cannot express is an error, not half a frame.
func TestWriteUnencodable(t *testing.T) {
	var out bytes.Buffer
	err := NewWriter(&out, testLimit).Write(Reply{Result: func() {}}, nil)
	if err == nil || out.Len() != 0 {
		t.Errorf("got %v after %d bytes", err, out.Len())
	}
}

// A request decodes into its params, and wrong params are the host's fault.
func TestDecode(t *testing.T) {
	var params SymbolsParams
	good := Request{Params: []byte(`{"directory":"d","focus":null,"files":[["a.go",3]]}`)}
	if err := good.Decode(&params); err != nil {
		t.Fatal(err)
	}
	want := SymbolsParams{Directory: "d", Files: []File{{"a.go", 3}}}
	if !reflect.DeepEqual(want, params) {
		t.Errorf("got %+v, want %+v", params, want)
	}
	for _, wrong := range []string{
		``, `[]`, `{"files":[["a.go"]]}`, `{"files":[["a.go",1,2]]}`, `{"files":[[1,2]]}`,
		`{"files":["a.go"]}`, `{"tags":"x"}`,
	} {
		var fault *Error
		err := (&Request{Method: "symbols", Params: []byte(wrong)}).Decode(&SymbolsParams{})
		if !errors.As(err, &fault) || fault.Code != CodeBadRequest {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// Any bytes give requests and then one error: no panic, no endless loop, and nothing
// read twice.
func FuzzNext(f *testing.F) {
	f.Add([]byte(request(1, "body") + request(2, "")))
	f.Add([]byte(request(1, "body")[:20]))
	f.Add([]byte("garbage, not a frame"))
	f.Add([]byte(frame(`{"body_len":70000}`, "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, wholeErr := readAll(bytes.NewReader(data))
		split, splitErr := readAll(iotest.OneByteReader(bytes.NewReader(data)))
		if !reflect.DeepEqual(whole, split) || wholeErr.Error() != splitErr.Error() {
			t.Errorf("%q, %v; byte by byte %q, %v", whole, wholeErr, split, splitErr)
		}
		size := 0
		for _, body := range whole {
			size += prefixSize + len(body)
		}
		if size > len(data) {
			t.Errorf("%d bytes of frames out of %d", size, len(data))
		}
	})
}
