"""A helper that speaks the wire and misbehaves on order.

    python fake_helper.py STATE START [flags of the real helper]

STATE is a file that counts the generations. START says what to do in place of a good
hello; a request's `directory` says what to do in place of a good answer (see the
methods below), and `name*N/other` does that in the first N generations only and later
the other, `echo` where none is given. Behind a `:` stands what to do where no types are
asked for.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final, NoReturn

sys.path.insert(0, str(Path(__file__).parents[1]))  # the environment is cleared

from triage.core.wire import Frame, FrameDecoder, encode

HELLO: Final = {"protocol": 2, "schema": 1, "version": "0.1.0", "go": "go1.27.3"}


def write(data: bytes) -> None:
    """Write to standard output, whole."""
    while data:
        data = data[os.write(1, data) :]


def send(header: dict[str, Any], body: bytes = b"") -> None:
    """Write one frame."""
    write(b"".join(encode(header, body)))


def complain(text: str) -> None:
    """Write a line to standard error."""
    os.write(2, text.encode() + b"\n")


def die(status: int = 2) -> NoReturn:
    """End as the Go runtime does after a fatal error."""
    complain("fatal error: all goroutines are asleep - deadlock!")
    complain("goroutine 1 [chan receive]:")
    os._exit(status)


class Start:
    """What may happen in place of a good hello."""

    def good(self) -> None:
        """Say hello."""
        send({"hello": HELLO})

    def old(self) -> None:
        """Say hello as another version would."""
        send({"hello": {**HELLO, "version": "0.0.9", "schema": 7}})

    def mismatch(self) -> None:
        """Refuse the host, as the real helper does."""
        complain("goparse-helper: mismatch: triage is that, the helper is this")
        os._exit(3)

    def garbage(self) -> None:
        """Print a text."""
        write(b"usage: something else entirely\n")
        self.silent()

    def half(self) -> None:
        """Say half a hello and end."""
        write(b"".join(encode({"hello": HELLO}))[:20])
        os._exit(0)

    def silent(self) -> None:
        """Say nothing, but live."""
        threading.Event().wait()

    def crash(self) -> None:
        """Die before the hello."""
        die()

    def stubborn(self) -> None:
        """Say hello, and ignore SIGTERM and the end of the input."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.good()

    def deaf(self) -> None:
        """Say hello, and ignore the end of the input."""
        self.good()


class Answers:
    """What may happen in place of a good answer; a method for each."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.cancelled: list[int] = []
        self.held: list[int] = []

    def take(self, frame: Frame) -> None:
        """Do what the request says."""
        number, params = frame.header["id"], frame.header["params"]
        if frame.header["method"] == "cancel":
            self.cancelled.append(params["id"])
            return
        typed, _, plain = params.get("directory", "print").partition(":")
        order = plain if plain and not params["types"] else typed
        order, _, rest = order.partition("*")
        generations, _, other = rest.partition("/")
        if generations and self.generation > int(generations):
            order = other or "echo"
        getattr(self, order)(number, frame.body)

    def echo(self, number: int, body: bytes) -> None:
        """Answer with the body as it came."""
        send({"id": number, "result": {}}, body)

    def print(self, number: int, body: bytes) -> None:
        """Answer as if all texts were one; never, where there is none."""
        if not body:
            return
        send({"id": number, "result": {"texts": [body.decode()]}})

    def pid(self, number: int, _: bytes) -> None:
        """Answer with the process."""
        self.echo(number, str(os.getpid()).encode())

    def environment(self, number: int, _: bytes) -> None:
        """Answer with the names of the variables."""
        self.echo(number, " ".join(sorted(os.environ)).encode())

    def cancels(self, number: int, _: bytes) -> None:
        """Answer with the ids that were cancelled."""
        self.echo(number, repr(self.cancelled).encode())

    def crash(self, *_: object) -> None:
        """Die."""
        die()

    def half(self, number: int, body: bytes) -> None:
        """Die in the middle of the answer."""
        frame = b"".join(encode({"id": number, "result": {}}, body + bytes(100)))
        write(frame[:-50])
        die()

    def garbage(self, *_: object) -> None:
        """Print a text in the middle of the stream, and live."""
        write(b"panic: runtime error: index out of range\n")

    def unknown(self, number: int, body: bytes) -> None:
        """Answer a request that was not made."""
        self.echo(number + 1_000, body)

    def hello(self, *_: object) -> None:
        """Say hello again."""
        send({"hello": HELLO})

    def hang(self, *_: object) -> None:
        """Never answer."""

    def stuck(self, *_: object) -> None:
        """Never answer, nor read on."""
        threading.Event().wait()

    def closed(self, *_: object) -> None:
        """Close the streams, and live."""
        os.close(0)
        os.close(1)
        threading.Event().wait()

    def orphan(self, number: int, body: bytes) -> None:
        """Answer and die, but leave a child behind that holds the streams."""
        if os.fork() == 0:
            while os.read(0, 1):  # until the host lets go of them
                pass
            os._exit(0)
        self.echo(number, body)
        die()

    def hold(self, number: int, _: bytes) -> None:
        """Keep the answer back until `release`."""
        self.held.append(number)

    def release(self, number: int, body: bytes) -> None:
        """Answer, and then what was kept back, the latest first."""
        for each in (number, *reversed(self.held)):
            self.echo(each, body)
        self.held.clear()

    def flood(self, number: int, body: bytes) -> None:
        """Write much more to standard error than a pipe holds, then answer."""
        for line in range(20_000):
            complain(f"line {line} " + "x" * 100)
        complain("y" * 3_000_000)
        self.echo(number, body)

    def refuse(self, number: int, _: bytes) -> None:
        """Say that it is too much."""
        error = {"code": "too-large", "message": "a package of 3 bytes, over 2"}
        send({"id": number, "error": error})

    def fail(self, number: int, _: bytes) -> None:
        """Say that it panicked."""
        error = {"code": "internal", "message": "boom", "stack": "goroutine 1"}
        send({"id": number, "error": error})


def main(state: Path, start: str) -> None:
    """Serve until the input ends."""
    with state.open("ab") as file:
        file.write(b".")
    getattr(Start(), start)()
    answers = Answers(state.stat().st_size)
    decoder = FrameDecoder()
    while data := os.read(0, 1 << 20):
        for frame in decoder.feed(data):
            answers.take(frame)
    if start in {"stubborn", "deaf"}:
        threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
