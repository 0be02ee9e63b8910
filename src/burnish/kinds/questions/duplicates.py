"""Findings that need other questions: near-duplicates of an earlier question, in the same bank or in an earlier one;
and questions with the same text but different keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from burnish.core.checks import Examination
from burnish.core.documents import Placed, Problem, Unit
from burnish.core.findings import Finding
from burnish.core.kinds import Overview
from burnish.kinds.questions.bank import BankContext, BankFacts
from burnish.kinds.questions.bank_claims import HELD_BACK, BankClaims
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
# Sorted once after all inserts: maintaining an index during the inserts costs far more in a large bank.
_GATHER = """
INSERT INTO contradicted SELECT text, key, shown, id, min(rowid) FROM seen
WHERE text IN (SELECT text FROM seen GROUP BY text HAVING min(key) < max(key)) GROUP BY text, key
"""
_OTHER = "SELECT id, shown FROM contradicted WHERE text = ? AND key <> ? ORDER BY place LIMIT 1"


class Contradictions:
    """The texts that occur in a bank with more than one key, kept in a temporary file to bound memory."""

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
        """The finding that another question of the bank has the same text and another key."""
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
            data={"other": other, "keys": [own, key]},
            related=(other,),
            standing="proven",
        )

    def close(self) -> None:
        """Close the temporary file."""
        self._database.close()


def _rows(bank: Iterable[Question]) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    """The rows as bytes: texts and ids may hold lone surrogates, which SQLite rejects as text."""
    for question in bank:
        if question.right:
            key = _key(question)
            yield _text(question), _plain(key).encode(*UTF8), key.encode(*UTF8), question.id.encode(*UTF8)


def _key(question: Question) -> str:
    """The texts of all right options, in any order."""
    return ", ".join(sorted(option.text for option in question.right))


def _text(question: Question) -> int:
    """A hash of case, stem and options, whatever the order of the options."""
    options = frozenset(_plain(option.text) for option in question.options)
    return hash((_plain(question.vignette or ""), _plain(question.stem), options))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


FEW = 48
"""Up to this many questions are compared one by one: loading the index costs as much as a whole check."""


class DuplicateIndex:
    """The questions added so far: the first FEW in a list, larger banks in a MinHash index."""

    def __init__(self) -> None:
        self._listed: list[tuple[str, str | None, Profile]] = []
        self._indexed: MinHashIndex | None = None

    def add(self, question: Question, *, name: str | None = None, origin: str | None = None) -> list[Match]:
        """Add the question, and give the earlier ones that resemble it, most similar first.

        `name` replaces its id in matches.
        """
        seen, name = profile(question), name or question.id
        if self._indexed is None and len(self._listed) == FEW:
            from burnish.kinds.questions.similarity import MinHashIndex

            self._indexed = MinHashIndex()
            for one in self._listed:
                self._indexed.add(*one)
        if self._indexed is not None:
            return self._indexed.add(name, origin, seen)
        matches = self._among_listed(seen)
        self._listed.append((name, origin, seen))
        return matches

    def like(self, question: Question) -> list[Match]:
        """The questions that resemble this one, most similar first. It is not added to the index."""
        seen = profile(question)
        return self._indexed.matches(seen) if self._indexed is not None else self._among_listed(seen)

    def _among_listed(self, seen: Profile) -> list[Match]:
        compared = ((name, origin, similarity(seen, other)) for name, origin, other in self._listed)
        found = [Match(name, origin, alike) for name, origin, alike in compared if alike >= FLAGGED]
        return sorted(found, key=lambda match: -match.similarity)

    def close(self) -> None:
        """Close the temporary file."""
        if self._indexed is not None:
            self._indexed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


KEEP_ONE = "Keep one of the two."
COMPARE = "Compare the two: keep one, or make them ask different things."


def duplicate_finding(unit: str, matches: Sequence[Match], *, rejecting: bool = True) -> Finding | None:
    """One finding for all matches, which names the most similar; without `rejecting` it is never an error."""
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
        data={"other": match.id, "document": match.origin, "similarity": match.similarity, "more": others},
        related=() if match.origin else (match.id,),
        standing="proven" if match.similarity == 1 else "doubtful",
    )


Against = tuple[str, str]
"""An earlier bank that new ones are compared with: path and format."""
EARLIER = "earlier"
"""The origin of its questions in the index; the banks of this check are numbered."""


class BankOverview(Overview):
    """The Overview of question banks: facts for each bank, near-duplicates across all of them."""

    def __init__(self, against: Against | None = None, off: Collection[str] = ()) -> None:
        self._against = against
        self._index = None if ALIKE.id in off else DuplicateIndex()
        self._facts = BankFacts()
        self._claims = BankClaims("", None)
        self._alike = self._ignored = 0
        self._off = off
        self._contradictions: Contradictions | None = None
        self._here = ""
        self._names: dict[str, str] = {}
        """Origin in the index -> file of the bank."""

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

    def begin(self, document: str, preview: Iterable[Unit] = (), context: object = None) -> None:
        self._here = str(len(self._names))
        self._names[self._here] = document
        self._facts = BankFacts()
        self._claims = BankClaims(document, cast(BankContext | None, context))
        self._alike = self._ignored = 0
        if CONTRADICTING.id not in self._off:
            if self._contradictions is not None:
                self._contradictions.close()
            self._contradictions = Contradictions(cast(Iterable[Question], preview))

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        question = cast(Question, unit)
        self._facts.add(question)
        self._claims.add(question, examination.findings)
        contradiction = self._contradictions.finding(question) if self._contradictions is not None else None
        near_duplicate = self._near_duplicate(question)
        is_ignored = ALIKE.id in question.burnish_ignore
        self._ignored += near_duplicate is not None and is_ignored
        self._alike += near_duplicate is not None and not is_ignored
        found = filter(None, (near_duplicate, contradiction))
        return [finding for finding in found if finding.rule not in question.burnish_ignore]

    @property
    def held_back(self) -> int:
        return HELD_BACK

    def is_told_once(self, finding: Finding) -> bool:
        return self._claims.is_shared(finding)

    def conclude(self) -> list[Finding]:
        return [claim for claim in self._claims.findings() if claim.rule not in self._off]

    def _near_duplicate(self, question: Question) -> Finding | None:
        """The near-duplicate finding. Each file is a separate bank: a copy in another file is only a warning."""
        if self._index is None:
            return None
        matches = self._index.add(question, origin=self._here)
        own = [self._with_file(match) for match in matches if match.origin in (self._here, EARLIER)]
        finding = duplicate_finding(question.id, own)
        if finding is not None and finding.blocks:
            return finding
        return duplicate_finding(question.id, [self._with_file(match) for match in matches], rejecting=False)

    def _with_file(self, match: Match) -> Match:
        """The match with the name of its file, if it is another file."""
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
    """Implements `Kind.repetitions`. Only the drafts are indexed; the other questions are streamed."""
    homes: dict[str, tuple[str, str]] = {}
    with DuplicateIndex() as index:
        for draft in drafts:
            question = cast(Question, draft.unit)
            if ALIKE.id in question.burnish_ignore:
                continue
            homes[draft.name] = question.id, draft.document
            for match in index.add(question, name=draft.name):
                yield draft.name, _repetition(homes[draft.name], *homes[match.id], match.similarity)
        for other, bank in _streamed(others, against) if homes else ():
            for match in index.like(other):
                yield match.id, _repetition(homes[match.id], other.id, bank, match.similarity)


def _streamed(others: Iterable[Placed], against: Against | None) -> Iterator[tuple[Question, str | None]]:
    """The other questions, each with its bank; None is the earlier bank."""
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
