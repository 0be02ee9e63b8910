"""Parts that do not become units: a refused one is a hole, whatever was refused about it; others are carried."""

import json
from pathlib import Path

import pytest

from burnish.kinds.questions.formats.source import FIELD_CHARACTERS
from tests.app.desk import Desk
from tests.engine.questions_bench import TOPICS, biased, sound

STEM, OPTIONS = TOPICS[0]
LONG = "x " * (FIELD_CHARACTERS // 2 + 1) + STEM


def _with(number: str) -> str:
    return f'{json.dumps(sound(0))[:-1]}, "score": {number}}}'


REFUSED = {
    "endless.json": f"[{_with('1e400')}, {json.dumps(sound(1))}]",
    "endless.jsonl": f"{_with('-1e999')}\n{json.dumps(sound(1))}\n",
    "wide.jsonl": f"{_with('12345678901234567890123')}\n{json.dumps(sound(1))}\n",
    "long.json": json.dumps([sound(0, stem=LONG), sound(1)]),
    "long.gift": f"::q:: {LONG} {{={OPTIONS[0]} ~{OPTIONS[1]} ~{OPTIONS[2]}}}\n",
    "long.csv": f"id,question,A,B,C,D,answer\nq0,{LONG},{','.join(OPTIONS)},A\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_not_published_without_a_word(desk: Desk, name: str) -> None:
    path = desk.home / name
    path.write_text(REFUSED[name])
    assert desk("check", path).code == 2
    said = desk("polish", path, "--rules-only", "--run-id", "r")
    assert (said.code, "Published" in said.out) == (2, False)
    [blocker] = desk("status", "r", "--json").json["blockers"]
    assert (blocker["reason"], blocker["document"]) == ("unreadable_input", name)
    [problem] = json.loads((desk.run().root / "report.json").read_text())["problems"]
    assert problem["blocks"] is True and problem["unit"] is not None


def test_it_is_told_before_the_first_call_and_in_the_estimate(desk: Desk) -> None:
    path = desk.home / "bank.jsonl"
    path.write_text(f"{_with('1e400')}\n{json.dumps(biased(1))}\n")
    options = ("--model", desk.model("q1"))
    foretold = "note: 1 part of the input cannot be used, so nothing will be published:"
    assert foretold in desk("polish", path, "--rules-only", *options, "--estimate").out
    assert foretold in desk("polish", path, "--rules-only", *options, "--run-id", "r", "--max-tokens", 1).err


def test_an_id_that_had_to_be_changed_blocks_nothing(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), sound(1, "q0")), "--rules-only", "--run-id", "r")
    assert said.code == 0
    [problem] = json.loads(Path(desk.run().root / "report.json").read_text())["problems"]
    assert (problem["code"], problem["blocks"]) == ("duplicate_id", False)


def test_two_right_answers_are_bad_input_for_polish_as_for_check(desk: Desk) -> None:
    question = {"id": "q0", "question": STEM, "choices": dict(zip("ABCD", OPTIONS, strict=True)), "answer": "A"}
    path = desk.home / "bank.json"
    path.write_text(json.dumps([{**question, "correct_answer": "B"}, sound(1)]))
    assert desk("check", path).code == 2
    said = desk("polish", path, "--rules-only", "--run-id", "r")
    assert said.code == 2
    assert "answer names 'A' as the right answer, correct_answer 'B'" in said.out
    assert "Not published: 1 part of the input cannot be used." in said.out
    assert desk("status", "r", "--json").json["states"] == {"validated": 2}


def test_what_is_not_judged_is_listed(desk: Desk) -> None:
    path = desk.home / "bank.gift"
    path.write_text("::pairs:: Match. {=two -> even =five -> odd}\n\n::essay:: Say why. {}\n")
    said = desk("polish", path, "--rules-only", "--run-id", "r")
    assert said.code == 0
    assert "  carried  pairs  matching: not judged, carried unchanged" in said.out
    assert "  carried  essay  essay: not judged, carried unchanged" in said.out


def test_many_that_are_not_judged_are_counted(desk: Desk) -> None:
    path = desk.home / "bank.gift"
    path.write_text("".join(f"::essay {number}:: Say why. {{}}\n\n" for number in range(20)))
    said = desk("polish", path, "--rules-only", "--run-id", "r")
    assert said.out.count("  carried  ") == 15 and "  and 5 more" in said.out
