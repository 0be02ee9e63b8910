"""Word alignment: which words of a sentence pair translate each other, learned from all the pairs of a course; and
learning a bilingual lexicon, with figures of how well it separates sound pairs from unrelated ones."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any
from zlib import crc32

import numpy as np

from burnish.core.errors import InputError
from burnish.languages.alignment.corpus import Corpus, Pair, corpus_of
from burnish.languages.alignment.training import Known, Training
from burnish.languages.lexicon import Lexicon, Stem, letters_of, pruned, stems

Links = tuple[tuple[int, int], ...]
"""Pairs of a source word and a target word, by index; sorted."""
SureLinks = Mapping[tuple[int, int], float]
"""Links with their confidence, 0..1: the geometric mean of both directions."""
LEAST = 0.3
"""The confidence that a link needs to be counted."""
DOUBTFUL = 0.05
"""Links with less confidence are dropped."""


def linked(corpus: Corpus, known: Known | None = None) -> Iterator[tuple[int, SureLinks]]:
    """For every pair with words on both sides: its index and its links, including doubtful ones."""
    for opinion in Training(corpus, known).opinions():
        sure = np.sqrt(opinion.ahead * opinion.back)
        sources, targets = opinion.batch.source_lengths.tolist(), opinion.batch.target_lengths.tolist()
        for place, row in enumerate(opinion.batch.rows.tolist()):
            cells = sure[place, : sources[place], : targets[place]]
            found = np.argwhere(cells >= DOUBTFUL)
            yield row, {(one, other): round(float(cells[one, other]), 2) for one, other in found.tolist()}


def translations(corpus: Corpus, lexicon: Lexicon) -> Known:
    """How likely the words that meet in a course translate each other, by a bilingual lexicon."""
    source = [_stems(word, lexicon.source) for word in corpus.source.words]
    target = [_stems(word, lexicon.target) for word in corpus.target.words]
    ahead, back = np.zeros(corpus.meetings), np.zeros(corpus.meetings)
    for meeting, both in enumerate(zip(corpus.meeting_sources.tolist(), corpus.meeting_targets.tolist(), strict=True)):
        for one in source[both[0]]:
            row = lexicon.links.get(one)
            for other in target[both[1]] if row else ():
                count = row.get(other, 0.0) if row else 0.0
                if count:
                    ahead[meeting] = max(ahead[meeting], count / (lexicon.source_words[one] + 1))
                    back[meeting] = max(back[meeting], count / (lexicon.target_words[other] + 1))
    return ahead, back


def _stems(word: str, language: str) -> list[str]:
    return [stem.text for stem in stems(word, language)]


_LINK = re.compile(r"([0-9]+)-([0-9]+)(?::([0-9]{1,3}))?")
LONGEST = 120
"""Sentences up to this many words are not cut into windows."""
CORE = 60
MARGIN = 30
"""A window owns CORE words, and sees MARGIN more on each side."""
PORTION_CELLS = 8_000_000
"""The most pairs of words that are learned from at once: those of 10,000 sentences of 28 words each."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a sentence pair."""

    row: int
    """The index of the pair."""
    pair: Pair
    source_from: int
    target_from: int
    """Index of the first word of the window, on each side."""
    owned: range
    """Source words (of the whole sentence) whose links are taken from this window."""

    @property
    def cells(self) -> int:
        return len(self.pair[0]) * len(self.pair[1])


