"""Views for every kind: tabs, a page of units with filters as links, the reason with its words marked, the texts of a
unit, and an editor for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from burnish.app.labels import reason_of
from burnish.app.run_reader import RunReader, UnitPage
from burnish.core.attempts import findings_of
from burnish.core.documents import Field, Unit
from burnish.core.findings import SEVERITIES, Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import count, plural, sentence
from burnish.web.kinds import EditField, Editor, FocusParts, Panel, RunParts, Tab, UnitParts, Words
from burnish.web.labels import state_filters
from burnish.web.pieces import marked_fields, numbered, places_of
from burnish.web.rendering import Given, run_link

AROUND = 44
"""Characters of context that are shown on each side of the marked words."""
LONGEST = 400
"""Characters of a message that are shown: a judge may write a page."""
CUT = "…"


def kept_attempt(story: UnitStory) -> AttemptRecord | None:
    """The attempt that is kept; None before the first."""
    number = story.row.best_attempt
    return story.attempts[number - 1] if 0 < number <= len(story.attempts) else None


def kept_draft(kind: Kind, story: UnitStory) -> Unit:
    """The draft that accepting would keep."""
    kept = kept_attempt(story)
    return kind.from_record(kept.content) if kept is not None and kept.content is not None else story.source


def kept_findings(story: UnitStory) -> list[Finding]:
    """The findings on the kept draft."""
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
    """The article in the queue: the worst finding of the kept draft, or else the reason why the unit waits.

    `reason` words a finding.
    """
    worst = foremost(kept_findings(story))
    why = why_it_waits(kind, story)
    if worst is None:
        return FocusParts((Words(why),), facts=tuple(facts), now=now, proposed=proposed)
    return FocusParts(reason(worst), worst.severity, worst.rule, (why, *facts), now, proposed=proposed)


def foremost(findings: Sequence[Finding]) -> Finding | None:
    """The finding to show first: the worst, preferably one with a quote."""
    return min(findings, key=lambda one: (SEVERITIES.index(one.severity), not one.quote), default=None)


def why_it_waits(kind: Kind, story: UnitStory) -> str:
    """The reason as a sentence."""
    reason = reason_of(kind, story.row)
    return f"{sentence(reason)}." if reason else "Waiting for a person."


def reason_words(finding: Finding, texts: Mapping[Field, str], lang: str | None) -> tuple[Words, ...]:
    """The message of a finding with the affected words marked, in the message itself or in an excerpt of the text."""
    message = shortened(finding.message)
    quote = (finding.quote or "").strip()
    if quote and quote in message:
        before, _, after = message.partition(quote)
        return tuple(_non_empty(Words(before), Words(quote, finding.severity, lang), Words(after)))
    place = next(places_of(texts, finding), None)
    if place is None or place.start == place.end:
        return (Words(message),)
    text = texts[place.field]
    before, after = text[: place.start], text[place.end :]
    return tuple(
        _non_empty(
            Words(f"{message.rstrip('.')}: “"),
            Words(_last(before), lang=lang),
            Words(text[place.start : place.end].replace("\n", " "), finding.severity, lang),
            Words(_first(after), lang=lang),
            Words("”"),
        )
    )


def _non_empty(*words: Words) -> Iterator[Words]:
    return (each for each in words if each.text)


def shortened(text: str) -> str:
    """The text on one line, cut at LONGEST characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rsplit(' ', 1)[0]}{CUT}"


def _last(text: str) -> str:
    """The end of the text before the marked words, cut at a word."""
    line = text.rsplit("\n", 1)[-1]
    if len(line) <= AROUND:
        return line
    return f"{CUT}{line[-AROUND:].partition(' ')[2]}"


def _first(text: str) -> str:
    """The beginning of the text after the marked words, cut at a word."""
    line = text.split("\n", 1)[0]
    if len(line) <= AROUND:
        return line
    return f"{line[:AROUND].rpartition(' ')[0]}{CUT}"


