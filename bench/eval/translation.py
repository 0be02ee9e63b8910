"""`python -m bench.eval.translation`: what the rules of manuscripts see of known damage and say to sound text.

A case is caught where the rule gate fails: any finding of severity error or critical.
"""

from __future__ import annotations

import argparse
import importlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bench.eval.translation_cases import CLAIMS, DAMAGED, SOUND_DAMAGES, Case, Claim, cases, tatoeba
from bench.eval.translation_goals import goal_table
from bench.eval.translation_pairs import DECLARATION, LESSONS, declaration_pairs, lesson_pairs
from burnish.core.checks import Check, Selection, discover, run_checks_on_all, select
from burnish.core.findings import Finding
from burnish.kinds.manuscripts import checks
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"
RECALL, FLAGGED = 0.90, 0.05
CRASHED = "RuleExecutionError"
"""A rule that crashed has caught nothing."""
TATOEBA = 400
"""Pairs of each language that are looked at without --all."""


class Gate:
    """The chosen rules at their default severities."""

    def __init__(self, rules: Sequence[str] = ()) -> None:
        # Chosen rules are loaded alone, so that another one that is being written does no harm.
        self.selection: Selection = select(list(_chosen(rules)) if rules else discover(checks))

    def findings(self, paragraphs: Sequence[Paragraph]) -> list[list[Finding]]:
        """For each paragraph what blocks it."""
        found: list[list[Finding]] = [[] for _ in paragraphs]
        for language in sorted({paragraph.target_language for paragraph in paragraphs}):
            able, _ = self.selection.for_language(language)
            places = [n for n, paragraph in enumerate(paragraphs) if paragraph.target_language == language]
            said = run_checks_on_all(self.selection, able, [paragraphs[n] for n in places], ManuscriptContext())
            for place, findings in zip(places, said, strict=True):
                assert all(finding.rule != CRASHED for finding in findings), findings
                found[place] = [finding for finding in findings if finding.blocks]
        return found


def _chosen(rules: Sequence[str]) -> Iterator[Check]:
    for rule in rules:
        module = importlib.import_module(f"{checks.__name__}.{rule}")
        yield next(value for value in vars(module).values() if isinstance(value, Check))


def damage_table(gate: Gate, known: Sequence[Case]) -> tuple[list[str], bool]:
    """Recall per kind of damage, all cases and those that rules can see."""
    claim_of = {damage: claim for claim in CLAIMS.values() for damage in claim.damages}
    caught = gate.findings([case.paragraph for case in known])
    lines = [
        f"{'damage':<34} {'cases':>5} {'caught':>6} {'raw':>6} {'visible':>7} {'recall':>7}  limit    rules that speak"
    ]
    for damage in sorted(
        {case.damage for case in known} - SOUND_DAMAGES, key=lambda name: (name not in claim_of, name)
    ):
        rows = [(case, found) for case, found in zip(known, caught, strict=True) if case.damage == damage]
        lines.append(_damage_line(damage, rows, claim_of.get(damage)))
    lines += [
        "",
        "Damage without a limit is shown for information: which word was meant, only a model or a person sees.",
    ]
    lines += ["", f"Promised: {RECALL:.0%} of the cases that rules can see."]
    kept = True
    for name, claim in CLAIMS.items():
        pairs = [(case, bool(found)) for case, found in zip(known, caught, strict=True) if case.damage in claim.damages]
        visible = [hit for case, hit in pairs if claim.visible(case)]
        recall = sum(visible) / max(1, len(visible))
        kept = kept and recall >= RECALL
        raw = sum(hit for _, hit in pairs) / max(1, len(pairs))
        told = f"  {name:<16} {recall:>6.1%} of {len(visible):>3} ({raw:.1%} of all {len(pairs)})"
        lines.append(f"{told:<52} {_mark(recall >= RECALL)}  visible: {claim.meaning}")
    return lines, kept


def _damage_line(damage: str, rows: Sequence[tuple[Case, list[Finding]]], claim: Claim | None) -> str:
    hits = [bool(found) for _, found in rows]
    told = f"{damage:<34} {len(hits):>5} {sum(hits):>6} {sum(hits) / len(hits):>6.1%}"
    if claim is None:
        shown = f"{'':>7} {'':>7}  {'':<8}"
    else:
        visible = [bool(found) for case, found in rows if claim.visible(case)]
        recall = sum(visible) / max(1, len(visible))
        shown = f"{len(visible):>7} {recall:>7.1%}  {_mark(recall >= RECALL):<8}"
    return f"{told} {shown} {_spoken(found for _, found in rows)}"


def _spoken(found: Iterable[Sequence[Finding]]) -> str:
    """How many paragraphs each rule speaks to."""
    counted = Counter(rule for findings in found for rule in {finding.rule for finding in findings})
    return ", ".join(f"{rule} {count}" for rule, count in counted.most_common(10))


def _mark(good: bool) -> str:
    return "PASS" if good else "FAIL"


