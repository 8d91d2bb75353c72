"""An answer, for tests of what is done with one."""

from triage.core.model import Crash, CrashPackage, Result, ShownPanic, Stats

RESULT = Result(
    panic=ShownPanic(None, None, ()),
    crash=Crash("r", "c", "a/b.go", "b.go", 3, "F", 1, 5, ("x",)),
    package=CrashPackage("a", "a", "x.org/a"),
    symbols=(),
    fingerprint="f" * 64,
    context="// text\n",
    stats=Stats(1, 2, 3, 4, 5, 0.5),
    served_from="github",
    warnings=("careful",),
)
