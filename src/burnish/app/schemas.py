"""Every contract by name, with its JSON Schema. A contract's module is imported only when it is asked for."""

from __future__ import annotations

import difflib
import importlib
import re
from functools import cache
from typing import Any

from pydantic import BaseModel

from burnish.app.kinds import known_kinds
from burnish.core.errors import NotFound
from burnish.core.presentation import Contract
from burnish.core.replies import REPLIES, reply_schema

OWN: dict[str, Contract] = {
    "check_report": Contract("`burnish check --format json`.", "burnish.app.check_json", "CheckReport"),
    "manifest": Contract("manifest.json of a run.", "burnish.app.receipt", "Manifest"),
    "report": Contract("report.json of a run.", "burnish.app.receipt", "RunReport"),
    "receipt": Contract("receipt.json of a run.", "burnish.app.receipt", "Receipt"),
    "run_report": Contract("`burnish report RUN --json`.", "burnish.app.run_report", "RunReport"),
    "settings": Contract("burnish.toml.", "burnish.app.settings", "Settings"),
}
"""Contracts that are the same for every kind."""


@cache
def contracts() -> dict[str, str]:
    """Name -> one line about it, of every contract: each kind's own, those of all kinds, and what models are asked."""
    own = {name: contract.what for kind in known_kinds().values() for name, contract in kind.contracts.items()}
    common = {name: contract.what for name, contract in OWN.items()}
    return {**own, **common, **{name: _asked(name) for name in REPLIES}}


def _asked(name: str) -> str:
    sentence = (REPLIES[name].__doc__ or "").strip().split("\n", 1)[0]
    return f"Asked of a model: {sentence[:1].lower()}{sentence[1:]}"


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one contract, by its name or by that of its type (`ValidationResult`)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_schema(_named(name))}


def _named(name: str) -> str:
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if snake in contracts():
        return snake
    aliases = {contract.alias: known for known, contract in _models().items()}
    if snake in aliases:
        return aliases[snake]
    near = difflib.get_close_matches(snake, contracts(), n=1)
    hint = f"Did you mean `{near[0]}`?" if near else "`burnish schema` lists them all."
    raise NotFound(f"There is no contract {name!r}.", hint=hint)


def _models() -> dict[str, Contract]:
    return {**{name: c for kind in known_kinds().values() for name, c in kind.contracts.items()}, **OWN}


def _schema(name: str) -> dict[str, Any]:
    contract = _models().get(name)
    if contract is None:
        return reply_schema(name)
    described: type[BaseModel] = getattr(importlib.import_module(contract.module), contract.model)
    return described.model_json_schema()
