"""The story of the guide: the way through the gate, with a program on the PATH in place of Apertium."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bench import the_bet
from tests.models.test_apertium import STAND_IN

SPANISH = "Por qué no el dado de hombre?"
TABLE = {"The old house": "La casa vieja", "Why did the man not die?": SPANISH}
BEHAVIOUR = f"""
said = given
for english, spanish in {TABLE!r}.items():
    said = said.replace(english, spanish)
"""


def test_the_whole_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    program, book = tmp_path / "apertium", tmp_path / "book.md"
    program.write_text(STAND_IN.format(python=sys.executable, behaviour=BEHAVIOUR), encoding="utf-8")
    program.chmod(0o755)
    book.write_text("# The old house\n\nWhy did the man not die?\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "argv", ["the_bet", "--book", str(book)])
    assert the_bet.main() == 0
    said = capfd.readouterr().out
    assert "1 of 2 paragraphs fail the gate of the rules: p_0002" in said
    assert "1 of 2 paragraphs reworked" in said and "It begins: '# La casa vieja'" in said


def test_a_book_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["the_bet", "--book", str(tmp_path / "none.md")])
    assert the_bet.main() == 1
    assert "name the book with --book FILE" in capsys.readouterr().err


def test_the_reviser_edits_what_it_knows_and_nothing_else() -> None:
    edits = list(the_bet._edits({"unit": "p_0001", "draft": f"Dijo: {SPANISH}"}))
    assert [(edit["find"], edit["replace"]) for edit in edits] == [(SPANISH, the_bet.REVISED[SPANISH])]
    assert list(the_bet._edits({"unit": "p_0002", "draft": "Todo va bien."})) == []
