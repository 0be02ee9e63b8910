"""A whole course with its exact reports, the same from either store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.legos.course import HERE, STORES, WIDTHS, reports


@pytest.mark.parametrize("store", STORES)
def test_the_reports_are_exactly_these(tmp_path: Path, store: str) -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in sorted(HERE.iterdir())}
    assert reports(tmp_path, store) == kept


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_its_terminal(width: int) -> None:
    lines = (HERE / f"terminal_{width}.txt").read_text(encoding="utf-8").splitlines()
    assert lines and max(map(len, lines)) <= width
