// Package orders crashes on request, for the dumps beside it.
package orders

import "errors"

// Order is what a customer wants.
type Order struct {
	Lines []string
	Next  *Order
	Notes map[string]string
}

// ErrEmpty is returned for orders without lines.
var ErrEmpty = errors.New("order has no lines")

// First returns the first line of an order, or crashes.
//
//go:noinline
func (o *Order) First() string { return o.Next.Lines[0] }

// Note writes to a map that may be nil.
//
//go:noinline
func (o Order) Note(key, text string) { o.Notes[key] = text }

// Pick is generic and does not check its index.
//
//go:noinline
func Pick[T any](items []T, at int) T { return items[at] }

// Halves divides without looking.
//
//go:noinline
func Halves(total, parts int) int { return total / parts }

// Deep never ends.
//
//go:noinline
func Deep(n int) int { return Deep(n+1) + 1 }

// Guard catches a panic and raises it again.
func Guard(run func()) {
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	run()
}
