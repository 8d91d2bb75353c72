"""A crash whose file the repository does not have."""

import pytest

import triage
from triage.errors import FileMissing

MAIN = """\
package main

func main() {
	s := newServer()
	s.put("a")
}
"""
TRACE = """\
panic: assignment to entry in nil map

goroutine 1 [running]:
main.(*server).put(...)
	/build/src/store.go:17
main.main()
	/build/src/main.go:5 +0x1d
exit status 2
"""


async def test_the_caller_is_no_answer(tmp_path):
    """Where the crash file is not there, that is said; its caller did not crash."""
    (tmp_path / "go.mod").write_text("module example.com/stale\n")
    (tmp_path / "main.go").write_text(MAIN)
    settings = triage.Settings(data_dir=tmp_path / "data")
    async with triage.open_engine(settings) as engine:
        with pytest.raises(FileMissing, match=r"store\.go"):
            await engine.context(triage.Telemetry(repo=str(tmp_path), trace=TRACE))
