"""Existing translations: memories with exact and fuzzy search, and drafts, which are aligned with their source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple, Self
from zlib import crc32

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Indel

from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.exchange import Pair, is_same, tmx_pairs
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.model import CARRIED, Paragraph
from burnish.kinds.manuscripts.pairing import aligned_paragraphs
from burnish.kinds.manuscripts.reviews import json_lines
from burnish.languages.detection import UNKNOWN_LANGUAGE, are_kin, sure_language
from burnish.languages.lexicon import Lexicon
from burnish.text.json_text import decoded

SKETCH = 32
"""The most hashes in the sketch of a text."""
MOST_PLACES = 2_000
"""The most entries of the table that one query reads."""
MOST_COMPARED = 24
"""The most candidates in a result."""
FEW_WORDS = 5
"""Texts of fewer words are also indexed by their groups of three letters."""

TOKEN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]|[^\W_]+", re.UNICODE
)
"""A word or a number; in scripts without spaces, one character."""
_MIX = np.uint32(0x9E3779B1)

Numbers = npt.NDArray[np.uint32]


class LikenessIndex:
    """An index of a fixed list of texts, to search for similar ones."""

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
        """The indices of the texts that share most with this one, nearest first, without those too long or short."""
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
        """The entries in these ranges of the table, shortest ranges first, up to MOST_PLACES."""
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
    """The lowest hashes of a text's words and pairs of words, without repetitions."""
    words = TOKEN.findall(text.lower())
    shingles = set(words)
    shingles.update(map(" ".join, pairwise(words)))
    if len(words) < FEW_WORDS:
        joined = f" {' '.join(words) or text.lower()} "[:200]
        shingles.update(joined[at : at + 3] for at in range(len(joined) - 2))
    hashes = np.fromiter((crc32(part.encode("utf-8", "replace")) for part in shingles), np.uint32, len(shingles))
    return np.unique(hashes * _MIX)[:SKETCH]


THRESHOLD = 0.75
"""How similar a source must be for its target to be suggested: 1 is the same text."""
LONGEST_COMPARED = 20_000
"""Characters of a text for which similar ones are searched. Comparing takes quadratic time, and so long a suggestion
would not help."""


class Suggestion(NamedTuple):
    """An entry whose source is similar to a text."""

    source: str
    target: str
    ratio: float
    """1: the same; 0: nothing in common."""


@dataclass(frozen=True, eq=False)
class Memory:
    """All entries of all memories, each source once: its first target counts."""

    targets: dict[str, str]
    """Source, with white space normalised -> target."""

    @classmethod
    def of(cls, materials: Iterable[Material], source: str, target: str) -> Self:
        """The memory of these files for one direction. Raise InputError if a file is broken or has no entry for it.

        `source` may be `und`: then the source language of a TMX file counts.
        """
        targets: dict[str, str] = {}
        for one in materials:
            languages: set[str] = set()
            if is_xml(one.data):
                pairs = tmx_pairs(one.data, one.path, source, target, languages)
            else:
                pairs = _row_pairs(one, source, target)
            found = 0
            for pair in pairs:
                found += 1
                targets.setdefault(normal(pair.source), pair.target.strip())
            if not found:
                held = ", ".join(sorted(languages)[:20])
                raise InputError(
                    f"This memory has no entry from {source} to {target}.",
                    path=one.path,
                    code="no_entry",
                    hint=f"It has: {held}. Set --from and --to accordingly." if held else "Is this the right file?",
                )
        return cls(targets)

    @cached_property
    def _index(self) -> tuple[list[str], LikenessIndex]:
        """Built at the first fuzzy search: exact matches do not need it."""
        sources = list(self.targets)
        return sources, LikenessIndex(sources)

    def exact(self, text: str) -> str | None:
        """The target of this text, ignoring differences in white space."""
        return self.targets.get(normal(text))

    def fuzzy(self, text: str, threshold: float = THRESHOLD) -> Suggestion | None:
        """The most similar entry, if it reaches the threshold; of equal ones the first."""
        wanted = normal(text)
        if not wanted or len(wanted) > LONGEST_COMPARED or not self.targets:
            return None
        sources, index = self._index
        best, found = threshold, None
        for place in index.nearest(wanted, threshold):
            ratio = Indel.normalized_similarity(wanted, sources[place], score_cutoff=best)
            if ratio >= best and (found is None or (ratio, -place) > (best, -found)):
                best, found = ratio, place
        return Suggestion(sources[found], self.targets[sources[found]], best) if found is not None else None


