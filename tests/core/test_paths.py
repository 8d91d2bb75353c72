import pytest

from triage.core.model import Frame
from triage.core.modules import Layout, build_layout
from triage.core.paths import BuildRoot, is_own, locate, package_directory
from triage.errors import BadInput, FileMissing


def layout_of(*paths: str, modules: dict[str, str] | None = None) -> Layout:
    """Lay out *paths*; *modules* maps a directory to its module's path."""
    contents = {
        f"{directory}/go.mod".lstrip("/"): f"module {path}\n".encode()
        for directory, path in (modules or {}).items()
    }
    return build_layout([*paths, *contents], contents)


# A workspace: the root module, one nested in its import path, one of another name.
SHOP = layout_of(
    "main.go",
    "cart/cart.go",
    "cart/cart_test.go",
    "internal/parse/line.go",
    "tools/importer/main.go",
    "tools/importer/internal/parse/line.go",
    "libs/money/money.go",
    "api/gen/x.pb.go",
    "vendor/example.org/dep/dep.go",
    "vendor/example.org/dep/cart/cart.go",
    modules={
        "": "example.com/shop",
        "tools/importer": "example.com/shop/tools/importer",
        "libs/money": "example.org/money",
    },
)
# Services beside each other, built from their own directories.
SERVICES = layout_of(
    "services/api/main.go",
    "services/api/handlers/user.go",
    "services/web/main.go",
    "services/web/handlers/user.go",
    modules={"services/api": "example.com/api", "services/web": "example.com/web"},
)


class TestGiven:
    """Paths that are relative to the repository or its root directory."""

    @pytest.mark.parametrize("root_dir", [None, "", ".", "tools/importer"])
    def test_exact(self, root_dir):
        """A path of the repository is itself, with any root directory."""
        found = locate("cart/cart.go", layout=SHOP, root_dir=root_dir)
        assert (found.path, found.matched, found.warning) == (
            "cart/cart.go",
            "exact",
            None,
        )

    @pytest.mark.parametrize("root_dir", ["tools/importer", "./tools/importer/"])
    def test_root_directory_comes_first(self, root_dir):
        """Where both exist, the path counts from the root directory."""
        found = locate("internal/parse/line.go", layout=SHOP, root_dir=root_dir)
        assert found.path == "tools/importer/internal/parse/line.go"
        assert (found.matched, found.module_path) == (
            "root_dir",
            "internal/parse/line.go",
        )

    def test_with_root_directory_in_front(self):
        """The same file is found when the root directory is written out."""
        found = locate(
            "tools/importer/internal/parse/line.go",
            layout=SHOP,
            root_dir="tools/importer",
        )
        assert found.path == "tools/importer/internal/parse/line.go"
        assert found.matched == "exact"

    def test_part_of_root_directory_in_front(self):
        """A build in the parent of the root directory is understood."""
        found = locate("web/handlers/user.go", layout=SERVICES, root_dir="services/web")
        assert found.path == "services/web/handlers/user.go"

    def test_function_overrules_exact_path(self):
        """The frame's import path says that another module's file is meant."""
        found = locate(
            "internal/parse/line.go",
            function="example.com/shop/tools/importer/internal/parse.(*Parser).Line",
            layout=SHOP,
        )
        assert found.path == "tools/importer/internal/parse/line.go"

    def test_function_overrules_root_directory(self):
        """Also against the root directory the frame's import path is right."""
        found = locate(
            "internal/parse/line.go",
            function="example.com/shop/internal/parse.Line",
            layout=SHOP,
            root_dir="tools/importer",
        )
        assert found.path == "internal/parse/line.go"

    def test_same_path_in_a_dependency(self):
        """A dependency's file is not the repository's file of the same path."""
        with pytest.raises(FileMissing, match="not in this repository"):
            locate(
                "internal/parse/line.go",
                function="example.net/dep/internal/parse.Line",
                layout=SHOP,
            )

    def test_root_directory_without_module(self):
        """Without go.mod the path in the module counts from the root directory."""
        layout = layout_of("backend/handlers/user.go")
        found = locate("handlers/user.go", layout=layout, root_dir="backend")
        assert found.path == "backend/handlers/user.go"
        assert found.module_path == "handlers/user.go"


