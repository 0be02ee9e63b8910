"""A bank as a whole: what checks may know of it, its language, the balance of its keys, and its blueprint.

The facts are tallies: they take one question after the other and hold no question.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from burnish.kinds.questions.formats import Format
from burnish.kinds.questions.model import Option, Question
from burnish.languages.detection import sure_language
from burnish.languages.tags import primary_tag

FEWEST_EXPECTED = 5
"""The chi-square test is trusted only where this many keys are expected in every position."""
SIGNIFICANT = 0.01
NOTICEABLE = 0.1
"""How large the imbalance must be (Cohen's w) to be worth a word: in a huge bank the smallest one is significant."""

MOST_POSITIONS = 26
MOST_CELLS = 20_000
"""Cells of the blueprint that are kept apart; what goes beyond is counted together, so that memory has a bound."""
OTHER = "(other)"


@dataclass(frozen=True, slots=True)
class KeyBalance:
    """Where the key stands, over all questions with the same number of options."""

    options: int
    questions: int
    positions: tuple[int, ...]
    """How often the key is the first option, the second, ..."""
    chi_square: float
    p_value: float | None
    """How likely chance alone is to give such an imbalance; None where there are too few questions to say."""
    balanced: bool | None
    """None where there are too few questions to say."""

    @property
    def message(self) -> str:
        """One line for a person."""
        shares = ", ".join(f"{chr(65 + place)} {count}" for place, count in enumerate(self.positions))
        head = f"{self.questions} questions with {self.options} options: {shares}"
        if self.balanced is None:
            return f"{head} (too few to judge)."
        return f"{head} ({self._verdict}, p = {self.p_value:.2g})."

    @property
    def _verdict(self) -> str:
        if not self.balanced:
            return "out of balance"
        return "balanced" if (self.p_value or 0) >= SIGNIFICANT else "slightly uneven"


@dataclass(frozen=True, slots=True)
class BlueprintCell:
    """How many questions have one objective, level and difficulty. None: the question does not say."""

    objective: str | None
    bloom_level: str | None
    difficulty: str | None
    questions: int


Cell = tuple[str | None, str | None, str | None]


class BankFacts:
    """Tallies over a bank. Two of them, from two parts of a bank, can be merged."""

    def __init__(self) -> None:
        self._positions: dict[int, list[int]] = {}
        self._cells: Counter[Cell] = Counter()
        self._questions = 0

    def add(self, question: Question) -> None:
        """Count one question."""
        self._questions += 1
        for options, place in _keys(question):
            self._positions.setdefault(options, [0] * options)[place] += 1
        for cell in _cells(question):
            known = cell in self._cells or len(self._cells) < MOST_CELLS
            self._cells[cell if known else (OTHER, OTHER, OTHER)] += 1

    def key_balance(self) -> tuple[KeyBalance, ...]:
        """One judgement for each number of options."""
        return tuple(_balance(counts) for _, counts in sorted(self._positions.items()))

    def blueprint(self) -> tuple[BlueprintCell, ...]:
        """Objective x level x difficulty, sorted; empty where no question has any of the three."""
        if all(cell == (None, None, None) for cell in self._cells):
            return ()
        ordered = sorted(self._cells.items(), key=lambda item: tuple(part or "" for part in item[0]))
        return tuple(BlueprintCell(*cell, count) for cell, count in ordered)

    def result(self) -> Mapping[str, Any]:
        """The report's part, as JSON-ready data."""
        if not self._questions:
            return {}
        balance = [asdict(group) | {"message": group.message} for group in self.key_balance()]
        return {"key_balance": balance, "blueprint": [asdict(cell) for cell in self.blueprint()]}


def chi_square(counts: Sequence[int]) -> float:
    """How far the counts are from being equal."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def chi_square_p(statistic: float, degrees: int) -> float:
    """The probability of a chi-square at least as large: Q(degrees/2, statistic/2), exact for whole degrees.

    From Q(1/2, x) = erfc(sqrt x) or Q(1, x) = exp(-x) upwards by Q(a+1, x) = Q(a, x) + x^a exp(-x) / gamma(a+1).
    """
    x = statistic / 2
    if x <= 0:
        return 1.0
    a, q = (0.5, math.erfc(math.sqrt(x))) if degrees % 2 else (1.0, math.exp(-x))
    while a < degrees / 2:
        q += math.exp(a * math.log(x) - x - math.lgamma(a + 1))
        a += 1
    return min(q, 1.0)


def _balance(counts: Sequence[int]) -> KeyBalance:
    total = sum(counts)
    statistic = chi_square(counts)
    if len(counts) < 2 or total < FEWEST_EXPECTED * len(counts):
        return KeyBalance(len(counts), total, tuple(counts), statistic, None, None)
    p_value = chi_square_p(statistic, len(counts) - 1)
    noticed = p_value < SIGNIFICANT and math.sqrt(statistic / total) >= NOTICEABLE
    return KeyBalance(len(counts), total, tuple(counts), statistic, p_value, not noticed)


def _keys(question: Question) -> Iterator[tuple[int, int]]:
    """Number of options and place of the key, for the question or each item that brings its own options.

    The items of extended matching share one long list, in which every place is used on purpose: they say nothing.
    """
    if not question.items:
        lists: list[tuple[tuple[Option, ...], str]] = [(question.options, question.correct_answer)]
    else:
        lists = [(item.options, item.correct_answer) for item in question.items if item.options is not None]
    if question.type == "extended_matching":
        return
    for options, answer in lists:
        place = next((n for n, option in enumerate(options) if option.key == answer.strip()), None)
        if place is not None and len(options) <= MOST_POSITIONS:
            yield len(options), place


def _cells(question: Question) -> Iterator[Cell]:
    """One cell for each objective of the question."""
    metadata = question.metadata
    if metadata is None:
        yield (None, None, None)
        return
    level, difficulty = _named(metadata.bloom_level), _named(metadata.difficulty)
    for objective in metadata.slo_ids or (None,):
        yield (_named(objective), level, difficulty)


def _named(value: str | None) -> str | None:
    return (value or "").strip()[:200] or None


DEFAULT_REQUIRED_METADATA = ("course_id", "slo_ids", "bloom_level", "difficulty")
"""Required where the bank carries the field at all and no institution says otherwise."""


@dataclass(frozen=True, slots=True)
class BankContext:
    """Facts about the whole bank, and the institution's demands."""

    carried: frozenset[str] = frozenset()
    """Optional fields that occur somewhere in the bank: `rationale`, `vignette`, `metadata.bloom_level`, ..."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata that the institution requires; None where it does not say."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The concept graph: concept id -> words that show it in a text. Empty: no graph."""
    language: str | None = None
    """What the bank is written in, as far as one language prevails: a question that is too short to tell is in it."""

    def carries(self, name: str) -> bool:
        """Whether the bank has this field at all: a bank without rationales is not full of missing ones."""
        return name in self.carried or any(known.startswith(f"{name}.") for known in self.carried)


LOOKED_AT = 200
"""Parts at the beginning of a bank by which its language is told."""
USUAL = 0.5
"""The share of questions that must have a rationale before one is missed in the others."""
FEWEST, MOST = 2, 0.9
"""So many questions must tell a language, and so large a share of those that tell one must tell the same."""


def survey(format: Format, stream: BinaryIO, path: str) -> dict[str, Any]:
    """JSON-ready facts about the whole bank."""
    carried = sorted(format.carried(stream))
    stream.seek(0)
    beginning = [part for part in islice(format.read(stream, path), LOOKED_AT) if isinstance(part, Question)]
    if sum(map(_explains, beginning)) < USUAL * len(beginning):
        # One question with general feedback does not make it missing in all the others.
        carried = [name for name in carried if name != "rationale"]
    return {"carried": carried, "language": prevailing(beginning)}


def _explains(question: Question) -> bool:
    """Whether the question, or an item of it, has a rationale."""
    told = [question.rationale, *(item.rationale for item in question.items or ())]
    return any(rationale and rationale.strip() for rationale in told)


def prevailing(questions: Iterable[Question]) -> str | None:
    """The language that nearly all questions are written in, of those that tell."""
    languages = (primary_tag(question.language) or sure_language(question.words_shown) for question in questions)
    told = Counter(filter(None, languages))
    for language, count in told.most_common(1):
        if count >= FEWEST and count >= MOST * told.total():
            return language
    return None
