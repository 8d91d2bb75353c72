import pytest

from triage.core.modules import (
    Layout,
    Module,
    after_vendor,
    build_layout,
    has_modules,
    import_dir,
    import_path,
    module_files,
    module_of,
    parse_go_mod,
    parse_go_work,
    with_root,
)


def layout_of(*paths: str, **modules: str) -> Layout:
    """Lay out *paths* with go.mod files: directory with `__` for `/`, and content."""
    contents = {
        f"{directory.replace('__', '/')}/go.mod".removeprefix("root/"): text.encode()
        for directory, text in modules.items()
    }
    return build_layout([*paths, *contents], contents)


@pytest.mark.parametrize(
    "text",
    [
        "module example.com/shop\n",
        'module "example.com/shop"\n',
        "module `example.com/shop`\n",
        "module (\n\texample.com/shop\n)\n",
        "// A shop.\n\nmodule example.com/shop // the shop\n\ngo 1.25\n",
        "\ufeffmodule example.com/shop\r\n\r\ngo 1.25\r\n",
        "go 1.25\nrequire (\n\tmodule.example.org/x v1.0.0\n)\nmodule example.com/shop",
    ],
)
def test_module_line(text):
    """The module's path is read from every form that go.mod allows."""
    assert parse_go_mod(text.encode()) == "example.com/shop"


@pytest.mark.parametrize(
    "data", [b"", b"go 1.25\n", b"module\n", b"\xff\xfe\x00", b")("]
)
def test_no_module_line(data):
    """A go.mod without a module line names none, however broken it is."""
    assert parse_go_mod(data) is None


def test_work_uses():
    """Both forms of `use` are read, comments and other directives are not."""
    text = 'go 1.25\nuse ./a // one\nuse (\n\t.\n\t"./b c"\n)\nreplace x => ./d\n'
    assert parse_go_work(text.encode()) == ("./a", ".", "./b c")


def test_module_files_leave_examples_out():
    """Only go.mod and go.work files of code that is built are worth reading."""
    paths = (
        "go.mod",
        "go.work",
        "a/go.mod",
        "a/x.go",
        "vendor/example.org/y/go.mod",
        "a/testdata/m/go.mod",
        "_tools/go.mod",
        ".ci/go.mod",
    )
    assert module_files(paths) == ("go.mod", "go.work", "a/go.mod")


def test_longest_module_owns():
    """A nested module's directories are not the outer module's."""
    layout = layout_of(
        "main.go",
        "tools/gen/gen.go",
        root="module example.com/shop",
        tools="module example.com/shop/tools",
    )
    assert import_path("", layout) == "example.com/shop"
    assert import_path("tools/gen", layout) == "example.com/shop/tools/gen"
    assert module_of("tools/gen", layout) == Module("tools", "example.com/shop/tools")
    assert import_dir("example.com/shop/tools/gen", layout) == "tools/gen"
    assert import_dir("example.com/shop", layout) == ""


def test_nested_module_is_excluded():
    """The outer module's import path does not reach into a module of another name."""
    layout = layout_of(
        "main.go",
        "plugins/p/p.go",
        root="module example.com/shop",
        plugins="module example.org/plugins",
    )
    assert import_dir("example.com/shop/plugins/p", layout) is None
    assert import_dir("example.org/plugins/p", layout) == "plugins/p"


def test_unread_module_bounds():
    """A go.mod whose content is not known still ends the module around it."""
    layout = build_layout(
        ["go.mod", "a/x.go", "testdata/m/go.mod", "testdata/m/b/y.go"],
        {"go.mod": b"module example.com/shop"},
    )
    assert import_path("testdata/m/b", layout) is None
    assert import_dir("example.com/shop/testdata/m/b", layout) is None


def test_module_below_root_without_one():
    """A service in a subdirectory has its own import paths, the rest has none."""
    layout = layout_of(
        "lib/x.go", "services/api/h/h.go", services__api="module example.com/api"
    )
    assert import_path("services/api/h", layout) == "example.com/api/h"
    assert import_path("lib", layout) is None
    assert import_dir("example.com/api/h", layout) == "services/api/h"


