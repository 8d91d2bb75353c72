package symtab

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// inParallel runs all functions, the first one on the caller's goroutine, and returns
// when all have ended. A panic on another goroutine would end the process; it becomes
// one of the caller, whose own recover then answers the request.
func inParallel(work ...func()) {
	failures := make([]error, len(work))
	func() {
		var group sync.WaitGroup
		defer group.Wait()
		for i, f := range work[1:] {
			group.Go(func() {
				defer func() {
					if r := recover(); r != nil {
						failures[i] = fmt.Errorf("%v\n%s", r, debug.Stack())
					}
				}()
				f()
			})
		}
		work[0]()
	}()
	for _, err := range failures {
		if err != nil {
			panic(err)
		}
	}
}
