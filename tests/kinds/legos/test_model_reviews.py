"""A model's review: claims that are verified, and what counts of them beside the rules."""

from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.replies import LegoPart, LegoReviewReply
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, Seed
from burnish.kinds.legos.policy import CONCERNS, Concern
from burnish.kinds.legos.replies import (
    COUNTED,
    DROPPED,
    LONGEST_TEXT,
    MOST_CONCERNS,
    ModelReview,
    heard,
    located,
    review_of,
    together,
)
from burnish.kinds.legos.rule_review import Review, review
from burnish.kinds.legos.scoring import overall
from burnish.languages.profiles import profile_of

SEED = located(
    (LegoPart(source="I want to speak", target="Сакам да зборувам"), LegoPart(source="now", target="сега")),
    Seed("C0044", "", "I want to speak now.", "Сакам да зборувам сега.", "mkd_for_eng"),
).seed


@pytest.fixture(scope="module")
def rules() -> Review:
    profile = profile_of("eng")
    assert profile is not None
    return review(SEED, profile, None, IronRule("strict", True))


def concern(id: str = "c_meaning_mismatch", *legos: str, **more: Any) -> dict[str, Any]:
    plain = {
        "severity": "high",
        "category": "naturalness",
        "description": "The halves differ.",
        "suggested_fix": "Mend.",
    }
    return {"concern_id": id, "affected_legos": list(legos), "auto_fixable": True, **plain, **more}


def suggestion(id: str, priority: str = "low", change: str = "Keep names whole.") -> dict[str, Any]:
    said = {"suggested_change": change, "rationale": "Because.", "expected_improvement": "+1"}
    return {"suggestion_id": id, "type": "prompt_improvement", "priority": priority, **said}


def said(*concerns: dict[str, Any], suggestions: list[dict[str, Any]] | None = None, **scores: float) -> ModelReview:
    record = {
        "reasoning": "",
        "dimension_scores": {**dict.fromkeys(DIMENSIONS, 10.0), **scores},
        "concerns": list(concerns),
        "suggestions": suggestions or [],
    }
    return review_of(LegoReviewReply.model_validate(record), SEED, by="model:judge")


def reasons(found: ModelReview) -> list[str]:
    return [claim.reason for claim in found.dropped]


def test_a_claim_that_holds_says_whose_it_is() -> None:
    [held] = said(concern("c_meaning_mismatch", "S44L2", "S44L2", "S44L9")).concerns
    assert (held.source, held.affected_legos, held.severity) == ("model:judge", ("S44L2",), "high")
    assert not held.auto_fixable, "only code knows what code can mend"


def test_a_claim_about_the_whole_seed_names_no_lego() -> None:
    assert len(said(concern()).concerns) == 1


@pytest.mark.parametrize(
    ("claims", "dropped"),
    [
        ([concern("c_meaning_mismatch", "S43L1")], ["unknown_lego"]),
        ([concern(description="The cut is odd, but actually it is fine.")], ["self_refuting"]),
        ([concern("c_x", "S44L1", "S44L2"), concern("c_x", "S44L2", "S44L1")], ["duplicate"]),
        ([concern(f"c_{'x' * n}") for n in range(1, MOST_CONCERNS + 3)], ["too_many", "too_many"]),
    ],
)
def test_claims_that_do_not_hold_are_kept_apart(claims: list[dict[str, Any]], dropped: list[str]) -> None:
    found = said(*claims)
    assert reasons(found) == dropped and set(dropped) <= DROPPED.keys()
    assert len(found.concerns) == len(claims) - len(dropped)


def test_what_a_concern_of_the_catalogue_weighs_is_settled() -> None:
    [held] = said(concern("c_dangling_determiner", "S44L1", severity="critical", category="iron_rule")).concerns
    assert (held.severity, held.category) == CONCERNS["c_dangling_determiner"][:2]


def test_words_of_a_model_are_short_plain_lines() -> None:
    [held] = said(concern(description="a\x1b[31m\nb" + "x" * 4000, suggested_fix="\u202e\x00")).concerns
    assert held.description.startswith("a [31m b") and len(held.description) == LONGEST_TEXT
    assert held.suggested_fix == "-"


def test_the_lowest_score_counts_but_for_what_is_counted(rules: Review) -> None:
    both = together(rules, said(naturalness=3.04, iron_rule_compliance=0.0))
    assert both.scores["naturalness"] == 3.0
    assert both.scores["iron_rule_compliance"] == rules.scores["iron_rule_compliance"]
    assert both.overall == overall(both.scores) < rules.overall
    assert both.notes.startswith(rules.notes) and "naturalness" in both.notes and f"{both.overall:.1f}" in both.notes


def test_praise_changes_nothing(rules: Review) -> None:
    assert together(rules, said()) == rules


def test_concerns_of_both_stand_side_by_side(rules: Review) -> None:
    raised = Concern.of("c_unnatural_boundary", "Ends early.", ("S44L1",), "Go on.")
    own = Review(rules.scores, rules.overall, (raised,), (), (), "Notes.")
    model = said(
        concern("c_meaning_mismatch", "S44L2"),
        concern("c_unnatural_boundary", "S44L1"),
        concern("c_iron_rule_violation"),
    )
    both = together(own, model)
    assert [(one.concern_id, one.source) for one in both.concerns] == [
        ("c_unnatural_boundary", "rule"),
        ("c_meaning_mismatch", "model:judge"),
    ]
    assert reasons(heard(own, model)) == ["duplicate", "counted"]


def test_suggestions_come_once_the_most_pressing_first(rules: Review) -> None:
    found = said(suggestions=[suggestion("s_a"), suggestion("s_b", "critical"), suggestion("s_a", "high", "Other.")])
    assert [(one.suggestion_id, one.priority) for one in found.suggestions] == [("s_b", "critical"), ("s_a", "low")]
    both = together(rules, found).suggestions
    assert {"s_a", "s_b"} <= {one.suggestion_id for one in both} and both[0].suggestion_id == "s_b"
    assert [one.suggestion_id for one in together(together(rules, found), found).suggestions] == [
        one.suggestion_id for one in both
    ]


@given(st.lists(st.sampled_from([concern("c_x", "S44L1"), concern("c_y", "S1L1"), concern()]), max_size=6))
def test_every_claim_is_held_or_dropped(claims: list[dict[str, Any]]) -> None:
    found = said(*claims, suggestions=[suggestion("s_a")], consistency=4.0)
    assert len(found.concerns) + len(found.dropped) == len(claims)


@given(st.fixed_dictionaries({name: st.floats(0, 10) for name in DIMENSIONS}))
def test_no_model_raises_a_score(rules: Review, scores: dict[str, float]) -> None:
    both = together(rules, said(**scores))
    assert all(0 <= both.scores[name] <= rules.scores[name] for name in DIMENSIONS)


def test_the_prompt_knows_the_catalogue() -> None:
    text = (resources.files("burnish.kinds.legos.prompts") / "review.md").read_text(encoding="utf-8")
    assert all(id in text for id in CONCERNS) and CONCERNS.keys() >= COUNTED
