"""Facts about models and providers by name: family, thinking, endpoint, the variables of key and address."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, Self

from burnish.core.together import MOST_ITEMS

EXTRAS = {"google": "google", "google-cloud": "google", "mistral": "mistral", "groq": "groq", "bedrock": "bedrock"}
"""Provider -> the extra of Burnish that installs its package."""
EVERY_EXTRA = "all-models"
"""The extra that also installs the packages of providers without an extra."""

PROVIDERS = frozenset({
    "alibaba", "anthropic", "azure", "azure-responses", "bedrock", "bedrock-mantle", "cerebras", "cohere", "crusoe",
    "deepseek", "fireworks", "github", "google", "google-cloud", "groq", "heroku", "huggingface", "litellm", "meta",
    "mistral", "moonshotai", "nebius", "ollama", "openai", "openai-chat", "openai-responses", "openrouter",
    "ovhcloud", "sambanova", "scripted", "snowflake", "together", "vercel", "vllm", "xai", "zai",
})  # fmt: skip
OTHER_NAMES = {
    "aws": "bedrock",
    "azure-openai": "azure",
    "chatgpt": "openai",
    "claude": "anthropic",
    "gemini": "google",
    "google-gla": "google",
    "google-vertex": "google-cloud",
    "gpt": "openai",
    "grok": "xai",
    "kimi": "moonshotai",
    "mistralai": "mistral",
    "moonshot": "moonshotai",
    "vertex": "google-cloud",
    "vertexai": "google-cloud",
    "x-ai": "xai",
    "z-ai": "zai",
}
"""Other names of providers -> their name here."""
MAKERS = {
    "gpt": "openai",
    "claude": "anthropic",
    "gemini": "google",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "grok": "xai",
    "command": "cohere",
    "kimi": "moonshotai",
    "glm": "zai",
}
"""Family -> the provider that sells it; open models are served by `ollama`."""
OPEN_FAMILIES = frozenset({"gemma", "llama", "qwen", "phi", "smollm", "granite"})


def extra_for(provider: str) -> str:
    """Return the extra of Burnish that installs the provider's package."""
    return EXTRAS.get(provider, EVERY_EXTRA)


def suggestion(name: str) -> str | None:
    """Return the `provider:model` that an unknown name probably means; None if nothing is similar."""
    before, colon, after = name.strip().partition(":")
    if "/" in before:
        provider, _, model = name.strip().partition("/")
        known = _provider(provider)
        return f"{known}:{model}" if known and model else None
    if colon and (known := _provider(before)):
        # `gemini:2.5-pro` leaves out the family that the provider's names begin with.
        named = before in ("claude", "gemini", "gpt") and not after.startswith(before)
        return f"{known}:{before}-{after}" if named and after else f"{known}:{after}" if after else None
    if meant := _by_family(name.strip()):
        return meant
    near = difflib.get_close_matches(before, [*OTHER_NAMES, *PROVIDERS], n=1, cutoff=0.8)
    return f"{_provider(near[0])}:{after}" if near and after else None


def _provider(name: str) -> str | None:
    lower = name.lower()
    return lower if lower in PROVIDERS else OTHER_NAMES.get(lower)


def _by_family(name: str) -> str | None:
    """Find a provider by the model's own name: `gpt-5-mini`, `qwen3:8b`."""
    kind = family(f":{name.partition(':')[0]}")
    if kind in OPEN_FAMILIES or "gpt-oss" in name or (":" in name and kind in MAKERS):
        return f"ollama:{name}"
    return f"{MAKERS[kind]}:{name}" if kind in MAKERS else None


OPENAI_NAMES = frozenset({"openai", "openai-chat", "openai-responses"})

