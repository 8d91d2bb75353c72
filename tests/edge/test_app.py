"""What the composition root puts together."""

import pytest

import triage
from triage import app, errors
from triage.core import limits


@pytest.fixture
def settings(tmp_path) -> triage.Settings:
    """Name a cache that is not there."""
    return triage.Settings(data_dir=tmp_path / "data")


def test_the_cache_of_the_settings_is_looked_after(settings):
    """Without a file there is nothing to count, to drop or to empty."""
    assert app.cache_stats(settings).tables == ()
    assert app.prune_cache(settings) == 0
    app.clear_cache(settings)
    assert not settings.data_dir.exists()


async def test_an_engine_that_is_asked_nothing_writes_nothing(settings):
    """Opening and closing is no reason to make a file."""
    async with triage.open_engine(settings):
        pass
    assert not settings.data_dir.exists()


@pytest.mark.parametrize(
    "telemetry",
    [triage.Telemetry("."), triage.Telemetry(".", file="a.go")],
)
async def test_telemetry_needs_a_place_or_a_trace(settings, telemetry):
    """Half of a place is none."""
    async with triage.open_engine(settings) as engine:
        with pytest.raises(errors.BadInput, match="a trace, or a file and a line"):
            await engine.context(telemetry)


async def test_a_text_without_a_crash_is_told(settings):
    """A log that went well explains nothing."""
    async with triage.open_engine(settings) as engine:
        with pytest.raises(errors.NoPanic):
            await engine.context(triage.Telemetry(".", trace="all is well\n"))


@pytest.mark.parametrize("trace", ["x" * 1001, b"x" * 1001])
async def test_a_trace_that_is_too_long(settings, trace, monkeypatch):
    """It is refused before it is looked at, as text and as bytes."""
    monkeypatch.setattr(limits, "MOST", 1000)
    async with triage.open_engine(settings) as engine:
        with pytest.raises(errors.TooLarge, match="the trace is over 0 MiB"):
            await engine.context(triage.Telemetry(".", trace=trace))
        with pytest.raises(errors.NoPanic):
            await engine.context(triage.Telemetry(".", trace=trace[1:]))


async def test_a_repository_that_is_mended_can_be_opened_again(settings, tmp_path):
    """An error on opening is not for ever."""
    place = triage.Telemetry(str(tmp_path / "later"), file="a.go", line=3)
    async with triage.open_engine(settings) as engine:
        with pytest.raises(errors.RepoMissing):
            await engine.context(place)
        (tmp_path / "later").mkdir()
        (tmp_path / "later" / "go.mod").write_text("module x.org/later\n")
        (tmp_path / "later" / "a.go").write_text("package later\n\nfunc F() {}\n")
        result = await engine.context(place)
    assert result.crash.function == "F"
