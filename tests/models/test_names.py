"""Names of providers: what is known, and what was meant."""

import tomllib
from pathlib import Path

import pytest

from burnish.core.errors import UsageError
from burnish.models.profiles import EVERY_EXTRA, EXTRAS, OTHER_NAMES, PROVIDERS, suggestion
from tests.models.fixtures import a_call


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("openai/gpt-5-mini", "openai:gpt-5-mini"),
        ("anthropic/claude-opus-5", "anthropic:claude-opus-5"),
        ("gemini/gemini-3.5-flash", "google:gemini-3.5-flash"),
        ("openrouter/qwen/qwen3:free", "openrouter:qwen/qwen3:free"),
        ("gpt-5-mini", "openai:gpt-5-mini"),
        ("o3-mini", "openai:o3-mini"),
        ("claude-sonnet-5", "anthropic:claude-sonnet-5"),
        ("gemini-3.5-flash", "google:gemini-3.5-flash"),
        ("llama3.2", "ollama:llama3.2"),
        ("gpt-oss:20b", "ollama:gpt-oss:20b"),
        ("deepseek-r1:8b", "ollama:deepseek-r1:8b"),
        ("OpenAI:gpt-5", "openai:gpt-5"),
        ("gemini:2.5-pro", "google:gemini-2.5-pro"),
        ("google-vertex:gemini-3.5-flash", "google-cloud:gemini-3.5-flash"),
        ("gemini:", None),
        ("meta-llama/Llama-3.3", None),
        ("banana", None),
        ("", None),
    ],
)
def test_what_was_meant(name: str, meant: str | None) -> None:
    assert suggestion(name) == meant


def test_the_library_knows_every_provider_that_is_suggested() -> None:
    from pydantic_ai.providers import infer_provider_class

    for provider in (PROVIDERS | set(OTHER_NAMES.values())) - {"scripted"}:
        try:
            infer_provider_class(provider)
        except ImportError:
            continue  # known, and its package is not installed


def test_every_extra_that_a_message_names_is_in_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*EXTRAS.values(), EVERY_EXTRA} <= set(project["optional-dependencies"])


def test_a_call_with_a_name_that_is_no_model_says_what_was_meant() -> None:
    with pytest.raises(UsageError) as caught:
        a_call(model="gpt-5")
    assert caught.value.hint == "Did you mean `openai:gpt-5`?"
