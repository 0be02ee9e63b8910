"""The rulebook: every rule with its documentation, and its examples as an author sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from burnish.app.kinds import known_kinds
from burnish.app.selection import nearest
from burnish.app.terminal import excerpt
from burnish.core.checks import HEADINGS, Check, run_checks, select
from burnish.core.errors import NotFound
from burnish.core.findings import Finding, Severity
from burnish.core.kinds import Kind
from burnish.core.presentation import DocumentRule

EXAMPLE_WIDTH = 90
"""Columns of an example: it must fit into a page and into a terminal."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an example, with the marked words under it."""

    text: str
    mark: tuple[int, int] | None = None
    """Column and length."""


@dataclass(frozen=True, slots=True)
class Example:
    """A unit on which the rule speaks (with what it says) or stays silent."""

    lines: tuple[Line, ...]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """All that there is to know about a rule."""

    id: str
    title: str
    """What people call it."""
    kind: str
    noun: str
    """What a unit of the kind is called."""
    severity: Severity
    profiles: Mapping[str, Severity]
    """Profiles under which it has another severity."""
    languages: tuple[str, ...]
    fatal: bool
    summary: str
    sections: Mapping[str, str]
    """Heading -> text."""
    ignoring: str | None
    """How an author passes over it inside a document."""
    bad: tuple[Example, ...]
    good: tuple[Example, ...]

    def as_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "severity": self.severity,
            "profiles": dict(self.profiles),
            "languages": list(self.languages),
            "fatal": self.fatal,
            "summary": self.summary,
            **{heading.lower().replace(" ", "_"): text for heading, text in self.sections.items()},
            "bad": [_wire(example) for example in self.bad],
            "good": [_wire(example) for example in self.good],
        }


def _wire(example: Example) -> dict[str, Any]:
    return {"lines": [line.text for line in example.lines], "message": example.message}


def rules(*, examples: bool = True) -> Iterator[Rule]:
    """Every rule of every kind. Its `examples` are run through the checks, which takes a moment: lists need none."""
    for kind in known_kinds().values():
        yield from (_rule(kind, check, examples=examples) for check in kind.checks)
        yield from (_document_rule(kind, rule) for rule in kind.document_rules)


def rule_named(id: str) -> Rule:
    """The rule that the user names."""
    for kind in known_kinds().values():
        for check in kind.checks:
            if check.id == id:
                return _rule(kind, check)
        for rule in kind.document_rules:
            if rule.id == id:
                return _document_rule(kind, rule)
    raise NotFound(f"There is no rule {id!r}.", hint=nearest(id, _ids()))


def _ids() -> Iterator[str]:
    for kind in known_kinds().values():
        yield from (check.id for check in kind.checks)
        yield from (rule.id for rule in kind.document_rules)


def _document_rule(kind: Kind, rule: DocumentRule) -> Rule:
    """A rule without examples: they would have to be whole documents."""
    return Rule(
        id=rule.id,
        title=rule.title,
        kind=kind.name,
        noun=kind.noun,
        severity=rule.severity,
        profiles={},
        languages=(),
        fatal=False,
        summary=rule.summary,
        sections=rule.sections,
        ignoring=kind.ignoring(rule.id),
        bad=(),
        good=(),
    )


def _rule(kind: Kind, check: Check, *, examples: bool = True) -> Rule:
    severities = {name: changed[check.id] for name, changed in kind.profiles.items() if check.id in changed}
    return Rule(
        id=check.id,
        title=check.title,
        kind=kind.name,
        noun=kind.noun,
        severity=check.severity,
        profiles=severities,
        languages=check.languages,
        fatal=check.fatal,
        summary=check.summary,
        sections={heading: check.section(heading) for heading in HEADINGS},
        ignoring=kind.ignoring(check.id),
        bad=tuple(_example(kind, check, partial) for partial in check.bad) if examples else (),
        good=tuple(_example(kind, check, partial) for partial in check.good) if examples else (),
    )


def _example(kind: Kind, check: Check, partial: Mapping[str, Any]) -> Example:
    """Only what the example is about is shown: what it says itself, and what the rule marks."""
    shown = kind.example(check, partial)
    findings = run_checks(select([check]), [check], shown.unit, shown.context)
    marked = {(finding.unit, finding.field): finding for finding in reversed(findings)}
    lines = [
        _line(part.label, part.text, marked.get((part.unit or "", part.field)))
        for part in shown.pictures
        if part.is_said or (part.unit, part.field) in marked
    ]
    return Example(tuple(lines), findings[0].message if findings else None)


def _line(label: str, text: str, finding: Finding | None) -> Line:
    if finding is None or finding.start is None or finding.end is None:
        return Line(f"{label}{excerpt(text, None, EXAMPLE_WIDTH).line or '(empty)'}")
    shown = excerpt(text, (finding.start, finding.end), EXAMPLE_WIDTH - len(label))
    column, length = shown.mark
    return Line(f"{label}{shown.line}", (column + len(label), length))
