"""Model families, and which models think."""

import pytest

from burnish.models.profiles import CallSettings, Endpoint, Thinking, family, thinking_of


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai:gpt-5-mini", "gpt"),
        ("openai:o3-mini", "gpt"),
        ("openai:o1", "gpt"),
        ("ollama:gpt-oss:20b", "gpt"),
        ("anthropic:claude-sonnet-5", "claude"),
        ("bedrock:us.anthropic.claude-haiku-4", "claude"),
        ("google:gemini-3-flash", "gemini"),
        ("ollama:gemma3:27b", "gemma"),
        ("groq:llama-3.3-70b-versatile", "llama"),
        ("ollama:codellama", "llama"),
        ("mistral:ministral-8b", "mistral"),
        ("ollama:mixtral", "mistral"),
        ("ollama:qwen3", "qwen"),
        ("together:Qwen/QwQ-32B", "qwen"),
        ("deepseek:deepseek-chat", "deepseek"),
        ("ollama:deepseek-r1-distill-qwen", "deepseek"),
        ("xai:grok-4", "grok"),
        ("ollama:phi4", "phi"),
        ("cohere:command-r-plus", "command"),
        ("openai:smollm2-135m", "smollm"),
        ("moonshotai:kimi-k2", "kimi"),
        ("scripted:a.json", "scripted:a.json"),
        ("openai:MyOwn-Model", "myown-model"),
        ("openai:recommander", "recommander"),
    ],
)
def test_the_family_is_guessed_from_the_name(model: str, expected: str) -> None:
    assert family(model) == expected


def test_a_setting_goes_before_the_guess() -> None:
    settings = {"openai:judge-a": "llama"}
    assert family("openai:judge-a", settings) == "llama"
    assert family("openai:gpt-5", settings) == "gpt"


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("openai:gpt-5-mini", True),
        ("openai-responses:o3", True),
        ("openai:gpt-4o", False),
        ("openai:gpt-5.4", False),
        ("anthropic:claude-sonnet-5", True),
        ("anthropic:claude-sonnet-4-5", False),
        ("google:gemini-2.5-flash", True),
        ("google:gemini-2.0-flash", False),
        ("openrouter:anthropic/claude-sonnet-5", True),
        ("ollama:qwen3", True),
        ("ollama:deepseek-r1", True),
        ("openai:Qwen/Qwen3-8B", True),
        ("openai:Qwen/Qwen3-30B-A3B-Instruct-2507", False),
        ("ollama:llama3", False),
        ("nosuchprovider:x", False),
        ("scripted:gpt-5-mini", False),
    ],
)
def test_which_models_think_by_themselves(model: str, thinks: bool) -> None:
    assert thinking_of(model).by_default is thinks


def test_room_to_think() -> None:
    thinker, plain = "openai:gpt-5-mini", "openai:gpt-4o"
    assert [CallSettings.of([thinker, plain]).room("judge", model) for model in (thinker, plain)] == [8_000, 0]
    for effort, room in {"none": 0, "low": 2_000, "medium": 8_000, "high": 16_000}.items():
        settings = CallSettings.of([thinker], {"": {"effort": "low"}, "judge": {"effort": effort}})
        assert (settings.room("judge", thinker), settings.room("patcher", thinker)) == (room, 2_000)
    assert CallSettings.of([plain], {"": {"effort": "high", "room": 300}}).room("judge", plain) == 300


def test_no_reply_is_allowed_more_than_the_model_can_give() -> None:
    settings = CallSettings.of(["anthropic:claude-sonnet-4-5", "openai:x"])
    assert settings.limited("anthropic:claude-sonnet-4-5", 1_000_000) == 64_000
    assert settings.limited("openai:x", 1_000_000) == 1_000_000


def test_how_models_are_asked_is_recorded_and_kept() -> None:
    assert CallSettings.of(["openai:x", "scripted:y"], {"": {}}).as_record() == {}
    settings = CallSettings.of(["anthropic:claude-sonnet-5"], {"judge": {"temperature": 0.2}})
    assert CallSettings.from_record(settings.as_record()) == settings
    recorded = CallSettings({"openai:gpt-5-mini": Thinking(False, None)})
    wider = recorded.with_models(["openai:gpt-5-mini", "openai:o3"])
    assert wider.models == {"openai:gpt-5-mini": Thinking(False, None), "openai:o3": Thinking(True, None)}


def test_a_call_that_thinks_may_take_longer() -> None:
    endpoint = Endpoint(timeout=120)
    assert [endpoint.patience(room) for room in (0, 2_000, 8_000, 16_000)] == [120, 150, 240, 360]
