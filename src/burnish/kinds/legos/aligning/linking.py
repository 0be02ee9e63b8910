"""From what both directions say to links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from burnish.kinds.legos.aligning.corpus import Corpus
from burnish.kinds.legos.aligning.training import Training

Links = tuple[tuple[int, int], ...]
"""Source word and target word, counted from 0; sorted."""
LEAST = 0.3
"""How sure both directions together (their geometric mean) must be of a link."""


def linked(corpus: Corpus) -> Iterator[tuple[int, Links]]:
    """For every pair that has words on both sides: its number and its links."""
    for opinion in Training(corpus).opinions():
        sure = np.sqrt(opinion.ahead * opinion.back) >= LEAST
        sources, targets = opinion.batch.source_lengths.tolist(), opinion.batch.target_lengths.tolist()
        for place, row in enumerate(opinion.batch.rows.tolist()):
            found = np.argwhere(sure[place, : sources[place], : targets[place]])
            yield row, tuple((source, target) for source, target in found.tolist())
