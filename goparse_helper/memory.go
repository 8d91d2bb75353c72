package main

import (
	"math"
	"runtime/debug"
	"sync"
)

// No garbage is collected while a request is worked on, up to a limit: the time for
// it is after the reply, see serve.Options. A fixed limit would be wrong for somebody:
// one that lets a package of 12 MB through without thrashing lets one of 1 MB use as
// much, so that the limit grows with the sources in work.
const (
	floor = 200 << 20
	// ceiling holds unless GOMEMLIMIT says otherwise. Above it the collector works
	// harder; it is no hard wall.
	ceiling = 512 << 20
	// perByte is what a byte of source needs for its syntax tree, types, edges and
	// reply, with garbage: 20 to 45 over the standard library's packages.
	perByte = 48
)

// memory sets the limit by the sources in work.
type memory struct {
	ceiling int64

	mu    sync.Mutex
	inUse int64 // bytes of source; guarded by mu
	limit int64 // what was set last; guarded by mu
}

// newMemory turns the pacing of the collector off and the limit on.
func newMemory() *memory {
	m := &memory{ceiling: debug.SetMemoryLimit(-1)}
	if m.ceiling == math.MaxInt64 { // no GOMEMLIMIT in the environment
		m.ceiling = ceiling
	}
	debug.SetGCPercent(-1)
	m.add(0)
	return m
}

// room makes room for work on size bytes of source, until the result is called.
func (m *memory) room(size int) (leave func()) {
	m.add(int64(size))
	return func() { m.add(-int64(size)) }
}

func (m *memory) add(size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse += size
	limit := min(max(floor, m.inUse*perByte), m.ceiling)
	if limit != m.limit { // setting it stops the world
		m.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
