"""The tables of LEGOs, and courses of any size, on data made here."""

import os
from contextlib import nullcontext
from pathlib import Path

import orjson
import pytest

from bench import lego_corpus, lego_scaling
from bench.eval import legos
from bench.eval.legos import Course, broken, course_table, cut_course, exchanged, marked_verbs
from burnish.kinds.legos.model import Lego, Seed

# What only the measuring reaches is not tested by that.
pytestmark = pytest.mark.no_cover
MARKED = [
    {
        "text": "He called me back, can't you see?",
        "words": ["He", "called", "me", "back", ",", "ca", "n't", "you", "see", "?"],
        "multiword": [{"tokens": [2, 4], "text": "called back", "category": "V.VPC.full"}],
    },
    {
        "text": "Turn on the light in the hall.",
        "words": ["Turn", "on", "the", "light", "in", "the", "hall", "."],
        "multiword": [
            {"tokens": [1, 2], "text": "Turn on", "category": "V.VPC.full"},
            {"tokens": [6, 7], "text": "the hall", "category": "N"},
        ],
    },
]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "legos").mkdir()
    (tmp_path / "translation").mkdir()
    (tmp_path / legos.MARKED).write_bytes(b"\n".join(map(orjson.dumps, MARKED)))
    rows = lego_corpus.pairs(30)
    (tmp_path / legos.PAIRS).write_text("".join(f"{one}\t{two}\n" for one, two in rows), encoding="utf-8")
    monkeypatch.setattr(lego_corpus, "PEOPLES", tmp_path / legos.PAIRS)
    return tmp_path


def test_marked_verbs_are_counted_whole_and_split(data: Path) -> None:
    assert [(verb.text, verb.is_split, verb.is_whole) for verb in marked_verbs(data)] == [
        ("called back", True, True),
        ("Turn on", False, True),
    ]


def test_the_report_has_every_table_and_keeps_the_limits(data: Path) -> None:
    lines, kept = legos.report(data)
    text = "\n".join(lines)
    assert kept, text
    assert "broken invariants" in text and "contiguous" in text and "SEEDs shuffled" in text
    assert list(legos.missing(data)) == [] and len(list(legos.missing(data / "none"))) == 2


def test_broken_invariants_are_told() -> None:
    course = cut_course([("I want to go home.", "Сакам да одам дома."), ("I see it.", "Го гледам.")])
    torn = Seed("C0001", "", "I see it.", "Го гледам.", "mkd_for_eng", (Lego("see", "гледам", 2, 5, 3, 9),))
    assert any("No LEGO holds" in fault for fault in broken(torn))
    lines, kept = course_table(Course([torn, *course.seeds[1:]], course.reviews, 0.0, course.links))
    assert not kept and any("FAIL" in line for line in lines)


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


def test_target_halves_are_exchanged_between_neighbours() -> None:
    legos = (Lego("I", "Јас", 0, 1, 0, 3), Lego("see", "гледам", 2, 5, 4, 10), Lego("it", "тоа", 6, 8, 11, 14))
    seeds = list(exchanged(Seed("C0001", "", "I see it", "Јас гледам тоа", "mkd_for_eng", legos)))
    assert [[lego.target for lego in seed.legos] for seed in seeds] == [
        ["гледам", "Јас", "тоа"],
        ["Јас", "тоа", "гледам"],
    ]
    assert all(seed.target[lego.target_start : lego.target_end] == lego.target for seed in seeds for lego in seed.legos)
