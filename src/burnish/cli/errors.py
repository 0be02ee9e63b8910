"""Error messages: what went wrong, where, and what to do next."""

from __future__ import annotations

import os
import sys
import traceback
from itertools import pairwise
from typing import Any

import typer

from burnish import __version__
from burnish.app.terminal import Screen, json_text
from burnish.core.errors import BurnishError, InputError

REPORT = "This is a bug in Burnish. BURNISH_DEBUG=1 shows where; please report it with the command you ran."
WRONG_USE = 2
UNCHANGED = "Nothing was changed."


def print_error(error: Exception, arguments: list[str], internal_code: int) -> int:
    """Say what went wrong on stderr and return the exit code."""
    if os.environ.get("BURNISH_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, BurnishError):
        return _tell(error.code, str(error), error.hint, error.exit_code, arguments, _place(error))
    if isinstance(error, typer.TyperException):
        return _tell_usage(error, arguments)
    message = f"{type(error).__name__}: {error}"
    return _tell("internal_error", message, f"{REPORT} (Burnish {__version__})", internal_code, arguments)


def print_interrupted(state: str) -> None:
    """`state` is how things stand, in the words of the command that was interrupted; empty where it did not say."""
    head, *more = state.split("\n")
    screen = Screen(sys.stderr)
    screen.line(("strong", "Interrupted."), f" {head}" if head else "")
    for line in more:
        screen.line("  ", line)


def _tell_usage(error: typer.TyperException, arguments: list[str]) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if context is not None and message == context.get_help():  # a group without a command shows its help
        sys.stderr.write(f"{message}\n")
        return WRONG_USE
    path = context.command_path if context is not None else "burnish"
    return _tell("usage", message, f"`{path} --help` explains it.", WRONG_USE, arguments)


def _place(error: BurnishError) -> dict[str, Any]:
    if not isinstance(error, InputError):
        return {}
    return {"path": error.path, "line": error.line, "field": error.field}


def _tell(
    code: str, message: str, hint: str | None, exit_code: int, arguments: list[str], place: dict[str, Any] | None = None
) -> int:
    if wants_json(arguments):
        told = {"error": {"code": code, "message": message, "hint": hint, "exit_code": exit_code, **(place or {})}}
        sys.stderr.write(f"{json_text(told)}\n")
        return exit_code
    screen = Screen(sys.stderr)
    first, *more = message.split("\n")
    screen.line(("error", "burnish: "), first)
    for line in more:
        screen.line("  ", line)
    if hint:
        screen.line(("faint", "  hint: "), hint)
    return exit_code


def wants_json(arguments: list[str]) -> bool:
    """Whether the command was asked for JSON, so that its errors are JSON too."""
    if "--json" in arguments or "--format=json" in arguments:
        return True
    return any(pair == ("--format", "json") for pair in pairwise(arguments))
