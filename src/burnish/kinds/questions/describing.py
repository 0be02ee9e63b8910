"""A bank as a whole, in words: where the keys stand, what is alike, what the questions are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from burnish.core.documents import Field
from burnish.core.kinds import Remark, Table
from burnish.kinds.questions.blooms import LEVELS

UNSAID = "-"
NO_QUESTION = "·"
DIFFICULTIES = ("easy", "medium", "hard")


def describe(bank: Mapping[str, Any]) -> list[Remark | Table]:
    """What the overview of a bank says. Likeness alone says nothing new: each question that is like another is told."""
    keys, blueprint = list(_key_balance(bank)), list(_blueprint(bank.get("blueprint", ())))
    told = keys or blueprint or bank.get("near_duplicates_ignored")
    return [*keys, *(_likeness(bank) if told else ()), *blueprint]


def _key_balance(bank: Mapping[str, Any]) -> Iterator[Remark]:
    for group in bank.get("key_balance", ()):
        if group["balanced"] is not None:
            yield Remark("keys", group["message"], alarming=not group["balanced"])


def _likeness(bank: Mapping[str, Any]) -> Iterator[Remark]:
    alike, ignored = bank.get("near_duplicates", 0), bank.get("near_duplicates_ignored", 0)
    if alike or ignored:
        yield Remark("much alike", f"{alike:,}" + (f", and {ignored:,} that authors ignore" if ignored else ""))


def _blueprint(cells: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """Objective and level down, difficulty across."""
    if not cells:
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in cells:
        objective, level, difficulty = (cell[name] or UNSAID for name in ("objective", "bloom_level", "difficulty"))
        counts[objective, level, difficulty] += cell["questions"]
    across = sorted({difficulty for _, _, difficulty in counts}, key=lambda one: _ranked(one, DIFFICULTIES))
    down = sorted(
        {(objective, level) for objective, level, _ in counts}, key=lambda one: (one[0], _ranked(one[1], LEVELS))
    )
    rows = tuple((*names, *(f"{counts[*names, name] or NO_QUESTION}" for name in across)) for names in down)
    yield Table("blueprint", ("objective", "level", *across), rows, names=2)


def _ranked(name: str, order: Sequence[str]) -> tuple[int, str]:
    """In the order of the trade; a name that it does not know comes last."""
    known = [one.casefold() for one in order]
    return (known.index(name.casefold()) if name.casefold() in known else len(known)), name


def label(field: Field) -> str:
    """As an exam prints it: the stem bare, options by their letter, all else by its name."""
    head, _, rest = (field or "").partition(".")
    if head in ("stem", ""):
        return ""
    return f"{rest}. " if head == "options" else f"{field}: "


def ignoring(rule: str) -> str:
    return f'`"burnish_ignore": ["{rule}"]` on a single question'