@pytest.mark.parametrize(
    "file",
    [
        "cart/cart.go/",
        "cart/cart.go//",
        "./cart/cart.go",
        "cart//cart.go",
        "cart\\cart.go",
        ".\\cart\\cart.go\\",
        "cart/./cart.go",
        "cart/x/../cart.go",
        "cart/cart.go/.",
    ],
)
def test_odd_separators(file):
    """However its elements are put together, a path is the same one."""
    found = locate(file, layout=SHOP)
    assert (found.path, found.warning) == ("cart/cart.go", None)
    assert is_own(Frame("", file, 1), SHOP)


@pytest.mark.parametrize("file", ["cart/", "cart", "cart/gone.go/", "cart\\"])
def test_what_is_no_file(file):
    """A directory, or what is not there, is said not to be in the repository."""
    with pytest.raises(FileMissing, match="is not in the repository"):
        locate(file, layout=SHOP)


class TestModulePaths:
    """Paths that hold a module's import path."""

    @pytest.mark.parametrize(
        ("file", "path"),
        [
            ("example.com/shop/cart/cart.go", "cart/cart.go"),
            ("example.com/shop/main.go", "main.go"),
            ("example.com/shop/tools/importer/main.go", "tools/importer/main.go"),
            ("example.org/money/money.go", "libs/money/money.go"),
            ("example.com/shop@v1.4.0/cart/cart.go", "cart/cart.go"),
            ("/go/pkg/mod/example.com/shop@v1.4.0/cart/cart.go", "cart/cart.go"),
            (
                "/root/.cache/mod/example.org/money@v0.0.0-2026/money.go",
                "libs/money/money.go",
            ),
            ("/go/src/example.com/shop/cart/cart.go", "cart/cart.go"),
            ("/app/vendor/example.org/money/money.go", "libs/money/money.go"),
        ],
    )
    def test_module_path(self, file, path):
        """-trimpath, the module cache, a GOPATH and others' vendor directories."""
        found = locate(file, layout=SHOP)
        assert (found.path, found.matched, found.warning) == (path, "module", None)

    def test_escaped_upper_case(self):
        """The cache's `!a` is the import path's `A`."""
        layout = layout_of("cart/cart.go", modules={"": "github.com/Acme/shop"})
        file = "/go/pkg/mod/github.com/!acme/shop@v1.0.0/cart/cart.go"
        assert locate(file, layout=layout).path == "cart/cart.go"

    def test_file_that_the_module_lacks(self):
        """An own module's path does not make a file exist."""
        with pytest.raises(FileMissing, match=r"there is cart/cart\.go"):
            locate("example.com/shop/carts/cart.go", layout=SHOP)

    @pytest.mark.parametrize("function", [None, "example.net/dep.F"])
    def test_other_module_in_the_cache(self, function):
        """A module of the cache that is not of here is never matched by its end."""
        with pytest.raises(FileMissing, match="another module"):
            locate(
                "/go/pkg/mod/example.net/dep@v1.0.0/cart/cart.go",
                function=function,
                layout=SHOP,
            )

    def test_sibling_major_version(self):
        """An older major version of the own module is another module."""
        layout = layout_of("x.go", modules={"": "example.com/lib/v2"})
        with pytest.raises(FileMissing):
            locate(
                "example.com/lib@v1.9.0/x.go",
                function="example.com/lib.F",
                layout=layout,
            )

    @pytest.mark.parametrize(
        "file",
        [
            "/app/vendor/example.org/dep/dep.go",
            "vendor/example.org/dep/dep.go",
            "/go/pkg/mod/example.org/dep@v1.0.0/dep.go",
            "example.org/dep@v1.0.0/dep.go",
            "example.org/dep/dep.go",
        ],
    )
    def test_vendored_copy(self, file):
        """A dependency that the repository vendors is found there."""
        assert locate(file, layout=SHOP).path == "vendor/example.org/dep/dep.go"

    @pytest.mark.parametrize(
        "function", [None, "x.com/shop/cart.F", "example.com/shop/vendor/x.com/shop.F"]
    )
    @pytest.mark.parametrize("start", ["/src/shop/", "", "example.com/shop/"])
    def test_vendored_copy_of_another_module(self, function, start):
        """A vendored file is not the repository's own of the same end, nor its frame."""
        file = f"{start}vendor/x.com/shop/cart/cart.go"
        with pytest.raises(FileMissing, match="another module"):
            locate(file, function=function, layout=SHOP)
        assert not is_own(Frame(function or "", file, 1), SHOP)

    def test_build_directory_called_vendor(self):
        """A directory of that name need not hold copies: such a match is a guess."""
        found = locate("/srv/vendor/shop/cart/cart.go", layout=SHOP)
        assert (found.path, found.matched) == ("cart/cart.go", "suffix")
        assert found.warning is not None

    @pytest.mark.parametrize(
        "file", ["/src/p/vendor/x.com/p/q/a.go", "/go/pkg/mod/x.com/p@v1.0.0/q/a.go"]
    )
    @pytest.mark.parametrize("function", [None, "x.com/p/q.F", "main.main"])
    def test_copy_where_no_module_is_known(self, file, function):
        """Without a go.mod a copy may be the repository itself: a guess, and told."""
        found = locate(file, function=function, layout=layout_of("q/a.go"))
        assert (found.path, found.matched) == ("q/a.go", "suffix")
        assert found.warning is not None

    def test_one_word_module_in_a_build_path(self):
        """`app` in `/app/main.go` is a directory, also where a module has that name."""
        layout = layout_of(
            "main.go", "old/main.go", modules={"": "x.org/y", "old": "app"}
        )
        assert locate("/app/main.go", layout=layout).path == "main.go"
        assert locate("app/main.go", layout=layout).path == "old/main.go"


