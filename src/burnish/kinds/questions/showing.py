"""A question as a person reads it: the text that diffs are made of."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from burnish.kinds.questions.model import Item, Option, Question


def shown(question: Question) -> str:
    """The item, one thing a line, the key marked with a star."""
    return "\n".join(_lines(question)) + "\n"


def _lines(question: Question) -> Iterator[str]:
    if question.vignette:
        yield question.vignette
        yield ""
    if question.stem:
        yield question.stem
    yield from _options(question.options, question.correct_answer)
    for item in question.items or ():
        yield ""
        yield from _item(item)
    if question.rationale:
        yield ""
        yield f"Rationale: {question.rationale}"


def _item(item: Item) -> Iterator[str]:
    yield item.stem
    yield from _options(item.options or (), item.correct_answer)
    if item.options is None:
        yield f"  Answer: {item.correct_answer}"
    if item.rationale:
        yield f"  Rationale: {item.rationale}"


def _options(options: tuple[Option, ...], correct: str) -> Iterator[str]:
    for option in options:
        yield f"{'*' if option.key == correct.strip() else ' '} {option.key}. {option.text}"


def difference(before: Question, after: Question) -> str:
    """A unified diff of the item as shown; empty where nothing a reader sees has changed."""
    return "\n".join(
        difflib.unified_diff(
            shown(before).splitlines(),
            shown(after).splitlines(),
            f"{before.id} before",
            f"{after.id} after",
            lineterm="",
        )
    )
