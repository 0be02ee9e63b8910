"""`burnish models`: who sits where, and who answers. Over real HTTP on this machine."""

import pytest

from tests.app.desk import Desk
from tests.engine.questions_bench import biased
from tests.loopback import Answer, LoopbackModel

READY = {"reasoning": "ready", "edits": []}


def test_without_settings_nobody_sits_anywhere(desk: Desk) -> None:
    said = desk("models")
    assert said.code == 0
    assert said.out.count("not set") == 2


def test_each_model_is_asked_once(desk: Desk) -> None:
    with LoopbackModel(lambda asked: READY) as server:
        said = desk("models", "--model", "openai:any", "--base-url", server.base_url)
    assert said.code == 0, said.out + said.err
    assert len(server.requests) == 1
    assert said.out.count("answers (") == 2
    assert "family openai" in said.out or "family" in said.out
    assert "no price known, from --model" in said.out


def test_a_model_that_does_not_answer_is_told(desk: Desk) -> None:
    with LoopbackModel(lambda asked: Answer(status=500)) as server:
        said = desk("models", "--model", "openai:any", "--base-url", server.base_url, "--json")
    assert said.code == 1
    corrector, reviewer = said.json["roles"]
    assert corrector["role"] == "corrector"
    assert "500" in corrector["answer"]
    assert reviewer["answer"] == corrector["answer"]
    assert len(server.requests) == 1, "a probe is not repeated"


@pytest.mark.parametrize("reply", ["Sure! I am ready.", {"reasoning": "ready", "edits": "none"}])
def test_a_model_that_answers_something_else_is_reachable_and_no_more(desk: Desk, reply: object) -> None:
    with LoopbackModel(lambda asked: Answer(reply)) as server:
        said = desk("models", "--model", "openai:any", "--base-url", server.base_url)
    assert said.code == 1
    assert said.out.count("reachable, but the reply does not match the requested JSON: ") == 2
    assert "120 tokens" in said.out
    assert "answers (" not in said.out


def test_an_answer_that_was_cut_off_is_told_as_such(desk: Desk) -> None:
    with LoopbackModel(lambda asked: Answer(READY, finish="length")) as server:
        said = desk("models", "--model", "openai:any", "--base-url", server.base_url)
    assert said.code == 1
    assert "reachable, but " in said.out


def test_a_panel_is_listed_seat_by_seat(desk: Desk) -> None:
    (desk.home / "burnish.toml").write_text(
        '[families]\n"openai:a" = "house"\n[prices."openai:a"]\ninput = 1\noutput = 2\n'
    )
    said = desk("models", "--judges", "openai:a,anthropic:b", "--no-ask", "--json")
    assert said.code == 0
    assert [(seat["role"], seat["model"]) for seat in said.json["roles"]] == [
        ("corrector", None),
        ("judge 1", "openai:a"),
        ("judge 2", "anthropic:b"),
    ]
    assert said.json["roles"][1]["family"] == "house"
    assert [seat["price"] for seat in said.json["roles"]] == ["", "price known", "no price known"]


def test_what_costs_nothing_is_said_to_be_free(desk: Desk) -> None:
    (desk.home / "model.json").write_text('{"rules": []}')
    said = desk("models", "--model", f"scripted:{desk.home / 'model.json'}", "--no-ask")
    assert said.out.count(", free, from ") == 2


def test_a_key_that_is_named_but_not_set_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOUSE_KEY", raising=False)
    (desk.home / "burnish.toml").write_text('[endpoints.openai]\napi_key_env = "HOUSE_KEY"\n')
    said = desk("models", "--model", "openai:any")
    assert said.code == 2
    assert "The key of openai should be in HOUSE_KEY, which is not set." in said.err
    assert desk("models", "--model", "anthropic:any", "--no-ask").code == 0


def test_a_key_of_ones_own_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", "key-of-the-house-0123456789")
    with LoopbackModel(lambda asked: READY) as server:
        (desk.home / "burnish.toml").write_text(
            f'[endpoints.openai]\napi_key_env = "HOUSE_KEY"\nbase_url = "{server.base_url}"\n'
        )
        said = desk("models", "--model", "openai:any")
    assert said.code == 0
    assert server.requests[0].headers["authorization"] == "Bearer key-of-the-house-0123456789"
    assert "key-of-the-house" not in said.out + said.err


def test_a_name_that_is_almost_right_is_answered_with_the_right_one(desk: Desk) -> None:
    said = desk("models", "--model", "claude:claude-sonnet-5-5")
    assert said.code == 1 and "Did you mean `anthropic:claude-sonnet-5-5`?" in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("scripted:nope.json", "nope.json cannot be read"),
        ("scripted:empty.json", "has no list of rules"),
        ("foo:bar", "foo:bar cannot be used"),
        ("openai/gpt-x", "did you mean `openai:gpt-x`?"),
        ("gpt-x", "did you mean `openai:gpt-x`?"),
        ("gemini:3.5-flash", "Did you mean `google:gemini-3.5-flash`?"),
        ("claude:claude-opus-5", "Did you mean `anthropic:claude-opus-5`?"),
        ("openai:gpt-5-mini", "OPENAI_API_KEY is not set"),
    ],
)
def test_a_model_that_cannot_be_asked_leaves_no_run_behind(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, model: str, why: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (desk.home / "empty.json").write_text("{}")
    bank = desk.bank(biased(0), {"id": "q1", "stem": 5})
    said = desk("polish", bank, "--model", model)
    assert said.code == 2
    assert why in said.err
    assert "cannot be used, so nothing will be published" not in said.err, "the model is looked at first"
    assert not said.out
    assert not (desk.home / "runs").exists()
