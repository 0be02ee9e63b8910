"""Prove a written document: read it back and compare it with its source, unit by unit, before it is published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeGuard

from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.errors import StateCorrupt
from burnish.core.kinds import Kind
from burnish.engine.plan import DocumentPlan
from burnish.store.files import sha256_of

UNREADABLE = "The file would not read back as it was written."


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that a written document holds exactly what it should."""

    document: str
    path: str
    sha256_before: str
    sha256_after: str
    units: int
    changed: tuple[str, ...]
    untouched_digest: str
    """One digest of the hashes of all unchanged units: the same in source and result."""
    lost: tuple[str, ...] = ()
    """What another output format could not hold."""
    left_out: int = 0
    """Units that another output format cannot hold at all: such a document is not published."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Changed units that the document has unchanged, because it cannot hold the change, with the reason."""
    dropped: tuple[str, ...] = ()
    """Units that people dropped."""

    @property
    def whole(self) -> bool:
        """Whether every unit is there with its best draft. Otherwise nothing is published."""
        return not self.left_out and not self.refused

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Return a proof from its record."""
        given = {name: value for name, value in record.items() if name != "untouched"}
        given |= {name: tuple(given[name]) for name in ("changed", "lost", "dropped") if name in given}
        return cls(**given, untouched_digest=record["untouched"]["digest"])

    def as_record(self) -> dict[str, Any]:
        return {
            "document": self.document,
            "path": self.path,
            "sha256_before": self.sha256_before,
            "sha256_after": self.sha256_after,
            "units": self.units,
            "changed": list(self.changed),
            "untouched": {"units": self.units - len(self.changed), "digest": self.untouched_digest},
            "lost": list(self.lost),
            "left_out": self.left_out,
            "refused": dict(self.refused),
            **({"dropped": list(self.dropped)} if self.dropped else {}),
        }


class Refused(Exception):
    """The document cannot hold the changed texts of these units."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{unit}: {why}" for unit, why in reasons.items()))
        self.reasons = dict(reasons)
        """The unit's name in the run -> the reason."""


def compare(
    document: DocumentPlan,
    written: Path,
    kind: Kind,
    before: Iterator[Part],
    after: Iterator[Part],
    draft_of: Callable[[Unit], tuple[str, Unit | None]],
    left_out: Collection[str] = (),
    *,
    same_format: bool,
) -> Proof:
    """Compare hashes of unchanged units, and changed ones with their drafts; in another format only count the units.

    `draft_of` returns a unit's name in the run, and its draft if it differs from the source. `left_out` are units of
    the source that must not be in the result. If a part differs, the nearest changed unit before it is refused,
    because its text was read as something else; the proof has these units in `refused`, with the reason.
    """
    changed: list[str] = []
    untouched = hashlib.sha256()
    units = 0
    nearest: str | None = None
    parts = filter(_is_carried, after)
    trouble = Trouble()
    dropped: list[str] = []
    for old in filter(_is_carried, before):
        draft = None
        if old.id in left_out and not isinstance(old, PassedThrough):
            draft_of(old)  # dropped units must be the judged ones, too
            dropped.append(old.id)
            continue
        if not isinstance(old, PassedThrough):
            units += 1
            name, draft = draft_of(old)
            if draft is None:
                untouched.update(old.content_hash.encode())
            else:
                changed.append(old.id)
                nearest = name
        if same_format:
            found = next(parts, None)
            # After a dropped unit, units without own ids get other ids.
            as_wanted = _is_as_wanted(kind, old, draft, found, by_text=bool(dropped))
            trouble.note(None if as_wanted else _blamed(document, nearest, old.id), missing=found is None)
    rest = sum(not isinstance(part, PassedThrough) for part in parts)
    if rest > (0 if same_format else units):
        trouble.note(_blamed(document, nearest), missing=True)
    return Proof(
        document.name,
        str(written),
        document.sha256,
        sha256_of(written),
        units,
        tuple(changed),
        f"sha256:{untouched.hexdigest()}",
        left_out=0 if same_format else units - rest,
        refused=trouble.refused,
        dropped=tuple(dropped),
    )


@dataclass(slots=True)
class Trouble:
    """Finds the units that are to blame if a written document is not as intended."""

    suspects: dict[str, str] = field(default_factory=dict)
    """All units at whose place something else was read."""
    culprits: dict[str, str] = field(default_factory=dict)
    """The suspects without a difference just before them: a missing or additional part shifts everything after it."""
    shifted: bool = False
    all_well: bool = True

    def note(self, blamed: str | None, *, missing: bool) -> None:
        """Record a part: the unit to blame if it differs, and whether the two files are shifted."""
        if blamed is not None:
            self.suspects[blamed] = UNREADABLE
            if self.all_well:
                self.culprits[blamed] = UNREADABLE
        self.all_well = blamed is None
        self.shifted = self.shifted or missing

    @property
    def refused(self) -> Mapping[str, str]:
        return self.culprits if self.shifted else self.suspects


def _is_carried(part: Part) -> TypeGuard[Unit | PassedThrough]:
    """Return whether the part has a place in the document."""
    return not isinstance(part, Problem)


def _is_as_wanted(
    kind: Kind,
    old: Unit | PassedThrough,
    draft: Unit | None,
    found: Unit | PassedThrough | None,
    *,
    by_text: bool = False,
) -> bool:
    if isinstance(old, PassedThrough) or isinstance(found, PassedThrough) or found is None:
        return isinstance(old, PassedThrough) and isinstance(found, PassedThrough) and old.id == found.id
    if by_text and old.id != found.id:
        said, read = ({name: text.strip() for name, text in unit.texts().items()} for unit in (draft or old, found))
        return {name: text for name, text in said.items() if text} == {
            name: text for name, text in read.items() if text
        }
    if draft is None and not (kind.out_of_scope and kind.admitted(old).state == kind.out_of_scope):
        return old.content_hash == found.content_hash
    return kind.is_published_as(draft or old, found)


def _blamed(document: DocumentPlan, nearest: str | None, at: str | None = None) -> str:
    if nearest is not None:
        return nearest
    what = (
        "the written file has a unit too many" if at is None else f"{at} is not what it should be in the written file"
    )
    raise StateCorrupt(
        f"{document.name}: {what}, so nothing was published.",
        hint="Please report this with the run's folder; the source and the journal are untouched.",
    )
