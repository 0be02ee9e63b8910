"""Pictures of the workbench for the README and the guide: real pages of real runs, in the machine's own Chromium.

python -m bench.web_pictures docs/pictures              # all of them
python -m bench.web_pictures docs/pictures web-queue    # those whose names begin so

Text is drawn in the fonts of the machine: some of those in `docs/pictures` were taken with Inter and Noto, some with
DejaVu.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from bench.picture_runs import decide, made, settings_of_the_server, start
from bench.small_png import small_png
from burnish.app.background_jobs import GRACE
from tests.browser.conftest import ARGUMENTS
from tests.browser.install import PACKAGE, found
from tests.workbench import Workbench, workbench

WHO = "Rosa Vidal"
"""Who looks at the pages."""
WIDE, PHONE = 1440, 390
TALLEST = {WIDE: 1240, PHONE: 1240}
"""Pixels of a page that a picture shows: the rest is more of the same."""
LOWEST = 480
MOST_BYTES = 250_000
A_MOMENT = 700
"""Milliseconds until a page that is live says so."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, and how it is looked at."""

    name: str
    place: str
    """Its address, without the host."""
    width: int = WIDE
    dark: bool = False
    keys: tuple[str, ...] = ()
    """Pressed before the picture is taken."""
    drops: tuple[str, ...] = ()
    """Samples that are dropped on the page first; the picture is of what it shows then."""


PICTURES = (
    Picture("web-runs", "/runs"),
    Picture("web-runs-phone", "/runs", PHONE),
    Picture("web-run-working", "/runs/evening"),
    Picture("web-run-lesson", "/runs/lesson"),
    Picture("web-run-manuscript", "/runs/book"),
    Picture("web-run-tifinagh", "/runs/tfng?tab=units"),
    Picture("web-run-legos", "/runs/anew"),
    Picture("web-run-questions", "/runs/demo?tab=items"),
    Picture("web-new", "/new"),
    Picture("web-new-checked", "/new", drops=("biology.json",)),
    Picture("web-queue-duplicate", "/queue?of=demo&unit=bio-009"),
    Picture("web-unit", "/runs/lesson/units/gas"),
    Picture("web-unit-dark", "/runs/lesson/units/gas", dark=True),
    Picture("web-unit-question", "/runs/demo/units/bio-002"),
    Picture("web-unit-phone", "/runs/book/units/p_0013", PHONE, dark=True),
    Picture("web-queue-question", "/queue?of=demo&unit=bio-011"),
    Picture("web-queue-legos", "/queue?of=anew&unit=C0019"),
    Picture("web-queue-phone", "/queue?of=book&unit=p_0013", PHONE, dark=True),
    Picture("web-keys", "/queue?of=rivers&unit=river-30", keys=("?",)),
    Picture("web-bulk", "/queue?of=rivers&unit=river-30", keys=("b",)),
    Picture("web-precision", "/precision"),
    Picture("web-report", "/runs/book/report.html"),
    Picture("web-queue", "/queue?of=course&unit=C0040", keys=("a",)),
)
"""In their order: the last one decides something."""


def main(target: str, *names: str) -> None:
    wanted = [picture for picture in PICTURES if not names or picture.name.startswith(names)]
    with tempfile.TemporaryDirectory() as place:
        home = Path(place).resolve()
        runs = made(home)
        with settings_of_the_server(home), workbench(runs, grace=GRACE) as bench, _browser() as browser:
            decide(bench.here.reviews)
            start(bench)
            for picture in wanted:
                taken = _taken(browser, bench, picture)
                Path(target, f"{picture.name}.png").write_bytes(taken)
                print(f"{picture.name}: {len(taken):,} bytes", flush=True)
                if len(taken) > MOST_BYTES:
                    raise SystemExit(f"{picture.name} is larger than {MOST_BYTES:,} bytes: show less of the page.")


@contextmanager
def _browser() -> Iterator[Browser]:
    path = found()
    if path is None:
        raise SystemExit(f"There is no Chromium on this machine. Install it (Debian: apt install {PACKAGE}).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def _taken(browser: Browser, bench: Workbench, picture: Picture) -> bytes:
    window = _window(picture, LOWEST)
    with browser.new_context(viewport=window, color_scheme="dark" if picture.dark else "light") as context:
        page = _let_in(context, bench)
        answer = page.goto(f"{bench.address}{picture.place}")
        assert answer is not None and answer.ok, f"{picture.place} cannot be shown"
        if picture.drops:
            samples = Path(str(files("burnish") / "samples"))
            page.set_input_files("input[type=file]", [str(samples / name) for name in picture.drops])
            page.wait_for_url("**/new/*")
        page.wait_for_timeout(A_MOMENT)
        for key in picture.keys:
            page.keyboard.press(key)
            page.wait_for_timeout(A_MOMENT)
        # A window as high as the page: a bar at its foot then stands where it belongs.
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size(_window(picture, min(height, TALLEST[picture.width])))
        return small_png(context.new_page(), page.screenshot(animations="disabled"))


def _window(picture: Picture, height: int) -> ViewportSize:
    return {"width": picture.width, "height": height}


def _let_in(context: BrowserContext, bench: Workbench) -> Page:
    """Through the link, and a name given."""
    page = context.new_page()
    page.goto(bench.link)
    page.goto(f"{bench.address}/name")
    page.locator("input[name=name]").fill(WHO)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    return page


if __name__ == "__main__":
    main(*sys.argv[1:])
