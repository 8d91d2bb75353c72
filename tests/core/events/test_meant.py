"""Which project is meant: the order of the matches, and what is never overridden."""

import pytest

from tests.deliveries import SHA
from triage.core.events.clues import Clues
from triage.core.events.meant import find_project, meant
from triage.core.model import Frame, Goroutine, Panic
from triage.core.projects import Match, Project

MODULE = Project("m", "acme/m", match=Match(module=("example.com/shop",)))
SERVICE = Project("s", "acme/s", match=Match(service=("shop", "pay")))
SENTRY = Project("y", "acme/y", match=Match(sentry_project=("go-shop",)))
LABELS = Project("l", "acme/l", match=Match(labels={"env": "prod", "team": "a"}))
ALL = (LABELS, SENTRY, SERVICE, MODULE)
EVERYTHING = Clues(
    service="pay", sentry_project=("7", "go-shop"), labels={"env": "prod", "team": "a"}
)


def panic(*frames: Frame, revision: str | None = None) -> Panic:
    """Make a crash with these frames."""
    return Panic(
        "custom-panic",
        "",
        Goroutine(1, "running", frames),
        1,
        (1, 1),
        revision=revision,
    )


OWN = panic(Frame("example.com/shop/a.F", "/src/a/x.go", 3))


def test_module_goes_before_service_before_sentry_before_labels():
    """Whatever their order in the file is."""
    assert find_project(EVERYTHING, OWN, ALL) is MODULE
    assert find_project(EVERYTHING, None, ALL) is SERVICE
    assert find_project(EVERYTHING, None, (LABELS, SENTRY, MODULE)) is SENTRY
    assert find_project(EVERYTHING, None, (MODULE, LABELS)) is LABELS


def test_first_of_a_kind_wins():
    """The order of the file decides between equals."""
    other = Project("o", "acme/o", match=Match(service=("shop",)))
    assert find_project(Clues(service="shop"), None, (other, SERVICE)) is other
    assert find_project(Clues(service="shop"), None, (SERVICE, other)) is SERVICE


@pytest.mark.parametrize(
    "clues",
    [
        Clues(),
        Clues(service="shopping"),
        Clues(labels={"env": "prod"}),
        Clues(service=""),
    ],
)
def test_what_says_nothing_matches_nothing(clues):
    """Empty parts of a match neither."""
    empty = Project("e", "acme/e")
    assert find_project(clues, None, (empty, *ALL)) is None


@pytest.mark.parametrize(
    ("frame", "matches"),
    [
        (Frame("example.com/shop.F", "/src/x.go", 3), True),
        (Frame("example.com/shop/a/b.(*T).M.func1", "/src/a/b/x.go", 3), True),
        (Frame("main.main", "example.com/shop/cmd/main.go", 3), True),
        (Frame("main.main", "C:\\go\\src\\example.com\\shop\\main.go", 3), True),
        (Frame("main.main", "/app/main.go", 3), False),
        (Frame("main.main", None, 3), False),
        (Frame("example.com/shopping.F", "/src/x.go", 3), False),
        (Frame("example.org/example.com/shop.F", "/src/x.go", 3), False),
        (
            Frame(
                "example.com/shop/a.F", "/go/pkg/mod/example.com/shop@v1.2.3/a/x.go", 3
            ),
            False,
        ),
        (
            Frame("example.com/shop/a.F", "/src/vendor/example.com/shop/a/x.go", 3),
            False,
        ),
    ],
)
def test_module_is_the_frames_own(frame, matches):
    """Downloaded or vendored code is of another commit."""
    main = Frame("example.net/app.Run", "/src/app/run.go", 9)
    found = find_project(Clues(), panic(frame, main), ALL)
    assert found is (MODULE if matches else None)


def test_dump_without_a_crash_has_no_module():
    """Where no goroutine is the one that crashed."""
    assert find_project(Clues(), Panic("x", "", None, 1, (1, 1)), ALL) is None


def test_told_repository_is_never_replaced():
    """A project of another one adds nothing; its own adds the directory."""
    project = Project("p", "Acme/Shop", root_dir="backend", match=Match(service=("x",)))
    told = meant(Clues(repo="acme/shop", service="shop"), OWN, (SERVICE, MODULE))
    assert told
    assert (told.repo, told.root_dir) == ("acme/shop", None)
    told = meant(Clues(repo="acme/shop"), OWN, (SERVICE, project))
    assert told
    assert (told.repo, told.root_dir) == ("acme/shop", "backend")


def test_told_directory_is_never_replaced():
    """Not even where it is the root."""
    project = Project("p", "acme/shop", root_dir="backend")
    told = meant(Clues(repo="acme/shop", root_dir=""), None, (project,))
    assert told
    assert told.root_dir == ""


def test_nothing_told_and_nothing_matched_is_nothing():
    """There is no repository to look into."""
    assert meant(Clues(service="x"), OWN, (SERVICE,)) is None


@pytest.mark.parametrize(
    ("clues", "revision", "commit"),
    [
        (Clues(commit_sha="told", versions=(SHA,)), "b" * 40, "told"),
        (Clues(versions=(SHA,)), "b" * 40, "b" * 40),
        (Clues(versions=("1.2", SHA)), None, SHA),
        (Clues(versions=("1.2",)), None, None),
        (Clues(versions=("x" * 501 + SHA,)), None, None),
    ],
)
def test_commit_is_told_then_built_in_then_released(clues, revision, commit):
    """The surest first."""
    found = meant(
        clues, panic(*OWN.crashed.frames if OWN.crashed else (), revision=revision), ALL
    )
    assert found
    assert found.commit_sha == commit


def test_expression_that_finds_no_commit_leaves_the_usual_forms():
    """What the project's expression finds has to be a commit's id."""
    project = Project("p", "a/b", match=Match(service=("s",)), release=r"^(?P<sha>\w+)")
    found = meant(Clues(service="s", versions=(f"shop@{SHA}",)), None, (project,))
    assert found
    assert found.commit_sha == SHA
