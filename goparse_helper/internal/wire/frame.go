// Package wire holds the protocol between triage and its Go helper: how bytes
// become frames, and what the messages in them say. It knows no method's work.
//
// A frame is the length of its header (4 bytes, little endian), the header (a JSON
// object in UTF-8), and then as many raw bytes as the header's body_len announces.
// triage/core/wire.py is the other end; the two change together, and Protocol with
// them.
package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// Protocol is raised with every change of frames or messages.
	Protocol = 2
	// Limit is the largest header and the largest body, in bytes.
	Limit = 64 << 20

	prefixSize = 4
	// A reply of the usual size leaves in one write, so that the host wakes once.
	bufferSize = 256 << 10
)

// ErrTooLarge says that a header or a body is over the limit.
var ErrTooLarge = errors.New("over the frame limit")

// A Reader cuts requests out of a stream.
type Reader struct {
	in    *bufio.Reader
	limit int
}

// NewReader returns a Reader that refuses headers and bodies of more than limit
// bytes, before it makes room for them.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReader(in), limit: limit}
}

// Next reads one request. It returns io.EOF where the stream ends between frames
// and an error that wraps io.ErrUnexpectedEOF where it ends inside one. After any
// error the place in the stream is lost: there is no way on.
func (r *Reader) Next() (*Request, error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(r.in, prefix[:]); err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, fmt.Errorf("read frame length: %w", err)
	}
	header, err := r.take(int64(binary.LittleEndian.Uint32(prefix[:])))
	if err != nil {
		return nil, fmt.Errorf("read frame header: %w", err)
	}
	var request Request
	if err := json.Unmarshal(header, &request); err != nil {
		return nil, fmt.Errorf("frame header is not a request: %w", err)
	}
	if request.Body, err = r.take(request.BodyLen); err != nil {
		return nil, fmt.Errorf("read frame body: %w", err)
	}
	return &request, nil
}

// take reads exactly size bytes.
func (r *Reader) take(size int64) ([]byte, error) {
	if size < 0 || size > int64(r.limit) {
		return nil, fmt.Errorf("%d bytes: %w of %d", size, ErrTooLarge, r.limit)
	}
	data := make([]byte, size)
	_, err := io.ReadFull(r.in, data)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // a frame has begun: this is no clean end
	}
	return data, err
}

// A Writer puts messages on a stream, one frame each. It is not safe for
// concurrent use.
type Writer struct {
	out   *bufio.Writer
	limit int
}

// NewWriter returns a Writer that refuses headers and bodies of more than limit
// bytes.
func NewWriter(out io.Writer, limit int) *Writer {
	return &Writer{out: bufio.NewWriterSize(out, bufferSize), limit: limit}
}

// Write sends one message. An error that wraps ErrTooLarge means that nothing was
// written and the stream is still good.
func (w *Writer) Write(message any, body []byte) error {
	header, err := marshal(message)
	if err != nil {
		return fmt.Errorf("encode frame header: %w", err)
	}
	if size := max(len(header), len(body)); size > w.limit {
		return fmt.Errorf("reply of %d bytes: %w of %d", size, ErrTooLarge, w.limit)
	}
	var prefix [prefixSize]byte
	binary.LittleEndian.PutUint32(prefix[:], uint32(len(header)))
	for _, part := range [][]byte{prefix[:], header, body} {
		// A bufio.Writer keeps its first error and returns it from Flush.
		w.out.Write(part)
	}
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// marshal encodes without escaping <, > and &: printed Go code is full of them.
func marshal(message any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
