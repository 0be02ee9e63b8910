"""Multi-word verbs: found whole and split, inflected, and not where they are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.multiwords import Verb, mark_between, multi_word_verbs
from burnish.languages.profiles import profile_from

ENGLISH = profile_from(
    "en",
    {
        "name": "English",
        "verb_reach": 4,
        "prepositions": "on in to for of with at up",
        "determiners": "the a that my what",
        "clause_openers": "and who that because what",
        "pronouns": "i you he it me",
        "incomplete_verbs": "want",
        "infinitive_marker": "to",
        "adverb_particles": "on in up",
        "stranding_words": "is and",
        "wh_words": "how when",
        "time_words": "when",
        "abbreviations": "mr",
        "further_function_words": "how when",
        "verbs": {
            "regular": "call look turn want stay",
            "regular_forms": {"": "~ ~s ~ed ~ing"},
            "irregular": {"take": "took taken takes taking", "make": "made makes", "be": "am is are was 'm 're"},
        },
        "forms": {"one's": "my your his", "mistake": "mistakes"},
        "multi_word_verbs": {
            "separable": {
                "call": "back, up",
                "turn": "on",
                "take": "off, in, for granted",
                "make": "mistake, way with",
            },
            "joined": {
                "look": "forward to, forward, for",
                "take": "care of, one's time",
                "be": "able to",
                "stay": "in",
            },
            "prepositional": {"stay": "on", "take": "part in"},
        },
    },
)
FRENCH = profile_from(
    "fr",
    {
        "name": "French",
        "verb_reach": 2,
        "verbs": {"irregular": {"avoir": "ai as a avons avez ont"}},
        "multi_word_verbs": {"separable": {"avoir": "besoin de"}},
    },
)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("He called me back yesterday.", [Verb((1, 3), "call back")]),
        ("Turn on the light!", [Verb((0, 1), "turn on")]),
        ("Please turn the small light on.", [Verb((1, 5), "turn on")]),
        ("She was looking forward to it.", [Verb((2, 3, 4), "look forward to", may_close=False)]),
        ("Take your time.", [Verb((0, 1, 2), "take one's time")]),
        ("He made two bad mistakes and took off.", [Verb((1, 4), "make mistake"), Verb((6, 7), "take off")]),
        ("Take that thing off.", [Verb((0, 3), "take off")]),
        ("I'm able to call you back.", [Verb((0, 1, 2), "be able to", may_close=False), Verb((3, 5), "call back")]),
        ("Don't take your friends for granted.", [Verb((1, 4, 5), "take for granted")]),
        ("Turn the light of mine on.", [Verb((0, 5), "turn on")]),
        ("Whom did you call for?", [Verb((3, 4), "call for")]),
        ("Turn the call on.", [Verb((0, 3), "turn on")]),
        ("He made a way with me.", [Verb((1, 3, 4), "make way with", may_close=False)]),
    ],
)
def test_verbs_are_found_whole_and_split(sentence: str, found: list[Verb]) -> None:
    assert multi_word_verbs(words_of(sentence), ENGLISH) == found


@pytest.mark.parametrize(
    "sentence",
    [
        "I called because he came back.",
        "I called, back then.",
        "We take care, of course.",
        "Take good care of him.",
        "I called all of the many people here back.",
        "I took the boys at school in my car.",
        "A light on the table.",
        "I want to.",
        "What is the call for?",
        "He turned me on the spot.",
        "She made that mistake proof.",
        "Are you ever able to?",
        "They took what he had in.",
        "Take and turn it in.",
        "They call turn back.",
        "Turn a page on how he did it.",
        "",
    ],
)
def test_other_words_are_none(sentence: str) -> None:
    assert multi_word_verbs(words_of(sentence), ENGLISH) == []


@pytest.mark.parametrize(
    ("sentence", "may_close"),
    [
        ("Turn on the light!", True),
        ("Turn the light on when he calls.", True),
        ("I look for you.", False),
        ("What do you look for?", True),
        ("What I look for is time.", True),
        ("Who do you look for, my friend?", True),
        ("I look for Mr. Light.", False),
        ("I stay in.", True),
        ("I stay in today.", True),
        ("I stay in the house.", False),
        ("I stay in it.", False),
        ("I stay in Skopje.", False),
        ("I stay in 3 houses.", False),
        ("I stay on friends.", False),
        ("I take part in games.", False),
        ("I take care of friends.", False),
    ],
)
def test_a_particle_ends_a_phrase_and_a_preposition_only_without_its_object(sentence: str, may_close: bool) -> None:
    [verb] = multi_word_verbs(words_of(sentence), ENGLISH)
    assert verb.may_close is may_close


def test_the_full_stop_of_an_abbreviation_is_no_mark() -> None:
    words = words_of("Call Mr. Light up.")
    assert not mark_between(words[1], words[2], ENGLISH) and not mark_between(words[1], words[2])
    assert multi_word_verbs(words, ENGLISH) == [Verb((0, 3), "call up")]


def test_a_verb_is_seen_in_a_word_that_is_drawn_together() -> None:
    assert multi_word_verbs(words_of("J'ai vraiment besoin d'eau."), FRENCH) == [Verb((0, 2, 3), "avoir besoin de")]
    assert multi_word_verbs(words_of("Avez-vous besoin de moi ?"), FRENCH) == [Verb((0, 1, 2), "avoir besoin de")]


def test_a_verb_begins_and_ends_with_its_own_words() -> None:
    split = Verb((1, 3), "call back")
    assert (split.first, split.end) == (1, 4)


VOCABULARY = "call called back up turn on the a light, took taken off care of time my he and for granted"
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=30))
def test_each_verb_is_made_of_words_of_the_sentence_in_order(sentence: list[str]) -> None:
    words = words_of(" ".join(sentence))
    found = multi_word_verbs(words, ENGLISH)
    assert [verb.first for verb in found] == sorted({verb.first for verb in found})
    for verb in found:
        assert list(verb.places) == sorted(set(verb.places))
        assert len(verb.places) == len(verb.base.split()) and verb.end <= len(words)
        assert verb.end - verb.first <= (len(verb.places) - 1) * (ENGLISH.verb_reach + 1) + 1
