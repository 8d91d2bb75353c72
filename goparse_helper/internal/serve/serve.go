// Package serve answers framed requests from one stream on another: several at a
// time, in any order, each exactly once. It knows frames and errors; what a method
// does is the Handler's.
//
// One goroutine reads, a fixed number work, one writes. Where all workers are busy
// and the queue is full the reader stops reading, so that the host's writes block
// and neither side piles up requests.
package serve

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"triage/goparse_helper/internal/wire"
)

// A Handler does the work of the requests. Its methods are called from several
// goroutines at once.
type Handler interface {
	// Handle answers one request with a result for the reply's header and a body.
	// It may append the body to buffer, which is empty, to use its room. An error
	// that is a *wire.Error is sent as it is, every other as internal.
	Handle(request *wire.Request, buffer []byte) (result any, body []byte, err error)
	// Warm does typical work once, so that the first request finds the memory and
	// the code in place.
	Warm()
}

// Options are what Run may be told. The zero value serves one request at a time.
type Options struct {
	// Hello is the first message; nil sends none.
	Hello *wire.Hello
	// Once ends after the first request.
	Once bool
	// Slots is how many requests are worked on at a time; as many more may wait.
	Slots int
	// WarmAfter is how long the stream must be idle at the start before Warm is
	// called: a request that comes earlier warms up by itself. Zero means never.
	WarmAfter time.Duration
	// Linger bounds the wait for running requests once the input has ended, so that
	// a helper never outlives its host for long. Zero means no bound.
	Linger time.Duration
	// Collect is called after replies, off the answer's path; several replies in
	// quick succession may share a call.
	Collect func()
	// FrameLimit is the largest header and body; zero means wire.Limit.
	FrameLimit int
}

// ErrLingered says that requests still ran when Options.Linger was over.
var ErrLingered = errors.New("input ended, but a request did not: gave up")

// Run serves until in ends and returns nil after the last reply is written. Any
// error means that the streams cannot be used any more.
func Run(in io.Reader, out io.Writer, handler Handler, options Options) error {
	s := newServer(out, handler, options)
	if options.Hello != nil {
		if err := s.out.Write(options.Hello, nil); err != nil {
			return fmt.Errorf("say hello: %w", err)
		}
	}
	s.start()
	readErr := s.read(wire.NewReader(in, s.limit()))
	close(s.queue)
	if !s.wait() {
		return ErrLingered
	}
	return errors.Join(readErr, s.writeErr)
}

type server struct {
	handler Handler
	options Options
	out     *wire.Writer
	first   sync.Once     // closes begun
	begun   chan struct{} // closed when the first request or the end has come
	queue   chan *job     // from the reader to the workers
	replies chan reply    // from the workers to the writer
	spare   chan []byte   // reply buffers to use again
	collect chan struct{} // holds one token where a collection is due
	done    chan struct{} // closed when the writer has ended

	// writeErr is the writer's; read it after done.
	writeErr error

	mu   sync.Mutex
	jobs map[uint64]*job // unanswered requests by id; guarded by mu
}

type job struct {
	request *wire.Request
	taken   bool // a worker has it, or a cancel; guarded by server.mu
}

type reply struct {
	message wire.Reply
	body    []byte
}

func newServer(out io.Writer, handler Handler, options Options) *server {
	options.Slots = max(options.Slots, 1)
	s := &server{
		handler: handler,
		options: options,
		begun:   make(chan struct{}),
		queue:   make(chan *job, options.Slots),
		replies: make(chan reply),
		spare:   make(chan []byte, options.Slots),
		collect: make(chan struct{}, 1),
		done:    make(chan struct{}),
		jobs:    map[uint64]*job{},
	}
	s.out = wire.NewWriter(out, s.limit())
	return s
}

func (s *server) limit() int {
	if s.options.FrameLimit > 0 {
		return s.options.FrameLimit
	}
	return wire.Limit
}

// start sets the workers, the writer and what runs beside them going.
func (s *server) start() {
	var workers sync.WaitGroup
	for range s.options.Slots {
		workers.Go(s.work)
	}
	go func() {
		workers.Wait()
		close(s.replies)
	}()
	go s.write()
	if s.options.Collect != nil {
		go s.collectOnDemand()
	}
	if s.options.WarmAfter > 0 {
		go s.warm()
	}
}

// read hands out requests until the stream ends; nil is a clean end. Where one
// request is the whole stream, none is an error.
func (s *server) read(in *wire.Reader) error {
	defer s.begin()
	for {
		request, err := in.Next()
		if err == io.EOF && !s.options.Once {
			return nil
		}
		if err != nil {
			return err
		}
		s.begin()
		if err := s.dispatch(request); err != nil || s.options.Once {
			return err
		}
	}
}

// begin stops the warm-up from starting: something else is going on.
func (s *server) begin() { s.first.Do(func() { close(s.begun) }) }

// dispatch queues a request, and blocks while the queue is full. A host that uses an
// id twice has lost its place: that ends the stream.
func (s *server) dispatch(request *wire.Request) error {
	if request.Method == "cancel" {
		s.cancel(request)
		return nil
	}
	next := &job{request: request}
	if !s.enter(next) {
		return fmt.Errorf("request id %d is already in use", request.ID)
	}
	s.queue <- next
	return nil
}

// enter records a job as unanswered, unless its id is taken.
func (s *server) enter(next *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs[next.request.ID] != nil {
		return false
	}
	s.jobs[next.request.ID] = next
	return true
}

// cancel answers a request that still waits in the queue; one that has begun cannot
// be interrupted, and one that has been answered is no concern.
func (s *server) cancel(request *wire.Request) {
	var params wire.CancelParams
	if err := request.Decode(&params); err != nil {
		s.fail(request.ID, err)
		return
	}
	s.mu.Lock()
	waiting := s.jobs[params.ID]
	s.mu.Unlock()
	if waiting != nil && s.take(waiting) {
		s.fail(params.ID, &wire.Error{Code: wire.CodeCancelled, Message: "nobody waits"})
	}
}

// take says whether the caller is the one to answer the job.
func (s *server) take(job *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !job.taken
	job.taken = true
	return first
}

// work answers queued requests until the queue is closed.
func (s *server) work() {
	for job := range s.queue {
		if !s.take(job) {
			continue
		}
		result, body, err := s.handle(job.request)
		if err != nil {
			s.fail(job.request.ID, err)
			continue
		}
		message := wire.Reply{ID: job.request.ID, Result: result, BodyLen: len(body)}
		s.replies <- reply{message, body}
	}
}

// handle calls the handler. It is the one place that recovers: a request that makes
// the handler panic gets the stack for an answer, and the others go on.
func (s *server) handle(request *wire.Request) (result any, body []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &wire.Error{
				Code:    wire.CodeInternal,
				Message: fmt.Sprintf("%s panicked: %v", request.Method, cause),
				Stack:   string(debug.Stack()),
			}
		}
	}()
	return s.handler.Handle(request, s.buffer())
}

// fail answers a request with an error.
func (s *server) fail(id uint64, err error) {
	s.replies <- reply{message: wire.Reply{ID: id, Error: asError(err)}}
}

func asError(err error) *wire.Error {
	if known, ok := errors.AsType[*wire.Error](err); ok {
		return known
	}
	return &wire.Error{Code: wire.CodeInternal, Message: err.Error()}
}
