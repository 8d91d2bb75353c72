//go:build !linux

package main

// boundMemory does nothing where addresses cannot be bounded: there the machine's own
// memory is the bound.
func boundMemory() {}