def sound_line(
    gate: Gate, name: str, paragraphs: Sequence[Paragraph], limit: float | None = FLAGGED
) -> tuple[str, bool]:
    found = gate.findings(paragraphs)
    flagged = sum(map(bool, found))
    share = flagged / max(1, len(found))
    good = limit is None or share <= limit
    mark = "" if limit is None else f"<= {limit:.0%} {_mark(good)}"
    return f"{name:<40} {len(found):>5} {flagged:>5} {share:>6.1%}  {mark:<12} {_spoken(found)}", good


def sound_table(gate: Gate, known: Sequence[Case], data: Path, most: int) -> tuple[list[str], bool]:
    """What the rules say to sound translations: every finding that blocks is a false alarm."""
    lines = [f"{'sound text':<40} {'pairs':>5} {'flagged':>4}  share  limit        rules that speak"]
    results = [sound_line(gate, name, paragraphs) for name, paragraphs in _sound_cases(known)]
    lessons = [(stem, pairs, left) for stem, pairs, left in lesson_pairs(data)]
    everything = [paragraph for _, pairs, _ in lessons for paragraph in pairs]
    left_out = sum(left for _, _, left in lessons)
    results.append(sound_line(gate, f"lessons en-es ({left_out} blocks left out)", everything))
    declarations = list(declaration_pairs(data))
    everything = [paragraph for _, pairs, _ in declarations for paragraph in pairs]
    results.append(sound_line(gate, "Declaration, all", everything))
    results += [
        sound_line(gate, f"  {name} ({left} blocks left out)", pairs, None) for name, pairs, left in declarations
    ]
    results += [
        sound_line(gate, f"Tatoeba {name} (loose at times)", pairs, None) for name, pairs in tatoeba(data, most)
    ]
    return [*lines, *(line for line, _ in results)], all(good for _, good in results)


def _sound_cases(known: Sequence[Case]) -> Iterator[tuple[str, list[Paragraph]]]:
    """Each sound text once, though it stands beside many damaged ones."""
    for name, texts in (
        ("DEMETR translations", [(case.paragraph, case.sound) for case in known]),
        ("DEMETR references", [(case.paragraph, case.reference) for case in known]),
    ):
        unique = {(paragraph.text, text): paragraph.with_text(None, text) for paragraph, text in texts}
        yield name, list(unique.values())


def shown(gate: Gate, known: Sequence[Case], data: Path, what: str, most: int) -> Iterator[str]:
    """Cases one by one: of a damage those that are missed, of a sound set those that are flagged."""
    sets = {name.split()[-1]: pairs for name, pairs in _sound_cases(known)}
    sets |= {"lessons": [paragraph for _, pairs, _ in lesson_pairs(data) for paragraph in pairs]}
    sets |= {"declaration": [paragraph for _, pairs, _ in declaration_pairs(data) for paragraph in pairs]}
    sets |= dict(tatoeba(data, 0)) if "-" in what else {}
    damaged = [case for case in known if what in case.damage]
    paragraphs = sets[what] if what in sets else [case.paragraph for case in damaged]
    told = 0
    for number, (paragraph, found) in enumerate(zip(paragraphs, gate.findings(paragraphs), strict=True)):
        if bool(found) != (what in sets) or told >= most:
            continue
        told += 1
        yield f"\n{paragraph.source_language}: {paragraph.text}\n{paragraph.target_language}: {paragraph.translation}"
        if what not in sets:
            yield f"   sound: {damaged[number].sound}"
        yield from (f"   {finding.rule}: {finding.message}" for finding in found)
    if not paragraphs:
        yield f"There is no damage {what!r}; sound sets: {', '.join(sets)}, en-es, es-en, en-ru ..."


def report(data: Path, rules: Sequence[str] = (), most: int = TATOEBA) -> tuple[list[str], bool]:
    """All figures, and whether every one keeps to its limit."""
    gate, known = Gate(rules), cases(data)
    damage, caught = damage_table(gate, known)
    sound, quiet = sound_table(gate, known, data, most)
    met, all_met = goal_table(data, gate.findings)
    return [*damage, "", *sound, "", *met], caught and quiet and all_met


def missing(data: Path) -> Iterator[Path]:
    """Files and folders without which nothing can be measured."""
    yield from (path for path in (DAMAGED, LESSONS, DECLARATION) if not (data / path).exists())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.translation", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="the folder with translation/, lessons/, tamazight/")
    parser.add_argument("--rules", nargs="+", default=[], metavar="ID", help="only these rules")
    parser.add_argument(
        "--show", nargs=2, metavar=("WHAT", "N"), help="N missed cases of a damage, or flagged sound ones"
    )
    parser.add_argument("--all", action="store_true", help="every Tatoeba pair, not only some of them")
    given = parser.parse_args()
    if given.show:
        print("\n".join(shown(Gate(given.rules), cases(given.data), given.data, given.show[0], int(given.show[1]))))
        return 0
    lines, kept = report(given.data, given.rules, 0 if given.all else TATOEBA)
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
