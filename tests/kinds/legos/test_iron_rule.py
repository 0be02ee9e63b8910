"""Prepositions at the edges of LEGOs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.iron_rule import IronRule, Violation, unreachable, violations
from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.multiwords import Verb, multi_word_verbs
from burnish.languages.profiles import profile_of
from tests.kinds.legos.seeds_cut_by_hand import english

STRICT = IronRule("strict", True)
AWARE = IronRule("phrase_aware", True)
ENGLISH = english()


def broken(phrase: str, rule: IronRule, *verbs: Verb) -> tuple[str, str] | None:
    found = violations(words_of(phrase), ENGLISH, rule, verbs)
    return (found.edge, found.word) if found else None


@pytest.mark.parametrize(
    ("phrase", "strict", "aware"),
    [
        ("with you", ("start", "with"), None),
        ("With,", ("start", "With"), ("end", "With")),
        ("you with", ("end", "with"), ("end", "with")),
        ("to be", ("start", "to"), None),
        ("I want to", ("end", "to"), ("end", "to")),
        ("speak Macedonian", None, None),
        ("the day before", ("end", "before"), None),
        ("before", ("start", "before"), ("end", "before")),
        ("", None, None),
        ("...", None, None),
    ],
)
def test_each_variant(phrase: str, strict: tuple[str, str] | None, aware: tuple[str, str] | None) -> None:
    assert (broken(phrase, STRICT), broken(phrase, AWARE)) == (strict, aware)


def test_the_infinitive_has_a_switch_of_its_own() -> None:
    lenient = IronRule("strict", False)
    assert broken("to be here", lenient) is None
    assert broken("to the station", lenient) == ("start", "to")
    assert broken("I want to", lenient) is None
    assert broken("I walked to", lenient) == ("end", "to")


def test_an_infinitive_behind_the_edge_is_seen() -> None:
    words = words_of("She agreed to speak to them.")
    lenient = IronRule("strict", False)
    assert violations(words, ENGLISH, lenient, span=(0, 3)) is None
    assert violations(words, ENGLISH, lenient, span=(0, 5)) == Violation("end", 4, "to")


def test_a_particle_of_a_verb_inside_is_no_preposition() -> None:
    verb = Verb((0, 1), "turn on")
    assert broken("turn on", STRICT, verb) is None
    assert broken("turn on", STRICT) == ("end", "on")


def test_a_particle_whose_verb_is_outside_is_one() -> None:
    words = words_of("Please turn the light on now")
    verb = Verb((1, 4), "turn on")
    assert violations(words, ENGLISH, STRICT, [verb], (1, 5)) is None
    assert violations(words, ENGLISH, STRICT, [verb], (2, 5)) == Violation("end", 4, "on")
    assert violations(words, ENGLISH, STRICT, [verb], (4, 6)) == Violation("start", 4, "on")


@pytest.mark.parametrize(
    ("code", "sentence", "span", "word"),
    [
        ("en", "Many books have been written about chess.", (0, 6), "about"),
        ("en", "I'm going to stay with my friends.", (0, 5), "with"),
        ("en", "You can get instructions on how to do it.", (0, 5), "on"),
        ("en", "I agree with everything.", (0, 3), "with"),
        ("en", "I'll wait for you.", (0, 3), "for"),
        ("en", "It depends on how you see it.", (0, 3), "on"),
        ("en", "We stayed in the house.", (0, 3), "in"),
        ("en", "What are you waiting for?", (0, 5), None),
        ("en", "Which countries have you been to?", (2, 6), None),
        ("en", "The book I was looking for is here.", (0, 6), None),
        ("en", "Don't give up your dreams.", (0, 3), None),
        ("en", "Turn on the light.", (0, 2), None),
        ("en", "He called me back yesterday.", (0, 4), None),
        ("es", "Acabo de llegar.", (0, 2), "de"),
        ("es", "Depende de ti.", (0, 2), "de"),
        ("de", "Ich warte auf den Bus.", (0, 3), "auf"),
        ("de", "Er fängt an zu arbeiten.", (0, 3), None),
        ("it", "Conto su di te.", (0, 2), "su"),
        ("it", "Tira su le mani.", (0, 2), "su"),
        ("ru", "Он отвечает за всё.", (0, 3), "за"),
    ],
)
def test_a_preposition_that_a_verb_asks_for_is_not_torn_from_its_object(
    code: str, sentence: str, span: tuple[int, int], word: str | None
) -> None:
    profile, words = profile_of(code), words_of(sentence)
    assert profile is not None
    found = violations(words, profile, STRICT, multi_word_verbs(words, profile), span)
    assert (found.word if found else None) == word


def test_a_contracted_preposition_counts_in_front_only() -> None:
    french = replace(
        ENGLISH,
        prepositions=frozenset({"de"}),
        elided_prepositions=frozenset({"d'"}),
        fixed_words=frozenset({"d'accord"}),
    )
    assert violations(words_of("d'eau fraîche"), french, STRICT) == Violation("start", 0, "d'eau")
    assert violations(words_of("un verre d’eau"), french, STRICT) is None
    assert violations(words_of("d'accord"), french, STRICT) is None


@pytest.mark.parametrize(
    ("sentence", "rule", "left_out"),
    [
        ("With you I can", STRICT, {0}),
        ("With you I can", AWARE, set()),
        ("In at the deep end", STRICT, {0, 1}),
        ("Who are you here with?", STRICT, {4}),
        ("Who are you here with?", AWARE, {4}),
        ("With", STRICT, {0}),
        ("I can", STRICT, set()),
        ("", STRICT, set()),
    ],
)
def test_words_that_no_lawful_lego_reaches(sentence: str, rule: IronRule, left_out: set[int]) -> None:
    assert unreachable(words_of(sentence), ENGLISH, rule) == left_out


def test_a_verb_makes_its_particle_reachable() -> None:
    words = words_of("The light is on, so turn it off")
    assert unreachable(words, ENGLISH, STRICT) == {7}
    assert unreachable(words, ENGLISH, STRICT, [Verb((5, 7), "turn off")]) == set()


WORDS = st.lists(
    st.sampled_from(
        ["I", "you", "with", "to", "on", "turn", "light", "the", "be", "at", "now", "wait", "for", "depend", "is"]
    ),
    max_size=9,
)


@given(WORDS, st.sampled_from([STRICT, AWARE, IronRule("strict", False)]))
def test_no_lawful_lego_holds_what_is_unreachable_and_some_holds_the_rest(listed: list[str], rule: IronRule) -> None:
    words = words_of(" ".join(listed))
    verbs = multi_word_verbs(words, ENGLISH)
    lawful = [
        range(first, last)
        for first in range(len(words))
        for last in range(first + 1, len(words) + 1)
        if violations(words, ENGLISH, rule, verbs, (first, last)) is None
    ]
    reached = {place for span in lawful for place in span}
    assert reached == set(range(len(words))) - unreachable(words, ENGLISH, rule, verbs)
