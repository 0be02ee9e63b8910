"""Claims: statements of a lesson held against its source. A contradiction counts only with its passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.core.replies import ClaimsReply, ClaimVerdictReply
from burnish.kinds.lessons.model import Lesson
from burnish.kinds.lessons.numbers_and_dates import mentions
from burnish.kinds.lessons.sources import Hit, Passage, PassageIndex, terms

Verdict = Literal["supported", "contradicted", "not_found"]

OFFERED = 3
"""Passages that a model sees for each claim."""
SHARED = 2
"""Content words that a claim and the passage against it have in common at least."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that can be checked."""

    unit: str
    quote: str
    """Verbatim from the unit."""
    claim: str
    """The statement on its own, as the model put it."""


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What the source says about a claim."""

    claim: Claim
    verdict: Verdict
    passage: Passage | None = None
    """The passage that decides it; None where nothing was found."""
    doubt: str | None = None
    """Why a model's verdict was not believed: `no_verdict`, `conflicting_verdicts`, `passage_not_offered`,
    `passage_unrelated`, `passage_agrees`."""


def claims_of(reply: ClaimsReply, lesson: Lesson) -> tuple[list[Claim], list[tuple[Claim, str]]]:
    """The claims whose quotes stand in their units, each once; and the others, with the reason."""
    kept: dict[tuple[str, str], Claim] = {}
    dropped: list[tuple[Claim, str]] = []
    for part in reply.claims:
        claim = Claim(part.unit, part.quote, part.claim)
        reason = _doubt(claim, lesson) or ("duplicate" if (part.unit, part.claim) in kept else None)
        if reason is None:
            kept[part.unit, part.claim] = claim
        else:
            dropped.append((claim, reason))
    return list(kept.values()), dropped


def _doubt(claim: Claim, lesson: Lesson) -> str | None:
    if claim.unit not in lesson:
        return "unknown_unit"
    if not claim.quote.strip():
        return "no_quote"
    texts = lesson.unit(claim.unit).texts().values()
    return None if any(claim.quote in text for text in texts) else "quote_not_found"


def verify_claim(index: PassageIndex, claim: Claim, limit: int = OFFERED) -> list[Hit]:
    """The passages to hold a claim against: found by the claim's words and by those of the lesson."""
    return index.search(f"{claim.claim}\n{claim.quote}", limit)


def verify_verdicts(
    claims: Iterable[Claim], reply: ClaimVerdictReply, offered: Mapping[str, Sequence[Hit]]
) -> list[ClaimVerdict]:
    """A model's verdicts, as far as the passages bear them out. `offered` are the hits by the claim's text."""
    given: dict[str, set[tuple[Verdict, str | None]]] = {}
    for part in reply.verdicts:
        given.setdefault(_same(part.claim), set()).add((part.verdict, part.passage))
    return [_verified(claim, given.get(_same(claim.claim), set()), offered.get(claim.claim, ())) for claim in claims]


def _same(claim: str) -> str:
    return " ".join(claim.split())


def _verified(claim: Claim, given: set[tuple[Verdict, str | None]], hits: Sequence[Hit]) -> ClaimVerdict:
    if not given:
        return ClaimVerdict(claim, "not_found", None, "no_verdict")
    if len({verdict for verdict, _ in given}) > 1:
        return ClaimVerdict(claim, "not_found", None, "conflicting_verdicts")
    verdict, named = min(given, key=lambda pair: pair[1] or "")
    if verdict == "not_found":
        return ClaimVerdict(claim, "not_found")
    passage = next((hit.passage for hit in hits if hit.passage.id == named), None)
    if passage is None:
        return ClaimVerdict(claim, "not_found", None, "passage_not_offered")
    if verdict == "contradicted" and (doubt := _objection(claim, passage)) is not None:
        return ClaimVerdict(claim, "not_found", None, doubt)
    return ClaimVerdict(claim, verdict, passage)


def _objection(claim: Claim, passage: Passage) -> str | None:
    """Why the passage cannot contradict the claim."""
    if passage_differs(claim.claim, passage.text):
        return None
    if claim.claim.strip() and " ".join(claim.claim.lower().split()) in " ".join(passage.text.lower().split()):
        return "passage_agrees"
    shared = set(terms(claim.claim)) & set(terms(passage.text))
    return None if len(shared) >= SHARED else "passage_unrelated"


def passage_differs(claim: str, passage: str) -> bool:
    """Whether the passage gives another number or date where the claim gives one, and never the claim's."""
    said = mentions(passage)
    for mention in mentions(claim):
        alike = [other for other in said if other.measure == mention.measure]
        if alike and not any(mention.agrees(other) for other in alike):
            return True
    return False
