"""A check's examples as whole questions: each is a few fields laid over one sound question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from burnish.core.kinds import Illustration, Pictured
from burnish.kinds.questions.context import BankContext
from burnish.kinds.questions.describing import label
from burnish.kinds.questions.model import Question

SOUND: Mapping[str, Any] = {
    "id": "example",
    "stem": (
        "A 54-year-old man comes to the emergency department because of crushing chest pain for 2 hours. "
        "An ECG shows ST-segment elevation in leads II, III, and aVF. "
        "Which of the following drugs should be given first?"
    ),
    "options": ("Aspirin", "Digoxin", "Furosemide", "Lidocaine", "Verapamil"),
    "correct_answer": "A",
    "language": "en",
}
"""No rule has anything to say about it."""

CONTEXT = "_context"
"""The key under which an example gives facts about its bank."""


def example_question(partial: Mapping[str, Any]) -> tuple[Question, BankContext]:
    """The sound question with an example's fields laid over it, and the bank it belongs to.

    Options may be written as plain texts; they are lettered in order. A bank carries what the example carries,
    unless the example says otherwise under `_context`.
    """
    fields = {**SOUND, **{name: value for name, value in partial.items() if name != CONTEXT}}
    fields["options"] = _lettered(fields["options"])
    question = Question.model_validate(fields)
    return question, replace(BankContext(carried=frozenset(_carried(question))), **partial.get(CONTEXT, {}))


def illustration(partial: Mapping[str, Any]) -> Illustration:
    """The example as a reader sees it: the fields that it names itself; the rest is only taken for granted."""
    question, context = example_question(partial)
    named = {name for name in partial if name != CONTEXT}
    pictures = []
    for field, text in question.texts().items():
        is_said = bool(text) and (field or "").partition(".")[0] in named
        pictures.append(Pictured(text, label(field), question.id, field, is_said))
    return Illustration(question, context, tuple(pictures))


def _lettered(options: Any) -> list[Any]:
    return [
        {"key": ascii_uppercase[index], "text": option} if isinstance(option, str) else option
        for index, option in enumerate(options)
    ]


def _carried(question: Question) -> Iterator[str]:
    """The optional fields that this question has."""
    for name in ("rationale", "vignette"):
        if getattr(question, name) is not None:
            yield name
    if question.metadata is not None:
        yield from (f"metadata.{name}" for name in question.metadata.model_fields_set)
