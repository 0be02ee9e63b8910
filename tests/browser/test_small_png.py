"""A picture with few colours loses nothing when it is made small; one with many stays near."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from bench.small_png import COLOURS, small_png

FEW = "<body style='background: #f5f6f8'><p style='color: #a20a24'>Marked</p>"
MANY = "<body style='background: linear-gradient(45deg, red, yellow, lime, aqua, blue)'>"


def pixels(page: Page, picture: bytes) -> list[list[int]]:
    """The picture as a browser draws it: red, green, blue of every pixel."""
    found = page.evaluate(COLOURS, base64.b64encode(picture).decode())
    palette, places = found["palette"], base64.b64decode(found["rows"])
    return [palette[3 * place : 3 * place + 3] for place in places]


@pytest.mark.parametrize(("markup", "apart"), [(FEW, 0), (MANY, 40)])
def test_colours_stay(opened: Callable[..., Page], markup: str, apart: int) -> None:
    page = opened(viewport={"width": 120, "height": 60})
    page.set_content(markup)
    taken = page.screenshot()
    empty = page.context.new_page()
    small = small_png(empty, taken)
    pairs = zip(pixels(empty, taken), pixels(empty, small), strict=True)
    assert max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True)) <= apart
    assert small.startswith(b"\x89PNG")
