"""What was translated before: memories, found again exactly or nearly, and drafts, laid beside their source block by
block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple, Self
from zlib import crc32

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel

from burnish.core.documents import Material, Problem
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.materials.exchange import Pair, TmxReader
from burnish.kinds.manuscripts.materials.reviews import json_lines, text_of
from burnish.kinds.manuscripts.materials.xml_events import is_same
from burnish.kinds.manuscripts.model import CARRIED, Paragraph
from burnish.kinds.manuscripts.pairing import are_shifted, pairings
from burnish.languages.detection import are_kin, sure_language
from burnish.languages.lexicon import Lexicon
from burnish.languages.tags import UNKNOWN_LANGUAGE
from burnish.text.json_text import decoded

SKETCH = 32
"""Hashes by which a text is known."""
MOST_PLACES = 2_000
"""Entries of the table that one question may look at."""
MOST_COMPARED = 24
"""Candidates that are given back."""
FEW_WORDS = 5
"""Texts of fewer words are known by their groups of three letters, too."""

TOKEN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]|[^\W_]+", re.UNICODE
)
"""A word, a number; of scripts that set no blanks between words, one letter."""
_MIX = np.uint32(0x9E3779B1)

Numbers = npt.NDArray[np.uint32]


class LikenessIndex:
    """The table for a fixed list of texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        sketches: list[Numbers] = []
        lengths: list[int] = []
        for text in texts:
            sketches.append(sketch(text))
            lengths.append(len(text))
        self._lengths = np.asarray(lengths, dtype=np.int64)
        self._sizes = np.asarray([len(one) for one in sketches], dtype=np.int64)
        hashes = np.concatenate(sketches) if sketches else np.empty(0, dtype=np.uint32)
        places = np.repeat(np.arange(len(sketches), dtype=np.uint32), self._sizes)
        order = np.argsort(hashes, kind="stable")
        self._hashes: Numbers = hashes[order]
        self._places: Numbers = places[order]

    def nearest(self, text: str, threshold: float) -> list[int]:
        """Places of the texts that share most with this one, the nearest first; those too long or short left out."""
        wanted = sketch(text)
        begins = np.searchsorted(self._hashes, wanted, side="left")
        ends = np.searchsorted(self._hashes, wanted, side="right")
        found = self._bounded(begins, ends)
        if not len(found):
            return []
        places, shared = np.unique(found, return_counts=True)
        # 2 * common / (one + other) can reach the threshold only if neither is too long for the other.
        longest, shortest = len(text) * (2 - threshold) / threshold, len(text) * threshold / (2 - threshold)
        lengths = self._lengths[places]
        fits = (lengths <= longest + 1) & (lengths >= shortest - 1)
        places, shared = places[fits], shared[fits]
        shares = shared / np.maximum(1, np.maximum(self._sizes[places], len(wanted)))
        order = np.lexsort((places, -shares))[:MOST_COMPARED]
        return [int(place) for place in places[order]]

    def _bounded(self, begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Numbers:
        """The places behind these stretches of the table, the shortest stretches first, up to the bound."""
        order = np.argsort(ends - begins, kind="stable")
        taken: list[Numbers] = []
        left = MOST_PLACES
        for begin, end in zip(begins[order].tolist(), ends[order].tolist(), strict=True):
            stretch = self._places[begin : min(end, begin + left)]
            taken.append(stretch)
            left -= len(stretch)
            if left <= 0:
                break
        return np.concatenate(taken) if taken else np.empty(0, dtype=np.uint32)


def sketch(text: str) -> Numbers:
    """The least hashes of a text's words and pairs of words, without repetitions."""
    words = TOKEN.findall(text.lower())
    shingles = set(words)
    shingles.update(map(" ".join, pairwise(words)))
    if len(words) < FEW_WORDS:
        joined = f" {' '.join(words) or text.lower()} "[:200]
        shingles.update(joined[at : at + 3] for at in range(len(joined) - 2))
    hashes = np.fromiter((crc32(part.encode("utf-8", "replace")) for part in shingles), np.uint32, len(shingles))
    return np.unique(hashes * _MIX)[:SKETCH]


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


FEWEST_PAIRED = 0.5
"""A draft in which fewer blocks of the source have a translation is that of another text."""
SAMPLED = 100
"""Blocks of a draft by which its language is told."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A draft beside its source."""

    texts: dict[str, str]
    """Paragraph id -> its translation in the draft."""
    unpaired: tuple[str, ...] = ()
    """Blocks of either file that belong to none of the other, in words."""
    other_language: str | None = None
    """The language that the draft looks like, where that is not the one that was said."""


def align(
    paragraphs: Iterable[Paragraph],
    draft: bytes,
    path: str,
    format: BookFormat,
    *,
    source_format: BookFormat | None = None,
    languages: tuple[str, str] = (UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
    own: Lexicon | None = None,
) -> Aligned:
    """The translation of each paragraph. InputError where the draft is that of another text.

    Files that are built alike are paired block by block, unless that shifts a run of them; else paragraphs are laid
    beside those they answer, and a paragraph that was cut in two is joined again. Where the formats differ, blocks are
    only counted. Code, front matter and raw HTML are the source's own, so it does not matter whether the draft has
    them. A blank block of the draft is no translation and left out.
    """
    same_format = source_format in (None, format)
    theirs = [one for one in _read(draft, path, format) if one.block not in CARRIED]
    ours = [one for one in paragraphs if one.block not in CARRIED]
    is_alike = len(ours) == len(theirs) and (
        not same_format or all(one.block == other.block for one, other in zip(ours, theirs, strict=True))
    )
    if is_alike and not are_shifted(ours, theirs, languages, own):
        aligned = Aligned(_taken((one, other.text) for one, other in zip(ours, theirs, strict=True)))
    else:
        aligned = _paired(ours, theirs, path, languages, own)
    return replace(aligned, other_language=_other_language(theirs, *languages))


def _other_language(blocks: Sequence[Paragraph], source: str, target: str) -> str | None:
    if target == UNKNOWN_LANGUAGE:
        return None
    found = sure_language("\n\n".join(block.text for block in islice(blocks, SAMPLED)))
    return found if found not in (None, target) and (found == source or not are_kin(found, target)) else None


def _taken(pairs: Iterable[tuple[Paragraph, str]]) -> dict[str, str]:
    """What a person left out takes no translation."""
    return {one.id: text for one, text in pairs if one.excluded is None and text.strip()}


def _paired(
    ours: Sequence[Paragraph],
    theirs: Sequence[Paragraph],
    path: str,
    languages: tuple[str, str],
    own: Lexicon | None,
) -> Aligned:
    found: list[tuple[Paragraph, str]] = []
    alone: list[str] = []
    for pairing in pairings(ours, theirs, languages, own):
        some, others = [ours[place] for place in pairing.ours], [theirs[place] for place in pairing.theirs]
        if len(some) == 1 and others:
            found.append((some[0], "\n".join(other.text for other in others)))
            continue
        # One block of the draft cannot stand for two of the source: both are translated anew.
        both = " One block of the draft answers both." if len(some) > 1 else ""
        alone += [f"No block of the draft answers the source's {_named(one)}.{both}" for one in some]
        alone += [f"No block of the source asks for the draft's {_named(one)}." for one in others if not some]
    if len(found) < FEWEST_PAIRED * len(ours):
        raise InputError(
            f"The draft has {len(theirs)} blocks, the source {len(ours)}, and only {len(found)} of them belong "
            f"together. {alone[0]}",
            path=path,
            code="draft_parts",
            hint="Name the translation of this source, and its languages with --from and --to.",
        )
    return Aligned(_taken(found), tuple(alone))


def _read(draft: bytes, path: str, format: BookFormat) -> Iterator[Paragraph]:
    for part in read_manuscript(draft, path, format):
        if isinstance(part, Paragraph):
            yield part
        # Problems that hide no block are those of the source, which are told there.
        elif part.blocks:
            raise InputError(part.message, path=path, line=part.line, code=part.code, hint=part.hint)


def _named(block: Paragraph) -> str:
    kind = "list item" if block.block == "list" else block.block
    return f"{kind} in line {block.line} ({shown(block.text)})"


def shown(text: str) -> str:
    """The beginning of a text, on one line and without control characters."""
    plain = " ".join("".join(islice((sign if sign.isprintable() else " " for sign in text), 200)).split())
    return repr(plain if len(plain) <= 40 else f"{plain[:40]}…")
