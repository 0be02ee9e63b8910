"""Room to think: an answer that was cut off before it began is asked for once more with four times the room."""

import asyncio
import time
from pathlib import Path

import pytest

from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, again, new_plan
from burnish.core.effects import Answer, Request
from burnish.engine.client import ModelClient
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from burnish.models.gateway import Gateway
from burnish.models.profiles import CallSettings, Thinking
from burnish.models.prompts import prompt_named
from burnish.store.journal import MemoryJournal
from tests.app.desk import Desk
from tests.engine.questions_bench import biased
from tests.loopback import Answer as Served
from tests.loopback import LoopbackModel, thinking
from tests.models.fixtures import NO_EDITS

MODEL = "openai:gpt-5-mini"


class Thinker:
    """Needs so many tokens before it says anything."""

    def __init__(self, needs: int, *, partial: str = "") -> None:
        self.needs = needs
        self.partial = partial
        self.limits: list[int] = []

    async def send(self, call: Call) -> RawReply:
        self.limits.append(call.max_tokens)
        if self.needs > call.max_tokens:
            usage = TokenCount(50, call.max_tokens, reasoning=0 if self.partial else call.max_tokens)
            raise ProviderFault("truncated", "It was cut off.", body=self.partial, usage=usage)
        return RawReply(NO_EDITS, TokenCount(50, self.needs + 20, reasoning=self.needs))


def ask(journal: MemoryJournal, model: Thinker, call_settings: CallSettings | None = None) -> Answer:
    client = ModelClient(Gateway(journal, model), "n", call_settings=call_settings)
    prompt = prompt_named("burnish.kinds.questions.prompts:correct")
    request = Request("corrector", "q1", prompt.id, "edit_reply", dict.fromkeys(prompt.placeholders, "x"), {}, 600)
    return asyncio.run(client.ask(request, MODEL))


def test_a_model_that_thinks_has_room_to() -> None:
    model = Thinker(4_000)
    answer = ask(MemoryJournal(), model)
    assert (model.limits, answer.failure, answer.usage.reasoning_tokens) == ([8_600], None, 4_000)


def test_an_empty_answer_that_was_cut_off_is_asked_for_once_more_and_both_are_billed() -> None:
    journal, model = MemoryJournal(), Thinker(20_000)
    answer = ask(journal, model)
    assert (model.limits, answer.failure) == ([8_600, 34_400], None)
    assert len(set(answer.calls)) == 2
    assert answer.usage.completion_tokens == 8_600 + 20_020
    again = ask(journal, model)
    assert len(model.limits) == 2, "nothing is paid for twice"
    assert (again.calls, again.usage) == (answer.calls, answer.usage)


def test_there_is_no_third_time() -> None:
    journal, model = MemoryJournal(), Thinker(100_000)
    answer = ask(journal, model)
    assert model.limits == [8_600, 34_400]
    assert (answer.failure or "").startswith("reply_unreadable: ")
    assert answer.usage.completion_tokens == 8_600 + 34_400
    ask(journal, model)
    assert len(model.limits) == 2


def test_the_most_that_a_model_can_give_is_not_exceeded() -> None:
    model = Thinker(100_000)
    ask(MemoryJournal(), model, CallSettings({MODEL: Thinking(True, 10_000)}))
    assert model.limits == [8_600, 10_000]
    full = Thinker(100_000)
    ask(MemoryJournal(), full, CallSettings({MODEL: Thinking(True, 8_000)}))
    assert full.limits == [8_000]


def test_an_answer_that_is_too_long_without_any_thinking_is_not_paid_five_times() -> None:
    model = Thinker(100_000, partial='{"reasoning": "' + "and so on " * 3_000)
    assert ask(MemoryJournal(), model).failure is not None
    assert model.limits == [8_600]


def test_thinking_that_a_provider_does_not_tell_apart_shows_in_what_was_written() -> None:
    """8,600 tokens for a few words: the answer had no room, whatever the bill calls it."""
    model = Thinker(20_000, partial='{"reasoning": "The stem')
    assert ask(MemoryJournal(), model).failure is None
    assert model.limits == [8_600, 34_400]


@pytest.mark.parametrize("settings", ["", '[models]\neffort = "low"\n[models.roles.corrector]\nroom = 5000\n'])
def test_how_models_are_asked_stays_with_the_run(desk: Desk, settings: str) -> None:
    (desk.home / "burnish.toml").write_text(settings)
    bank = desk.bank(biased(0), biased(1))
    limits: list[int] = []

    def answer(asked: object) -> Served:
        return Served(status=500)

    with LoopbackModel(answer) as broken:
        options = ("--model", MODEL, "--run-id", "r", "--base-url", broken.base_url)
        desk("polish", bank, *options)
        limits += {asked.limit for asked in broken.requests}
    (desk.home / "burnish.toml").write_text('[models]\neffort = "high"\n')
    with LoopbackModel(thinking(lambda _: NO_EDITS, 500)) as server:
        desk("resume", "r", "--base-url", server.base_url)
        efforts = {asked.body.get("reasoning_effort") for asked in server.requests}
        assert {asked.limit for asked in server.requests} >= set(limits)
    assert efforts == ({"low"} if settings else {None})
    manifest = (desk.run().root / "manifest.json").read_text()
    assert MODEL in manifest[manifest.index('"asking"') :]


def test_a_probe_has_room_too(desk: Desk) -> None:
    with LoopbackModel(thinking(lambda _: NO_EDITS, 2_000)) as server:
        said = desk("models", "--model", MODEL, "--base-url", server.base_url)
    assert said.code == 0, said.out
    assert server.requests[0].limit == 8_200


def test_a_run_ends_soon_after_its_time_is_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("burnish.models.gateway.GRACE", 0.5)
    with LoopbackModel(lambda _: Served(NO_EDITS, latency=60)) as server:
        began = time.monotonic()
        options = ("--model", "openai:m", "--base-url", server.base_url, "--max-seconds", 1, "--run-id", "r")
        said = desk("polish", desk.bank(biased(0), biased(1)), *options)
        assert (said.code, time.monotonic() - began < 10) == (6, True), said.err
    assert "The time limit is reached." in said.out + said.err


def test_a_model_that_is_named_anew_for_a_translation_has_room_too(tmp_path: Path) -> None:
    (tmp_path / "book.md").write_text("# The Sea\n\nThe sea is calm.\n", encoding="utf-8")
    order = TranslationOrder("t", source=str(tmp_path / "book.md"), to="es")
    plain, thinks = (
        load(start=tmp_path, environ={}, flags={"models.model": ("test", model)}) for model in ("openai:m", MODEL)
    )
    plan = new_plan(order, plain)
    assert plan.call_settings.room("translator", "openai:m") == 0
    goes_on = again(plan, order, thinks)
    assert goes_on.roles["translator"] == MODEL and goes_on.call_settings.room("translator", MODEL) == 8_000
    assert again(plan, order, plain) == plan, "what is recorded stays as it is"
