"""What to look at before a trace's frames can be placed."""

import pytest

from triage.core.atlas import Atlas, explored, whole
from triage.core.model import Frame, Goroutine, Panic, Telemetry
from triage.core.whereabouts import Wanted, forms, wanted, wanted_for_imports

SHOP = b"module github.com/acme/shop\n"
LIST = Wanted()


def crash(*frames: tuple[str, str]) -> tuple[Panic, ...]:
    """Make a panic whose goroutine has these functions and files."""
    stack = tuple(Frame(function, file, 7) for function, file in frames)
    goroutine = Goroutine(1, "running", stack)
    return (Panic("nil-deref", "", goroutine, 1, (1, 9)),)


def trace(root_dir: str | None = None) -> Telemetry:
    """Make telemetry that has a trace; its text is read elsewhere."""
    return Telemetry(repo="acme/shop", trace="", root_dir=root_dir)


def place(file: str, root_dir: str | None = None) -> Telemetry:
    """Make telemetry of a file and a line."""
    return Telemetry(repo="acme/shop", file=file, line=7, root_dir=root_dir)


def seen(*looked: str, modules: dict[str, bytes] | None = None, **files: str) -> Atlas:
    """Make an atlas: directories that were looked at, `a__b="x.go y.go"` in them."""
    found = {name.replace("__", "/"): text.split() for name, text in files.items()}
    if "root" in found:
        found[""] = found.pop("root")
    return explored(Atlas(), found, modules or {}, looked=(*looked, *found))


@pytest.mark.parametrize(
    ("function", "file", "directories"),
    [
        (
            "github.com/acme/shop/internal/cart.(*Cart).Add",
            "/app/internal/cart/cart.go",
            ["internal/cart", "cart"],
        ),
        (
            "github.com/acme/shop/internal/cart.(*Cart).Add",
            "github.com/acme/shop/internal/cart/cart.go",
            ["internal/cart", "cart"],
        ),
        ("github.com/acme/shop.Run", "/app/run.go", [""]),
        ("github.com/acme/shop/v2.Run", "/src/shop/run.go", [""]),
        ("github.com/acme/shop_test.TestRun", "/src/shop/run_test.go", [""]),
        ("main.main", "/app/cmd/web/main.go", ["app/cmd/web", "cmd/web", "web", ""]),
        ("main.main", "example.com/shop/cmd/web/main.go", None),
        ("example.com/x/odd.F", "/build/elsewhere/f.go", ["build/elsewhere", None]),
    ],
)
def test_a_frame_names_the_directories_it_may_lie_in(function, file, directories):
    """The ends of the file's path are tried, those that the import path shares."""
    step = wanted(trace(), crash((function, file)), Atlas())
    assert step is not None
    if directories is None:
        directories = ["example.com/shop/cmd/web", "cmd/web", "web", ""]
    if None in directories:
        directories = ["build/elsewhere", "elsewhere", ""]
    assert list(step.directories) == directories
