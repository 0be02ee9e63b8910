"""What only shows beside other questions: near-duplicates, each against all that came before it in the same bank or in
an earlier one; and questions with the same text and different keys, each of which has to know of the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from burnish.core.checks import Examination
from burnish.core.documents import Placed, Problem, Unit
from burnish.core.findings import Finding
from burnish.core.kinds import Overview
from burnish.kinds.questions.bank import BankFacts
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats.base import Part
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import ALIKE, CONTRADICTING
from burnish.kinds.questions.similarity import (
    FLAGGED,
    UTF8,
    Match,
    Profile,
    profile,
    scratch_database,
    similarity,
    storage_refusals,
)

if TYPE_CHECKING:
    from burnish.kinds.questions.similarity import MinHashIndex


_SCHEMA = """
CREATE TABLE seen (text INTEGER, key BLOB, shown BLOB, id BLOB);
CREATE TABLE contradicted (text INTEGER, key BLOB, shown BLOB, id BLOB, place INTEGER);
CREATE INDEX by_text ON contradicted (text);
"""
# Sorted once when all are in: an index that is kept up for every question of a large bank costs far more.
_GATHER = """
INSERT INTO contradicted SELECT text, key, shown, id, min(rowid) FROM seen
WHERE text IN (SELECT text FROM seen GROUP BY text HAVING min(key) < max(key)) GROUP BY text, key
"""
_OTHER = "SELECT id, shown FROM contradicted WHERE text = ? AND key <> ? ORDER BY place LIMIT 1"


class Contradictions:
    """The texts that a bank has with more than one key, in a temporary file, so that memory has a bound."""

    def __init__(self, bank: Iterable[Question]) -> None:
        with storage_refusals():
            self._database = scratch_database(_SCHEMA)
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO seen VALUES (?, ?, ?, ?)", _rows(bank))
            self._database.execute(_GATHER)
            self._database.execute("COMMIT")
            self._database.execute("DROP TABLE seen")
            self._any = self._database.execute("SELECT 1 FROM contradicted LIMIT 1").fetchone() is not None

    def finding(self, question: Question) -> Finding | None:
        """That another question of the bank has this one's text, and another answer is right there."""
        if not self._any or not question.right:
            return None
        own = _key(question)
        with storage_refusals():
            row = self._database.execute(_OTHER, (_text(question), _plain(own).encode(*UTF8))).fetchone()
        if row is None:
            return None
        other, key = (stored.decode(*UTF8) for stored in row)
        return Finding(
            rule=CONTRADICTING.id,
            severity="error",
            unit=question.id,
            field="correct_answer",
            message=f"{question.id!r} and {other!r} have the same text, but the key of one is {own!r}, "
            f"that of the other {key!r}.",
            suggestion="Find out which key is right, and keep that question.",
        )

    def close(self) -> None:
        """Let the file go."""
        self._database.close()


def _rows(bank: Iterable[Question]) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """Texts and ids may hold lone surrogates, which SQLite does not take as text."""
    for question in bank:
        if question.right:
            key = _key(question)
            yield _text(question), _plain(key).encode(*UTF8), key.encode(*UTF8), question.id.encode(*UTF8)


def _key(question: Question) -> str:
    """What all right options say, whatever their order."""
    return ", ".join(sorted(option.text for option in question.right))


def _text(question: Question) -> int:
    """What the question says, whatever the order of its options."""
    options = frozenset(_plain(option.text) for option in question.options)
    return hash((_plain(question.vignette or ""), _plain(question.stem), options))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


FEW = 48
"""Questions that are compared with each other one by one: loading the index for more costs as much as a whole check."""


class DuplicateIndex:
    """Every question seen so far: the first few in a list, more of them in an index."""

    def __init__(self) -> None:
        self._few: list[tuple[str, str | None, Profile]] = []
        self._many: MinHashIndex | None = None

    def add(self, question: Question, *, name: str | None = None, origin: str | None = None) -> list[Match]:
        """The earlier questions that are much like this one, most alike first; then this one is known too.

        `name` is what matches call it where its id will not do.
        """
        seen, name = profile(question), name or question.id
        if self._many is None and len(self._few) == FEW:
            from burnish.kinds.questions.similarity import MinHashIndex

            self._many = MinHashIndex()
            for one in self._few:
                self._many.add(*one)
        if self._many is not None:
            return self._many.add(name, origin, seen)
        matches = self._among_few(seen)
        self._few.append((name, origin, seen))
        return matches

    def like(self, question: Question) -> list[Match]:
        """The questions that are much like this one, most alike first. It is not added to them."""
        seen = profile(question)
        return self._many.matches(seen) if self._many is not None else self._among_few(seen)

    def _among_few(self, seen: Profile) -> list[Match]:
        compared = ((name, origin, similarity(seen, other)) for name, origin, other in self._few)
        found = [Match(name, origin, alike) for name, origin, alike in compared if alike >= FLAGGED]
        return sorted(found, key=lambda match: -match.similarity)

    def close(self) -> None:
        """Let the file go."""
        if self._many is not None:
            self._many.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


KEEP_ONE = "Keep one of the two."
COMPARE = "Compare the two: keep one, or make them ask different things."