class TestSuffix:
    """Absolute paths of some build machine."""

    @pytest.mark.parametrize(
        ("file", "path"),
        [
            ("/build/src/cart/cart.go", "cart/cart.go"),
            ("/build/src/main.go", "main.go"),
            (
                "/w/tools/importer/internal/parse/line.go",
                "tools/importer/internal/parse/line.go",
            ),
            ("/w/internal/parse/line.go", "internal/parse/line.go"),
            ("C:\\src\\shop\\tools\\importer\\main.go", "tools/importer/main.go"),
            ("D:/shop/cart/cart.go", "cart/cart.go"),
            ("bazel-out/k8-fastbuild/bin/api/gen/x.pb.go", "api/gen/x.pb.go"),
            ("/home/b/_bazel/9f/execroot/_main/cart/cart.go", "cart/cart.go"),
            ("external/shop/cart/cart.go", "cart/cart.go"),
            (".../shop/cart/cart.go", "cart/cart.go"),
            ("/build/a%2Fcart/cart.go", "cart/cart.go"),
            ("cart.go", "cart/cart.go"),
            ("gen/x.pb.go", "api/gen/x.pb.go"),
        ],
    )
    def test_longest_end(self, file, path):
        """The longest common end wins, and the answer says that it is a guess."""
        layout = layout_of(
            *(name for name in SHOP.files if not name.startswith("vendor/"))
        )
        found = locate(file, layout=layout)
        assert (found.path, found.matched) == (path, "suffix")
        assert found.warning is not None
        assert path in found.warning

    def test_import_path_makes_it_certain(self):
        """With an import path that names the directory there is nothing to warn of."""
        found = locate(
            "/build/src/cart/cart.go",
            function="example.com/shop/cart.(*Cart).Add",
            layout=SHOP,
        )
        assert (found.matched, found.warning) == ("module", None)

    @pytest.mark.parametrize(
        ("function", "path"),
        [
            ("example.com/api/handlers.(*H).User", "services/api/handlers/user.go"),
            (
                "example.com/web/handlers.(*H).User.func1",
                "services/web/handlers/user.go",
            ),
        ],
    )
    def test_tie_is_told_apart(self, function, path):
        """The function's import path says which service was built in /app."""
        found = locate("/app/handlers/user.go", function=function, layout=SERVICES)
        assert found.path == path

    @pytest.mark.parametrize("function", [None, "main.main"])
    def test_tie_is_named(self, function):
        """A path that may be several files is refused, and all are named."""
        with pytest.raises(BadInput) as caught:
            locate("/app/main.go", function=function, layout=SERVICES)
        assert "services/api/main.go or services/web/main.go" in str(caught.value)

    def test_long_tie_is_cut(self):
        """However many files tie, the message stays readable."""
        layout = layout_of(*(f"s{n}/h/x.go" for n in range(30)))
        with pytest.raises(BadInput, match="or 26 others"):
            locate("/app/h/x.go", layout=layout)

    def test_root_directory_breaks_a_tie(self):
        """What lies in the root directory is meant before all else."""
        found = locate("/app/main.go", layout=SERVICES, root_dir="services/web")
        assert (found.path, found.matched) == ("services/web/main.go", "suffix")

    def test_root_comes_before_depth(self):
        """A build in the repository's root is likelier than one in a subdirectory."""
        found = locate("/app/internal/parse/line.go", layout=SHOP)
        assert found.path == "internal/parse/line.go"

    def test_function_disagrees_with_longest_end(self):
        """A shorter end wins when the longer one is of another package."""
        found = locate(
            "/x/tools/importer/internal/parse/line.go",
            function="example.com/shop/internal/parse.Line",
            layout=SHOP,
        )
        assert found.path == "internal/parse/line.go"

    @pytest.mark.parametrize("file", ["/app/line.go", "other/cart.go", "x/y/cart.go"])
    def test_name_alone_is_not_enough(self, file):
        """Another directory's file of the same name is not taken, but named."""
        with pytest.raises(FileMissing, match=r"there is .*(line|cart)\.go"):
            locate(file, layout=SHOP)

    def test_misspelt_name(self):
        """A name that nearly exists is offered."""
        with pytest.raises(FileMissing, match=r"there is cart/cart\.go"):
            locate("cart/carts.go", layout=layout_of("cart/cart.go"))

    def test_nothing_near(self):
        """A name like no other gives a message that says what to give."""
        with pytest.raises(FileMissing, match="give a path from its root"):
            locate("zzz.go", layout=SHOP)

    @pytest.mark.parametrize(
        "function", ["net/http.(*conn).serve", "example.net/dep/cart.F", None]
    )
    def test_goroot(self, function):
        """The standard library's files are never the repository's."""
        layout = layout_of("net/http/server.go", "server.go", modules={"": "x.org/y"})
        with pytest.raises(FileMissing):
            locate(
                "/usr/local/go/src/net/http/server.go", function=function, layout=layout
            )

    @pytest.mark.parametrize("file", ["<autogenerated>", "/x/_cgo_gotypes.go"])
    def test_compiler_made(self, file):
        """What the compiler makes up is in no repository."""
        with pytest.raises(FileMissing, match="made by the compiler"):
            locate(file, function="main.(*T).M", layout=SHOP)

    @pytest.mark.parametrize("file", ["../cart.go", "a\0.go", "\x1b[0m", ""])
    def test_no_path(self, file):
        """What can be no path is bad input, in one printable line."""
        with pytest.raises(BadInput) as caught:
            locate(file, layout=SHOP)
        assert str(caught.value).isprintable()


