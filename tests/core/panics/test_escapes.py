"""Stacks on one line, because their line ends were escaped."""

import pytest

from triage.core.panics import decipher
from triage.core.panics.document import Document
from triage.core.panics.escapes import take_escaped, unescape, unflatten

ESCAPED = r"goroutine 7 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a\nb\tc\\d\"e\/f", 'a\nb\tc\\d"e/f'),
        (r"\u00e9\x41\101\r\a", "éAA\r"),
        ("a#012#011b#7", "a\n\tb#7"),
        ("a%0A%09b%25%7", "a\n\tb%%7"),
        ("a|n|'b|||0x00e9|q", "a\n'b|é|q"),
        ("a↵b", "a\nb"),
    ],
)
def test_one_layer(text, expected):
    """Of C, rsyslog, URLs, TeamCity and viewers."""
    assert expected == unescape(text)


def test_blanks_in_place_of_line_ends():
    """A pipeline that folds lines leaves enough to tell them apart."""
    flat = (
        "panic: boom [signal SIGSEGV: x] goroutine 1 [running]: main.f(0x1, 0x2) "
        "/a/b.go:3 +0x1d main.main() /a/m.go:7 +0x2 fp=0x1 sp=0x2 pc=0x3 exit status 2"
    )
    assert unflatten(flat).split("\n") == [
        "panic: boom",
        "[signal SIGSEGV: x] goroutine 1 [running]:",
        "main.f(0x1, 0x2)",
        "\t/a/b.go:3 +0x1d",
        "main.main()",
        "\t/a/m.go:7 +0x2 fp=0x1 sp=0x2 pc=0x3",
        "exit status 2",
    ]


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        (f'level=error panic="no till" stack="{ESCAPED}"', "custom-panic", "no till"),
        (f'level=error err=broken stack="{ESCAPED}"', "logged-stack", "broken"),
        (
            f'level=error stack="{ESCAPED}" msg="no \\"till\\""',
            "logged-stack",
            'no "till"',
        ),
        (f'E1 a.go:1] "msg"="bad" "err"="x" "stack"="{ESCAPED}"', "logged-stack", "x"),
        (f"panicked: no till stack={ESCAPED}", "custom-panic", "no till"),
        (f"panic recovered: no till\\n{ESCAPED}", "custom-panic", "no till"),
        (f'stack="{ESCAPED}"', "logged-stack", ""),
        (f'stack="{ESCAPED}', "logged-stack", ""),
        (f'msg="a\\nb" stack="{ESCAPED}"', "logged-stack", ""),
        (f'err="\\ud800" stack="{ESCAPED}"', "logged-stack", "�"),
    ],
)
def test_what_stands_beside_a_stack(read, line, kind, message):
    """Other fields of the line say what happened."""
    panic = read(f"up\n{line}\ndown\n")
    assert (kind, message, (2, 2)) == (panic.kind, panic.message, panic.lines)
    assert len(panic.crashed.frames) == 1


@pytest.mark.parametrize("times", range(4))
def test_escaped_over_and_over(read, times):
    """Each logger on the way adds a layer."""
    text = ESCAPED
    for _ in range(times):
        text = text.replace("\\", "\\\\")
    assert len(read(f"stack={text}").crashed.frames) == 1


@pytest.mark.parametrize(
    "line",
    [
        r"C:\new\main.go:7",
        r'msg="a\nb main.go:7"',
        r"goroutine 7 [running]: and a \x in it",
        "goroutine 7 " + "\\" * 128 + "n main.go:7",
        r"goroutine 7 \u0041 main.go:7",
    ],
)
def test_lines_that_only_look_escaped(line):
    """Less than two lines of a stack come out: the text stays as it is."""
    document = Document(line)
    assert ([], document) == take_escaped(document)


def test_a_dump_behind_a_path_with_a_backslash(sample, read, frames):
    """A prefix may hold what looks like an escape."""
    text = "".join(f"C:\\new> {line}\n" for line in sample("nil").splitlines())
    assert frames(read(sample("nil"))) == frames(read(text))


def test_two_stacks_on_one_line():
    """Each quoted value is a text of its own."""
    assert len(decipher(f'a="{ESCAPED}" b="{ESCAPED}"').crashes) == 2


def test_a_line_of_very_many_stacks_ends():
    """What nobody sends is not read to its end."""
    line = " ".join(f'"{ESCAPED}"' for _ in range(1100))
    assert len(take_escaped(Document(line))[0]) == 1000


ESCAPED = r"goroutine 7 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"


@pytest.mark.parametrize(
    "beside",
    [
        'user=""',
        '"user"=""',
        'user="" panic=""',
        "user= panic=",
        'user="',
        '="" ==',
    ],
)
def test_fields_that_say_nothing(read, frames, beside):
    """An empty value beside a stack is no hint and no fault."""
    panic = read(f'level=error {beside} stack="{ESCAPED}"')
    assert frames(panic) == ["main.main /srv/shop/main.go:7"]
    assert panic.message == ""


def test_a_line_that_ends_in_half_an_escape(read, frames):
    """What opens a quoted value and never closes it takes the rest of the line."""
    panic = read(f'level=error stack="{ESCAPED}' + "\\")
    assert frames(panic) == ["main.main /srv/shop/main.go:7"]
