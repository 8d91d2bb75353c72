"""Sources that nobody wrote by hand: the answer keeps to its budget all the same."""

import pytest

import triage

LONG = "x" * 1_000_000
CHAIN = ".next" * 30_000
TYPE = "type N struct {\n\tnext *N\n\tlast int\n}\n"
BODY = {
    "crash line": ("\tx := boom(nil, `{LONG}`)\n", "boom(nil, "),
    "end of a chain": ("\tprintln(a{CHAIN}.last)\n", ".next.last"),
    "callee": ("\tg{LONG}()\n}}\n\nfunc g{LONG}() {{\n", "crash(a *N) {\n\tg"),
    "string in lines": ("\tprintln(`{LONG}\n{LONG}`)\n", "crash(a *N) {\n\tprintln"),
    "comment": ("\tpanic(1) // {LONG}\n", "panic(1) // x"),
}
HEADS = {
    "signature": (f"package p\n\nfunc crash(a, {LONG} int) {{\n\tpanic(1)\n}}\n", 4),
    "function": (f"package p\n\nfunc {LONG}() {{\n\tpanic(1)\n}}\n", 4),
    "package": (f"package {LONG}\n\ntype T int\n\nfunc f(t T) {{\n\tpanic(t)\n}}\n", 6),
    "one line": (f"package p; func f() {{ panic(1); println(`{LONG}`) }}\n", 1),
    "receiver": (f"package p\n\ntype {LONG} int\n\nfunc ({LONG}) f() {{ f() }}\n", 5),
    "syntax error": (f"package p\n\nfunc f() {{\n\tpanic(1)\n}}\n\n{LONG} {LONG}\n", 4),
    "name of a field": (
        f"package p\n\ntype (\n\tT struct {{\n\t\t{LONG} int\n"
        + "\t\tb int // b\n" * 90
        + "\t}\n)\n\nfunc f(t T) {\n\tpanic(t.b)\n}\n",
        99,
    ),
    "names that are aligned": (
        f"package p\n\ntype (\n\tT struct {{\n\t\t{'x' * 1500} int\n"
        + "".join(f"\t\tb{number} int\n" for number in range(90))
        + "\t}\n)\n\nfunc f(t T) {\n\tpanic(t.b1)\n}\n",
        99,
    ),
}


@pytest.fixture
async def explain(repo, tmp_path):
    """Explain a line of a file of the given text."""
    settings = triage.Settings(data_dir=tmp_path / "data", no_cache=True)
    async with triage.open_engine(settings) as engine:

        async def ask(text: str, line: int, max_tokens: int) -> triage.Result:
            repo.write({"go.mod": "module m\n\ngo 1.27\n", "p/p.go": text})
            where = triage.Telemetry(
                repo=str(repo.path), file="p/p.go", line=line, max_tokens=max_tokens
            )
            return await engine.context(where)

        yield ask


@pytest.mark.parametrize("max_tokens", [100, 300, 3000])
@pytest.mark.parametrize(("body", "want"), BODY.values(), ids=BODY)
async def test_long_body(explain, body, want, max_tokens):
    """A line without end is cut, what matters on it is shown, and the cut is told."""
    text = body.format(LONG=LONG, CHAIN=CHAIN)
    result = await explain(
        f"package p\n\nfunc crash(a *N) {{\n{text}}}\n\n{TYPE}", 4, max_tokens
    )
    assert len(result.context) <= max_tokens * 3.5
    assert "/* ... " in result.context
    assert max_tokens < 300 or want in result.context


@pytest.mark.parametrize("max_tokens", [100, 300, 3000])
@pytest.mark.parametrize(("text", "line"), HEADS.values(), ids=HEADS)
async def test_long_heads(explain, text, line, max_tokens):
    """No name and no error makes an answer longer than its budget."""
    result = await explain(text, line, max_tokens)
    assert len(result.context) <= max_tokens * 3.5
    assert result.stats.context_tokens <= max_tokens
    assert all(len(warning) <= 300 for warning in result.warnings)


async def test_many_warnings(explain, repo):
    """Links that lead out, as many as there may be, take their share and no more."""
    (repo.path / "p").mkdir()
    for number in range(1500):
        (repo.path / f"p/link{number}.go").symlink_to("/outside.go")
    text = "package p\n\nfunc f() {\n\tpanic(1)\n}\n"
    result = await explain(text, 4, 3000)
    assert len(result.context) <= 3000 * 3.5
    assert "more warnings\n" in result.context
    assert "panic(1)" in result.context
