package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"triage/goparse_helper/internal/wire"
)

const second = time.Second

// fakeHandler does on request what real work might: the method says what.
type fakeHandler struct {
	gate   chan struct{} // "wait" goes on once something is received
	warmed atomic.Int32

	mu    sync.Mutex
	rooms []int // the capacities of the buffers that came along; guarded by mu
}

func newFake() *fakeHandler { return &fakeHandler{gate: make(chan struct{})} }

func (f *fakeHandler) Warm() { f.warmed.Add(1) }

func (f *fakeHandler) Handle(request *wire.Request, buffer []byte) (any, []byte, error) {
	f.mu.Lock()
	f.rooms = append(f.rooms, cap(buffer))
	f.mu.Unlock()
	switch request.Method {
	case "echo":
		return struct{}{}, append(buffer, request.Body...), nil
	case "wait":
		<-f.gate
		return struct{}{}, nil, nil
	case "sleep":
		time.Sleep(100 * second)
		return struct{}{}, nil, nil
	case "panic":
		panic("out of cheese")
	case "refuse":
		return nil, nil, wire.TooLarge("no more than this")
	default:
		return nil, nil, fmt.Errorf("cannot %s", request.Method)
	}
}

// host is the other end of a running server.
type host struct {
	t       *testing.T
	to      *io.PipeWriter
	from    *io.PipeReader
	ended   chan error
	handler *fakeHandler
}

func start(t *testing.T, options Options) *host {
	in, to := io.Pipe()
	from, out := io.Pipe()
	h := &host{t, to, from, make(chan error, 1), newFake()}
	go func() {
		err := Run(in, out, h.handler, options)
		out.Close()
		h.ended <- err
	}()
	return h
}

func (h *host) send(id int, method, body string) {
	h.t.Helper()
	if _, err := io.WriteString(h.to, frame(id, method, "{}", body)); err != nil {
		h.t.Errorf("send %d: %v", id, err)
	}
}

func (h *host) cancel(id int) {
	h.t.Helper()
	io.WriteString(h.to, frame(1000+id, "cancel", fmt.Sprintf(`{"id":%d}`, id), ""))
}

// finish ends the input and returns how the server ended.
func (h *host) finish() error {
	h.to.Close()
	return <-h.ended
}

type answer struct {
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *wire.Error     `json:"error"`
	BodyLen int             `json:"body_len"`
	body    string
}

// next reads one reply.
func (h *host) next() answer {
	h.t.Helper()
	got, err := readAnswer(h.from)
	if err != nil {
		h.t.Fatalf("read a reply: %v", err)
	}
	return got
}

