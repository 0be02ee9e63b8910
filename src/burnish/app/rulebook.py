"""The rulebook: every rule with its documentation, examples and precision."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from burnish.app.kinds import known_kinds
from burnish.app.materials import nearest
from burnish.app.terminal import excerpt
from burnish.core.attempts import JUDGE
from burnish.core.checks import HEADINGS, Check, Proven, run_checks, select
from burnish.core.claims import Evidence, wilson
from burnish.core.errors import NotFound
from burnish.core.findings import Finding, Severity
from burnish.core.kinds import Kind
from burnish.core.presentation import DocumentRule
from burnish.text.standing import standings

EXAMPLE_WIDTH = 90
"""Columns of an example, which must fit a page and a terminal."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an example, with the marked words under it."""

    text: str
    mark: tuple[int, int] | None = None
    """Column and length."""


@dataclass(frozen=True, slots=True)
class Example:
    """A unit in which the rule finds something (with its message) or nothing."""

    lines: tuple[Line, ...]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its documentation."""

    id: str
    title: str
    """Its name for people."""
    kind: str
    noun: str
    """The word for a unit of the kind."""
    severity: Severity
    summary: str
    sections: Mapping[str, str]
    """Heading -> text."""
    ignoring: str | None
    """The comment with which an author ignores it in a document."""
    profiles: Mapping[str, Severity] = field(default_factory=dict)
    """Profiles under which it has another severity."""
    languages: tuple[str, ...] = ()
    fatal: bool = False
    bad: tuple[Example, ...] = ()
    good: tuple[Example, ...] = ()
    proven: Proven | None = None
    """Whether code can show what it finds."""

    @property
    def standing(self) -> str:
        return standing_in_words(self.kind, self.id, self.proven)

    def as_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "severity": self.severity,
            "profiles": dict(self.profiles),
            "languages": list(self.languages),
            "fatal": self.fatal,
            "proven": self.proven,
            "standing": [labelled(language, seen) for language, seen in _evidence(self.kind, self.id).items()],
            "summary": self.summary,
            **{heading.lower().replace(" ", "_"): text for heading, text in self.sections.items()},
            "bad": [_wire(example) for example in self.bad],
            "good": [_wire(example) for example in self.good],
        }


def _wire(example: Example) -> dict[str, Any]:
    return {"lines": [line.text for line in example.lines], "message": example.message}


def _evidence(kind: str, rule: str) -> dict[str, Evidence]:
    """Language -> labelled findings of a rule."""
    table = standings(kind).evidence
    return {language: seen for (known, language), seen in sorted(table.items()) if known == rule}


def labelled(language: str, seen: Evidence) -> dict[str, Any]:
    """How a rule stands in a language, for JSON."""
    counted = {"right": seen.right, "of": seen.of, "low": seen.low}
    return {"language": language, "standing": seen.standing, **counted}


PROVEN = {"always": "proven by code", "sometimes": "proven by code in some findings"}


def standing_in_words(kind: str, rule: str, proven: Proven | None) -> str:
    """How a rule is believed: `trusted in en (52 of 52 labelled findings right, at least 93 %)`. The bound is the lower
    end of Wilson's 95 % interval."""
    if proven == "always":
        return PROVEN[proven]
    seen = [
        f"{one.standing} in {language} ({one.right} of {one.of} labelled findings right, "
        f"at least {int(one.low * 100)} %)"
        for language, one in _evidence(kind, rule).items()
    ]
    known = ", ".join(seen) or "doubtful: no labelled findings"
    return f"{PROVEN[proven]}, else {known}" if proven else known


def rules(*, examples: bool = True) -> Iterator[Rule]:
    """Every rule of every kind. Running the `examples` through the checks takes a moment; lists do not need them."""
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
    named = (rule.id, rule.title, kind.name, kind.noun, rule.severity)
    return Rule(*named, rule.summary, rule.sections, kind.ignoring(rule.id))


def _rule(kind: Kind, check: Check, *, examples: bool = True) -> Rule:
    named = (check.id, check.title, kind.name, kind.noun, check.severity)
    return Rule(
        *named,
        check.summary,
        {heading: check.section(heading) for heading in HEADINGS},
        kind.ignoring(check.id),
        {name: changed[check.id] for name, changed in kind.profiles.items() if check.id in changed},
        check.languages,
        check.fatal,
        tuple(_example(kind, check, partial) for partial in check.bad) if examples else (),
        tuple(_example(kind, check, partial) for partial in check.good) if examples else (),
        check.proven,
    )


