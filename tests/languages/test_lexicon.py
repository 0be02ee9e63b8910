"""Bilingual lexicons: what is learned, what is said of a pair, and what a file of one must be."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.languages import lexicon as module
from burnish.languages.alignment import learned
from burnish.languages.counterparts import floor, relation
from burnish.languages.lexicon import FOLDER, Lexicon, is_trusted, lexicon_for, load, stems

ANIMALS = {"dog": "perro", "cat": "gato", "bird": "pájaro", "horse": "caballo", "mouse": "ratón", "sheep": "oveja"}
DEEDS = {"eats": "come", "sleeps": "duerme", "sings": "canta", "runs": "corre", "waits": "espera", "dreams": "sueña"}
PLACES = {"house": "casa", "garden": "jardín", "street": "calle", "forest": "bosque", "river": "río"}


def toy_pairs() -> list[tuple[str, str]]:
    parts = product(ANIMALS.items(), DEEDS.items(), PLACES.items())
    return [(f"The {a} {d} in the {p}.", f"El {x} {y} en la {z}.") for (a, x), (d, y), (p, z) in parts]


@pytest.fixture(scope="module")
def toy() -> Lexicon:
    return learned(toy_pairs(), "en", "es")


def test_words_that_translate_each_other_are_learned(toy: Lexicon) -> None:
    for word, other in {**ANIMALS, **DEEDS, **PLACES}.items():
        assert next(iter(toy.translations(word))) == other[:5], word


def test_it_is_measured_on_pairs_it_was_not_learned_from(toy: Lexicon) -> None:
    assert toy.about["pairs"] == len(toy_pairs())
    assert toy.about["auc"] > 0.97
    assert toy.about["unrelated"] < floor(toy, 50) < toy.about["mean"]
    assert is_trusted(toy)


def test_a_run_without_counterpart_is_seen_word_by_word(toy: Lexicon) -> None:
    compared = toy.compare("The dog eats in the house and the cat sleeps in the garden.", "El perro come en la casa.")
    lost = {stem.text for stem, weight in compared.source if weight < 0}
    assert {"cat", "sleep", "garde"} <= lost
    assert not {"dog", "eats", "house"} & lost
    assert compared.share("target") == 1.0
    assert (compared.share("source") or 0) < 1.0


def test_the_same_bytes_come_back(toy: Lexicon, tmp_path: Path) -> None:
    path = tmp_path / "en-es.gz"
    path.write_bytes(toy.packed())
    again = load(path)
    assert again.packed() == toy.packed()
    assert again.links == toy.links
    assert again.about == toy.about
    assert (again.source_ends, again.target_ends) == (toy.source_ends, toy.target_ends)
    assert set(toy.source_ends) == {word[:5] for word in PLACES}, "these end every sentence"


# Without a fixed time the ids of these cases differ from second to second, and two workers collect different tests.
OTHER_FILES = [b"", b"not packed", *(gzip.compress(data, mtime=0) for data in (b"[]", b'{"source": "en"}\nx'))]


@pytest.mark.parametrize("data", OTHER_FILES)
def test_another_file_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "strange.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match="not a lexicon of Burnish"):
        load(path)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"0" * 1_000_000))
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        load(path)


def test_words_of_every_script_have_their_places() -> None:
    text = "Die Häuser, 3 Δρόμοι; 猫は魚を食べる والكتاب"
    for language in ("de", "ja", "ar"):
        for stem in stems(text, language):
            assert text[stem.start : stem.end]
    assert [stem.text for stem in stems("والكتاب", "ar")] == ["كتاب"]
    assert [stem.text for stem in stems("猫は魚を", "ja")] == ["猫", "は", "魚", "を"]
    assert [stem.text for stem in stems("Häusern", "de")] == ["häuse"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_compared(source: str, target: str) -> None:
    lexicon = lexicon_for("en", "es")
    assert lexicon is not None
    compared = lexicon.compare(source, target)
    assert compared.score is None or -2.31 <= compared.score <= module.MOST
    for side, text in ((compared.source, source), (compared.target, target)):
        assert all(0 <= stem.start < stem.end <= len(text) for stem, _ in side)


SOUND = {
    "de": "Der Hund jagte die Katze durch den Garten.",
    "es": "El perro persiguió al gato por el jardín.",
    "fr": "Le chien a poursuivi le chat dans le jardin.",
    "ru": "Собака гналась за кошкой по саду.",
}
STRANGE = {
    "de": "Gestern hat sie zwei Briefe geschrieben.",
    "es": "Ayer ella escribió dos cartas.",
    "fr": "Hier, elle a écrit deux lettres.",
    "ru": "Вчера она написала два письма.",
}


@pytest.mark.parametrize("language", SOUND)
def test_a_strange_text_is_told_from_a_translation(language: str) -> None:
    lexicon = lexicon_for("en", language)
    assert lexicon is not None
    source = "The dog chased the cat through the garden."
    sound, strange = (relation(lexicon, source, texts[language]) for texts in (SOUND, STRANGE))
    assert sound is not None
    assert not sound.is_doubtful
    assert strange is not None
    assert strange.is_doubtful


def test_too_few_words_say_nothing() -> None:
    lexicon = lexicon_for("en", "de")
    assert lexicon is not None
    assert relation(lexicon, "Yes.", "Nein.") is None


def test_names_are_found_across_scripts() -> None:
    lexicon = lexicon_for("en", "hi")
    assert lexicon is not None
    compared = lexicon.compare("Wolfgang Kretschmann", "वोल्फगांग क्रेट्शमान")
    assert any(weight == module.MOST for _, weight in compared.target)


def test_every_lexicon_that_comes_with_burnish_is_sound() -> None:
    paths = sorted(FOLDER.glob("*.gz"))
    assert len(paths) == 26
    assert sum(path.stat().st_size for path in paths) < 12_000_000
    assert [path.name for path in paths if not is_trusted(load(path))] == ["en-bg.gz", "en-kab.gz", "en-mk.gz"]
    assert all(one.source_ends and one.target_ends for one in map(load, paths))


def test_the_other_direction_is_the_same_lexicon() -> None:
    back = lexicon_for("de", "en")
    assert back is not None
    assert (back.source, back.target) == ("de", "en")
    assert next(iter(back.translations("Hund"))) == "dog"


def test_two_languages_meet_in_english_and_only_warn() -> None:
    through = lexicon_for("de", "es")
    assert through is not None
    assert next(iter(through.translations("Hund"))) == "perro"
    assert through.about["through"] == "en"
    assert not is_trusted(through)


def test_no_lexicon_for_a_language_that_nobody_learned() -> None:
    assert lexicon_for("en", "tlh") is None
    assert lexicon_for("en", "en") is None


def test_what_the_users_own_says_counts_first() -> None:
    pairs = [(f"the dog sees {number} houses", f"el can ve {number} casas") for number in range(120)]
    own = learned(pairs, "en", "es")
    lexicon = lexicon_for("en", "es", own)
    assert lexicon is not None and is_trusted(lexicon)
    others = [lexicon_for("en", "de", some) for some in (own, None)]
    assert others[0] is not None and others[1] is not None and others[0].links == others[1].links
    assert next(iter(lexicon.translations("dog"))) == "can"
    assert next(iter(lexicon.translations("garden"))) == "jardí"
