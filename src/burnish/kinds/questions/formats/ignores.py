"""Ignores that name no rule: a misspelt one would silently ignore nothing."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Iterator
from functools import cache

from burnish.core.documents import Problem
from burnish.kinds.questions import checks
from burnish.kinds.questions.formats.places import Place
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import ALIKE

CODE = "unknown_rule"
MOST_TOLD = 5
LONGEST_NAME = 100


@cache
def known_rules() -> frozenset[str]:
    """Every rule by its id, which is the name of its file: nothing is imported for it."""
    return frozenset({ALIKE.id, *(module.name for module in pkgutil.iter_modules(checks.__path__))})


def unknown_ignores(question: Question, place: Place) -> Iterator[Problem]:
    """What a question asks to ignore and nobody knows."""
    unknown = [name for name in dict.fromkeys(question.burnish_ignore) if name not in known_rules()]
    for name in unknown[:MOST_TOLD]:
        near = difflib.get_close_matches(name[:LONGEST_NAME], known_rules(), n=1)
        yield place.problem(
            CODE,
            f"There is no rule {name[:LONGEST_NAME]!r}, so nothing is ignored by that name.",
            field="burnish_ignore",
            unit=question.id,
            hint=f"Did you mean `{near[0]}`?" if near else "`burnish rules` lists them all.",
        )
