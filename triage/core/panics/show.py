"""A report as people and programs read it: text at a glance, or JSON values."""

from collections.abc import Iterator

from triage.core.model import Frame, Goroutine, Panic, Report
from triage.core.panics.merge import primary
from triage.core.panics.origin import origin, own_frames, sites
from triage.core.visible import escaped

_FRAMES = 20
"""So many frames are shown in text; JSON has all."""
_FIELD = 4096
"""A fault address below it is a field's offset from a nil pointer."""
_SEGMENTS = frozenset({"SIGSEGV", "SIGBUS", "0xb", "0xa", "0xc0000005"})


def to_json(report: Report, file: str) -> dict[str, object]:
    """Return what `triage parse --format json` prints of one file."""
    main = primary(report.crashes)
    shown = (
        _panic(main)
        if main
        else dict.fromkeys(("kind", "message", "crashed", "origin"))
    )
    shown["goroutines"] = sum(
        panic.goroutines for panic in report.crashes if main and panic.form == main.form
    )
    others = [panic for panic in report.crashes if panic is not main]
    return {
        "file": file,
        **shown,
        "others": [_panic(panic) for panic in others],
        "problems": [{"line": p.line, "text": p.text} for p in report.problems],
    }


def _panic(panic: Panic) -> dict[str, object]:
    at = origin(panic)
    frames = panic.crashed.frames if panic.crashed else ()
    happened = panic.crashed is not None and panic.form != "errors"
    return {
        "kind": panic.kind,
        "message": panic.message,
        "goroutines": panic.goroutines,
        "crashed": _goroutine(panic.crashed) if happened and panic.crashed else None,
        "origin": None if at is None else _frame(frames[at]),
        "lines": list(panic.lines),
        "details": _details(panic),
    }


def _goroutine(goroutine: Goroutine) -> dict[str, object]:
    maker = goroutine.created_by
    return {
        "id": goroutine.id,
        "state": goroutine.state,
        "frames": [_frame(frame) for frame in goroutine.frames],
        "created_by": _frame(maker) if maker else None,
        "elided": goroutine.elided,
    }


def _frame(frame: Frame) -> dict[str, object]:
    return {"function": frame.function or None, "file": frame.file, "line": frame.line}


def _details(panic: Panic) -> dict[str, object]:
    """Return what else is known, without what is not."""
    known: dict[str, object] = {
        "signal": panic.signal,
        "address": None if panic.address is None else hex(panic.address),
        "wait": panic.crashed.wait if panic.crashed else None,
        "go_version": panic.go_version,
        "goos": panic.goos,
        "goarch": panic.goarch,
        "revision": panic.revision,
        "versions": dict(panic.versions) or None,
        "earlier": list(panic.earlier) or None,
        "sites": _sites(panic),
    }
    return {name: value for name, value in known.items() if value is not None}


def _sites(panic: Panic) -> list[dict[str, object]] | None:
    """Return where each panic of a chain was raised, the last raised first."""
    if not panic.earlier or panic.crashed is None:
        return None
    return [_frame(panic.crashed.frames[at]) for at in sites(panic)]


def to_text(report: Report, file: str) -> str:
    """Return the crash of one file at a glance, each line safe for a terminal."""
    main = primary(report.crashes)
    lines = list(_glance(main)) if main else ["no crash found"]
    for panic in report.crashes:
        if panic is not main:
            lines.append(f"  also lines {_range(panic)}: {_title(panic)}")
    lines += [f"  problem in line {p.line}: {p.text}" for p in report.problems]
    lines[0] = f"{file}: {lines[0]}"
    return "".join(escaped(line) + "\n" for line in lines)


def _first_line(message: str) -> str:
    return message.partition("\n")[0]


def _title(panic: Panic) -> str:
    message = _first_line(panic.message)
    return f"{panic.kind}: {message}" if message else panic.kind


def _range(panic: Panic) -> str:
    first, last = panic.lines
    return str(first) if first == last else f"{first}-{last}"


def _glance(panic: Panic) -> Iterator[str]:
    yield _title(panic)
    for line in panic.message.split("\n")[1:]:
        yield f"  | {line}".rstrip()
    for message in reversed(panic.earlier):
        if not message.endswith("repanicked]"):  # it would say the same again
            yield f"  after {_first_line(message)}"
    if panic.signal:
        yield f"  signal {panic.signal}{_address(panic.signal, panic.address)}"
    if panic.crashed:
        yield f"  {_who(panic, panic.crashed)}"
        yield from _stack(panic, panic.crashed)
    said = _said(panic)
    if said:
        yield f"  {said}"


def _address(signal: str, address: int | None) -> str:
    """Say where a fault was; a small address is where a nil pointer was followed."""
    if address is None:
        return ""
    at = f" at address {address:#x}"
    if signal not in _SEGMENTS or address >= _FIELD:
        return at
    return f"{at}: {f'a field {address} bytes into ' if address else ''}a nil pointer"


def _who(panic: Panic, crashed: Goroutine) -> str:
    name = "stack" if crashed.id is None else f"goroutine {crashed.id}"
    state = ", ".join(part for part in (crashed.state, crashed.wait) if part)
    more = f", {panic.goroutines} goroutines" if panic.goroutines > 1 else ""
    return f"{name}{f' [{state}]' if state else ''}, lines {_range(panic)}{more}"


def _stack(panic: Panic, crashed: Goroutine) -> Iterator[str]:
    own, again = own_frames(panic), sites(panic)[:-1]
    marks = (
        dict.fromkeys(own, "*")
        | dict.fromkeys(own[:1], ">")
        | dict.fromkeys(again, "+")
    )
    for at, frame in enumerate(crashed.frames[:_FRAMES]):
        mark = marks.get(at, " ")
        yield f"  {mark} {_call(frame)} {_place(frame)}"
    left = len(crashed.frames) - _FRAMES
    if left > 0:
        yield f"    ... {left} more frames"
    if crashed.elided:
        yield "    ... frames in the middle were left out by the runtime"
    if crashed.created_by:
        maker = crashed.created_by
        yield f"    created by {maker.function} {_place(maker)}"


def _call(frame: Frame) -> str:
    words = "" if frame.arguments is None else f"({frame.arguments})"
    return f"{frame.function or '?'}{words}"


def _place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line}"


def _said(panic: Panic) -> str:
    target = "/".join(part for part in (panic.goos, panic.goarch) if part)
    commit = f"commit {panic.revision}" if panic.revision else ""
    modules = [f"{module}@{version}" for module, version in panic.versions]
    return ", ".join(p for p in (panic.go_version, target, commit, *modules) if p)
