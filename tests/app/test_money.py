"""Money: a known name has a price without any setting, and the summary tells it by the work that was done."""

import json
from contextlib import closing

import pytest

from burnish.core.records import CallIntent
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run
from tests.app.desk import Desk
from tests.engine.questions_bench import SOLVED, biased, sound
from tests.loopback import Answer, Asked, LoopbackModel, thinking
from tests.models.fixtures import NO_EDITS

KNOWN = "openai:gpt-5-mini"
CLEAN = {"reasoning": "", "violations": []}


def answer(asked: Asked) -> Answer:
    replies = {"question_review_reply": CLEAN, "answer_reply": SOLVED}
    return Answer(replies.get(asked.reply_name, NO_EDITS), usage=(2_000, 50))


def polish(desk: Desk, *options: object, model: str = KNOWN) -> tuple[int, str]:
    with LoopbackModel(thinking(answer, 600)) as server:
        where = ("--model", model, "--base-url", server.base_url, "--run-id", "r")
        said = desk("polish", desk.bank(sound(0), biased(1)), *where, *options)
    return said.code, said.out + said.err


def test_a_known_name_has_a_price_without_any_setting(desk: Desk) -> None:
    code, out = polish(desk)
    assert code == 3
    assert ", about $0.0" in out
    assert "no price known" not in out
    judging, repair = (line for line in out.splitlines() if line.startswith(("  judging", "  repair")))
    assert "of them thinking, about $0.0" in judging
    assert "of them thinking, about $0.0" in repair
    receipt = json.loads((desk.run().root / "receipt.json").read_text())
    assert [one["role"] for one in receipt["roles"]] == ["corrector", "reviewer"]
    assert sum(one["cost_usd"] for one in receipt["roles"]) == pytest.approx(receipt["totals"]["cost_usd"])
    assert sum(one["total_tokens"] for one in receipt["roles"]) == receipt["totals"]["total_tokens"]
    assert all(one["reasoning_tokens"] > 100 for one in receipt["roles"])
    manifest = json.loads((desk.run().root / "manifest.json").read_text())
    assert manifest["arguments"]["price_table"].startswith("genai-prices ")


def test_a_ceiling_on_money_needs_no_setting_where_the_price_is_known(desk: Desk) -> None:
    assert polish(desk, "--max-cost", 0.000001)[0] == 6
    assert (desk.run().root / "journal.sqlite").exists()


def test_it_is_refused_at_the_start_where_it_is_not(desk: Desk) -> None:
    code, out = polish(desk, "--max-cost", 1, model="openai:m")
    assert (code, "no price is known for openai:m" in out) == (2, True)
    assert not desk.run().root.exists()


@pytest.mark.parametrize("settings", ["[models]\nfree = true\n", "[endpoints.openai]\nfree = true\n"])
def test_what_is_marked_as_free_costs_nothing(desk: Desk, settings: str) -> None:
    (desk.home / "burnish.toml").write_text(settings)
    _, out = polish(desk, "--max-cost", 0)
    assert ", free." in out


def test_the_reason_why_calls_failed_stands_in_the_summary(desk: Desk) -> None:
    with LoopbackModel(lambda _: Answer("", finish="length")) as server:
        said = desk("polish", desk.bank(sound(0)), "--model", "openai:m", "--base-url", server.base_url)
    assert "failed: " in said.out
    assert " cut off" in said.out


def test_so_does_an_answer_that_nobody_could_read(desk: Desk) -> None:
    with LoopbackModel(lambda asked: Answer("no JSON" if asked.model == "b" else CLEAN)) as server:
        judges = ("--judges", "openai:a,openai:b", "--base-url", server.base_url)
        said = desk("polish", desk.bank(sound(0)), "--model", "openai:m", *judges)
    assert "  6 calls failed: 6 unreadable." in said.out, "two reviews of b, and no choice of either judge, twice"


def test_what_was_put_into_the_cache_is_told_apart_and_priced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"input_tokens": 100, "cache_creation_input_tokens": 1_600, "cache_read_input_tokens": 0}

    def stored(asked: Asked) -> Answer:
        return Answer(answer(asked).reply, usage={**counts, "output_tokens": 40})

    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    with LoopbackModel(stored) as server:
        where = ("--model", "anthropic:claude-sonnet-4-6", "--base-url", server.base_url, "--run-id", "r")
        said = desk("polish", desk.bank(sound(0)), *where)
    assert "3,200 put into the cache, about $0.01" in said.out, "the question is read and solved"
    [role] = json.loads((desk.run().root / "receipt.json").read_text())["roles"]
    assert (role["prompt_tokens"], role["cache_write_tokens"], role["cached_tokens"]) == (3_400, 3_200, 0)
    assert role["cost_usd"] == pytest.approx(2 * (100 * 3 + 1_600 * 3.75 + 40 * 15) / 1_000_000)


def test_what_came_from_the_cache_is_told_apart_and_costs_less(desk: Desk) -> None:
    counts = {"prompt_tokens": 2_000, "completion_tokens": 500, "total_tokens": 2_500}
    cached = {**counts, "prompt_tokens_details": {"cached_tokens": 1_536}}
    with LoopbackModel(lambda asked: Answer(answer(asked).reply, usage=cached)) as server:
        where = ("--model", KNOWN, "--base-url", server.base_url, "--run-id", "r")
        said = desk("polish", desk.bank(sound(0)), *where)
    assert "  judging     2 calls, 5,000 tokens, 3,072 cached, about $0.0" in said.out
    [role] = json.loads((desk.run().root / "receipt.json").read_text())["roles"]
    assert role["cost_usd"] == pytest.approx(2 * (464 * 0.25 + 1_536 * 0.025 + 500 * 2) / 1_000_000)


def test_an_estimate_is_priced(desk: Desk) -> None:
    said = desk("polish", desk.bank(biased(1)), "--model", KNOWN, "--estimate")
    assert "about $0.0" in said.out
    assert "no price" not in said.out


@pytest.mark.parametrize("command", ["status", "report"])
def test_calls_that_got_lost_in_a_kill_are_on_the_bill(desk: Desk, command: str) -> None:
    """As they stand in the journal after it: begun, and nobody knows what became of them."""
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    assert "No model was called." in desk(command, "r").out
    with closing(open_journal(desk.run().journal, clock=system_clock)) as journal:
        journal.write_now(*(CallIntent(key, "reviewer", KNOWN, 4_750, 0.02) for key in "ab"))
    said = desk(command, "r").out
    assert "2 calls without a recorded answer: perhaps paid, at most 9,500 tokens" in said
    assert "No model was called." not in said


@pytest.mark.parametrize("command", ["status", "report"])
def test_calls_under_way_are_not_lost(desk: Desk, command: str) -> None:
    """One call of a session that was killed, one of the session that is at work."""
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    with closing(open_journal(desk.run().journal, clock=system_clock)) as journal:
        journal.write_now(CallIntent("a", "reviewer", KNOWN, 4_750, 0.02))
    with own_run(desk.run(), system_clock) as owned:
        owned.journal.write_now(CallIntent("b", "reviewer", KNOWN, 4_750, 0.02))
        assert "1 call without a recorded answer: perhaps paid, at most 4,750 tokens" in desk(command, "r").out
        assert desk("status", "r", "--json").json["totals"]["calls_perhaps_paid"] == 1
    assert "2 calls without a recorded answer" in desk(command, "r").out