def normal(text: str) -> str:
    """The text with white space normalised, for comparing."""
    return " ".join(text.split())


def is_xml(data: bytes) -> bool:
    """Whether a file begins like XML, in UTF-8 or UTF-16."""
    head = data[:200].lstrip(b"\xef\xbb\xbf\xff\xfe").replace(b"\x00", b"").lstrip()
    return head.startswith(b"<")


def _row_pairs(material: Material, source: str, target: str) -> Iterator[Pair]:
    for row in json_lines(decoded(material.data, material.path).text, material.path):
        pair = Pair(row.text("source", needed=True) or "", row.text("target", needed=True) or "")
        tags = [row.text(name) for name in ("source_lang", "target_lang")]
        if all(
            tag is None or wanted == UNKNOWN_LANGUAGE or is_same(tag, wanted)
            for tag, wanted in zip(tags, (source, target), strict=True)
        ):
            yield pair


FEWEST_PAIRED = 0.5
"""A draft with translations for a smaller share of the source's blocks belongs to another text."""
SAMPLED = 100
"""Blocks of a draft from which its language is detected."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A draft, aligned with its source."""

    texts: dict[str, str]
    """Paragraph id -> its translation in the draft."""
    unpaired: tuple[str, ...] = ()
    """Messages about blocks of either file without a match in the other."""
    other_language: str | None = None
    """The detected language of the draft, if it is not the named one."""


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
    """The translation of each paragraph. Raise InputError if the draft belongs to another text.

    Files of the same structure are paired block by block, unless that shifts a run of them; else paragraphs are
    aligned, and one that was split in two is joined. If the formats differ, blocks are only counted. Code, front matter
    and raw HTML are taken from the source, so the draft may lack them. Blank blocks of the draft are left out.
    """
    same_format = source_format in (None, format)
    theirs = [one for one in _read(draft, path, format) if one.block not in CARRIED]
    ours = [one for one in paragraphs if one.block not in CARRIED]
    found: list[tuple[Paragraph, str]] = []
    alone: list[str] = []
    for some, others in aligned_paragraphs(
        ours, theirs, languages, own, lambda one, other: not same_format or one.block == other.block
    ):
        if len(some) == 1 and others:
            found.append((some[0], "\n".join(other.text for other in others)))
            continue
        # One block of the draft cannot be used for two of the source: both are translated again.
        both = " One block of the draft translates both." if len(some) > 1 else ""
        alone += [f"No block of the draft matches the source's {_named(one)}.{both}" for one in some]
        alone += [f"No block of the source matches the draft's {_named(one)}." for one in others if not some]
    if len(found) < FEWEST_PAIRED * len(ours):
        raise InputError(
            f"The draft has {len(theirs)} blocks, the source {len(ours)}, and only {len(found)} of them match. "
            f"{alone[0]}",
            path=path,
            code="draft_parts",
            hint="Name the translation of this source, and its languages with --from and --to.",
        )
    # Paragraphs that a person left out need no translation.
    texts = {one.id: text for one, text in found if one.excluded is None and text.strip()}
    return Aligned(texts, tuple(alone), _other_language(theirs, *languages))


def _other_language(blocks: Sequence[Paragraph], source: str, target: str) -> str | None:
    if target == UNKNOWN_LANGUAGE:
        return None
    found = sure_language("\n\n".join(block.text for block in islice(blocks, SAMPLED)))
    return found if found not in (None, target) and (found == source or not are_kin(found, target)) else None


def _read(draft: bytes, path: str, format: BookFormat) -> Iterator[Paragraph]:
    for part in read_manuscript(draft, path, format):
        if isinstance(part, Paragraph):
            yield part
        # Problems that do not block are also in the source, and are reported there.
        elif part.blocks:
            raise InputError(part.message, path=path, line=part.line, code=part.code, hint=part.hint)


def _named(block: Paragraph) -> str:
    kind = "list item" if block.block == "list" else block.block
    return f"{kind} in line {block.line} ({shown(block.text)})"


def shown(text: str) -> str:
    """The beginning of a text, on one line and without control characters."""
    plain = " ".join("".join(islice((sign if sign.isprintable() else " " for sign in text), 200)).split())
    return repr(plain if len(plain) <= 40 else f"{plain[:40]}…")
