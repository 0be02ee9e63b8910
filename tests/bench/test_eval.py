"""The measuring of rules, on data made here."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from bench.eval import figures, lessons, proofs, questions
from bench.questions_corpus import generate, near_duplicate, question
from burnish.core.json_bytes import dumps


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "questions"
    folder.mkdir()
    options = [{"key": key, "text": text} for key, text in zip("ABC", ("Aspirin", "Digoxin", "Iron"), strict=True)]
    sound = {"id": "m1", "stem": "Which of these drugs blocks platelets?", "options": options, "correct_answer": "A"}
    for name in ("medqa_dev.jsonl", "medmcqa_dev.jsonl"):
        (folder / name).write_bytes(dumps(sound) + b"\n")
    labelled = [
        ("Demand reduction.", ["1,2,3", "1,2,4", "2,3,4", "1,3,4"], "bad question clarity"),
        ("Which of these drugs blocks platelets?", ["Aspirin", "Digoxin", "Iron", "Zinc"], "ok"),
    ]
    with (folder / "mmlu_redux_dev.jsonl").open("wb") as stream:
        for stem, choices, label in labelled:
            record = {"subject": "x", "question": stem, "choices": choices, "answer": "0", "error_type": label}
            stream.write(dumps(record) + b"\n")
    return tmp_path


def test_the_report_names_every_rule_and_keeps_the_limit(data: Path) -> None:
    lines, _ = questions.report(data, data / "standing.tsv")
    _, kept = questions.false_alarms(questions.judge(questions.sound_questions(data)))
    text = "\n".join(lines)
    assert kept and "nbme_single_best_answer" in text and "base rate 50.00%" in text
    assert any(line.split()[:4] == ["nbme_ambiguous_information", "1", "1", "100.0%"] for line in lines)


def test_an_error_rule_over_its_limit_is_said() -> None:
    fired = frozenset({"nbme_multiple_correct"})
    lines, kept = questions.false_alarms([questions.Judged("ok", fired, fired)])
    assert not kept and any("OVER 2 %" in line for line in lines)


def test_missing_data_is_said_with_exit_1(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.eval", "--data", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1 and "--data" in ran.stderr


def test_the_corpus_is_the_same_for_the_same_seed_and_grows_at_its_end() -> None:
    assert list(generate(20, seed=4)) == list(generate(30, seed=4))[:20]
    assert question(3, seed=4) != question(3, seed=5)


def test_a_near_duplicate_keeps_its_right_answer() -> None:
    original = question(8)
    copy = near_duplicate(original, Random(1), changed_words=3)
    texts = [{o["key"]: o["text"] for o in record["options"]}[record["correct_answer"]] for record in (original, copy)]
    assert texts[0] == texts[1] and copy["stem"] != original["stem"]


SOUND_LESSON = """---
title: Water
---

{intro}

## The sea

{sea}

## The land

{land}
"""
INTROS = {
    "en": "Water moves in a circle, and this lesson shows how that happens in the sky, on the land and in the sea.",
    "es": "El agua se mueve en un círculo, y esta lección muestra cómo ocurre en el cielo, en la tierra y en el mar.",
}
SEA = " ".join(["The sun warms the sea and the vapour rises into the air, where it cools and turns into clouds."] * 4)
LAND = " ".join(["The rivers carry the rain back to the sea, and the springs in the hills are never dry."] * 4)
MAR = " ".join(["El sol calienta el mar y el vapor sube al aire, donde se enfría y se convierte en nubes."] * 4)
TIERRA = " ".join(["Los ríos llevan la lluvia de vuelta al mar, y los manantiales de las colinas no se secan."] * 4)


@pytest.fixture
def lesson_data(tmp_path: Path) -> Path:
    for language, sea, land in (("en", SEA, LAND), ("es", MAR, TIERRA)):
        folder = tmp_path / "lessons" / language
        folder.mkdir(parents=True)
        (folder / "water.md").write_text(
            SOUND_LESSON.format(intro=INTROS[language], sea=sea, land=land), encoding="utf-8"
        )
    return tmp_path


def test_lessons_are_measured_part_by_part(lesson_data: Path) -> None:
    assert list(lessons.missing(lesson_data)) == []
    read = lessons.lessons(lesson_data)
    told, good = lessons.false_actions(read)
    assert good and told[0] == "Sound lessons: 2. Judged unusable: 0."
    told, good = lessons.cuts(read)
    assert good and told[0].startswith("Cuts: 200."), told
    assert "Sections in another language: 4, seen as such: 4" in lessons.swaps(read)[0][0]


def test_lessons_that_are_not_there_are_named(tmp_path: Path) -> None:
    assert list(lessons.missing(tmp_path)) == [Path("lessons/en"), Path("lessons/es")]


def test_a_change_to_a_sound_lesson_stands_with_its_reason(lesson_data: Path) -> None:
    path = lesson_data / "lessons" / "en" / "water.md"
    path.write_text(path.read_text(encoding="utf-8").replace("The rivers", "The **rivers", 1), encoding="utf-8")
    told, good = lessons.false_actions(lessons.lessons(lesson_data))
    assert good and any("unclosed_emphasis" in line and "'**'" in line for line in told)


def test_one_table_tells_what_proofs_see(data: Path) -> None:
    lines, kept = proofs.report(data, ["questions"])
    assert kept
    assert lines[2].startswith("questions: 0 of 1 originals with an error (0-")
    assert any(line.strip().startswith("Two equal options") and "100.0%" in line for line in lines)


def test_goals_stand_in_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "GOALS", [])
    figures.note("false alarms", 1, 100, 0.02, at_most=True)
    figures.note("damage caught", 9, 10, 0.95)
    head, alarms, caught = figures.goal_lines()
    assert head.split() == ["goal", "n", "share", "95", "%", "interval", "goal"]
    assert alarms.split()[2:4] == ["100", "1.0%"] and alarms.endswith("<= 2%  reached")
    assert caught.endswith(">= 95%  NOT REACHED")
