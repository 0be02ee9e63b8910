"""What a question needs to pass, and where it can stand."""

from itertools import product

import pytest

from burnish.core.checks import Examination
from burnish.core.errors import StateCorrupt
from burnish.core.findings import Finding
from burnish.core.gate import Scorecard, count_votes, judge
from burnish.core.kinds import Issue
from burnish.core.tasks import USUAL_ATTEMPTS
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.policy import PROFILES, STATES, UNFIT, gate, scores

ISSUE: Issue = ("nbme_multiple_correct", "stem")
Ballot = frozenset[Issue] | None
OTHER: Issue = ("nbme_distractor_plausibility", None)
CLEAN, OBJECTS, OBJECTS_TO_ELSE, SILENT = frozenset[Issue](), frozenset({ISSUE}), frozenset({OTHER}), None


def passes(*ballots: Ballot) -> bool:
    card = Scorecard.of(scores(Examination((), applied=30), count_votes(ballots) if ballots else None))
    return judge(card, (), gate(len(ballots))).passed


def finding(severity: str) -> Finding:
    return Finding("r", severity, "q", "stem", "m")  # type: ignore[arg-type]


@pytest.mark.parametrize("judges", [1, 2, 3, 4, 5])
def test_more_than_half_of_all_judges_must_be_content(judges: int) -> None:
    for ballots in product((CLEAN, OBJECTS, OBJECTS_TO_ELSE, SILENT), repeat=judges):
        assert passes(*ballots) == (ballots.count(CLEAN) * 2 > judges), ballots


def test_without_judges_the_rules_decide() -> None:
    assert passes()
    card = Scorecard.of(scores(Examination((finding("error"),), applied=30), None))
    assert not judge(card, (finding("error"),), gate(0)).passed


def test_a_panel_that_was_not_asked_is_missed() -> None:
    card = Scorecard.of(scores(Examination((), applied=30), None))
    assert judge(card, (), gate(3)).reasons == ("panel_missing",)


def test_the_score_is_the_share_of_rules_that_hold() -> None:
    found = (finding("error"), finding("warning"))
    assert scores(Examination(found, applied=4), None) == {"rules": 0.75}
    assert scores(Examination(found, applied=0), None) == {"rules": 0.0}


def test_the_states_and_the_moves_between_them() -> None:
    allowed = {(before, after) for before, moves in STATES.moves.items() for after in moves}
    assert ("draft", "correcting") in allowed
    assert ("correcting", "validated") in allowed
    assert ("needs_manual_review", "correcting") in allowed
    for before, after in product(STATES.moves, STATES.moves):
        if before != after and (before, after) not in allowed:
            with pytest.raises(StateCorrupt):
                STATES.check(before, after)
    with pytest.raises(StateCorrupt):
        STATES.check("validated", "draft")


def test_two_corrections_and_no_more() -> None:
    assert USUAL_ATTEMPTS == 2
    assert PROFILES["default"] == {}
    assert PROFILES["strict"] == {"nbme_absolute_terms": "error", "nbme_answer_homogeneity": "error"}


def test_rules_that_do_not_fit_a_type_are_rules() -> None:
    known = {check.id for check in QuestionsKind().checks}
    assert {type: unfit - known for type, unfit in UNFIT.items()} == dict.fromkeys(UNFIT, frozenset())
    assert all("nbme_single_best_answer" not in unfit for unfit in UNFIT.values()), "structure fits every type"
