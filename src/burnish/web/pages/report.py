"""The report on a run: one standalone page to read, keep or send.

Styles and charts are inline, there are no scripts, and nothing else is loaded; a content security policy in the head
enforces that. The templates are those of the workbench, so links into the workbench become plain text, forms are left
out, and ids get a prefix.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from burnish import __version__
from burnish.app.labels import SAID
from burnish.app.rulebook import PrecisionLine
from burnish.app.run_reader import RunReader, UnitLine
from burnish.app.run_report import run_report
from burnish.core.attempts import is_undo, reported_decisions
from burnish.core.errors import UsageError
from burnish.engine.plan import Plan
from burnish.store.files import atomic_writer
from burnish.store.processes import Clock, iso, system_clock
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.kinds import Panel, UnitAccess, UnitParts, parts_of
from burnish.web.labels import look_of, run_look
from burnish.web.pages.run_overview import overview_of
from burnish.web.pages.unit import compared, history_of
from burnish.web.pieces import FieldChange
from burnish.web.rendering import environment, stylesheet
from burnish.web.unit_history import PREVIOUS, SOURCE, UnitHistory, receipts_of

OMITTED_VOID = frozenset({"link", "meta", "base", "embed", "img", "source", "track"})
"""Void elements that are left out."""
OMITTED = frozenset({"form", "button", "script", "style", "iframe", "object", "dialog", "select", "textarea"})
"""Elements that are left out with their content."""
ICON_PREFIX = "i-"
"""Prefix of the ids of icons, which keep it: each is on a page once."""
_ID_ATTRIBUTE = re.compile(
    r'(?P<head>\s(?P<name>id|for|name|aria-labelledby|aria-describedby|aria-controls)=")(?P<value>[^"]*)"'
)
_LINK_INSIDE = re.compile(r'(\shref=")#(?!i-)([^"]*")')
_CLASS = re.compile(r'\sclass="[^"]*"')
_SECTION_LABEL = re.compile(r'(<section\b[^>]*?)\saria-label(?:ledby)?="[^"]*"')
"""The label of a part of a unit: removed, since every unit has the same ones and only the unit itself is a landmark."""
_HREF = re.compile(r'\shref="([^"]*)"')


def standalone_markup(markup: str, prefix: str) -> Markup:
    """Trusted markup without what needs a server, and with prefixed ids."""
    reader = _Reader(prefix)
    reader.feed(markup)
    reader.close()
    return Markup("".join(reader.parts))


class _Reader(HTMLParser):
    """Copies markup tag by tag. Text and attributes keep their escapes."""

    def __init__(self, prefix: str) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self._prefix = prefix
        self._skipped: list[str] = []
        """Open elements that are left out."""
        self._links: list[str] = []
        """The tag that was written for each open link."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped or tag in OMITTED:
            if tag in OMITTED:
                self._skipped.append(tag)
            return
        raw = self.get_starttag_text() or ""
        if tag == "a":
            self._link(raw)
        elif tag not in OMITTED_VOID and not (tag == "input" and ("type", "radio") not in attrs):
            self.parts.append(self._renamed(raw))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._skipped and tag not in OMITTED_VOID and tag not in OMITTED:
            self.parts.append(self._renamed(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
        elif tag == "a" and self._links:
            self.parts.append(f"</{self._links.pop()}>")
        elif tag not in OMITTED_VOID and tag not in OMITTED:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _link(self, raw: str) -> None:
        """A link inside the page is kept; any other becomes its text."""
        target = _HREF.search(raw)
        if target is not None and target[1].startswith("#"):
            self._links.append("a")
            self.parts.append(self._renamed(raw))
            return
        look = _CLASS.search(raw)
        self._links.append("span")
        self.parts.append(f"<span{look.group() if look else ''}>")

    def _renamed(self, raw: str) -> str:
        return _LINK_INSIDE.sub(rf"\1#{self._prefix}\2", _ID_ATTRIBUTE.sub(self._rename, raw))

    def _rename(self, found: re.Match[str]) -> str:
        ids = " ".join(id if id.startswith(ICON_PREFIX) else f"{self._prefix}{id}" for id in found["value"].split())
        return f'{found["head"]}{ids}"'


MOST_UNITS = 150
"""Units on one page."""
LARGEST = 8_000_000
"""Characters of all units together: browsers open a page of this size without delay."""
MOST_DECISIONS = 200
PIECES = 40
"""Pieces of template output that are sent together."""
OMITTED_TABS = frozenset({"overview", "units", "items", "findings", "events", "settings"})
"""Tabs that are left out: they list everything, or the report has the same part of its own."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report."""

    id: str
    title: str
    prefix: str
    """The prefix of its ids."""
    draw: Callable[[], str]

    @property
    def markup(self) -> Markup:
        """Rendered only when it is reached, so that the page is streamed from the start."""
        return standalone_markup(self.draw(), self.prefix)


def write_report(
    run: RunReader, everywhere: Sequence[PrecisionLine], path: Path, *, clock: Clock = system_clock
) -> Path:
    """Write the report to a file, whole or not at all. A source of the run is never overwritten."""
    refuse_source(run, path)
    with atomic_writer(path) as stream:
        stream.writelines(encoded(report_pieces(run, everywhere, clock=clock)))
    return path


def encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    """The report in UTF-8; characters that it cannot encode are shown as their codes."""
    return (piece.encode("utf-8", "backslashreplace") for piece in pieces)


def refuse_source(run: RunReader, path: Path) -> None:
    """Raise UsageError if the file is a source of the run, or belongs to it."""
    target = path.resolve()
    plan, home = run.view.plan, run.view.folder.root
    if target in {Path(one).resolve() for one in _sources(plan)}:
        raise UsageError(f"{path} is a source of this run.", hint="Give --html another file, such as report.html.")
    kept = [home, *(Path(one) for one in _folders(plan))]
    inside = any(target.is_relative_to(one.resolve()) for one in kept)
    if inside and target.exists() and target.suffix not in (".html", ".htm"):
        raise UsageError(f"{path} belongs to the run.", hint="Give --html a file that ends in .html.")


def _sources(plan: Plan) -> Iterator[str]:
    yield from (document.path for document in plan.documents)
    yield from (material.path for material in plan.materials)
    yield from ([str(plan.arguments["path"])] if "path" in plan.arguments else ())


def _folders(plan: Plan) -> Iterator[str]:
    course = plan.arguments.get("course")
    if isinstance(course, Mapping):
        yield str(course["folder"])
    if plan.arguments.get("is_folder"):
        yield str(plan.arguments["path"])


def report_pieces(
    run: RunReader,
    everywhere: Sequence[PrecisionLine] = (),
    *,
    most: int = MOST_UNITS,
    clock: Clock = system_clock,
) -> Iterator[str]:
    """The report as a stream: the head is sent before the first unit is read."""
    card = run.card
    chosen = chosen_units(run, most)
    pieces = (
        environment()
        .get_template("report.html")
        .stream(
            **standalone_context("report.css"),
            card=card,
            look=run_look(card.state, card.text),
            facts=parts_of(card.kind).run_parts(run, {}).facts,
            summarised=lambda: run_report(run, everywhere),
            made_at=iso(clock()),
            sections=[*_overview(run), *_views(run)],
            expected=len(chosen.lines),
            total=chosen.total,
            units=DrawnUnits(run, chosen.lines),
            decisions=lambda: _decisions(run),
            kind=card.kind,
        )
    )
    pieces.enable_buffering(PIECES)
    yield from pieces


@cache
def all_styles(own: str) -> str:
    """The styles of a standalone page: those of the workbench, and the file `own`."""
    return f"{stylesheet()}\n{(files('burnish.web') / 'static' / own).read_text(encoding='utf-8')}"


def standalone_context(own: str) -> dict[str, str]:
    """The template values of a standalone page: inline styles, policy and version."""
    style = all_styles(own)
    return {"style": Markup("<style>{}</style>").format(Markup(style)), "policy": policy(style), "version": __version__}


def policy(style: str) -> str:
    """The content security policy: only the inline style is allowed."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def chosen_units(run: RunReader, most: int) -> Drawn:
    """The units that wait for a person, then those that were changed."""
    waiting = run.view.kind.states.waiting
    filters = (UnitFilter(states=(waiting,)), UnitFilter(repaired=True))
    lines: dict[str, UnitLine] = {}
    total = -run.units(UnitFilter(states=(waiting,), repaired=True), limit=1).total
    for where in filters:
        page = run.units(where, limit=most)
        total += page.total
        lines |= {line.id: line for line in page.lines if line.id not in lines}
    return Drawn(lines=tuple(lines.values())[:most], total=total)


def _shared(run: RunReader) -> dict[str, Any]:
    """The values that workbench templates expect."""
    names: dict[str, Any] = dict.fromkeys(("here", "nav", "who", "request", "events"))
    card = run.card
    return names | {"run": run, "card": card, "kind": card.kind, "crumbs": (), "same_page": lambda **changes: "/"}


def _overview(run: RunReader) -> Iterator[Section]:
    if run.card.requested:
        template = environment().get_template("run_overview.html")
        yield Section("overview", "Overview", "o-", lambda: template.render(overview=overview_of(run), **_shared(run)))


def _views(run: RunReader) -> Iterator[Section]:
    for tab in parts_of(run.card.kind).run_parts(run, {}).tabs:
        if tab.id not in OMITTED_TABS:
            yield Section(f"view-{tab.id}", tab.label, f"t-{tab.id}-", partial(_view, run, tab.id))


def _view(run: RunReader, id: str) -> str:
    tabs = parts_of(run.card.kind).run_parts(run, {"tab": id}).tabs
    tab = next(one for one in tabs if one.id == id)
    return environment().get_template(tab.template).render(part=tab.context, tab=tab, **_shared(run))


class DrawnUnits:
    """The units of the report, until LARGEST is reached: id, title, markup."""

    def __init__(self, run: RunReader, lines: Sequence[UnitLine]) -> None:
        self._run = run
        self._lines = lines
        self.shown = 0

    def __iter__(self) -> Iterator[tuple[str, str, Markup]]:
        room = LARGEST
        for number, line in enumerate(self._lines, start=1):
            plain = str(standalone_markup(_unit(self._run, line), f"u{number}-"))
            markup = Markup(_SECTION_LABEL.sub(r"\1", plain))
            room -= len(markup)
            if room < 0 and self.shown:
                break
            self.shown += 1
            yield f"unit-{number}", line.id, markup


def _unit(run: RunReader, line: UnitLine) -> str:
    known = UnitAccess.of(run, line.id)
    story, parts = known.story, known.unit()
    history = history_of(run, story)
    kept = history.kept
    others = max(0, sum(run.card.counts.values()) - 1)
    return (
        environment()
        .get_template("report_unit.html")
        .render(
            line=line,
            look=look_of(line.state, line.sort),
            focus=known.focus() if line.cause is not None else None,
            parts=parts,
            story=story,
            changes=() if _has(parts, "diff") else _changes(run, history),
            findings=() if _has(parts, "findings") or kept is None else kept.findings,
            decisions=_with_words(reported_decisions(story.decisions)),
            receipts=receipts_of(run.view, history, others=others, noun=run.card.noun),
            **_shared(run),
        )
    )


def _changes(run: RunReader, history: UnitHistory) -> tuple[FieldChange, ...]:
    """What was changed in a unit: since the original, or, in phased kinds, since the previous draft."""
    since = PREVIOUS if run.view.kind.is_phased else SOURCE
    return compared(history, history.kept, since).changes if history.kept is not None else ()


def _has(parts: UnitParts, id: str) -> bool:
    panels: Sequence[Panel] = (*parts.panels, *parts.beside)
    return any(panel.id == id for panel in panels)


def _decisions(run: RunReader) -> list[dict[str, Any]]:
    """The decisions of people in the run, newest first."""
    events = list(run.view.journal.events(types=("decision",)))
    made = (event for event in events if not is_undo(event))
    found = [{**said, "unit": event.unit} for event, said in zip(made, reported_decisions(events), strict=True)]
    return _with_words(found[::-1][:MOST_DECISIONS])


def _with_words(decisions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"note": None, **one, "said": SAID[one["verdict"]]} for one in decisions]
