"""The tables of LEGOs, and courses of any size, on data made here."""

import os
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from bench import lego_corpus, lego_scaling
from bench.eval import legos
from bench.eval.legos import cut_course, damaged

# What only the measuring reaches is not tested by that.
pytestmark = pytest.mark.no_cover


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "translation").mkdir()
    rows = lego_corpus.pairs(30)
    (tmp_path / legos.PAIRS).write_text("".join(f"{one}\t{two}\n" for one, two in rows), encoding="utf-8")
    monkeypatch.setattr(lego_corpus, "PEOPLES", tmp_path / legos.PAIRS)
    return tmp_path


def test_courses_are_distinct_and_of_the_size_asked_for(data: Path) -> None:
    one, other = lego_corpus.pairs(300, 1), lego_corpus.pairs(300, 2)
    assert len(set(one)) == len(set(other)) == 300 and set(one) != set(other)
    assert one == lego_corpus.pairs(300, 1)
    assert set(one) & set(legos.read_pairs(lego_corpus.PEOPLES))


def test_a_course_is_taken_through_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lego_scaling, "PEOPLES", tmp_path / "none.tsv")
    monkeypatch.setattr(lego_corpus, "PEOPLES", tmp_path / "none.tsv")
    # Compiling everything anew would take longer than all that is measured here.
    monkeypatch.setattr(lego_scaling, "compiled", lambda: nullcontext(dict(os.environ)))
    monkeypatch.setattr(lego_scaling, "WARMING", 1)
    lines = lego_scaling.run(False, sizes=(20,))
    assert lines[0].what.startswith("no measuring data here")
    assert [line.verdict for line in lines if line.what.startswith("20 pairs")] != [""]


def test_damage_changes_the_cut_and_nothing_else() -> None:
    course = cut_course([("I want to go home now.", "Сакам да одам дома сега."), ("I see it.", "Го гледам.")])
    [seed] = [one for one in course.seeds if len(one.legos) > 1]
    found = dict(damaged(seed, Random(1)))
    assert {"exchanged", "shifted", "whole"} <= set(found)
    assert all(one.source == seed.source and one.legos != seed.legos for one in found.values())
    assert course.score(found["exchanged"]) < course.score(seed)
