"""The review of a SEED's LEGOs by rules: scores, concerns, findings, and whether a person should look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from burnish.core.checks import Examination
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.legos.evidence import CourseEvidence, Habits
from burnish.kinds.legos.faults import Fault, faults
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, NOWHERE, OVERALL, Dimension, Lego, Seed, Word, found_near, words_of
from burnish.kinds.legos.multiwords import mark_between
from burnish.kinds.legos.placement import Extraction, coverage_of, guarantees
from burnish.kinds.legos.policy import ACCEPT, FLAG, MAX_ATTEMPTS, PRIORITIES, SEVERITIES, Concern, Suggestion
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.scoring import ScoringVersion, overall, scores_of
from burnish.languages.profiles import LanguageProfile

MANY_HIGH = 2
"""From this number on, open concerns of high severity flag a SEED."""
MOST_WORDS, MOST_CLAUSES = 25, 2
"""SEEDs with more words or clauses are unusual."""

Decision = Literal["accepted", "flagged", "failed"]


def decision(score: float) -> Decision:
    """The decision for a score."""
    if score >= ACCEPT:
        return "accepted"
    return "flagged" if score >= FLAG else "failed"


@dataclass(frozen=True, slots=True)
class Flags:
    """Whether a person should look at a SEED, and why."""

    flagged_for_review: bool
    human_review_requested: bool
    reasons: tuple[str, ...]
    """Why a review is requested, or else why it is flagged; empty if no review is needed."""


def flags(
    score: float,
    attempts: int,
    concerns: Sequence[Concern],
    *,
    is_last: bool = True,
    unusual: str | None = None,
    on_request: bool = False,
    most_attempts: int = MAX_ATTEMPTS,
) -> Flags:
    """Whether a person should look at a SEED after an attempt.

    `concerns` are the open ones, `is_last` tells whether no other attempt follows, `unusual` what is unusual about the
    SEED (its length, its clauses, no alignment), `on_request` whether an agent or a person requested a review. An
    operator may allow fewer than three attempts; using up those is not reported as a problem.
    """
    severities = Counter(concern.severity for concern in concerns)
    asking = {
        "not accepted after the last attempt": is_last and attempts >= most_attempts and score < ACCEPT,
        "a critical concern is left": is_last and severities["critical"] > 0,
        f"an unusual SEED: {unusual}": unusual is not None,
        "asked for": on_request,
    }
    showing = {
        "the score is below the threshold": score < ACCEPT,
        f"{attempts} attempts": attempts >= MAX_ATTEMPTS,
        "a critical concern is open": severities["critical"] > 0,
        "several concerns of high severity are open": severities["high"] >= MANY_HIGH,
    }
    requested = _holding(asking)
    reasons = requested or _holding(showing)
    return Flags(bool(reasons), bool(requested), reasons)


def _holding(reasons: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(reason for reason, holds in reasons.items() if holds)


def unusual(sentence: str, profile: LanguageProfile) -> str | None:
    """What is unusual about a source sentence, in words; None for most."""
    words = words_of(sentence)
    if len(words) > MOST_WORDS:
        return f"{len(words)} words"
    clauses = count_clauses(words, profile)
    return f"{clauses} clauses" if clauses > MOST_CLAUSES else None


def count_clauses(words: Sequence[Word], profile: LanguageProfile) -> int:
    """The approximate number of clauses: parts between conjunctions and marks that hold a verb and its subject."""
    parts: list[list[str]] = [[]]
    for place, word in enumerate(words):
        opens = word.bare in profile.clause_openers
        if opens or (place and mark_between(words[place - 1], word)):
            parts.append([])
        parts[-1].append(word.bare)
    return max(1, sum(_is_clause(part, profile) for part in parts))


def _is_clause(part: Sequence[str], profile: LanguageProfile) -> bool:
    """With a pronoun any verb makes a clause, and an auxiliary always does. Another verb needs a possible subject
    before it ("Tom ran"), and directly before it no word that makes it a noun ("a walk", "for a drink")."""
    if any(map(profile.is_pronoun, part)):
        return any(map(profile.is_verb, part))
    if not profile.auxiliaries.isdisjoint(part):
        return True
    named = False
    for before, word in pairwise(part):
        named = named or before not in profile.function_words
        if named and profile.is_verb(word) and before not in profile.determiners and not profile.is_preposition(before):
            return True
    return False


@dataclass(frozen=True)
class Review:
    """The review of a SEED's LEGOs by rules."""

    scores: Mapping[Dimension, float]
    overall: float
    concerns: tuple[Concern, ...]
    suggestions: tuple[Suggestion, ...]
    """The most urgent first."""
    uncovered: tuple[str, ...]
    """Words at the edges of the sentence that no allowed LEGO can hold, as written there."""
    notes: str
    """One to three sentences for people."""