func readAnswer(in io.Reader) (answer, error) {
	var got answer
	var size uint32
	if err := binary.Read(in, binary.LittleEndian, &size); err != nil {
		return got, err
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(in, header); err != nil {
		return got, err
	}
	if err := json.Unmarshal(header, &got); err != nil {
		return got, err
	}
	body := make([]byte, got.BodyLen)
	_, err := io.ReadFull(in, body)
	got.body = string(body)
	return got, err
}

func frame(id int, method, params, body string) string {
	header := fmt.Sprintf(`{"id":%d,"method":%q,"params":%s,"body_len":%d}`, id, method, params, len(body))
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + body
}

// Requests are worked on at the same time and answered as they are done.
func TestOutOfOrder(t *testing.T) {
	h := start(t, Options{Slots: 2})
	h.send(1, "wait", "")
	h.send(2, "echo", "two")
	if got := h.next(); got.ID != 2 || got.body != "two" {
		t.Errorf("first answer: %+v", got)
	}
	h.handler.gate <- struct{}{}
	if got := h.next(); got.ID != 1 || got.Error != nil || string(got.Result) != "{}" {
		t.Errorf("second answer: %+v", got)
	}
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// Many requests at once each get their own answer.
func TestManyRequests(t *testing.T) {
	h := start(t, Options{Slots: 2, Collect: func() {}})
	const count = 200
	go func() {
		for id := range count {
			h.send(id, "echo", strings.Repeat("x", id*31))
		}
	}()
	seen := map[int]int{}
	for range count {
		got := h.next()
		seen[got.ID]++
		if len(got.body) != got.ID*31 {
			t.Errorf("answer %d has %d bytes", got.ID, len(got.body))
		}
	}
	if len(seen) != count {
		t.Errorf("%d of %d ids were answered", len(seen), count)
	}
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// Each kind of failure is an answer with its code, and the server goes on.
func TestErrors(t *testing.T) {
	h := start(t, Options{Slots: 1})
	cases := []struct{ method, code, message string }{
		{"refuse", wire.CodeTooLarge, "no more than this"},
		{"dance", wire.CodeInternal, "cannot dance"},
		{"panic", wire.CodeInternal, "panic panicked: out of cheese"},
	}
	for id, c := range cases {
		h.send(id, c.method, "")
		got := h.next()
		if got.ID != id || got.Error == nil || got.Error.Code != c.code || got.Error.Message != c.message {
			t.Errorf("%s: %+v, %v", c.method, got, got.Error)
		}
		if panicked := c.method == "panic"; panicked != strings.Contains(got.Error.Stack, "fakeHandler).Handle") {
			t.Errorf("%s: stack %q", c.method, got.Error.Stack)
		}
	}
	h.send(9, "echo", "alive")
	if got := h.next(); got.body != "alive" {
		t.Errorf("after the errors: %+v", got)
	}
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// A full server reads no further, and reads on once there is room.
func TestStopsReadingWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Slots: 2})
		var sent atomic.Int32
		go func() {
			for id := range 8 {
				h.send(id, "wait", "")
				sent.Add(1)
			}
		}()
		synctest.Wait()
		// Two are worked on, two wait in the queue, one is in the reader's hands, and
		// the reader's buffer swallows none: a pipe's write ends when it is all read.
		if got := sent.Load(); got != 5 {
			t.Errorf("%d requests were read", got)
		}
		for range 8 {
			h.handler.gate <- struct{}{}
			h.next()
		}
		if err := h.finish(); err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

// A cancelled request that has not begun is never worked on; one that has, and one
// that is unknown or answered, stay as they are.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Slots: 1})
		h.send(1, "wait", "")
		synctest.Wait()
		h.send(2, "echo", "two")
		h.cancel(2)
		if got := h.next(); got.ID != 2 || got.Error == nil || got.Error.Code != wire.CodeCancelled {
			t.Errorf("answer to the cancelled: %+v", got)
		}
		h.cancel(1)
		h.cancel(2)
		h.cancel(77)
		synctest.Wait()
		h.handler.gate <- struct{}{}
		if got := h.next(); got.ID != 1 || got.Error != nil {
			t.Errorf("answer to the running: %+v", got)
		}
		h.send(3, "echo", "three")
		if got := h.next(); got.ID != 3 || got.body != "three" {
			t.Errorf("answer to the next: %+v", got)
		}
		if err := h.finish(); err != nil {
			t.Errorf("ended with %v", err)
		}
		if worked := len(h.handler.rooms); worked != 2 {
			t.Errorf("%d requests were worked on", worked)
		}
	})
}

// A cancel that names nothing is answered, since its sender must learn of it.
func TestCancelMalformed(t *testing.T) {
	h := start(t, Options{})
	go io.WriteString(h.to, frame(5, "cancel", `{"id":"x"}`, ""))
	if got := h.next(); got.ID != 5 || got.Error == nil || got.Error.Code != wire.CodeBadRequest {
		t.Errorf("got %+v", got)
	}
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// The end of the input waits for every answer: those queued and those in work.
func TestFlushAtEnd(t *testing.T) {
	var in, out bytes.Buffer
	for id := range 20 {
		in.WriteString(frame(id, "echo", "{}", strings.Repeat("y", 1000)))
	}
	if err := Run(&in, &out, newFake(), Options{Slots: 2}); err != nil {
		t.Fatal(err)
	}
	var ids []int
	for {
		got, err := readAnswer(&out)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, got.ID)
	}
	slices.Sort(ids)
	want := make([]int, 20)
	for i := range want {
		want[i] = i
	}
	if !reflect.DeepEqual(want, ids) {
		t.Errorf("answered: %v", ids)
	}
}

// A broken input ends the server with an error, but not before the answers are out.
func TestBrokenInput(t *testing.T) {
	whole := frame(1, "echo", "{}", "one")
	for _, stream := range []string{whole + whole[:9], whole + "garbage!", whole + "\xff\xff\xff\xff"} {
		var out bytes.Buffer
		err := Run(strings.NewReader(stream), &out, newFake(), Options{Slots: 2})
		if err == nil {
			t.Errorf("%q: no error", stream)
		}
		if got, err := readAnswer(&out); err != nil || got.body != "one" {
			t.Errorf("%q: answer %+v, %v", stream, got, err)
		}
	}
}

// An id that is in use ends the server: the host has lost its place.
func TestDuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Slots: 1})
		h.send(1, "wait", "")
		h.send(1, "wait", "")
		synctest.Wait()
		h.handler.gate <- struct{}{}
		h.next()
		if err := <-h.ended; err == nil || !strings.Contains(err.Error(), "id 1 is already in use") {
			t.Errorf("ended with %v", err)
		}
	})
}

