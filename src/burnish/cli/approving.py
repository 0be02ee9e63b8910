"""Approval before publishing: a flag, or a question at the terminal."""

from __future__ import annotations

import sys
from typing import Any

import typer

from burnish.engine.staged import Approval, nobody


def approval(given: bool, by: str | None = None) -> Approval:
    """Who approves: the flag, under the name that is given with it, somebody at the terminal, or nobody."""
    if given:
        return lambda: {"by": by or "--approve"}
    return _asked_at_terminal if sys.stdin.isatty() and sys.stderr.isatty() else nobody


def _asked_at_terminal() -> dict[str, Any] | None:
    answer = typer.prompt("Every paragraph is ready. Publish? [y/N]", default="n", show_default=False, err=True)
    return {"by": "terminal"} if answer.strip().lower() in ("y", "yes") else None
