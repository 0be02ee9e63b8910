"""`python -m bench.eval [PART ...] [--data DIR]`: the rules against data that nobody here wrote."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.eval import alignment, legos, lessons, meaning, proofs, questions, tamazight, translation
from bench.eval.figures import goal_lines

PARTS = {
    "Proofs": proofs,
    "Questions": questions,
    "Lessons": lessons,
    "Translations": translation,
    "Tamazight": tamazight,
    "Meaning": meaning,
    "Word alignment": alignment,
    "LEGOs": legos,
}
DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval", description=__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        default=DEFAULT,
        help="the folder with questions/, lessons/, translation/, tamazight/ and legos/",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}; default: all")
    given = parser.parse_args()
    data: Path = given.data
    if unknown := set(given.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    missing = [path for path in (questions.SOUND, questions.MIXED, questions.LABELLED) if not (data / path).is_file()]
    for part in (proofs, lessons, translation, tamazight, meaning, alignment, legos):
        missing += part.missing(data)
    if missing:
        print(f"There is no {data / missing[0]}: give the folder of the measuring data with --data.", file=sys.stderr)
        return 1
    kept = True
    for title, part in PARTS.items():
        if given.parts and title not in given.parts:
            continue
        lines, good = part.report(data)
        print(f"{title}\n{'=' * len(title)}\n" + "\n".join(lines) + "\n", flush=True)
        kept = kept and good
    print("Goals\n=====\n" + "\n".join(goal_lines()))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