class TestBuildRoots:
    """What other frames say about the build directory."""

    roots = (BuildRoot("app", "services/web"),)

    def test_known_build_directory(self):
        """A path below a known build directory is no guess."""
        found = locate(
            "/app/main.go", function="main.main", layout=SERVICES, roots=self.roots
        )
        assert (found.path, found.matched) == ("services/web/main.go", "module")

    def test_other_build_directory(self):
        """A path elsewhere is searched as ever."""
        with pytest.raises(BadInput):
            locate("/apps/main.go", layout=SERVICES, roots=self.roots)


class TestOwn:
    """Which frames are of the repository."""

    @pytest.mark.parametrize(
        ("function", "file", "own"),
        [
            ("example.com/shop/cart.F", "/b/cart/cart.go", True),
            ("main.main", "/b/main.go", True),
            ("main.main", "/b/elsewhere.go", False),
            ("example.com/shop/cart.F", None, True),
            ("example.com/shop/cart.F", "/b/cart/written_by_a_tool.go", True),
            ("main.main", None, False),
            ("example.org/dep.F", "/b/vendor/example.org/dep/dep.go", False),
            ("example.org/dep.F", "/go/pkg/mod/example.org/dep@v1.0.0/dep.go", False),
            ("example.org/dep/cart.F", "/go/src/example.org/dep/cart/cart.go", False),
            ("example.org/dep.F", "/b/cart/vendor/example.org/dep/gone.go", False),
            ("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", False),
            ("runtime.goexit", None, False),
            ("panic", "/usr/local/go/src/runtime/panic.go", False),
            ("example.com/shop/cart.(*T).M", "<autogenerated>", False),
            ("example.com/shop/cart._Cfunc_f", "_cgo_gotypes.go", False),
            ("", "cart/cart.go", True),
            ("", "../cart.go", False),
            ("", "", False),
        ],
    )
    def test_own(self, function, file, own):
        """Own is what a module of the repository holds, vendored copies excepted."""
        assert is_own(Frame(function, file, 1), SHOP) == own

    def test_own_by_build_root(self):
        """A main package between several is own where its build directory is known."""
        frame = Frame("main.main", "/app/main.go", 9)
        roots = (BuildRoot("app", "services/web"),)
        assert is_own(frame, SERVICES, roots=roots)
        assert not is_own(frame, SERVICES)


