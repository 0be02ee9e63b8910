"""How texts end, how long they may be, where blanks and marks stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.manuscripts.checks.end_punctuation import end_of
from burnish.kinds.manuscripts.checks.length_ratio import compared
from burnish.kinds.manuscripts.checks.sentence_shape import shapes
from burnish.kinds.manuscripts.checks.spacing import slips_of_spacing
from burnish.kinds.manuscripts.checks.stray_punctuation import strays
from burnish.kinds.manuscripts.checks.target_typography import typography
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.sentences import Closing, sign_of
from burnish.languages.words import Slip


def sides(source: str, translation: str, languages: str = "en-es") -> tuple[Side, Side]:
    ours, theirs = languages.split("-")
    paragraph = Paragraph("p_0001", 1, "paragraph", source, translation, source_language=ours, target_language=theirs)
    return source_of(paragraph), target_of(paragraph)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It rains.", "en", "period"),
        ("“It rains.”", "en", "period"),
        ("It *rains.*[^1] {: .note}", "en", "period"),
        ("雨だ。」", "ja", "period"),
        ("वर्षा होती है।", "hi", "period"),
        ("Tifinagh ⴰⵡⴰⵍ", "zgh", "none"),
        ("पानी", "hi", "none"),
        ("Wait...", "en", "ellipsis"),
        ("Γιατί;", "el", "question"),
        ("أين؟", "ar", "question"),
        ("as follows:", "en", "colon"),
        ("one;", "en", "semicolon"),
        ("one,", "en", "comma"),
        ("one —", "en", "dash"),
        ("Run `x`", "en", "other"),
        ("5 %", "en", "other"),
    ],
)
def test_how_a_text_ends(text: str, language: str, expected: Closing) -> None:
    end = end_of(sides("", text, f"en-{language}")[1])
    assert end is not None and end.closing == expected


def test_nothing_ends_nowhere() -> None:
    assert end_of(sides("", "")[1]) is None
    assert end_of(sides("", "“ ”")[1]) is None


@given(st.text(max_size=60))
def test_an_end_is_a_place_of_the_text(text: str) -> None:
    end = end_of(sides("", text)[1])
    assert end is None or (0 <= end.start < end.end <= len(text))


def test_marks_of_languages() -> None:
    assert sign_of("period", "zh") == "。" and sign_of("period", "es") == "."
    assert sign_of("question", "fr") == "\u202f?" and sign_of("comma", "es") == ""


def test_short_texts_may_differ_more_than_long_ones() -> None:
    short = compared(*sides("He shut the door.", "Cerró la puerta con cuidado."))
    long = compared(*sides("He shut the door. " * 30, "Cerró la puerta con cuidado. " * 30))
    assert short is not None and long is not None
    assert short.warning > long.warning and short.error > short.warning
    assert compared(*sides("Yes.", "Sí, claro que sí.")) is None
    assert compared(*sides("He shut the door and left.", "")) is None


def test_unknown_languages_are_guessed_by_their_script() -> None:
    dense = compared(*sides("彗星可能是地球上的水和有机物的来源，这些有机物可以形成蛋白质。", "x" * 140, "und-en"))
    assert dense is not None and abs(dense.excess) < dense.error


def marks(slips: list[Slip], text: str) -> list[str]:
    return [text[max(0, slip.start - 1) : slip.end + 1] for slip in slips]


@pytest.mark.parametrize(
    ("source", "translation", "languages", "expected"),
    [
        ("a, b", "uno , dos", "en-es", ["o , "]),
        ("a? b", "un ? deux", "en-fr", []),
        ("a ! b", "uno !", "en-es", ["o !"]),
        ("a. B", "El final.Luego sigue", "en-es", ["nal.Lue"]),
        ("a, b", "uno, dos :) :(", "en-es", []),
        ("a  b", "uno  dos", "en-es", []),
        ("one two", "uno  dos", "en-es", ["o  d"]),
        ("a (b)", "uno ( dos )", "en-es", ["( d", "s )"]),
        ("a", "do n't", "es-en", ["o n"]),
        ("a", "下雨,走", "en-zh", []),
    ],
)
def test_blanks(source: str, translation: str, languages: str, expected: list[str]) -> None:
    assert marks(list(slips_of_spacing(*sides(source, translation, languages))), translation) == expected


def test_the_habit_of_the_source_is_told_softly() -> None:
    assert {slip.severity for slip in slips_of_spacing(*sides("Who ?", "¿Quién ?"))} == {"warning"}
    assert not list(slips_of_spacing(*sides("a b", "a  b"), table=True))


@pytest.mark.parametrize(
    ("source", "translation", "languages", "expected"),
    [
        ("Er ging.", "He@ went.", "de-en", ["e@ "]),
        ("Er ging.", "He went,; then.", "de-en", ["t,; "]),
        ("Er ging.", "He went.. then", "de-en", ["t.. "]),
        ("Er ging fort.", "He is; going away.", "de-en", ["s; "]),
        ("Er ging 3 mal.", "He went? 3 times.", "de-en", ["t? "]),
        ("Er ging.", "He got an iPhone. iPads too.", "de-en", []),
        ("Er ging.", "He came as pre- and post-doc, an' left.", "de-en", []),
        ("-Ja- sagte er.", "He said -yes- and left.", "de-en", []),
        ("Il alla.", "Он ушёл- домой.", "fr-ru", ["л- "]),
        ("Er ging.", "d- yekkren", "de-kab", []),
        ("Er ging.", "He said 'go and left' then.", "de-en", []),
    ],
)
def test_strays(source: str, translation: str, languages: str, expected: list[str]) -> None:
    assert marks(list(strays(*sides(source, translation, languages))), translation) == expected


@pytest.mark.parametrize(
    ("source", "translation", "languages", "expected"),
    [
        ("Who?", "¿Quién? ¡Tú! (¡sí!)", "en-es", []),
        ("Who?", "Quién?", "en-es", ["n?"]),
        ("Who?!", "¿Quién?!", "en-es", []),
        ("Yahoo! is old.", "Yahoo! es viejo.", "en-es", []),
        ("Press go.", "Pulsa 'Go!' y \"Ya!\" hoy.", "en-es", []),
        ("See it?", "¿Lo ves en https://a.b/?q=1 hoy?", "en-es", []),
        ("“a” b", "«a» et 'b' : c", "en-fr", ["«a", "a» "]),
        ("a: b", "a: b (:", "en-fr", ["a: "]),
        ("a — b", "uno - dos", "en-es", ["o - d"]),
        ("a - b", "uno - dos", "en-es", []),
        ("“a” b", '“a” y "b"', "en-es", [' "b"']),
        ("“a”", "»a«, „b“", "en-de", []),
        ("“a”", "„a“", "en-fr", ["„a“"]),
    ],
)
def test_typography(source: str, translation: str, languages: str, expected: list[str]) -> None:
    found = list(typography(*sides(source, translation, languages)))
    assert sorted(marks(found, translation)) == sorted(expected)


def test_lines_that_were_ended_on_purpose() -> None:
    address = "12 Long Street  \nOld Town"
    assert [slip.severity for slip in shapes(*sides(address, "Calle Larga 12, Ciudad Vieja"))] == ["warning"]
    assert not list(shapes(*sides(address, "Calle Larga 12  \nCiudad Vieja")))
    wrapped = "a line that an editor wrapped\nand that goes on"
    assert not list(shapes(*sides(wrapped, "una línea")))
    assert not list(shapes(*sides("一。二。三。四。", "One two.", "zh-en")))
