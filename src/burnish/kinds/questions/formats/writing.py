"""What all writers of new files share: saying by name what a format cannot carry."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from burnish.kinds.questions.formats.drafting import option_key
from burnish.kinds.questions.formats.escaping import FORBIDDEN
from burnish.kinds.questions.model import Option, Question


class Losses:
    """What could not be carried, counted."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}

    def add(self, what: str, id: str) -> None:
        count, first = self._counts.get(what, (0, id))
        self._counts[what] = (count + 1, first)

    def sentences(self) -> list[str]:
        return [f"{what} ({_questions(count)}, first {first!r})." for what, (count, first) in self._counts.items()]


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count} questions"


def without_forbidden(question: Question, losses: Losses) -> Question:
    """The question in characters that XML can hold."""
    given = question.model_dump(exclude_unset=True)
    clean = _cleaned(given)
    if clean == given:
        return question
    losses.add("Characters that XML cannot hold become U+FFFD", question.id)
    return Question.model_validate(clean)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return FORBIDDEN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _cleaned(part) for name, part in value.items()}
    return type(value)(map(_cleaned, value)) if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Choice:
    """A question as formats for single choice see it: texts in order, and which is right."""

    question: Question
    stem: str
    options: tuple[Option, ...]
    right: int
    """The position of the key."""


def choices(question: Question, losses: Losses, carried: Collection[str]) -> Iterator[Choice]:
    """The question for a format that carries the named fields beside stem, options and key; nothing for a set."""
    if question.items or question.type != "single_best_answer":
        losses.add(f"Questions of the type {question.type} are left out", question.id)
        return
    right = next((index for index, option in enumerate(question.options) if option is question.key), None)
    if right is None or len(question.options) < 2:
        losses.add("Questions without a key, or with fewer than two options, are left out", question.id)
        return
    for name in _further_fields(question):
        if name not in carried and name != "vignette":
            losses.add(f"The field {name} is not carried", question.id)
    if "option keys" not in carried and any(option.key != option_key(i) for i, option in enumerate(question.options)):
        losses.add("Option keys other than A, B, C, ... are renamed by position", question.id)
    stem = question.stem
    if question.vignette and "vignette" not in carried:
        losses.add("The vignette is put before the stem, in one text", question.id)
        stem = f"{question.vignette}\n\n{question.stem}"
    yield Choice(question, stem, question.options, right)


def _further_fields(question: Question) -> Iterator[str]:
    """Everything that is filled beside stem, options and key."""
    for name in ("vignette", "rationale", "language", "burnish_ignore"):
        if getattr(question, name):
            yield name
    if question.metadata is not None:
        for name, value in question.metadata.model_dump(exclude_none=True).items():
            if value:
                yield f"metadata.{name}"
    yield from question.model_extra or {}
    for name in {name: None for option in question.options for name in option.model_extra or {}}:
        yield f"options.{name}"
