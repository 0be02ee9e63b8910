"""Model families."""

import pytest

from burnish.models.profiles import family


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
