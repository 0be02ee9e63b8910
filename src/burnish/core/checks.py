"""Checks: code that looks for one thing without a model; and safe fixes, each proven to make nothing worse."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Literal

from burnish.core.claims import NO_DISMISSALS, Dismissals
from burnish.core.documents import Unit
from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused, UsageError
from burnish.core.findings import CRASHED_RULE, SEVERITIES, Finding, Severity

CheckFunction = Callable[..., Iterable[Finding]]

Scope = Literal["unit", "document"]
"""The scope of a check: one unit, or the whole document."""

Proven = Literal["always", "sometimes"]
"""Whether code can show what a rule finds: in all of its findings, or in some."""

HEADINGS = ("What it looks for", "Why it matters", "Fix")
"""The headings of every check's docstring, so that all rule pages have the same form."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check with its documentation and examples."""

    id: str
    title: str
    """Title for people, in at most five words."""
    severity: Severity
    languages: tuple[str, ...]
    """Languages it can judge; empty: all."""
    fatal: bool
    """With such a finding no model is paid for this unit."""
    bad: tuple[Mapping[str, Any], ...]
    """Fields of units on which it must raise a finding."""
    good: tuple[Mapping[str, Any], ...]
    """Fields of units on which it must not."""
    run: CheckFunction
    wants_context: bool
    doc: str
    scope: Scope = "unit"
    proven: Proven | None = None
    """Whether code can show what it finds, so that no model overrules it. With `sometimes` each finding says so."""

    @property
    def summary(self) -> str:
        """The first line of the docstring, without the id."""
        return self.doc.strip().split("\n", 1)[0].partition(": ")[2]

    def section(self, heading: str) -> str:
        """Return the docstring's text under one of HEADINGS."""
        lines = inspect.cleandoc(self.doc).split("\n")
        collected: list[str] = []
        inside = False
        for line in lines:
            opens = next((name for name in HEADINGS if line.startswith(f"{name}:")), None)
            if opens is not None:
                inside = opens == heading
                line = line[len(opens) + 1 :]
            if inside:
                collected.append(line.strip())
        return " ".join(part for part in collected if part)


def check(
    *,
    id: str,
    title: str = "",
    severity: Severity,
    languages: tuple[str, ...] = (),
    fatal: bool = False,
    scope: Scope = "unit",
    proven: Proven | None = None,
    bad: Sequence[Mapping[str, Any]],
    good: Sequence[Mapping[str, Any]],
) -> Callable[[CheckFunction], Check]:
    """Turn a function `unit -> findings` (or `unit, context -> findings`) into a Check.

    The module's docstring is the rule's documentation. Without a `title` the id in words is shown.
    """

    def decorate(function: CheckFunction) -> Check:
        module = inspect.getmodule(function)
        wants_context = len(inspect.signature(function).parameters) > 1
        doc = (module.__doc__ if module else None) or ""
        named = title or in_words(id)
        examples = tuple(bad), tuple(good)
        return Check(id, named, severity, languages, fatal, *examples, function, wants_context, doc, scope, proven)

    return decorate


def in_words(id: str) -> str:
    """Return an id as a title: `broken_link` becomes "Broken link"."""
    return id.replace("_", " ").capitalize()


def discover(package: ModuleType) -> tuple[Check, ...]:
    """Return the checks of all modules in a package, one per file, sorted by id."""
    found: dict[str, Check] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        checks = [value for value in vars(module).values() if isinstance(value, Check)]
        if len(checks) != 1 or checks[0].id in found:
            raise UsageError(f"{module.__name__} must define exactly one check with an id of its own.")
        found[checks[0].id] = checks[0]
    return tuple(found[id] for id in sorted(found))


MOST_UNKNOWN = 5
"""The most unknown rule names that are reported for one document or unit."""
LONGEST_NAME = 100


