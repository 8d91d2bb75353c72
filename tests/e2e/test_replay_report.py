"""The report of a replay, opened in a browser without a network."""

from typing import Any

import html5lib
import pytest

from tests.browsing import HOSTILE, marks, opened_page
from tests.e2e.conftest import CART, FILES, TRACE
from tests.gitrepo import GitRepo
from tests.replaying import run, write

pytestmark = marks
NASTY = f"{HOSTILE}\u202e\x1b[31m"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Replay crashes of which some are nasty, with a report."""
    directory = tmp_path_factory.mktemp("report")
    repo = GitRepo(directory / "shop")
    repo.path.mkdir()
    repo.git("init", "--quiet")
    files = FILES | {"cart/cart.go": CART.replace("// Add puts", f"// {NASTY} puts")}
    where = {"repo": str(repo.path), "commit_sha": repo.commit(files)}
    told: list[dict[str, Any]] = [
        {**where, "trace": TRACE, "at": "2026-01-02T03:04:05Z"},
        {**where, "trace": TRACE, "at": "2026-03-02T03:04:05Z"},
        {**where, "trace": TRACE.replace("nil map", NASTY), "id": NASTY},
        {**where, "file": "nosuch.go", "line": 1},
    ]
    write(directory / "in.jsonl", told)
    done = run(directory, "in.jsonl", "--out", "o.jsonl", "--report", "report.html")
    assert done.returncode == 0, done.stderr.decode()
    return directory / "report.html"


def test_it_is_whole_and_valid(report):
    """One document without a fault, and no file beside it."""
    html5lib.HTMLParser(strict=True).parse(report.read_text("utf-8"))
    names = {path.name for path in report.parent.iterdir()}
    assert names == {"shop", "data", "in.jsonl", "o.jsonl", "report.html"}


async def test_it_shows_what_came_of_it(report, monkeypatch):
    """Figures, pictures with a table each, incidents with their contexts."""
    monkeypatch.undo()  # the driver connects by itself
    async with opened_page(report.as_uri()) as page:
        await page.goto(report.as_uri())
        facts = await page.locator(".facts").inner_text()
        assert facts.split()[:2] == ["Crashes", "4"]
        titles = await page.locator("figcaption").all_inner_texts()
        assert titles == [
            "Tokens saved, by crash",
            "Time an answer took",
            "Served from",
            "Crashes over time",
        ]
        heights = await page.locator("svg rect").evaluate_all(
            "bars => bars.map(bar => bar.getBoundingClientRect().height)"
        )
        assert max(heights) > 50
        first = page.locator(".incident").first
        assert "nil-map in (*Cart).Add" in await first.locator("b").inner_text()
        assert "2026-01-02 to 2026-03-02" in await first.inner_text()
        assert "func (c *Cart) Add(item *Item) {" in await first.inner_text()


async def test_what_is_nasty_runs_nothing(report, monkeypatch):
    """Messages, names and source are shown as they are written."""
    monkeypatch.undo()  # the driver connects by itself
    async with opened_page(report.as_uri()) as page:
        await page.goto(report.as_uri())
        assert await page.evaluate("window.hit") is None
        main = page.locator("main")
        assert await main.locator("script, img, iframe, [onload]").count() == 0
        assert (
            "<script>window.hit=1</script>" in await page.locator("main").inner_text()
        )


async def test_by_keyboard(report, monkeypatch):
    """An incident is opened without a mouse."""
    monkeypatch.undo()  # the driver connects by itself
    async with opened_page(report.as_uri()) as page:
        await page.goto(report.as_uri())
        last = page.locator(".incident").last
        assert await last.get_attribute("open") is None
        await last.locator("summary").focus()
        await page.keyboard.press("Enter")
        assert await last.get_attribute("open") is not None
        assert await last.locator("pre").is_visible()