@pytest.mark.parametrize(
    ("file", "function", "root_dir", "directory"),
    [
        ("/b/cart/parse.y", "example.com/shop/cart.Parse", None, "cart"),
        ("/b/cart/parse.y", "main.Parse", None, "cart"),
        ("cart/parse.y", None, None, "cart"),
        ("internal/parse/g.y", None, "tools/importer", "tools/importer/internal/parse"),
        ("parse.y", None, None, None),
        ("/b/other/parse.y", None, None, None),
    ],
)
def test_package_directory(file, function, root_dir, directory):
    """A file that is not in the repository still has a package there."""
    assert directory == package_directory(
        file, function=function, layout=SHOP, root_dir=root_dir
    )


def test_a_long_path_is_refused():
    """A path beyond what file systems take is no path, and costs no search."""
    for file in ("a/" * 300 + "user.go", "a" * 5_000 + ".go", "a\\" * 300 + "x.go"):
        with pytest.raises(BadInput, match="no file has"):
            locate(file, layout=SHOP)


def test_an_endless_import_path_is_none():
    """A function's import path beyond all bounds says nothing."""
    frame = Frame("a/" * 50_000 + "b.F", "nowhere.go", 1)
    assert not is_own(frame, SHOP)


def test_a_frame_without_a_file_suggests_nothing(monkeypatch):
    """Similar names are looked for only where an error tells them."""

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("triage.core.paths.difflib.get_close_matches", refuse)
    assert not is_own(Frame("example.org/x.F", "cort.go", 1), SHOP)


def test_few_names_are_compared():
    """Among very many names those of about the same length are near."""
    many = layout_of(*(f"p/u{'x' * 60}{n}.go" for n in range(3_000)), "p/user.go")
    with pytest.raises(FileMissing, match=r"p/user\.go"):
        locate("usr.go", layout=many)
