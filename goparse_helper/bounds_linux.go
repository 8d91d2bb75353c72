//go:build !race

package main

import "syscall"

// maxMemory bounds all addresses, among them 1 GiB that Go reserves and never uses.
const maxMemory = 4 << 30

// boundMemory makes the kernel refuse memory past the bound. GOMEMLIMIT is no wall: past
// it the collector works harder, and what is in use stays.
func boundMemory() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return // then there is none to be had
	}
	limit.Cur = min(limit.Max, maxMemory)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit) // lowering is always allowed
}
