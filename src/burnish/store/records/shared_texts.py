"""Texts of concerns and suggestions, kept once each: a course says the same few things about thousands of SEEDs.

In a packed record such a text is replaced by its number. Anything else that stands in its place is wrapped into a list
of one, so that numbers always mean texts and every record comes back as it was, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

TEXTS = {
    "concerns": ("description", "suggested_fix"),
    "suggestions": ("current_prompt_excerpt", "suggested_change", "rationale", "expected_improvement"),
}
"""List in an attempt -> the fields of its items that hold such texts."""


def shared(attempts: Any, number_of: Callable[[str], int]) -> Any:
    """Attempts with the texts taken out. `number_of` keeps a text and gives its number."""
    return _mapped(attempts, lambda text: number_of(text) if isinstance(text, str) else [text])


def filled(attempts: Any, text_of: Callable[[int], str]) -> Any:
    """The attempts again as they were. ValueError where they never were."""

    def given_back(mark: Any) -> Any:
        if isinstance(mark, list) and len(mark) == 1:
            return mark[0]
        if not isinstance(mark, int):
            raise ValueError("a text is no number")
        return text_of(mark)

    return _mapped(attempts, given_back)


def _mapped(attempts: Any, change: Callable[[Any], Any]) -> Any:
    if not isinstance(attempts, list):
        return attempts
    return [_in_attempt(attempt, change) for attempt in attempts]


def _in_attempt(attempt: Any, change: Callable[[Any], Any]) -> Any:
    if not isinstance(attempt, Mapping):
        return attempt
    return {
        name: [_in_item(item, TEXTS[name], change) for item in value]
        if name in TEXTS and isinstance(value, list)
        else value
        for name, value in attempt.items()
    }


def _in_item(item: Any, fields: tuple[str, ...], change: Callable[[Any], Any]) -> Any:
    if not isinstance(item, Mapping):
        return item
    return {name: change(value) if name in fields else value for name, value in item.items()}
