"""Secrets of many kinds, wherever they stand; and what is none."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.answers import RESULT
from tests.core.ci.findings import SYMBOL
from tests.core.masking.secrets import VALUES, hidden
from triage.core.masking import mask, masked_result
from triage.core.model import ShownPanic


def literal(value: str) -> str:
    """Write a value as an interpreted string of Go."""
    plain = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'package p\n\nvar v = f("{plain}", 7)\n'


PLACES = {
    "message": (False, "connect: {} refused"),
    "log lines": (False, "level=info\nmsg {}\nlevel=error"),
    "raw string": (True, "package p\n\nvar v = `{}`\n"),
    "line comment": (True, "// see {}\nfunc f() {{}}\n"),
    "block comment": (True, "/* see\n{}\n*/\nfunc f() {{}}\n"),
    "argument": (True, "func f() {{\n\tg(`a`, `{}`)\n}}\n"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", VALUES)
def test_every_kind_in_every_place(name, place):
    """Nothing of it is left, its line is told, and no line moves."""
    source, form = PLACES[place]
    value = VALUES[name]
    if place == "line comment":
        value = value.replace("\n", "\\n")
    text = form.format(value)
    masked = mask(text, source=source)
    for part in hidden(name):
        assert part not in masked.text
    assert masked.text.count("\n") == text.count("\n")
    assert masked.found
    lines = masked.text.split("\n")
    assert all("[masked: " in lines[one.line - 1] for one in masked.found)


@pytest.mark.parametrize("name", VALUES)
def test_every_kind_in_an_interpreted_string(name):
    """What is escaped there is masked too, and the code around it stays."""
    masked = mask(literal(VALUES[name]), source=True).text
    for part in hidden(name):
        assert part not in masked
    assert masked.startswith('package p\n\nvar v = f("')
    assert masked.endswith('", 7)\n')


@pytest.mark.parametrize(
    "line",
    [
        'password := "hunter2pw"',
        'cfg.APIKey = "zz9plural"',
        'const dbPassword = "hunter2pw"',
        "\tClientSecret: `zz9plural`,",
        'os.Setenv("API_TOKEN", "zz9pluralzz9plural")',
    ],
)
def test_a_literal_that_is_given_to_something_secret(line):
    """The name tells what the literal is."""
    masked = mask(line, source=True).text
    assert "[masked: " in masked or "Setenv" in line
    assert masked.partition('"')[0] == line.partition('"')[0] or "`" in line


@pytest.mark.parametrize(
    "source",
    [
        "func password(token string) (secret string) { return token + secret }\n",
        'var errToken = errors.New("the token is missing")\n',
        'flag.String("password", "", "the password of the user")\n',
        'fmt.Sprintf("token=%s password=%q", token, password)\n',
        'const header = "Authorization"\n',
        'req.Header.Set("Authorization", "Bearer "+token)\n',
        "type APIKeyAuthenticationTokenProviderConfiguration struct{ key string }\n",
        "x := a.b.c.d(e[f].g, h.i[j:k]) // see https://go.dev/issue/12345\n",
        'u := "http://localhost:8080/" + path\n',
        'u := "https://example.com/a?b=c&d=e"\n',
    ],
)
def test_what_is_none(source):
    """Names, types, structure, and words about secrets stay as they are."""
    assert mask(source, source=True).text == source


def test_code_is_not_touched():
    """What would be one in a text is an expression in code."""
    source = "url := scheme://user:hunter2@host\npassword=abc123456\n"
    assert mask(source, source=True).text == source
    assert mask(source).text != source


def test_ordinary_go():
    """Of the standard library's lines at most one in a hundred is touched."""
    go = Path(sys.executable).with_name("go")
    root = subprocess.check_output([go, "env", "GOROOT"], text=True).strip()
    files = [
        path
        for path in sorted(Path(root, "src").rglob("*.go"))
        if not {"testdata", "vendor", "cmd"} & set(path.parts)
    ][::60]
    assert len(files) >= 50
    lines = touched = 0
    for path in files:
        text = path.read_text("utf-8", "replace")
        masked = mask(text, source=True).text
        pairs = list(zip(text.split("\n"), masked.split("\n"), strict=True))
        lines += len(pairs)
        touched += sum(old != new for old, new in pairs)
    assert touched * 100 <= lines


TEXTS = (
    st.lists(
        st.sampled_from(
            [*VALUES.values(), "\n", '"', "`", "//", "/*", "*/", " ", "x := f()"]
        )
    ).map("".join)
    | st.text()
)


@given(TEXTS, st.booleans())
def test_lines_stay_and_once_is_enough(text, source):
    """No line moves; what is masked is not masked again."""
    once = mask(text, source=source)
    assert once.text.count("\n") == text.count("\n")
    again = mask(once.text, source=source)
    assert again.text == once.text


def test_an_answer_is_masked_as_a_whole():
    """Every text of it; names, places and the code's structure stay."""
    key = VALUES["GitHub token"]
    text = f'func F() {{\n\tcall("{key}")\n}}'
    message = f"call with {key} failed\nmore"
    result = replace(
        RESULT,
        panic=ShownPanic("custom-panic", message, ()),
        symbols=(replace(SYMBOL, text=text),),
        context=f"// Panic: b.go:3: call with {key} failed\n{text}\n",
        warnings=(f"careful with {key}",),
        crash=replace(RESULT.crash, expressions=(f'call("{key}")',)),
    )
    masked, found = masked_result(result)
    assert key.encode() not in masked.to_json()
    assert masked.symbols[0].text in masked.context
    assert masked.context.count("\n") == result.context.count("\n")
    assert [(one.line, one.kind) for one in found] == [
        (1, "GitHub Token"),
        (3, "GitHub Token"),
    ]
    assert masked.symbols[0].text == 'func F() {\n\tcall("[masked: GitHub Token]")\n}'


def test_an_answer_without_secrets_stays():
    """Nothing of it is changed, and nothing told."""
    assert masked_result(RESULT) == (RESULT, ())
