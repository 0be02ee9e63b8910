"""`burnish demo`: the main job without a key, and the golden files of what it leaves behind."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.desk import Desk, borrowed, sitting_in

GOLDEN = Path(__file__).parents[1] / "golden" / "polish"
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)")
TOKENS = re.compile(r'("\w+_tokens": ?)\d+')
"""They depend on the wording of the prompts, which has tests of its own."""
NAMES = ("receipt.json", "report.json", "validation.jsonl", "corrections.jsonl", "review_queue.jsonl")


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a demo left behind, only to be looked at: it is made once."""
    with sitting_in(tmp_path_factory.mktemp("demo")) as desk:
        assert desk("demo", "--keep", "kept").code == 0
        return desk.home / "kept"


@pytest.fixture
def kept(left: Path, desk: Desk) -> Iterator[Desk]:
    """The same to work on."""
    with borrowed(left.parent, desk) as there:
        yield there


def test_it_runs_in_a_folder_that_is_gone_afterwards(desk: Desk) -> None:
    said = desk("demo")
    assert said.code == 0
    assert "12 questions: 10 accepted, 4 of them changed, 1 with open findings, 2 for a person" in said.out
    assert "burnish demo --keep demo" in said.out
    assert re.search(r"With openai:gpt-5-mini, the same [\d,]+ tokens cost about \$0\.0\d,", said.out)
    assert len(said.out.splitlines()) <= 100, "two screens"
    assert list(desk.home.iterdir()) == []


def test_a_lesson_follows_the_questions(left: Path, desk: Desk) -> None:
    receipt = json.loads((left / "runs" / "lesson" / "receipt.json").read_text())
    assert [document["changed"] for document in receipt["published"]] == [["yeast", "gas", "warmth"]]
    mended = json.loads((left / "runs" / "lesson" / "out" / "bread.json").read_text())["content"]["sections"]
    assert "Certainly" not in mended[0]["content"] and "So keep the dough well below" in mended[3]["content"]
    assert desk("show", "lesson", "warmth", "--runs", left / "runs").code == 0


def test_a_book_follows_the_lesson(left: Path) -> None:
    candidate = (left / "runs" / "book" / "final" / "candidate.md").read_text(encoding="utf-8")
    assert "cada 9 días" in candidate and "hasta la mañana" in candidate
    rows = (left / "runs" / "book" / "state" / "paragraph_state.jsonl").read_text(encoding="utf-8").splitlines()
    waiting = [row["paragraph_id"] for row in map(json.loads, rows) if row["status"] == "manual_review_required"]
    assert waiting == ["p_0013"]


def test_the_book_is_published_with_the_commands_that_the_demo_names(kept: Desk) -> None:
    runs = kept.home / "kept" / "runs"
    assert kept("decide", "book", "p_0013", "accept", "--by", "Ada", "--runs", runs).code == 0
    assert kept("resume", "book", "--approve", "--runs", runs).code == 0
    published = (runs / "book" / "final" / "final.md").read_text(encoding="utf-8")
    assert published.startswith("# La lámpara en la roca\n\n") and "```\n18:40  SW 6  cloudy  3 ships\n```" in published


def test_the_book_alone_shows_what_was_left_for_a_person(desk: Desk) -> None:
    said = desk("demo", "manuscripts", "--verbose")
    assert said.code == 0 and "12 paragraphs: " in said.out
    assert "$ burnish polish" not in said.out
    assert "reworked p_0003  Number changed (numbers_changed)" in said.out and "person   p_0013" in said.out
    assert "Attempt 4  reworked by a small edit" in said.out
    assert "burnish demo manuscripts --keep demo" in said.out


def test_a_course_comes_last(left: Path, desk: Desk) -> None:
    """Cut without a model: the sentence of thirty words waits for a person, and all files are valid."""
    course = left / "neighbours"
    summary = json.loads((course / "quality_reports" / "quality_report.json").read_text())["quality_summary"]
    assert summary["total_seeds"] == 40 and summary["failed"] == 0
    waiting = json.loads((course / "quality_reports" / "human_review_queue.json").read_text())["seeds"]
    assert "C0040" in [row["seed_id"] for row in waiting]
    assert summary["pending_review"] == len(waiting) == 40 - summary["accepted"], "as `legos extract` counts them"
    met = {(row["source"], row["target"]) for row in json.loads((course / "teaching_order.json").read_text())["legos"]}
    assert ("called me back yesterday", "me devolvió la llamada ayer") in met
    assert desk("legos", "validate", course).code == 0
    assert not (left / "runs" / "anew").exists(), "the model's part is shown where the course is shown alone"


def test_the_course_is_settled_with_the_commands_that_the_demo_names(kept: Desk) -> None:
    runs = kept.home / "kept" / "runs"
    assert kept("show", "course", "C0017", "--runs", runs).code == 0
    others = [part for seed in ("C0019", "C0032", "C0036", "C0040") for part in ("--also", seed)]
    assert kept("decide", "course", "C0017", "accept", *others, "--by", "Ada", "--runs", runs).code == 0
    assert kept("resume", "course", "--runs", runs).code == 0
    queue = json.loads((kept.home / "kept" / "neighbours" / "quality_reports" / "human_review_queue.json").read_text())
    assert queue == {"count": 0, "seeds": []}


def test_the_course_alone_shows_what_a_model_does(desk: Desk) -> None:
    said = desk("demo", "legos", "--verbose", "--keep", "kept")
    assert said.code == 0 and "$ burnish translate" not in said.out
    assert " for a person, 33 accepted before" in said.out
    course = desk.home / "kept" / "neighbours"
    assert desk("legos", "validate", course).code == 0


@pytest.mark.parametrize(("kind", "noun"), [("questions", "12 questions"), ("lessons", "9 units")])
def test_one_kind_alone(desk: Desk, kind: str, noun: str) -> None:
    said = desk("demo", kind)
    assert said.code == 0 and f"{noun}: " in said.out
    assert said.out.count("$ burnish polish") == 1


def test_a_demo_that_is_kept_can_be_finished_with_the_commands_it_names(kept: Desk) -> None:
    runs = kept.home / "kept" / "runs"
    assert kept("show", "demo", "bio-002", "--runs", runs).code == 0
    for unit in ("bio-009", "bio-011"):
        assert kept("decide", "demo", unit, "accept", "--by", "Ada", "--runs", runs).code == 0
    assert kept("resume", "demo", "--runs", runs).code == 0
    assert json.loads((runs / "demo" / "receipt.json").read_text())["published"]


def test_a_demo_may_be_repeated_in_its_folder(kept: Desk) -> None:
    again = kept("demo", "--keep", "kept")
    assert again.code == 0, again.err
    assert "12 questions: 10 accepted" in again.out


@pytest.mark.parametrize("name", NAMES)
def test_what_it_leaves_behind_is_as_it_should_be(left: Path, name: str) -> None:
    """`WRITE_GOLDEN=1` writes the golden files anew; look at the difference before keeping it."""
    text = (left / "runs" / "demo" / name).read_text(encoding="utf-8")
    found = TOKENS.sub(r"\1 0", TIMES.sub("TIME", text)).replace(str(left), "HOME").replace("kept/", "HOME/")
    golden = GOLDEN / name
    if os.environ.get("WRITE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")
