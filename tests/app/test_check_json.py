"""Every finding of the JSON report has its line and column: there stand the words that it quotes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from burnish.app.check_json import FilePlaces
from burnish.core.findings import Finding
from burnish.kinds.questions.formats import format_named, format_of
from burnish.kinds.questions.model import Question
from tests.app.desk import Desk

QUESTIONS = [
    Question(
        id=f"q{number}",
        stem=f"A ship {number} sails.\nWhich “town” is NOT near & safe, <say> {number}?"
        if number % 2
        else f"It is {number}?",
        options=[{"key": "A", "text": "Oslo NOT"}, {"key": "B", "text": "é all"}, {"key": "C", "text": "Rome"}],
        correct_answer="A",
    )
    for number in range(8)
]
LINED = ("jsonl", "json", "moodle_xml", "qti1_item", "aiken", "csv", "tsv", "gift")


@pytest.mark.parametrize("name", LINED)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_words_stand_where_the_finding_says(tmp_path: Path, name: str, encoding: str) -> None:
    format, target = format_named(name), io.BytesIO()
    format.write(QUESTIONS, target)
    text = target.getvalue().decode().replace('encoding="UTF-8"', "")
    path = tmp_path / f"bank{format.extensions[0]}"
    path.write_bytes(text.encode(encoding))
    lines, places = io.StringIO(text, newline=None).read().split("\n"), FilePlaces(str(path))
    found = 0
    for unit in (part for part in format.read(io.BytesIO(path.read_bytes()), str(path)) if isinstance(part, Question)):
        for field, held in unit.texts().items():
            start = held.find("NOT")
            if start >= 0:
                finding = Finding("rule", "error", unit.id, field, "It is.", quote="NOT", start=start, end=start + 3)
                line, column = places.of(unit, finding)
                assert line is not None and column is not None
                assert lines[line - 1][column - 1 :].startswith("NOT"), (name, field, line, column)
                found += 1
    assert found == 12


def test_a_finding_without_a_quote_has_the_beginning_of_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text("\n\n  " + json.dumps({"id": "a", "stem": "", "options": ["x", "y"], "answer": "A"}) + "\n")
    format = format_of(str(path), path.read_bytes())
    assert format is not None
    unit = next(part for part in format.read(io.BytesIO(path.read_bytes()), str(path)) if isinstance(part, Question))
    assert FilePlaces(str(path)).of(unit, Finding("rule", "error", "a", "stem", "Empty.")) == (3, 3)


def test_the_report_has_them_and_a_package_has_rows(desk: Desk) -> None:
    text = "# Bread\n\nBread is made of flour.\n\n## Dough\n\nMix it and\n\n## Oven\n\nBake it at once.\n"
    Path("lesson.md").write_text(text)
    end = desk("check", "lesson.md", "--format", "json")
    [finding] = [one for unit in json.loads(end.out)["documents"][0]["units"] for one in unit["findings"]][:1]
    lines = text.split("\n")
    assert lines[finding["line"] - 1][finding["column"] - 1 :].startswith(finding["quote"].split("\n")[0])
    target = io.BytesIO()
    format_named("xlsx").write(QUESTIONS[1:2], target)
    Path("bank.xlsx").write_bytes(target.getvalue())
    report = json.loads(desk("check", "bank.xlsx", "--format", "json").out)
    places = {(one["line"], one["column"]) for unit in report["documents"][0]["units"] for one in unit["findings"]}
    assert places == {(2, 17)}, "the row, and the place in the cell"
