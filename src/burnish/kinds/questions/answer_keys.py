"""How banks and authors name the right answer: by key (`B`, `b.`, `Option B`), by position, or in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.kinds.questions.model import Option

LONGEST_KEY = 200
KEY_WORDS = re.compile(
    r"(?:the\s+)?(?:correct\s+)?(?:option|answer|choice|key)?\s*(?:is\b)?\s*[:(\[]?\s*", re.IGNORECASE
)
SEVERAL = re.compile(r"\s*(?:,|;|/|&|\+|\band\b|\bor\b)\s*", re.IGNORECASE)


def meant_keys(options: Sequence[Option], given: str) -> list[str]:
    """The letters that the answer means, as far as that is certain."""
    if len(given) > LONGEST_KEY:
        return []
    by_text = [option.key for option in options if option.text.strip().lower() == given.lower()]
    if by_text:
        return by_text[:1]
    letters = {option.key.strip().lower(): option.key for option in options}
    wanted = KEY_WORDS.sub("", given, count=1).strip(" .:()[]").lower()
    if wanted in letters:
        return [letters[wanted]]
    parts = [part.strip(" .()") for part in SEVERAL.split(wanted)]
    return [letters[part] for part in parts] if all(part in letters for part in parts) else []


Form = Literal["key", "lower_key", "number_key", "index", "index_text", "text"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The key that a bank's answer means, and how the bank wrote it."""

    key: str
    form: Form
    known: bool
    """Whether it names an option at all."""


def read_answer(
    value: Any, options: Sequence[tuple[str, str]], *, keyed: bool, words_first: bool = False
) -> Answer | None:
    """The meaning of `value` for options given as (key, text); None where it is no answer at all.

    Where options have no keys of their own (`keyed` false), a number is the position, counted from 0; but where
    `words_first`, text that is just what one option says is that option, even if it looks like a number.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _numbered(value, options, keyed)
    if not isinstance(value, str):
        return None
    meant = [key for key, text in options if text.strip() == value.strip() and value.strip()]
    if words_first and not keyed and len(meant) == 1:
        return Answer(meant[0], "text", True)
    return _worded(value, options, keyed)


def _numbered(value: int, options: Sequence[tuple[str, str]], keyed: bool) -> Answer:
    if not keyed and 0 <= value < len(options):
        return Answer(options[value][0], "index", True)
    return Answer(str(value), "number_key", any(key == str(value) for key, _ in options))


def _worded(value: str, options: Sequence[tuple[str, str]], keyed: bool) -> Answer:
    words, keys = value.strip(), [key for key, _ in options]
    if words in keys:
        return Answer(words, "key", True)
    if not keyed and words.isascii() and words.isdigit() and len(words) < 4 and int(words) < len(options):
        return Answer(keys[int(words)], "index_text", True)
    if not keyed and words.upper() in keys:
        return Answer(words.upper(), "lower_key", True)
    meant = [key for key, text in options if text.strip() == words and words]
    return Answer(meant[0], "text", True) if len(meant) == 1 else Answer(value, "key", False)


def write_answer(form: Form, key: str, options: Sequence[Option]) -> str | int | None:
    """The key in the form that the bank uses; None where that form needs an option and none has the key."""
    position = next((index for index, option in enumerate(options) if option.key == key.strip()), None)
    if form == "key" or (form == "lower_key" and position is None):
        return key
    if form == "lower_key":
        return key.lower()
    if form == "number_key":
        return int(key) if key.isascii() and key.isdigit() else key
    if position is None:
        return None
    if form == "text":
        words = options[position].text
        # Words that two options share name neither of them: then only the key can.
        return words if [option.text.strip() for option in options].count(words.strip()) == 1 else key
    return position if form == "index" else str(position)
