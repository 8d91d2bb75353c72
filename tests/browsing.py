"""Debian's Chromium, driven by Playwright; it notes what it asks for and complains of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright

CHROMIUM = Path("/usr/bin/chromium")
HOSTILE = (
    "<script>window.hit=1</script><img src=x onerror=window.hit=2>"
    "\"'><svg onload=window.hit=3><iframe src=javascript:parent.hit=4>"
)
_QUIET = (
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

marks = [
    pytest.mark.skipif(not CHROMIUM.exists(), reason="Debian's chromium is not here"),
    pytest.mark.timeout(120),
]
"""What tests with a browser are marked with."""


@asynccontextmanager
async def opened_page(base: str) -> AsyncIterator[Page]:
    """Open an empty page; fail where it asked for anything outside *base*, or erred."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=CHROMIUM, args=list(_QUIET)
        )
        page = await browser.new_page()
        asked, said = list[str](), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        yield page
        await browser.close()
    assert [url for url in asked if not url.startswith(base)] == []
    assert said == []
