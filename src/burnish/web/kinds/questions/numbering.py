"""Findings over all drafts of a question: each has one number on the page, and a fate in every draft.

The same rule on the same field is the same finding, whichever words it names: a correction that exchanges one absolute
word for another has settled nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.app.catalogue import PrecisionLine
from burnish.core.attempts import findings_of
from burnish.core.documents import Field
from burnish.core.findings import Finding, Severity
from burnish.core.kinds import UnitStory
from burnish.core.records import AttemptRecord
from burnish.kinds.questions.model import Question
from burnish.web.marking import RANK, Numbered, numbered, places_of
from burnish.web.pieces import Mark
from burnish.web.speaking import said_by

Key = tuple[str, Field]
"""A rule and a field."""
Fate = Literal["fails", "settled", "unknown", "unused"]
"""In one draft: the rule speaks, it does not any more, or it had not spoken yet. An answer that was not used made no
draft at all."""
COLUMNS = {"source": "Draft", "safe_fix": "Fixes", "review": "Review", "person": "By hand"}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a rule says of one draft."""

    label: str
    """The column's, for narrow screens."""
    fate: Fate
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding through all drafts."""

    number: int
    finding: Finding
    """As it was raised first."""
    place: str
    """Its field in words: `option E`."""
    cells: tuple[Cell, ...]
    precision: PrecisionLine | None
    """How often people agreed with the rule."""

    @property
    def severity(self) -> Severity:
        return self.finding.severity

    @property
    def who(self) -> str:
        """Who says so, where it is not a rule."""
        return "" if self.finding.source == "rule" else said_by(self.finding.source)


@dataclass(frozen=True)
class Numbering:
    """The numbers of all findings of a question, over all its drafts."""

    story: UnitStory
    numbers: Mapping[Key, int]
    drafts: tuple[AttemptRecord, ...]
    """Every attempt that counts; one whose answer could not be used made no draft of its own."""

    @classmethod
    def of(cls, story: UnitStory) -> Numbering:
        drafts = story.counted_attempts
        keys: dict[Key, None] = {}
        for attempt in (one for one in drafts if one.failure is None):
            texts = draft_of(story, attempt).texts()
            # Worst first, then in reading order, as every list of findings is.
            keys.update(dict.fromkeys(_key(one.finding) for one in numbered(texts, findings_of(attempt))))
        return cls(story, {key: number for number, key in enumerate(keys, 1)}, drafts)

    def on(self, attempt: AttemptRecord) -> tuple[Numbered, ...]:
        """The findings of a draft with their numbers and places."""
        texts = draft_of(self.story, attempt).texts()
        found = [
            Numbered(Mark(self.numbers[_key(finding)], finding.severity), finding, tuple(places_of(texts, finding)))
            for finding in findings_of(attempt)
        ]
        return tuple(sorted(found, key=lambda one: (RANK[one.mark.severity], one.mark.number)))

    def rows(self, precision: Iterable[PrecisionLine]) -> list[FindingRow]:
        """Every finding, and what became of it draft by draft."""
        known = {line.who: line for line in precision}
        said = [
            {_key(finding): finding for finding in reversed(findings_of(one))} if one.failure is None else None
            for one in self.drafts
        ]
        labels = self.columns
        return [
            FindingRow(
                number,
                next(found[key] for found in said if found is not None and key in found),
                place_of(key[1]),
                tuple(_cells(key, said, labels)),
                known.get(key[0]),
            )
            for key, number in self.numbers.items()
        ]

    @property
    def columns(self) -> list[str]:
        """What the drafts are called: `Draft`, `Attempt 2`, `Attempt 3`, as everywhere else on the page."""
        return [COLUMNS.get(attempt.cause, f"Attempt {attempt.number}") for attempt in self.drafts]


def _key(finding: Finding) -> Key:
    return finding.rule, finding.field


def _cells(key: Key, said: Sequence[Mapping[Key, Finding] | None], labels: Sequence[str]) -> Iterable[Cell]:
    seen = False
    for found, label in zip(said, labels, strict=True):
        if found is None:
            yield Cell(label, "unused")
        elif key in found:
            seen = True
            yield Cell(label, "fails", found[key].severity)
        else:
            yield Cell(label, "settled" if seen else "unknown")


def place_of(field: Field) -> str:
    """A field in words: `stem`, `option E`, `item 2, option B`."""
    if field is None:
        return "the question"
    head, _, rest = field.partition(".")
    if head == "items":
        number, _, inner = rest.partition(".")
        item = f"item {int(number) + 1}" if number.isdecimal() else "the items"
        return f"{item}, {place_of(inner)}" if inner else item
    if head == "options":
        return f"option {rest}" if rest else "all options"
    if head == "metadata":
        return rest.replace("_", " ") or "metadata"
    return {"correct_answer": "key"}.get(field, field.replace("_", " "))


def standing(story: UnitStory) -> AttemptRecord | None:
    """The attempt whose draft is kept."""
    place = max(story.row.best_attempt, 1) - 1
    return story.attempts[place] if place < len(story.attempts) else None


def draft_of(story: UnitStory, attempt: AttemptRecord | None) -> Question:
    """The question after an attempt; None: as it was handed in."""
    if attempt is not None and attempt.content is not None:
        return Question.model_validate(attempt.content)
    assert isinstance(story.source, Question), "a question's story"
    return story.source
