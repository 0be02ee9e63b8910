"""Ids: every question of a bank gets one of its own, the same in every reading."""

from __future__ import annotations

from array import array
from hashlib import blake2b

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.places import Place


class SeenIds:
    """A set of ids that keeps eight bytes for each: a million questions cost 16 MB.

    Two different ids with one 64-bit digest would be taken for a repetition; at a million ids the odds are 1 in 36
    million, and all that happens is a renamed question.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, id: str) -> bool:
        """Take an id in; False where it was there already."""
        slots, mask = self._slots, len(self._slots) - 1
        # 0 marks a free slot, so no digest may be 0.
        mark = int.from_bytes(blake2b(id.encode(), digest_size=8).digest(), "little") or 1
        index = mark & mask
        while slots[index]:
            if slots[index] == mark:
                return False
            index = (index + 1) & mask
        slots[index] = mark
        self._count += 1
        if self._count * 2 > mask:
            self._grow()
        return True

    def _grow(self) -> None:
        old = self._slots
        grown = array("Q", bytes(16 * len(old)))
        mask = len(grown) - 1
        for mark in old:
            if mark:
                index = mark & mask
                while grown[index]:
                    index = (index + 1) & mask
                grown[index] = mark
        self._slots = grown


class IdBook:
    """Gives ids: the declared one, else one made from the question's position.

    A missing id becomes `q<position>`, a repeated one `<id>#<position>`. Positions count from 1, and questions that
    cannot be read count too, so that mending one does not rename the others.
    """

    def __init__(self) -> None:
        self._seen = SeenIds()
        self._any_declared = False
        self._said_missing = False

    def assign(
        self, declared: str | None, position: int, place: Place, *, reported: bool
    ) -> tuple[str, Problem | None]:
        """The id to use, and what to tell about it. `reported` is False where the format has labels, not ids."""
        if declared is None:
            id = self._unused(f"q{position}")
            return id, self._missing(id, place) if reported else None
        self._any_declared = True
        if self._seen.add(declared):
            return declared, None
        id = self._unused(f"{declared}#{position}")
        return id, _repeated(declared, id, place) if reported else None

    def _unused(self, wanted: str) -> str:
        id, count = wanted, 1
        while not self._seen.add(id):
            count += 1
            id = f"{wanted}#{count}"
        return id

    def _missing(self, id: str, place: Place) -> Problem | None:
        """A bank in which no question has an id is told once; a single forgotten id is told each time."""
        if self._said_missing and not self._any_declared:
            return None
        self._said_missing = True
        return place.problem(
            "missing_id",
            f"The question has no id; it goes by its position, {id!r}.",
            field="id",
            unit=id,
            hint="Give it an id of its own, so that it keeps its name when questions are added before it.",
        )


def _repeated(declared: str, id: str, place: Place) -> Problem:
    return place.problem(
        "duplicate_id",
        f"The id {declared!r} was used before; this question goes by {id!r}.",
        field="id",
        unit=id,
        hint="Give every question an id of its own.",
    )