def test_workspace_member_comes_first():
    """Of two modules with one path the workspace's is meant."""
    contents = {
        "go.work": b"use (\n\t./z/shop\n)\n",
        "a/shop/go.mod": b"module example.com/shop",
        "z/shop/go.mod": b"module example.com/shop",
    }
    paths = [*contents, "a/shop/x.go", "z/shop/x.go"]
    assert import_dir("example.com/shop", build_layout(paths, contents)) == "z/shop"


def test_directories_without_go_are_none():
    """An import path below a module means nothing where no Go file is."""
    layout = layout_of("a/x.go", root="module example.com/shop")
    assert import_dir("example.com/shop/b", layout) is None
    assert import_dir("example.com/shopping/a", layout) is None


def test_vendored_code_keeps_its_path_and_is_not_ours():
    """A vendored directory has the path its importers write and is not found by it."""
    layout = layout_of(
        "x.go", "vendor/example.org/y/y.go", root="module example.com/shop"
    )
    assert import_path("vendor/example.org/y", layout) == "example.org/y"
    assert import_dir("example.org/y", layout) is None


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("a/vendor/x.org/y", "x.org/y"),
        ("vendor/x.org/y", "x.org/y"),
        ("vendor/x.org/vendor/z.org/y", "z.org/y"),
        ("vendor/src/x.org/y", "x.org/y"),
        ("Godeps/_workspace/src/x.org/y", "x.org/y"),
        ("vendors/x.org/y", None),
        ("vendor", None),
    ],
)
def test_after_vendor(path, after):
    """Today's and former vendor directories count, by whole elements."""
    assert after_vendor(path) == after


def test_module_cache_in_the_tree_is_no_source():
    """A module cache that lies in the tree is not read as the repository's code."""
    layout = layout_of(
        "a/x.go",
        ".cache/go/pkg/mod/example.org/y@v1.2.3/a/x.go",
        root="module example.com/shop",
    )
    assert layout.by_name["x.go"] == ["a/x.go"]


def test_standard_library_itself():
    """In the Go repository `std` is no part of the import paths."""
    layout = layout_of(
        "src/net/http/server.go",
        "src/cmd/go/main.go",
        src="module std",
        src__cmd="module cmd",
    )
    assert import_path("src/net/http", layout) == "net/http"
    assert import_dir("net/http", layout) == "src/net/http"
    assert import_dir("cmd/go", layout) == "src/cmd/go"


class TestWithoutModules:
    """Repositories from before go.mod."""

    layout = layout_of(
        "client.go",
        "mvcc/store.go",
        "mvcc/backend/backend.go",
        "backend/b.go",
        "vendor/example.org/dep/mvcc/m.go",
        "Godeps/_workspace/src/example.net/dep/mvcc/m.go",
    )

    def test_end_of_import_path_is_directory(self):
        """The longest end that is a directory is meant."""
        wanted = "github.com/acme/db/mvcc/backend"
        assert import_dir(wanted, self.layout) == "mvcc/backend"

    @pytest.mark.parametrize(
        "path",
        [
            "github.com/acme/mvcc",  # the repository's own name, not a directory
            "example.org/dep/mvcc",  # vendored
            "example.net/dep/mvcc",  # vendored, as godep did it
            "net/mvcc",  # would be the standard library's
            "",
        ],
    )
    def test_what_is_no_end(self, path):
        """A site, owner or repository name, vendored and standard code are not ours."""
        assert import_dir(path, self.layout) is None

    def test_nothing_is_known(self):
        """No directory has an import path as long as nothing says one."""
        assert import_path("mvcc", self.layout) is None
        assert not has_modules(self.layout)

    def test_root_is_learnt(self):
        """With the root's path said, it all works as with a go.mod there."""
        learnt = with_root(self.layout, "github.com/acme/db")
        assert has_modules(learnt)
        assert import_path("mvcc", learnt) == "github.com/acme/db/mvcc"
        assert import_dir("github.com/acme/db", learnt) == ""
        assert import_dir("github.com/other/db/mvcc", learnt) is None

    def test_gopath_in_the_repository(self):
        """A repository that is a GOPATH has import paths below its `src`."""
        layout = layout_of("src/shop/cart/cart.go", "go/src/tool/main.go")
        assert import_path("src/shop/cart", layout) == "shop/cart"
        assert import_dir("shop/cart", layout) == "src/shop/cart"
        assert import_dir("tool", layout) == "go/src/tool"
