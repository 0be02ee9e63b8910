"""Filters: which units a list shows. A filter is the query of a link, so that it can be sent to someone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from burnish.core.findings import SEVERITIES, Severity

LONGEST = 200
"""Characters of one value: no id, rule or search is longer."""
MOST_STATES = 20


@dataclass(frozen=True, slots=True)
class UnitFilter:
    """What units must have in common to be shown. Everything that is given must hold."""

    states: tuple[str, ...] = ()
    """One of these; none: any."""
    rule: str | None = None
    """A rule that speaks against the draft that stands."""
    severity: Severity | None = None
    """The worst finding of that draft."""
    cause: str | None = None
    """Why it waits, as `CauseCount.cause` names it."""
    text: str | None = None
    """Somewhere in the id or the excerpt, whatever the case of its letters."""
    document: str | None = None
    repaired: bool = False
    """Only units whose draft is another one than that which was judged first."""
    open: bool = False
    """Only units against whose draft something is said."""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Self:
        """The filter of a link. What it does not know it passes over; `state` may come several times."""
        severity = _one(query, "severity")
        return cls(
            states=_several(query, "state")[:MOST_STATES],
            rule=_one(query, "rule"),
            severity=next((known for known in SEVERITIES if known == severity), None),
            cause=_one(query, "cause"),
            text=_one(query, "text"),
            document=_one(query, "document"),
            repaired=_one(query, "repaired") == "1",
            open=_one(query, "open") == "1",
        )

    def as_query(self) -> list[tuple[str, str]]:
        """The filter as the query of a link."""
        single = {
            "rule": self.rule,
            "severity": self.severity,
            "cause": self.cause,
            "text": self.text,
            "document": self.document,
            "repaired": "1" if self.repaired else None,
            "open": "1" if self.open else None,
        }
        return [("state", state) for state in self.states] + [(name, one) for name, one in single.items() if one]


ALL = UnitFilter()
"""Lets every unit through."""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which of the waiting units are shown."""

    kind: str | None = None
    run: str | None = None
    cause: str | None = None
    """Only together with `run`: causes are told apart by run."""
    document: str | None = None
    """The same."""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Self:
        return cls(*(_one(query, name) for name in ("kind", "run", "cause", "document")))

    def as_query(self) -> list[tuple[str, str]]:
        given = {"kind": self.kind, "run": self.run, "cause": self.cause, "document": self.document}
        return [(name, one) for name, one in given.items() if one]


def _several(query: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Every value of a name; queries of requests keep several, plain mappings one."""
    getlist = getattr(query, "getlist", None)
    found: Sequence[Any] = getlist(name) if getlist is not None else [query[name]] if name in query else []
    return tuple(dict.fromkeys(str(value)[:LONGEST] for value in found if value))


def _one(query: Mapping[str, Any], name: str) -> str | None:
    return next(iter(_several(query, name)), None)
