package main

import "syscall"

// maxMemory bounds all addresses, those that Go only reserves among them.
const maxMemory = 4 << 30

// boundMemory makes the kernel refuse memory past the bound. GOMEMLIMIT is no wall: past
// it the collector works harder, and what is in use stays.
func boundMemory() {
	limit := syscall.Rlimit{Cur: maxMemory, Max: maxMemory}
	// Where it is not allowed a lower one is in force.
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
}
