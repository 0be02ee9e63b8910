"""An issue of a review that belongs to no paragraph: a blocker of the run, which a person can look at and decide on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from burnish.core.documents import Field
from burnish.core.hashing import digest

RECORDED_AS = "mapping_error"
"""The key by which its record is told from a paragraph's."""


@dataclass(frozen=True)
class RunIssue:
    """One such issue, as a unit: it has a name and can be shown, but no text to edit."""

    id: str
    mapping_error: str
    """Why it belongs to no paragraph."""
    issue: Mapping[str, Any]

    @cached_property
    def content_hash(self) -> str:
        return digest(self.mapping_error, self.issue)

    def texts(self) -> Mapping[Field, str]:
        return {}

    def with_text(self, field: Field, text: str) -> Self:
        raise KeyError(field)

    def as_record(self) -> dict[str, Any]:
        return {"id": self.id, RECORDED_AS: self.mapping_error, "issue": dict(self.issue)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["id"], record[RECORDED_AS], record["issue"])

    def shown(self) -> str:
        """As a person reads it."""
        issue = self.issue
        lines = [f"{issue['reviewer']}: {issue['category']}, {issue['severity']}", str(issue["description"])]
        lines += [f"quoted: {issue['quote']}"] if issue.get("quote") else []
        lines += [f"{name}: {issue[name]}" for name in ("line", "start_line", "end_line") if name in issue]
        lines += [f"suggested: {issue['suggested_fix']}"] if issue.get("suggested_fix") else []
        return "\n".join([*lines, f"mapping error: {self.mapping_error}"])
