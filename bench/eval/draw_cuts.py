"""Cuts to be labelled blind: neither score nor confidence is shown. `python -m bench.eval.draw_cuts --seed 1 --to F`.

Prints a number, the halves of every LEGO, and the sentence; writes the places of the cuts, to which labels are added.
SEEDs of the closed half of the pairs only, so that nobody has looked at them while the cutter was written.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from zlib import crc32

from bench.eval.lego_labels import LABELS
from bench.eval.legos import COURSES, DEFAULT, cut_course, read_pairs
from burnish.kinds.legos.model import Seed, words_of


def place_of(seed: Seed) -> str:
    """`0-7:1-7 8-30:8-29`: each LEGO in characters of the source and the target."""
    return " ".join(f"{one.start}-{one.end}:{one.target_start}-{one.target_end}" for one in seed.legos)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.draw_cuts", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="the folder with translation/")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--each", type=int, default=70, help="cuts of each language")
    parser.add_argument("--to", type=Path, required=True, help="the table that labels are added to")
    given = parser.parse_args()
    tables = [path.read_text(encoding="utf-8") for path in LABELS.parent.glob("legos*.tsv")]
    known = {tuple(line.split("\t")[:2]) for table in tables for line in table.splitlines()}
    rows = []
    for language, code in COURSES.items():
        seeds = cut_course(read_pairs(given.data / f"translation/tatoeba_eng_{language}_dev.tsv"), code).seeds
        usable = [
            row
            for row, seed in enumerate(seeds)
            if crc32(seed.source.encode()) % 2
            and 4 <= len(words_of(seed.source)) <= 14
            and (language, str(row)) not in known
        ]
        rows += [(language, row, seeds[row]) for row in Random(given.seed).sample(usable, given.each)]
    Random(given.seed).shuffle(rows)
    given.to.write_text(
        "".join(f"{language}\t{row}\t{place_of(seed)}\n" for language, row, seed in rows), encoding="utf-8"
    )
    for number, (_, _, seed) in enumerate(rows, start=1):
        print(number, " || ".join(f"{one.source} | {one.target}" for one in seed.legos), " >>", seed.target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
