"""Estimates: what a run does cost lies between what is likely and what is possible."""

import asyncio
import json
from pathlib import Path

import pytest

from burnish.app.kinds import kind_named
from burnish.app.polish_plan import Order, plan_of
from burnish.engine.estimate import Estimate
from burnish.engine.estimate import estimate as estimate_plan
from burnish.models.budget import Price
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from tests.engine.questions_bench import (
    CLEAN,
    above,
    edit,
    keyless,
    loaded_for,
    mends,
    negative,
    objection,
    run,
    scripted,
    sound,
    untidy,
    write_bank,
)

PANEL = ("scripted:one", "scripted:two", "scripted:three")


def estimate(bank: Path, model: str | None = "scripted:m", judges: tuple[str, ...] = (), **order: object) -> Estimate:
    loaded = loaded_for(bank.parent, model, judges, {})
    plan = plan_of(Order(str(bank), run_id="e", **order), loaded)  # type: ignore[arg-type]
    kind = kind_named("questions")
    return estimate_plan(plan, kind, {"scripted:m": Price(1.0, 10.0)})


def a_bank(folder: Path) -> Path:
    return write_bank(
        folder,
        [sound(0), negative(1), above(2), untidy(3), keyless(4), sound(0, "twin"), untidy(5, correct_answer="Q")],
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
    bank = write_bank(tmp_path, [negative(0)])
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
    told = estimate(write_bank(tmp_path, [sound(0), negative(1)]), model=None)
    assert told.likely.calls == 1
    assert told.at_most.calls == 4, "each may be cut off once"


def test_judges_without_a_corrector_only_review(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text('[models]\nreviewer = "scripted:m"\n')
    bank = write_bank(tmp_path, [sound(0), negative(1)])
    told = estimate(bank, model=None)
    assert (told.likely.calls, told.at_most.calls) == (1, 2)
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
            return RawReply(json.dumps(CLEAN), TokenCount(300, call.max_tokens))

    bank = write_bank(tmp_path, [sound(0)])
    told = estimate(bank)
    _, result = run(bank, tmp_path / "runs", ShortOfRoom())
    assert result.outcome.totals.calls == 2
    assert result.outcome.totals.usage.total_tokens <= told.at_most.tokens