def unknown_ignore(name: str, known: Collection[str]) -> tuple[str, str]:
    """Return the message and the hint for an author who ignores a rule that does not exist."""
    near = difflib.get_close_matches(name[:LONGEST_NAME], known, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else "`burnish rules` lists them all."
    return f"There is no rule {name[:LONGEST_NAME]!r}, so nothing is ignored by that name.", hint


@dataclass(frozen=True, slots=True)
class Selection:
    """Which checks run, and how severe their findings are."""

    checks: tuple[Check, ...]
    severities: Mapping[str, Severity] = field(default_factory=dict)
    """Severities that differ from the checks' defaults."""
    dismissals: Dismissals = NO_DISMISSALS
    """What was dismissed in the document that is judged: such findings count as ignored."""
    _by_language: dict[str | None, tuple[tuple[Check, ...], tuple[str, ...]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Cached results of `for_language`, which is called for every unit."""

    def severity(self, check: Check) -> Severity:
        return self.severities.get(check.id, check.severity)

    def for_language(self, language: str | None) -> tuple[tuple[Check, ...], tuple[str, ...]]:
        """Return the checks that can judge `language`, and the ids of those that cannot.

        With None the language is unknown, and only checks for all languages run.
        """
        if language not in self._by_language:
            able = tuple(c for c in self.checks if not c.languages or language in c.languages)
            skipped = tuple(c.id for c in self.checks if c.languages and language not in c.languages)
            self._by_language[language] = able, skipped
        return self._by_language[language]


def select(
    checks: Iterable[Check],
    *,
    enabled: Iterable[str] = (),
    disabled: Iterable[str] = (),
    severities: Mapping[str, Severity] | None = None,
) -> Selection:
    """Choose checks by id. Without enabled ids all run. Raise UsageError for an unknown id."""
    known = {check.id: check for check in checks}
    wanted, unwanted = list(enabled), set(disabled)
    for id in (*wanted, *unwanted, *(severities or {})):
        if id not in known:
            raise UsageError(f"There is no rule {id!r}.", hint="`burnish rules` lists them all.")
    chosen = wanted or list(known)
    return Selection(tuple(known[id] for id in sorted(set(chosen)) if id not in unwanted), dict(severities or {}))


def run_checks(selection: Selection, checks: Iterable[Check], unit: Unit, context: object = None) -> list[Finding]:
    """Return every finding of `checks` on one unit. A crashed check gives a finding that blocks."""
    [findings] = run_checks_on_all(selection, checks, [unit], context)
    return findings


def run_checks_on_all(
    selection: Selection, checks: Iterable[Check], units: Sequence[Unit], context: object = None
) -> list[list[Finding]]:
    """Return the findings on several units. Running check by check instead of unit by unit keeps the processor's caches
    warm, which is a fifth faster."""
    found: list[list[Finding]] = [[] for _ in units]
    for check in checks:
        run, wants_context = check.run, check.wants_context
        for unit, findings in zip(units, found, strict=True):
            try:
                raised = list(run(unit, context) if wants_context else run(unit))
            except Exception as crash:  # noqa: BLE001 - any crash must fail closed and hide no other rule
                findings.append(_crashed(check, unit, crash))
                continue
            if raised:
                severity = selection.severity(check)
                findings.extend(_graded(check, severity, finding) for finding in raised)
    return found


def _graded(check: Check, severity: Severity, finding: Finding) -> Finding:
    """Set the severity of a finding. A check may lower its own (a warning in an error rule), never raise it.

    If settings raise a rule, its findings of the rule's own severity are raised, and lower ones are not changed.
    """
    order = SEVERITIES.index
    if check.proven == "always":
        finding = replace(finding, standing="proven")
    if order(finding.severity) > max(order(severity), order(check.severity)):
        return replace(finding, rule=check.id)
    return finding.graded(check.id, severity)


def _crashed(check: Check, unit: Unit, crash: Exception) -> Finding:
    return Finding(
        rule=CRASHED_RULE,
        severity="error",
        unit=unit.id,
        field=None,
        message=f"The rule {check.id} crashed ({type(crash).__name__}: {crash}), so this unit is not judged by it.",
        suggestion="Report this with the unit's text; until then exclude the rule with --ignore.",
    )


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of all checks on one unit."""

    findings: tuple[Finding, ...]
    ignored: tuple[Finding, ...] = ()
    """Findings that the author asked to ignore: listed and counted."""
    skipped: tuple[str, ...] = ()
    """Rules that cannot judge this unit's language."""
    applied: int = 0
    """The number of rules that ran."""
    escalated_fields: tuple[str, ...] = ()
    """Fields whose many warnings were raised to errors."""
    language: str | None = None
    of_document: tuple[Finding, ...] = ()
    """Findings about the whole document, which are reported with its last unit."""
    unjudged: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why no rule could check it in this unit. It gets no score from the rules."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Measurements of the kind besides its findings, ready for JSON: scores on its own scale."""

    def as_record(self) -> dict[str, Any]:
        """Return everything but the findings, for the journal."""
        return {
            "ignored": [finding.as_record() for finding in self.ignored],
            "skipped": list(self.skipped),
            "applied": self.applied,
            "escalated_fields": list(self.escalated_fields),
            "language": self.language,
            **({"unjudged": dict(self.unjudged)} if self.unjudged else {}),
            **({"measured": dict(self.measured)} if self.measured else {}),
        }


SOMETHING = 0.01
"""The smallest share of a unit that fixes must leave."""
MOST_FIXES = 100
"""The most edits tried on one unit, so that fixes that undo each other end."""

Examine = Callable[[Unit], Examination]


@dataclass(slots=True)
class SafeFixes:
    """The result of safe fixes on one unit."""

    unit: Unit
    examination: Examination
    """The rules' findings on the unit as it is now."""
    settled: list[Finding] = field(default_factory=list)
    """The findings whose fixes were applied, in that order."""
    refused: dict[object, tuple[Finding, str]] = field(default_factory=dict)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(finding.fix for finding in self.settled if finding.fix is not None)


def apply_safe_fixes(unit: Unit, examination: Examination, examine: Examine) -> SafeFixes:
    """Apply the unit's safe fixes; they must lower the number of findings and raise none.

    Apply all at once if that works, which is almost always, otherwise one by one, without those that make it worse.
    """
    fixes = SafeFixes(unit, examination)
    wanted = [finding for finding in examination.findings if finding.fix is not None]
    if len(wanted) > 1:
        _try_all(fixes, wanted, examine)
    for _ in range(MOST_FIXES):
        finding = next((f for f in fixes.examination.findings if f.fix and f.key not in fixes.refused), None)
        if finding is None:
            break
        assert finding.fix is not None, "only findings with a fix are tried"
        try:
            candidate = _applied(fixes.unit, [finding.fix])
        except EditRefused as refusal:
            fixes.refused[finding.key] = (finding, refusal.message)
            continue
        after = examine(candidate)
        worse = _worse(fixes.examination, after)
        if worse is not None:
            fixes.refused[finding.key] = (finding, worse)
            continue
        fixes.unit, fixes.examination = candidate, after
        fixes.settled.append(finding)
    return fixes


def _try_all(fixes: SafeFixes, findings: Sequence[Finding], examine: Examine) -> None:
    """Try all fixes from the end to the start, so that no edit moves the words that another one searches for."""
    texts = fixes.unit.texts()
    edits = {finding.fix: finding for finding in findings if finding.fix is not None}
    ordered = sorted(edits, key=lambda edit: -texts[edit.field].find(edit.find))
    try:
        candidate = _applied(fixes.unit, ordered)
    except EditRefused:
        return
    after = examine(candidate)
    fewer = len(after.findings) <= len(fixes.examination.findings) - len(findings)
    if fewer and _worse(fixes.examination, after) is None:
        fixes.unit, fixes.examination = candidate, after
        fixes.settled += findings


def _applied(unit: Unit, edits: Sequence[Edit]) -> Unit:
    """Apply edits even if they remove much of the unit: fixes by code remove no content. Something must be left."""
    return apply_edits(unit, edits, smallest_remainder=SOMETHING)


def _worse(before: Examination, after: Examination) -> str | None:
    """Return why the second examination is not better than the first, or None if it is."""
    raised = Counter(_place(f) for f in after.findings) - Counter(_place(f) for f in before.findings)
    if raised:
        rule, place = next(iter(raised))
        return f"It would raise {rule} in {place or 'the unit'}."
    if sum(f.blocks for f in after.findings) > sum(f.blocks for f in before.findings):
        return "It would raise a warning to an error."
    if len(after.findings) >= len(before.findings):
        return "It would settle nothing."
    return None


def _place(finding: Finding) -> tuple[str, str | None]:
    return finding.rule, finding.field
