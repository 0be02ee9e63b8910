"""Two questions that are nearly the same, side by side: the words that only one of them has are marked."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.core.errors import NotFound
from burnish.core.presentation import UnitStory
from burnish.kinds.questions.model import Question
from burnish.web.diffs import diff
from burnish.web.kinds.generic import kept_attempt
from burnish.web.kinds.questions.review import draft_of
from burnish.web.labels import Look, look_of
from burnish.web.links import unit_link
from burnish.web.spans import Piece

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader

DUPLICATE = "potential_duplicate"
_LIKE = re.compile(r"""^The question is (\d+) % like ('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


@dataclass(frozen=True, slots=True)
class TwinOption:
    key: str
    text: str
    is_key: bool
    is_only: bool
    """Whether the other question has no such option."""


@dataclass(frozen=True, slots=True)
class Twin:
    """One of the two."""

    id: str
    href: str
    look: Look
    stem: Sequence[Piece]
    options: Sequence[TwinOption]
    rationale: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Twins:
    """Both, and what to know about them."""

    share: int
    """In per cent."""
    mine: Twin
    other: Twin
    said: str
    suggests_drop: bool
    """Whether this one is the one to drop: the other is ready, or has an explanation that this one lacks."""
    reason: str
    """Why this one is dropped, for the record."""


def twins_of(run: RunReader, story: UnitStory) -> Twins | None:
    """The question beside the one that it is nearly the same as; None where there is none in this run."""
    found = _match(story)
    if found is None:
        return None
    share, name = found
    prefix = story.row.id.removesuffix(str(story.source.id))
    try:
        other = run.story(f"{prefix}{name}")
    except NotFound:  # it stands in a bank that this one was compared with
        return None
    ours, theirs = (draft_of(one, kept_attempt(one)) for one in (story, other))
    same = {option.text.strip().casefold() for option in ours.options}
    alike = same == {option.text.strip().casefold() for option in theirs.options}
    order = [option.text.strip() for option in ours.options] == [option.text.strip() for option in theirs.options]
    is_ready = other.row.state == run.view.kind.states.ready
    return Twins(
        share,
        _twin(run, story, ours, theirs, is_mine=True),
        _twin(run, other, theirs, ours, is_mine=False),
        _said(alike, order, _key_text(ours) == _key_text(theirs)),
        is_ready or (bool(theirs.rationale) and not ours.rationale),
        f"near-duplicate of {name}",
    )


def _match(story: UnitStory) -> tuple[int, str] | None:
    kept = kept_attempt(story)
    findings = kept.findings if kept is not None else ()
    for finding in findings:
        like = _LIKE.match(str(finding["message"])) if finding["rule"] == DUPLICATE else None
        if like is not None:
            return int(like[1]), str(ast.literal_eval(like[2]))
    return None


def _twin(run: RunReader, story: UnitStory, own: Question, other: Question, *, is_mine: bool) -> Twin:
    line = run.line(story.row.id)
    assert line is not None, "a unit with a story has a line"
    texts = {option.text.strip().casefold() for option in other.options}
    options = [
        TwinOption(
            option.key,
            option.text,
            option in own.right,
            option.text.strip().casefold() not in texts,
        )
        for option in own.options
    ]
    return Twin(
        story.row.id,
        unit_link(run.view.folder.id, story.row.id),
        look_of(line.state, line.sort),
        _only(own.stem or "", other.stem or ""),
        options,
        _only(own.rationale or "", other.rationale or ""),
    )


def _only(own: str, other: str) -> tuple[Piece, ...]:
    """The own text; what the other one does not have is `ins`."""
    return tuple(piece for piece in diff(other, own) if piece.change != "del")


def _key_text(question: Question) -> str:
    return ", ".join(sorted(one.text.strip().casefold() for one in question.right))


def _said(alike: bool, order: bool, key: bool) -> str:
    options = "The options are the same" + ("" if order else ", in another order") if alike else "The options differ"
    return f"{options}; the key is {'the same text' if key else 'another'}."
