package serve

import (
	"errors"
	"time"

	"triage/goparse_helper/internal/wire"
)

// maxSpare caps the reply buffers that are kept: one huge package must not cost
// memory for ever.
const maxSpare = 4 << 20

// write sends replies until there are no more. After a failure it goes on taking
// them, so that no worker blocks on a host that has gone.
func (s *server) write() {
	defer close(s.done)
	for next := range s.replies {
		s.retire(next.message.ID)
		if s.writeErr == nil {
			s.writeErr = s.send(next)
		}
		s.keep(next.body)
		s.wantCollection()
	}
}

// send writes a reply, or in place of one that is too large for a frame an error.
func (s *server) send(next reply) error {
	err := s.out.Write(next.message, next.body)
	if errors.Is(err, wire.ErrTooLarge) {
		message := wire.Reply{ID: next.message.ID, Error: wire.TooLarge("%v", err)}
		return s.out.Write(message, nil)
	}
	return err
}

// retire forgets an answered request. Before the answer is written: a host that has
// read it may use the id again at once.
func (s *server) retire(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, id)
}

// buffer returns an empty buffer, with the room of an earlier reply where there is one.
func (s *server) buffer() []byte {
	select {
	case spare := <-s.spare:
		return spare[:0]
	default:
		return nil
	}
}

// keep puts a written reply's buffer by for the next.
func (s *server) keep(body []byte) {
	if cap(body) == 0 || cap(body) > maxSpare {
		return
	}
	select {
	case s.spare <- body:
	default:
	}
}

// wantCollection asks for a collection unless one is due anyway.
func (s *server) wantCollection() {
	select {
	case s.collect <- struct{}{}:
	default:
	}
}

// collectOnDemand collects off the writer's path: a reply never waits for it.
func (s *server) collectOnDemand() {
	for {
		select {
		case <-s.collect:
			s.options.Collect()
		case <-s.done:
			return
		}
	}
}

// warm warms the handler up where the start is idle for long enough.
func (s *server) warm() {
	select {
	case <-s.begun:
	case <-time.After(s.options.WarmAfter):
		s.handler.Warm()
		s.wantCollection()
	}
}

// wait waits for the last reply to be written, and says whether it was.
func (s *server) wait() bool {
	var late <-chan time.Time
	if s.options.Linger > 0 {
		late = time.After(s.options.Linger)
	}
	select {
	case <-s.done:
		return true
	case <-late:
		return false
	}
}
