"""The protocol between host and helper: bytes to frames, frames to messages.

Pure: bytes in, values out; who reads and writes them stands elsewhere. The other end
is `goparse_helper/internal/wire`; the two change together, and `PROTOCOL` with them.

A frame is the length of its header (4 bytes, little endian), the header (a JSON
object), and the `body_len` raw bytes that it announces. Sources travel in bodies: as
JSON they would lose every byte that is not UTF-8, and offsets would shift.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import orjson

from triage.core.model import Snippet
from triage.errors import HelperProtocolError, TooLarge

PROTOCOL: Final = 2
"""Raised with every change of frames or messages."""
MAX_FRAME: Final = 64 << 20
"""The largest header and the largest body, in bytes."""
MAX_FILES: Final = 2_000
MAX_FILE: Final = 8 << 20
MAX_BODY: Final = 32 << 20
"""What one request may hold: files, bytes a file, bytes together."""

_PREFIX: Final = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """A header and the raw bytes that came with it."""

    header: dict[str, Any]
    body: bytes = b""


class FrameDecoder:
    """Cuts a stream of bytes into frames, however it arrives."""

    __slots__ = ("_buffer", "_header")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._header: dict[str, Any] | None = None  # read, but its body is not

    @property
    def pending(self) -> bool:
        """Whether a frame has begun and is not whole: no good place to end."""
        return bool(self._buffer) or self._header is not None

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take *data* and go over the frames that are whole by now.

        Raises `HelperProtocolError` where the bytes are no frame, after the frames
        in front of them: the stream is then of no more use.
        """
        self._buffer += data
        return iter(self._next, None)

    def _next(self) -> Frame | None:
        if self._header is None:
            raw = self._take_header()
            if raw is None:
                return None
            self._header = _parse_header(raw)
        size = _body_size(self._header)
        if len(self._buffer) < size:
            return None
        frame = Frame(self._header, self._take(size))
        self._header = None
        return frame

    def _take_header(self) -> bytes | None:
        if len(self._buffer) < _PREFIX:
            return None
        size = int.from_bytes(self._buffer[:_PREFIX], "little")
        if size > MAX_FRAME:
            raise HelperProtocolError(f"the helper sent no frame but {self._start()!r}")
        if len(self._buffer) < _PREFIX + size:
            return None
        return self._take(_PREFIX + size)[_PREFIX:]

    def _take(self, size: int) -> bytes:
        with memoryview(self._buffer) as view, view[:size] as part:
            data = bytes(part)
        del self._buffer[:size]
        return data

    def _start(self) -> bytes:
        return bytes(self._buffer[:40])


def _parse_header(raw: bytes) -> dict[str, Any]:
    try:
        header = orjson.loads(raw)
    except orjson.JSONDecodeError as err:
        raise HelperProtocolError(f"the helper's header is no JSON: {err}") from err
    if not isinstance(header, dict):
        raise HelperProtocolError("the helper's header is no JSON object")
    return header


def _body_size(header: dict[str, Any]) -> int:
    size = header.get("body_len", 0)
    if type(size) is not int or not 0 <= size <= MAX_FRAME:
        raise HelperProtocolError(f"the helper announces a body of {size!r:.40} bytes")
    return size


def encode(header: dict[str, Any], *body: bytes) -> list[bytes]:
    """Return the chunks of one frame; the parts of *body* are not copied.

    Sets `body_len`. A lone surrogate, which stands for a byte of a file name that is
    not UTF-8, arrives as U+FFFD.
    """
    header = {**header, "body_len": sum(map(len, body))}
    try:
        raw = orjson.dumps(header)
    except orjson.JSONEncodeError:
        raw = json.dumps(header).encode()
    return [len(raw).to_bytes(_PREFIX, "little") + raw, *body]


