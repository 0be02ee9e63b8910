"""A real browser for the tests: the machine's own Chromium, driven from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser.install import PATH_VARIABLE, found

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
WIDE = {"width": 1440, "height": 1000}
NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Gone with the last test of its module: while it is there, an event loop runs that other tests cannot share."""
    path = found()
    if path is None:
        pytest.skip(f"there is no Chromium on this machine; install it, or name one in {PATH_VARIABLE}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a window of a person's own: cookies, size, colours. Whatever goes wrong on its pages fails the test."""
    troubles: list[str] = []
    contexts = []

    def open_window(**how: Any) -> Page:
        still = {"reduced_motion": "reduce"}  # without a graphics card, what moves costs a processor
        context = chromium.new_context(**{"viewport": WIDE, "color_scheme": "light", **still, **how})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"script: {error}"))
        page.on("console", lambda said: troubles.append(f"console: {said.text}") if _is_trouble(said) else None)
        page.on("request", lambda asked: troubles.append(f"elsewhere: {asked.url}") if _is_away(asked.url) else None)
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert troubles == []


def _is_trouble(said: ConsoleMessage) -> bool:
    """An error of a page. That somebody was too late is told by the page itself."""
    return said.type == "error" and "Failed to load resource" not in said.text


def _is_away(url: str) -> bool:
    return not url.startswith(("http://127.0.0.1:", "about:", "data:", "blob:"))
