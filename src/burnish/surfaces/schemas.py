"""Every contract by name, with its JSON Schema. A contract's module is imported only when it is asked for."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from burnish.core.errors import UsageError
from burnish.core.replies import REPLIES, reply_schema


@dataclass(frozen=True, slots=True)
class Contract:
    """A shape that others may rely on."""

    what: str
    """One line about it."""
    schema: Callable[[], dict[str, Any]]


def model(what: str, module: str, name: str) -> Contract:
    """The contract that a pydantic model describes."""

    def schema() -> dict[str, Any]:
        described: type[BaseModel] = getattr(importlib.import_module(module), name)
        return described.model_json_schema()

    return Contract(what, schema)


def reply(name: str) -> Contract:
    """What a model is asked to answer."""
    sentence = (REPLIES[name].__doc__ or "").strip().split("\n", 1)[0]
    return Contract(f"Asked of a model: {sentence[:1].lower()}{sentence[1:]}", lambda: reply_schema(name))


_RESULTS = "burnish.kinds.questions.results"

SCHEMAS: dict[str, Contract] = {
    "question": model("An exam question (QuestionDraft).", "burnish.kinds.questions.model", "Question"),
    "validation_result": model("All rules on one question.", _RESULTS, "ValidationResult"),
    "rule_config": model("Which rules an institution wants.", _RESULTS, "RuleConfig"),
    "correction_result": model("What became of a question that had errors.", _RESULTS, "CorrectionResult"),
    "correction_metadata": model("How a correction went, in numbers.", _RESULTS, "CorrectionMetadata"),
    "circuit_breaker_state": model("How often a rule failed in a row.", _RESULTS, "CircuitBreakerState"),
    "check_report": model("`burnish check --format json`.", "burnish.surfaces.reports.contract", "CheckReport"),
    "receipt": model("receipt.json of a run.", "burnish.surfaces.reports.receipt", "Receipt"),
    "settings": model("burnish.toml.", "burnish.surfaces.settings", "Settings"),
    **{name: reply(name) for name in REPLIES},
}
"""Name -> contract, in the order of the list."""


ALIASES = {"question_draft": "question"}
"""Other names that contracts go by."""


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one contract, by its name or by that of its type (`ValidationResult`)."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    name = ALIASES.get(snake, snake if snake in SCHEMAS else name)
    if name not in SCHEMAS:
        near = difflib.get_close_matches(name, SCHEMAS, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else "`burnish schema` lists them all."
        raise UsageError(f"There is no contract {name!r}.", hint=hint)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **SCHEMAS[name].schema()}
