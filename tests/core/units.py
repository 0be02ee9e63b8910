"""A small unit for tests of core: named texts, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from burnish.core.documents import Field, digest
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord


@dataclass(frozen=True)
class PlainUnit:
    id: str
    parts: tuple[tuple[Field, str], ...]

    @classmethod
    def of(cls, id: str = "u", **texts: str) -> PlainUnit:
        return cls(id, tuple(texts.items()))

    @property
    def content_hash(self) -> str:
        return digest(self.id, [list(part) for part in self.parts])

    def texts(self) -> Mapping[Field, str]:
        return dict(self.parts)

    def with_text(self, field: Field, text: str) -> PlainUnit:
        return PlainUnit(self.id, tuple((name, text if name == field else old) for name, old in self.parts))


def finding(rule: str = "r", severity: Any = "error", field: Field = "stem", **more: Any) -> Finding:
    return Finding(rule=rule, severity=severity, unit="u", field=field, message="wrong", **more)


def attempt(number: int, *rules: str, cause: Any = "model", passed: bool | None = None, **more: Any) -> AttemptRecord:
    values: dict[str, Any] = {
        "unit": "u",
        "number": number,
        "cause": cause,
        "content": None,
        "content_hash": "sha256:0",
        "scores": {"rules": 1.0 if not rules else 0.5},
        "findings": tuple(finding(rule).as_record() for rule in rules),
        "passed": not rules if passed is None else passed,
    }
    return AttemptRecord(**{**values, **more})
