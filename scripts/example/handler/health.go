package handler

import (
	"io"
	"net/http"
	"runtime/debug"
	"time"
)

var started = time.Now()

// Health says that the process lives, since when, and what it was built from.
func Health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok\n")
	io.WriteString(w, "up "+time.Since(started).Round(time.Second).String()+"\n")
	if revision := buildRevision(); revision != "" {
		io.WriteString(w, "revision "+revision+"\n")
	}
}

// buildRevision returns the commit that the binary was built from, if it knows.
func buildRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}
