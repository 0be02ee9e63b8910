"""The candidate's map: any row is found by halving, and a file that somebody changed is told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import StateCorrupt
from burnish.web.kinds.manuscripts.gate import CandidateMap, MapRow

Steps = list[tuple[int, int]]
"""For each row: paragraphs that have no lines before it, and its own lines."""


def written(path: Path, steps: Steps) -> list[MapRow]:
    index, line, rows = 0, 1, []
    for skipped, lines in steps:
        index += 1 + skipped
        rows.append(MapRow(f"p_{index:04d}", index, line, line + lines - 1))
        line += lines + 1
    named = ("paragraph_id", "paragraph_index", "start_line", "end_line")
    values = [(row.paragraph, row.index, row.start, row.end) for row in rows]
    path.write_text("".join(json.dumps(dict(zip(named, one, strict=True))) + "\n" for one in values))
    return rows


@given(steps=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=40), data=st.data())
def test_every_row_is_found(tmp_path_factory: pytest.TempPathFactory, steps: Steps, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("map") / "map.jsonl"
    rows, known = written(path, steps), CandidateMap(path)
    index = data.draw(st.integers(0, (rows[-1].index if rows else 0) + 2))
    assert known.from_paragraph(index, 3) == [row for row in rows if row.index >= index][:3]
    assert known.row(index) == next((row for row in rows if row.index == index), None)
    line = data.draw(st.integers(0, (rows[-1].end if rows else 0) + 2))
    assert known.from_line(line, 2) == [row for row in rows if row.end >= line][:2]
    assert known.last() == (rows[-1] if rows else None)


def test_lines_in_words() -> None:
    assert MapRow("p", 1, 61, 61).label == "L61"
    assert MapRow("p", 1, 61, 63).label == "L61–63"


def test_before_a_candidate_is_written_there_is_nothing(tmp_path: Path) -> None:
    known = CandidateMap(tmp_path / "none.jsonl")
    assert (known.made_at, known.row(1), known.from_line(1, 5), known.last()) == (None, None, [], None)


def test_when_it_was_written_is_told(tmp_path: Path) -> None:
    written(tmp_path / "map.jsonl", [(0, 1)])
    assert (CandidateMap(tmp_path / "map.jsonl").made_at or "").endswith("+00:00")


@pytest.mark.parametrize("text", ["no json\n", '{"paragraph_id": "p"}\n', "[1]\n", '"p"\n', "{}\n" * 3])
def test_a_file_that_somebody_changed_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.jsonl").write_text(text)
    with pytest.raises(StateCorrupt, match="changed by hand"):
        CandidateMap(tmp_path / "map.jsonl").row(1)
