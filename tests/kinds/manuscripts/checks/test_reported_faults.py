"""Faults of translations that people reported: each was accepted, damaged or flagged wrongly once."""

from collections.abc import Iterable

import pytest

from burnish.core.checks import select
from burnish.core.findings import Finding
from burnish.core.safe_fixes import apply_safe_fixes
from burnish.kinds.manuscripts.findings import examine
from burnish.kinds.manuscripts.kind import KIND
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.policy import rule_scores

SELECTION = select(KIND.checks)


def paragraph(languages: str, source: str, target: str) -> Paragraph:
    first, second = languages.split(">")
    return Paragraph("p_0001", 1, "paragraph", source, target, source_language=first, target_language=second)


def findings(one: Paragraph) -> tuple[Finding, ...]:
    return examine(one, SELECTION, ManuscriptContext()).findings


def rules(found: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in found if finding.blocks}


def fixed(one: Paragraph) -> str:
    def look(unit: Paragraph):  # type: ignore[no-untyped-def]
        return examine(unit, SELECTION, ManuscriptContext())

    after = apply_safe_fixes(one, look(one), look).unit  # type: ignore[arg-type]
    assert isinstance(after, Paragraph)
    return after.translation


def test_a_text_cut_off_in_a_word_is_not_made_whole_by_a_full_stop() -> None:
    one = paragraph("en>es", "He had lived there for a long time.", "Había vivido allí durante mucho tiemp")
    assert "text_breaks_off" in rules(findings(one))
    assert rule_scores(findings(one))["semantic_fidelity"] < 0.85
    assert fixed(one) == one.translation


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>tr", "We met from time to time.", "Zaman zaman buluştuk."),
        ("en>vi", "He is always late.", "Anh ấy luôn luôn đến muộn."),
        ("en>hi", "He walked slowly.", "वह धीरे धीरे चला।"),
        ("en>kab", "He walked slowly.", "Yelḥa cwiṭ cwiṭ."),
        ("en>es", "It was a really old house.", "Era una casa vieja vieja."),
        ("en>hu", "He comes now and then.", "Néha néha eljön."),
    ],
)
def test_a_word_that_the_language_doubles_stays_doubled(languages: str, source: str, target: str) -> None:
    one = paragraph(languages, source, target)
    assert fixed(one) == target
    assert "doubled_word" not in rules(findings(one))


def test_a_small_word_set_twice_is_still_taken_out() -> None:
    one = paragraph("en>es", "The lamp stood on the table.", "La lámpara estaba en la la mesa.")
    assert fixed(one) == "La lámpara estaba en la mesa."


@pytest.mark.parametrize(
    "wrapped",
    [
        "Here is the translation: {}",
        "Sure! Here is the Spanish version:\n{}",
        "**Translation:** {}",
        "¡Claro! Aquí tienes la traducción: {}",
        "Voici la traduction : {}",
        "Hier ist die Übersetzung: {}",
        "Вот перевод: {}",
        "{} (Note: I kept the translation literal.)",
        "{} I hope this helps!",
    ],
)
def test_chat_round_a_translation_is_an_error(wrapped: str) -> None:
    one = paragraph("en>es", "The sea was calm.", wrapped.format("El mar estaba en calma."))
    assert "chat_wrapping" in rules(findings(one))


def test_lost_bold_and_lost_backticks_are_errors() -> None:
    assert "emphasis_changed" in rules(
        findings(paragraph("en>es", "He was **very** tired then.", "Estaba muy cansado entonces."))
    )
    assert "placeholders_changed" in rules(
        findings(paragraph("en>es", "Run `make` in the folder.", "Ejecute make en la carpeta."))
    )


def test_a_missing_object_is_an_error() -> None:
    one = paragraph("es>en", "El templo era el más grande del país.", "The was the largest in the country.")
    assert "missing_word" in rules(findings(one))


@pytest.mark.parametrize(
    ("languages", "right", "wrong"),
    [
        ("en>tr", "Onun 3 kedisi var.", "Onun 4 kedisi var."),
        ("en>hu", "Három macskája van.", "Négy macskája van."),
        ("en>el", "Έχει τρεις γάτες.", "Έχει 4 γάτες."),
        ("en>vi", "Cô ấy có ba con mèo.", "Cô ấy có 4 con mèo."),
    ],
)
def test_three_cats_stay_three_in_every_language(languages: str, right: str, wrong: str) -> None:
    assert "numbers_changed" not in rules(findings(paragraph(languages, "She has 3 cats.", right)))
    assert "numbers_changed" in rules(findings(paragraph(languages, "She has 3 cats.", wrong)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("hi>en", "जर्मनी ने उम्मीद की थी.", "Northern hopes were high."),
        ("zh>en", "智利是登山者的首选目的地。", "Europe is the first choice of climbers."),
        ("pl>en", "Trenowali w Paryżu.", "They trained in Bali."),
    ],
)
def test_a_country_or_a_city_that_is_gone_is_an_error(languages: str, source: str, target: str) -> None:
    assert "names_changed" in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("pl>en", "Sąd w Gandawie ogłosił upadłość.", "A court in Ghent declared bankruptcy."),
        ("ru>en", "Он будет играть в чемпионате Швеции.", "He will play in the Swedish championship."),
        ("en>he", "When did you come back from Germany?", "מתי חזרת מגרמניה?"),
        ("es>en", "Trabaja para Médicos Sin Fronteras.", "He works for Doctors of the World."),
        ("ja>en", "誰かがそれを支払わなければいけない。", "Someone has to pay for it."),
        ("zh>en", "不管下不下雨，我都每天去公园跑步。", "Whether rain or shine, I go to the park every day to run."),
        ("cs>en", "Nechci s tebou žít.", "I don't want to live with you."),
        ("hi>en", "मैं कल रात सोया नहीं।", "I didn't sleep last night."),
        ("en>he", "I paid $200 in taxes.", "שילמתי מאתיים דולר מסים."),
        ("en>fr", "He left before she could answer.", "Il partit avant qu'elle n'ait pu répondre."),
    ],
)
def test_sound_translations_are_left_alone(languages: str, source: str, target: str) -> None:
    assert not rules(findings(paragraph(languages, source, target)))


def test_another_language_than_was_asked_for_is_an_error() -> None:
    spanish = "El viejo marinero miraba el puerto desde la ventana de su casa y pensaba en su juventud."
    source = "The old sailor looked at the harbour from the window of his house and thought of his youth."
    for target in ("fi", "tr", "hu", "de"):
        assert "untranslated_text" in rules(findings(paragraph(f"en>{target}", source, spanish)))
