"""Providers over real HTTP on loopback: what is sent, what comes back, and every way it can fail."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from burnish.core.errors import UsageError
from burnish.core.replies import REPLIES, reply_schema
from burnish.models.calls import Call, FaultKind, ProviderFault, RawReply, TokenCount
from burnish.models.connections import Connected, Connections
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels, Models
from burnish.models.scripted import Fault, Rule, ScriptedModel
from tests.loopback import Answer, Asked, LoopbackModel
from tests.models.fixtures import NO_EDITS, a_call

MODELS = ["openai:local-model", "ollama:llama3", "openai-responses:gpt-x", "anthropic:claude-x"]
NASTY = '{"reasoning": "a", "reasoning": NaN, "edits": [], "é": "\\ud83d\\ude42"}'
SHORT = 0.5
"""Seconds until silence is a fault."""
LONG = 30.0
"""The same where an answer comes: a library that is imported just then takes its time."""

answers: dict[str, Answer] = {}
"""What the server does, by a word in the prompt; else it sends NASTY."""


def answer(asked: Asked) -> Answer:
    return next((given for word, given in answers.items() if word in asked.user), Answer(NASTY, usage=(120, 30)))


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel(answer) as running:
        yield running


@pytest.fixture
def when() -> Iterator[Callable[[str, Answer], None]]:
    answers.clear()
    yield answers.__setitem__
    answers.clear()


def send(
    server: LoopbackModel, call: Call, *, environ: dict[str, str] | None = None, timeout: float = LONG
) -> RawReply:
    async def main() -> RawReply:
        async with LiveModels(Endpoint(server.base_url, timeout=timeout), environ=environ or {}) as live:
            return await live.send(call)

    return asyncio.run(main())


def fault(server: LoopbackModel, call: Call, **options: Any) -> ProviderFault:
    with pytest.raises(ProviderFault) as caught:
        send(server, call, timeout=SHORT, **options)
    return caught.value


@pytest.mark.parametrize("model", MODELS)
def test_the_raw_reply_is_what_the_model_wrote(server: LoopbackModel, model: str) -> None:
    reply = send(server, a_call(model=model))
    assert reply.text == NASTY
    assert reply.usage == TokenCount(120, 30)
    assert reply.duration_ms >= 0


def schema_sent(body: dict[str, Any]) -> dict[str, Any]:
    if "tools" in body:
        (tool,) = body["tools"]
        assert tool["name"] == "edit_reply"
        return dict(tool["input_schema"])
    shape = body["text"]["format"] if "text" in body else body["response_format"]["json_schema"]
    assert shape["name"] == "edit_reply"
    return dict(shape["schema"])


@pytest.mark.parametrize("model", MODELS)
def test_prompt_schema_and_limit_arrive(server: LoopbackModel, model: str) -> None:
    send(server, a_call("Mend <<<x>>> ⵣ.", model=model, temperature=0.5))
    asked = server.requests[-1]
    assert (asked.system, asked.user, asked.model) == (
        "You mend questions.",
        "Mend <<<x>>> ⵣ.",
        model.partition(":")[2],
    )
    assert schema_sent(dict(asked.body)) == reply_schema("edit_reply")
    limits = {key: value for key, value in asked.body.items() if key.startswith("max_")}
    assert list(limits.values()) == [200]
    assert asked.body["temperature"] == 0.5
    assert asked.headers["x-stainless-retry-count"] == "0"


@pytest.mark.parametrize(
    ("model", "limit"),
    [
        ("openai:local-model", "max_tokens"),
        ("ollama:gpt-oss:20b", "max_tokens"),
        ("openai:gpt-oss-20b", "max_tokens"),
        ("vllm:qwen3", "max_tokens"),
        ("openai:gpt-5-mini", "max_completion_tokens"),
        ("openai-responses:gpt-5-mini", "max_output_tokens"),
        ("anthropic:claude-x", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_server_understands(server: LoopbackModel, model: str, limit: str) -> None:
    send(server, a_call(model=model))
    assert [key for key in server.requests[-1].body if key.startswith("max_")] == [limit]


NATIVE = ["openai:gpt-5-mini", "openai-responses:gpt-5-mini", "ollama:qwen3", "anthropic:claude-sonnet-5"]


@pytest.mark.parametrize("model", [*NATIVE, "anthropic:claude-opus-5-5", "anthropic:claude-haiku-4-5"])
def test_models_that_know_schemas_are_held_to_one_on_the_wire(server: LoopbackModel, model: str) -> None:
    assert send(server, a_call(model=model)).text == NASTY
    body = server.requests[-1].body
    assert not {"tools", "tool_choice"} & body.keys()
    match model.partition(":")[0]:
        case "anthropic":
            shape = body["output_config"]["format"]
            assert shape == {
                "type": "json_schema",
                "schema": reply_schema("edit_reply") | {"description": "edit_reply"},
            }
        case "openai-responses":
            assert body["text"]["format"]["strict"] is True
            assert body["text"]["format"]["schema"] == reply_schema("edit_reply")
        case _:
            shape = body["response_format"]["json_schema"]
            assert (shape["name"], shape["schema"]) == ("edit_reply", reply_schema("edit_reply"))


@pytest.mark.parametrize("model", ["anthropic:claude-x", "anthropic:claude-next"])
def test_other_models_are_forced_to_use_one_tool(server: LoopbackModel, model: str) -> None:
    send(server, a_call(model=model))
    body = server.requests[-1].body
    assert [tool["name"] for tool in body["tools"]] == ["edit_reply"]
    assert body["tool_choice"]["type"] in ("any", "tool")


@pytest.mark.parametrize("name", REPLIES)
def test_no_schema_is_beyond_what_anthropic_compiles(name: str) -> None:
    from pydantic_ai.models._anthropic_schema_limits import exceeded_limit

    assert exceeded_limit([], reply_schema(name)) is None


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("openai:gpt-5-mini", "low", {"reasoning_effort": "low"}),
        ("openai:gpt-5-mini", False, {"reasoning_effort": "minimal"}),
        ("openai-responses:gpt-5-mini", "high", {"reasoning": {"effort": "high"}}),
        ("anthropic:claude-sonnet-5", False, {"thinking": {"type": "disabled"}}),
    ],
)
def test_effort_arrives(server: LoopbackModel, model: str, effort: object, sent: dict[str, Any]) -> None:
    send(server, a_call(model=model, extra={"thinking": effort}, max_tokens=17_000))
    assert {key: server.requests[-1].body.get(key) for key in sent} == sent


def test_a_call_with_room_to_think_is_waited_for_longer(
    server: LoopbackModel, when: Callable[[str, Answer], None]
) -> None:
    when("Mend", Answer(NO_EDITS, latency=1.0))
    assert fault(server, a_call(model="openai:x")).message == "No answer within 0.5 s."
    assert send(server, a_call(model="openai:x", thinking=64_000), timeout=SHORT).text == NO_EDITS


def test_further_settings_are_passed_on(server: LoopbackModel) -> None:
    extra = {"top_p": 0.3, "extra_body": {"min_p": 0.1}}
    send(server, a_call(model="openai:local-model", seed=7, extra=extra))
    body = server.requests[-1].body
    assert (body["seed"], body["top_p"], body["min_p"], body["max_tokens"]) == (7, 0.3, 0.1, 200)


@pytest.mark.parametrize(
    ("environ", "model", "header", "expected"),
    [
        ({}, "openai:x", "authorization", "Bearer no-key-set"),
        ({"OPENAI_API_KEY": "sk-canary-1"}, "openai:x", "authorization", "Bearer sk-canary-1"),
        ({"OPENAI_API_KEY": "sk-canary-1"}, "ollama:x", "authorization", "Bearer no-key-set"),
        ({"OLLAMA_API_KEY": "sk-canary-2"}, "ollama:x", "authorization", "Bearer sk-canary-2"),
    ],
)
def test_keys_come_from_the_environment_of_their_provider(
    server: LoopbackModel, environ: dict[str, str], model: str, header: str, expected: str
) -> None:
    send(server, a_call(model=model), environ=environ)
    assert server.requests[-1].headers[header] == expected


def test_anthropic_gets_its_key(server: LoopbackModel) -> None:
    send(server, a_call(model="anthropic:x"), environ={"ANTHROPIC_API_KEY": "sk-canary-3"})
    assert any("sk-canary-3" in value for value in server.requests[-1].headers.values())


STATUSES: list[tuple[int, FaultKind]] = [
    (400, "rejected"),
    (401, "refused_key"),
    (402, "no_credit"),
    (404, "rejected"),
    (408, "rejected"),
    (409, "rejected"),
    (429, "rate_limited"),
    (500, "server"),
    (503, "server"),
    (529, "server"),
    (307, "rejected"),
]


@pytest.mark.parametrize("model", ["openai:x", "anthropic:x"])
@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_statuses(
    server: LoopbackModel, when: Callable[[str, Answer], None], model: str, status: int, kind: FaultKind
) -> None:
    when("Mend", Answer(status=status, headers={"Retry-After": "3", "Location": "http://127.0.0.1:1/"}))
    before = len(server.requests)
    caught = fault(server, a_call(model=model))
    assert (caught.kind, caught.status, caught.retry_after) == (kind, status, 3.0)
    assert len(server.requests) == before + 1  # nobody below us tries again or follows


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "120"}, 120.0),
        ({"Retry-After": "soon"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
def test_retry_after(
    server: LoopbackModel, when: Callable[[str, Answer], None], headers: dict[str, str], seconds: float | None
) -> None:
    when("Mend", Answer(status=429, headers=headers))
    assert fault(server, a_call(model="openai:x")).retry_after == seconds


@pytest.mark.parametrize("model", ["openai:x", "openai-responses:x", "anthropic:x"])
@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (Answer(fault="reset"), "connection"),
        (Answer(NASTY, fault="half"), "connection"),
        (Answer(fault="silence"), "timeout"),
        (Answer(fault="drip"), "timeout"),
        (Answer(body=b"<html>"), "malformed"),
        (Answer(body=b""), "malformed"),
        (Answer(body=b"\xff\xfe"), "malformed"),
        (Answer(body=b'{"choices": [], "content": 3, "output": 4}'), "malformed"),
        (Answer(body=b"[" * 200_000), "malformed"),
    ],
)
def test_answers_that_get_lost_or_make_no_sense(
    server: LoopbackModel, when: Callable[[str, Answer], None], model: str, given: Answer, kind: FaultKind
) -> None:
    when("Mend", given)
    caught = fault(server, a_call(model=model))
    assert caught.kind == kind
    assert caught.status is None


def test_a_server_that_is_not_there() -> None:
    async def main() -> None:
        async with LiveModels(Endpoint("http://127.0.0.1:9/v1", timeout=SHORT), environ={}) as live:
            await live.send(a_call(model="openai:x"))

    with pytest.raises(ProviderFault) as caught:
        asyncio.run(main())
    assert caught.value.kind in ("connection", "timeout")


def test_an_endless_answer_is_cut_off(
    server: LoopbackModel, when: Callable[[str, Answer], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burnish.models.connections.LONGEST_BODY", 10_000)
    when("Mend", Answer("x" * 50_000))
    found = fault(server, a_call(model="openai:x"))
    assert found.kind == "malformed", "the same request would bring the same again, and cost it"
    assert "longer than 10,000 bytes" in found.message


@pytest.mark.parametrize("model", MODELS)
def test_a_reply_cut_off_by_length_is_a_failed_try(
    server: LoopbackModel, when: Callable[[str, Answer], None], model: str
) -> None:
    when("Mend", Answer('{"reasoning": "a"}', finish="length", usage=(120, 200)))
    caught = fault(server, a_call(model=model))
    assert (caught.kind, caught.body, caught.usage) == ("truncated", '{"reasoning": "a"}', TokenCount(120, 200))
    assert "cut off at max_tokens=200" in caught.message


def test_a_refusal_is_a_failed_try(server: LoopbackModel, when: Callable[[str, Answer], None]) -> None:
    when("Mend", Answer("I cannot", finish="content_filter"))
    caught = fault(server, a_call(model="openai:x"))
    assert (caught.kind, caught.body) == ("refused", "I cannot")


@pytest.mark.parametrize("model", ["openai:x", "anthropic:x", "openai-responses:x"])
@pytest.mark.parametrize("usage", [None, {"prompt_tokens": "many", "input_tokens": [], "output_tokens": None}, [], 7])
def test_strange_usage_does_not_lose_the_reply(
    server: LoopbackModel, when: Callable[[str, Answer], None], model: str, usage: object
) -> None:
    when("Mend", Answer(NO_EDITS, usage=usage))
    reply = send(server, a_call(model=model))
    assert (reply.text, reply.usage) == (NO_EDITS, None)


def test_errors_say_what_to_do_and_carry_no_key(server: LoopbackModel, when: Callable[[str, Answer], None]) -> None:
    echo = b'{"error": "bad key sk-canary-123456 \x1b[31m"}'
    when("Mend", Answer(status=401, body=echo))
    caught = fault(server, a_call(model="openai:x"), environ={"OPENAI_API_KEY": "sk-canary-123456"})
    assert "sk-canary" not in caught.message + caught.body
    assert "\x1b" not in caught.message
    assert caught.hint == "Check the provider's key in the environment."


@pytest.mark.parametrize("words", ["about postgres", "the key is sk-canary-123456", "[POSTGRES_PASSWORD] [redacted]"])
def test_an_answer_is_handed_on_byte_for_byte(
    server: LoopbackModel, when: Callable[[str, Answer], None], words: str
) -> None:
    """Whether it may be used is for the gateway to say: a rewritten answer would be read as if it were the model's."""
    secrets = {"OPENAI_API_KEY": "sk-canary-123456", "POSTGRES_PASSWORD": "postgres"}
    when("Mend", Answer(words))
    assert send(server, a_call(model="openai:x"), environ=secrets).text == words


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY is not set"),
        ("anthropic:claude-x", "ANTHROPIC_API_KEY is not set"),
        ("nosuchprovider:x", "nosuchprovider is not a provider"),
    ],
)
def test_a_model_that_is_not_configured_says_what_is_missing(
    model: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    async def main() -> None:
        async with LiveModels(environ={}) as live:
            await live.send(a_call(model=model))

    with pytest.raises(UsageError, match=says):
        asyncio.run(main())


@pytest.mark.parametrize(
    ("model", "meant"),
    [
        ("gemini:gemini-3.5-flash", "google:gemini-3.5-flash"),
        ("claude:opus-5", "anthropic:claude-opus-5"),
        ("opnai:gpt-5", "openai:gpt-5"),
        ("qwen3:8b", "ollama:qwen3:8b"),
        ("x/y:z", None),
    ],
)
def test_an_unknown_provider_is_answered_with_the_one_that_was_meant(model: str, meant: str | None) -> None:
    async def main() -> None:
        LiveModels(environ={}).ready(model)

    with pytest.raises(UsageError) as caught:
        asyncio.run(main())
    assert caught.value.exit_code == 2
    assert caught.value.hint == f"Did you mean `{meant}`?" if meant else "--base-url" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("model", "extra"),
    [
        ("google:gemini-3.5-flash", "google"),
        ("mistral:mistral-small-latest", "mistral"),
        ("groq:llama-3.3-70b-versatile", "groq"),
        ("bedrock:us.amazon.nova-pro-v1:0", "bedrock"),
        ("cohere:command-a", "all-models"),
    ],
)
def test_a_missing_package_is_answered_with_its_extra(model: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> type:
        raise ImportError(f'Please install the `{name}` package: `pip install "pydantic-ai-slim[{name}]"`')

    monkeypatch.setattr("burnish.models.connections.infer_provider_class", missing)

    async def main() -> None:
        LiveModels(environ={}).ready(model)

    with pytest.raises(UsageError, match="is not installed") as caught:
        asyncio.run(main())
    assert caught.value.hint == f"Install it: pip install 'burnish[{extra}]'."


@pytest.mark.parametrize(
    ("environ", "address"),
    [({}, "http://127.0.0.1:11434/v1/"), ({"OLLAMA_BASE_URL": "http://gpu.local:9/v1"}, "http://gpu.local:9/v1/")],
)
def test_ollama_is_found_by_itself(environ: dict[str, str], address: str) -> None:
    async def main() -> str | None:
        connections = Connections(Endpoint(), environ)
        connected = connections.model("ollama:qwen3")
        assert connected.wants_max_tokens, "Ollama ignores the newer name and writes without end"
        return connected.model.base_url

    assert asyncio.run(main()) == address


def test_a_package_with_a_client_of_its_own_does_not_get_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groq's refuses ours with a TypeError."""
    given: dict[str, Any] = {}

    class Theirs:
        def __init__(self, *, api_key: str | None = None, http_client: object = None) -> None:
            given.update(api_key=api_key, http_client=http_client)
            self.client = object()

    monkeypatch.setattr("burnish.models.connections.infer_provider_class", lambda _: Theirs)
    Connections(Endpoint(), {"GROQ_API_KEY": "sk-canary-5"})._other_provider("groq")
    assert given == {"api_key": "sk-canary-5", "http_client": None}, "none was handed over"


def test_a_status_of_a_package_with_a_client_of_its_own_is_a_fault_with_that_status() -> None:
    from pydantic_ai.exceptions import ModelHTTPError

    def busy(*_: object) -> None:
        raise ModelHTTPError(429, "other:x", {"message": "slow down"}, headers={"Retry-After": "7"})

    with pytest.raises(ProviderFault, match="answered 429") as caught:
        ask_function(busy)
    assert (caught.value.kind, caught.value.status, caught.value.retry_after) == ("rate_limited", 429, 7.0)


def test_any_other_provider_of_the_library_is_built_with_our_client_and_key() -> None:
    async def main() -> None:
        connections = Connections(Endpoint(), {"DEEPSEEK_API_KEY": "sk-canary-4"})
        model: Any = connections.model("deepseek:deepseek-chat").model
        assert (model.client.max_retries, model.client.api_key) == (0, "sk-canary-4")
        assert model.client._client is connections._http()
        await connections.close()

    asyncio.run(main())


def ask_function(function: Callable[..., Any]) -> RawReply:
    """Ask a model of the library that has no wire at all."""
    from pydantic_ai.models.function import FunctionModel

    async def main() -> RawReply:
        live = LiveModels(environ={})
        live.connections()._models["other:x"] = Connected(FunctionModel(function), wants_max_tokens=False)
        return await live.send(a_call(model="other:x"))

    return asyncio.run(main())


def test_words_that_did_not_come_over_our_wire_are_taken_from_the_library() -> None:
    from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart

    text = ModelResponse(parts=[ThinkingPart("hm"), TextPart(NASTY)])
    assert ask_function(lambda *_: text).text == NASTY
    assert ask_function(lambda *_: ModelResponse(parts=[ToolCallPart("edit_reply", NASTY)])).text == NASTY
    with pytest.raises(ProviderFault, match="cannot be used") as caught:
        ask_function(lambda *_: ModelResponse(parts=[]))
    assert caught.value.kind == "malformed"


def test_whatever_a_library_raises_is_a_fault() -> None:
    from pydantic_ai.exceptions import UserError

    def crash(*_: object) -> None:
        raise IndexError("list index out of range")

    def misuse(*_: object) -> None:
        raise UserError("not with this model")

    with pytest.raises(ProviderFault, match="IndexError: list index out of range") as caught:
        ask_function(crash)
    assert caught.value.kind == "crashed"
    with pytest.raises(UsageError, match="not with this model"):
        ask_function(misuse)


def test_a_provider_may_have_a_base_url_of_its_own(server: LoopbackModel) -> None:
    async def main() -> RawReply:
        urls = {"mistral": server.base_url}
        async with LiveModels(Endpoint("http://127.0.0.1:9/v1"), base_urls=urls, environ={}) as live:
            return await live.send(a_call(model="mistral:ministral"))

    assert asyncio.run(main()).text == NASTY


def test_base_urls_in_the_environment_count(server: LoopbackModel) -> None:
    async def main() -> RawReply:
        async with LiveModels(environ={"OPENAI_BASE_URL": server.base_url}) as live:
            return await live.send(a_call(model="openai:x"))

    assert asyncio.run(main()).text == NASTY


def test_one_object_serves_several_event_loops(server: LoopbackModel) -> None:
    live = LiveModels(Endpoint(server.base_url), environ={})

    async def main() -> str:
        try:
            return (await live.send(a_call(model="openai:x"))).text
        finally:
            await live.close()

    assert [asyncio.run(main()) for _ in range(3)] == [NASTY] * 3


@pytest.mark.no_cover  # the same lines over and over
@pytest.mark.parametrize(("model", "count"), [("openai:x", 150), ("anthropic:x", 50)])
def test_hundreds_of_calls_at_once_each_get_their_own_bytes(model: str, count: int) -> None:
    def echo(asked: Asked) -> Answer:
        return Answer(f'{{"you": "{asked.user}", "you": 2}}', latency=0.001 * (asked.number * 7 % 300))

    async def main(url: str) -> list[str]:
        async with LiveModels(Endpoint(url, timeout=60), environ={}) as live:
            replies = await asyncio.gather(*(live.send(a_call(user, model=model)) for user in users))
            return [reply.text for reply in replies]

    users = [f"number {number}" for number in range(count)]
    with LoopbackModel(echo, hold_until=count) as server:
        assert asyncio.run(main(server.base_url)) == [f'{{"you": "{user}", "you": 2}}' for user in users]
        assert server.most_open == count


def test_scripted_models_by_name_and_by_path(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": [{"reply": "from the file"}]}), encoding="utf-8")

    async def main() -> list[str]:
        async with Models(scripted={"named": ScriptedModel([Rule(reply="by name")])}) as models:
            calls = [a_call(model="scripted:named"), a_call(model=f"scripted:{path}")]
            return [(await models.send(call)).text for call in calls]

    assert asyncio.run(main()) == ["by name", "from the file"]


def test_live_models_behind_the_same_face(server: LoopbackModel) -> None:
    async def main() -> str:
        async with Models(LiveModels(Endpoint(server.base_url), environ={})) as models:
            return (await models.send(a_call(model="openai:x"))).text

    assert asyncio.run(main()) == NASTY


def test_a_script_may_drive_the_loopback_server() -> None:
    script = ScriptedModel(
        [
            Rule(contains="busy", fault=Fault(status=429, retry_after="9")),
            Rule(contains="broken", fault=Fault()),
            Rule(contains="silent", reply="x", silent_usage=True),
            Rule(unit="q1", reply={"edits": []}, usage=TokenCount(50, 5)),
        ]
    )
    with LoopbackModel(script) as server:
        busy = fault(server, a_call("busy", model="openai:x"))
        assert (busy.kind, busy.retry_after) == ("rate_limited", 9.0)
        assert fault(server, a_call("broken", model="openai:x")).kind == "connection"
        assert send(server, a_call("silent", model="openai:x")).usage is None
        reply = send(server, a_call("unit: q1", model="anthropic:x"))
        assert (json.loads(reply.text), reply.usage) == ({"edits": []}, TokenCount(50, 5))
        assert fault(server, a_call("unknown", model="openai:x")).status == 400


def test_the_server_lists_its_models_and_refuses_other_paths(server: LoopbackModel) -> None:
    httpx2 = pytest.importorskip("httpx2")
    assert httpx2.get(f"{server.base_url}/models").json()["data"][0]["id"] == "loopback"
    assert httpx2.get(f"{server.base_url}/files").status_code == 404


def test_no_model_library_is_imported_before_a_model_is_called() -> None:
    code = (
        "import sys, burnish.models, burnish.models.prompts, burnish.core.replies\n"
        "import burnish.models.gateway\n"
        "from burnish.models.providers import LiveModels\n"
        "LiveModels()\n"
        "heavy = {'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'httpcore2'}\n"
        "print(*(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
