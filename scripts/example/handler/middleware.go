package handler

import (
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

var requests atomic.Int64

// recorder remembers what a handler answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(data)
	r.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// LogRequests logs each request once it is answered.
func LogRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, start := requests.Add(1), time.Now()
		answer := &recorder{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		slog.Info("request",
			"id", id,
			"method", r.Method,
			"path", r.URL.Path,
			"status", answer.status,
			"bytes", answer.bytes,
			"took", time.Since(start),
		)
	})
}
