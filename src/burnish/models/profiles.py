"""What is known of models and providers by name: family, endpoint, the variables that hold key and address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

OPENAI_NAMES = frozenset({"openai", "openai-chat", "openai-responses"})

# The first pattern that is found in the model's own name decides. A pattern begins where a word begins, so that
# "command-r" is not found in "recommander".
PATTERNS: tuple[tuple[str, str], ...] = (
    ("deepseek", r"deepseek"),  # before qwen and llama: "deepseek-r1-distill-qwen" was taught by deepseek
    ("gpt", r"gpt|chatgpt|o[1-9](?:-|$)|codex|davinci"),
    ("claude", r"claude"),
    ("gemini", r"gemini"),
    ("gemma", r"gemma|codegemma"),
    ("llama", r"llama|codellama|tinyllama"),
    ("mistral", r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral"),
    ("qwen", r"qwen|qwq"),
    ("grok", r"grok"),
    ("phi", r"phi"),
    ("command", r"command|aya|c4ai"),
    ("smollm", r"smollm"),
    ("kimi", r"kimi|moonshot"),
    ("glm", r"glm|chatglm"),
    ("nova", r"nova"),
    ("granite", r"granite"),
)
COMPILED = tuple((family, re.compile(rf"(?<![a-z])(?:{pattern})", re.IGNORECASE)) for family, pattern in PATTERNS)


def family(model: str, settings: Mapping[str, str] | None = None) -> str:
    """The family of a `provider:model`: the setting if there is one, else a guess from its name.

    Judges of one family share their blind spots, so a panel wants different ones. An unknown model is a family of its
    own, named after the model.
    """
    if settings and model in settings:
        return settings[model]
    provider, _, name = model.partition(":")
    if provider == "scripted":
        return f"scripted:{name}"
    return next((family for family, pattern in COMPILED if pattern.search(name)), name.lower())


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where calls go and how long they may take."""

    base_url: str | None = None
    """None: the provider's own address."""
    timeout: float = 300.0
    """Seconds for one try, from connecting to the last byte."""
    connect_timeout: float = 10.0


def key_variable(provider: str) -> str:
    """The environment variable that holds a provider's key."""
    return f"{variable_prefix(provider)}_API_KEY"


def variable_prefix(provider: str) -> str:
    return "OPENAI" if provider in OPENAI_NAMES else provider.upper().replace("-", "_")