def _example(kind: Kind, check: Check, partial: Mapping[str, Any]) -> Example:
    """Show only the relevant fields of an example: those that it sets, and those that the rule marks."""
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


@dataclass(frozen=True, slots=True)
class PrecisionLine:
    """The precision of one rule or judge, from people's decisions."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person corrected what it found, or sent the unit back."""
    of: int
    """How often a person decided, including those who accepted the unit despite its finding."""
    share: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    standing: str | None = None
    """How labelled findings let a rule be believed, in words; None for judges."""

    @property
    def is_judge(self) -> bool:
        return self.who.startswith(JUDGE)

    @classmethod
    def counted(cls, who: str, kind: str, right: int, of: int) -> PrecisionLine:
        """The line with its share and interval. `of` is at least one."""
        return cls(who, kind, right, of, right / of, *wilson(right, of), _standing(kind, who))


def _standing(kind: str, who: str) -> str | None:
    known = known_kinds().get(kind)
    check = next((check for check in known.checks if check.id == who), None) if known is not None else None
    is_rule = check is not None or (known is not None and any(rule.id == who for rule in known.document_rules))
    return standing_in_words(kind, who, check.proven if check is not None else None) if is_rule else None


def precision_lines(kind: str, sums: Iterable[tuple[str, bool, int]]) -> list[PrecisionLine]:
    """The precision of rules and judges of one kind, most cases first. `sums`: who, whether right, how often."""
    of, right = Counter[str](), Counter[str]()
    for who, is_right, count in sums:
        of[who] += count
        right[who] += count * is_right
    found = [PrecisionLine.counted(who, kind, right[who], number) for who, number in of.items() if number > 0]
    return sorted(found, key=lambda line: (line.is_judge, -line.of, line.who))


Word = tuple[int, int, str, bool, int]
"""One judgement in a run's journal: its number, its key, the rule or judge, whether that was right, and 1, or -1 if it
undoes an earlier one."""


@dataclass(frozen=True, slots=True)
class DecidedRun:
    """A run with people's decisions."""

    kind: str
    identity: object
    """It changes if the journal is replaced by another."""
    decided: int
    """The number of its last decision."""
    words_after: Callable[[int], list[Word]]


@dataclass(slots=True)
class _Taken:
    """What is already counted of a run."""

    kind: str
    identity: object
    decided: int = 0
    seq: int = 0


@dataclass(slots=True)
class _Sums:
    """The sums of judgements on one kind's rules and judges. Judgements are identified by their keys."""

    words: set[int] = field(default_factory=set)
    repeated: Counter[int] = field(default_factory=Counter)
    """Judgements that several runs hold -> in how many more than one."""
    sums: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def add(self, word: Word) -> None:
        _, key, who, is_right, change = word
        if change > 0 and key in self.words:
            self.repeated[key] += 1
        elif change > 0:
            self.words.add(key)
            self.sums[who, is_right] += 1
        elif key in self.repeated:
            self.repeated[key] -= 1
            if not self.repeated[key]:
                del self.repeated[key]
        else:
            self.words.discard(key)
            self.sums[who, is_right] -= 1


class Precision:
    """Precision over all runs, kept in memory: only new decisions are read. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[str, _Taken] = {}
        self._sums: dict[str, _Sums] = defaultdict(_Sums)

    def lines(self, runs: Mapping[str, DecidedRun]) -> list[PrecisionLine]:
        """Rules and judges, kind by kind."""
        with self._lock:
            if any(run not in runs or self._is_other(runs[run], taken) for run, taken in self._taken.items()):
                self._taken.clear()  # a run was removed or replaced: its judgements cannot be separated from the rest
                self._sums.clear()
            for id, run in runs.items():
                self._take(id, run)
            return [
                line
                for kind in sorted(self._sums)
                for line in precision_lines(kind, ((*one, count) for one, count in self._sums[kind].sums.items()))
            ]

    def _is_other(self, run: DecidedRun, taken: _Taken) -> bool:
        return (run.kind, run.identity) != (taken.kind, taken.identity) or run.decided < taken.decided

    def _take(self, id: str, run: DecidedRun) -> None:
        taken = self._taken.setdefault(id, _Taken(run.kind, run.identity))
        if taken.decided == run.decided:
            return
        while words := run.words_after(taken.seq):
            for word in words:
                self._sums[run.kind].add(word)
            taken.seq = words[-1][0]
        taken.decided = run.decided
