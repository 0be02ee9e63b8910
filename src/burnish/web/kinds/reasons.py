"""What the queue says of a unit: why it waits, as one sentence with the words marked that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from burnish.app.labels import reason_of
from burnish.core.attempts import findings_of
from burnish.core.documents import Field, Unit
from burnish.core.findings import SEVERITIES, Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord
from burnish.web.formatting import sentence
from burnish.web.kinds import FocusParts, Panel, Words
from burnish.web.spans import places_of

AROUND = 44
"""Characters of the text that are shown on each side of the words."""
LONGEST = 400
"""Characters of a finding's message: a judge may write a page."""
CUT = "…"


def kept_attempt(story: UnitStory) -> AttemptRecord | None:
    """The attempt that is kept; None before the first."""
    number = story.row.best_attempt
    return story.attempts[number - 1] if 0 < number <= len(story.attempts) else None


def kept_draft(kind: Kind, story: UnitStory) -> Unit:
    """The draft that an acceptance would keep."""
    kept = kept_attempt(story)
    return kind.from_record(kept.content) if kept is not None and kept.content is not None else story.source


def kept_findings(story: UnitStory) -> list[Finding]:
    """What is held against the kept text."""
    kept = kept_attempt(story)
    return findings_of(kept) if kept is not None else []


def focus_on(
    kind: Kind,
    story: UnitStory,
    reason: Callable[[Finding], tuple[Words, ...]],
    *,
    facts: Iterable[str] = (),
    now: Sequence[Panel],
    proposed: Sequence[Panel] = (),
) -> FocusParts:
    """The queue's article: the worst finding of the kept draft, or else the reason for which the unit waits.

    `reason` puts a finding into words.
    """
    worst = foremost(kept_findings(story))
    why = why_it_waits(kind, story)
    if worst is None:
        return FocusParts((Words(why),), facts=tuple(facts), now=now, proposed=proposed)
    return FocusParts(reason(worst), worst.severity, worst.rule, (why, *facts), now, proposed=proposed)


def foremost(findings: Sequence[Finding]) -> Finding | None:
    """The finding to speak of first: the worst, and of several the one that shows the words it is about."""
    return min(findings, key=lambda one: (SEVERITIES.index(one.severity), not one.quote), default=None)


def why_it_waits(kind: Kind, story: UnitStory) -> str:
    """The reason in words, as a sentence of its own."""
    reason = reason_of(kind, story.row)
    return f"{sentence(reason)}." if reason else "Waiting for a person."


def reason_words(finding: Finding, texts: Mapping[Field, str], lang: str | None) -> tuple[Words, ...]:
    """What a finding says, with the words that it is about marked: in its own message, or else in their place."""
    message = shortened(finding.message)
    quote = (finding.quote or "").strip()
    if quote and quote in message:
        before, _, after = message.partition(quote)
        return tuple(_said(Words(before), Words(quote, finding.severity, lang), Words(after)))
    place = next(places_of(texts, finding), None)
    if place is None or place.start == place.end:
        return (Words(message),)
    text = texts[place.field]
    before, after = text[: place.start], text[place.end :]
    return tuple(
        _said(
            Words(f"{message.rstrip('.')}: “"),
            Words(_last(before), lang=lang),
            Words(text[place.start : place.end].replace("\n", " "), finding.severity, lang),
            Words(_first(after), lang=lang),
            Words("”"),
        )
    )


def _said(*words: Words) -> Iterator[Words]:
    return (each for each in words if each.text)


def shortened(text: str) -> str:
    """On one line, and no longer than a sentence may be."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rsplit(' ', 1)[0]}{CUT}"


def _last(text: str) -> str:
    """The end of what stands before the words, from a word's beginning on."""
    line = text.rsplit("\n", 1)[-1]
    if len(line) <= AROUND:
        return line
    return f"{CUT}{line[-AROUND:].partition(' ')[2]}"


def _first(text: str) -> str:
    """The beginning of what stands behind the words, up to a word's end."""
    line = text.split("\n", 1)[0]
    if len(line) <= AROUND:
        return line
    return f"{line[:AROUND].rpartition(' ')[0]}{CUT}"
