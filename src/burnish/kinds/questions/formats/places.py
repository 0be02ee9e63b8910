"""Places: where in a file something stands, and the problems that are told about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from burnish.core.documents import Problem
from burnish.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of a question in its file."""

    path: str
    line: int
    """Counted from 1."""
    offset: int = 0
    """In bytes of the file (for UTF-16: of its UTF-8 form)."""

    def problem(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        unit: str | None = None,
        hint: str | None = None,
        line: int | None = None,
        blocks: bool | None = None,
    ) -> Problem:
        """A problem here, or on a later `line` of the same question. By default it blocks where it names no unit."""
        blocking = unit is None if blocks is None else blocks
        return Problem(code, message, self.path, line or self.line, field, unit, hint, blocking)


class TooComplex(Exception):
    """Content that is made to cost much more than its size. Never leaves `formats`."""

    def at(self, place: Place) -> Problem:
        return place.problem("too_complex", "It has too many parts to be a question.")


T = TypeVar("T")


def bounded(things: Iterable[T], limit: int) -> Iterator[T]:
    """The same things, but TooComplex once there are more than `limit`."""
    for count, thing in enumerate(things):
        if count >= limit:
            raise TooComplex
        yield thing


class NotCarried(Exception):
    """A change that this format cannot hold at this place. Never leaves `formats`."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why

    def at(self, place: Place, unit: str) -> InputError:
        return InputError(
            f"The change to question {unit!r} cannot be written back: {self.why}",
            path=place.path,
            line=place.line,
            field=self.field,
            hint="Change this field in the file by hand, or write the bank in another format such as JSON.",
            code="cannot_write_back",
        )
