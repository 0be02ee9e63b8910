"""What is open in accepted units: findings of their kept drafts that nobody settled. Nothing open is silent, so
summaries, receipts and pages say it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from burnish.core.findings import SEVERITIES, Severity
from burnish.core.kinds import Kind
from burnish.store.journal import Journal
from burnish.store.unit_queries import WARNING, doubted_ids, doubted_units, findings_by_rule


@dataclass(frozen=True, slots=True)
class RuleDoubt:
    """The open findings of one rule in accepted units."""

    rule: str
    severity: Severity
    """The worst severity among all findings of the rule in the run."""
    units: int
    findings: int


@dataclass(frozen=True, slots=True)
class Doubts:
    """The open findings in accepted units, warnings and worse."""

    units: int
    """Accepted units with at least one."""
    subjects: dict[str, int]
    """Subject, such as `the key` -> accepted units with a doubt about it. Subjects without one are left out."""
    others: int
    """Accepted units with open findings about no such subject."""
    rules: tuple[RuleDoubt, ...]
    """The rules, those with most units first."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def doubted(journal: Journal, kind: Kind, subject: str, most: int) -> list[tuple[str, dict[str, Any]]]:
    """Return accepted units with a doubt about a subject, each with the finding: at most so many, in document order."""
    rules, found = kind.words.doubts[subject], []
    for id in journal.ask(partial(doubted_ids, accepted=accepted_states(kind), rules=rules, most=most)):
        row = journal.unit(id)
        assert row is not None, "it was just read"
        kept = journal.attempts(id)[row.best_attempt - 1]
        found.append((id, next(dict(finding) for finding in kept.findings if finding["rule"] in rules)))
    return found


def accepted_states(kind: Kind) -> tuple[str, ...]:
    """Return the states of accepted units."""
    return tuple(filter(None, (kind.states.ready, kind.merged)))


def doubts_of(journal: Journal, kind: Kind) -> Doubts:
    """Return what is open in the accepted units of a run."""
    accepted = accepted_states(kind)
    count = partial(doubted_units, accepted=accepted)
    subjects = {name: journal.ask(partial(count, rules=rules)) for name, rules in kind.words.doubts.items()}
    sums = [
        one
        for one in journal.ask(partial(findings_by_rule, accepted=accepted))
        if one.accepted and one.severity <= WARNING
    ]
    units, named = journal.ask(count), journal.ask(partial(count, rules=frozenset().union(*kind.words.doubts.values())))
    return Doubts(
        units,
        {name: units for name, units in subjects.items() if units},
        units - named,
        tuple(
            RuleDoubt(one.rule, SEVERITIES[one.severity], one.accepted_units, one.accepted)
            for one in sorted(sums, key=lambda one: (-one.accepted_units, one.rule))
        ),
    )
