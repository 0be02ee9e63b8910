"""Choices: an argument that is one of a few names. A slip must not select another behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from burnish.core.errors import UsageError


def refuse_slip(name: str, given: object, choices: Any) -> None:
    """Raise UsageError if a given choice is none of the known ones. `choices`: a Literal type, or the names; None as
    the given choice is no choice."""
    known: Sequence[object] = choices if isinstance(choices, tuple | list) else get_args(choices)
    if given is not None and given not in known:
        told = ", ".join(str(one) for one in known)
        raise UsageError(f"{name} cannot be {given!r}.", hint=f"Choose one of: {told}.")


def refuse_outside(name: str, given: int, least: int, most: int) -> None:
    """Raise UsageError if a number is outside its limits."""
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise UsageError(f"{name} cannot be {given!r}.", hint=f"Give a number from {least} to {most}.")
