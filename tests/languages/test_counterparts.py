"""Gaps: what a translation leaves out and what it adds, by a lexicon, lengths and sentences."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.languages.counterparts import Gaps, gaps, gaps_of, relation
from burnish.languages.lexicon import Lexicon, lexicon_for

SOURCE = (
    "The old woman went to the market every morning. She sold bread and milk. "
    "In the evening she sat by the window and read a book."
)
WHOLE = {
    "de": (
        "Die alte Frau ging jeden Morgen auf den Markt. Sie verkaufte Brot und Milch. "
        "Am Abend saß sie am Fenster und las ein Buch."
    ),
    "es": (
        "La anciana iba al mercado todas las mañanas. Vendía pan y leche. "
        "Por la noche se sentaba junto a la ventana y leía un libro."
    ),
    "ru": (
        "Старая женщина каждое утро ходила на рынок. Она продавала хлеб и молоко. "
        "Вечером она сидела у окна и читала книгу."
    ),
}
ADDED = {
    "de": " Gestern hat ihr Bruder ein neues Auto gekauft und ist damit ans Meer gefahren.",
    "es": " Ayer su hermano compró un coche nuevo y fue con él hasta el mar.",
    "ru": " Вчера её брат купил новую машину и поехал на ней к морю.",
}


def found(language: str, source: str, target: str) -> Gaps:
    lexicon = lexicon_for("en", language)
    assert lexicon is not None
    return gaps(lexicon, source, target)


@pytest.mark.parametrize("language", WHOLE)
def test_a_sound_translation_has_no_gap(language: str) -> None:
    sound = found(language, SOURCE, WHOLE[language])
    assert all(gap is None or gap.score < 4 for gap in (sound.source, sound.target))
    assert sound.is_trusted


@pytest.mark.parametrize("language", WHOLE)
def test_a_dropped_last_sentence_is_quoted_to_its_end(language: str) -> None:
    gap = found(language, SOURCE, WHOLE[language].rsplit(". ", 1)[0] + ".").source
    assert gap is not None and gap.score >= 5
    assert SOURCE[gap.start : gap.end].endswith("and read a book.")
    assert "bread" not in SOURCE[gap.start : gap.end]


@pytest.mark.parametrize("language", WHOLE)
def test_an_added_sentence_is_quoted(language: str) -> None:
    text = WHOLE[language] + ADDED[language]
    gap = found(language, SOURCE, text).target
    assert gap is not None and gap.score >= 7
    assert text[gap.start : gap.end] in ADDED[language]


CUT = (
    ("en", "de", "She has been waiting for the answer from the ministry.", "Sie wartet auf die Antwort von dem."),
    ("en", "es", "Nobody wants to live in the house at the end of the valley.", "Nadie quiere vivir en la casa del."),
    ("pl", "en", "W sobotę wystąpią w meczu o brązowy medal.", "On Saturday they will play in the."),
)


@pytest.mark.parametrize(("source", "target", "text", "cut"), CUT)
def test_a_last_word_that_never_ends_a_sentence_speaks_for_a_cut(source: str, target: str, text: str, cut: str) -> None:
    lexicon = lexicon_for(source, target)
    assert lexicon is not None
    uncounted = replace(lexicon, source_ends={}, target_ends={})
    [gap, before] = (gaps(one, text, cut).source for one in (lexicon, uncounted))
    assert gap is not None and before is not None
    assert gap.score > before.score + 1


def test_a_usual_last_word_speaks_against_a_cut() -> None:
    lexicon = lexicon_for("en", "es")
    assert lexicon is not None
    text, whole = "We bought the tickets for the concert already yesterday.", "Compramos las entradas ayer."
    [gap, before] = (gaps(one, text, whole).source for one in (lexicon, replace(lexicon, target_ends={})))
    assert gap is not None and before is not None and gap.score < before.score


def test_whole_sentences_are_told_from_parts() -> None:
    whole = found("de", SOURCE, WHOLE["de"] + ADDED["de"]).target
    part = found("de", SOURCE, WHOLE["de"].removesuffix(".") + ADDED["de"].replace(" Gestern", ", und gestern")).target
    assert whole is not None and whole.is_whole
    assert part is not None and not part.is_whole


def test_a_counterpart_far_away_is_none() -> None:
    """The words of the last sentence all occur in the translation, in its first one."""
    source = f"The dog saw the house. {SOURCE} {SOURCE} The dog saw the house."
    target = f"Der Hund sah das Haus. {WHOLE['de']} {WHOLE['de']}"
    gap = found("de", source, target).source
    assert gap is not None and gap.score >= 4
    assert gap.end == len(source) and len(source) - gap.start < 30


def test_unrelated_texts_have_no_gaps() -> None:
    assert gaps_of(SOURCE, "Niemand wusste, warum der König drei Söhne in den Krieg schickte.", ("en", "de")) is None
    assert gaps_of(SOURCE, SOURCE, ("en", "en")) is None
    assert gaps_of(SOURCE, SOURCE, ("en", "tlh")) is None


def test_words_without_counterparts_are_not_looked_at() -> None:
    lexicon = lexicon_for("en", "de")
    assert lexicon is not None
    sound = relation(lexicon, SOURCE, WHOLE["de"])
    gibberish = relation(
        lexicon, SOURCE, "Blorgen hulivat Kassenpo und tuvi lami, alte Meraku tijol Satuman hymyr war."
    )
    assert sound is not None and sound.is_close
    assert gibberish is None or not gibberish.is_close


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_can_be_laid_beside_each_other(source: str, target: str) -> None:
    for side, text in zip(found("es", source, target)[:2], (source, target), strict=True):
        assert side is None or 0 <= side.start < side.end <= len(text)


@pytest.mark.parametrize("text", ["dog cat " * 5_000, "The dog. " * 5_000, "house " * 10_000])
def test_time_grows_with_the_text(text: str) -> None:
    lexicon = lexicon_for("en", "de")
    assert isinstance(lexicon, Lexicon)
    begun = time.process_time()
    gaps(lexicon, text, "Hund Katze Haus. " * 2_500)
    assert time.process_time() - begun < 10, "a few seconds at most, however the words repeat"