// A host that stops reading does not keep the workers or the end from happening.
func TestHostGone(t *testing.T) {
	h := start(t, Options{Slots: 2})
	h.from.Close()
	for id := range 10 {
		h.send(id, "echo", "x")
	}
	if err := h.finish(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ended with %v", err)
	}
}

// An answer that no frame can hold becomes an error that says so.
func TestAnswerTooLarge(t *testing.T) {
	h := start(t, Options{FrameLimit: 500})
	h.send(1, "echo", strings.Repeat("x", 400))
	if got := h.next(); len(got.body) != 400 {
		t.Errorf("within the limit: %+v", got)
	}
	h.send(2, "panic", "") // its stack is longer than the limit
	if got := h.next(); got.ID != 2 || got.Error == nil || got.Error.Code != wire.CodeTooLarge {
		t.Errorf("over the limit: %+v", got)
	}
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// The hello comes first, and only where one is given.
func TestHello(t *testing.T) {
	var out bytes.Buffer
	hello := wire.Hello{Hello: wire.Versions{Protocol: 1, Schema: 2, Version: "3", Go: "go4"}}
	if err := Run(strings.NewReader(""), &out, newFake(), Options{Hello: &hello}); err != nil {
		t.Fatal(err)
	}
	want := `{"hello":{"protocol":1,"schema":2,"version":"3","go":"go4"}}`
	if got := out.String()[4:]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	gone, writer := io.Pipe()
	gone.Close()
	err := Run(strings.NewReader(""), writer, newFake(), Options{Hello: &hello})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("to a host that has gone: %v", err)
	}
}

// With Once the first request is the only one, and none is an error.
func TestOnce(t *testing.T) {
	var out bytes.Buffer
	in := frame(1, "echo", "{}", "one") + frame(2, "echo", "{}", "two")
	if err := Run(strings.NewReader(in), &out, newFake(), Options{Once: true}); err != nil {
		t.Fatal(err)
	}
	if got, err := readAnswer(&out); err != nil || got.body != "one" || out.Len() > 0 {
		t.Errorf("got %+v, %v, %d bytes more", got, err, out.Len())
	}
	if err := Run(strings.NewReader(""), &out, newFake(), Options{Once: true}); !errors.Is(err, io.EOF) {
		t.Errorf("without a request: %v", err)
	}
}

// The warm-up runs where the start is idle, and not where a request came first.
func TestWarm(t *testing.T) {
	for idle, want := range map[time.Duration]int32{second: 0, 3 * second: 1} {
		synctest.Test(t, func(t *testing.T) {
			h := start(t, Options{WarmAfter: 2 * second})
			time.Sleep(idle)
			h.send(1, "echo", "")
			h.next()
			time.Sleep(5 * second)
			if got := h.handler.warmed.Load(); got != want {
				t.Errorf("request after %v: warmed up %d times", idle, got)
			}
			if err := h.finish(); err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// A request that outlasts the input by too long is given up.
func TestLinger(t *testing.T) {
	for linger, want := range map[time.Duration]error{50 * second: ErrLingered, 200 * second: nil} {
		synctest.Test(t, func(t *testing.T) {
			in := strings.NewReader(frame(1, "sleep", "{}", ""))
			err := Run(in, io.Discard, newFake(), Options{Linger: linger})
			if err != want {
				t.Errorf("linger of %v: %v", linger, err)
			}
			time.Sleep(100 * second) // synctest wants every goroutine to end
		})
	}
}

// A collection follows an answer, and never holds up the next one.
func TestCollect(t *testing.T) {
	collecting := make(chan struct{})
	h := start(t, Options{Collect: func() { collecting <- struct{}{} }})
	for id := range 3 {
		h.send(id, "echo", "")
		h.next()
	}
	<-collecting
	if err := h.finish(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// An answer's buffer is used again, unless it is too large to keep.
func TestBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Options{Slots: 1})
		for id, size := range []int{1000, maxSpare + 1, 10, 10} {
			h.send(id, "echo", strings.Repeat("x", size))
			h.next()
			synctest.Wait()
		}
		if err := h.finish(); err != nil {
			t.Errorf("ended with %v", err)
		}
		var reused []bool
		for _, room := range h.handler.rooms {
			reused = append(reused, room > 0)
		}
		// The second outgrew the first one's buffer and was not kept itself.
		if want := []bool{false, true, false, true}; !reflect.DeepEqual(want, reused) {
			t.Errorf("got %v, want %v", reused, want)
		}
	})
}
