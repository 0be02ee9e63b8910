"""`--estimate` for lessons: an upper bound that really is one, a likely bill, and no call."""

from pathlib import Path
from typing import Any

import pytest

from burnish.engine.estimating import Estimate
from burnish.engine.forecasting import estimate_documents
from burnish.llm.budget import Price
from burnish.surfaces.materials import kind_of
from burnish.surfaces.polishing import plan_of
from tests.engine.lessons_bench import JUDGES, NONCE, LessonRun, one_lesson, scripted
from tests.lessons_model import BOILS, EVAPORATION, SOUND, VAGUE, Character, World, lesson

CUT = EVAPORATION.format(**SOUND).rsplit(". ", 1)[0] + " and the"
READER = {"patcher": "scripted:patcher", "reviewer": "scripted:reader"}
GENERATOR = {**READER, "generator": "scripted:generator"}


def estimate(run: LessonRun, **prices: Price) -> Estimate:
    plan = plan_of(run.order(), run.loaded(), nonce=NONCE)
    return estimate_documents(plan, kind_of(plan), prices)  # type: ignore[arg-type]


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
