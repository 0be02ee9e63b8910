"""Proving a written document: it is read back beside its source, unit by unit, before anyone may have it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.errors import StateCorrupt
from burnish.core.kinds import Kind
from burnish.engine.plan import DocumentPlan
from burnish.store.files import sha256_of

UNREADABLE = "The file would not read back as it was written."


@dataclass(frozen=True, slots=True)
class Proof:
    """That a written document holds exactly what it should."""

    document: str
    path: str
    sha256_before: str
    sha256_after: str
    units: int
    changed: tuple[str, ...]
    untouched_digest: str
    """One digest over the hashes of all units that were not changed: the same in source and result."""
    lost: tuple[str, ...] = ()
    """What another output format could not carry."""
    left_out: int = 0
    """Units that another output format cannot hold at all: a hole, so such a document is not published."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Changed units that stand here unchanged, because their place cannot hold the change, with the reason."""
    dropped: tuple[str, ...] = ()
    """Units that people left out."""

    @property
    def whole(self) -> bool:
        """Whether every unit is there, in its best draft. Nothing else is published."""
        return not self.left_out and not self.refused

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
        """The unit's name in the run -> why."""


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
    """Unchanged units hash the same, changed ones say what their draft says; in another format they are only counted.

    `refused` are changed units whose texts were taken for something that they are not, with the reason; `left_out` are
    units of the source that must not be in the result.
    `draft_of` gives a unit's name in the run, and its draft if that is another than the source. Where something else
    came out, the changed unit nearest before that point is refused: its text was taken for something that it is not.
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
            draft_of(old)  # what was dropped has to be what was judged, too
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
            # Behind a unit that was dropped, those without an id of their own have another one.
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
    """Who is to blame where a written document is not what it should be."""

    suspects: dict[str, str] = field(default_factory=dict)
    """Everyone at whose place something else came out."""
    culprits: dict[str, str] = field(default_factory=dict)
    """Those of them before whom all was well: a part too many or too few shifts all that follow."""
    shifted: bool = False
    all_well: bool = True

    def note(self, blamed: str | None, *, missing: bool) -> None:
        """One part was read: who is to blame if it is not as wanted, and whether the two files have gone apart."""
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
    """Whether it has a place of its own in the document."""
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