ROWS = 8
"""The initial height of a field for a long text."""
SHORT = 80
"""Most characters of a text that gets a single line."""


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """Nothing beyond the parts of every run."""
    return RunParts()


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """Nothing beyond the parts of every unit."""
    return UnitParts()


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """The worst finding, or else the reason why the unit waits; and its texts with all findings marked."""
    texts = kept_draft(run.view.kind, story).texts()
    fields = marked_fields(texts, numbered(texts, kept_findings(story)))
    now = (Panel("kinds/generic/texts.html", {"fields": fields}, "Current text"),) if fields else ()
    return focus_on(run.view.kind, story, lambda worst: reason_words(worst, texts, None), now=now)


def editor(story: UnitStory) -> Editor:
    """One field for each text of the original."""
    fields = [
        EditField(name or "text", name or "Text", text, rows=1 if name and len(text) <= SHORT else ROWS)
        for name, text in story.source.texts().items()
    ]
    return Editor(fields, lambda values: "\n\n".join(values.get(one.name, "") for one in fields))


PAGE = 25
"""Units on a page."""

EVERY_RUN_HAS = frozenset({"overview", "units", "findings", "events", "settings"})
"""Tabs that the page adds to every run."""

Chip = tuple[str, str, int, bool]
"""Label, URL, count, and whether it is the current one: the input of the macro `chips`."""


def filled_tabs(query: Mapping[str, str], *views: tuple[Tab, Callable[[], Mapping[str, Any]]]) -> list[Tab]:
    """The tabs of a kind. Only the requested tab gets its content, the others have only labels; an unknown name opens
    the first."""
    requested, own = query.get("tab", ""), [tab.id for tab, _ in views]
    current = requested if requested in own or requested in EVERY_RUN_HAS else own[0]
    return [replace(tab, context={**tab.context, **content()} if tab.id == current else {}) for tab, content in views]


def unit_list(run: RunReader, query: Mapping[str, str], noun: str, *, tab: str = "units", limit: int = PAGE) -> Drawn:
    """The units for a query: its filters, and `after` or `before` a key."""
    where = UnitFilter.from_query(query)
    before = query.get("before")
    page = run.units(where, offset_key=before or query.get("after"), limit=limit, backwards=bool(before))

    def link(name: str, key: str | None) -> str | None:
        return _address(run, tab, where, {name: key}) if key is not None else None

    base = replace(ALL, document=where.document)
    offered = [(label, replace(one, document=where.document), number) for label, one, number in state_filters(run.card)]
    offered += [(f"Open: {severity}", replace(base, severity=severity), None) for severity in SEVERITIES]
    chips = []
    for label, one, number in offered:
        total = number if number is not None and where.document is None else run.units(one, limit=1).total
        if total or one in (base, where):
            chips.append((label, _address(run, tab, one), total, one == where))
    if not any(current for *_, current in chips):
        chips.append(
            (
                ", ".join(value for name, value in where.as_query() if name != "document"),
                _address(run, tab, where),
                run.units(where, limit=1).total,
                True,
            )
        )
    return Drawn(
        page=page,
        where=where,
        filters=tuple(chips),
        previous=link("before", page.previous),
        next=link("after", page.next),
        shown=_shown(page, noun, where),
        all=_address(run, tab, replace(ALL, document=where.document)),
    )


def _address(run: RunReader, tab: str, where: UnitFilter, more: Mapping[str, str] = MappingProxyType({})) -> str:
    asked: dict[str, Given] = {"tab": tab, **{name: value for name, value in where.as_query() if name != "state"}}
    return run_link(run.view.folder.id, **{**asked, "state": where.states, **more})


def _shown(page: UnitPage, noun: str, where: UnitFilter) -> str:
    total = plural(page.total, noun)
    if not page.lines:
        return f"No {noun} matches these filters."
    if where not in (ALL, replace(ALL, document=where.document)):
        return f"{count(len(page.lines))} of {total} that match"
    first, last = page.lines[0].position + 1, page.lines[-1].position + 1
    return f"{sentence(noun)}s {count(first)} to {count(last)}, {count(len(page.lines))} of {total}"
