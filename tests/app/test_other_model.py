"""A gateway that lets another model answer than was asked: the receipt names it."""

import json

import pytest

from tests.app.desk import Desk
from tests.engine.questions_bench import sound
from tests.loopback import Answer, LoopbackModel
from tests.models.fixtures import a_call

FINE = {"reasoning": "fine", "violations": []}


@pytest.mark.parametrize("provider", ["openai", "anthropic", "openai-responses"])
def test_the_receipt_names_a_model_that_answered_for_another(desk: Desk, provider: str) -> None:
    with LoopbackModel(lambda _: Answer(FINE, model="small-and-cheap")) as server:
        where = ("--model", f"{provider}:large", "--base-url", server.base_url, "--run-id", "r")
        said = desk("polish", desk.bank(sound(0), sound(1)), *where)
    assert said.code == 0, said.err
    [other] = json.loads(desk.run().receipt.read_text())["answered_by"]
    assert other == {"model": f"{provider}:large", "answered_by": "small-and-cheap"}
    assert f"small-and-cheap answered in the place of {provider}:large." in said.out


def test_the_model_that_was_asked_is_no_other_one(desk: Desk) -> None:
    with LoopbackModel(lambda _: Answer(FINE, model="large-2025-08-07")) as server:
        desk("polish", desk.bank(sound(0)), "--model", "openai:large", "--base-url", server.base_url, "--run-id", "r")
    assert "answered_by" not in json.loads(desk.run().receipt.read_text())


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("openai:gpt-5-mini", "gpt-5-mini-2025-08-07"),
        ("openrouter:openai/gpt-5", "gpt-5"),
        ("openrouter:gpt-5", "openai/gpt-5-2025-08-07"),
        ("mistral:mistral-large-latest", "mistral-large-2411"),
        ("ollama:llama3", "llama3:latest"),
        ("ollama:Llama3:8b", "llama3:8b"),
        ("google:gemini-2.5-pro", "models/gemini-2.5-pro"),
        ("anthropic:claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
    ],
)
def test_dates_tags_and_vendors_make_no_other_model(asked: str, answered: str) -> None:
    assert a_call(model=asked).is_answered_by(answered)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("openai:gpt-5", "gpt-4o"), ("openai:gpt-5", "gpt-5-mini-2025-08-07"), ("openrouter:a/large", "a/small")],
)
def test_other_names_are_other_models(asked: str, answered: str) -> None:
    assert not a_call(model=asked).is_answered_by(answered)
