"""What the import path in a function's name does to the search for a file."""

import pytest

from triage.core.modules import Layout, build_layout
from triage.core.paths import locate
from triage.errors import FileMissing


def layout_of(*paths: str, modules: dict[str, str] | None = None) -> Layout:
    """Lay out *paths*; *modules* maps a directory to its module's path."""
    contents = {
        f"{directory}/go.mod".lstrip("/"): f"module {path}\n".encode()
        for directory, path in (modules or {}).items()
    }
    return build_layout([*paths, *contents], contents)


SHOP = layout_of(
    "main.go",
    "cart/cart.go",
    "cart/cart_test.go",
    "internal/parse/line.go",
    modules={"": "example.com/shop"},
)
# From before modules.
GOPATH = layout_of(
    "client.go",
    "mvcc/store.go",
    "ctl/command/watch.go",
    "vendor/example.org/cli/app.go",
)


class TestFunctions:
    """What the function's name says about the file."""

    @pytest.mark.parametrize(
        ("file", "function"),
        [
            ("/b/cart/cart_test.go", "example.com/shop/cart_test.TestAdd"),
            ("/b/cart/cart_test.go", "example.com/shop/cart.TestAdd.func1"),
            ("/b/cart/cart.go", "command-line-arguments.F"),
            ("/b/cart/cart.go", "plugin/unnamed-af83.F"),
            ("/b/cart/cart.go", "_/b/cart.F"),
            ("/b/cart/cart.go", "example_com_shop_cart.F"),
            ("/b/cart/cart.go", "example.com/shop/cart.init.0"),
            ("/b/cart/cart.go", "shop/cart.F"),
            ("/b/cart/cart.go", "example.com/old/shop/cart.F"),
            ("/b/cart/cart.go", "example.com/shop/v2/cart.F"),
            ("/b/cart/cart.go", "example.com/shop.Open.(*Cart).Add.func1"),
            ("/b/cart/cart.go", "example.net/dep.Each.func2.Walk.func1"),
        ],
    )
    def test_agrees(self, file, function):
        """Test packages, nameless ones, old names and inlined literals all fit."""
        found = locate(file, function=function, layout=SHOP)
        assert found.path == file.removeprefix("/b/")

    @pytest.mark.parametrize(
        "function",
        [
            "example.net/dep/cart.F",
            "example.com/shop/internal/parse.F",
            "example.net/cart.F",
            "net/cart.F",
        ],
    )
    def test_disagrees(self, function):
        """Another package is another file, whatever the path's end."""
        with pytest.raises(FileMissing):
            locate("/b/cart/cart.go", function=function, layout=SHOP)

    def test_rename_needs_a_root_of_that_name(self):
        """At a module's root the old name must end like the new one."""
        layout = layout_of("x.go", modules={"": "example.com/shop/v3"})
        found = locate("/b/x.go", function="example.com/old/shop.F", layout=layout)
        assert (found.path, found.matched) == ("x.go", "suffix")
        with pytest.raises(FileMissing):
            locate("/b/x.go", function="example.com/old/store.F", layout=layout)

    def test_module_of_unknown_path(self):
        """In a module whose go.mod was not read, the end of the import path counts."""
        layout = build_layout(
            ["testdata/m/go.mod", "testdata/m/a/x.go", "go.mod", "b/x.go"],
            {"go.mod": b"module example.com/shop"},
        )
        found = locate("/t/m/a/x.go", function="example.com/m/a.F", layout=layout)
        assert found.path == "testdata/m/a/x.go"


class TestWithoutModules:
    """Repositories from before go.mod."""

    @pytest.mark.parametrize(
        ("file", "function", "path"),
        [
            (
                "/go/src/github.com/acme/db/mvcc/store.go",
                "github.com/acme/db/mvcc.F",
                "mvcc/store.go",
            ),
            (
                "src/github.com/acme/db/mvcc/store.go",
                "github.com/acme/db/mvcc.F",
                "mvcc/store.go",
            ),
            ("db/ctl/command/watch.go", "ctl/command.Watch", "ctl/command/watch.go"),
            (
                "/go/src/github.com/acme/db/client.go",
                "github.com/acme/db.F",
                "client.go",
            ),
            (
                "/go/src/github.com/acme/db/vendor/example.org/cli/app.go",
                "github.com/acme/db/vendor/example.org/cli.(*App).Run",
                "vendor/example.org/cli/app.go",
            ),
        ],
    )
    def test_end_of_import_path(self, file, function, path):
        """Directory and import path end alike."""
        assert locate(file, function=function, layout=GOPATH).path == path

    def test_other_directory(self):
        """An import path that ends otherwise is another package."""
        with pytest.raises(FileMissing):
            locate(
                "/go/src/example.org/dep/mvcc/store.go",
                function="example.org/dep/other.F",
                layout=GOPATH,
            )

    def test_module_cache(self):
        """Nothing says whose module it is: what is below it must be here whole."""
        found = locate("/pkg/mod/github.com/acme/db@v1.0.0/client.go", layout=GOPATH)
        assert (found.path, found.matched) == ("client.go", "suffix")
        with pytest.raises(FileMissing):
            locate("/pkg/mod/github.com/acme/db@v1.0.0/x/store.go", layout=GOPATH)

    def test_gopath_in_the_repository(self):
        """Import paths begin below `src`; a name cut in front fits too."""
        layout = layout_of("src/shop/cart/cart.go")
        found = locate(
            "/b/src/shop/cart/cart.go", function="shop/cart.F", layout=layout
        )
        assert (found.path, found.matched) == ("src/shop/cart/cart.go", "module")
