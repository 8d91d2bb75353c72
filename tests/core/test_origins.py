import pytest

from triage.core.model import Frame
from triage.core.modules import build_layout, import_path
from triage.core.origins import build_roots, learn_root
from triage.core.paths import BuildRoot

SERVICES = build_layout(
    [
        "services/api/go.mod",
        "services/api/main.go",
        "services/api/handlers/user.go",
        "lib/x.go",
    ],
    {"services/api/go.mod": b"module example.com/api"},
)
GOPATH = build_layout(
    [
        "client.go",
        "mvcc/store.go",
        "mvcc/backend/b.go",
        "vendor/example.org/cli/app.go",
    ],
    {},
)


def test_build_root():
    """A frame with an import path gives away where its module was built."""
    frames = [
        Frame("example.com/api/handlers.(*H).User", "/app/handlers/user.go", 3),
        Frame("main.main", "/app/main.go", 9),
    ]
    assert build_roots(frames, SERVICES) == (BuildRoot("app", "services/api"),)


def test_build_root_of_the_repository():
    """Where the whole path agrees, the repository's root was built."""
    file = "/src/acme/services/api/handlers/user.go"
    frames = [Frame("example.com/api/handlers.User", file, 3)]
    assert build_roots(frames, SERVICES) == (BuildRoot("src/acme", ""),)


def test_inner_build_root_comes_first():
    """Of two build directories the deeper one is tried first."""
    frames = [
        Frame("example.com/api/handlers.User", "/app/handlers/user.go", 3),
        Frame("example.com/api/handlers.User", "/app/x/y/user.go", 3),
    ]
    assert [root.built for root in build_roots(frames, SERVICES)] == ["app/x/y", "app"]


def test_frames_that_say_nothing():
    """Foreign, nameless, pathless, inlined and broken frames teach nothing."""
    frames = [
        Frame("example.org/dep.F", "/go/pkg/mod/example.org/dep@v1.0.0/dep.go", 1),
        Frame("main.main", "/app/main.go", 9),
        Frame("example.com/api/handlers.User"),
        Frame("example.com/api/handlers.Outer.(*H).User.func1", "/o/user.go", 1),
        Frame("example.com/api/handlers.User", "../user.go", 1),
        Frame("example.com/api/handlers.User", "handlers/user.go", 1),
        Frame("example.com/api/handlers.User", "/app/handlers/generated.go", 1),
    ]
    assert build_roots(frames, SERVICES) == ()


def test_root_from_frames():
    """The import path of the root is what own frames have in front of a directory."""
    frames = [
        Frame("github.com/acme/db/mvcc.(*Store).Put", "/go/src/x/mvcc/store.go", 1),
        Frame("github.com/acme/db.(*Client).Do", "/go/src/x/client.go", 1),
        Frame("github.com/other/thing.Do", "/go/src/y/client.go", 1),
        Frame("example.org/cli.(*App).Run", "/go/src/z/app.go", 1),
        Frame("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", 1),
    ]
    assert import_path("mvcc", learn_root(GOPATH, frames)) == "github.com/acme/db/mvcc"


def test_copies_teach_no_root():
    """Of a vendored or cached file nobody knows whether it is the repository's."""
    frames = [
        Frame(
            "github.com/acme/db/mvcc.F", "/x/vendor/github.com/acme/db/mvcc/store.go"
        ),
        Frame("x.org/a/vendor/github.com/acme/db/mvcc.F", "/x/mvcc/store.go", 1),
        Frame(
            "github.com/acme/db/mvcc.F", "/m/github.com/acme/db@v1.0.0/mvcc/store.go"
        ),
    ]
    assert learn_root(GOPATH, frames) is GOPATH


def test_build_root_of_a_program():
    """Several files of one directory, of package main, are found in one alone here."""
    layout = build_layout(
        ["main.go", "store.go", "tool/main.go", "tool/run.go"], {"go.mod": b"module x"}
    )
    frames = [
        Frame("main.(*server).put", "/build/src/store.go", 7),
        Frame("main.main", "/build/src/main.go", 5),
    ]
    assert build_roots(frames, layout) == (BuildRoot("build/src", ""),)


@pytest.mark.parametrize(
    "files",
    [
        ["/build/main.go"],
        ["/build/main.go", "/build/main.go"],
        ["/build/main.go", "/build/gone.go"],
        ["/build/main.go", "/built/store.go"],
        ["/build/main.go", "/build/flags.go"],
        ["main.go", "store.go"],
        ["/m/x.org/y@v1.0.0/main.go", "/m/x.org/y@v1.0.0/store.go"],
    ],
)
def test_a_program_that_gives_nothing_away(files):
    """One name, a missing one, several places, a relative path or a copy prove nothing."""
    layout = build_layout(
        ["main.go", "store.go", "flags.go", "tool/main.go", "tool/flags.go"], {}
    )
    assert build_roots([Frame("main.F", file, 1) for file in files], layout) == ()


def test_nothing_to_learn():
    """With a go.mod, or without any hint, the layout stays as it is."""
    frames = [Frame("github.com/acme/db/lib.F", "/x/lib/x.go", 1)]
    assert learn_root(SERVICES, frames) is SERVICES
    cli = [Frame("example.org/cli.(*App).Run", "/go/src/z/app.go", 1)]
    assert learn_root(GOPATH, cli) is GOPATH
