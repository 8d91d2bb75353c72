// Package methods turns requests into calls of symtab and its answers into replies:
// it checks parameters and limits, and cuts bodies. It does no work on Go code.
package methods

import (
	"io/fs"
	"path"

	"triage/goparse_helper/internal/symtab"
	"triage/goparse_helper/internal/wire"
)

// The limits of one request. triage/core/wire.py holds the same numbers.
const (
	MaxFiles     = 2_000
	MaxFileBytes = 8 << 20
	MaxBytes     = 32 << 20
)

// Methods answers the requests "symbols" and "print"; it is a serve.Handler.
type Methods struct {
	// Sample holds the Go files that Warm builds a table of.
	Sample fs.FS
	// Room is told the size of the sources before work on them begins; what it
	// returns is called at the end.
	Room func(size int) (leave func())
}

// Handle answers one request.
func (m *Methods) Handle(request *wire.Request, buffer []byte) (any, []byte, error) {
	if size := len(request.Body); size > MaxBytes {
		return nil, nil, wire.TooLarge("sources of %d bytes, over %d", size, MaxBytes)
	}
	switch request.Method {
	case "symbols":
		defer m.Room(len(request.Body))()
		return symbols(request, buffer)
	case "print":
		return print(request)
	default:
		return nil, nil, wire.BadRequest("unknown method %q", request.Method)
	}
}

// Warm builds the table of the sample and throws it away.
func (m *Methods) Warm() {
	request := symtab.Request{ImportPath: "sample", GOOS: "linux", GOARCH: "amd64"}
	// A sample that cannot be read makes the first request slower, no more.
	names, _ := fs.Glob(m.Sample, "*.go")
	for _, name := range names {
		source, _ := fs.ReadFile(m.Sample, name)
		file := symtab.File{Name: path.Base(name), Source: source}
		request.Files = append(request.Files, file)
	}
	symtab.Build(&request).AppendJSON(nil)
}

func symbols(request *wire.Request, buffer []byte) (any, []byte, error) {
	var params wire.SymbolsParams
	if err := request.Decode(&params); err != nil {
		return nil, nil, err
	}
	files, err := cutFiles(params.Files, request.Body)
	if err != nil {
		return nil, nil, err
	}
	table := symtab.Build(&symtab.Request{
		Directory:  params.Directory,
		ImportPath: params.ImportPath,
		GOOS:       params.GOOS,
		GOARCH:     params.GOARCH,
		Tags:       params.Tags,
		Tests:      params.Tests,
		Focus:      params.Focus,
		SyntaxOnly: params.Types != nil && !*params.Types,
		Files:      files,
	})
	return struct{}{}, table.AppendJSON(buffer), nil
}

// cutFiles gives each file its part of the body.
func cutFiles(files []wire.File, body []byte) ([]symtab.File, error) {
	if len(files) > MaxFiles {
		return nil, wire.TooLarge("a package of %d files, over %d", len(files), MaxFiles)
	}
	cut := make([]symtab.File, 0, len(files))
	for _, file := range files {
		if file.Size > MaxFileBytes {
			return nil, wire.TooLarge("%s: %d bytes, over %d", file.Name, file.Size, MaxFileBytes)
		}
		source, rest, err := split(body, file.Size)
		if err != nil {
			return nil, err
		}
		cut, body = append(cut, symtab.File{Name: file.Name, Source: source}), rest
	}
	return cut, spent(body)
}

func print(request *wire.Request) (any, []byte, error) {
	var params wire.PrintParams
	if err := request.Decode(&params); err != nil {
		return nil, nil, err
	}
	texts := make([]string, 0, len(params.Snippets))
	body := request.Body
	for _, snippet := range params.Snippets {
		text, rest, err := split(body, snippet.Size)
		if err != nil {
			return nil, nil, err
		}
		texts, body = append(texts, printed(snippet, text)), rest
	}
	return wire.PrintResult{Texts: texts}, nil, spent(body)
}

// printed prints one snippet; what cannot be printed is empty, by the protocol.
func printed(snippet wire.Snippet, text []byte) string {
	out, err := symtab.Print(symtab.Snippet{
		Mode:   snippet.Mode,
		Text:   text,
		Offset: snippet.Offset,
		Keep:   snippet.Keep,
	})
	if err != nil {
		return ""
	}
	return out
}

// split takes size bytes off the front of body.
func split(body []byte, size int64) (front, rest []byte, err error) {
	if size < 0 || size > int64(len(body)) {
		return nil, nil, wire.BadRequest("sizes do not add up to the body: %d of %d bytes left", size, len(body))
	}
	// The capacity ends with the part: an append must not run into the next one.
	return body[:size:size], body[size:], nil
}

// spent complains of bytes that belong to nothing.
func spent(body []byte) error {
	if len(body) > 0 {
		return wire.BadRequest("sizes do not add up to the body: %d bytes over", len(body))
	}
	return nil
}
