//go:build !race

package main

import (
	"syscall"
	"testing"
)

// Memory past the bound must be refused by the kernel.
func TestBoundMemory(t *testing.T) {
	var before, after syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &before); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_AS, &before)
	boundMemory()
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &after); err != nil {
		t.Fatal(err)
	}
	if after.Cur > maxMemory {
		t.Errorf("the bound is %d", after.Cur)
	}
}
