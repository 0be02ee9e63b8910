"""Why a unit waits, as one sentence in which the words that it is about are marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from burnish.app.reports.reasons import reason_of
from burnish.core.attempts import findings_of
from burnish.core.documents import Field, Unit
from burnish.core.findings import SEVERITIES, Finding
from burnish.core.kinds import PublishedKind, UnitStory
from burnish.core.records import AttemptRecord
from burnish.web.kinds import Words
from burnish.web.marking import places_of
from burnish.web.wording import sentence

AROUND = 44
"""Characters of the text that are shown on each side of the words."""
LONGEST = 400
"""Characters of a finding's message: a judge may write a page."""
CUT = "…"


def standing_attempt(story: UnitStory) -> AttemptRecord | None:
    """The attempt that stands; None before the first."""
    number = story.row.best_attempt
    return story.attempts[number - 1] if 0 < number <= len(story.attempts) else None


def standing_draft(kind: PublishedKind, story: UnitStory) -> Unit:
    """The unit as it stands: what an acceptance would keep."""
    stands = standing_attempt(story)
    return kind.from_record(stands.content) if stands is not None and stands.content is not None else story.source


def standing_findings(story: UnitStory) -> list[Finding]:
    """What is held against the text that stands."""
    stands = standing_attempt(story)
    return findings_of(stands) if stands is not None else []


def foremost(findings: Sequence[Finding]) -> Finding | None:
    """The finding to speak of first: the worst, and of several the one that shows the words it is about."""
    ranked = sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), not one.quote))
    return ranked[0] if ranked else None


def why_it_waits(kind: PublishedKind, story: UnitStory) -> str:
    """The reason in words, as a sentence of its own."""
    said = reason_of(kind, story.row)
    return f"{sentence(said)}." if said else "It waits for a person."


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
