"""No page breaks a rule of axe, in light and dark, at a desk and on a phone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import NARROW, WIDE
from tests.mixed_queue import mixed_runs
from tests.workbench import Workbench, workbench

AXE = files("axe_playwright_python").joinpath("axe.min.js")
PAGES = (
    "", "/new", "/runs", "/queue", "/queue?run=book", "/keys", "/rules", "/rules/nbme_negation_detection",
    "/precision", "/people", "/mine", "/api/docs", "/runs/demo", "/runs/demo/units/bio-002",
    "/runs/demo/units/bio-009", "/runs/lesson", "/runs/lesson/units/warmth", "/runs/book", "/runs/book/units/p_0013",
    "/runs/course", "/runs/course/units/C0040", "/runs/demo/report.html",
)  # fmt: skip
TABS = "nav.tabs a, nav.views a"
"""The tabs of a run, and the views of a tab: each is looked at too."""
LOOKS = [("light", WIDE), ("dark", NARROW)]
if os.environ.get("AXE_LOOKS") == "all":  # `make faults`
    LOOKS += [("light", NARROW), ("dark", WIDE)]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    runs = tmp_path_factory.mktemp("accessible") / "runs"
    shutil.copytree(mixed_runs(tmp_path_factory, 9), runs)
    with workbench(runs, settings={"serve.requests_per_second": 1000}) as served:
        yield served


def violations(page: Page) -> list[str]:
    """What axe objects to: the rule, and the first places."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {', '.join(node['target'][0] for node in one['nodes'][:3])}" for one in found["violations"]]


@pytest.mark.guide
@pytest.mark.parametrize(("scheme", "size"), LOOKS, ids=lambda look: look if isinstance(look, str) else look["width"])
def test_axe_has_no_objection(bench: Workbench, opened: Callable[..., Page], scheme: str, size: dict[str, int]) -> None:
    page = opened(color_scheme=scheme, viewport=size)
    page.goto(bench.link)
    wrong: dict[str, list[str]] = {}
    places = list(PAGES)
    for place in places:
        answer = page.goto(f"{bench.address}{place}")
        assert answer is not None and answer.status == 200, place
        if found := violations(page):
            wrong[place] = found
        links = page.locator(TABS).evaluate_all("links => links.map(link => link.getAttribute('href'))")
        places += [link for link in dict.fromkeys(links) if link not in places]
    assert not wrong, "\n".join(f"{place}: {found}" for place, found in wrong.items())
    assert len(places) > len(PAGES) + 8, "the tabs of four runs are among them"
