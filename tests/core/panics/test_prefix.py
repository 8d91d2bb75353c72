"""What stands before each line of a dump."""

import pytest

from triage.core.panics import decipher
from triage.core.panics.document import Document
from triage.core.panics.prefix import Prefixes, literal
from triage.core.panics.view import View


@pytest.mark.parametrize(
    ("prefix", "line", "rest"),
    [
        ("a | ", "a | x", "x"),
        ("a | ", "a | ", ""),
        ("a | ", "a |", ""),
        ("a | ", "a |\tx", "\tx"),
        ("a | ", "a |x", None),
        ("a | ", "b | x", None),
        (">", ">x", "x"),
        (">", "x", None),
    ],
)
def test_the_very_same_text(prefix, line, rest):
    """Editors drop blanks at the end of a line; nothing else may differ."""
    assert rest == literal(prefix)(line)


def found(lines: list[str], first: str) -> list[str | None]:
    """Strip *lines* as the view does in which the anchor `X` of *first* was found."""
    document = Document("\n".join([first, *lines]))
    column = first.index("X")
    view = Prefixes(document).view(
        (0, column, column + 1),
        lambda _: False,
        lambda view, _: view.body(1) is not None,
    )
    return [view.body(i) for i in range(1, len(lines) + 1)]


@pytest.mark.parametrize(
    ("first", "lines"),
    [
        ("09:26:53 shop | X", ["09:26:54 shop | y"]),
        ("Mar 14 09:26:53 n shop[7]: X", ["Mar 15 10:00:00 n shop[7]: y"]),
        ("2026-03-14T09:26:53.79Z X", ["2026-03-14T09:26:54.123456Z y", "2026-03-14T09:26:55Z y"]),
        ("[   12.000311] X", ["[   13.5] y"]),
        ("2026-03-14T09:26:53+01:00 X", ["2026-03-14T09:26:53+02:00 y"]),
        ("Sat 09:26 X", ["Sun 00:01 y"]),
        ("1773480413589793000 X", ["1773480413589793999 y"]),
        ("E0314 09:26:53.589793 7 a.go:1] X", ["E0315 00:00:00.1 7 a.go:1] y"]),
        ("    12\tX", ["    13\ty", "   114\ty"]),
        ("12:X", ["13:y"]),
        ("9f3c1a7e INFO X", ["7d2b8c0f WARN y"]),
    ],
)  # fmt: skip
def test_times_and_numbers_move(first, lines):
    """What differs from line to line is known for what it is."""
    assert ["y"] * len(lines) == found(lines, first)


def test_times_alone_are_tried_before_numbers():
    """Two containers differ in a number: the narrow reading keeps them apart."""
    lines = ["09:26:54 web-1 | y", "09:26:54 web-2 | z"]
    assert found(lines, "09:26:53 web-1 | X") == ["y", None]


def test_where_nothing_fits_lines_are_taken_bare():
    """A prefix that only the anchor's line has is none."""
    assert found(["main.main()"], "09:26:53 web-1 | X") == ["main.main()"]


def test_nothing_but_blanks_is_no_prefix():
    """Indentation is dropped anyway."""
    assert found(["y"], "    X") == ["y"]


def test_a_prefix_has_an_end():
    """A very long text before an anchor is another text."""
    line = "x" * 301
    assert [f"{line}y"] == found([f"{line}y"], f"{line}X")


def test_the_view_of_a_sender_is_found_again():
    """Its later anchors are in the same view, so that they go together."""
    document = Document("a | X\na | y\na | X\na | z")
    prefixes = Prefixes(document)
    views = [
        prefixes.view(
            (line, 4, 5), lambda body: body == "X", lambda view, _: view.body(1) == "y"
        )
        for line in (0, 2)
    ]
    assert views[0] is views[1]


def test_a_few_senders_are_kept_in_mind():
    """Of very many, the latest count."""
    lines = [line for n in range(20) for line in (f"s{n}x | X", f"s{n}x | y")]
    prefixes = Prefixes(Document("\n".join(lines)))
    for line in range(0, 40, 2):
        end = lines[line].index("X")
        view = prefixes.view(
            (line, end, end + 1),
            lambda body: body == "X",
            lambda v, n: v.body(n + 1) == "y",
        )
        assert view.body(line + 1) == "y"


def test_a_log_of_many_shapes_stays_cheap():
    """After many patterns, only the very same text is looked for."""
    text = "".join(
        f"{'abcdefgh'[n % 8] * (n + 1)}{n}! goroutine 1 [running]:\n"
        for n in range(100)
    )
    assert decipher(text).crashes == ()


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        ("│", "main.main()   │", "main.main()"),
        ("│", "main.main()", "main.main()"),
        ('\\n" +', 'main.main()\\n" +', "main.main()"),
        ('\\n" +', 'main.main()\\n"', "main.main()"),
        ('",', '\\t/srv/\\"a\\".go:7",', '/srv/"a".go:7'),
        ('",', '\\t/srv/a.go:7"', "/srv/a.go:7"),
    ],
)
def test_what_closes_each_line(suffix, text, expected):
    """Borders and the quotes of source literals are taken off."""
    assert expected == View(Document(text), None, suffix).body(0)


DIGITS = ("1" * 160, "2" * 160, "3" * 160)


def test_a_prefix_of_digits_alone():
    """However long, it is gone through once a line."""
    assert found([f"{DIGITS[1]}a", f"{DIGITS[2]}\tb"], f"{DIGITS[0]}X") == ["a", "b"]


@pytest.mark.parametrize(
    ("first", "lines", "expected"),
    [
        ("12345678901234567890 X", ["92345678901234567891 a"], ["a"]),
        ("1.2.3 X", ["4.5.3 a"], ["a"]),
        ("5\u0661\u0662 X", ["5\u0663\u0664 a"], ["a"]),
        ("id=9f8e7d6c5 18:29:17 X", ["id=0a1b2c3d4 18:29:18 a"], ["a"]),
        ("Jan  1 18:29:17 X", ["Feb 12 18:29:18 a"], ["a"]),
        ("18:29:17\u2003\u2003 X", ["18:29:18\u2003 a"], ["a"]),
    ],
)
def test_moving_parts_that_touch(first, lines, expected):
    """Two that take the same characters are one; none takes what the next begins with."""
    assert found(lines, first) == expected
