"""A question under review: its findings over all drafts, the reason, the proposal, and the editor.

The same rule on the same field is the same finding, whichever words it quotes: a correction that replaces one absolute
word with another has resolved nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from burnish.app.labels import reason_of
from burnish.app.rulebook import PrecisionLine
from burnish.core.attempts import findings_of
from burnish.core.claims import is_of_rule
from burnish.core.documents import Field
from burnish.core.findings import Finding, Severity
from burnish.core.json_bytes import dumps
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import STATES
from burnish.web import Drawn
from burnish.web.formatting import plural, sentence
from burnish.web.kinds import EditField, Editor, Words
from burnish.web.kinds.generic import kept_attempt, kept_findings, reason_words
from burnish.web.kinds.questions.items import changed_item, marked_item
from burnish.web.labels import lang_tag, said_by
from burnish.web.pieces import RANK, Mark, Numbered, numbered, places_of

Key = tuple[str, Field]
"""A rule and a field."""
Fate = Literal["fails", "settled", "unknown", "unused"]
"""The state of a finding in one draft: the rule fails, no longer fails, or has not failed yet. "unused": the answer of
the model was not used, so there is no draft."""
ROWS = {"vignette": 5, "stem": 4, "rationale": 4}
"""The initial height of a field by its name inside the question or item; an option has two lines."""
LABELS = {"rationale": "explanation"}
KEY = "correct_answer"
COLUMNS = {"source": "Draft", "safe_fix": "Fixes", "review": "Review", "person": "By hand"}


@dataclass(frozen=True, slots=True)
class Cell:
    """The state of a finding in one draft."""

    label: str
    """The label of the column, for narrow screens."""
    fate: Fate
    severity: Severity | None = None
    by: str | None = None
    """The reviewer who overruled the finding by accepting the draft."""


@dataclass(frozen=True)
class FindingTable:
    """All findings of a question over all its drafts, with their numbers."""

    story: UnitStory
    numbers: Mapping[Key, int]
    drafts: tuple[AttemptRecord, ...]
    """All attempts that count, including those whose answer could not be used."""

    @classmethod
    def of(cls, story: UnitStory) -> FindingTable:
        drafts = story.counted_attempts
        keys: dict[Key, None] = {}
        for attempt in (one for one in drafts if one.failure is None):
            texts = draft_of(story, attempt).texts()
            # Worst first, then in reading order, like every list of findings.
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

    def rows(self, precision: Iterable[PrecisionLine]) -> list[Drawn]:
        """A row for each finding, with its state in each draft."""
        known = {line.who: line for line in precision}
        by_draft = [
            {_key(finding): finding for finding in reversed(findings_of(one))} if one.failure is None else None
            for one in self.drafts
        ]
        labels = self.columns
        kept = kept_findings(self.story)
        first = {key: next(one[key] for one in by_draft if one is not None and key in one) for key in self.numbers}
        return [
            Drawn(
                number=number,
                finding=first[key],  # as first raised
                severity=first[key].severity,
                who="" if first[key].source == "rule" else said_by(first[key].source),
                place=place_of(key[1]),
                cells=tuple(self._overruled(_cells(key, by_draft, labels))),
                precision=known.get(key[0]),
                claims=[one.claim for one in kept if _key(one) == key and is_of_rule(one)],
            )
            for key, number in self.numbers.items()
        ]

    def _overruled(self, cells: Iterable[Cell]) -> Iterator[Cell]:
        """The cells, with failures in an accepted draft marked as overruled."""
        standing = [one.data for one in self.story.effective_decisions]
        is_accepted = bool(standing) and standing[-1]["verdict"] == "accept" and self.story.row.state == STATES.ready
        kept = self.story.row.best_attempt
        for attempt, cell in zip(self.drafts, cells, strict=True):
            if is_accepted and attempt.number == kept and cell.fate == "fails":
                yield replace(cell, by=str(standing[-1]["by"]))
            else:
                yield cell

    @property
    def columns(self) -> list[str]:
        """The names of the drafts: `Draft`, `Attempt 2`, `Attempt 3`, as elsewhere on the page."""
        return [COLUMNS.get(attempt.cause, f"Attempt {attempt.number}") for attempt in self.drafts]


def _key(finding: Finding) -> Key:
    return finding.rule, finding.field


def _cells(key: Key, by_draft: Sequence[Mapping[Key, Finding] | None], labels: Sequence[str]) -> Iterable[Cell]:
    has_failed = False
    for found, label in zip(by_draft, labels, strict=True):
        if found is None:
            yield Cell(label, "unused")
        elif key in found:
            has_failed = True
            yield Cell(label, "fails", found[key].severity)
        else:
            yield Cell(label, "settled" if has_failed else "unknown")


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


def draft_of(story: UnitStory, attempt: AttemptRecord | None) -> Question:
    """The question after an attempt; None: the original."""
    if attempt is not None and attempt.content is not None:
        return Question.model_validate(attempt.content)
    assert isinstance(story.source, Question), "a question's story"
    return story.source


@dataclass(frozen=True)
class QuestionReview:
    """A question under review."""

    story: UnitStory
    precision: Sequence[PrecisionLine] = ()

    @cached_property
    def table(self) -> FindingTable:
        return FindingTable.of(self.story)

    @cached_property
    def first(self) -> AttemptRecord | None:
        """The original."""
        return self.story.attempts[0] if self.story.attempts else None

    @cached_property
    def kept(self) -> AttemptRecord | None:
        return kept_attempt(self.story) or self.first

    @cached_property
    def before(self) -> Question:
        return draft_of(self.story, self.first)

    @cached_property
    def after(self) -> Question:
        return draft_of(self.story, self.kept)

    @property
    def is_proposed(self) -> bool:
        """Whether the kept draft differs from the original."""
        return self.before.content_hash != self.after.content_hash

    @property
    def is_open(self) -> bool:
        """Whether it waits for a person."""
        return self.story.row.state == STATES.waiting

    def _on(self, attempt: AttemptRecord | None) -> tuple[Numbered, ...]:
        return self.table.on(attempt) if attempt is not None else ()

    def now(self) -> Drawn:
        """The original with its findings."""
        return marked_item(self.before, self._on(self.first))

    def proposed(self) -> Drawn | None:
        """The kept draft compared with the original, with its open findings; None if they are the same."""
        return changed_item(self.before, self.after, self.open) if self.is_proposed else None

    @cached_property
    def open(self) -> tuple[Numbered, ...]:
        """The findings on the kept draft, worst first."""
        return self._on(self.kept)

    @property
    def worst(self) -> Numbered | None:
        return self.open[0] if self.open else None

    def rows(self) -> list[Drawn]:
        return self.table.rows(self.precision)

    @property
    def columns(self) -> list[str]:
        return self.table.columns

    @property
    def applied(self) -> int | None:
        """The number of rules that were applied."""
        found = self.first.checked.get("applied") if self.first is not None else None
        return int(found) if found else None


def why_it_waits(review: QuestionReview, kind: Kind) -> Iterator[Words]:
    """The worst open finding with its words marked; if there is none, the reason why the question waits."""
    worst = review.worst
    if worst is None:
        yield Words(sentence(reason_of(kind, review.story.row)))
        return
    yield from reason_words(worst.finding, review.after.texts(), lang_tag(review.after.language_shown))


def facts(review: QuestionReview, kind: Kind) -> Iterator[str]:
    """The reason, the findings that the kept draft resolves, and the effect of accepting on the rule."""
    if review.worst is not None:
        yield sentence(place_of(review.worst.finding.field))
        yield sentence(reason_of(kind, review.story.row))
    if review.is_proposed and review.kept is not None:
        found = {row.number for row in review.rows() if row.cells and row.cells[0].fate == "fails"}
        left = {one.mark.number for one in review.open}
        settled = f"{len(found - left)} of {plural(len(found), 'finding')}"
        yield f"Attempt {review.kept.number} is kept and settles {settled}"
    yield from _overruled(review.worst, review.precision)


def _overruled(worst: Numbered | None, precision: Iterable[PrecisionLine]) -> Iterator[str]:
    """How accepting changes the precision of the rule."""
    line = next((one for one in precision if worst is not None and one.who == worst.finding.rule), None)
    if worst is not None and worst.finding.blocks and line is not None:
        now, then = f"{line.right} of {line.of}", f"{line.right} of {line.of + 1}"
        yield f"Accepting counts against the rule: right in {then} instead of {now}"


def editor(story: UnitStory) -> Editor:
    """A field for each text of the kept draft."""
    question = QuestionReview(story).after
    return Editor(fields=list(_fields(question)), text_of=lambda values: text_of(question, values))


def _fields(question: Question) -> Iterator[EditField]:
    lang = lang_tag(question.language_shown)
    for field, text in question.texts().items():
        if field is None or field.startswith("metadata.") or not _is_offered(field, text, question):
            continue
        inner = _inner(field)
        choices = tuple(_keys(question, field)) if inner == KEY else ()
        yield EditField(
            name=field,
            label=sentence(LABELS.get(field, place_of(field))),
            value=text,
            lang=None if inner == KEY else lang,
            rows=1 if inner == KEY else ROWS.get(inner, 2),
            choices=choices if text.strip() in choices else (),
        )


def _is_offered(field: str, text: str, question: Question) -> bool:
    """Whether the form has the field: an empty one only if questions usually have it."""
    if text or field == "rationale":
        return True
    return (field == "stem" and not question.items) or (_inner(field) in ("stem", KEY) and field != _inner(field))


def _inner(field: str) -> str:
    """The name of the field inside its item: `stem` for `items.2.stem`."""
    return field.split(".", 2)[2] if field.startswith("items.") else field


def _keys(question: Question, field: str) -> Iterator[str]:
    """The keys of the options of an item, or of those that all items share."""
    place = field.split(".", 2)[1] if field.startswith("items.") else ""
    own = (question.items or ())[int(place)].options if place else None
    yield from dict.fromkeys(option.key for option in (question.options if own is None else own))


def text_of(question: Question, values: Mapping[str, str]) -> str:
    """The changed fields as JSON, for `from_person`. Browsers send CRLF line ends, which do not count as a change."""
    changed = question
    edited: set[str] = set()
    for field, text in question.texts().items():
        given = values.get(str(field), text).replace("\r\n", "\n").replace("\r", "\n")
        if given != text:
            changed = changed.with_text(field, given)
            edited.add(str(field).partition(".")[0])
    record = changed.model_dump(mode="json", exclude_unset=True)
    return dumps({name: record[name] for name in record if name in edited}).decode()
