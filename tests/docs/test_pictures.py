"""Every picture of the workbench is there, small, and shown somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.web_pictures import MOST_BYTES, PICTURES

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "docs" / "pictures"
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]


def test_the_folder_holds_the_pictures_that_are_taken() -> None:
    taken = {f"{picture.name}.png" for picture in PICTURES}
    assert {path.name for path in FOLDER.glob("web-*")} == taken, "python -m bench.web_pictures docs/pictures"


@pytest.mark.parametrize("name", [picture.name for picture in PICTURES])
def test_a_picture_is_small_and_shown(name: str) -> None:
    assert (FOLDER / f"{name}.png").stat().st_size <= MOST_BYTES
    assert any(f"pictures/{name}.png" in page.read_text(encoding="utf-8") for page in PAGES), f"no page shows {name}"
