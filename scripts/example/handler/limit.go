package handler

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Bucket is a token bucket: it fills at a steady rate and holds so many tokens.
type Bucket struct {
	capacity float64
	rate     float64 // tokens a second

	mu     sync.Mutex
	tokens float64   // guarded by mu
	filled time.Time // guarded by mu
}

// NewBucket returns a full bucket.
func NewBucket(capacity, rate float64) *Bucket {
	return &Bucket{capacity: capacity, rate: rate, tokens: capacity, filled: time.Now()}
}

// Take takes a token, or says after how long there will be one.
func (b *Bucket) Take(now time.Time) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.capacity, b.tokens+now.Sub(b.filled).Seconds()*b.rate)
	b.filled = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) / b.rate * float64(time.Second)), false
	}
	b.tokens--
	return 0, true
}

// Limit refuses requests while the bucket is empty.
func Limit(bucket *Bucket, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait, ok := bucket.Take(time.Now())
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