def duplicate_finding(unit: str, matches: Sequence[Match], *, rejecting: bool = True) -> Finding | None:
    """What was found as one finding on a question, which names the most alike; not `rejecting`: never an error."""
    if not matches:
        return None
    match = matches[0]
    rejected = rejecting and match.rejected
    place = f" in {match.origin}" if match.origin else ""
    others = len(matches) - 1
    more = f" ({others} more {'is' if others == 1 else 'are'} much like it)" if others else ""
    return Finding(
        rule=ALIKE.id,
        severity="error" if rejected else "warning",
        unit=unit,
        field=None,
        # Rounded down, so that 94.9 % never reads as the 95 % that would have rejected it.
        message=f"The question is {int(match.similarity * 100)} % like {match.id!r}{place}{more}.",
        suggestion=KEEP_ONE if rejected else COMPARE,
    )


Against = tuple[str, str]
"""An earlier bank that new ones are compared with: path and format."""
EARLIER = "earlier"
"""Stands for it in the index, where the banks at hand go by their numbers."""


class BankOverview(Overview):
    """The Overview of question banks. Each has facts of its own; copies are looked for across all of them."""

    def __init__(self, against: Against | None = None, off: Collection[str] = ()) -> None:
        self._against = against
        self._index = None if ALIKE.id in off else DuplicateIndex()
        self._facts = BankFacts()
        self._alike = self._ignored = 0
        self._off = off
        self._contradictions: Contradictions | None = None
        self._here = ""
        self._names: dict[str, str] = {}
        """What the index calls a bank -> its file."""

    def prepare(self) -> Iterator[Problem]:
        against, self._against = self._against, None
        if against is None or self._index is None:
            return
        self._names[EARLIER] = against[0]
        for part in _parts(against):
            if isinstance(part, Question):
                self._index.add(part, origin=EARLIER)
            elif isinstance(part, Problem):
                yield part

    def begin(self, document: str, preview: Iterable[Unit] = ()) -> None:
        self._here = str(len(self._names))
        self._names[self._here] = document
        self._facts = BankFacts()
        self._alike = self._ignored = 0
        if CONTRADICTING.id not in self._off:
            if self._contradictions is not None:
                self._contradictions.close()
            self._contradictions = Contradictions(cast(Iterable[Question], preview))

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        question = cast(Question, unit)
        self._facts.add(question)
        contradiction = self._contradictions.finding(question) if self._contradictions is not None else None
        likeness = self._likeness(question)
        is_ignored = ALIKE.id in question.burnish_ignore
        self._ignored += likeness is not None and is_ignored
        self._alike += likeness is not None and not is_ignored
        found = filter(None, (likeness, contradiction))
        return [finding for finding in found if finding.rule not in question.burnish_ignore]

    def _likeness(self, question: Question) -> Finding | None:
        """Each file is a bank of its own: a copy in another one at hand is worth a word, but no error."""
        if self._index is None:
            return None
        matches = self._index.add(question, origin=self._here)
        own = [self._told(match) for match in matches if match.origin in (self._here, EARLIER)]
        finding = duplicate_finding(question.id, own)
        if finding is not None and finding.blocks:
            return finding
        return duplicate_finding(question.id, [self._told(match) for match in matches], rejecting=False)

    def _told(self, match: Match) -> Match:
        """The match with the name of its file, where that is another one."""
        return replace(match, origin=None if match.origin == self._here else self._names[match.origin or ""])

    def result(self) -> Mapping[str, Any]:
        if self._index is None:
            return self._facts.result()
        ignored = {"near_duplicates_ignored": self._ignored} if self._ignored else {}
        return {**self._facts.result(), "near_duplicates": self._alike, **ignored}

    def close(self) -> None:
        for scratch in (self._contradictions, self._index):
            if scratch is not None:
                scratch.close()


def repetitions(
    drafts: Iterable[Placed], others: Iterable[Placed], against: Against | None
) -> Iterator[tuple[str, Finding]]:
    """What `Kind.repetitions` promises. Only the drafts are indexed: the others just pass by."""
    homes: dict[str, tuple[str, str]] = {}
    with DuplicateIndex() as index:
        for draft in drafts:
            question = cast(Question, draft.unit)
            if ALIKE.id in question.burnish_ignore:
                continue
            homes[draft.name] = question.id, draft.document
            for match in index.add(question, name=draft.name):
                yield draft.name, _repetition(homes[draft.name], *homes[match.id], match.similarity)
        for other, bank in _passing_by(others, against) if homes else ():
            for match in index.like(other):
                yield match.id, _repetition(homes[match.id], other.id, bank, match.similarity)


def _passing_by(others: Iterable[Placed], against: Against | None) -> Iterator[tuple[Question, str | None]]:
    """Questions with their banks; None stands for the earlier one."""
    for other in others:
        yield cast(Question, other.unit), other.document
    for part in _parts(against) if against is not None else ():
        if isinstance(part, Question):
            yield part, None


def _repetition(draft: tuple[str, str], other: str, bank: str | None, similarity: float) -> Finding:
    unit, home = draft
    origin = None if bank == home else bank or "the earlier bank"
    finding = duplicate_finding(unit, [Match(other, origin, similarity)], rejecting=bank in (home, None))
    assert finding is not None, "there is a match"
    return finding


def _parts(bank: Against) -> Iterator[Part]:
    path, format = bank
    with Path(path).open("rb") as stream:
        yield from format_named(format).read(stream, path)
