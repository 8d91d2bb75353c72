package main

import "runtime/debug"

// What a request can make the helper use is bounded, since nothing in it can be
// interrupted: past a bound the helper dies of its own, and the host asks again without
// types. The first bound is that of a stack, which go/types can fill without end. The
// parser allows 100,000 levels, which is what it has to hold.
const maxStack = 256 << 20

func boundResources() {
	debug.SetMaxStack(maxStack)
	boundMemory()
}
