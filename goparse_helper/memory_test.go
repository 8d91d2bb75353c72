package main

import (
	"math"
	"runtime/debug"
	"slices"
	"testing"
)

// The limit follows the sources in work, between a floor and a ceiling.
func TestMemory(t *testing.T) {
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	const ownCeiling = 300 << 20
	cases := []struct{ environment, top int64 }{{math.MaxInt64, ceiling}, {ownCeiling, ownCeiling}}
	for _, c := range cases {
		debug.SetMemoryLimit(c.environment)
		m := newMemory()
		limits := []int64{debug.SetMemoryLimit(-1)}
		leaveSmall := m.room(1 << 10)
		limits = append(limits, debug.SetMemoryLimit(-1))
		leaveLarge := m.room(6 << 20)
		limits = append(limits, debug.SetMemoryLimit(-1))
		leaveHuge := m.room(30 << 20)
		limits = append(limits, debug.SetMemoryLimit(-1))
		leaveHuge()
		leaveSmall()
		leaveLarge()
		limits = append(limits, debug.SetMemoryLimit(-1))
		want := []int64{floor, floor, (6<<20 + 1<<10) * perByte, c.top, floor}
		if !slices.Equal(want, limits) {
			t.Errorf("got %v, want %v", limits, want)
		}
	}
	if got := debug.SetGCPercent(100); got != -1 {
		t.Errorf("GOGC was %d", got)
	}
}
