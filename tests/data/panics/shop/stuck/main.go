// Command stuck waits for what nobody sends; it imports nothing that would wake it.
package main

//go:noinline
func wait(c chan int) int { return <-c }

func main() { wait(make(chan int)) }
