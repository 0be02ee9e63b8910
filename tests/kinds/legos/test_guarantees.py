"""What every cut has to keep, whoever made it."""

from dataclasses import replace

import pytest

from burnish.core.replies import LegoPart
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, words_of
from burnish.kinds.legos.placement import coverage, guarantees, spans_of, with_uncovered
from burnish.kinds.legos.replies import located
from burnish.languages.profiles import LanguageProfile, profile_of
from tests.kinds.legos.seeds_cut_by_hand import cut as cut_by_hand

STRICT = IronRule("strict", True)


@pytest.fixture(scope="module")
def english() -> LanguageProfile:
    found = profile_of("eng")
    assert found is not None
    return found


def cut(source: str, *parts: str) -> Seed:
    """A course that teaches people their own language: halves are the same on both sides."""
    seed = Seed("C0007", "", source, source, "eng_for_eng")
    return located(tuple(LegoPart(source=p, target=p) for p in parts), seed).seed


def test_a_sound_cut_keeps_all(english: LanguageProfile) -> None:
    assert guarantees(cut("I want to speak with you now.", "I want to speak with you", "now"), english, STRICT) == ()
    assert guarantees(cut("She called me back.", "She", "called me back"), english, STRICT) == ()


def test_no_lego_is_no_cut(english: LanguageProfile) -> None:
    assert guarantees(cut("I sing."), english, STRICT) == ("There is no LEGO.",)


def test_words_that_no_lego_holds_are_named(english: LanguageProfile) -> None:
    [told] = guarantees(cut("I sing a song today.", "I sing", "song"), english, STRICT)
    assert told == 'No LEGO holds "a", "today".'
    [many] = guarantees(cut("go " * 20 + "home", "home"), english, STRICT)
    assert many.endswith(" and 8 more.")


def test_a_word_shared_by_two_legos_is_held(english: LanguageProfile) -> None:
    assert coverage(cut_by_hand("I'm here.", "I", "'m here"), english, STRICT).missing == ()
    assert coverage(cut_by_hand("I'm here.", "I", "m here"), english, STRICT).missing == (0,)


def test_prepositions_at_the_edge_of_the_sentence_may_be_left_out(english: LanguageProfile) -> None:
    seed = cut("With you I sing songs for", "you I sing songs")
    assert guarantees(seed, english, STRICT) == ()
    assert with_uncovered(seed, english, STRICT).uncovered == ("With", "for")
    assert coverage(seed, english, IronRule("phrase_aware", True)) == ((5,), (0,))


def test_what_the_seed_calls_uncovered_is_not_believed(english: LanguageProfile) -> None:
    seed = replace(cut("I sing today.", "I sing"), uncovered=("today",))
    assert guarantees(seed, english, STRICT) == ('No LEGO holds "today".',)
    assert with_uncovered(seed, english, STRICT).uncovered == ()


def test_the_iron_rule_is_told_with_its_word(english: LanguageProfile) -> None:
    told = guarantees(cut("I sing with you", "I sing with", "with you"), english, STRICT)
    assert told == (
        'S7L1, "I sing with", ends with the preposition "with".',
        'S7L2, "with you", begins with the preposition "with".',
    )
    assert len(guarantees(cut("I sing with you", "I sing", "with you"), english, IronRule("phrase_aware", True))) == 0


@pytest.mark.parametrize(
    "lego",
    [
        Lego("I sang", "I sing", 0, 6, 0, 6),
        Lego("I sing", "I sang", 0, 6, 0, 6),
        Lego("I sang", "I sing", NOWHERE, NOWHERE, 0, 6),
        Lego("", "I sing", 3, 3, 0, 6),
    ],
)
def test_halves_that_do_not_stand_in_their_sentence_are_told(lego: Lego, english: LanguageProfile) -> None:
    seed = Seed("C0007", "", "I sing", "I sing", "eng_for_eng", (lego,))
    assert "is not in its sentence" in guarantees(seed, english, STRICT)[0]


def test_a_lego_is_a_stretch_of_words() -> None:
    seed = cut("She called me back.", "called me")
    assert spans_of(words_of(seed.source), seed.legos) == [(1, 3)]


KNOW = Seed("C0007", "", "I know that man.", "Го познавам тој човек.", "mkd_for_eng")
LINKS = ((0, 1), (1, 1), (2, 2), (3, 3))


def paired(*pairs: tuple[str, str], seed: Seed = KNOW) -> Seed:
    return located(tuple(LegoPart(source=s, target=t) for s, t in pairs), seed).seed


def test_halves_that_the_words_of_the_course_contradict_are_told(english: LanguageProfile) -> None:
    assert guarantees(paired(("I know", "Го познавам"), ("that man", "тој човек")), english, STRICT, LINKS) == ()
    swapped = paired(("I know", "тој човек"), ("that man", "Го познавам"))
    assert guarantees(swapped, english, STRICT, LINKS) == (
        "The halves of S7L1 do not say the same, as far as the words of the course tell.",
        "The halves of S7L2 do not say the same, as far as the words of the course tell.",
    )
    assert guarantees(swapped, english, STRICT) == guarantees(swapped, english, STRICT, ()) == ()


def test_one_link_that_leads_over_is_enough_and_words_without_links_are_believed(english: LanguageProfile) -> None:
    wide = paired(("I know that", "тој"), ("man", "Го познавам тој човек"))
    assert guarantees(wide, english, STRICT, LINKS) == ()
    unlinked = paired(("I know", "Го"), ("that man", "познавам тој човек"))
    assert guarantees(unlinked, english, STRICT, ((2, 2), (3, 3))) == ()
    only_back = paired(("I know", "човек"), ("that man", "Го познавам тој човек"))
    [told] = guarantees(only_back, english, STRICT, ((2, 2), (3, 3)))
    assert told.startswith("The halves of S7L1")


def test_a_target_that_is_mostly_left_out_is_told(english: LanguageProfile) -> None:
    one_word = paired(("I know that man", "човек"))
    [told] = guarantees(one_word, english, STRICT, LINKS)
    assert told == 'Most of the target is in no LEGO, although the source says it: "познавам", "тој".'
    half = paired(("I know that man", "тој човек"))
    assert guarantees(half, english, STRICT, LINKS) == ()
    assert guarantees(one_word, english, STRICT, ((3, 3),)) == ()


def test_links_say_nothing_about_halves_that_stand_nowhere(english: LanguageProfile) -> None:
    lego = Lego("I know that man", "човекот", 0, 15, NOWHERE, NOWHERE)
    told = guarantees(replace(KNOW, legos=(lego,)), english, STRICT, LINKS)
    assert told == ('The target half of S7L1, "човекот", is not in its sentence.',)
