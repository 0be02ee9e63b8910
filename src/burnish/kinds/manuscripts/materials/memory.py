"""Translation memories: what was translated before, found again exactly or nearly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

from rapidfuzz.distance import Indel

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.core.kinds import Material
from burnish.kinds.files.encoded import decoded
from burnish.kinds.manuscripts.materials.json_rows import json_lines, text_of
from burnish.kinds.manuscripts.materials.languages import is_same
from burnish.kinds.manuscripts.materials.likeness import LikenessIndex
from burnish.kinds.manuscripts.materials.tmx import Pair, TmxReader
from burnish.languages.tags import UNKNOWN_LANGUAGE

THRESHOLD = 0.75
"""How like a source must be for its target to be suggested: 1 is the same text."""
LONGEST_COMPARED = 20_000
"""Characters of a text for which something similar is looked for. Comparing takes the square of the length, and so
long a suggestion would help nobody."""
MOST_PROBLEMS = 100
"""Contradictions that are told one by one."""


class Suggestion(NamedTuple):
    """An entry whose source is much like the text that was asked for."""

    source: str
    target: str
    ratio: float
    """1: the same; 0: nothing in common."""


@dataclass(frozen=True, eq=False)
class Memory:
    """All entries of all memories that were given, each source once."""

    targets: dict[str, str]
    """Source, with single blanks -> target."""
    problems: tuple[Problem, ...]
    """What was not used: another target for a source that has one."""
    _sources: Sequence[str]

    @classmethod
    def of(cls, materials: Iterable[Material], source: str, target: str) -> Self:
        """The memory of these files for one direction. InputError where a file is broken or has nothing for it.

        `source` may be `und`: then a TMX file's own source language counts.
        """
        gathered = _Gathered()
        for material in materials:
            gathered.add(material, source, target)
        sources = list(gathered.targets)
        return cls(gathered.targets, tuple(gathered.problems), sources)

    @cached_property
    def _index(self) -> LikenessIndex:
        """Made when something similar is first looked for: exact matches need none."""
        return LikenessIndex(self._sources)

    def __len__(self) -> int:
        return len(self.targets)

    def exact(self, text: str) -> str | None:
        """The target of this very text, blanks apart."""
        return self.targets.get(normal(text))

    def fuzzy(self, text: str, threshold: float = THRESHOLD) -> Suggestion | None:
        """The entry that is most like the text, if it is at least so like; of equals the first."""
        wanted = normal(text)
        if not wanted or len(wanted) > LONGEST_COMPARED or not self._sources:
            return None
        best, found = threshold, None
        for place in self._index.nearest(wanted, threshold):
            source = self._sources[place]
            ratio = Indel.normalized_similarity(wanted, source, score_cutoff=best)
            if ratio >= best and (found is None or (ratio, -place) > (best, -found)):
                best, found = ratio, place
        if found is None:
            return None
        return Suggestion(self._sources[found], self.targets[self._sources[found]], best)


def normal(text: str) -> str:
    """How texts are compared: with single blanks, and none around them."""
    return " ".join(text.split())


class _Gathered:
    """Entries while files are read."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}
        self.places: dict[str, tuple[str, int]] = {}
        self.problems: list[Problem] = []
        self.untold = 0

    def add(self, material: Material, source: str, target: str) -> None:
        tmx = TmxReader(material.data, material.path, source, target) if is_xml(material.data) else None
        pairs = tmx.pairs() if tmx else _row_pairs(material, source, target)
        found = 0
        for pair in pairs:
            found += 1
            self._enter(pair, material.path)
        if not found:
            raise _nothing_for(material.path, source, target, tmx.languages if tmx else ())

    def _enter(self, pair: Pair, path: str) -> None:
        source, target = normal(pair.source), pair.target.strip()
        known = self.targets.setdefault(source, target)
        place = self.places.setdefault(source, (path, pair.line))
        if normal(known) == normal(target):
            return
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(_contradiction(source, place, path, pair.line))
            return
        self.untold += 1
        message = f"So it is with {self.untold} more entries: each has another target than one before it."
        self.problems[MOST_PROBLEMS:] = [Problem("two_targets", message, path, blocks=False)]


def is_xml(data: bytes) -> bool:
    """Whether a file begins like XML, in UTF-8 or UTF-16."""
    head = data[:200].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"").lstrip()
    return head.startswith(b"<")


def _row_pairs(material: Material, source: str, target: str) -> Iterator[Pair]:
    path = material.path
    for row in json_lines(decoded(material.data, path).text, path):
        pair = Pair(text_of(row, "source", path) or "", text_of(row, "target", path) or "", row.line or 1)
        said_source = text_of(row, "source_lang", path, needed=False)
        said_target = text_of(row, "target_lang", path, needed=False)
        if _may_be(said_source, source) and _may_be(said_target, target):
            yield pair


def _may_be(said: str | None, wanted: str) -> bool:
    return said is None or wanted == UNKNOWN_LANGUAGE or is_same(said, wanted)


def _contradiction(source: str, place: tuple[str, int], path: str, line: int) -> Problem:
    first = f"line {place[1]}" if place[0] == path else f"{place[0]}, line {place[1]}"
    return Problem(
        "two_targets",
        f"{source[:80]!r} has another target already ({first}), which is kept.",
        path,
        line,
        hint="Take one of the two entries out.",
        blocks=False,
    )


def _nothing_for(path: str, source: str, target: str, languages: Iterable[str]) -> InputError:
    held = ", ".join(sorted(languages)[:20])
    return InputError(
        f"This memory has no entry from {source} to {target}.",
        path=path,
        code="no_entry",
        hint=f"It holds: {held}. Say --from and --to accordingly." if held else "Is this the right file?",
    )
