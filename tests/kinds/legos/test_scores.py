"""The five scores, by the contract's numbers."""

from dataclasses import replace

import pytest

from burnish.kinds.legos.evidence import Habit, Habits
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, words_of
from burnish.kinds.legos.multiwords import Verb
from burnish.kinds.legos.placement import spans_of
from burnish.kinds.legos.scoring import (
    WEIGHTS,
    asks_you,
    boundary_faults,
    completeness,
    consistency,
    frequency,
    holds_phrase,
    holds_pronoun,
    iron_rule_compliance,
    naturalness,
    one_decimal,
    overall,
    pedagogical_value,
    reusability,
    says_what_i_do,
    score_of_share,
    scores_of,
    size_score,
    split_verbs,
    spread,
    spread_score,
)
from tests.kinds.legos.seeds_cut_by_hand import cut, english, extraction

ENGLISH = english()
SPANISH = replace(ENGLISH, code="es", pronouns=frozenset({"yo"}), common_verbs=frozenset({"quiero"}))


def bares(phrase: str) -> tuple[str, ...]:
    return tuple(word.bare for word in words_of(phrase))


@pytest.mark.parametrize(
    ("breaking", "legos", "score"),
    [(0, 7, 10), (1, 50, 9), (1, 49, 8), (1, 20, 8), (1, 10, 7), (1, 5, 5), (3, 10, 3), (1, 3, 1), (1, 1, 1)],
)
def test_iron_rule_by_share(breaking: int, legos: int, score: float) -> None:
    assert score_of_share(breaking, legos) == score


def test_iron_rule_counts_legos() -> None:
    cuts = extraction("I speak with you", "I speak", "with you")
    assert iron_rule_compliance(cuts, IronRule("strict", True)) == 1
    assert iron_rule_compliance(cuts, IronRule("phrase_aware", True)) == 10


def test_a_verb_is_split_where_no_lego_holds_all_of_it() -> None:
    verb = Verb((1, 3), "call back")
    torn = replace(extraction("He called me back", "He called me", "back"), verbs=(verb,))
    whole = replace(extraction("He called me back", "He called me", "called me back"), verbs=(verb,))
    assert split_verbs(torn) == (verb,)
    assert split_verbs(whole) == ()


def test_naturalness_is_the_weighted_sum_of_its_parts() -> None:
    torn = replace(extraction("He called me back", "He called me", "back"), verbs=(Verb((1, 3), "call back"),))
    # verbs 8, boundaries 10, completeness (9 with a pronoun + 8 for one word) / 2
    assert naturalness(torn) == pytest.approx(0.30 * 8 + 0.40 * 10 + 0.30 * 8.5)


@pytest.mark.parametrize(
    ("sentence", "parts", "faults"),
    [
        ("I want to go", ["I want", "to go"], ["incomplete_verb"]),
        ("That is what I want", ["That is", "what I want"], []),
        ("If you want, go", ["If you want", "go"], []),
        ("Where is the big house", ["Where is the", "big house"], ["determiner"]),
        ("I like this", ["I like this"], []),
        ("I think that you know", ["I think that", "you know"], ["determiner"]),
        ("What do you want?", ["What do you want"], []),
        ("What do you want, Tom?", ["What do you want", "Tom"], []),
        ("I want you to go", ["I want", "you to go"], ["incomplete_verb"]),
        ("You want to go", ["You want"], ["incomplete_verb"]),
        ("The way back home", ["The way back"], []),
        ("Go away now please", ["Go now away", "please"], ["particle"]),
        ("Go away, Tom", ["Go away", "Tom"], []),
        ("He ran away", ["He ran away"], []),
        ("Where is it", ["Where is it", "where is the"], ["determiner"]),
        ("...", ["..."], []),
    ],
)
def test_boundaries(sentence: str, parts: list[str], faults: list[str]) -> None:
    cuts = extraction(sentence, *parts)
    # The multi-word verbs of the language are not what is tested here.
    pieces = [replace(piece, verbs=()) for piece in cuts.pieces]
    assert [fault for piece in pieces for fault in boundary_faults(piece, cuts)] == faults


def test_a_particle_that_belongs_to_its_verb_does_not_dangle() -> None:
    cuts = extraction("Turn it off and go", "Turn it off", "and go")
    piece = replace(cuts.pieces[0], verbs=(Verb((0, 2), "turn off"),))
    assert boundary_faults(piece, cuts) == ()
    assert boundary_faults(replace(piece, verbs=()), cuts) == ("particle",)
    open_verb = extraction("He is able to go", "He is able", "to go")
    held = replace(open_verb.pieces[0], verbs=(Verb((1, 2), "be able"),))
    assert boundary_faults(held, open_verb) == ("incomplete_verb",)


