// Command chains panics while it panics, and ends in ways that no frame of its own explains.
package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

var ends = map[string]func(){
	"onpanic": func() {
		defer settle()
		order()
	},
	"three": func() {
		defer func() {
			defer func() { panic("no change: " + recover().(string)) }()
			settle()
		}()
		order()
	},
	"fatal": func() {
		defer func() { new(sync.Mutex).Unlock() }()
		order()
	},
	"goexit": func() {
		defer settle()
		runtime.Goexit()
	},
	"quit": func() {
		go time.Sleep(time.Hour)
		serve(make(chan int))
	},
}

func order() { panic("no pears") }

func settle() { panic("till is open:\n  drawer 2") }

func serve(jobs chan int) {
	for range jobs {
	}
}

func main() {
	ends[os.Args[1]]()
}
