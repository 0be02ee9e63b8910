"""Damage: where it goes, and which phrases fit."""

from burnish.core.damage import Damage, Damaged, Phrase, changed_text, inserted, phrases_for
from tests.core.units import PlainUnit

UNITS = [PlainUnit.of("a", stem="one two"), PlainUnit.of("b", stem="three four")]
PHRASES = tuple(Phrase(language or "any", language) for language in ("fr", "en", ""))


def damage(*, is_meaning: bool) -> Damage:
    return Damage("d", "Damage", lambda *_: None, PHRASES, is_meaning)


def test_words_go_into_one_unit_at_their_place() -> None:
    assert inserted(UNITS, 1, "stem", 5, " more") == Damaged(
        (PlainUnit.of("b", stem="three more four"),), "stem", (5, 10)
    )


def test_a_change_that_changes_nothing_is_none() -> None:
    assert changed_text(UNITS, 0, "stem", "one two", (0, 3)) is None
    assert inserted(UNITS, 0, "stem", 3, "") is None
    assert changed_text(UNITS, 0, "stem", "One two", None) == Damaged((PlainUnit.of("a", stem="One two"),), "stem")


def test_a_text_gets_phrases_of_its_language_and_english_ones_unless_the_form_stays_sound() -> None:
    assert [phrase.text for phrase in phrases_for(damage(is_meaning=False), "fr")] == ["fr", "en", "any"]
    assert [phrase.text for phrase in phrases_for(damage(is_meaning=True), "fr")] == ["fr", "any"]
    assert [phrase.text for phrase in phrases_for(damage(is_meaning=False), "de")] == ["en", "any"]
    assert [phrase.text for phrase in phrases_for(damage(is_meaning=True), None)] == ["any"]


def test_a_damage_shows_in_the_form_and_not_only_in_the_meaning_unless_it_says_so() -> None:
    plain = Damage("d", "Damage", lambda *_: None)
    assert not plain.is_meaning and plain.phrases == () and Phrase("x", "en").half == "open"
