"""What others read of a manuscript's run: the files of the contract, each made in one pass over all paragraphs."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from burnish.core.decisions import rejections_in
from burnish.core.presentation import Artifact, UnitStory
from burnish.core.records import AttemptRecord
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.bundle import BundleRows, Of, bundle_rows, token_pieces
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import EXCLUDED, INGESTED, QUEUED
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import RULES_REVIEWER, ReviewRow
from burnish.kinds.manuscripts.verdict import aggregate, rework_packet
from burnish.kinds.manuscripts.work.progress import Past, paragraph_of, past, reasons_of, rows_of

FINAL = "final/final.md"
T = TypeVar("T")
TYPOGRAPHY = "critic:typography"


@dataclass(frozen=True)
class Told:
    """A story as the files of the contract tell it."""

    story: UnitStory
    source: Paragraph
    draft: Paragraph
    """As it stands."""
    past: Past
    review: AttemptRecord | None
    """The last review of the draft that stands."""

    @classmethod
    def of(cls, story: UnitStory) -> Told:
        source = paragraph_of(story.source)
        stands = story.attempts[story.row.best_attempt - 1]
        draft = Paragraph.from_record(stands.content) if stands.content is not None else source
        judged = [
            one for one in story.counted_attempts if one.cause == "review" or (one.cause == "person" and one.scores)
        ]
        reviews = [one for one in judged if one.content_hash == stands.content_hash]
        known = past(story.attempts, rejections_in(story.decisions))
        return cls(story, source, draft, known, reviews[-1] if reviews else None)

    @property
    def rows(self) -> list[ReviewRow]:
        if self.review is not None and self.review.cause == "person":
            # A person's text is held against the rules when it is given, and by nobody else.
            return [ReviewRow(self.source.id, RULES_REVIEWER, self.review.scores)]
        return rows_of(self.review) if self.review is not None else []

    def attempt(self, most: int) -> int:
        """The contract's number. The last one that may be made is the highest there is."""
        return min(self.past.attempt, most)

    @property
    def failure_history(self) -> list[str]:
        """Of the whole run: what a person granted anew are the attempts, not the past."""
        return [reason for review in self.past.reviews if not review.passed for reason in reasons_of(review)]


class Teller:
    """Tells each story once, although every file wants it."""

    def __init__(self) -> None:
        self._last: tuple[UnitStory, Told] | None = None

    def __call__(self, story: UnitStory) -> Told:
        if self._last is None or self._last[0] is not story:
            self._last = (story, Told.of(story))
        return self._last[1]


@dataclass(slots=True)
class Lines:
    """A JSONL file: some rows of each paragraph."""

    tell: Teller
    rows: Callable[[Told], Iterable[Mapping[str, Any]]]

    def take(self, story: UnitStory) -> Iterator[bytes]:
        for row in self.rows(self.tell(story)):
            yield as_line(row)

    def end(self) -> Iterator[bytes]:
        return iter(())


@dataclass(slots=True)
class CandidateFile:
    """`candidate.md`, or its map."""

    tell: Teller
    maps: bool
    line: int = 1
    """Where the next paragraph begins."""

    def take(self, story: UnitStory) -> Iterator[bytes]:
        for _, place in candidate_pieces([self.tell(story).draft], self.line):
            blank = "" if place.start_line == 1 else "\n"
            written = f"{blank}{place.text}\n".encode("utf-8", "surrogatepass")
            yield as_line(place.as_wire()) if self.maps else written
            self.line = place.end_line + 2

    def end(self) -> Iterator[bytes]:
        return iter(())


@dataclass(slots=True)
class IssuesFile:
    """What critics said, in their own shape: one JSON object with all issues."""

    tell: Teller
    wanted: Callable[[ReviewRow], bool]
    issues: int = 0

    def take(self, story: UnitStory) -> Iterator[bytes]:
        for row in self.tell(story).rows:
            for issue in row.issues if self.wanted(row) else ():
                yield (b",\n    " if self.issues else b'{\n  "issues": [\n    ') + as_line(issue.as_wire()).rstrip(
                    b"\n"
                )
                self.issues += 1

    def end(self) -> Iterator[bytes]:
        yield b"\n  ]\n}\n" if self.issues else b'{\n  "issues": []\n}\n'


class Bundle:
    """The rows of one bundle, made once for each paragraph although several files want them."""

    def __init__(self, tell: Teller, of: Of) -> None:
        self._tell, self._of = tell, of
        self._feed: deque[Paragraph] = deque()
        self._rows = bundle_rows(_fed(self._feed), of)
        self._last: tuple[UnitStory, BundleRows | None] | None = None

    def rows(self, story: UnitStory) -> BundleRows | None:
        """None where the bundle has nothing of the paragraph."""
        if self._last is None or self._last[0] is not story:
            told = self._tell(story)
            self._last = (story, self._next(told.source if self._of == "source" else told.draft))
        return self._last[1]

    def _next(self, paragraph: Paragraph) -> BundleRows | None:
        if self._of != "final":
            return next(bundle_rows([paragraph], self._of), None)
        # Places in the final text depend on all that stands before.
        self._feed.append(paragraph)
        return next(self._rows)

    def files(self, folder: str, *names: str) -> dict[str, Artifact]:
        made: dict[str, Artifact] = {
            "paragraphs.jsonl": BundleFile(self, lambda rows: [rows.paragraph]),
            "sentences.jsonl": BundleFile(self, lambda rows: rows.sentences),
            "words.jsonl": BundleFile(self, lambda rows: rows.words),
            "manuscript_tokens.json": TokensFile(self),
        }
        return {f"{folder}/{name}": file for name, file in made.items() if not names or name in names}


