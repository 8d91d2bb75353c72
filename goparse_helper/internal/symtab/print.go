package symtab

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Snippet asks for a new form of a declaration.
type Snippet struct {
	// Mode is "spec" (one spec out of its group), "signature" (a function without its
	// body) or "struct" (a struct with some of its fields).
	Mode   string
	Text   []byte   // a whole top-level declaration without package clause
	Offset int      // in Text, of what is meant
	Keep   []string // with "struct": the names of the fields that stay
}

// clause makes a file out of a declaration.
const clause = "package p\n"

// Print returns the snippet as gofmt would write it.
func Print(s Snippet) (string, error) {
	if s.Offset < 0 || s.Offset > len(s.Text) {
		return "", fmt.Errorf("offset %d lies outside of the snippet's %d bytes", s.Offset, len(s.Text))
	}
	// The parser drops carriage returns out of comments, which then end too early.
	before := bytes.ReplaceAll(s.Text[:s.Offset], []byte("\r"), nil)
	after := bytes.ReplaceAll(s.Text[s.Offset:], []byte("\r"), nil)
	p := &printing{
		fset: token.NewFileSet(), keep: s.Keep, target: len(clause) + len(before),
		source: slices.Concat([]byte(clause), before, after),
	}
	text, err := p.print(s.Mode)
	if err != nil {
		return "", err
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return "", fmt.Errorf("format snippet: %w", err)
	}
	return string(bytes.TrimSpace(formatted)), nil
}

// print makes the text, whose layout gofmt puts right. A syntax error is no hindrance
// where what is meant stands beside it.
func (p *printing) print(mode string) (string, error) {
	file, _ := parser.ParseFile(p.fset, "", p.source, parser.ParseComments|parser.SkipObjectResolution)
	p.extent = extent{base: p.fset.File(file.FileStart).Base(), size: len(p.source)}
	switch mode {
	case "spec":
		return p.spec(file)
	case "signature":
		return p.signature(file)
	case "struct":
		return p.structure(file)
	}
	return "", fmt.Errorf("unknown mode %q: use spec, signature or struct", mode)
}

// printing is a snippet that is being rewritten.
type printing struct {
	fset   *token.FileSet
	source []byte
	extent
	target int // offset in source of what is meant
	keep   []string
}

func (p *printing) text(from, to token.Pos) string {
	return string(p.cut(p.source, from, to))
}

func (p *printing) find(file *ast.File) (*ast.GenDecl, ast.Spec, error) {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || !p.holds(group, group.Doc, p.target) {
			continue
		}
		for _, spec := range group.Specs {
			if len(group.Specs) == 1 || p.holds(spec, docOf(spec), p.target) {
				return group, spec, printable(spec)
			}
		}
	}
	return nil, nil, fmt.Errorf("no spec at offset %d", p.target-len(clause))
}

// around returns the comments that stand above and behind a spec.
func (p *printing) around(group *ast.GenDecl, spec ast.Spec) (above, behind string) {
	doc := docOf(spec)
	if !group.Lparen.IsValid() {
		doc = group.Doc
	}
	if doc != nil {
		above = p.text(doc.Pos(), doc.End()) + "\n"
	}
	var comment *ast.CommentGroup
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		comment = spec.Comment
	case *ast.ValueSpec:
		comment = spec.Comment
	}
	if comment != nil {
		behind = " " + p.text(comment.Pos(), comment.End())
	}
	return above, behind
}

// spec lifts a spec out of its group.
func (p *printing) spec(file *ast.File) (string, error) {
	group, spec, err := p.find(file)
	if err != nil {
		return "", err
	}
	above, behind := p.around(group, spec)
	return above + group.Tok.String() + " " + p.text(spec.Pos(), spec.End()) + behind, nil
}

// maxPrinted is how many nodes may stand inside each other in what is printed: each level
// is indented further, so that the text grows with the square of the depth.
const maxPrinted = 1_000

var errDeep = fmt.Errorf("nested more than %d levels deep", maxPrinted)

func printable(node ast.Node) error {
	if isDeeper(node, maxPrinted) {
		return errDeep
	}
	return nil
}

// signature leaves out a function's body and its doc comment.
func (p *printing) signature(file *ast.File) (string, error) {
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && p.holds(fn, fn.Doc, p.target) {
			head := &ast.FuncDecl{Recv: fn.Recv, Name: fn.Name, Type: fn.Type}
			return p.text(fn.Pos(), fn.Type.End()), printable(head)
		}
	}
	return "", fmt.Errorf("no function at offset %d", p.target-len(clause))
}

// structure keeps some fields of a struct and says how many it leaves out.
func (p *printing) structure(file *ast.File) (string, error) {
	group, found, err := p.find(file)
	if err != nil {
		return "", err
	}
	spec, ok := found.(*ast.TypeSpec)
	if !ok {
		return "", errors.New("not a type")
	}
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return "", fmt.Errorf("%s is no struct", spec.Name.Name)
	}
	above, behind := p.around(group, spec)
	var b strings.Builder
	b.WriteString(above + "type " + p.text(spec.Pos(), s.Fields.Opening+1) + "\n")
	out := 0
	for _, f := range s.Fields.List {
		text, dropped := p.field(f)
		b.WriteString(text)
		out += dropped
	}
	switch {
	case out == 1:
		b.WriteString("// ... 1 field left out\n")
	case out > 1:
		fmt.Fprintf(&b, "// ... %d fields left out\n", out)
	}
	b.WriteString("}" + behind)
	return b.String(), nil
}

// field returns what stays of a field, with its comments, and how many names do not.
func (p *printing) field(f *ast.Field) (text string, dropped int) {
	names := p.text(f.Pos(), f.Type.Pos())
	if len(f.Names) == 0 {
		if id := embeddedName(f.Type); id == nil || !p.keeps(id.Name) {
			return "", 1
		}
	} else {
		var kept []string
		for _, name := range f.Names {
			if p.keeps(name.Name) {
				kept = append(kept, name.Name)
			}
		}
		if len(kept) == 0 {
			return "", len(f.Names)
		}
		if dropped = len(f.Names) - len(kept); dropped > 0 {
			names = strings.Join(kept, ", ") + " "
		}
	}
	text = names + p.text(f.Type.Pos(), f.End())
	if f.Doc != nil {
		text = p.text(f.Doc.Pos(), f.Doc.End()) + "\n" + text
	}
	if f.Comment != nil {
		text += " " + p.text(f.Comment.Pos(), f.Comment.End())
	}
	return text + "\n", dropped
}

// keeps takes `a` for wanted where `a.b` is: a field of an anonymous struct.
func (p *printing) keeps(name string) bool {
	return slices.ContainsFunc(p.keep, func(k string) bool {
		return k == name || strings.HasPrefix(k, name+".")
	})
}
