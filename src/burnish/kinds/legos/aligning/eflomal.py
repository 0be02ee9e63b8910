"""The aligner `eflomal`, where somebody installed it. It is no part of Burnish: its licence is the GPL.

It samples, so two runs may differ a little. It speaks through files, which live in a folder of their own only while it
works. It never sees a word: words go in as numbers, and no content can be taken for anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from burnish.core.errors import InternalError, UsageError
from burnish.kinds.legos.aligning.corpus import Pair
from burnish.kinds.legos.aligning.linking import Links
from burnish.kinds.legos.aligning.records import from_record
from burnish.kinds.legos.aligning.symmetry import grown


def is_installed() -> bool:
    return find_spec("eflomal") is not None


def refuse_missing() -> None:
    """UsageError where it is not installed."""
    if not is_installed():
        raise UsageError(
            "The aligner eflomal is not installed here.",
            hint="Install it (pip install eflomal; it needs a C compiler), or use the built-in one.",
        )


def align_by_eflomal(pairs: Sequence[Pair]) -> list[Links]:
    """The links of every pair, in the order of the pairs."""
    refuse_missing()
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
        raise InternalError(f"eflomal answered {len(both[0])} and {len(both[1])} lines to {len(pairs)} sentence pairs.")
    return [grown(from_record(one), from_record(other)) for one, other in zip(*both, strict=True)]


def _numbered(sentences: Iterable[Sequence[str]]) -> list[str]:
    numbers: dict[str, int] = {}
    return [" ".join(str(numbers.setdefault(word, len(numbers))) for word in sentence) for sentence in sentences]
