"""The tally of a check: what a report counts, and whether the run as a whole is clean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from burnish.core.documents import PassedThrough, Problem
from burnish.core.findings import BLOCKING, SEVERITIES, Severity
from burnish.engine.check import CheckEvent, DocumentFailed, DocumentStarted, UnitChecked, is_bad_input

UNKNOWN_LANGUAGE = "unknown"


@dataclass(slots=True)
class Skipped:
    """Rules that could not judge a language."""

    units: int = 0
    rules: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Unheard:
    """What the rules did not say because an author asked so, or could not say; and what nobody judged."""

    ignored: Counter[str] = field(default_factory=Counter)
    """Findings that authors asked to pass over, by rule."""
    skipped: dict[str, Skipped] = field(default_factory=dict)
    """By language."""
    unjudged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Units that nobody judged, by dimension and reason."""

    def take_unheard(
        self,
        ignored: Iterable[str],
        skipped: Collection[str],
        language: str | None,
        unjudged: Mapping[str, str] | None = None,
    ) -> None:
        """Of one unit: the rules of ignored findings, the rules that cannot judge it, its language, and the dimensions
        in which nobody judged it, with the reasons."""
        self.ignored.update(ignored)
        self.unjudged.update((unjudged or {}).items())
        if skipped:
            entry = self.skipped.setdefault(language or UNKNOWN_LANGUAGE, Skipped())
            entry.units += 1
            entry.rules.update(skipped)

    def unheard(self) -> dict[str, Any]:
        """As JSON-ready data."""
        return {
            "ignored": dict(sorted(self.ignored.items())),
            "skipped_rules": [
                {"language": language, "units": skipped.units, "rules": sorted(skipped.rules)}
                for language, skipped in sorted(self.skipped.items())
            ],
            **self.not_judged(),
        }

    def not_judged(self) -> dict[str, Any]:
        """The part that says what nobody judged; nothing where everything was."""
        told = [
            {"dimension": dimension, "why": why, "units": units}
            for (dimension, why), units in sorted(self.unjudged.items())
        ]
        return {"not_judged": told} if told else {}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        skipped = {e["language"]: Skipped(e["units"], set(e["rules"])) for e in record["skipped_rules"]}
        unjudged = {(one["dimension"], one["why"]): one["units"] for one in record.get("not_judged", ())}
        return cls(ignored=Counter(record["ignored"]), skipped=skipped, unjudged=Counter(unjudged))


@dataclass(slots=True)
class CheckSummary(Unheard):
    """Counts over all documents of a check. Feed it every event."""

    documents: int = 0
    units: int = 0
    units_with_errors: int = 0
    fixable: int = 0
    known: int = 0
    """Findings that the baseline excuses."""
    graded: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    """Findings by severity and rule."""
    passed_through: Counter[str] = field(default_factory=Counter)
    """Parts that were not judged, by their type."""
    problems: int = 0
    failures: int = 0
    """Documents of which some or all could not be read."""

    def take(self, event: CheckEvent) -> None:
        if isinstance(event, UnitChecked):
            self._take_unit(event)
        elif isinstance(event, DocumentStarted):
            self.documents += 1
        elif isinstance(event, DocumentFailed):
            self.failures += 1
        elif isinstance(event, Problem):
            self.problems += is_bad_input(event)
        elif isinstance(event, PassedThrough):
            self.passed_through[event.type] += 1

    def _take_unit(self, event: UnitChecked) -> None:
        self.units += not event.is_whole
        self.known += len(event.known)
        self.units_with_errors += not event.is_whole and any(finding.blocks for finding in event.findings)
        for finding in event.findings:
            self.graded[finding.severity, finding.rule] += 1
            self.fixable += finding.fix is not None
        examined = event.examination
        ignored = (finding.rule for finding in examined.ignored)
        self.take_unheard(ignored, examined.skipped, examined.language, examined.unjudged)

    @property
    def findings(self) -> int:
        return self.graded.total()

    def rules_of(self, severity: Severity) -> Counter[str]:
        """How often each rule spoke with this severity."""
        return Counter({rule: number for (level, rule), number in self.graded.items() if level == severity})

    @property
    def errors(self) -> int:
        """Findings that fail the check: `error` or worse."""
        return sum(number for (severity, _), number in self.graded.items() if severity in BLOCKING)

    @property
    def clean(self) -> bool:
        """Nothing was found, and nothing could not be read."""
        return not (self.findings or self.known or self.problems or self.failures)

    @property
    def exit_code(self) -> int:
        """2: input that could not be used as it stands. 1: at least one error. 0: clean, warnings allowed."""
        if self.problems or self.failures:
            return 2
        return 1 if self.errors else 0

    def summary(self) -> Mapping[str, Any]:
        """The report's last part, as JSON-ready data."""
        by_rule: Counter[str] = Counter()
        for (_, rule), number in self.graded.items():
            by_rule[rule] += number
        unheard = self.unheard()
        return {
            "documents": self.documents,
            "units": self.units,
            "findings": self.findings,
            "by_rule": dict(sorted(by_rule.items())),
            "by_severity": {severity: self.rules_of(severity).total() for severity in SEVERITIES},
            "fixable": self.fixable,
            "known": self.known,
            "ignored": unheard["ignored"],
            "passed_through": dict(sorted(self.passed_through.items())),
            "problems": self.problems,
            "failures": self.failures,
            "skipped_rules": unheard["skipped_rules"],
            **self.not_judged(),
        }
