"""How often the errors of each question rule are right: labels by row, read blind, on three banks.

Alone: `python -m bench.eval.question_precision [--data DIR]`.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from bench.eval.figures import note
from burnish.core.claims import wilson

LABELS = Path(__file__).with_name("question_labels.tsv")
LEAST_PRECISION = 0.9
"""A rule whose errors are right less often is a warning."""


def labels() -> dict[str, dict[str, bool]]:
    """Rule -> row -> whether its error there is right."""
    read: dict[str, dict[str, bool]] = defaultdict(dict)
    with LABELS.open(encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream, delimiter="\t"):
            read[line["rule"]][line["row"]] = line["right"] == "1"
    return read


def agreement() -> str:
    """How often a second reader, who saw no label, said the same."""
    with LABELS.open(encoding="utf-8", newline="") as stream:
        both = [(line["right"], line["second"]) for line in csv.DictReader(stream, delimiter="\t") if line["second"]]
    same, wrong = sum(one == other for one, other in both), sum("0" in pair for pair in both)
    low, high = wilson(same, len(both))
    return (
        f"  a second reader, blind: {same} of {len(both)} labels the same ({same / len(both):.1%}, 95 % {low:.1%} - "
        f"{high:.1%}); {wrong} of them called wrong by either, so that this says little about doubtful cases"
    )


def precision(errors: Mapping[str, Iterable[str]], rules: Iterable[str]) -> tuple[list[str], bool]:
    """The table, and whether every rule is right often enough. `errors`: rule -> rows on which it raises one."""
    known = labels()
    lines = [
        "Rules that are errors by default, on MedQA, MedMCQA and MMLU-Redux (labels: question_labels.md).",
        f"  {'rule':<32} {'rows':>5} {'read':>5} {'right':>6} {'precision':>10} {'95 % interval':>16}  verdict",
    ]
    kept = True
    for rule in rules:
        rows = set(errors.get(rule, ()))
        read = [known[rule][row] for row in rows if row in known[rule]] if rule in known else []
        if not read:
            lines.append(f"  {rule:<32} {len(rows):>5} {0:>5}  {'no error in these banks' if not rows else 'NOT READ'}")
            kept = kept and not rows
            continue
        share, (low, high) = sum(read) / len(read), wilson(sum(read), len(read))
        good = share >= LEAST_PRECISION
        note(f"precision of {rule}", sum(read), len(read), LEAST_PRECISION)
        kept = kept and good
        interval = f"{low:.1%} - {high:.1%}"
        verdict = "ok" if good else "UNDER 90 %"
        lines.append(
            f"  {rule:<32} {len(rows):>5} {len(read):>5} {sum(read):>6} {share:>10.1%} {interval:>16}  {verdict}"
        )
    return [*lines, agreement()], kept


def main() -> int:
    from bench.eval import questions  # which prints this table among its own
    from burnish.core.checks import discover
    from burnish.kinds.questions import checks

    parser = argparse.ArgumentParser(prog="python -m bench.eval.question_precision", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    rows, _ = questions.errors(parser.parse_args().data)
    lines, kept = precision(rows, [check.id for check in discover(checks) if check.severity == "error"])
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
