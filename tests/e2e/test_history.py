"""Contexts with the history of what they show."""

import pytest

import triage
from tests.e2e.conftest import CART, GO_MOD, MONEY

LINE = CART.splitlines().index("\tc.items[name] = item") + 1


@pytest.fixture
def shop(repo):
    """Make a shop whose crash line came with its second commit."""
    early = CART.replace("\tc.items[name] = item\n", "")
    repo.commit(
        {"go.mod": GO_MOD, "cart/cart.go": early, "money/money.go": MONEY},
        "cart: begin",
    )
    return repo.path, repo.commit({"cart/cart.go": CART}, "cart: keep what is added")


async def explained(tmp_path, path, commit, **options):
    """Explain the crash in the cart."""
    settings = triage.Settings(data_dir=tmp_path / "data")
    told = triage.Telemetry(
        str(path), commit, "cart/cart.go", LINE, history=True, **options
    )
    async with triage.open_engine(settings) as engine:
        first, again = await engine.context(told), await engine.context(told)
    assert (again.history, again.context) == (first.history, first.context)
    return first


async def test_suspects(shop, tmp_path):
    """The commit that changed the crash line is first, in text, JSON and Markdown."""
    result = await explained(tmp_path, *shop)
    assert result.history[0].subject == "cart: keep what is added"
    assert result.history[0].did[0] == "last changed the crash line"
    assert {change.subject for change in result.history[1:]} == {"cart: begin"}
    line = f"// History: {shop[1][:12]} 2026-01-02 Tess: cart: keep what is added (last"
    assert line in result.text
    assert b'"history":[{"commit":' in result.to_json()


async def test_not_asked(shop, tmp_path):
    """Without the option there is nothing of it, in JSON neither."""
    settings = triage.Settings(data_dir=tmp_path / "data")
    told = triage.Telemetry(str(shop[0]), shop[1], "cart/cart.go", LINE)
    async with triage.open_engine(settings) as engine:
        result = await engine.context(told)
    assert (result.history, b"history" in result.to_json()) == ((), False)


@pytest.mark.parametrize("tokens", [150, 300, 600, 3000])
async def test_it_keeps_to_the_budget(shop, tmp_path, tokens):
    """What is told of the commits is paid like all else."""
    result = await explained(tmp_path, *shop, max_tokens=tokens)
    assert len(result.text) <= tokens * 7 // 2
    assert ("// History: " in result.text) == (tokens >= 300)


async def test_files_as_they_lie(shop, tmp_path):
    """Without a commit there is nothing to ask, which is said."""
    result = await explained(tmp_path, shop[0], None)
    assert result.history == ()
    assert "no history: it takes a local clone and a commit" in result.warnings
