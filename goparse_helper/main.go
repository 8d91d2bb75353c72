package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"triage/goparse_helper/internal/methods"
	"triage/goparse_helper/internal/serve"
	"triage/goparse_helper/internal/symtab"
	"triage/goparse_helper/internal/wire"
)

// version is set at link time: -ldflags "-X main.version=0.1.0".
var version = "unset"

//go:embed doc.go
var manual string

// The warm-up's sample is the helper's own source: real code of a typical size.
//
//go:embed internal/symtab/*.go
var sample embed.FS

const (
	slots     = 2
	warmAfter = 30 * time.Millisecond
	linger    = time.Minute
)

// The exit statuses beside 0; triage/helper/process.py knows the last one.
const (
	statusFailed   = 1
	statusUsage    = 2
	statusMismatch = 3
)

var (
	errUsage    = errors.New("usage")
	errMismatch = errors.New("mismatch")
)

func main() {
	if err := run(os.Args[1:], os.Stdin, takeStdout()); err != nil {
		fmt.Fprintln(os.Stderr, "goparse-helper:", err)
		os.Exit(status(err))
	}
}

// takeStdout keeps standard output for replies alone: from here on a stray print goes
// to standard error, where it cannot break a frame.
func takeStdout() *os.File {
	out := os.Stdout
	os.Stdout = os.Stderr
	return out
}

func status(err error) int {
	switch {
	case errors.Is(err, errUsage):
		return statusUsage
	case errors.Is(err, errMismatch):
		return statusMismatch
	default:
		return statusFailed
	}
}

// run does what the arguments say; its error is for standard error.
func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("goparse-helper", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what is wrong comes back as an error
	serving := flags.Bool("serve", false, "")
	once := flags.Bool("once", false, "")
	var host wire.Versions
	flags.IntVar(&host.Protocol, "protocol", 0, "")
	flags.IntVar(&host.Schema, "schema", 0, "")
	flags.StringVar(&host.Version, "version", "", "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(out, help())
		return err
	case err != nil:
		return fmt.Errorf("%w: %v; -help prints the manual", errUsage, err)
	case flags.NArg() > 0 || *serving == *once:
		return fmt.Errorf("%w: this is the Go half of triage, which starts it by itself: "+
			"run triage, or give -help for the manual", errUsage)
	case *once:
		return answer(in, out, serve.Options{Once: true})
	default:
		return answerHost(in, out, host)
	}
}

// answerHost serves a host that was built with the same versions.
func answerHost(in io.Reader, out io.Writer, host wire.Versions) error {
	hello := wire.Hello{Hello: built()}
	if err := check(host, hello.Hello); err != nil {
		return err
	}
	// A ^C in the host's terminal is for the host, which then ends the input.
	signal.Ignore(syscall.SIGINT)
	return answer(in, out, serve.Options{
		Hello:     &hello,
		Slots:     slots,
		WarmAfter: warmAfter,
		Linger:    linger,
		Collect:   runtime.GC,
	})
}

func answer(in io.Reader, out io.Writer, options serve.Options) error {
	boundResources()
	handler := methods.Methods{Sample: sampleFiles(), Room: newMemory().room}
	return serve.Run(in, out, &handler, options)
}

// built says what this binary was built with.
func built() wire.Versions {
	return wire.Versions{
		Protocol: wire.Protocol,
		Schema:   symtab.Schema,
		Version:  version,
		Go:       runtime.Version(),
	}
}

// check compares what the host was built with.
func check(host, own wire.Versions) error {
	own.Go = ""
	if host == own {
		return nil
	}
	return fmt.Errorf("%w: triage is %s, the helper is %s; rebuild both with: "+
		"pip install --force-reinstall triage-go", errMismatch, describe(host), describe(own))
}

func describe(v wire.Versions) string {
	return fmt.Sprintf("version %q (protocol %d, schema %d)", v.Version, v.Protocol, v.Schema)
}

// help returns the package comment of doc.go.
func help() string {
	_, text, _ := strings.Cut(manual, "/*\n")
	text, _, _ = strings.Cut(text, "*/")
	return text
}

func sampleFiles() fs.FS {
	files, err := fs.Sub(sample, "internal/symtab")
	if err != nil {
		panic(err) // the directory is in the binary
	}
	return files
}
