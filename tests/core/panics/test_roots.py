"""The directory of a module in a path."""

import pytest

from triage.core.panics.roots import module_root


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "/home/me/go/pkg/mod/x.org/a/b@v1.2.3/c.go",
            "/home/me/go/pkg/mod/x.org/a/b@v1.2.3/",
        ),
        ("/go/src/github.com/acme/shop/cmd/main.go", "/go/src/github.com/acme/shop/"),
        ("github.com/acme/shop/main.go", "github.com/acme/shop/"),
        ("/go/src/example.com/shop/main.go", "/go/src/example.com/shop/"),
        ("example.com/shop/cmd/main.go", "example.com/shop/"),
        ("a b/x.org/shop@v1.0.0/main.go", "a b/x.org/shop@v1.0.0/"),
        ("/x@v1.0.0/github.com/acme/shop/main.go", "/x@v1.0.0/github.com/acme/shop/"),
        ("/srv/example.com/shop/main.go", None),
        ("/src/example.com/shop/main.go", "/src/example.com/shop/"),
        ("src/example.com/shop/main.go", None),
        ("/srv/shop/main.go", None),
        ("github.com/acme/main.go", "github.com/acme/"),
        ("/srv/github.com/acme/main.go", None),
        ("main.go", None),
        ("", None),
    ],
)
def test_roots(path, expected):
    """With its version, on a forge anywhere, or right below GOPATH."""
    assert module_root(path) == expected