# The first pattern found in the model's own name decides. A pattern matches at the start of a word, so that
# "command-r" is not found in "recommander".
PATTERNS: tuple[tuple[str, str], ...] = (
    ("deepseek", r"deepseek"),  # before qwen and llama: "deepseek-r1-distill-qwen" was distilled by deepseek
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
    """Return the family of a `provider:model`: the setting if there is one, else a guess from its name.

    Judges of one family share blind spots, so a panel needs different ones. An unknown model is a family of its own,
    named after the model.
    """
    if settings and model in settings:
        return settings[model]
    provider, _, name = model.partition(":")
    if provider == "scripted":
        return f"scripted:{name}"
    return next((family for family, pattern in COMPILED if pattern.search(name)), name.lower())


Effort = Literal["none", "low", "medium", "high"]
THINKING_ROOM: Mapping[Effort, int] = {"none": 0, "low": 2_000, "medium": 8_000, "high": 16_000}
"""Tokens for thinking, added to the room for the answer. Models think inside the limit of the reply."""
FOR_MORE_ITEMS = 4
"""Each further item of a request adds this part of the room for thinking: a quarter."""
LIBRARY_PROFILES = {
    "gpt": "openai",
    "claude": "anthropic",
    "gemini": "google",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "grok": "grok",
    "glm": "zai",
}
"""Family -> its module in the library, for models behind a server or package that the library does not recognise."""
THINKS = re.compile(r"qwq|qwen-?3(?!.*(?:instruct|coder))|gpt-oss|magistral|[-_]r1\b|thinking|reason", re.IGNORECASE)
"""Names of open models that think by default, about which the library says nothing."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """What is known of a model's thinking."""

    by_default: bool
    """Whether it thinks before it answers unless this is turned off."""
    most: int | None
    """The longest reply that the model allows, including thinking; None if unknown."""


@cache
def thinking_of(model: str) -> Thinking:
    """Return how a `provider:model` thinks, from the model library's profile of it."""
    provider, _, name = model.partition(":")
    if provider == "scripted":
        return Thinking(False, None)
    from pydantic_ai.providers import infer_provider_class

    try:
        profile = infer_provider_class("openai" if provider in OPENAI_NAMES else provider).model_profile(name)
    except (ImportError, ValueError):  # not installed, or the name of a user's own server
        profile = None
    found: list[Mapping[str, Any]] = [profile or {}]
    if (module := LIBRARY_PROFILES.get(family(model))) is not None:
        library = import_module(f"pydantic_ai.profiles.{module}")
        found.append(getattr(library, f"{module}_model_profile")(name.rpartition("/")[2].lower()) or {})
    thinks = any(one.get("thinking_always_enabled") or one.get("thinking_enabled_by_default") for one in found)
    # The library does not say what Gemini does by default: models that can think do.
    thinks = thinks or (family(model) == "gemini" and any(one.get("supports_thinking") for one in found))
    most = next((one["anthropic_max_output_tokens"] for one in found if one.get("anthropic_max_output_tokens")), None)
    return Thinking(thinks or THINKS.search(name) is not None, most)


@dataclass(frozen=True, slots=True)
class CallSettings:
    """Thinking of each model and settings of each role. Recorded with the run, because they are part of every call's
    key."""

    models: Mapping[str, Thinking] = field(default_factory=dict)
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Role -> `effort`, `room`, `temperature`, if they are set; the empty name is for every role."""

    @classmethod
    def of(cls, models: Iterable[str], roles: Mapping[str, Mapping[str, Any]] | None = None) -> Self:
        known = {model: thinking_of(model) for model in models}
        notable = {model: thinking for model, thinking in known.items() if thinking != Thinking(False, None)}
        return cls(notable, {role: set_ for role, set_ in (roles or {}).items() if set_})

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        models = {model: Thinking(**thinking) for model, thinking in record.get("models", {}).items()}
        return cls(models, record.get("roles", {}))

    def as_record(self) -> dict[str, Any]:
        """Return only what differs from the defaults."""
        return {name: value for name, value in asdict(self).items() if value}

    def with_models(self, models: Iterable[str]) -> Self:
        """Return a copy with further models; what is recorded of a model does not change."""
        return type(self)({**self.of(models).models, **self.models}, self.roles)

    def setting(self, role: str, name: str) -> Any:
        return {**self.roles.get("", {}), **self.roles.get(role, {})}.get(name)

    def room(self, role: str, model: str, items: int = 1) -> int:
        """Return the tokens that the model may think with in this role, about so many items."""
        room: int | None = self.setting(role, "room")
        if room is None:
            effort: Effort | None = self.setting(role, "effort")
            thinks = model in self.models and self.models[model].by_default
            room = THINKING_ROOM[effort or ("medium" if thinks else "none")]
        return room + (items - 1) * room // FOR_MORE_ITEMS

    def answer_room(self, role: str, model: str) -> int | None:
        """Return the most tokens of an answer about many items besides thinking; None: unknown."""
        most = self.models[model].most if model in self.models else None
        return None if most is None else max(0, most - self.room(role, model, MOST_ITEMS))

    def limited(self, model: str, tokens: int) -> int:
        """Return a reply's limit, or the most that the model allows."""
        most = self.models[model].most if model in self.models else None
        return tokens if most is None else min(tokens, most)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of calls and their time limits."""

    base_url: str | None = None
    """None: the provider's own address."""
    timeout: float = 300.0
    """Seconds for one try without thinking, from connecting to the last byte."""
    connect_timeout: float = 10.0

    def patience(self, thinking: int) -> float:
        """Return the seconds for one try that may think with so many tokens."""
        return self.timeout * (1 + thinking / THINKING_ROOM["medium"])


def key_variable(provider: str) -> str:
    """Return the environment variable that holds a provider's key."""
    return f"{variable_prefix(provider)}_API_KEY"


def variable_prefix(provider: str) -> str:
    return "OPENAI" if provider in OPENAI_NAMES else provider.upper().replace("-", "_")
