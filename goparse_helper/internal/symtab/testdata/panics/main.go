// The program faults once in each of its cases and prints where the runtime says that
// it did.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

type node struct {
	next  *node
	val   int
	f     func(int) int
	m     map[string]int
	shape fmt.Stringer
	list  []int
	arr   *[4]int
}

//go:noinline
func (n *node) get() *node { return n.next }

//go:noinline
func (n node) sum(a, b int) int { return n.val + a + b }

//go:noinline
func id[T any](x T) T { return x }

type wrapper struct{ *node }

// cases are named after what faults.
var cases = []struct {
	name string
	run  func(n *node)
}{
	{"n.next", func(n *node) {
		fmt.Println(n.
			next.
			next.
			val)
	}},
	{"n.get()", func(n *node) {
		n.
			get().
			next.
			sum(
				1,
				2,
			)
	}},
	{"n.list", func(n *node) {
		i := id(5)
		fmt.Println(
			n.
				list[i],
		)
	}},
	{"n.list", func(n *node) {
		i := id(5)
		fmt.Println(n.list[
			i])
	}},
	{"n.next", func(n *node) {
		n.next.
			val =
			id(3)
	}},
	{"n.m", func(n *node) {
		n.
			m["a"] =
			3
	}},
	{"n.m", func(n *node) {
		n.m[
			"a"] +=
			3
	}},
	{"n.f", func(n *node) {
		n.
			f(
				1,
			)
	}},
	{"n.shape", func(n *node) {
		_ = n.
			shape.
			String()
	}},
	{"n.shape", func(n *node) {
		f := n.
			shape.
			String
		f()
	}},
	{"n.next", func(n *node) {
		x := node{
			val: 1,
			next: n.
				next.next,
			f: nil,
		}
		fmt.Println(x.val)
	}},
	{"z", func(n *node) {
		z := id(0)
		fmt.Println(n.val +
			10/
				z)
	}},
	{"x", func(n *node) {
		var x any = id(3)
		fmt.Println(x.
			(string))
	}},
	{"n.list", func(n *node) {
		j := id(3)
		fmt.Println(
			n.list[1:
			j])
	}},
	{`"text"`, func(n *node) {
		panic(
			"text")
	}},
	{"c", func(n *node) {
		var c chan int
		close(
			c)
	}},
	{"c", func(n *node) {
		c := make(chan int)
		close(c)
		c <-
			id(3)
	}},
	{"j", func(n *node) {
		j := id(-3)
		fmt.Println(
			len(
				make([]int,
					j)))
	}},
	{"n.next", func(n *node) {
		fmt.Println(
			(*n.next).val)
	}},
	{"n.next", func(n *node) {
		fmt.Println(
			n.next.
				sum(1,
					2))
	}},
	{"n.next", func(n *node) {
		fmt.Println(
			strings.Repeat("a",
				n.next.val),
			3)
	}},
	{"n.next", func(n *node) {
		if n != nil &&
			n.next.
				val == 3 {
			fmt.Println()
		}
	}},
	{"e.node", func(n *node) {
		e := id(wrapper{})
		fmt.Println(
			e.
				val)
	}},
	{"n.next", func(n *node) {
		for _, x := range n.
			next.
			list {
			_ = x
		}
	}},
	{"n.list", func(n *node) {
		fmt.Println([2]int(
			n.list))
	}},
	{"n.next", func(n *node) {
		n.
			next.
			val++
	}},
	{"n.next", func(n *node) {
		fmt.Println(&n.
			next.
			val)
	}},
	{"f", func(n *node) {
		var f func()
		defer f()
		fmt.Print()
	}},
	{"n.next", func(n *node) {
		switch n.
			next.val {
		case 1:
		}
	}},
	{"n.next", func(n *node) {
		switch id(3) {
		case 1,
			n.next.val:
			fmt.Println()
		}
	}},
	{"n.next", func(n *node) {
		n.val,
			n.next.val =
			1,
			2
	}},
	{"id(n.next)", func(n *node) {
		fmt.Println(
			id(
				n.next,
			).val)
	}},
	{"n.next", func(n *node) {
		m := map[string]int{
			"a": 1,
			"b": n.
				next.val,
		}
		fmt.Println(m)
	}},
	{"n.arr", func(n *node) {
		fmt.Println(n.
			arr[1])
	}},
	{"n.next", func(n *node) {
		func() {
			n.next.val = 1
		}()
	}},
	{"n.next", func(n *node) {
		var (
			a = 1
			b = n.
				next.val
		)
		fmt.Println(a, b)
	}},
}

func main() {
	for _, c := range cases {
		try(c.name, c.run)
	}
}

func try(name string, run func(*node)) {
	defer func() {
		message := fmt.Sprint(recover())
		fmt.Printf("%d\t%s\t%s\n", faultLine(), name, message)
	}()
	run(&node{})
}

// faultLine returns the line of the first function of this file below the panic.
func faultLine() int {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	below := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic" || frame.Function == "runtime.sigpanic":
			below = true
		case below && strings.HasPrefix(frame.Function, "main."):
			return frame.Line
		case !more:
			return 0
		}
	}
}
