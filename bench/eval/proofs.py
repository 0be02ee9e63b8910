"""`burnish prove` over the measuring data, rules alone: one table for all kinds.

Alone: `python -m bench.eval.proofs [--data DIR] [--kind KIND ...] [--missed N]`. A line is a damage; `held out` counts
the phrases that nobody looked at while the rules were written.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.eval.figures import note
from bench.eval.questions import SOUND, sound_questions
from bench.eval.translation_goals import many, sound_into_english
from burnish.app.materials import rule_settings
from burnish.app.proof_copies import Order, SoundDocument, Subject, subject_of
from burnish.app.proof_report import interval_of, record_of
from burnish.app.prove import Prover
from burnish.app.settings import load
from burnish.core.documents import Unit
from burnish.core.effects import ModelRoles
from burnish.core.kinds import Kind
from burnish.core.tasks import Environment
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import QuestionsKind

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"
COPIES = 150
"""Of each damage, at most; lessons have each phrase three times."""
GOAL = 0.85
"""The share of held-out phrases in lessons that have to be seen."""


def _subject(kind: Kind, documents: Sequence[tuple[str, Sequence[Unit], object, str | None]]) -> Subject:
    """Units that are at hand already, as documents."""
    wants = rule_settings(kind, load(flags={}))
    made = []
    for name, units, context, language in documents:
        env = Environment(wants.selection, ModelRoles(), context=context, off=wants.off)
        made.append(SoundDocument(name, tuple(units), env, language))
    return Subject(kind, made, (), wants, Order((), n=COPIES))


def questions(data: Path) -> Subject:
    bank = [question for question, _ in sound_questions(data)][:400]
    return _subject(QuestionsKind(), [("MedQA", bank, BankContext(language="en"), "en")])


def lessons(data: Path) -> Subject:
    return subject_of(Order([str(data / "lessons")], n=3 * COPIES), load(flags={}))


def manuscripts(data: Path) -> Subject:
    """News into English, and sentences from English into fifteen languages."""
    kind = ManuscriptsKind()
    context = kind.context([], {})
    into = [(f"{language}-en", pairs[:80], context, "en") for language, pairs in sound_into_english(data).items()]
    pairs_of_many = ((name, pairs) for name, pairs in many(data).items() if name.startswith("en-"))
    long = ((name, [one for one in pairs if len(one.translation) >= 60]) for name, pairs in pairs_of_many)
    return _subject(kind, [*into, *((name, pairs, context, name[3:]) for name, pairs in long)])


def legos(data: Path) -> Subject:
    return subject_of(
        Order([str(data / "translation/tatoeba_eng_mkd_dev.tsv")], course="mkd_for_eng", n=2 * COPIES), load(flags={})
    )


SUBJECTS: dict[str, Callable[[Path], Subject]] = {
    "questions": questions,
    "lessons": lessons,
    "manuscripts": manuscripts,
    "legos": legos,
}


def report(data: Path, kinds: Sequence[str] = tuple(SUBJECTS), missed: int = 0) -> tuple[list[str], bool]:
    """The table, and whether every goal is met."""
    lines = [f"{'damage':<36} {'copies':>6} {'seen':>6}  {'95 %':>9} {'open':>12} {'held out':>12}  seen by"]
    kept = True
    for kind in kinds:
        record = record_of(Prover(SUBJECTS[kind](data)).by_rules())
        lines += ["", f"{kind}: {_originals(record)}"]
        for line in sorted(record["damages"], key=lambda line: -line["share"]):
            told, good = _line(kind, line)
            lines.append(told)
            kept = kept and good
            cases = [one for one in record["missed"] if one["damage"] == line["id"]]
            lines += [f"      {one['phrase'] or one['after'][1]!r} in {one['document']}" for one in cases[:missed]]
    return lines, kept


def _originals(record: dict[str, Any]) -> str:
    originals = record["originals"]
    alarms, fixes = originals["with_errors"], originals["with_fixes"]
    alarmed = f"{alarms['units']:,} of {record['units']:,} originals with an error ({interval_of(alarms)})"
    return f"{alarmed}, {fixes['units']:,} with a fix ({interval_of(fixes)}), {originals['warnings']:,} warnings"


def _line(kind: str, line: dict[str, Any]) -> tuple[str, bool]:
    halves = {half: _half(line["halves"].get(half)) for half in ("open", "held_out")}
    by = ", ".join(f"{id} {count}" for id, count in list(line["by"].items())[:3])
    held_out = line["halves"].get("held_out")
    good = kind != "lessons" or held_out is None or held_out["share"] >= GOAL
    if kind == "lessons" and held_out is not None:
        seen = round(held_out["share"] * held_out["unique"])
        note(f"damage of lessons, phrases held out: {line['title']}", seen, held_out["unique"], GOAL)
    mark = "" if kind != "lessons" or held_out is None else "PASS " if good else "FAIL "
    share = f"{line['share']:>6.1%}  {line['low'] * 100:>3.0f}-{line['high'] * 100:<3.0f} %"
    told = (
        f"  {line['title']:<34} {line['copies']:>6} {share} {halves['open']:>12} {halves['held_out']:>12}  {mark}{by}"
    )
    return told, good


def _half(half: dict[str, Any] | None) -> str:
    return "" if half is None else f"{half['share']:.0%} of {half['unique']}"


def missing(data: Path) -> Iterator[Path]:
    """Files without which nothing can be measured."""
    wanted_files = (SOUND, Path("lessons"), Path("translation/tatoeba_many_dev.tsv"))
    yield from (path for path in wanted_files if not (data / path).exists())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.proofs", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT)
    parser.add_argument("--kind", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument("--missed", type=int, default=0, metavar="N", help="show so many missed copies of each damage")
    given = parser.parse_args()
    lines, kept = report(given.data, given.kind, given.missed)
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
