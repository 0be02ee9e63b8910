"""One set of links out of two that an aligner made in both directions: grow-diag (Och and Ney 2003, Koehn 2005)."""

from __future__ import annotations

from collections.abc import Iterable

from burnish.kinds.legos.aligning.linking import Links

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grown(ahead: Iterable[tuple[int, int]], back: Iterable[tuple[int, int]]) -> Links:
    """What both say, and beside it what one says of a word that has no link yet. Linear in the links."""
    one, other = set(ahead), set(back)
    links, either = one & other, one | other
    sources, targets = {source for source, _ in links}, {target for _, target in links}
    waiting = sorted(links, reverse=True)
    while waiting:
        source, target = waiting.pop()
        for down, right in _NEIGHBOURS:
            link = (source + down, target + right)
            if link in either and link not in links and (link[0] not in sources or link[1] not in targets):
                links.add(link)
                sources.add(link[0])
                targets.add(link[1])
                waiting.append(link)
    return tuple(sorted(links))
