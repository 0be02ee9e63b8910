"""Versions of prompts: three numbers, of which a rule that comes or goes raises the second."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

_SHAPE = re.compile(r"(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?", re.ASCII)


class Version(NamedTuple):
    """`3.1.0`. A later version is the larger one."""

    major: int
    minor: int = 0
    patch: int = 0

    @classmethod
    def of(cls, text: str) -> Self:
        """From `3`, `3.1` or `3.1.0`; ValueError where it is none of these."""
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no version such as 3.1.0")
        return cls(*(int(number or 0) for number in found.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def after_change(self) -> Version:
        """The version once a rule was adopted or taken back."""
        return Version(self.major, self.minor + 1)
