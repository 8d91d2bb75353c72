// Command shop crashes in the way that its first argument names.
package main

import (
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"example.test/shop/orders"
)

var crashes = map[string]func(){
	"nil":       func() { (&orders.Order{}).First() },
	"map":       func() { orders.Order{}.Note("a", "b") },
	"index":     func() { orders.Pick([]int{1}, 5) },
	"divide":    func() { orders.Halves(1, len(os.Args)-len(os.Args)) },
	"custom":    func() { panic(orders.ErrEmpty) },
	"multiline": func() { panic("stock:\n  pears=2\n\n\tapples=3") },
	"assert":    func() { var v any = "x"; _ = v.(int) },
	"closed":    func() { c := make(chan int); close(c); close(c) },
	"again":     func() { orders.Guard(func() { (&orders.Order{}).First() }) },
	"wrapped": func() {
		defer func() { panic(fmt.Errorf("checkout: %v", recover())) }()
		(&orders.Order{}).First()
	},
	"goroutine": func() {
		var group sync.WaitGroup
		group.Go(func() { (&orders.Order{}).First() })
		group.Wait()
	},
	"overflow": func() { orders.Deep(0) },
	"logpanic": func() { log.Panic("cannot open the till") },
	"unlock":   func() { new(sync.Mutex).Unlock() },
	"many":     many,
	"serving":  serving,
	"slogjson": func() { logged(slog.NewJSONHandler(os.Stderr, nil)) },
	"slogtext": func() { logged(slog.NewTextHandler(os.Stderr, nil)) },
	"stack":    func() { debug.PrintStack() },
	"nilpanic": func() { panic(nil) },
	"error":    func() { panic(errors.Join(orders.ErrEmpty, errors.New("no till"))) },
}

func many() {
	for i := range 3 {
		go func() { time.Sleep(time.Hour + time.Duration(i)) }()
	}
	time.Sleep(10 * time.Millisecond)
	(&orders.Order{}).First()
}

func serving() {
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		orders.Pick([]string{}, 1)
	})
	server := httptest.NewServer(handler)
	defer server.Close()
	_, _ = http.Get(server.URL)
	time.Sleep(50 * time.Millisecond)
}

func logged(handler slog.Handler) {
	defer func() {
		if r := recover(); r != nil {
			slog.New(handler).Error("request failed", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	orders.Pick([]string{}, 1)
}

func main() {
	name, _, _ := strings.Cut(os.Args[1], ":")
	crashes[name]()
}
