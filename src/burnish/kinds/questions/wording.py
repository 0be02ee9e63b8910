"""The English word tables of questions, read once from `wording.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def wording() -> dict[str, Any]:
    """Table -> what it holds."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def listed_words(table: str, name: str) -> frozenset[str]:
    """One list of words."""
    return frozenset(wording()[table][name].split())
