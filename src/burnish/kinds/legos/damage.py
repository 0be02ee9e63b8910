"""The catalogue of damage to cuts: halves that do not belong together, and sentences that are not cut."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from burnish.core.damage import Damage, Damaged, Phrase
from burnish.core.documents import Unit
from burnish.core.effects import Effect, Outcome
from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.core.forecasts import Pretended
from burnish.core.records import UnitRow
from burnish.core.tasks import Environment, Item
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.model import Course, Lego, Seed, words_of
from burnish.kinds.legos.pairs import Pair, format_of, read_pairs, uuid_of
from burnish.kinds.legos.policy import ACCEPT
from burnish.kinds.legos.resources import CourseFacts, Terms, gathered
from burnish.kinds.legos.rule_review import findings_of, fixed, look

if TYPE_CHECKING:
    from burnish.kinds.legos.kind import LegosKind

SCORE = "score_too_low"
"""The rule id of a score below the threshold, reported beside the concerns."""


def seeds_of(data: bytes, path: str, course: Course, terms: Terms) -> tuple[tuple[Seed, ...], dict[str, Any]]:
    """The SEEDs of a file of pairs, cut by the built-in extractor, and the facts about the course."""
    format = format_of(path)
    if format is None:
        raise InputError("Pairs are TSV, CSV or JSONL.", path=path, code="unknown_format")
    pairs = [row for row in read_pairs(data, path, format, course) if isinstance(row, Pair)]
    bare = [
        Seed(pair.seed_id or f"C{number:04}", uuid_of(course.code, pair.source, pair.target), pair.source, pair.target,
             course.code)
        for number, pair in enumerate(pairs, start=1)
    ]  # fmt: skip
    known = gathered(bare, terms, {}).facts
    evidence = CourseFacts(known, terms).evidence
    seeds = tuple(evidence.built_in_cut(seed, terms.rule) for seed in bare)
    return seeds, dict(gathered(seeds, terms, known).facts)


def _with_target(lego: Lego, other: Lego) -> Lego:
    return replace(lego, target=other.target, target_start=other.target_start, target_end=other.target_end)


def _legos(unit: Unit) -> tuple[Lego, ...]:
    return unit.legos if isinstance(unit, Seed) else ()


def _changed(unit: Unit, legos: Sequence[Lego]) -> Damaged | None:
    changed = replace(seed_of(unit), legos=tuple(legos))
    return Damaged((changed,)) if changed.content_hash != unit.content_hash else None


def exchanged(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Exchange the target halves of two neighbouring LEGOs."""
    legos = list(_legos(units[at]))
    places = [n for n in range(len(legos) - 1) if legos[n].target != legos[n + 1].target]
    if not places:
        return None
    n = random.choice(places)
    legos[n], legos[n + 1] = _with_target(legos[n], legos[n + 1]), _with_target(legos[n + 1], legos[n])
    return _changed(units[at], legos)


def shifted(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Give every LEGO the target half of the one before it."""
    legos = _legos(units[at])
    if len(legos) < 3:
        return None
    return _changed(units[at], [_with_target(lego, legos[n - 1]) for n, lego in enumerate(legos)])


def at_random(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Give every LEGO random words of the target sentence as its target half."""
    legos = _legos(units[at])
    words = words_of(seed_of(units[at]).target) if legos else ()
    if len(legos) < 2 or len(words) < 3:
        return None
    return _changed(units[at], [_some_words(lego, seed_of(units[at]).target, random) for lego in legos])


def _some_words(lego: Lego, sentence: str, random: Random) -> Lego:
    words = words_of(sentence)
    size = min(len(words), max(1, len(words_of(lego.target))))
    first = random.randrange(len(words) - size + 1)
    start, end = words[first].start, words[first + size - 1].end
    return replace(lego, target=sentence[start:end], target_start=start, target_end=end)


def uncut(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Make the whole sentence one LEGO."""
    seed = seed_of(units[at])
    if len(seed.legos) < 2:
        return None
    whole = Lego(seed.source, seed.target, 0, len(seed.source), 0, len(seed.target))
    return Damaged((replace(seed, legos=(whole,), uncovered=()),))


DAMAGES = (
    Damage("exchanged", "Two halves exchanged", exchanged),
    Damage("shifted", "Halves shifted by one", shifted),
    Damage("random", "Halves at random", at_random),
    Damage("uncut", "Sentence not cut", uncut),
)


def rule_findings(terms: Terms, changed: Sequence[Unit], env: Environment) -> list[Finding]:
    """Report concerns, broken guarantees, and a score below the threshold."""
    facts = CourseFacts(env.facts, terms)
    found: list[Finding] = []
    for unit in changed:
        seed = fixed(seed_of(unit))
        looked = look(seed, terms, facts.habits, facts.evidence)
        found += findings_of(seed, looked)
        score = looked.review.overall
        if score < ACCEPT:
            found.append(Finding(SCORE, "error", seed.id, None, f"{score:.1f} of 10; {ACCEPT:.1f} is needed."))
    return found


def judge_findings(
    kind: LegosKind, changed: Sequence[Unit], env: Environment
) -> Generator[Effect, Any, tuple[Finding, ...]]:
    """The reviewer's findings on these cuts."""
    items = [Item(UnitRow(unit.id, "", 0, unit.content_hash, ""), unit, unit, ()) for unit in changed]
    outcome: Outcome = yield from kind.stage("review", env).work(items, Pretended())
    kept = (settled.drafts[-1] for settled in outcome.units if settled.drafts)
    return tuple(finding for attempt in kept for finding in attempt.findings if finding.source.startswith("model:"))
