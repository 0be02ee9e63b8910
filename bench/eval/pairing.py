"""Pairing real parallel documents: paragraphs of the English lessons that find their Spanish ones, and wrong pairs.

Alone: `python -m bench.eval.pairing [--data DIR]`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from burnish.core.json_bytes import loads
from burnish.kinds.manuscripts.formats import read_paragraphs
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.pairing import Pairing, pairings

LABELS = Path(__file__).parent / "labels" / "pairing.jsonl"
PAIRED, WRONG = 0.90, 0.02
"""Goals: paragraphs that are paired, at least; pairings that are wrong, at most."""


def missing(data: Path) -> list[Path]:
    return [folder for folder in (Path("lessons/en"), Path("lessons/es")) if not (data / folder).is_dir()]


def report(data: Path) -> tuple[list[str], bool]:
    paragraphs = paired = 0
    found: dict[str, list[Pairing]] = {}
    for path in sorted((data / "lessons/es").glob("*.md")):
        source = data / "lessons/en" / path.name
        if not source.is_file():
            continue
        ours = _paragraphs(source)
        found[path.name] = pairings(ours, _paragraphs(path), ("en", "es"))
        paragraphs += len(ours)
        paired += sum(len(one.ours) for one in found[path.name] if one.theirs)
    seen, wrong = _wrong(found)
    good = paired >= PAIRED * paragraphs and wrong <= WRONG * seen
    return [
        f"  {len(found)} lessons, English and Spanish: {paired} of {paragraphs} paragraphs paired"
        f" ({paired / paragraphs:.1%}, goal {PAIRED:.0%})",
        f"  of 200 pairings labelled by hand {seen} are made again, {wrong} of them wrong (goal under {WRONG:.0%}):"
        f" {'reached' if good else 'NOT REACHED'}",
    ], good


def _paragraphs(path: Path) -> list[Paragraph]:
    parts = read_paragraphs(path.read_text(encoding="utf-8"), str(path), "markdown")
    return [part for part in parts if isinstance(part, Paragraph) and part.excluded is None]


def _wrong(found: dict[str, list[Pairing]]) -> tuple[int, int]:
    """Labelled pairings that were made again, and those of them that a person called wrong."""
    made = {(name, *one.ours, -1, *one.theirs) for name, some in found.items() for one in some}
    rows = [loads(line) for line in LABELS.read_bytes().splitlines()]
    again = [row for row in rows if (row["file"], *row["source"], -1, *row["translation"]) in made]
    return len(again), sum(not row["right"] for row in again)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.eval.pairing", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    print("\n".join(report(parser.parse_args().data)[0]))
