"""What is asked of the commits behind a context, and how it reads."""

from tests.core.tables import sketch
from triage.core import notes
from triage.core.budget import Fitted
from triage.core.forms import full_form
from triage.core.history import Look, joined, looks
from triage.core.model import Change
from triage.core.picks import SECTION_OF_KIND, Near, Pick
from triage.core.site import CrashSite

SHOP = sketch(
    "package shop\n\nfunc Run() {\n\tstep()\n}\n\nfunc Set() {\n\tset()\n}\n\n"
    "type T struct{}\n\nfunc Other() {}\n"
)


def shown(name: str, near: Near, lines: tuple[int, ...] = ()):
    """Show a declaration of the shop."""
    decl = SHOP.decl(name)
    section = SECTION_OF_KIND[decl.kind]
    return full_form(Pick(SHOP.view, decl, section, near, "why", lines=lines))


def change(name: str, date: str = "2026-01-01", subject: str = "why") -> Change:
    """Make a commit."""
    return Change(name * 40, date, "Tess", subject)


def test_what_is_asked():
    """The crash line, the lines of writers, and all that is shown and linked."""
    site = CrashSite(SHOP.view, SHOP.decl("Run"), 4, None, (), 2)
    fitted = Fitted(
        (
            shown("Run", Near.CRASH),
            shown("Set", Near.WRITER, (8,)),
            shown("T", Near.RECEIVER),
            shown("Other", Near.RELATED),
        ),
        (),
    )
    file = "shop/shop.go"
    assert looks(site, fitted) == (
        Look(file, 4, 4, "last changed the crash line", last=True),
        Look(file, 8, 8, "last changed Set:8", last=True),
        Look(file, 3, 5, "changed Run", last=False),
        Look(file, 7, 9, "changed Set", last=False),
        Look(file, 11, 11, "changed T", last=False),
    )


def test_commits_are_joined():
    """Each comes once with all it did: those that were last first, then the newest."""
    last, span = (Look("f", 1, 1, says, says == "last") for says in ("last", "span"))
    old, new, newer = (
        change("a", "2026-01-01"),
        change("b", "2026-02-01"),
        change("c", "2026-03-01"),
    )
    found = joined([(span, [new, newer]), (last, [old]), (span, [old])])
    assert [(one.commit[0], one.did) for one in found] == [
        ("a", ("last", "span")),
        ("c", ("span",)),
        ("b", ("span",)),
    ]


def test_lines_have_their_room():
    """As many are told as their part of the budget holds, each cut to a line."""
    changes = [change(name, subject="long " * 100) for name in "abcdef"]
    told = notes.history(changes, 4_000)
    assert 1 < len(told) < 6
    assert notes.size(told) <= notes.history_room(4_000)
    assert all(len(line) < 300 for line in told)
    assert notes.history(changes, 100) == []


def test_a_hostile_subject():
    """Control characters and line ends do not come through."""
    (line,) = notes.history([change("a", subject="x\x1b[31m\ny")], 10_000)
    assert line.startswith("History: aaaaaaaaaaaa 2026-01-01 Tess: x")
    assert line.isprintable()
