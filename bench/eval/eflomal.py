"""The aligner `eflomal`, measured against where it is installed. It is no part of Burnish: its licence is the GPL.

It samples, so two runs may differ a little. It works on files in a temporary folder, with words as numbers. Its two
directions are put together by grow-diag (Och and Ney 2003, Koehn 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from burnish.languages.alignment import Links, from_record
from burnish.languages.alignment.corpus import Pair

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def is_installed() -> bool:
    return find_spec("eflomal") is not None


def align_by_eflomal(pairs: Sequence[Pair]) -> list[Links]:
    """The links of every pair, in the order of the pairs."""
    full = [row for row, (source, target) in enumerate(pairs) if source and target]
    links: list[Links] = [()] * len(pairs)
    if full:
        for row, found in zip(full, _sampled(import_module("eflomal"), [pairs[row] for row in full]), strict=True):
            links[row] = found
    return links


def _sampled(eflomal: Any, pairs: Sequence[Pair]) -> list[Links]:
    sources, targets = _numbered(pair[0] for pair in pairs), _numbered(pair[1] for pair in pairs)
    with TemporaryDirectory(prefix="burnish-align-") as folder:
        ahead, back = Path(folder, "ahead"), Path(folder, "back")
        eflomal.Aligner().align(sources, targets, str(ahead), str(back))
        both = [path.read_text(encoding="ascii").splitlines() for path in (ahead, back)]
    if len(both[0]) != len(pairs) or len(both[1]) != len(pairs):
        raise RuntimeError(f"eflomal answered {len(both[0])} and {len(both[1])} lines to {len(pairs)} sentence pairs.")
    return [grown(from_record(one), from_record(other)) for one, other in zip(*both, strict=True)]


def _numbered(sentences: Iterable[Sequence[str]]) -> list[str]:
    numbers: dict[str, int] = {}
    return [" ".join(str(numbers.setdefault(word, len(numbers))) for word in sentence) for sentence in sentences]


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
