package symtab

import (
	"strings"
	"sync/atomic"
	"testing"
)

// All functions must have run when inParallel returns.
func TestInParallel(t *testing.T) {
	var n atomic.Int32
	add := func() { n.Add(1) }
	if inParallel(add, add, add); n.Load() != 3 {
		t.Errorf("%d of 3 ran", n.Load())
	}
}

// A panic on any goroutine must reach the caller, after the others have ended.
func TestInParallelPanics(t *testing.T) {
	for _, first := range []bool{true, false} {
		var ended atomic.Bool
		work := []func(){func() { panic("broke") }, func() { ended.Store(true) }}
		if !first {
			work[0], work[1] = work[1], work[0]
		}
		func() {
			defer func() {
				if text := messageOf(recover()); !strings.Contains(text, "broke") {
					t.Errorf("recovered %q", text)
				}
			}()
			inParallel(work...)
		}()
		if !ended.Load() {
			t.Error("the caller did not wait")
		}
	}
}

func messageOf(recovered any) string {
	switch r := recovered.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return ""
}
