"""Claims: believed against only with a passage that was offered and that bears on them."""

import pytest

from burnish.core.replies import ClaimPart, ClaimsReply, ClaimVerdictPart, ClaimVerdictReply
from burnish.kinds.lessons.model import Lesson, LessonUnit, Passage
from burnish.kinds.lessons.sources import (
    Claim,
    ClaimVerdict,
    Hit,
    PassageIndex,
    claims_of,
    passage_differs,
    verify_claim,
    verify_verdicts,
)

UTRECHT = Passage("s#p0001", "The Treaty of Utrecht was signed in 1713.", "s", 1)
WATER = Passage("s#p0002", "Vapour rises from the sea.", "s", 3)
CLAIM = Claim("s1", "signed in 1715", "The Treaty of Utrecht was signed in 1715.")
OFFERED = {CLAIM.claim: [Hit(UTRECHT, 2.0), Hit(WATER, 1.0)]}


def verdict(*parts: tuple[str, str, str | None]) -> ClaimVerdict:
    reply = ClaimVerdictReply(
        reasoning="because",
        verdicts=tuple(ClaimVerdictPart(claim=c, verdict=v, passage=p) for c, v, p in parts),  # type: ignore[arg-type]
    )
    [found] = verify_verdicts([CLAIM], reply, OFFERED)
    return found


def test_a_contradiction_stands_with_its_passage() -> None:
    found = verdict((CLAIM.claim, "contradicted", "s#p0001"))
    assert (found.verdict, found.passage, found.doubt) == ("contradicted", UTRECHT, None)


def test_spaces_in_the_claim_make_no_difference() -> None:
    assert verdict((CLAIM.claim.replace(" ", "  "), "supported", "s#p0001")).verdict == "supported"


@pytest.mark.parametrize(
    ("parts", "doubt"),
    [
        ((), "no_verdict"),
        (((CLAIM.claim, "not_found", None),), None),
        (((CLAIM.claim, "contradicted", None),), "passage_not_offered"),
        (((CLAIM.claim, "contradicted", "s#p0099"),), "passage_not_offered"),
        (((CLAIM.claim, "supported", "made up"),), "passage_not_offered"),
        (((CLAIM.claim, "contradicted", "s#p0002"),), "passage_unrelated"),
        (((CLAIM.claim, "contradicted", "s#p0001"), (CLAIM.claim, "supported", "s#p0001")), "conflicting_verdicts"),
    ],
)
def test_anything_else_is_not_found(parts: tuple[tuple[str, str, str | None], ...], doubt: str | None) -> None:
    found = verdict(*parts)
    assert (found.verdict, found.passage, found.doubt) == ("not_found", None, doubt)


def test_a_passage_that_says_the_same_contradicts_nothing() -> None:
    claim = Claim("s1", "signed in 1713", "The treaty of Utrecht was signed in 1713")
    reply = ClaimVerdictReply(
        reasoning="r", verdicts=(ClaimVerdictPart(claim=claim.claim, verdict="contradicted", passage="s#p0001"),)
    )
    [found] = verify_verdicts([claim], reply, {claim.claim: [Hit(UTRECHT, 1.0)]})
    assert (found.verdict, found.doubt) == ("not_found", "passage_agrees")


def test_a_contradiction_in_words_needs_common_ground() -> None:
    claim = Claim("s1", "sinks", "Vapour sinks into the sea.")
    reply = ClaimVerdictReply(
        reasoning="r", verdicts=(ClaimVerdictPart(claim=claim.claim, verdict="contradicted", passage="s#p0002"),)
    )
    [found] = verify_verdicts([claim], reply, {claim.claim: [Hit(WATER, 1.0)]})
    assert found.verdict == "contradicted" and not passage_differs(claim.claim, WATER.text)


def test_the_passages_for_a_claim() -> None:
    index = PassageIndex([UTRECHT, WATER])
    assert [hit.passage for hit in verify_claim(index, CLAIM)] == [UTRECHT]


def test_claims_without_a_true_quote_are_dropped() -> None:
    lesson = Lesson("L", "T", None, (LessonUnit("s1", "section", {"title": "T", None: "It was signed in 1715."}),))
    parts = [("s1", "signed in 1715"), ("s1", "signed in 1715"), ("s1", "signed in 1999"), ("s9", "x"), ("s1", " ")]
    reply = ClaimsReply(reasoning="r", claims=tuple(ClaimPart(unit=u, quote=q, claim="C") for u, q in parts))
    kept, dropped = claims_of(reply, lesson)
    assert kept == [Claim("s1", "signed in 1715", "C")]
    assert [reason for _, reason in dropped] == ["duplicate", "quote_not_found", "unknown_unit", "no_quote"]