def review(
    seed: Seed,
    profile: LanguageProfile,
    habits: Habits | None,
    rule: IronRule,
    evidence: CourseEvidence | None = None,
) -> Review:
    """Review a SEED's LEGOs with the evidence of its course; without evidence by version 1.0 of the score."""
    extraction = Extraction.of(seed, profile)
    known = evidence.of(seed) if evidence is not None else None
    scores = scores_of(extraction, habits, rule, known)
    found = faults(extraction, habits, rule, known)
    lawful = coverage_of(extraction, rule).lawful
    concerns = tuple(fault.concern for fault in found)
    total = overall(scores)
    return Review(
        scores=scores,
        overall=total,
        concerns=concerns,
        suggestions=_suggestions(found, scores, unusual(seed.source, profile) if total < ACCEPT else None),
        uncovered=tuple(extraction.words[place].text for place in lawful),
        notes=notes(len(seed.legos), scores, total, concerns),
    )


def _suggestions(
    found: Iterable[Fault], scores: Mapping[Dimension, float], unusual: str | None
) -> tuple[Suggestion, ...]:
    """One suggestion for each kind of fault, with the first fault as its reason."""
    reasons: dict[str, list[str]] = {}
    for fault in found:
        reasons.setdefault(fault.suggestion, []).append(fault.concern.description)
    if unusual:
        reasons["s_handle_complex_sentences"] = [f"The sentence is unusual: {unusual}."]
    suggestions = [
        Suggestion.of(id, said[0] if len(said) == 1 else f"{said[0]} So it is {len(said)} times.", scores)
        for id, said in reasons.items()
    ]
    return tuple(sorted(suggestions, key=lambda suggestion: PRIORITIES.index(suggestion.priority)))


def notes(legos: int, scores: Mapping[Dimension, float], total: float, concerns: Sequence[Concern]) -> str:
    """The review in one to three sentences."""
    if not legos:
        return "Nothing was cut from this SEED."
    weakest = min(DIMENSIONS, key=lambda dimension: scores[dimension])
    counted = "1 LEGO" if legos == 1 else f"{legos} LEGOs"
    said = [f"{counted}, {total:.1f} of 10; weakest in {weakest} ({scores[weakest]:.1f})."]
    if not concerns:
        return " ".join([*said, "No concerns."])
    said.append(concerns[0].description)
    if len(concerns) > 1:
        more = len(concerns) - 1
        said.append("One more concern is listed." if more == 1 else f"{more} more concerns are listed.")
    return " ".join(said)


def fixed(seed: Seed) -> Seed:
    """The SEED without blanks around the halves of its LEGOs: the only fault with an automatic fix."""
    return replace(seed, legos=tuple(_stripped(lego, seed) for lego in seed.legos))


def _stripped(lego: Lego, seed: Seed) -> Lego:
    source, start = _half(lego.source, lego.start, seed.source)
    target, target_start = _half(lego.target, lego.target_start, seed.target)
    if (source, target) == (lego.source, lego.target):
        return lego
    return replace(
        lego,
        source=source,
        start=start,
        end=_end(source, start),
        target=target,
        target_start=target_start,
        target_end=_end(target, target_start),
    )


def _half(text: str, start: int, sentence: str) -> tuple[str, int]:
    bare = text.strip()
    if bare == text:
        return text, start
    if start == NOWHERE:
        return bare, found_near(sentence, bare, 0)
    return bare, start + len(text) - len(text.lstrip())


