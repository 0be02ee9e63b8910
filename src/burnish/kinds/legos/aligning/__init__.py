"""Which words of a sentence pair say the same, learned from all the pairs of a course."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.kinds.legos.aligning.corpus import Pair, corpus_of
from burnish.kinds.legos.aligning.linking import Links, linked
from burnish.kinds.legos.aligning.parting import portions, windows
from burnish.kinds.legos.aligning.records import as_record, from_record

__all__ = ["Links", "Pair", "align", "as_record", "from_record"]


def align(pairs: Sequence[Pair]) -> list[Links]:
    """The links of every pair, in the order of the pairs. Words are bare (see `words.bare`).

    It knows no language, only this course, and leaves nothing to chance. A pair with an empty half has no links.
    """
    found: list[list[tuple[int, int]]] = [[] for _ in pairs]
    for parts in portions(list(windows(pairs))):
        for number, links in linked(corpus_of([part.pair for part in parts])):
            part = parts[number]
            shifted = ((source + part.source_from, target + part.target_from) for source, target in links)
            found[part.row].extend(link for link in shifted if link[0] in part.owned)
    return [tuple(sorted(links)) for links in found]
