"""Text of others made safe to show."""

import json

import pytest

from triage.core.printed import shown
from triage.core.render import for_terminal, json_for_terminal
from triage.core.visible import escaped, is_plain, printable, replaced
from triage.sources.limits import is_plain as is_plain_name

UNSEEN = [
    *map(chr, [*range(0x20), *range(0x7F, 0xA0)]),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e",
    *"\u2066\u2067\u2068\u2069",
    "\ud800",
    "\udfff",
]


@pytest.mark.parametrize("character", UNSEEN)
def test_unseen_characters_are_shown_by_nobody(character):
    """Whoever shows text of others knows the same characters, however it treats them."""
    text = f"a{character}b"
    assert not is_plain(text)
    assert not is_plain_name(text)
    assert replaced(text, "?") == "a?b"
    assert printable(text) == "a b"
    assert shown(text) == "`a\ufffdb`"
    assert escaped(text).startswith("a\\")
    assert escaped(text).isascii()
    kept = character in "\t\n"
    assert for_terminal(text) == (text if kept else escaped(text))


@pytest.mark.parametrize(
    "text", ["", "plain text", "caf\u00e9 \u65e5\u672c \U0001f600"]
)
def test_plain_text_stays(text):
    """Words of any script are left as they are."""
    assert is_plain(text)
    assert (replaced(text, "?"), escaped(text)) == (text, text)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("\x1b[31m\x00\x9b", "\\x1b[31m\\x00\\x9b"),
        ("\t\r\n", "\\t\\r\\n"),
        ("\u202ea\ud83d", "\\u202ea\\ud83d"),
    ],
)
def test_escapes_are_those_of_source(text, want):
    """What cannot be seen is written as Go or Python would write it in a string."""
    assert escaped(text) == want


def test_line_ends_are_kept_in_lines():
    """In a text of several lines only a lone carriage return is written out."""
    assert escaped("a\tb\r\nc\rd\n", lines=True) == "a\tb\r\nc\\rd\n"


def test_a_run_is_replaced_once():
    """Several characters in a row that cannot be seen count as one."""
    assert replaced("a\x1b\u202e\nb\x00", " ") == "a b "


def test_name_that_was_no_utf8():
    """A file's name in which bytes were lost cannot be sent, though it can be shown."""
    assert is_plain("a\ufffd.go")
    assert not is_plain_name("a\ufffd.go")


@pytest.mark.parametrize(
    ("raw", "want"),
    [
        ("plain text", "plain text"),
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
        (" a\r\n\tb\x00\x7f\x9fc ", "a b c"),
        ("a\u2028b\u2029c", "a b c"),
        ("a\u202eb\u2066c", "a b c"),
        ("a\u200fb\u200ec\u061cd", "a b c d"),
        ("a\ud83db", "a b"),
    ],
)
def test_printable(raw, want):
    """Control and direction characters become a space, as does half a character."""
    assert want == printable(raw)


def test_json_stays_json_on_a_terminal():
    """What a terminal would obey is written as JSON writes it."""
    text = '{"a":"b\x9b\x7fc\u202e"}\n'
    shown = json_for_terminal(text)
    assert shown == '{"a":"b\\u009b\\u007fc\\u202e"}\n'
    assert json.loads(shown) == json.loads(text)
