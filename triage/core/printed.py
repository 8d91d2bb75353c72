"""Read a file's path as a trace prints it, before any repository is looked at."""

import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

from triage.core.standard import is_standard
from triage.core.visible import is_plain, replaced
from triage.errors import BadInput

LONGEST = 4_096
"""Characters of a path; no file system takes a longer one."""
DEEPEST = 256
"""Elements of a path. Ways to cut one are tried, so that this bounds the work."""
_SHOWN = 200
"""How many characters of a path a message shows."""
_DRIVE = re.compile(r"^[A-Za-z]:(?=/|$)")
_VERSIONED = re.compile(r"^(?P<name>.+)@v\d[^/]*$")
_ESCAPED = re.compile(r"!([a-z])")
_COMPILER_MADE = re.compile(r"^(?:<.*>|_cgo_.*|_testmain\.go|\?+|_?)$")


@dataclass(frozen=True, slots=True)
class PrintedPath:
    """A path in its elements; Windows' separators and drives are taken away."""

    parts: tuple[str, ...]
    absolute: bool
    module: str | None = None
    """Where a `mod@v1.2.3` element stands: all up to it, without the version."""
    below: tuple[str, ...] = ()
    """What comes after that element."""

    @property
    def name(self) -> str:
        """The last element."""
        return self.parts[-1]

    @property
    def text(self) -> str:
        """The elements joined with `/`, without a leading one."""
        return "/".join(self.parts)


def read_printed(file: str) -> PrintedPath:
    """Take *file* apart; `BadInput` where it is no path or leads out by `..`."""
    parts, absolute = _elements(file.removeprefix("file://"))
    if not parts:
        raise BadInput("the path of the file is empty; give it as dir/file.go")
    return _with_module(PrintedPath(parts, absolute))


def unescaped(path: PrintedPath) -> PrintedPath:
    """Undo URL escapes: `a%20b` -> `a b`."""
    return read_printed("/" * path.absolute + unquote(path.text))


def clean_directory(directory: str) -> str:
    """Normalise a directory of the repository: `./a/` -> `a`, `.` -> empty.

    Raises `BadInput` where it is absolute or leads out.
    """
    parts, absolute = _elements(directory)
    if absolute:
        raise BadInput(f"{shown(directory)} must be relative to the repository")
    return "/".join(parts)


def is_compiler_made(file: str) -> bool:
    """Tell whether the compiler or a tool of it made up the file."""
    return bool(_COMPILER_MADE.match(last_element(file)))


def last_element(path: str) -> str:
    """Give the name that *path* ends in; separators behind it do not count."""
    parts = path.replace("\\", "/").split("/")
    return next((part for part in reversed(parts) if part not in {"", "."}), "")


def is_goroot(path: PrintedPath, package: str) -> bool:
    """Tell whether the file is the standard library's, *package* being the frame's.

    `/usr/lib/go-1.22/src/net/http/server.go`, with -trimpath `net/http/server.go`.
    """
    directory = "/".join(path.parts[:-1])
    if is_standard(package):
        return directory == package or directory.endswith("/src/" + package)
    head, found, rest = directory.rpartition("/src/")
    above = head.split("/")[-3:]
    return bool(found) and is_standard(rest) and any("go" in part for part in above)


def is_endless(path: str) -> bool:
    """Tell whether *path*, of files or of an import, is longer than any real one."""
    return len(path) > LONGEST or path.count("/") + path.count("\\") > DEEPEST


def shown(text: str) -> str:
    """Quote *text* for a message: one line, no control characters, not too long."""
    clean = replaced(text, "\N{REPLACEMENT CHARACTER}")
    return f"`{clean[:_SHOWN]}{'...' if len(clean) > _SHOWN else ''}`"


def _elements(text: str) -> tuple[tuple[str, ...], bool]:
    """`/src/./a/x.go` -> ("src", "a", "x.go"), and whether it was absolute."""
    if is_endless(text):
        raise BadInput(
            f"the path {shown(text)} has over {LONGEST} characters or {DEEPEST}"
            " directories; no file has"
        )
    if not is_plain(text):
        raise BadInput(f"the path {shown(text)} holds control characters")
    slashed = text.replace("\\", "/")
    bare = _DRIVE.sub("", slashed)
    parts: list[str] = []
    for part in bare.split("/"):
        if part == ".." and not parts:
            raise BadInput(f"the path {shown(text)} leads out of the repository")
        if part == "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return tuple(parts), bare != slashed or bare.startswith("/")


def _with_module(path: PrintedPath) -> PrintedPath:
    """Note the module of a module cache: `/go/pkg/mod/example.com/!shop@v1.2.3/x.go`.

    The cache writes `!s` for `S`, because file systems may not tell them apart.
    """
    for at in reversed(range(len(path.parts) - 1)):
        if match := _VERSIONED.match(path.parts[at]):
            whole = "/".join([*path.parts[:at], match["name"]])
            module = _ESCAPED.sub(lambda found: found[1].upper(), whole)
            return replace(path, module=module, below=path.parts[at + 1 :])
    return path
