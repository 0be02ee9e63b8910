"""A question that a person looks at: why, what is there, what is proposed, and what an acceptance means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from burnish.app.catalogue import PrecisionLine
from burnish.app.reports.reasons import reason_of
from burnish.core.findings import Finding
from burnish.core.kinds import PublishedKind, UnitStory
from burnish.core.records import AttemptRecord
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import STATES
from burnish.web.kinds import Words
from burnish.web.kinds.names import lang_tag
from burnish.web.kinds.questions.items import Shown, changed_item, marked_item
from burnish.web.kinds.questions.numbering import FindingRow, Numbering, draft_of, place_of, standing
from burnish.web.marking import Numbered
from burnish.web.wording import plural, sentence


@dataclass(frozen=True)
class Waiting:
    """A question as a person is asked about it."""

    story: UnitStory
    precision: Sequence[PrecisionLine] = ()

    @cached_property
    def numbering(self) -> Numbering:
        return Numbering.of(self.story)

    @cached_property
    def first(self) -> AttemptRecord | None:
        """The question as it was handed in."""
        return self.story.attempts[0] if self.story.attempts else None

    @cached_property
    def kept(self) -> AttemptRecord | None:
        return standing(self.story)

    @cached_property
    def before(self) -> Question:
        return draft_of(self.story, self.first)

    @cached_property
    def after(self) -> Question:
        return draft_of(self.story, self.kept)

    @property
    def is_proposed(self) -> bool:
        """Whether the draft that stands is another text than the one that was handed in."""
        return self.before.content_hash != self.after.content_hash

    @property
    def is_open(self) -> bool:
        """Whether it waits for a person."""
        return self.story.row.state == STATES.waiting

    def _on(self, attempt: AttemptRecord | None) -> tuple[Numbered, ...]:
        return self.numbering.on(attempt) if attempt is not None else ()

    def now(self) -> Shown:
        """As it was handed in, with everything that was found in it."""
        return marked_item(self.before, self._on(self.first))

    def proposed(self) -> Shown | None:
        """The draft that stands beside it, with what is still found in it."""
        return changed_item(self.before, self.after, self.open) if self.is_proposed else None

    @cached_property
    def open(self) -> tuple[Numbered, ...]:
        """What is found in the draft that stands, worst first."""
        return self._on(self.kept)

    @property
    def worst(self) -> Numbered | None:
        return self.open[0] if self.open else None

    def rows(self) -> list[FindingRow]:
        return self.numbering.rows(self.precision)

    @property
    def columns(self) -> list[str]:
        return self.numbering.columns

    @property
    def applied(self) -> int | None:
        """How many rules ran each time."""
        found = self.first.checked.get("applied") if self.first is not None else None
        return int(found) if found else None


def reason_words(waiting: Waiting, kind: PublishedKind) -> Iterator[Words]:
    """The worst that is still found, its words marked; where nothing is, why the question rests."""
    worst = waiting.worst
    if worst is None:
        yield Words(sentence(reason_of(kind, waiting.story.row)))
        return
    finding, lang = worst.finding, lang_tag(waiting.after.language_shown)
    place = sentence(place_of(finding.field))
    if place.casefold() not in finding.message.casefold():
        yield Words(f"{place}: ")
    yield from _quoting(finding, lang)


def _quoting(finding: Finding, lang: str | None) -> Iterator[Words]:
    """A finding's message with the words that it quotes marked; where it does not say them, they follow it."""
    quote = (finding.quote or "").strip()
    message, aside = finding.message, f" ('{quote}')"
    if not quote or (quote in message and aside not in message):
        before, _, after = message.partition(quote) if quote else (message, "", "")
        yield Words(before)
        yield from [Words(quote, finding.severity, lang), Words(after)] if quote else ()
        return
    yield Words(f"{message.replace(aside, '').rstrip('.')}: “")
    yield Words(quote if len(quote) <= LONGEST_QUOTE else f"{quote[: LONGEST_QUOTE - 1]}…", finding.severity, lang)
    yield Words("”")


LONGEST_QUOTE = 120
"""Characters of a quote behind a sentence: the whole text is marked below it."""


def facts(waiting: Waiting, kind: PublishedKind) -> Iterator[str]:
    """Why it rests, what the kept draft settles, and what an acceptance overrules."""
    if waiting.worst is not None:
        yield sentence(reason_of(kind, waiting.story.row))
    if waiting.is_proposed and waiting.kept is not None:
        found = {row.number for row in waiting.rows() if row.cells and row.cells[0].fate == "fails"}
        left = {one.mark.number for one in waiting.open}
        settled = f"{len(found - left)} of {plural(len(found), 'finding')}"
        yield f"Attempt {waiting.kept.number} is kept: it settles {settled}"
    yield from _overruled(waiting.worst, waiting.precision)


def _overruled(worst: Numbered | None, precision: Iterable[PrecisionLine]) -> Iterator[str]:
    """What an acceptance does to the numbers of the rule."""
    line = next((one for one in precision if worst is not None and one.who == worst.finding.rule), None)
    if worst is not None and worst.finding.blocks and line is not None:
        now, then = f"{line.right} of {line.of}", f"{line.right} of {line.of + 1}"
        yield f"If you accept, the rule counts as wrong here: right {then} times instead of {now}"
