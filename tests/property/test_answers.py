"""What must hold of every answer, on programs that nobody would write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.programs import Program, frame
from tests.core.tables import Sketch, sketch
from triage.core.model import Result

few = settings(max_examples=40)
CUT = re.compile(r"/\* \.\.\. (?:\d+ characters cut )?\*/")
"""What stands for the part of a line for which there was no room."""


@dataclass(frozen=True)
class Made:
    """A program, and the sources that it was made of."""

    program: Program
    sources: Mapping[str, str]


@st.composite
def types(draw: st.DrawFn, count: int) -> str:
    """Write types whose fields hold each other, in circles too."""
    out = []
    for number in range(count):
        lines = []
        for slot in range(draw(st.integers(0, 4))):
            other = draw(st.integers(0, count - 1))
            wrap = draw(st.sampled_from(["", "*", "[]"]))
            lines.append(f"\tF{slot} {wrap}T{other} //: field {wrap}T{other}")
        body = "\n".join(lines)
        doc = "// T is described here.\n" * draw(st.integers(0, 3))
        out.append(f"{doc}type T{number} struct {{\n\tName string\n{body}\n}}\n")
    return "\n".join(out)


@st.composite
def function(draw: st.DrawFn, name: str, count: int, *, crash: bool) -> str:
    """Write a function that uses, builds and changes some of the types."""
    some = st.integers(0, count - 1)
    facts = st.one_of(
        some.map(lambda n: f"use T{n} type"),
        some.map(lambda n: f"use make{n} call"),
        some.map(lambda n: f"literal T{n} {{Name}}"),
        some.map(lambda n: f"access T{n}.Name assign"),
        some.map(lambda n: f"use limit{n} read"),
    )
    lines = []
    marked = draw(st.integers(0, 9))
    for number in range(10):
        told = draw(st.lists(facts, max_size=2))
        if crash and number == marked:
            owner = draw(some)
            told += ["mark crash", f"fault nil-deref `x.Name`: field T{owner}.Name:T0"]
        step = "step()" + " // and more" * draw(st.integers(0, 8))
        comment = f" //: {'; '.join(told)}" if told else ""
        lines.append(f"\t{step}{comment}")
    owner = draw(some)
    receiver = f"(t *T{owner}) " if draw(st.booleans()) else ""
    body = "\n".join(lines)
    return f"func {receiver}{name}() {{\n{body}\n}}\n"


@st.composite
def programs(draw: st.DrawFn) -> Made:
    """Make a program of one package in two files, with frames in it or without."""
    count = draw(st.integers(1, 6))
    makers = "\n".join(
        f"func make{n}() *T{n} {{ return &T{n}{{}} }} //: result 0 *T{n}\n"
        for n in range(count)
    )
    values = "\n".join(f"var limit{n}, more{n} = {n}, 2\n" for n in range(count))
    others = [draw(function(f"other{n}", count, crash=False)) for n in range(3)]
    crash = draw(function("Crash", count, crash=True))
    sources = {
        "a.go": f"package shop\n\n{draw(types(count))}\n{makers}\n{values}",
        "b.go": f"package shop\n\n{crash}\n" + "\n".join(others),
    }
    shop = sketch(sources)
    trace = (frame(shop, 1, "example.com/app/shop.Crash", "crash"),)
    frames = trace if draw(st.booleans()) else ()
    depth = draw(st.integers(0, 3))
    return Made(Program((shop,), frames, kind="nil-deref", depth=depth), sources)


def keys(result: Result) -> set[tuple[str, str | None]]:
    """Return what tells the symbols of an answer apart."""
    return {(symbol.name, symbol.receiver) for symbol in result.symbols}


@few
@given(programs(), st.integers(100, 3000), st.lists(st.text(max_size=400)))
def test_budget_holds(made, max_tokens, warnings):
    """A text is never over its budget, whatever there is to warn of."""
    result = made.program.answer(max_tokens, warnings=warnings)
    assert len(result.context) <= max_tokens * 3.5
    assert result.stats.context_tokens <= max_tokens


@few
@given(programs(), st.integers(0, 3000))
def test_every_text_is_in_the_context(made, max_tokens):
    """Each symbol's text stands in the context as it is."""
    result = made.program.answer(max_tokens)
    assert [s.name for s in result.symbols if s.text not in result.context] == []


@few
@given(programs(), st.integers(0, 3000))
def test_shown_lines_are_source_or_notes(made, max_tokens):
    """A symbol shows lines of its file, or says which lines it leaves out."""
    result = made.program.answer(max_tokens)
    files = {
        f"shop/{file.name}": set(file.data.decode().split("\n"))
        for file in made.program.crashed.package.files
    }
    for symbol in result.symbols:
        lines = [
            line
            for line in symbol.text.split("\n")
            if not line.lstrip("\t").startswith("// ...")
        ]
        if symbol.elided:
            lines = lines[1:]  # a signature's last line ends before the body
        for line in lines:
            parts = [part.strip(" ") for part in CUT.split(line)]
            assert any(all(part in one for part in parts) for one in files[symbol.file])
            assert len(parts) > 1 or line in files[symbol.file]


@few
@given(programs(), st.integers(0, 3000))
def test_same_bytes(made, max_tokens):
    """The same program gives the same bytes, whatever the order of its files."""
    want = made.program.answer(max_tokens).to_json()
    again = sketch(made.sources)
    turned = replace(again.package, files=again.package.files[::-1])
    shop = Sketch(turned, again.json, again.rows, again.marks, again.import_path)
    for other in (again, shop):
        program = replace(made.program, packages=(other,))
        assert want == program.answer(max_tokens).to_json()


@few
@given(programs())
def test_depth_only_adds(made):
    """What is found at one depth is found at the next."""
    deeper = replace(made.program, depth=made.program.depth + 1)
    assert keys(made.program.answer()) <= keys(deeper.answer())


@few
@given(programs(), st.integers(0, 3000))
def test_nothing_is_lost(made, max_tokens):
    """What is found is shown or told to be left out, however little room there is."""
    fitted = made.program.fitted(max_tokens)
    whole = made.program.fitted()
    assert whole.left_out == ()
    shown = {shown.pick.key for shown in fitted.shown}
    left = {pick.key for pick in fitted.left_out}
    assert shown | left == {shown.pick.key for shown in whole.shown}
    assert not shown & left
