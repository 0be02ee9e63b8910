"""Learning a bilingual lexicon from sentence pairs, and measuring how well it tells sound pairs from others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from burnish.languages.alignment import portions, windows
from burnish.languages.alignment.corpus import corpus_of
from burnish.languages.alignment.training import Training
from burnish.languages.lexicon import Lexicon, Stem, letters_of, pruned, stems

LEAST_CHANCE = 0.1
"""A link that both directions together are less sure of is not counted."""
HELD_OUT = 10
"""One pair in ten is kept apart to measure with."""
APART = (2, 3, 5)
"""Each pair is compared with the one half the list away, a third, a fifth: in sorted lists neighbours are alike."""
LOW = 0.01
"""The share of sound pairs that may fall below the floor."""
FEWEST_LETTERS = 15
LEAST_SPREAD = 0.6
"""Lengths vary at least so much, however alike the sentences are that were learned from."""

Pairs = Sequence[tuple[str, str]]
Row = tuple[list[Stem], list[Stem]]


def learned(pairs: Pairs, source: str, target: str) -> Lexicon:
    """A lexicon of all the pairs, with figures measured on a tenth of them that a first one was not learned from."""
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
    """Sentences that begin alike stay together: public pairs come in many versions, and one would teach the others."""
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
    """How well a lexicon tells the pairs from exchanged ones, and where the scores of each lie."""
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
    """Of the words of each side that are surely translated or surely not, the share that is."""
    sides: tuple[list[bool], list[bool]] = ([], [])
    for one, other in rows:
        for seen, side in zip(sides, lexicon.compare_stems(one, other).sure(), strict=True):
            seen.extend(is_met for _, is_met in side)
    return [round(sum(seen) / max(1, len(seen)), 3) for seen in sides]


def _lengths(rows: Sequence[Row]) -> dict[str, float]:
    """How many times longer the target is, as a logarithm, and how much that varies for a text of one letter."""
    letters = np.array([(letters_of(one), letters_of(other)) for one, other in rows], dtype=float)
    ratio = float(np.log(letters[:, 1].sum() / letters[:, 0].sum()))
    apart, shorter = np.log(letters[:, 1] / letters[:, 0]) - ratio, letters.min(axis=1)
    long = shorter >= FEWEST_LETTERS
    spread = float(np.mean((apart**2 * shorter)[long])) if long.any() else 0.0
    return {"length": round(ratio, 3), "length_spread": round(max(LEAST_SPREAD, spread), 3)}


def area(higher: np.ndarray, lower: np.ndarray) -> float:
    """How often a score of the first is above one of the second (AUC)."""
    ordered = np.sort(lower)
    below, up_to = np.searchsorted(ordered, higher, "left"), np.searchsorted(ordered, higher, "right")
    return float((below + up_to).mean() / 2 / len(ordered))
