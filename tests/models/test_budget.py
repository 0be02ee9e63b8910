"""The budget: reservations, ceilings, prices, estimates of tokens, and charges when usage is missing or absurd."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import LimitReached, UsageError
from burnish.core.records import Usage
from burnish.models.budget import (
    Budget,
    Price,
    charged_for_fault,
    charged_for_reply,
    estimate_tokens,
    most_tokens,
)
from burnish.models.calls import FaultKind, ProviderFault, RawReply, TokenCount
from tests.models.fixtures import NO_EDITS, a_call, run_virtually

MODEL = "scripted:test"
CALL = a_call("Mend this question, please. " * 40)
HONEST = TokenCount(300, 12)


def charged(usage: TokenCount | None, text: str = NO_EDITS) -> TokenCount:
    return charged_for_reply(CALL, RawReply(text, usage))


ESTIMATED = charged(None)


def test_an_honest_count_is_charged_as_it_is() -> None:
    assert charged(HONEST) == HONEST


def test_missing_usage_is_charged_by_estimate() -> None:
    assert ESTIMATED.prompt >= estimate_tokens(CALL.user)
    assert ESTIMATED.completion == estimate_tokens(NO_EDITS)


@pytest.mark.parametrize("share", [-1, 0, 0.1, 0.33, 0.5, 0.8])
def test_a_report_that_is_too_low_is_replaced_by_a_fair_count(share: float) -> None:
    """A provider that admits a third is billed, and not only limited, by what the text is; `resume` counts the same."""
    schema = json.dumps(CALL.schema, separators=(",", ":"))
    prompt, completion = len(CALL.system + CALL.user) / 4, len(NO_EDITS) / 4
    told = charged(TokenCount(round(prompt * share), round(completion * share)))
    assert told.prompt == pytest.approx(prompt + len(schema) / 4, abs=1)
    assert told.completion == pytest.approx(completion, abs=1)


@pytest.mark.parametrize("share", [0.9, 1, 1.3])
def test_a_report_that_may_be_true_is_charged_as_it_is(share: float) -> None:
    told = TokenCount(round(len(CALL.system + CALL.user) / 4 * share), round(len(NO_EDITS) / 4 * share))
    assert charged(told) == told


def test_hidden_reasoning_is_charged_however_much_it_is() -> None:
    assert charged(TokenCount(300, 190, 180)) == TokenCount(300, 190, 180)
    assert charged(TokenCount(300, 30_000, 29_980)) == TokenCount(300, 30_000, 29_980)
    assert charged(TokenCount(10**12, 10**15, -1, 10**16)) == TokenCount(10**9, 10**9, 0, 10**9)


def test_no_text_may_have_cost_nothing() -> None:
    assert charged(TokenCount(300, 0), text="") == TokenCount(300, 0)


@given(st.integers(), st.integers(), st.text(max_size=300))
def test_no_report_is_charged_below_a_plausible_count(prompt: int, completion: int, text: str) -> None:
    result = charged_for_reply(CALL, RawReply(text, TokenCount(prompt, completion)))
    assert result.prompt >= len(CALL.system + CALL.user) // 5
    assert result.completion >= max(min(completion, 10**9), len("".join(text.split())) // 5)
    assert result.prompt >= min(prompt, 10**9)


@pytest.mark.parametrize("kind", ["rate_limited", "server", "rejected"])
def test_a_try_that_was_turned_away_costs_nothing(kind: FaultKind) -> None:
    assert charged_for_fault(CALL, ProviderFault(kind, "no", status=429)) == TokenCount(0, 0)


@pytest.mark.parametrize("kind", ["timeout", "connection", "crashed"])
def test_a_try_whose_answer_got_lost_costs_its_prompt(kind: FaultKind) -> None:
    assert charged_for_fault(CALL, ProviderFault(kind, "no")) == TokenCount(ESTIMATED.prompt, 0)
    half = charged_for_fault(CALL, ProviderFault(kind, "no", body="half an answer"))
    assert half == TokenCount(ESTIMATED.prompt, estimate_tokens("half an answer"))


def test_an_answer_that_was_cut_off_is_charged_like_any_other() -> None:
    fault = ProviderFault("truncated", "no", body=NO_EDITS, usage=HONEST)
    assert charged_for_fault(CALL, fault) == HONEST
    assert charged_for_fault(CALL, ProviderFault("malformed", "no", body="<html>")).prompt == ESTIMATED.prompt


def test_the_most_a_try_can_use_is_its_prompt_and_max_tokens() -> None:
    assert most_tokens(CALL) == TokenCount(ESTIMATED.prompt, CALL.max_tokens)


def test_the_call_that_would_cross_the_ceiling_is_refused_before_it_is_made() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000)
        first = await budget.reserve(MODEL, TokenCount(500, 400))
        budget.settle(first, MODEL, TokenCount(500, 100))
        with pytest.raises(LimitReached, match="600 of 1,000 are spent"):
            await budget.reserve(MODEL, TokenCount(300, 101))
        await budget.reserve(MODEL, TokenCount(300, 100))

    asyncio.run(main())


def test_the_ceiling_on_money() -> None:
    async def main() -> None:
        budget = Budget(max_cost=0.01, prices={MODEL: Price(input=1.0, output=10.0)})
        first = await budget.reserve(MODEL, TokenCount(1_000, 900))
        usage = budget.settle(first, MODEL, TokenCount(1_000, 100))
        assert usage.cost == pytest.approx(0.002)
        with pytest.raises(LimitReached, match=r"\$0\.0020 of \$0\.0100"):
            await budget.reserve(MODEL, TokenCount(1_000, 800))

    asyncio.run(main())


def test_an_unknown_price_is_said_and_tokens_still_count() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000)
        usage = budget.settle(await budget.reserve(MODEL, TokenCount(10, 10)), MODEL, TokenCount(10, 5))
        assert usage == Usage(10, 5, None)
        assert budget.spent == Usage(10, 5, None)

    asyncio.run(main())


def test_a_ceiling_on_money_without_a_price_is_refused() -> None:
    with pytest.raises(UsageError, match="price"):
        asyncio.run(Budget(max_cost=1.0).reserve(MODEL, TokenCount(1, 1)))


def test_a_resumed_run_starts_from_what_was_spent() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000, spent=Usage(700, 200, None))
        with pytest.raises(LimitReached):
            await budget.reserve(MODEL, TokenCount(50, 51))

    asyncio.run(main())


def test_calls_that_got_lost_count_against_the_ceilings() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000, spent=Usage(300, 100), lost_tokens=500)
        with pytest.raises(LimitReached, match="900 of 1,000 are spent, 500 of them possibly, by calls that were lost"):
            await budget.reserve(MODEL, TokenCount(100, 50))
        await budget.reserve(MODEL, TokenCount(50, 50))
        money = Budget(max_cost=1.0, prices={MODEL: Price(1.0, 1.0)}, lost_cost=0.9)
        with pytest.raises(LimitReached, match="possibly"):
            await money.reserve(MODEL, TokenCount(200_000, 0))

    run_virtually(main())


def test_known_money_counts_beside_unpriced_calls() -> None:
    async def main() -> None:
        budget = Budget(max_cost=1.0, prices={MODEL: Price(1.0, 1.0)}, spent=Usage(0, 0, 0.9))
        with pytest.raises(LimitReached):
            await budget.reserve(MODEL, TokenCount(60_000, 50_000))

    asyncio.run(main())


def test_a_call_that_fits_but_for_others_under_way_waits_for_them() -> None:
    async def main() -> list[str]:
        budget, happened = Budget(max_tokens=1_000), []

        async def worker(name: str, seconds: float) -> None:
            reservation = await budget.reserve(MODEL, TokenCount(300, 400))
            happened.append(f"{name} starts")
            await asyncio.sleep(seconds)
            budget.settle(reservation, MODEL, TokenCount(100, 50))

        await asyncio.gather(worker("a", 5), worker("b", 1), worker("c", 1))
        assert budget.spent.total_tokens == 450
        return happened

    assert run_virtually(main()) == ["a starts", "b starts", "c starts"]


def test_a_waiting_call_is_refused_once_the_others_have_used_the_room() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000)

        async def worker() -> str:
            try:
                reservation = await budget.reserve(MODEL, TokenCount(300, 300))
            except LimitReached:
                return "refused"
            await asyncio.sleep(1)
            budget.settle(reservation, MODEL, TokenCount(300, 250))
            return "done"

        assert await asyncio.gather(worker(), worker()) == ["done", "refused"]

    run_virtually(main())


@pytest.mark.parametrize(
    ("text", "fewest", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 10, 110, 170),  # 45 characters, ten tokens and a full stop
        ("Съешь ещё этих мягких французских булок. " * 10, 150, 330),
        ("我能吞下玻璃而不伤身体。" * 10, 120, 240),
        ("ⴰⵣⵓⵍ ⴼⵍⵍⴰⵡⵏ" * 10, 290, 320),
        ("🙂" * 10, 20, 30),
        ("", 0, 1),
    ],
)
def test_estimates_are_of_the_right_size(text: str, fewest: int, most: int) -> None:
    assert fewest <= estimate_tokens(text) <= most


def by_hand(text: str) -> float:
    weights = {1: 0.34, 2: 0.75, 3: 1.5, 4: 2.5}
    tifinagh = sum(1.5 for character in text if "\u2d30" <= character <= "\u2d7f")
    return tifinagh + sum(weights[len(character.encode("utf-8", "surrogatepass"))] for character in text)


@given(st.text())
def test_the_estimate_weighs_each_character_by_its_utf8_length(text: str) -> None:
    assert abs(estimate_tokens(text) - 1 - by_hand(text)) <= 0.51


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)


def test_a_run_of_blanks_is_hardly_a_token() -> None:
    text = "a" + " " * 10_000 + "b"
    assert charged(TokenCount(300, 4), text=text).completion == 4


def test_room_is_kept_for_the_largest_call_that_was_seen_of_the_role() -> None:
    async def main() -> None:
        budget, most = Budget(max_tokens=100_000), TokenCount(100, 200)
        budget.settle(await budget.reserve(MODEL, most, "judge"), MODEL, TokenCount(100, 60_000))
        with pytest.raises(LimitReached, match="up to 60,100 tokens; 60,100 of 100,000"):
            await budget.reserve(MODEL, most, "judge")
        await budget.reserve(MODEL, most, "patcher")

    asyncio.run(main())
