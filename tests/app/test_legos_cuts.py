"""`burnish legos cuts`: what a teacher looks through, and what programs take."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from burnish.app.legos.cut_lists import Choice, cut_list
from burnish.app.legos.cut_pages import show_cuts
from burnish.app.terminal import Screen
from burnish.store.records import FileRecords, open_records
from tests.app.desk import Desk
from tests.golden.legos.course import fill
from tests.kinds.legos.reports.sample_course import ACCEPTED, UNTOUCHED, attempt, lego, translation


@pytest.fixture
def course(desk: Desk) -> Path:
    """The golden course, with a LEGO that is doubtful."""
    fill(Path("course"))
    doubted = lego(ACCEPTED, 2, "this morning", "утрово")
    doubted["metadata"]["alignment_confidence"] = 0.05
    with FileRecords(Path("course")) as records:
        records.put_legos(ACCEPTED["uuid"], [lego(ACCEPTED, 1, "I need coffee", "Ми треба кафе"), doubted])
    return Path("course")


def listed(desk: Desk, *options: str) -> list[str]:
    return [seed["seed_id"] for seed in desk("legos", "cuts", "course", *options, "--format", "json").json["seeds"]]


def test_a_seed_is_shown_with_its_sentences_and_legos(desk: Desk, course: Path) -> None:
    said = desk("legos", "cuts", "course", "C0001", "c0006")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "C0001   9.0  accepted",
        "       I need coffee this morning",
        "       Ми треба кафе утрово",
        "       S1L1     0.90  I need coffee | Ми треба кафе",
        "       S1L2     0.05  this morning  | утрово",
        "",
        "C0006    --  not cut yet",
        "       Good evening",
        "       Добра вечер",
        "",
        "2 of 6 SEEDs, 2 LEGOs",
    ]


@pytest.mark.parametrize(
    ("options", "seeds"),
    [
        ((), ["C0001", "C0002", "C0003", "C0004", "C0005", "C0006"]),
        (("--waiting",), ["C0004", "C0005"]),
        (("--below", "7.5"), ["C0003", "C0004", "C0005"]),
        (("--below", "6", "--waiting"), ["C0005"]),
        (("--doubtful",), ["C0001"]),
        (("--doubtful", "C0002"), []),
        (("--sort", "score"), ["C0005", "C0004", "C0003", "C0002", "C0001", "C0006"]),
        (("--sort", "confidence"), ["C0001", "C0002", "C0003", "C0004", "C0005", "C0006"]),
    ],
)
def test_options_narrow_the_list_down_and_sort_it(
    desk: Desk, course: Path, options: tuple[str, ...], seeds: list[str]
) -> None:
    assert listed(desk, *options) == seeds


def test_a_table_has_a_lego_a_row(desk: Desk, course: Path) -> None:
    rows = [line.split("\t") for line in desk("legos", "cuts", "course", "--format", "tsv").out.splitlines()]
    assert rows[0] == ["seed_id", "provenance", "source", "target", "score", "confidence", "status"]
    assert rows[1] == ["C0001", "S1L1", "I need coffee", "Ми треба кафе", "9.0", "0.9", "accepted"]
    assert len(rows) == 7
    worst = desk("legos", "cuts", "course", "--format", "tsv", "--sort", "confidence").out.splitlines()
    assert worst[1].startswith("C0001\tS1L2")


def test_no_cell_parts_a_row_or_is_a_formula(desk: Desk) -> None:
    seed = translation("C0001", '=HYPERLINK("x")\tnow', "@a\nb", attempt(1, 9.0))
    with FileRecords(Path("evil")) as records:
        records.put_translation(seed)
        records.put_legos(seed["uuid"], [lego(seed, 1, seed["source"], seed["target"])])
    rows = desk("legos", "cuts", "evil", "--format", "tsv").out.splitlines()
    assert rows[1].split("\t")[2:4] == ['\'=HYPERLINK("x") now', "'@a b"]
    shown = desk("legos", "cuts", "evil").out
    assert "=HYPERLINK" in shown and "\t" not in shown


def test_what_cannot_be_used_is_named_and_left_out(desk: Desk, course: Path) -> None:
    with FileRecords(course) as records:
        records.put_translation({**UNTOUCHED, "uuid": "c" * 32, "seed_id": "C0092", "total_attempts": 3})
    for format in ("text", "tsv", "json"):
        said = desk("legos", "cuts", "course", "--format", format)
        assert said.code == 2 and "total_attempts: is 3" in " ".join((said.out + said.err).split())
    assert "C0092" not in listed(desk)


def test_bad_orders_are_refused(desk: Desk, course: Path) -> None:
    unknown = desk("legos", "cuts", "course", "C0001", "C0999")
    assert unknown.code == 2 and "There is no SEED C0999 in this course." in unknown.err
    assert desk("legos", "cuts", "course", "--store", "sqlite").code == 2
    assert desk("legos", "cuts", "nowhere").code == 2
    assert desk("legos", "cuts", "course", "--below", "11").code == 2


@pytest.mark.parametrize("width", [80, 120])
def test_long_sentences_are_wrapped_at_words(desk: Desk, width: int) -> None:
    source, target = " ".join(["somewhere"] * 30), " ".join(["негде"] * 30)
    seed = translation("C0001", source, target, attempt(1, 9.0), person=True, uncovered=["At"])
    with FileRecords(Path("long")) as records:
        records.put_translation(seed)
        records.put_legos(seed["uuid"], [lego(seed, 1, source[:99], target[:99])])
    screen = Screen(io.StringIO(), no_color=True)
    screen.width = width
    with open_records(Path("long")) as records:
        show_cuts(screen, cut_list(records, Choice()))
    assert isinstance(screen.stream, io.StringIO)
    lines = screen.stream.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert {word for line in lines for word in line.split()} >= {"somewhere", "негде", "At", "|"}
    assert not any(word.startswith("somewh") and word != "somewhere" for line in lines for word in line.split())
    assert any("to be seen: an unusual SEED: 30 words" in line for line in lines)
