"""A first look over a bank: which optional fields it carries at all, and what it is written in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, BinaryIO

from burnish.kinds.questions.formats import Format
from burnish.kinds.questions.model import Question
from burnish.languages.detection import clear_language
from burnish.languages.tags import primary_tag

LOOKED_AT = 200
"""Parts at the beginning of a bank by which its language is told."""
FEWEST, MOST = 2, 0.9
"""So many questions must tell a language, and so large a share of those that tell one must tell the same."""


def survey(format: Format, stream: BinaryIO, path: str) -> dict[str, Any]:
    """JSON-ready facts about the whole bank."""
    carried = sorted(format.carried(stream))
    stream.seek(0)
    beginning = islice(format.read(stream, path), LOOKED_AT)
    return {"carried": carried, "language": prevailing(part for part in beginning if isinstance(part, Question))}


def prevailing(questions: Iterable[Question]) -> str | None:
    """The language that nearly all questions are written in, of those that tell."""
    told = Counter(filter(None, map(_told, questions)))
    for language, count in told.most_common(1):
        if count >= FEWEST and count >= MOST * told.total():
            return language
    return None


def _told(question: Question) -> str | None:
    return primary_tag(question.language) or clear_language(question.words_shown)
