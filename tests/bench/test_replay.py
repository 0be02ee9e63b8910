"""Replaying recorded answers as blind solvers, on a small file made here."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from bench import replay
from bench.replay import Item, Outcome, Policy, cases, hear, objections, outcome, the_rule, until_november
from burnish.kinds.questions.solvers import Vote

# What only a benchmark reaches is not tested by that.
pytestmark = pytest.mark.no_cover

RIGHT = dict.fromkeys(("one", "two", "three", "four"), "A")
ITEMS = [
    Item("agreed", "A", "ok", RIGHT),
    Item("contested", "A", "ok", {**RIGHT, "one": "B"}),
    Item("wrong", "A", "wrong_key", dict.fromkeys(RIGHT, "C")),
    Item("believed", "A", "wrong_key", RIGHT),
]


def replayed(seats: int, policy: Policy, items: list[Item] = ITEMS, *, all_sure: bool = True) -> Outcome:
    return outcome(cases(items, seats, all_sure=all_sure), items, policy)


def test_one_model_that_rejects_a_key_was_not_heard_and_is() -> None:
    before, now = replayed(1, until_november), replayed(1, the_rule())
    assert (before.waiting, before.missed) == (0, 1)
    assert before.hushed == pytest.approx((1 + 1 / 4) / 4)
    assert now.hushed == 0 and now.missed == 0.5
    assert now.precision == pytest.approx(4 / 5)


def test_of_three_models_one_that_objects_is_outvoted_by_a_majority_and_heard_by_the_rule() -> None:
    assert replayed(3, objections(2)).waiting == pytest.approx(1 / 4)
    # Three of the four panels have the model that objects.
    assert replayed(3, the_rule()).waiting == pytest.approx((1 + 3 / 4) / 4)
    assert replayed(3, objections(2)).hushed > 0


def test_asking_ends_with_the_first_objection_or_where_enough_agree() -> None:
    alike = [ITEMS[0], ITEMS[2]]
    assert replayed(3, the_rule(), alike).calls == (3 + 1) / 2
    assert replayed(3, the_rule(2), alike).calls == (2 + 1) / 2
    assert replayed(3, objections(2), alike).calls == 2
    assert replayed(3, objections(3), alike).calls == (1 + 3) / 2


def test_an_answer_that_few_others_give_counts_as_unsure_and_leaves_a_mark() -> None:
    made = replayed(1, the_rule(), all_sure=False)
    assert made.waiting == pytest.approx(1 / 4)
    assert made.doubtful == pytest.approx(1 / 4 / 4)


def test_an_answer_that_could_not_be_read_is_a_call_and_no_vote() -> None:
    silent = [Item("silent", "A", "ok", {"one": None, "two": "A"})]
    assert replayed(2, the_rule(), silent).calls == 2
    assert replayed(2, the_rule(), silent).waiting == 0
    assert replayed(1, the_rule(), silent).doubtful == 0.5


ANSWERS = [None, *(Vote("m", choice, is_sure=sure) for choice in "ABC" for sure in (True, False))]


@pytest.mark.parametrize(
    "policy", [the_rule(), until_november, replay.any_two, *map(objections, (1, 2, 3))], ids=range(6)
)
def test_stopping_early_never_changes_the_verdict(policy: Policy) -> None:
    for drawn in itertools.product(ANSWERS, repeat=3):
        answers = [
            None if vote is None else Vote(str(seat), vote.choice, (), vote.is_sure) for seat, vote in enumerate(drawn)
        ]
        verdict, _, _ = hear(policy, answers, "A")
        assert policy([vote for vote in answers if vote is not None], "A", 0) == verdict


def test_the_bench_prints_its_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made_up.jsonl"
    names = {"ok": "ok", "wrong_key": "wrong groundtruth", "unclear": "bad question clarity"}
    with path.open("w") as stream:
        for number, item in itertools.product(range(8), ITEMS):
            record = {
                "id": f"{item.id}-{number}",
                "answer": 0,
                "error_type": names[item.label],
                "answers": item.answers,
            }
            stream.write(json.dumps(record) + "\n")
    lines = {line.what: line for line in replay.run(full=False, data=path)}
    assert lines["3 models: (b) accepted in silence against a sure solver"].verdict == "ok"
    assert lines["3 models: (a) accepted in silence against a sure solver"].figure > 0
    assert lines["3 models: (b) 2 for the key are enough: calls an item"].verdict == "ok"
    assert "closed half" in capsys.readouterr().out


def test_without_the_data_one_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.run(full=False, data=tmp_path / "replay_dev.jsonl") == []
    [line] = capsys.readouterr().out.splitlines()
    assert "replay_dev.jsonl" in line and "nothing is replayed" in line
