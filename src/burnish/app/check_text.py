"""The report of a check as text: findings with their places, then the facts about each document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.cells import cell_len, set_cell_size

from burnish.app.check_json import line_of
from burnish.app.check_summary import show_diff, summarise, verdict
from burnish.app.labels import counted, noun_of, rule_name
from burnish.app.terminal import LABEL, Piece, Screen, excerpt, visible
from burnish.core.checks import Check
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import Remark, Table
from burnish.engine.check import (
    CheckEvent,
    CheckSummary,
    Document,
    DocumentEnded,
    DocumentFailed,
    DocumentStarted,
    UnitChecked,
    is_bad_input,
)
from burnish.engine.fixes import DocumentLeft, DocumentWritten, FixEvent, FixRefused, UnitFixed

MOST_ROWS = 12
MOST_COLUMNS = 6
WIDEST_NAME = 28
NARROWEST_COUNT = 6


def shown_parts(overview: Sequence[Remark | Table], *, briefly: bool) -> Sequence[Remark | Table]:
    """The parts of an overview to show. `briefly`: only warnings."""
    return [part for part in overview if isinstance(part, Remark) and part.alarming] if briefly else overview


def show_overview(screen: Screen, path: str, overview: Sequence[Remark | Table], *, briefly: bool = False) -> None:
    """Print the overview of a document. `briefly`: only warnings."""
    shown = shown_parts(overview, briefly=briefly)
    if not shown:
        return
    screen.line(("path", path))
    for part in shown:
        if isinstance(part, Remark):
            screen.labelled(part.label, part.text, role="warning" if part.alarming else "plain")
        else:
            _table(screen, part)
    screen.gap()


def _table(screen: Screen, table: Table) -> None:
    """Names on the left, counts on the right; as much of both as fits on a screen."""
    columns = range(len(table.heads))[: table.names + MOST_COLUMNS]
    widths = [_width(table, column) for column in columns]
    names, counts = widths[: table.names], widths[table.names :]
    heads = [_fitted(head, width) for head, width in zip(table.heads[table.names :], counts, strict=False)]
    label = f"{table.label:<{LABEL}}  "
    screen.line("  ", ("faint", label), ("strong", _row(table.heads, names)), "  ".join(heads))
    indent = " " * (LABEL + 4)
    for row in table.rows[:MOST_ROWS]:
        numbers = (f"{count:>{width}}" for count, width in zip(row[table.names :], counts, strict=False))
        screen.line(indent, _row(row, names), "  ".join(numbers))
    left = len(table.rows) - MOST_ROWS, len(table.heads) - table.names - MOST_COLUMNS
    if max(left) > 0:
        more = [f"{count} more {noun}" for count, noun in zip(left, ("rows", "columns"), strict=True) if count > 0]
        screen.line(indent, ("faint", f"… and {' and '.join(more)}: --format json has them all"))


def _width(table: Table, column: int) -> int:
    """A column of names is as wide as its widest name, a column of counts as its head."""
    if column >= table.names:
        return min(WIDEST_NAME, max(NARROWEST_COUNT, cell_len(visible(table.heads[column]))))
    return min(WIDEST_NAME, max(cell_len(visible(row[column])) for row in (table.heads, *table.rows)))


def _row(names: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{_fitted(name, width)}  " for name, width in zip(names, widths, strict=False))


def _fitted(name: str, width: int) -> str:
    return set_cell_size(visible(name), width)


BAR = "   | "
NOTE = "   = "
MOST_OVERVIEWS = 20
"""Documents whose overview is printed; the JSON report has all."""
LISTED = 8
"""Fields shown if a finding is about a whole list of them."""


class TextReport:
    """Prints events as they come; with `quiet`, nothing but findings and problems."""

    def __init__(
        self, screen: Screen, checks: Mapping[str, Check], *, kinds: Mapping[str, Kind], quiet: bool = False
    ) -> None:
        self._screen = screen
        self._checks = checks
        self._kinds = kinds
        self._noun = noun_of(kinds.values())
        self._quiet = quiet
        self._overviews: list[tuple[str, Sequence[Remark | Table]]] = []
        """Overviews of documents, by path."""
        self._more_overviews = 0
        self._explained: set[str] = set()
        """Rules whose reason has been printed: it is printed once."""
        self._document: Document | None = None
        self._kind = ""
        self._headed = False
        self._in_asides = False

    def take(self, event: CheckEvent) -> None:
        """Print one event of the check."""
        if isinstance(event, DocumentStarted):
            self._document, self._kind, self._headed = event.document, event.kind, False
        elif isinstance(event, UnitChecked):
            for finding in event.findings:
                self._head()
                self._finding(event.unit, finding)
            for finding in event.known:
                self._head()
                place = ", ".join(part for part in (finding.unit, finding.field) if part)
                self._aside(f"known: {place}: {finding.rule}")
        elif isinstance(event, Problem):
            self._head()
            place = _place(event.path, event.line, event.unit, event.field)
            self.problem(event.code, event.message, place, event.hint, bad=is_bad_input(event))
        elif isinstance(event, DocumentFailed):
            self._head()
            self.failure(event.error)
        elif isinstance(event, PassedThrough):
            self._head()
            self._aside(f"not judged: {event.id} ({event.type}), carried unchanged")
        elif isinstance(event, DocumentEnded):
            self._end(event)

    def _end(self, event: DocumentEnded) -> None:
        """Keep the overview of the document; only its warnings if it has no findings."""
        self._screen.gap()
        overview = shown_parts(self._kinds[self._kind].describe(event.bank), briefly=not self._headed)
        if overview and len(self._overviews) < MOST_OVERVIEWS:
            self._overviews.append((event.document.path, overview))
        elif overview:
            self._more_overviews += 1

    def close(
        self,
        summary: CheckSummary,
        *,
        problems: Iterable[InputError],
        passed_over: Iterable[InputError],
        off: Collection[str],
    ) -> None:
        """Print what could not be read, then the summary and the verdict."""
        for problem in problems:
            self.failure(problem)
        if self._quiet:
            return
        self._screen.gap()
        for error in passed_over:
            self._screen.line(("faint", f"passed over: {error}"))
        self._screen.gap()
        for path, overview in self._overviews:
            show_overview(self._screen, path, overview, briefly=summary.clean)
        if self._more_overviews and not summary.clean:
            more = counted(self._more_overviews, "more document")
            self._screen.line(("faint", f"… and {more}: --format json has them all"))
        self._screen.gap()
        summarise(self._screen, summary, noun=self._noun, off=off)
        self._screen.gap()
        verdict(self._screen, summary, noun=self._noun)

    def abandon(self, summary: CheckSummary) -> None:
        """Do nothing: the printed lines are complete."""

    def open_fixes(self) -> None:
        """Do nothing: fixes are simply the first lines."""

    def failure(self, error: InputError) -> None:
        """Print that a file, or the rest of one, cannot be read."""
        place = _place(error.path or "", error.line, None, error.field)
        self.problem(error.code, error.message, place, error.hint)

    def problem(self, code: str, message: str, place: str, hint: str | None, *, bad: bool = True) -> None:
        """Print that input could not be used or (not `bad`) was used with a remark."""
        self._in_asides = False
        self._screen.gap()
        label: Piece = ("error", "bad input") if bad else ("info", "note")
        self._screen.paragraph(message, indent="  ", first=(label, ("faint", f"[{code}]"), ": "))
        self._screen.line(("hunk", "  --> "), place)
        if hint:
            self._note("fix", hint)

    def _head(self) -> None:
        """Print the document's name once, before its first line."""
        if not self._headed and self._document is not None:
            self._headed = True
            self._screen.line(("path", self._document.path))
            self._screen.gap()

    def _finding(self, unit: Unit, finding: Finding) -> None:
        screen = self._screen
        self._in_asides = False
        screen.gap()
        name = rule_name(self._kinds[self._kind], finding.rule)
        opening: tuple[Piece, ...] = ((finding.severity, finding.severity), f" {name}: ")
        screen.paragraph(finding.message, indent="  ", first=opening)
        path = self._document.path if self._document else ""
        screen.line(("hunk", "  --> "), _place(path, line_of(unit, finding), finding.unit, finding.field))
        self._shown_text(unit, finding)
        if finding.suggestion:
            self._note("fix (--fix does it)" if finding.fix else "fix", finding.suggestion)
        check = self._checks.get(finding.rule)
        if check is not None and finding.rule not in self._explained:
            self._explained.add(finding.rule)
            self._note("why", check.section("Why it matters"))

    def _shown_text(self, unit: Unit, finding: Finding) -> None:
        texts = unit.texts()
        if not texts:  # a finding about the whole document: it carries its quote
            if finding.quote:
                shown = excerpt(finding.quote, None, self._screen.width - len(BAR))
                self._screen.line(("hunk", BAR), (finding.severity, shown.line))
            return
        width = self._screen.width - len(BAR)
        if finding.field in texts:
            self._marked_text(texts[finding.field], finding, width)
            return
        if finding.field is None:
            # About the whole unit: show its first words, so that an author recognises it.
            self._marked_text(next((text for text in texts.values() if text.strip()), ""), finding, width)
            return
        inside = f"{finding.field}."
        listed = [(name, text) for name, text in texts.items() if name is not None and name.startswith(inside) and text]
        for name, text in listed[:LISTED]:
            label = f"{name.removeprefix(inside)}: "
            self._screen.line(("hunk", BAR), label, excerpt(text, None, width - len(label)).line)
        if len(listed) > LISTED:
            self._screen.line(("hunk", BAR), ("faint", f"… and {len(listed) - LISTED} more"))

    def _marked_text(self, text: str, finding: Finding, width: int) -> None:
        if not text.strip():
            self._screen.line(("hunk", BAR), ("faint", "(empty)"))
            return
        span = (finding.start, finding.end) if finding.start is not None and finding.end is not None else None
        shown = excerpt(text, span, width)
        self._screen.line(("hunk", BAR), shown.before, (finding.severity, shown.marked), shown.after)
        if span is not None:
            column, length = shown.mark
            self._screen.line(("hunk", BAR), " " * column, (finding.severity, "^" * length))

    def _note(self, label: str, text: str) -> None:
        head = f"{NOTE}{label}: "
        self._screen.paragraph(text, indent=" " * len(head), first=(("hunk", NOTE), ("faint", f"{label}: ")))

    def _aside(self, text: str) -> None:
        """Print a faint line; such lines are grouped, apart from the findings."""
        if not self._in_asides:
            self._screen.gap()
        self._in_asides = True
        self._screen.line(("faint", text))

    def take_fix(self, event: FixEvent) -> None:
        """Print what a safe fix changed, or why it changed nothing."""
        if isinstance(event, UnitFixed):
            show_diff(self._screen, event.before, event.after)
        elif isinstance(event, FixRefused):
            place = _place(event.document.path, None, event.finding.unit, event.finding.field)
            self._screen.line(("faint", f"not fixed: {place}: {event.finding.rule}: {event.reason}"))
        elif isinstance(event, DocumentWritten):
            self._screen.line(("good", f"{event.document.path}: {counted(event.units, self._noun)} fixed."))
            self._screen.gap()
        elif isinstance(event, DocumentLeft):
            self._screen.line(("warning", f"{event.document.path}: nothing was written."), f" {event.error.message}")
            self._screen.gap()


def _place(path: str, line: int | None, unit: str | None, field: str | None) -> str:
    where = f"{path}:{line}" if line is not None else path
    return ", ".join(part for part in (where, unit, field) if part)
