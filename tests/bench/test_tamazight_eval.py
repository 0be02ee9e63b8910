"""The measuring of the script pass, on lines made here."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.eval import tamazight


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "tamazight"
    folder.mkdir()
    latin = "Azul fell-awen, yewεer!\n\nKečč deg École.\n"
    for name in tamazight.IN_LATIN:
        (folder / name).write_text(latin, encoding="utf-8")
    for name in tamazight.IN_TIFINAGH:
        (folder / name).write_text("ⴰⵣⵓⵍ ⴰⴽⴽⵯ, 1.\n", encoding="utf-8")
    return tmp_path


def test_lines_are_counted_there_and_back(data: Path) -> None:
    assert list(tamazight.missing(data)) == []
    lines, kept = tamazight.report(data)
    assert kept and any("ε look_alike 2" in line for line in lines)
    kabyle = tamazight.from_latin(["Azul!", "Kečč", "École"], "kabyle")
    assert (kabyle.lines, kabyle.left, kabyle.back, kabyle.unaccounted) == (3, 0, 2, 0)
    ircam = tamazight.from_latin(["Azul!", "Kečč"], "ircam")
    assert (ircam.back, ircam.unaccounted) == (1, 0)


def test_a_line_over_the_limit_is_said(data: Path) -> None:
    (data / "tamazight" / "udhr_zgh.txt").write_text("ⵆⴰ\n", encoding="utf-8")
    lines, kept = tamazight.report(data)
    assert not kept and any(line.endswith("OVER") for line in lines)
    assert tamazight.from_latin(["aʘ"], "kabyle").left == 1


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    assert len(list(tamazight.missing(tmp_path))) == 4
