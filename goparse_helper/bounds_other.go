//go:build !linux || race

package main

// boundMemory does nothing where addresses cannot be bounded, or are used up by the race
// detector's shadow of them: there the machine's own memory is the bound.
func boundMemory() {}
