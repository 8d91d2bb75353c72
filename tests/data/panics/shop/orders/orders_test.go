package orders

import (
	"testing"
	"time"
)

func TestFirst(t *testing.T) {
	t.Run("without next", func(t *testing.T) {
		t.Log("about to crash")
		(&Order{}).First()
	})
}

func TestSlow(*testing.T) { time.Sleep(time.Hour) }

func TestRace(*testing.T) {
	o := Order{Notes: map[string]string{}}
	done := make(chan bool)
	go func() { o.Lines = nil; done <- true }()
	o.Lines = []string{"a"}
	<-done
}
