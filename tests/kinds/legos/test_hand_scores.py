"""Scores of cuts made by hand: the review that every extraction gets."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import UsageError
from burnish.core.replies import LegoPart
from burnish.kinds.legos.hand_cuts import HandCut, Scored, score_cuts, summary
from burnish.kinds.legos.iron_rule import IronRule

COURSE = "mkd_for_eng"


def cut(source: str, target: str, *legos: tuple[str, str], **more: str) -> HandCut:
    parts = [LegoPart(source=one, target=other) for one, other in legos]
    return HandCut(source=source, target=target, legos=parts, **more)


COFFEE = cut("I need coffee now", "Ми треба кафе сега", ("I need coffee", "Ми треба кафе"), ("coffee now", "кафе сега"))
WITH_YOU = cut(
    "She walked with you", "Таа одеше со тебе", ("She walked", "Таа одеше"), ("with you", "со тебе"), seed_id="C0001"
)


def scored(one: HandCut, rule: IronRule | None = None) -> Scored:
    (found,) = score_cuts([one], COURSE, rule)
    return found


def test_a_sound_cut_is_accepted() -> None:
    found = scored(COFFEE)
    assert (found.status, found.refused, found.broken) == ("accepted", (), ())
    assert [found.seed.source[lego.start : lego.end] for lego in found.seed.legos] == ["I need coffee", "coffee now"]
    assert found.as_wire()["overall_score"] == found.review.overall >= 8.0


def test_the_iron_rule_is_the_one_that_is_asked_for() -> None:
    strict = scored(WITH_YOU, IronRule("strict", True))
    assert strict.status == "flagged" and "c_iron_rule_violation" in [one.concern_id for one in strict.review.concerns]
    aware = scored(WITH_YOU, IronRule("phrase_aware", True))
    assert "c_iron_rule_violation" not in [one.concern_id for one in aware.review.concerns]


def test_a_half_that_is_not_in_its_sentence_is_refused_and_the_seed_not_accepted() -> None:
    found = scored(cut("I need coffee", "Ми треба кафе", ("I need coffee", "Ми треба кафе"), ("tea", "чај")))
    assert found.status == "flagged"
    assert found.as_wire()["refused"] == [{"source": "tea", "target": "чај", "reason": "not_in_source"}]


def test_a_seed_without_a_usable_lego_has_failed() -> None:
    found = scored(cut("I need coffee", "Ми треба кафе", ("tea", "чај")))
    assert (found.status, found.review.overall) == ("failed", 0.0)


def test_words_that_no_lego_holds_keep_a_seed_from_being_accepted() -> None:
    found = scored(cut("I need coffee this morning", "Ми треба кафе утрово", ("I need coffee", "Ми треба кафе")))
    assert found.status != "accepted" and found.broken


def test_a_word_that_no_lawful_lego_reaches_is_noted() -> None:
    halves = ("you I slept well", "тебе спиев добро")
    found = scored(cut("With you I slept well", "Со тебе спиев добро", halves), IronRule("strict", True))
    assert found.seed.uncovered == ("With",)
    assert found.as_wire()["uncovered"] == ["With"]


def test_ids_that_are_missing_are_the_lowest_that_are_free() -> None:
    found = score_cuts([COFFEE, WITH_YOU, COFFEE], COURSE)
    assert [one.seed.id for one in found] == ["C0002", "C0001", "C0003"]


def test_every_seed_may_name_its_own_course() -> None:
    own = cut("Necesito café", "I need coffee", ("Necesito café", "I need coffee"), course_code="eng_for_spa")
    assert [one.seed.course_code for one in score_cuts([COFFEE, own], COURSE)] == [COURSE, "eng_for_spa"]


@pytest.mark.parametrize(
    ("course", "said"),
    [(None, "languages of the cuts"), ("nonsense", "not a course code"), ("eng_for_jpn", "does not support")],
)
def test_a_course_that_nobody_knows_is_refused(course: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        score_cuts([COFFEE], course)
    assert refused.value.hint


def test_the_summary_counts_every_seed() -> None:
    found = score_cuts([COFFEE, WITH_YOU], COURSE, IronRule("strict", True), "1.0")
    told = summary(found)
    assert (told["total_seeds"], told["accepted"], told["flagged"], told["failed"]) == (2, 1, 1, 0)
    assert told["average_score"] == round(sum(one.review.overall for one in found) / 2, 2)
    assert told["concern_frequency"]["c_iron_rule_violation"] == 1
    assert summary([])["average_score"] is None


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_the_order_of_a_file_changes_no_score(dice: random.Random) -> None:
    other = cut("I need tea now", "Ми треба чај сега", ("I need tea", "Ми треба чај"), ("now", "сега"))
    cuts = [COFFEE, WITH_YOU, other]
    scores = {one.seed.source: one.review.scores for one in score_cuts(cuts, COURSE)}
    shuffled = score_cuts(dice.sample(cuts, len(cuts)), COURSE)
    assert {one.seed.source: one.review.scores for one in shuffled} == scores
