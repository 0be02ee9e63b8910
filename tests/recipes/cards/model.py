"""A flash card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from burnish.core.documents import Field, digest


@dataclass(frozen=True)
class Card:
    """One line: front and back with a tab between."""

    id: str
    front: str
    back: str

    @classmethod
    def of(cls, id: str, line: str) -> Self:
        front, _, back = line.rstrip("\n").partition("\t")
        return cls(id, front, back)

    @property
    def line(self) -> int:
        """Where it begins in its file, for reports."""
        return int(self.id[1:])

    @property
    def content_hash(self) -> str:
        return digest(self.front, self.back)

    def texts(self) -> Mapping[Field, str]:
        return {"front": self.front, "back": self.back}

    def with_text(self, field: Field, text: str) -> Self:
        return replace(self, **{str(field): text})

    def as_line(self) -> str:
        return f"{self.front}\t{self.back}\n"