@pytest.mark.parametrize(
    ("phrase", "score"),
    [("I know", 10), ("I'm going", 10), ("big house", 6), ("you know it", 9), ("the big house", 7), ("hello", 8)],
)
def test_completeness(phrase: str, score: float) -> None:
    assert completeness(bares(phrase), ENGLISH) == score


@pytest.mark.parametrize(
    ("phrase", "patterns"),
    [
        ("the big house", 0),
        ("can you come", 1),
        ("where is it", 1),
        ("what's that", 1),
        ("I want it", 1),
        ("I'm a man", 1),
        ("it is not here", 1),
        ("see it tomorrow", 1),
        ("thank you", 1),
        ("why can't you come now", 4),
        ("", 0),
    ],
)
def test_frequency_counts_useful_patterns(phrase: str, patterns: int) -> None:
    assert frequency(bares(phrase), ENGLISH) == 5 + patterns


def test_languages_that_leave_the_pronoun_out() -> None:
    assert says_what_i_do(bares("quiero hablar"), SPANISH)
    assert holds_pronoun(bares("quiero hablar"), SPANISH)
    assert not holds_pronoun(bares("hablar"), SPANISH)
    assert not asks_you(bares("can you"), SPANISH)


def test_size() -> None:
    assert [size_score(words) for words in range(13)] == [0, 4, 8, 10, 10, 10, 8, 6, 5, 4, 3, 3, 3]


@pytest.mark.parametrize(
    ("phrase", "score"),
    [("I want to speak", 10), ("she sings", 8), ("she speaks Spanish", 8), ("good Spanish", 6), ("big house", 7)],
)
def test_reusability(phrase: str, score: float) -> None:
    assert reusability(bares(phrase), ENGLISH) == score


def test_phrases_are_found_as_whole_words() -> None:
    phrases = frozenset({"i want to", "please"})
    assert holds_phrase(bares("Well, I want to go"), phrases)
    assert not holds_phrase(bares("I want"), phrases)
    assert not holds_phrase(bares("pleased"), phrases)


def test_pedagogical_value_is_a_mean_over_legos() -> None:
    one = 0.40 * 5 + 0.35 * 10 + 0.25 * 7
    other = 0.40 * 6 + 0.35 * 4 + 0.25 * 7
    assert pedagogical_value(extraction("the big house now", "the big house", "now")) == pytest.approx(
        (one + other) / 2
    )


@pytest.mark.parametrize(
    ("sizes", "score"),
    [([4], 10), ([3, 4, 3], 10), ([2, 4], 9), ([1, 4], 8), ([1, 5], 6), ([1, 6], 4), ([3, 4, 5, 5], 9)],
)
def test_spread(sizes: list[int], score: float) -> None:
    assert spread_score(spread(sizes)) == score


def test_consistency_is_half_the_course() -> None:
    cuts = extraction("I want to go", "I want", "to go")
    habits = Habits({("want", "to"): Habit(3, 1)})
    assert consistency(cuts, None) == 10
    assert consistency(cuts, habits) == 5


def test_no_legos_no_points() -> None:
    scores = scores_of(extraction("I want to go"), None, IronRule("strict", True))
    assert scores == dict.fromkeys(DIMENSIONS, 0.0)
    assert overall(scores) == 0.0


def test_the_overall_score_can_be_checked_from_the_rounded_ones() -> None:
    scores = scores_of(
        extraction("I want to speak Macedonian now", "I want to speak", "Macedonian now"),
        None,
        IronRule("strict", True),
    )
    assert all(score == one_decimal(score) for score in scores.values())
    assert overall(scores) == one_decimal(sum(WEIGHTS[name] * scores[name] for name in DIMENSIONS))
    assert sum(WEIGHTS.values()) == pytest.approx(1)


@pytest.mark.parametrize(("score", "rounded"), [(7.95, 8.0), (7.949, 7.9), (0.05, 0.1), (10.0, 10.0), (8.25, 8.3)])
def test_halves_are_rounded_up(score: float, rounded: float) -> None:
    assert one_decimal(score) == rounded


def test_spans() -> None:
    seed = cut("¿I don't know?", "I", "I do", "n't know", "know?", "?", "elsewhere")
    assert spans_of(words_of(seed.source), seed.legos) == [(0, 1), (0, 2), (1, 3), (2, 3), (0, 0), (0, 0)]


def test_a_lego_from_elsewhere_is_scored_by_its_own_words() -> None:
    (piece,) = extraction("I know", "with me").pieces
    assert piece.bares == ("with", "me")
    assert piece.violation(ENGLISH, IronRule("strict", True)) is not None
    assert piece.is_torn_behind
