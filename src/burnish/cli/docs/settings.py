"""The table of all settings, from the models that check them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from burnish.app.loading import PREFIX, SHORT_NAMES
from burnish.app.settings import Settings
from burnish.cli.docs.markdown import table


def settings_page() -> str:
    short = {key: name for name, key in SHORT_NAMES.items()}
    rows = (
        (f"`{key}`", type_name, default, f"`{short.get(key) or variable}`" if variable else "", what)
        for key, type_name, default, variable, what in _settings_rows(Settings, "")
    )
    return SETTINGS_HEAD + table(("key", "type", "default", "environment", "what"), rows)


SETTINGS_HEAD = """# Settings

From `burnish.toml`, or the table `[tool.burnish]` of `pyproject.toml`, whichever is nearest above the current folder
(`BURNISH_SETTINGS` names another file); then from the environment; then from flags. Each takes the place of the one
before. A setting that is wrong or unknown is an error that names its file (or variable) and its key.

In the environment a key is written `BURNISH_SECTION__KEY`, lists have commas between their items, and the settings
people change most have short names. Tables of your own names (`prices`, `families`, `endpoints`, `institutions`) stand
in the file.

```toml
[models]
model = "openai:gpt-4o-mini"
judges = ["openai:gpt-4o", "anthropic:claude-sonnet-4-5", "ollama:qwen3"]

[prices."openai:gpt-4o-mini"]  # US dollars for a million tokens
input = 0.15
output = 0.60

[endpoints.openai]
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "MY_SERVER_KEY"

[check]
ignore = ["ext_difficulty_calibration"]

[institutions.ACME]
disabled_rules = ["nbme_lead_in"]
severity_overrides = { nbme_absolute_terms = "error" }
required_metadata = ["course_id", "bloom_level"]
```

"""


TYPE_NAMES = {
    "dict": "table",
    "tuple": "list of text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
}
"""How people who write TOML call a type, by the first of these that its annotation mentions."""


def _settings_rows(model: type[BaseModel], above: str, *, own_names: bool = False) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        key = f"{above}{name}"
        inner = _section(field.annotation)
        if inner is None:
            default = field.get_default(call_default_factory=True)
            shown = (
                ""
                if default is PydanticUndefined or default in (None, (), {})
                else f"`{str(default).lower() if isinstance(default, bool) else default}`"
            )
            variable = "" if own_names or "dict" in str(field.annotation) else _variable(key)
            yield key, _type_name(field.annotation), shown, variable, field.description or ""
        elif _is_section(field.annotation):
            yield from _settings_rows(inner, f"{key}.")
        else:
            yield from _settings_rows(inner, f"{key}.NAME.", own_names=True)


def _section(annotation: Any) -> type[BaseModel] | None:
    """The table behind a setting, or behind the entries of one."""
    return next((candidate for candidate in (annotation, *get_args(annotation)) if _is_section(candidate)), None)


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _variable(key: str) -> str:
    return PREFIX + key.upper().replace(".", "__")


def _type_name(annotation: Any) -> str:
    """In words that a person who writes TOML knows."""
    text = str(annotation)
    return next((name for mark, name in TYPE_NAMES.items() if mark in text), "text")
