"""The pages in a real browser: Debian's Chromium, driven by Playwright."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import expect

import triage
from tests.browsing import HOSTILE, marks, opened_page
from tests.e2e.conftest import FILES, TRACE
from tests.serving import SECRET, TOKEN, serving

REPO = "acme/shop"

pytestmark = marks


@pytest.fixture
def browsing(repo, tmp_path, monkeypatch):
    """Serve the shop to a browser whose requests and complaints are noted."""
    monkeypatch.undo()  # the driver connects by itself

    @asynccontextmanager
    async def run(**changed):
        settings = triage.Settings(
            data_dir=tmp_path / "data",
            repos=f"{REPO}={repo.path}",
            webhook_secret=SECRET,
            **changed,
        )
        async with serving(settings) as caller:
            base = f"http://127.0.0.1:{caller.port}"
            async with opened_page(base) as page:
                yield caller, page, base

    return run


async def crash(caller, repo, files=FILES, trace=TRACE):
    """Tell of a crash and wait until it is explained."""
    body = {"repo": REPO, "commit_sha": repo.commit(files), "text": trace}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    (name,) = (await caller.panic(body)).json["events"]
    while True:
        event = (await caller.get(f"/v1/events/{name}", headers=headers)).json
        if event["status"] in {"done", "failed"}:
            return event
        await asyncio.sleep(0.02)


async def test_following_an_incident(browsing, repo):
    """From the list to the crash line, and through the picture to a symbol."""
    async with browsing() as (caller, page, base):
        await crash(caller, repo)
        await page.goto(base)
        await page.get_by_role("link", name="assignment to entry in nil map").click()
        await page.wait_for_url("**/incidents/*")
        assert await page.locator("h1").inner_text() == "assignment to entry in nil map"
        marked = page.locator(".symbol.crash tr.marked td.n")
        assert await marked.inner_text() == "24"
        colours = [
            await page.locator(place).first.evaluate(
                "element => getComputedStyle(element).backgroundColor"
            )
            for place in ("tr.marked td", "tr:not(.marked) td.n")
        ]
        assert colours[0] != colours[1]
        await page.locator("svg a", has_text="New").click()
        assert page.url.partition("#")[2].startswith("s")
        target = page.locator(".symbol:target h4")
        assert await target.inner_text() == "New"
        assert await target.is_visible()


async def test_a_hostile_crash(browsing, repo):
    """Message, source and names full of markup and script run nothing."""
    source = FILES["cart/cart.go"].replace("// Add puts", f"// {HOSTILE} puts")
    async with browsing() as (caller, page, base):
        event = await crash(
            caller,
            repo,
            {**FILES, "cart/cart.go": source},
            TRACE.replace("nil map", HOSTILE),
        )
        for path in ("/", f"/incidents/{event['incident']}", f"/events/{event['id']}"):
            await page.goto(base + path)
            await page.wait_for_load_state("networkidle")
            assert await page.evaluate("window.hit") is None
            inside = page.locator("main")
            assert await inside.locator("script, img, [onerror], [onload]").count() == 0
            assert await inside.locator("a[href^='javascript:']").count() == 0
        await page.goto(base)
        assert HOSTILE in await page.locator("a.told").inner_text()


async def test_by_keyboard(browsing, repo):
    """Everything is reached with the keyboard, and where it is can be seen."""
    async with browsing(token=TOKEN) as (caller, page, base):
        await crash(caller, repo)
        await page.goto(base)
        await expect(page.locator("#token")).to_be_focused()
        await page.keyboard.type(TOKEN)
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"{base}/")
        await page.keyboard.press("Tab")
        skip = page.locator(".skip")
        assert await skip.evaluate("link => link === document.activeElement")
        box = await skip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        for _ in range(20):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.className") == "told":
                break
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert await page.evaluate(outline) == "solid"
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/incidents/*")
        await page.get_by_role("button", name="Log out").press("Enter")
        await page.wait_for_url("**/login")
        await page.goto(base)
        assert "/login" in page.url


async def test_dark_mode(browsing, repo):
    """The colours follow the system's, with enough between text and ground."""
    async with browsing() as (caller, page, base):
        event = await crash(caller, repo)
        grounds = set()
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            await page.goto(f"{base}/incidents/{event['incident']}")
            grounds.add(await page.evaluate(_COLOUR, ["body", "backgroundColor"]))
            low = await page.evaluate(_CONTRAST)
            assert low == [], scheme
        assert len(grounds) == 2


@pytest.mark.parametrize("width", [360, 768, 1440])
async def test_widths(browsing, repo, width):
    """No page is wider than its window; what is long scrolls by itself."""
    async with browsing() as (caller, page, base):
        event = await crash(caller, repo, trace=TRACE.replace("nil map", "x" * 300))
        await page.set_viewport_size({"width": width, "height": 800})
        for path in ("/", f"/incidents/{event['incident']}", "/events", "/login"):
            await page.goto(base + path)
            wide = "document.documentElement.scrollWidth - window.innerWidth"
            assert await page.evaluate(wide) <= 0, path


_COLOUR = "([place, name]) => getComputedStyle(document.querySelector(place))[name]"
_CONTRAST = """() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("main *, header *")) {
    if (element.closest("svg, .hidden")) continue;
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName} ${element.className} ${ratio}`);
  }
  return low;
}"""
