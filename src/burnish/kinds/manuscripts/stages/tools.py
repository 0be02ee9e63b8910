"""What several stages need."""

from __future__ import annotations

from burnish.core.records import Usage
from burnish.core.requests import Answer
from burnish.core.stages import Item
from burnish.kinds.manuscripts.model import Paragraph

ROOM = 12_000
"""Characters of source in one request: more of it, and models begin to leave things out."""


def paragraph_of(unit: object) -> Paragraph:
    """This kind's units are paragraphs; anything else is a mistake of the caller, not of the content."""
    assert isinstance(unit, Paragraph), f"no paragraph of a manuscript: {unit!r}"
    return unit


def source_of(item: Item) -> Paragraph:
    return paragraph_of(item.source)


def draft_of(item: Item) -> Paragraph:
    return paragraph_of(item.unit)


def bill(answer: Answer, *, first: bool) -> tuple[Usage, tuple[str, ...]]:
    """What an answer about several paragraphs cost: the first of them carries it, so that nothing counts twice."""
    return (answer.usage, answer.calls) if first else (Usage(), answer.calls)
