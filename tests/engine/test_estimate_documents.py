"""`--estimate` for lessons: an upper bound that really is one, a likely bill, and no call."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.materials import kind_of
from burnish.app.polish_plan import plan_of
from burnish.engine.estimate import Estimate
from burnish.engine.estimate import estimate as estimate_plan
from burnish.models.budget import Price
from tests.engine.lessons_bench import JUDGES, NONCE, LessonRun, one_lesson, scripted
from tests.lessons_model import BOILS, DRY, EVAPORATION, SOUND, VAGUE, Character, Question, World, lesson

CUT = EVAPORATION.format(**SOUND).rsplit(". ", 1)[0] + " and the"
READER = {"patcher": "scripted:patcher", "reviewer": "scripted:reader"}
GENERATOR = {**READER, "generator": "scripted:generator"}


def estimate(run: LessonRun, **prices: Price) -> Estimate:
    plan = replace(plan_of(run.order(), run.loaded()), nonce=NONCE)
    return estimate_plan(plan, kind_of(plan), prices)  # type: ignore[arg-type]


SITUATIONS: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, Character]]] = {
    "sound": (lesson(), READER, {}),
    "with defects": (lesson(BOILS, VAGUE), READER, {}),
    "broken": (lesson(evaporation=CUT), READER, {"patcher": "disobedient"}),
    "a panel that is silent": (lesson(), READER, dict.fromkeys(("judge-a", "judge-b", "judge-c"), "garbled")),
    "a reader that is silent": (lesson(), READER, {"reader": "garbled"}),
    "written again": (lesson(), GENERATOR, dict.fromkeys(("judge-a", "judge-b", "judge-c"), "harsh")),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_no_run_costs_more_than_the_estimate_says(tmp_path: Path, name: str) -> None:
    made, roles, characters = SITUATIONS[name]
    run = one_lesson(tmp_path, made, judges=JUDGES, roles=roles, sources=True)
    foreseen = estimate(run)
    assert not run.folder.root.exists(), "an estimate writes nothing"
    result = run.start(scripted(World(base=0.88, characters=characters)))
    spent = result.outcome.totals
    assert spent.usage.total_tokens <= foreseen.at_most.tokens
    assert spent.calls <= foreseen.at_most.calls
    assert 0 < foreseen.likely.tokens <= foreseen.at_most.tokens


def test_a_sound_lesson_costs_about_what_was_likely(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(), judges=JUDGES, roles=READER, sources=True)
    foreseen = estimate(run)
    result = run.start(scripted(World()))
    repairs = 1
    assert result.outcome.totals.calls <= foreseen.likely.calls - repairs <= result.outcome.totals.calls + 1


def test_units_and_money_are_counted(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(evaporation=CUT), judges=JUDGES[:2], roles=READER)
    priced = estimate(run, **{model: Price(1.0, 2.0) for model in (*JUDGES, *READER.values())})
    assert (priced.units, priced.clean, priced.to_correct) == (6, 5, 1)
    assert 0 < priced.likely.cost < priced.at_most.cost
    assert priced.unpriced == ()
    assert estimate(run).unpriced


def test_what_cannot_be_judged_costs_nothing(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(), judges=(), roles={})
    foreseen = estimate(run)
    assert (foreseen.at_most.calls, foreseen.likely.calls) == (0, 0)


class Forgetful:
    """Answers in a manner that has to be asked for again: the first `slips` times each question gets no JSON."""

    def __init__(self, slips: Mapping[str, int], of_units: bool) -> None:
        self._slips, self._of_units = slips, of_units
        self._heard: Counter[tuple[str, str, str]] = Counter()

    def __call__(self, question: Question) -> object | None:
        if question.reply == ("lesson_judge_reply" if self._of_units else "judge_reply"):
            return None
        key = (question.model, question.reply, str(sorted(question.parts.items())))
        self._heard[key] += 1
        return "no JSON" if self._heard[key] <= self._slips.get(question.reply, 0) else None


@pytest.mark.parametrize("of_units", [True, False])
def test_what_is_asked_for_again_is_foreseen(tmp_path: Path, of_units: bool) -> None:
    """Without a patcher nothing is refined, so that repairs leave no room for what is not counted."""
    slips = {
        "judge_reply": 1,
        "lesson_judge_reply": 1,
        "self_review_reply": 2,
        "claims_reply": 2,
        "claim_verdict_reply": 2,
    }
    disagreeing = World(override=Forgetful(slips, of_units), leniency={"judge-b": -0.5})
    run = one_lesson(tmp_path, lesson(), judges=JUDGES, roles={"reviewer": "scripted:reader"}, sources=True)
    foreseen = estimate(run)
    result = run.start(scripted(disagreeing))
    once = estimate(run).likely.calls
    assert once < result.outcome.totals.calls <= foreseen.at_most.calls
    assert result.outcome.totals.usage.total_tokens <= foreseen.at_most.tokens


@pytest.mark.parametrize("mute", [("judge-a", "judge-b"), ("judge-a", "judge-b", "judge-c")])
def test_delta_judges_that_are_mute_are_foreseen(tmp_path: Path, mute: tuple[str, ...]) -> None:
    def silent(question: Question) -> object | None:
        return "no JSON" if question.reply == "delta_reply" and question.model in mute else None

    broken = (BOILS, VAGUE, DRY)
    run = one_lesson(tmp_path, lesson(*broken), judges=JUDGES, roles=READER, sources=True)
    foreseen = estimate(run)
    result = run.start(scripted(World(defects=broken, override=silent, base=0.8)))
    assert result.outcome.totals.calls <= foreseen.at_most.calls