@dataclass(slots=True)
class BundleFile:
    """A JSONL file of a bundle."""

    bundle: Bundle
    rows: Callable[[BundleRows], Iterable[Mapping[str, Any]]]

    def take(self, story: UnitStory) -> Iterator[bytes]:
        rows = self.bundle.rows(story)
        for row in self.rows(rows) if rows is not None else ():
            yield as_line(row)

    def end(self) -> Iterator[bytes]:
        return iter(())


class TokensFile:
    """`manuscript_tokens.json`."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._feed: deque[BundleRows] = deque()
        self._pieces = token_pieces(_fed(self._feed))
        self._head = next(self._pieces)

    def take(self, story: UnitStory) -> Iterator[bytes]:
        if self._head:
            yield self._head
            self._head = b""
        rows = self._bundle.rows(story)
        if rows is not None:
            self._feed.append(rows)
            yield next(self._pieces)

    def end(self) -> Iterator[bytes]:
        yield self._head
        yield from self._pieces


def _fed(feed: deque[T]) -> Iterator[T]:
    """Whatever is in the queue, whenever it is asked for; nothing in it is the end."""
    while feed:
        yield feed.popleft()


def _is_critic(row: ReviewRow) -> bool:
    return row.reviewer.startswith(("critic:", "file"))


def _is_typography(row: ReviewRow) -> bool:
    return row.reviewer == TYPOGRAPHY


def artifacts(equipment: Equipment, *, published: bool) -> dict[str, Artifact]:
    """Every file of a run's tree but the summaries and the final text itself."""
    most, tell, renders = equipment.terms.max_attempts, Teller(), equipment.terms.renders
    pre = ("paragraphs.jsonl", "sentences.jsonl")

    def lines(rows: Callable[[Told], Iterable[Mapping[str, Any]]]) -> Lines:
        return Lines(tell, rows)

    def rows_by(wanted: Callable[[ReviewRow], bool]) -> Lines:
        return lines(lambda told: [row.as_wire() for row in told.rows if wanted(row)])

    return {
        **Bundle(tell, "source").files("source_pre"),
        **Bundle(tell, "latin" if renders else "translation").files("pass1_pre", *pre),
        **(Bundle(tell, "translation").files("pass2_pre", *pre) if renders else {}),
        "state/paragraph_state.jsonl": lines(lambda told: [state_row(told, most)]),
        "state/paragraph_scores.jsonl": lines(lambda told: scores_rows(told, most)),
        "state/rework_queue.jsonl": lines(lambda told: queue_rows(told, most)),
        "review/grammar/paragraph_rows.jsonl": rows_by(lambda row: not _is_critic(row)),
        "review/typography/review.json": IssuesFile(tell, _is_typography),
        "review/critics/review.json": IssuesFile(tell, _is_critic),
        "review/normalized/grammar_paragraph_rows.jsonl": rows_by(lambda row: not _is_critic(row)),
        "review/normalized/typography_paragraph_rows.jsonl": rows_by(_is_typography),
        "review/normalized/critics_paragraph_rows.jsonl": rows_by(_is_critic),
        "final/candidate.md": CandidateFile(tell, maps=False),
        "final/candidate_map.jsonl": CandidateFile(tell, maps=True),
        **(Bundle(tell, "final").files("final/final_pre") if published else {}),
    }


def state_row(told: Told, most: int) -> dict[str, Any]:
    """Where a paragraph stands, as in the contract. What is out of scope is `ingested`, and says so."""
    row = told.story.row
    review = told.review
    wire: dict[str, Any] = {
        "paragraph_id": row.id,
        "content_hash": told.source.source_hash,
        "status": INGESTED if row.state == EXCLUDED else row.state,
        "attempt": told.attempt(most),
        "failure_history": told.failure_history,
        "scores": dict(review.scores) if review is not None else {},
        "blocking_issues": _blocking(told),
        "updated_at": row.at,
        "excluded_by_policy": row.state == EXCLUDED,
    }
    if row.state == EXCLUDED:
        wire["exclude_reason"] = row.reason
    if row.reason and row.state != EXCLUDED:
        wire["reason"] = row.reason
    return wire


def _blocking(told: Told) -> list[str]:
    review = told.review
    return reasons_of(review, "hard_reasons") if review is not None and not review.passed else []


def scores_rows(told: Told, most: int) -> Iterator[dict[str, Any]]:
    """The scores of the draft that stands, with every reviewer's own."""
    if told.review is None:
        return
    verdict = aggregate(told.rows)
    yield {
        "paragraph_id": told.story.row.id,
        "attempt": min(int((told.review.receipt or {}).get("attempt", 1)), most),
        "scores": dict(told.review.scores),
        "hard_fail": bool(verdict.hard_reasons),
        "reasons": reasons_of(told.review),
        "by_reviewer": {name: dict(given) for name, given in verdict.by_reviewer.items()},
        "informational": {name: dict(given) for name, given in verdict.informational.items()},
    }


def queue_rows(told: Told, most: int) -> Iterator[dict[str, Any]]:
    """The packet of a paragraph that waits for its rework."""
    if told.story.row.state != QUEUED or told.review is None:
        return
    standing = told.story.standing_decisions
    notes = [each.data.get("note") for each in standing if each.data.get("verdict") == "reject"]
    yield rework_packet(
        told.draft,
        aggregate(told.rows),
        failure_history=told.failure_history,
        attempt=told.attempt(most),
        note=notes[-1] if notes else None,
    )


def as_line(row: Mapping[str, Any]) -> bytes:
    """One line of JSON. A lone surrogate, which has no UTF-8, is written as its escape."""
    try:
        return orjson.dumps(row) + b"\n"
    except orjson.JSONEncodeError:
        return json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
