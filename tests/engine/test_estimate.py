"""Estimates: what a run does cost lies between what is likely and what is possible."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app.kinds import kind_named
from burnish.app.polish_plan import Order, plan_of
from burnish.core.effects import Request
from burnish.core.forecasts import usual_tokens
from burnish.core.records import ModelUsage
from burnish.core.replies import REPLIES
from burnish.engine.estimate import Estimate, Habits
from burnish.engine.estimate import estimate as estimate_plan
from burnish.models.budget import Price
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from tests.engine.questions_bench import (
    CLEAN,
    SOLVED,
    biased,
    edit,
    filled,
    keyless,
    loaded_for,
    mends,
    objection,
    run,
    scripted,
    sound,
    untidy,
    write_bank,
)
from tests.models.fixtures import a_call

PANEL = ("scripted:one", "scripted:two", "scripted:three")


def estimate(bank: Path, model: str | None = "scripted:m", judges: tuple[str, ...] = (), **order: object) -> Estimate:
    loaded = loaded_for(bank.parent, model, judges, {})
    plan = plan_of(Order(str(bank), run_id="e", **order), loaded)  # type: ignore[arg-type]
    kind = kind_named("questions")
    return estimate_plan(plan, kind, {"scripted:m": Price(1.0, 10.0)})


def a_bank(folder: Path) -> Path:
    return write_bank(
        folder,
        [sound(0), biased(1), filled(2), untidy(3), keyless(4), sound(0, "twin"), untidy(5, correct_answer="Q")],
    )


def quarrelsome(call: Call) -> object:
    """Objects to everything; corrections never settle anything."""
    if call.reply_name == "edit_reply":
        word = "woman" if "woman" in call.user else "person"
        return edit(call.unit, word, "person" if word == "woman" else "woman")
    return objection("Which of the following")


@pytest.mark.parametrize("judges", [(), PANEL], ids=["one reviewer", "a panel of three"])
@pytest.mark.parametrize("answer", [mends, quarrelsome])
def test_reality_lies_within_the_bounds(tmp_path: Path, judges: tuple[str, ...], answer: object) -> None:
    bank = a_bank(tmp_path)
    told = estimate(bank, judges=judges)
    _, result = run(bank, tmp_path / "runs", scripted(answer), judges=judges)  # type: ignore[arg-type]
    totals = result.outcome.totals
    assert totals.calls <= told.at_most.calls
    assert totals.usage.total_tokens <= told.at_most.tokens
    if answer is mends:
        assert told.likely.calls == totals.calls
        assert told.likely.tokens <= told.at_most.tokens


def test_the_units_are_counted_by_what_will_become_of_them(tmp_path: Path) -> None:
    told = estimate(a_bank(tmp_path))
    assert (told.units, told.clean, told.to_correct, told.for_a_person) == (7, 2, 2, 3)


def test_without_a_model_nothing_costs_anything(tmp_path: Path) -> None:
    told = estimate(a_bank(tmp_path), model=None)
    assert (told.clean, told.to_correct, told.for_a_person) == (2, 0, 5)
    assert told.likely.calls == told.at_most.calls == told.at_most.tokens == 0
    assert told.unpriced == ()


def test_money_is_counted_where_the_price_is_known(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    assert 0 < estimate(bank).likely.cost < estimate(bank).at_most.cost
    assert estimate(bank).unpriced == ()
    panel = estimate(bank, judges=PANEL)
    assert panel.unpriced == PANEL


def test_nothing_is_called_and_nothing_is_written(tmp_path: Path) -> None:
    bank = a_bank(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    estimate(bank, against=str(bank))
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_bank_that_is_a_duplicate_of_another_costs_nothing(tmp_path: Path) -> None:
    bank, earlier = write_bank(tmp_path, [sound(0)]), write_bank(tmp_path, [sound(0, "old")], "earlier.json")
    told = estimate(bank, against=str(earlier))
    assert told.for_a_person == 1
    assert told.at_most.calls == 0


def test_a_corrector_without_judges_is_not_asked_about_clean_units(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text('[models]\ncorrector = "scripted:m"\n')
    told = estimate(write_bank(tmp_path, [sound(0), biased(1)]), model=None)
    assert told.likely.calls == 1
    assert told.at_most.calls == 4, "each may be cut off once"


def test_judges_without_a_corrector_only_review(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text('[models]\nreviewer = "scripted:m"\n')
    bank = write_bank(tmp_path, [sound(0), biased(1)])
    told = estimate(bank, model=None)
    assert (told.likely.calls, told.at_most.calls) == (2, 4), (
        "a review and a blind answer, each asked for twice at most"
    )
    assert told.for_a_person == 1


def test_replies_of_ordinary_length_are_likely(tmp_path: Path) -> None:
    class Wordy:
        async def send(self, call: Call) -> RawReply:
            await asyncio.sleep(0)
            return RawReply('{"reasoning": "' + "word " * 200 + '", "violations": []}', None)

    bank = write_bank(tmp_path, [sound(0)])
    told = estimate(bank)
    _, result = run(bank, tmp_path / "runs", Wordy())
    assert told.likely.tokens <= result.outcome.totals.usage.total_tokens <= told.at_most.tokens


def test_what_no_edit_can_mend_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text(
        '[check]\ninstitution = "n"\n[institutions.n]\nrequired_metadata = ["slo_ids"]\n'
    )
    told = estimate(write_bank(tmp_path, [sound(0, metadata={"difficulty": "easy"})]))
    assert (told.for_a_person, told.at_most.calls) == (1, 0)


def test_a_reply_that_is_cut_off_and_asked_for_again_is_within_the_bounds(tmp_path: Path) -> None:
    class ShortOfRoom:
        async def send(self, call: Call) -> RawReply:
            await asyncio.sleep(0)
            if call.max_tokens < 2_000:
                raise ProviderFault("truncated", "cut off", usage=TokenCount(300, call.max_tokens))
            said = SOLVED if call.reply_name == "answer_reply" else CLEAN
            return RawReply(json.dumps(said), TokenCount(300, call.max_tokens))

    bank = write_bank(tmp_path, [sound(0)])
    told = estimate(bank)
    _, result = run(bank, tmp_path / "runs", ShortOfRoom())
    assert result.outcome.totals.calls == 4, "a review and a blind answer, each of them twice"
    assert result.outcome.totals.usage.total_tokens <= told.at_most.tokens


class TestHabits:
    """How long a model thinks is known after twenty calls of it."""

    ROOM = 8_000

    def written(self, *recorded: ModelUsage, thinking: int = ROOM, role: str = "") -> tuple[int, int]:
        call = replace(a_call(), thinking=thinking, role=role or "reviewer")
        return Habits(recorded).written(call, 100)

    def used(self, answered: int, completion: int, reasoning: int, **other: str) -> ModelUsage:
        named = {"model": a_call().model, "role": "reviewer", **other}
        return ModelUsage(answered=answered, completion_tokens=completion, reasoning_tokens=reasoning, **named)

    def test_at_first_it_is_a_range(self) -> None:
        assert self.written() == (100, 8_100)
        assert self.written(self.used(19, 40_000, 38_000)) == (100, 8_100)
        assert self.written(self.used(99, 40_000, 38_000, model="openai:other")) == (100, 8_100)

    def test_then_it_is_the_mean_of_what_was_recorded(self) -> None:
        assert self.written(self.used(20, 44_000, 40_000)) == (2_100, 2_100)
        several = self.used(10, 11_000, 10_000), self.used(10, 31_000, 30_000)
        assert self.written(*several) == (2_100, 2_100), "of several runs"

    def test_a_role_speaks_for_itself_once_it_was_heard(self) -> None:
        others = self.used(40, 44_000, 40_000, role="corrector")
        assert self.written(others) == (1_100, 1_100)
        assert self.written(others, self.used(5, 16_000, 15_000)) == (3_100, 3_100)

    def test_thinking_that_is_not_told_apart_is_counted_with_the_answer(self) -> None:
        assert self.written(self.used(20, 44_000, 0)) == (2_200, 2_200)

    def test_who_does_not_think_writes_the_answer(self) -> None:
        assert self.written(thinking=0) == self.written(self.used(20, 9_000, 0), thinking=0) == (100, 100)


def test_a_usual_answer_objects_to_nothing_unless_it_repeats_content() -> None:
    def ask(reply: str, usual: int | None = None, scores: tuple[str, ...] | None = None) -> Request:
        return Request("r", "u", "p", reply, {}, {}, 900, usual=usual, scores=scores)

    assert all(60 < usual_tokens(ask(name)) < 200 for name in REPLIES)
    assert usual_tokens(ask("edit_reply")) > usual_tokens(ask("question_review_reply"))
    assert usual_tokens(ask("translation_reply", usual=700)) == 700
    few = ask("lesson_judge_reply", scores=("completeness",))
    assert usual_tokens(few) < usual_tokens(ask("lesson_judge_reply"))