def _end(text: str, start: int) -> int:
    return NOWHERE if start == NOWHERE else start + len(text)


class _Measured(NamedTuple):
    scores: Mapping[Dimension, float]
    overall: float
    concerns: Counter[str]


def compare(before: Review | Mapping[str, Any], after: Review | Mapping[str, Any]) -> dict[str, Any]:
    """An attempt compared with the one before, as `compared_to_previous`. Each is a review or an attempt's record."""
    earlier, later = _measured(before), _measured(after)
    improvements: list[str] = []
    regressions: list[str] = []
    for dimension in DIMENSIONS:
        was, now = earlier.scores[dimension], later.scores[dimension]
        if was != now:
            (improvements if now > was else regressions).append(f"{dimension}: {was:.1f} -> {now:.1f}")
    for id in sorted(earlier.concerns | later.concerns):
        had, has = earlier.concerns[id], later.concerns[id]
        if had != has:
            (improvements if has < had else regressions).append(f"{id}: {had} -> {has}")
    return {
        "score_delta": f"{round(later.overall - earlier.overall, 1) + 0.0:+.1f}",
        "improvements": improvements,
        "regressions": regressions,
    }


def _measured(of: Review | Mapping[str, Any]) -> _Measured:
    if isinstance(of, Review):
        return _Measured(of.scores, of.overall, Counter(concern.concern_id for concern in of.concerns))
    score = of["quality_score"]
    counted = Counter(concern["concern_id"] for concern in of["concerns"])
    return _Measured(score["dimension_scores"], score["overall_score"], counted)


BROKEN = "c_guarantee_broken"


@dataclass(frozen=True, slots=True)
class Looked:
    """The review and the broken guarantees of a SEED's LEGOs."""

    review: Review
    broken: tuple[str, ...]
    """Guarantees that are broken; no score makes up for them."""
    scoring: ScoringVersion

    def measured(self) -> dict[str, Any]:
        """Everything except the scores, ready for JSON."""
        return {
            "concerns": [concern.as_record() for concern in self.review.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.review.suggestions],
            "notes": " ".join((*self.broken[:1], self.review.notes)),
            "broken": list(self.broken),
            "scoring": self.scoring,
        }

    def scores(self) -> dict[str, float]:
        return {**{str(name): score for name, score in self.review.scores.items()}, OVERALL: self.review.overall}


def look(seed: Seed, terms: Terms, habits: Habits | None, evidence: CourseEvidence | None = None) -> Looked:
    """Review by rules. `evidence`: the facts of the course, if known."""
    scored = evidence if terms.scoring != "1.0" else None
    links = evidence.links(seed) if evidence is not None else None
    return Looked(
        review(seed, terms.profile, habits, terms.rule, scored),
        guarantees(seed, terms.profile, terms.rule, links),
        "1.0" if scored is None else terms.scoring,
    )


def examination(seed: Seed, looked: Looked) -> Examination:
    """The same as findings."""
    return Examination(findings_of(seed, looked), measured={"scores": looked.scores(), **looked.measured()})


def findings_of(seed: Seed, looked: Looked) -> tuple[Finding, ...]:
    texts = seed.texts()
    concerns = [_finding(seed.id, texts, concern) for concern in looked.review.concerns]
    return (*concerns, *(Finding(BROKEN, "error", seed.id, None, said) for said in looked.broken))


def _finding(unit: str, texts: Mapping[Field, str], concern: Concern) -> Finding:
    """The concern as a finding, placed at the first LEGO that it is about."""
    field = _field(texts, concern.affected_legos[0]) if concern.affected_legos else None
    quote = texts.get(field) if field is not None else None
    return Finding(
        concern.concern_id,
        SEVERITIES[concern.severity],
        unit,
        field,
        concern.description,
        concern.suggested_fix,
        quote,
        0 if quote is not None else None,
        len(quote) if quote is not None else None,
        source=concern.source,
    )


def _field(texts: Mapping[Field, str], provenance: str) -> Field:
    """`S44L2` -> `L2.source`; None if there is no such LEGO."""
    place = provenance.rpartition("L")[2]
    field = f"L{place}.source"
    return field if field in texts else None
