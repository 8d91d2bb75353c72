/*
The goparse-helper command is the half of triage that understands Go. It reads
requests from standard input and writes replies to standard output; it opens no file
and no socket, since the sources come in the request. Triage starts it and stops it:
there is rarely a reason to run it by hand.

Usage:

	goparse-helper -serve -protocol N -schema N -version V
	goparse-helper -once
	goparse-helper -help

With -serve it says hello, then answers requests until standard input ends, several at
a time and in any order; it exits with status 0 after the last reply. The other flags
say what the host was built with: where they differ from what the helper was built
with it exits with status 3 and one line that names both.

With -once it reads one request, writes one reply without a hello, and exits: for
debugging and for CI. With -help it prints this text. Status 1 means that a stream
could not be read or written, 2 that the flags make no sense.

# Frames

A frame is the length of its header (4 bytes, little endian), the header (a JSON
object), and then as many raw bytes as the header's "body_len" says. Neither may be
over 64 MiB. The first frame from the helper is

	{"hello":{"protocol":2,"schema":1,"version":"0.1.0","go":"go1.27.3"}}

A request has an id that no unanswered request has, a method and its params. A reply
has the same id and either a result or an error:

	{"id":7,"error":{"code":"bad-request","message":"..."}}

The codes are bad-request, too-large, cancelled and internal; internal is a fault of
the helper and comes with a "stack".

# Methods

symbols takes a package directory and answers its symbol table. The request's body
holds the files' bytes in the order of "files", which gives names and sizes; the
reply's body holds the table as JSON (triage/core/table.py describes it). At most
2,000 files, 32 MiB together, 8 MiB each.

	{"id":7,"method":"symbols","params":{"directory":"internal/x",
	 "import_path":"example.com/m/internal/x","goos":"linux","goarch":"amd64",
	 "tags":[],"tests":false,"types":true,"focus":"user.go","files":[["user.go",1234],["types.go",99]]},
	 "body_len":1333}
	{"id":7,"result":{},"body_len":5120}

With "types":false the type checker is left out, for sources that it comes to no end
with: names are resolved by their scopes, fields and methods by the types that are
written, and the table begins with {"unchecked":true and has an error that says so.
Code that is nested more than 4,000 levels deep is cut there, which is an error of the
file in the table.

print takes whole top-level declarations, without a package clause, and prints a part
of each with go/printer; the request's body holds their texts. What cannot be printed,
or is nested more than 1,000 levels deep, comes back as an empty text. The modes are spec (the spec at the offset, lifted out of
its group), signature (the function at the offset without its body) and struct (the
type at the offset with only the fields in "keep").

	{"id":8,"method":"print","params":{"snippets":[
	 {"mode":"spec","size":120,"offset":30,"keep":[]}]},"body_len":120}
	{"id":8,"result":{"texts":["const offset = 1"]}}

cancel says that nobody waits for a request any more. One that is still queued is
answered with the code cancelled, one that has begun with whatever it comes to; the
cancel itself is not answered.

	{"id":9,"method":"cancel","params":{"id":7}}

# Environment

GOMAXPROCS and GOMEMLIMIT are those of every Go program; without GOMEMLIMIT the
helper sets a limit of its own.

# Bounds

A request in work cannot be interrupted. Where a stack outgrows 256 MiB or, on Linux,
all addresses 4 GiB, of which Go reserves one without using it, the helper dies with
the Go runtime's words and status 2, and the host asks again in a new one, the second
time with "types":false.
*/
package main
