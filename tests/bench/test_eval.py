"""The measuring of rules, on data made here."""

import subprocess
import sys
from pathlib import Path
from random import Random

import orjson
import pytest

from bench.eval import questions
from bench.questions_corpus import generate, near_duplicate, question


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "questions"
    folder.mkdir()
    options = [{"key": key, "text": text} for key, text in zip("ABC", ("Aspirin", "Digoxin", "Iron"), strict=True)]
    sound = {"id": "m1", "stem": "Which of these drugs blocks platelets?", "options": options, "correct_answer": "A"}
    (folder / "medqa_dev.jsonl").write_bytes(orjson.dumps(sound) + b"\n")
    labelled = [
        ("Demand reduction.", ["1,2,3", "1,2,4", "2,3,4", "1,3,4"], "bad question clarity"),
        ("Which of these drugs blocks platelets?", ["Aspirin", "Digoxin", "Iron", "Zinc"], "ok"),
    ]
    with (folder / "mmlu_redux_dev.jsonl").open("wb") as stream:
        for stem, choices, label in labelled:
            record = {"subject": "x", "question": stem, "choices": choices, "answer": "0", "error_type": label}
            stream.write(orjson.dumps(record) + b"\n")
    return tmp_path


def test_the_report_names_every_rule_and_keeps_the_limit(data: Path) -> None:
    lines, kept = questions.report(data)
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
