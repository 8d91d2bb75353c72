"""A crash below a test: what the test made is shown, other tests stay out."""

import pytest

import triage
from tests.gitrepo import GitRepo

FILES = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "h/user.go": """\
package h

type H struct{ m map[string]int }

func (h *H) Put(k string) {
	h.m[k] = 1
}
""",
    "h/user_test.go": """\
package h

import "testing"

func TestPut(t *testing.T) {
	h := fixture(t)
	h.Put("a")
}

func TestOther(t *testing.T) { other(t).Put("b") }
""",
    "h/fixture_test.go": """\
package h

import "testing"

func fixture(t *testing.T) *H {
	t.Helper()
	return &H{}
}

func other(t *testing.T) *H { return &H{} }
""",
    "h/ext_test.go": """\
package h_test

import (
	"testing"

	"example.com/shop/h"
)

func TestExt(t *testing.T) {
	u := outer(t)
	u.Put("a")
}

func outer(t *testing.T) *h.H { return &h.H{} }
""",
    "svc/svc_test.go": """\
package svc

import (
	"testing"

	"example.com/shop/h"
)

func TestSvc(t *testing.T) {
	u := made()
	u.Put("a")
}

func made() *h.H { return &h.H{} }
""",
}
TRACE = """\
panic: assignment to entry in nil map

goroutine 7 [running]:
example.com/shop/h.(*H).Put(...)
	/build/h/user.go:6
example.com/shop/{called}(0xc0000b)
	/build/{where} +0x1d
testing.tRunner(0xc00, 0x123)
	/usr/local/go/src/testing/testing.go:1595 +0xff
"""


@pytest.mark.parametrize(
    ("called", "where", "shown"),
    [
        ("h.TestPut", "h/user_test.go:7", ["TestPut", "fixture"]),
        ("h_test.TestExt", "h/ext_test.go:11", ["TestExt", "outer"]),
        ("svc.TestSvc", "svc/svc_test.go:11", ["TestSvc"]),
    ],
)
async def test_what_a_test_of_the_trace_made(tmp_path, called, where, shown):
    """The frame in the test resolves, and what it names of the crash's package too."""
    root = tmp_path / "root"
    root.mkdir()
    GitRepo(root).write(FILES)
    settings = triage.Settings(data_dir=tmp_path / "data")
    trace = TRACE.format(called=called, where=where)
    async with triage.open_engine(settings) as engine:
        result = await engine.context(triage.Telemetry(repo=str(root), trace=trace))
    assert sorted(symbol.name for symbol in result.symbols) == ["H", "Put", *shown]
    assert result.warnings == ()
