"""What a text says besides its crash."""

import pytest

from triage.core.model import Frame
from triage.core.panics.details import revision, versions

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    "text",
    [
        f"build\tvcs.revision={SHA}\n",
        f'"vcs.revision": "{SHA}"',
        f'{{"Key": "vcs.revision", "Value": "{SHA}"}}',
        f"vcs_revision={SHA}",
        f"vcs.revision {SHA}",
    ],
)
def test_the_commit_of_build_information(text):
    """As `go version -m`, debug.BuildInfo and loggers print it."""
    assert revision(text) == SHA


@pytest.mark.parametrize("text", ["vcs.time=2026-03-14", "vcs.revision=unknown", ""])
def test_no_commit(text):
    """Other settings name none."""
    assert revision(text) is None


def test_versions_of_modules():
    """Paths in the module cache and trimmed ones name module and version."""
    files = [
        "/home/ada/go/pkg/mod/github.com/!azure/lib@v1.2.3/a.go",
        "/home/ada/go/pkg/mod/github.com/!azure/lib@v1.2.3/b.go",
        "golang.org/x/sys@v0.0.0-20200116001909-b77594299b42/unix/z.go",
        "D:\\go\\pkg\\mod\\example.test\\x\\v2@v2.0.0-rc.1+incompatible\\x.go",
        "/srv/shop/main.go",
        "/srv/@v/main.go",
        None,
    ]
    assert versions([Frame("f", file, 1) for file in files]) == (
        ("github.com/Azure/lib", "v1.2.3"),
        ("golang.org/x/sys", "v0.0.0-20200116001909-b77594299b42"),
        ("example.test/x/v2", "v2.0.0-rc.1+incompatible"),
    )


@pytest.mark.parametrize(
    ("before", "file", "expected"),
    [
        (
            "go version go1.22.2 linux/amd64\n",
            "main.go",
            ("go1.22.2", "linux", "amd64"),
        ),
        ("(go1.12.1 darwin-arm64)\n", "main.go", ("go1.12.1", "darwin", "arm64")),
        ('GOARCH="arm64"\nGOOS="freebsd"\n', "main.go", (None, "freebsd", "arm64")),
        ("go1.27rc1\n", "main.go", ("go1.27rc1", None, None)),
        ("", "/usr/local/go/src/runtime/asm_arm64.s", (None, None, "arm64")),
        ("", "shop/lock_windows_amd64.go", (None, "windows", "amd64")),
        ("", "C:/shop/main.go", (None, "windows", None)),
        ("", "shop/my_test.go", (None, None, None)),
        ("see go1.21 notes/today\n", "main.go", ("go1.21", None, None)),
        ("", "/home/ada/sdk/go1.17.4/src/main.go", ("go1.17.4", None, None)),
    ],
)
def test_the_target_it_ran_on(read, before, file, expected):
    """`go version` and `go env` come first, then the names of files."""
    panic = read(
        f"{before}panic: x\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t{file}:7 +0x1\n"
    )
    assert expected == (panic.go_version, panic.goos, panic.goarch)


def test_details_of_a_crash(read):
    """They are added to each crash of a text."""
    text = (
        f"vcs.revision={SHA}\npanic: x\n\ngoroutine 1 [running]:\nmain.f(0x1)\n"
        "\t/go/pkg/mod/example.test/x@v1.0.0/f.go:7 +0x1\n"
    )
    panic = read(text)
    assert (panic.revision, panic.versions) == (SHA, (("example.test/x", "v1.0.0"),))
    assert read(f"vcs.revision={SHA}\npanic: runtime error: x\n").revision == SHA


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/go/pkg/mod/x.org/a/b@v1.2.3/c/d.go", ("x.org/a/b", "v1.2.3")),
        ("x.org/a@v1.2.3-rc.1+x/c.go", ("x.org/a", "v1.2.3-rc.1+x")),
        ("x.org@v1.2.3/c.go", ("x.org", "v1.2.3")),
        ("/home/me/x.org/a@v1.2.3/c.go", ("x.org/a", "v1.2.3")),
        ("/a@v1.2.3/x.org/b@v2.0.0/c.go", ("x.org/b", "v2.0.0")),
        ("C:\\go\\pkg\\mod\\x.org\\a@v1.2.3\\c.go", ("x.org/a", "v1.2.3")),
        ("/pkg/mod/x.org/pkg/mod/y.org/a@v1.2.3/c.go", ("y.org/a", "v1.2.3")),
        ("/go/.x/a@v1.2.3/c.go", None),
        ("/go/x y.org/a@v1.2.3/c.go", None),
        ("x.org/a@v1.2/c.go", None),
        ("x.org/a@v1.2.3", None),
    ],
)
def test_a_module_in_a_path(path, expected):
    """It begins at a host and ends at a version, with a file below it."""
    assert versions([Frame("f", path, 1)]) == ((expected,) if expected else ())
