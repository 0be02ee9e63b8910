"""The data of every language: whole, bare, without duplicates, and right about sentences that a learner meets."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from importlib.resources import files

import pytest

from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.multiwords import has_inner_dot
from burnish.languages.profiles import KNOWN, LanguageProfile, profile_from, profile_of
from burnish.languages.words import bare

DATA = files("burnish.languages") / "data" / "profiles"
LATIN = re.compile(r"[a-z]")
CYRILLIC = re.compile(r"[а-яѓѕјљњќџѐѝё]")
OPTIONAL = {
    "elided_prepositions", "fixed_words", "contractions", "elisions", "contraction_endings", "split_contractions",
    "elided_pronouns", "pronoun_endings", "seldom_verbs", "adverb_particles", "adverb_prepositions", "stranding_words",
}  # fmt: skip
"""What a language need not have."""


def profile(code: str) -> LanguageProfile:
    found = profile_of(code)
    assert found is not None
    return found


def word_lists(one: LanguageProfile) -> Iterator[tuple[str, frozenset[str]]]:
    yield from ((field.name, getattr(one, field.name)) for field in fields(one) if field.type == "frozenset[str]")


def all_texts(one: LanguageProfile) -> Iterator[str]:
    for _, words in word_lists(one):
        yield from words
    for forms in (*one.verb_forms.values(), *one.other_forms.values()):
        yield from forms
    yield from (verb.base for verb in one.multi_word_verbs)


def test_every_language_has_its_files() -> None:
    names = {entry.name for entry in DATA.iterdir() if entry.name.endswith(".toml")}
    assert names == {f"{code}{end}.toml" for code in KNOWN for end in ("", "_verbs")}


@pytest.mark.parametrize("declared", ["en", "eng", "EN", "English", "en-GB"])
def test_a_language_is_found_by_its_codes_and_name(declared: str) -> None:
    assert profile(declared).code == "en"


@pytest.mark.parametrize("declared", ["", "xx", "kab", "tlh", "mkde", "../en"])
def test_a_language_without_data_is_none(declared: str) -> None:
    assert profile_of(declared) is None


def test_a_language_is_loaded_once() -> None:
    assert profile_of("mkd") is profile_of("mk")


@pytest.mark.parametrize("code", KNOWN)
def test_every_list_is_filled_and_bare(code: str) -> None:
    one = profile(code)
    assert [name for name, words in word_lists(one) if not words and name not in OPTIONAL] == []
    assert [text for text in all_texts(one) if text != bare(text) or text != " ".join(text.split())] == []


@pytest.mark.parametrize("code", KNOWN)
def test_words_are_written_in_one_script(code: str) -> None:
    foreign = LATIN if code in ("ru", "mk") else CYRILLIC
    assert [text for text in all_texts(profile(code)) if foreign.search(text)] == []


@pytest.mark.parametrize("code", KNOWN)
def test_every_field_of_a_file_is_read(code: str) -> None:
    data = tomllib.loads((DATA / f"{code}.toml").read_text(encoding="utf-8"))
    known = {field.name for field in fields(LanguageProfile)} | {"further_function_words", "spelled_also", "clitics"}
    assert set(data) <= known


@pytest.mark.parametrize("code", KNOWN)
def test_multi_word_verbs_are_of_several_words_and_stand_once(code: str) -> None:
    verbs = profile(code).multi_word_verbs
    assert [verb.base for verb in verbs if len(verb.words) < 2] == []
    assert [base for base, times in Counter(verb.base for verb in verbs).items() if times > 1] == []


@pytest.mark.parametrize("code", KNOWN)
def test_prepositional_verbs_end_with_a_preposition_and_particles_are_prepositions(code: str) -> None:
    one = profile(code)
    marked = [verb for verb in one.multi_word_verbs if verb.prepositional]
    assert [verb.base for verb in marked if not one.is_preposition(verb.words[-1])] == []
    assert one.adverb_particles <= one.prepositions


def test_a_verb_that_is_only_called_prepositional_is_a_joined_one() -> None:
    verbs = {verb.base: verb for verb in profile("de").multi_word_verbs}
    assert (verbs["warten auf"].separable, verbs["warten auf"].prepositional) == (False, True)
    assert (verbs["haben angst vor"].separable, verbs["haben angst vor"].prepositional) == (True, True)


@pytest.mark.parametrize(
    ("text", "code", "inner"),
    [
        ("Dr. Jackson", "en", True),
        ("Dr. Jackson", None, True),
        ("Sra. García", "en", False),
        ("Sra. García", None, True),
        ("U.S. President", "en", True),
        ("U.S. He", "en", False),
        ("U.S. President", None, False),
        ("p.m. today", None, True),
        ("J. Smith", "en", True),
        ("cat. Dogs", "en", False),
    ],
)
def test_a_full_stop_inside_a_sentence(text: str, code: str | None, inner: bool) -> None:
    assert has_inner_dot(*words_of(text), profile(code) if code else None) is inner


@pytest.mark.parametrize("code", KNOWN)
def test_every_multi_word_verb_begins_with_a_verb_whose_forms_are_known(code: str) -> None:
    one = profile(code)
    assert [verb.base for verb in one.multi_word_verbs if len(one.forms_of(verb.words[0])) < 2] == []


@pytest.mark.parametrize(
    ("code", "least"),
    [("en", 1200), ("de", 500), ("es", 300), ("fr", 300), ("it", 300), ("pt", 300), ("ru", 300), ("mk", 200)],
)
def test_there_are_many_multi_word_verbs(code: str, least: int) -> None:
    assert len(profile(code).multi_word_verbs) >= least


@pytest.mark.parametrize(
    ("code", "sentence", "base"),
    [
        ("en", "She turned it on", "turn on"),
        ("en", "I am looking forward to it", "look forward to"),
        ("en", "He takes care of them", "take care of"),
        ("en", "They made up their mind", "make up one's mind"),
        ("en", "We ran out of milk", "run out of"),
        ("es", "Tengo que irme", "tener que"),
        ("es", "Me di cuenta de eso", "dar cuenta de"),
        ("fr", "Nous avons besoin de toi", "avoir besoin de"),
        ("it", "Hanno bisogno di aiuto", "avere bisogno di"),
        ("pt", "Tomamos uma decisão", "tomar decisão"),
        ("de", "Ich rufe dich morgen an", "rufen an"),
        ("ru", "Он принял участие в игре", "принять участие в"),
        ("mk", "Тие обрнаа внимание на тоа", "обрне внимание на"),
        ("mk", "Се сеќавам на тоа", "се сеќава"),
    ],
)
def test_the_words_of_a_multi_word_verb_are_found_in_a_sentence(code: str, sentence: str, base: str) -> None:
    one, words = profile(code), [word.bare for word in words_of(sentence)]
    candidates = {verb for word in words for verb in one.multi_word_verbs_of.get(word, ())}
    [verb] = [verb for verb in candidates if verb.base == base]
    behind = [one.other_forms.get(word, frozenset((word,))) for word in verb.words[1:]]
    assert all(not forms.isdisjoint(words) for forms in behind)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", "of to in on at with from by about for"),
        ("es", "a al de del en con por para sin"),
        ("fr", "à au aux de du dans avec chez"),
        ("it", "di dello nel sulla dal con per"),
        ("de", "zum zur im vom mit für aufgrund"),
        ("pt", "no na pelo do ao à em com"),
        ("ru", "в во на с со из-за под"),
        ("mk", "во на со од кај за поради"),
    ],
)
def test_prepositions(code: str, words: str) -> None:
    assert [word for word in words.split() if not profile(code).is_preposition(word)] == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", "like as than back i the please because"),
        ("es", "el que y yo"),
        ("fr", "des le que"),
        ("pt", "a o que"),
        ("ru", "надо и не"),
        ("mk", "да и не"),
    ],
)
def test_words_that_are_no_preposition_in_most_sentences(code: str, words: str) -> None:
    assert [word for word in words.split() if profile(code).is_preposition(word)] == []


def test_an_elided_preposition_opens_a_word_and_does_not_end_it() -> None:
    french = profile("fr")
    assert french.begins_with_preposition("d'amérique") and not french.is_preposition("d'amérique")
    assert not french.begins_with_preposition("d'accord")
    assert profile("it").begins_with_preposition("dell'acqua")
    assert not french.begins_with_preposition("d'") and french.begins_with_preposition("avec")


def test_pronouns_inside_a_word() -> None:
    assert profile("en").is_pronoun("i'm") and profile("en").is_pronoun("you")
    assert profile("fr").is_pronoun("j'ai") and profile("fr").is_pronoun("avez-vous")
    assert profile("pt").is_pronoun("lembro-me")
    assert not profile("fr").is_pronoun("maison")


def test_contractions() -> None:
    english = profile("en")
    assert all(map(english.is_contraction, ("don't", "i'm", "you're", "somebody'll")))
    assert not english.is_contraction("dont")
    assert not english.is_contraction("n't"), "a piece of a contraction is none"
    assert {"n't", "'re"} <= english.split_contractions
    assert profile("fr").is_contraction("l'homme") and profile("it").is_contraction("dell'acqua")


def test_what_counts_as_a_verb() -> None:
    english = profile("en")
    assert all(map(english.is_verb, ("am", "want", "wanted", "running", "can't")))
    assert not any(map(english.is_verb, ("back", "party", "house")))


def test_the_longest_multi_word_verb_comes_first() -> None:
    bases = [len(verb.words) for verb in profile("en").multi_word_verbs_of["looking"]]
    assert bases == sorted(bases, reverse=True) and bases[0] > 2


def test_infinitive_marker_and_first_person() -> None:
    assert [profile(code).infinitive_marker for code in ("en", "de", "es")] == ["to", "zu", ""]
    expected = {"en": "i", "es": "yo", "fr": "je", "it": "io", "de": "ich", "pt": "eu", "ru": "я", "mk": "јас"}
    assert all(word in profile(code).first_person for code, word in expected.items())


def test_frames_courtesy_and_incomplete_verbs() -> None:
    english = profile("en")
    assert {"i want to", "can you"} <= english.frames
    assert {"thank you", "please"} <= english.courtesy
    assert {"want", "need", "have", "going", "trying", "used", "able"} <= english.incomplete_verbs
    assert "me gustaría" in profile("es").frames


def test_letters_that_are_written_in_two_ways() -> None:
    russian = profile("ru")
    assert {"ещё", "еще"} <= russian.time_words
    assert russian.other_forms["всерьёз"] == {"всерьёз", "всерьез"}


def test_a_language_from_data() -> None:
    data = tomllib.loads(
        """
        name = "Small"
        infinitive_marker = ""
        verb_reach = 2
        prepositions = "Auf  mit"
        courtesy = "Guten  Tag, , bitte"
        clitics = "se"
        [multi_word_verbs.joined]
        se = "laver"
        [forms]
        [verbs]
        regular = "laver"
        [verbs.regular_forms]
        er = "~e ~er"
        [verbs.irregular]
        se = "me te"
        """
    )
    small = profile_from("xx", data)
    assert small.prepositions == {"auf", "mit"} and small.courtesy == {"guten tag", "bitte"}
    assert small.other_forms == {"laver": {"laver", "lave"}}
    assert [verb.base for verb in small.multi_word_verbs_of["me"]] == ["se laver"]
