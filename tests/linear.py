"""Read what is made to cost too much, under a hard limit on the processor's time.

Run as `linear.py patterns MODULE` or `linear.py texts NAME`: a process of its own, which
the kernel ends in the middle of a regular expression, where Python could not. Each job
says its name before it begins, so that the last name is the culprit's. What is linear
takes a few hundredths of the seconds allowed, what is not takes many times as much.
"""

import ast
import re
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined] # nothing public
from typing import Any

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text

CORE = Path(decipher.__code__.co_filename).parents[1]
Job = tuple[str, Callable[[], object]]
Tree = Any
"""What `re` makes of an expression: pairs of a code and what goes with it."""

_SECONDS = {"patterns": 2, "texts": 20}
"""What a job may take."""
_PUMPED = 120_000
"""Characters for one expression: a quadratic one takes 7e9 steps for them."""
_SHORT = {"panics.prefix": 300}
"""Modules that look at no more than so many characters at a time."""
_LOOP = 3
"""What may be repeated oftener is a loop to be driven."""
_WAYS = 4
"""So many ways to one loop are gone."""
_DIGITS = re.compile(r"\d")
_END = " \x01\x01\x01\x01a "
"""What no expression takes to its end."""
_TEXTS = 20_000, 160_000
"""Characters of a short and of a long text."""
_RATIO = 24
"""Three times what is linear, and less than half of what is not."""
_SLACK = 0.3
"""Seconds that are allowed in any case: what is not linear takes more."""
_REPEATS = {
    _constants.MAX_REPEAT,
    _constants.MIN_REPEAT,
    _constants.POSSESSIVE_REPEAT,
}
_GROUPS = {_constants.SUBPATTERN, _constants.ASSERT, _constants.ASSERT_NOT}
_SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdigit,
    "SPACE": str.isspace,
    "WORD": lambda letter: letter.isalnum() or letter == "_",
}
_STACK = "goroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:1 +0x1\n"
_ESCAPED = _STACK.replace("\n", "\\n").replace("\t", "\\t")
_SIGNS = (
    "\x1b[31mred\x1b[0m<br>&lt;a [1/1]\nvcs GOOS= go1. @v1 on top of the stack: (0x1\n"
    "=09x.go:1=\nby goroutine created at: runtime stack:\n"
)
"""What each of the steps looks for before it begins."""
SETTINGS = {
    "alone": ("", ""),
    "above": (_SIGNS, f"\n{_STACK}"),
    "escaped": ("level=error ", f" {_ESCAPED}"),
    "quoted": ('level=error x="', f'" stack="{_ESCAPED}"'),
    "file": ("goroutine 1 [running]:\nmain.f(0x1)\n\t/", "/a.go:1 +0x1\n"),
    "function": ("goroutine 1 [running]:\nmain.", "(0x1)\n\t/x/a.go:1 +0x1\n"),
    "state": ("goroutine 1 [", f"]:\n{_STACK}"),
}
"""What stands before and behind what is repeated."""
PREFIXED = "prefixed"
"""The setting in which what is repeated stands before each line of many stacks."""
_PREFIX = 160
"""Characters of a prefix, of which an expression is made."""
_SETTINGS_OF_LINES = frozenset({"alone", "above"})
"""Where several lines make a difference."""
UNITS = (
    "7", " ", "\n", "\r", "\\", "(", "{", "[", "a/", "/a", "a.", "QUJD", "\xa0", "f()", "&lt;",
    "/a@v1.", "go1.2", "goroutine 1 [", "goroutine 1 [a]: ", "goroutine 1 [a] {", 'panic="',
    ", 5 minutes", "Goroutine 1 in state ", "Previous read by goroutine 1", "panic: \n ",
    "panic: a\n", "\tpanic: a\n", "fatal error: x\n", "goroutine 1 [a]:\n", _STACK, f"x {_STACK}",
    f"panic: x\n\n{_STACK}", f"panic: x\n{_STACK}", "a.f\n\t/a.go:1\n", "/a.go:1\n",
    "/a.go:1 (0x1)\n\tf: x\n", "/a.go:1 (0x1) ", "=09x.go:1=\n", '{"log":"a"}\n', '{"log":"a\\n"}\n',
    f'{{"msg":"{_ESCAPED}"}}\n', f'stack="{_ESCAPED}"\n', f'stack="{_ESCAPED}" ', "[{",
    "x Write at 0x1 by goroutine 1:\nmain.f(0x1)\n\t/a.go:1 +0x1\n",
    "> goroutine 1 [running]:\n> main.f(0x1)\n> \t/a.go:1 +0x1\n> \n",
)  # fmt: skip
"""A line or a piece of one of each grammar, and of what is taken off before."""


