"""Names of providers: which are known, which package each needs, and what was meant by a name that is not one."""

from __future__ import annotations

import difflib

from burnish.models.profiles import family

EXTRAS = {"google": "google", "google-cloud": "google", "mistral": "mistral", "groq": "groq", "bedrock": "bedrock"}
"""Provider -> the extra of Burnish that brings its package."""
EVERY_EXTRA = "all-models"
"""The extra with the packages of the providers that have none of their own, too."""

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
"""What providers are called elsewhere -> their name here."""
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
"""Family -> the provider that sells it; `ollama` serves the open ones."""
OPEN_FAMILIES = frozenset({"gemma", "llama", "qwen", "phi", "smollm", "granite"})


def extra_for(provider: str) -> str:
    """The extra of Burnish that brings the provider's package."""
    return EXTRAS.get(provider, EVERY_EXTRA)


def suggestion(name: str) -> str | None:
    """The `provider:model` that was probably meant by a name that is none; None where nothing comes near."""
    before, colon, after = name.strip().partition(":")
    if "/" in before:
        provider, _, model = name.strip().partition("/")
        known = _provider(provider)
        return f"{known}:{model}" if known and model else None
    if colon and (known := _provider(before)):
        # `gemini:2.5-pro` leaves out what the provider has in the name.
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
    """By the model's own name: `gpt-5-mini`, `qwen3:8b`."""
    kind = family(f":{name.partition(':')[0]}")
    if kind in OPEN_FAMILIES or "gpt-oss" in name or (":" in name and kind in MAKERS):
        return f"ollama:{name}"
    return f"{MAKERS[kind]}:{name}" if kind in MAKERS else None
