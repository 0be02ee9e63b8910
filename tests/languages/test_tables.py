"""The data files of languages: each has a module that reads it, and none is left out of the wheel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from burnish.languages import tables

SUBJECTS = sorted(path.stem for path in tables.DATA.glob("*.toml"))
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_file_is_read_by_a_module(subject: str) -> None:
    modules = tables.DATA.parents[1].rglob("*.py")
    assert tables.table(subject)
    assert any(f'("{subject}"' in module.read_text(encoding="utf-8") for module in modules)


def test_lists_are_split_at_blanks() -> None:
    assert {"km", "wi-fi"} <= tables.words_in("loans", "everywhere")
    assert tables.words_by_language("sentences", "never_last")["nl"] >= {"de", "het"}


def test_the_lines_of_a_pattern_are_joined() -> None:
    assert tables.joined_lines("\n    one|\n    two\n") == "one|two"


def test_the_wheel_takes_the_whole_package() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build == {"targets": {"wheel": {"packages": ["src/burnish"]}}}