def main(kind: str, name: str) -> None:
    """Do every job of a kind."""
    for title, job in patterns(name) if kind == "patterns" else texts(name):
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + _SECONDS[kind]
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        sys.stdout.write(f"{title}\n")
        sys.stdout.flush()
        job()


def patterns(module: str) -> Iterator[Job]:
    """Drive each regular expression of a module with what its own loops take."""
    for name, value in vars(import_module(f"triage.core.{module}")).items():
        for pattern in _patterns(value) if _is_made_in(module, name) else ():
            anchored = _is_anchored(module, name)
            read = pattern.match if anchored else partial(_find_all, pattern)
            size = _SHORT.get(module, _PUMPED)
            for title, text in attacks(pattern, size, anchored=anchored).items():
                yield f"{module}.{name} on {title!r}", partial(read, text)


def _patterns(value: object) -> Iterator[re.Pattern[str]]:
    """Yield an expression, or those of a table."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _patterns(part)


def _find_all(pattern: re.Pattern[str], text: str) -> None:
    deque(pattern.finditer(text), maxlen=0)


def _file(module: str) -> Path:
    return CORE.joinpath(*module.split(".")).with_suffix(".py")


def _is_made_in(module: str, name: str) -> bool:
    """Tell whether a module makes an expression, rather than importing it."""
    return f"\n{name} = " in _file(module).read_text("utf-8")


def _is_anchored(module: str, name: str) -> bool:
    """Tell whether an expression is only ever tried at one place of a text."""
    files = [_file(module)] if name.startswith("_") else list(CORE.rglob("*.py"))
    uses = {method for file in files for used, method in _uses(file) if used == name}
    return bool(uses) and uses <= {"match", "fullmatch"}


@cache
def _uses(path: Path) -> frozenset[tuple[str, str]]:
    """Return each name in a file with the attributes that are asked of it.

    A name that is handed on as it is counts as asked for `search`.
    """
    asked, found = set[ast.AST](), set[tuple[str, str]]()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute):
            owner = node.value
            name: str = getattr(owner, "id", "") or getattr(owner, "attr", "")
            found.add((name, node.attr))
            asked.add(owner)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found |= {(node.id, "search")} if node not in asked else set()
    return frozenset(found)


def attacks(pattern: re.Pattern[str], size: int, *, anchored: bool) -> dict[str, str]:
    """Return long texts that an expression nearly matches, by what they repeat."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    letters = sorted(_letters(tree) | set("a0 "))
    texts: dict[str, str] = {}
    for before, again in sorted(set(_loops(tree, "", letters))):
        units = {f"{before}{again}", again} if not anchored else set()
        if pattern.flags & re.MULTILINE:
            units.add(f"{before}{again}\n")
        for unit in units:
            texts[unit] = unit * (size // len(unit)) + _END
        texts[f"{before} once, {again}"] = before + again * (size // len(again)) + _END
    return texts


def _loops(tree: Tree, before: str, letters: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each loop of an expression: what stands before it, and what it repeats."""
    leads = [before]
    for op, value in tree:
        for lead in leads:
            for part in _parts(op, value):
                yield from _loops(part, lead, letters)
            if op in _REPEATS and value[1] > _LOOP:
                yield from ((lead, again) for again in _bodies(value[2], letters))
        ways = _ways(op, value, letters)
        leads = [lead + way for way in ways for lead in leads][:_WAYS]


def _ways(op: Any, value: Any, letters: list[str]) -> list[str]:
    """Return texts that an element takes, one for each of its alternatives."""
    if op == _constants.SUBPATTERN and len(value[-1]) == 1:
        inner, part = value[-1][0]
        return _ways(inner, part, letters)
    if op == _constants.BRANCH:
        samples = [_sample(part, letters) for part in value[1]]
        return list(dict.fromkeys(filter(None, samples))) or [""]
    return [_sample([(op, value)], letters)]


def _bodies(body: Tree, letters: list[str]) -> list[str]:
    """Return what a loop may go round on: each of the letters that it takes."""
    op, value = body[0]
    if len(body) == 1 and op in _SINGLE:
        return [letter for letter in letters if _takes(op, value, letter)]
    return [sample] if (sample := _sample(body, letters)) else []


def _sample(tree: Tree, letters: list[str]) -> str:
    """Return a text that an expression takes, or nearly."""
    out = ""
    for op, value in tree:
        if op in _SINGLE:
            out += next((one for one in letters if _takes(op, value, one)), "")
        elif op in _REPEATS:
            out += _sample(value[2], letters) * value[0]
        elif op == _constants.BRANCH:  # one that takes something says more
            out += max((_sample(part, letters) for part in value[1]), key=bool)
        elif op != _constants.ASSERT_NOT:
            out += "".join(_sample(part, letters) for part in _parts(op, value))
    return out


def _parts(op: Any, value: Any) -> list[Tree]:
    """Return what an element of an expression is made of."""
    if op == _constants.BRANCH:
        return list(value[1])
    if op == _constants.ATOMIC_GROUP:
        return [value]
    if op in _REPEATS or op in _GROUPS:
        return [value[-1]]
    return []


def _letters(tree: Tree) -> set[str]:
    """Return every character that stands in an expression."""
    found = set[str]()
    for op, value in tree:
        if op in {_constants.LITERAL, _constants.NOT_LITERAL}:
            found.add(chr(value))
        elif op == _constants.IN:
            found |= _letters(value)
        for part in _parts(op, value):
            found |= _letters(part)
    return found


def _takes(op: Any, value: Any, letter: str) -> bool:
    """Tell whether an element takes this one letter."""
    if op == _constants.IN:
        negated = value[0][0] == _constants.NEGATE
        taken = any(_takes(kind, item, letter) for kind, item in value[negated:])
        return bool(taken != negated)
    if op == _constants.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    if op == _constants.CATEGORY:
        name = str(value).removeprefix("CATEGORY_")
        known = _CATEGORIES[name.removeprefix("NOT_")]
        return known(letter) != name.startswith("NOT_")
    if op == _constants.ANY:
        return letter != "\n"
    return bool((ord(letter) == value) == (op == _constants.LITERAL))


def texts(name: str) -> Iterator[Job]:
    """Read a short and a long text that repeat one thing, in one setting."""
    lines = name in _SETTINGS_OF_LINES
    for unit in (unit for unit in UNITS if lines or "\n" not in unit[:-1]):
        job = partial(_compare, *(_text(name, unit, size) for size in _TEXTS))
        yield f"{name}: {unit!r}", job


def _text(name: str, unit: str, size: int) -> str:
    """Write a text of about a size that repeats one thing."""
    if name != PREFIXED:
        before, after = SETTINGS[name]
        return before + unit * (size // len(unit)) + after
    unit = unit.rstrip("\n") or "-"
    prefix = unit * (_PREFIX // len(unit))
    lines = cycle(_STACK.splitlines(keepends=True))
    return "".join(
        _DIGITS.sub(str(number), prefix) + line
        for number, line in enumerate(islice(lines, size // _PREFIX))
    )


def _compare(short: str, long: str) -> None:
    """End the process where the long text takes too many times as long, thrice."""
    for _ in range(3):
        brief = _seconds(short)
        if _seconds(long) < _RATIO * brief + _SLACK:
            return
    sys.exit("the time does not grow with the text alone")


def _seconds(text: str) -> float:
    begin = time.process_time()
    report = decipher(text)
    to_json(report, "x")
    to_text(report, "x")
    return time.process_time() - begin


if __name__ == "__main__":
    main(*sys.argv[1:])