def windows(pairs: Sequence[Pair]) -> Iterator[Window]:
    """Every pair as one window; a long pair as windows along its diagonal."""
    for row, (source, target) in enumerate(pairs):
        longest = max(len(source), len(target))
        if longest <= LONGEST:
            yield Window(row, (source, target), 0, 0, range(len(source)))
        else:
            yield from _cut(row, source, target, -(-longest // CORE))


def portions(parts: Sequence[Window]) -> Iterator[list[Window]]:
    """Groups of windows to learn from together: one group, or in a very large course windows of similar size."""
    if sum(part.cells for part in parts) <= PORTION_CELLS:
        yield list(parts)
        return
    ordered = sorted(parts, key=lambda part: (part.cells, *map(tuple, part.pair)))
    upto = accumulate(part.cells for part in ordered)
    for _, portion in groupby(zip(upto, ordered, strict=True), key=lambda one: one[0] // PORTION_CELLS):
        yield [part for _, part in portion]


def _cut(row: int, source: Sequence[str], target: Sequence[str], count: int) -> Iterator[Window]:
    for place in range(count):
        first, end = len(source) * place // count, len(source) * (place + 1) // count
        target_first, target_end = len(target) * place // count, len(target) * (place + 1) // count
        source_from, target_from = max(0, first - MARGIN), max(0, target_first - MARGIN)
        part = (source[source_from : end + MARGIN], target[target_from : target_end + MARGIN])
        yield Window(row, part, source_from, target_from, range(first, end))


def as_record(links: SureLinks) -> str:
    """`{(0, 0): 1.0, (1, 2): 0.41}` -> `0-0:100 1-2:41`."""
    return " ".join(f"{one}-{other}:{100 * sure:.0f}" for (one, other), sure in links.items())


def from_record(record: str) -> SureLinks:
    """The links of a record, sorted; a link without a number has confidence 1: `0-0 1-2`."""
    return dict(sorted(_link(part) for part in record.split()))


def _link(part: str) -> tuple[tuple[int, int], float]:
    match = _LINK.fullmatch(part)
    if match is None:
        raise InputError(
            f"'{part[:40]}' is not a link between two words.", hint="Links are written as 0-0 1-2:41, counted from 0."
        )
    return (int(match[1]), int(match[2])), int(match[3] or 100) / 100


def align(pairs: Sequence[Pair], lexicon: Lexicon | None = None) -> list[Links]:
    """The links of every pair, in the order of the pairs. Words are bare (see `words.bare`).

    Learns from this course, and from a bilingual lexicon if one is given; deterministic. A pair with an empty half has
    no links.
    """
    return [counted(links) for links in sure_links(pairs, lexicon)]


def counted(links: SureLinks) -> Links:
    """The links with enough confidence to be counted."""
    return tuple(sorted(link for link, sure in links.items() if sure >= LEAST))


def sure_links(pairs: Sequence[Pair], lexicon: Lexicon | None = None) -> list[SureLinks]:
    """The same including doubtful links, each with its confidence. Contractions are linked by their parts: "that's" is
    two words."""
    apart = [(_apart(source), _apart(target)) for source, target in pairs]
    found: list[dict[tuple[int, int], float]] = [{} for _ in pairs]
    for parts in portions(
        list(windows([([part for _, part in one], [part for _, part in other]) for one, other in apart]))
    ):
        corpus = corpus_of([part.pair for part in parts])
        known = translations(corpus, lexicon) if lexicon is not None else None
        for number, links in linked(corpus, known):
            part = parts[number]
            ours, theirs = apart[part.row]
            for (source, target), sure in links.items():
                if source + part.source_from in part.owned:
                    link = ours[source + part.source_from][0], theirs[target + part.target_from][0]
                    found[part.row][link] = max(sure, found[part.row].get(link, 0.0))
    return [dict(sorted(links.items())) for links in found]


def _apart(words: Sequence[str]) -> list[tuple[int, str]]:
    """Words split at apostrophes, each part with the index of its word."""
    return [(place, part) for place, word in enumerate(words) for part in word.split("'") if part or word == "'"]


LEAST_CHANCE = 0.1
"""The confidence that a link needs to be counted in a lexicon."""
HELD_OUT = 10
"""One pair in ten is held out for measuring."""
APART = (2, 3, 5)
"""Unrelated pairs are half, a third and a fifth of the list apart: in a sorted list neighbours are alike."""
LOW = 0.01
"""The share of sound pairs that may fall below the floor."""
FEWEST_LETTERS = 15
LEAST_SPREAD = 0.6
"""The least spread of lengths, even if the sentences learned from are all alike."""

Pairs = Sequence[tuple[str, str]]
Row = tuple[list[Stem], list[Stem]]


def learned(pairs: Pairs, source: str, target: str) -> Lexicon:
    """A lexicon of all the pairs. Its figures are those of a lexicon learned from nine tenths, measured on the rest."""
    rows = [(stems(one, source), stems(other, target)) for one, other in pairs]
    rows = [row for row in rows if row[0] and row[1]]
    apart: dict[bool, list[Row]] = {True: [], False: []}
    for row in rows:
        apart[_is_kept_apart(row)].append(row)
    first = _learned(apart[False], source, target)
    whole = _learned(rows, source, target)
    return Lexicon(
        source,
        target,
        whole.source_words,
        whole.target_words,
        whole.links,
        {"pairs": len(rows), **figures(first, apart[True])},
        *(Counter(row[side][-1].text for row in rows) for side in (0, 1)),
    )


def _is_kept_apart(row: Row) -> bool:
    """Sentences that begin alike stay together: public pairs come in many versions, which would leak into the test."""
    return crc32(" ".join(stem.text for stem in row[0][:2]).encode()) % HELD_OUT == 0


def _learned(rows: Sequence[Row], source: str, target: str) -> Lexicon:
    texts = [([stem.text for stem in one], [stem.text for stem in other]) for one, other in rows]
    source_words = Counter(word for one, _ in texts for word in one)
    target_words = Counter(word for _, other in texts for word in other)
    links: dict[tuple[str, str], float] = defaultdict(float)
    for parts in portions(list(windows(texts))):
        pairs = [part.pair for part in parts]
        for opinion in Training(corpus_of(pairs)).opinions():
            sure = np.sqrt(opinion.ahead * opinion.back)
            for place, number in enumerate(opinion.batch.rows.tolist()):
                one, other = pairs[number]
                chances = sure[place, : len(one), : len(other)]
                for left, right in np.argwhere(chances >= LEAST_CHANCE).tolist():
                    links[one[left], other[right]] += float(chances[left, right])
    kept = pruned(((one, other, count) for (one, other), count in links.items()), source_words, target_words)
    return Lexicon(source, target, source_words, target_words, kept)


def figures(lexicon: Lexicon, rows: Sequence[Row]) -> dict[str, Any]:
    """How well a lexicon separates sound pairs from exchanged ones, and the scores of both."""
    own = [(c.score, c.looked_at) for one, other in rows if (c := lexicon.compare_stems(one, other)).looked_at]
    strange = [
        c.score
        for number, (one, _) in enumerate(rows)
        for part in APART
        if (c := lexicon.compare_stems(one, rows[number - 1 - len(rows) // part][1])).looked_at
    ]
    scores = np.array([score for score, _ in own], dtype=float)
    unlike = np.array(strange, dtype=float)
    if not len(scores) or not len(unlike):
        nothing = dict.fromkeys(("auc", "mean", "spread", "unrelated", "length"), 0.0)
        return {**nothing, "shares": [0.0, 0.0], "length_spread": LEAST_SPREAD}
    mean = float(scores.mean())
    # A mean over few words varies more: the spread is that of one word.
    spread = np.quantile((scores - mean) * np.sqrt([count for _, count in own]), LOW)
    return {
        "auc": round(area(scores, unlike), 4),
        "mean": round(mean, 3),
        "spread": round(float(spread), 3),
        "unrelated": round(float(unlike.mean()), 3),
        "shares": _shares(lexicon, rows),
        **_lengths(rows),
    }


def _shares(lexicon: Lexicon, rows: Sequence[Row]) -> list[float]:
    """For each side, the share of translated words among those that are surely translated or surely not."""
    sides: tuple[list[bool], list[bool]] = ([], [])
    for one, other in rows:
        for seen, side in zip(sides, lexicon.compare_stems(one, other).sure(), strict=True):
            seen.extend(is_met for _, is_met in side)
    return [round(sum(seen) / max(1, len(seen)), 3) for seen in sides]


def _lengths(rows: Sequence[Row]) -> dict[str, float]:
    """The logarithm of how many times longer the target is, and its variance for a text of one letter."""
    letters = np.array([(letters_of(one), letters_of(other)) for one, other in rows], dtype=float)
    ratio = float(np.log(letters[:, 1].sum() / letters[:, 0].sum()))
    apart, shorter = np.log(letters[:, 1] / letters[:, 0]) - ratio, letters.min(axis=1)
    long = shorter >= FEWEST_LETTERS
    spread = float(np.mean((apart**2 * shorter)[long])) if long.any() else 0.0
    return {"length": round(ratio, 3), "length_spread": round(max(LEAST_SPREAD, spread), 3)}


def area(higher: np.ndarray, lower: np.ndarray) -> float:
    """The AUC: the probability that a score of the first is above one of the second."""
    ordered = np.sort(lower)
    below, up_to = np.searchsorted(ordered, higher, "left"), np.searchsorted(ordered, higher, "right")
    return float((below + up_to).mean() / 2 / len(ordered))