@dataclass(frozen=True, slots=True)
class SymbolsRequest:
    """Asks for the symbol table of one package directory, as JSON in the body."""

    method: ClassVar[str] = "symbols"

    directory: str
    import_path: str
    goos: str
    goarch: str
    tags: tuple[str, ...]
    focus: str | None
    files: tuple[tuple[str, bytes], ...]
    """Name and content."""
    tests: bool = False
    types: bool = True
    """False leaves the type checker out: names and written types alone tell."""

    def check(self) -> None:
        """Raise `TooLarge` where the helper would refuse the package."""
        where = self.directory or "the root directory"
        if len(self.files) > MAX_FILES:
            raise TooLarge(
                f"{where} has {len(self.files)} Go files; the limit is {MAX_FILES}"
            )
        for name, data in self.files:
            if len(data) > MAX_FILE:
                raise TooLarge(
                    f"{name} in {where} has {len(data)} bytes; the limit is {MAX_FILE}"
                )
        _check_body(where, self.body())

    def params(self) -> dict[str, Any]:
        """Return what the header says."""
        return {
            "directory": self.directory,
            "import_path": self.import_path,
            "goos": self.goos,
            "goarch": self.goarch,
            "tags": self.tags,
            "tests": self.tests,
            "types": self.types,
            "focus": self.focus,
            "files": [(name, len(data)) for name, data in self.files],
        }

    def body(self) -> list[bytes]:
        """Return the files' bytes, in their order."""
        return [data for _, data in self.files]


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """Asks for printed pieces; the reply's result is `{"texts": [...]}`."""

    method: ClassVar[str] = "print"

    snippets: tuple[Snippet, ...]

    def check(self) -> None:
        """Raise `TooLarge` where the helper would refuse the texts."""
        _check_body("what is to be printed", self.body())

    def params(self) -> dict[str, Any]:
        """Return what the header says."""
        return {
            "snippets": [
                {
                    "mode": snippet.mode,
                    "size": len(snippet.text),
                    "offset": snippet.offset,
                    "keep": snippet.keep,
                }
                for snippet in self.snippets
            ]
        }

    def body(self) -> list[bytes]:
        """Return the snippets' texts, in their order."""
        return [snippet.text for snippet in self.snippets]


Request = SymbolsRequest | PrintRequest


def _check_body(what: str, parts: list[bytes]) -> None:
    size = sum(map(len, parts))
    if size > MAX_BODY:
        raise TooLarge(f"{what} has {size} bytes of source; the limit is {MAX_BODY}")


def encode_request(number: int, request: Request) -> list[bytes]:
    """Return the chunks of the frame that asks *request* under id *number*."""
    header = {"id": number, "method": request.method, "params": request.params()}
    return encode(header, *request.body())


def encode_cancel(number: int, target: int) -> list[bytes]:
    """Return the frame that says that nobody waits for request *target* any more."""
    return encode({"id": number, "method": "cancel", "params": {"id": target}})


@dataclass(frozen=True, slots=True)
class Hello:
    """What the helper was built with; its first message."""

    protocol: int
    schema: int
    version: str
    go: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to request *id*."""

    id: int
    result: dict[str, Any]
    body: bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer to request *id*."""

    id: int
    code: str
    """`bad-request`, `too-large`, `cancelled` or `internal`."""
    message: str
    stack: str
    """Where the helper's own code failed; empty for the other codes."""


Message = Hello | Reply | Failure


def decode_message(frame: Frame) -> Message:
    """Tell what a frame from the helper says; raises `HelperProtocolError`."""
    header = frame.header
    hello = header.get("hello")
    if hello is not None:
        kinds = {"protocol": int, "schema": int, "version": str, "go": str}
        return Hello(**_fields(hello, kinds))
    number = _fields(header, {"id": int})["id"]
    error = header.get("error")
    if error is not None:
        kinds = {"code": str, "message": str, "stack": str}
        return Failure(number, **_fields({"stack": "", **_object(error)}, kinds))
    return Reply(number, _object(header.get("result")), frame.body)


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise HelperProtocolError(
            f"the helper sent {value!r:.40} in place of an object"
        )
    return value


def _fields(value: object, kinds: dict[str, type]) -> dict[str, Any]:
    """Pick the named fields, each of exactly its type: JSON's true is no integer."""
    source = _object(value)
    for name, kind in kinds.items():
        if type(source.get(name)) is not kind:
            raise HelperProtocolError(
                f"the helper sent {source.get(name)!r:.40} as {name}, no {kind.__name__}"
            )
    return {name: source[name] for name in kinds}
