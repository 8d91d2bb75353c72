"""File handles: as many as there may be, and never all of them for callers."""

import resource

import pytest

from triage.service import handles

ANY = resource.RLIM_INFINITY


@pytest.fixture
def limits(monkeypatch):
    """Pretend limits, soft and hard; `asked` is what was set."""

    def pretend(soft, hard, refused=None):
        asked = []

        def take(_, wanted):
            if refused is not None:
                raise refused
            asked.append(wanted)

        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", take)
        return asked

    return pretend


@pytest.mark.parametrize(
    ("soft", "hard", "wanted"),
    [
        (1_024, 4_096, [(4_096, 4_096)]),
        (1_024, 1 << 20, [(65_536, 1 << 20)]),
        (1_024, ANY, [(65_536, ANY)]),
        (4_096, 4_096, []),
        (ANY, ANY, []),
    ],
)
def test_the_limit_is_raised(limits, soft, hard, wanted):
    """As far as it goes and is of use."""
    asked = limits(soft, hard)
    handles.raise_limit()
    assert asked == wanted


@pytest.mark.parametrize("refused", [OSError(), ValueError()])
def test_a_limit_that_cannot_be_raised(limits, refused):
    """The service runs with what it has."""
    limits(256, ANY, refused)
    handles.raise_limit()


@pytest.mark.parametrize(
    ("soft", "connections", "backlog"),
    [(256, 128, 64), (20_000, 4_096, 1_024), (ANY, 4_096, 1_024), (1, 1, 1)],
)
def test_callers_get_a_share(limits, soft, connections, backlog):
    """Half of the handles at most, and what comes at once is less."""
    limits(soft, soft)
    assert handles.share(4_096) == handles.Share(connections, backlog)
