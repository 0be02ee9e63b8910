"""Texts in another language than they say: as a whole, by paragraphs, or in another script."""

import pytest

from burnish.text.markdown import markdown
from burnish.text.wrong_language import is_wrong_script, strange_language, strange_paragraphs

ENGLISH = (
    "The heart is a muscle that pumps blood through the body. It has four chambers, and each of them has a valve "
    "that keeps the blood from flowing back. When the heart beats, the valves open and close one after the other."
)
SPANISH = (
    "El corazón es un músculo que bombea la sangre por el cuerpo. Tiene cuatro cámaras, y cada una de ellas tiene una "
    "válvula que impide que la sangre vuelva atrás. Cuando el corazón late, las válvulas se abren y se cierran."
)
RUSSIAN = "Сердце — это мышца, которая качает кровь по телу. У него четыре камеры, и у каждой из них есть клапан."
SHORT = "El agua es muy buena."


@pytest.mark.parametrize(
    ("language", "text", "strange"),
    [
        ("en", ENGLISH, []),
        ("es", SPANISH, []),
        ("en", SPANISH, ["es"]),
        ("es", ENGLISH, ["en"]),
        ("en", f"{ENGLISH}\n\n{SPANISH}\n\n{ENGLISH}", ["es"]),
        ("en", f"{ENGLISH}\n\n> {SPANISH}", []),
        ("en", f"{ENGLISH}\n\n- {SPANISH}", []),
        ("en", f"{ENGLISH}\n\nHe wrote: “{SPANISH}”", []),
        ("en", f"{ENGLISH}\n\n`{SPANISH}`", []),
        ("en", SHORT, []),
        ("en", "\n\n".join([SHORT] * 12), ["es"]),
    ],
)
def test_the_authors_own_paragraphs_in_another_language_are_found(language: str, text: str, strange: list[str]) -> None:
    found, total = strange_paragraphs(markdown(text), language)
    assert [one.language for one in found] == strange
    assert (total == 0) is (text == SHORT)
    for one in found:
        assert text[one.start : one.end].startswith(("El", "The")) and one.words > 20


@pytest.mark.parametrize(
    ("language", "text", "severities"),
    [
        ("en", ENGLISH, []),
        ("en", SPANISH, ["critical"]),
        ("en", f"{ENGLISH}\n\n{SPANISH}\n\n{ENGLISH}", ["warning"]),
        ("en", f"{ENGLISH}\n\n{SPANISH}\n\n{SPANISH}", ["critical"]),
        ("en", f"{ENGLISH}\n\n{ENGLISH}\n\n{ENGLISH}\n\n{SPANISH}\n\n{SPANISH}", ["warning", "warning"]),
        ("und", SPANISH, []),
        ("", SPANISH, []),
        ("ru", RUSSIAN, []),
        ("ru", ENGLISH, ["critical"]),
    ],
)
def test_half_of_a_text_in_another_language_makes_all_of_it_wrong(
    language: str, text: str, severities: list[str]
) -> None:
    view = markdown(text)
    assert [slip.severity for slip in strange_language(view, language)] == severities
    guessed = [slip.severity for slip in strange_language(view, language, is_guess=True)]
    assert guessed == ["error" if severity == "critical" else severity for severity in severities]


@pytest.mark.parametrize(
    ("language", "text", "is_wrong"),
    [
        ("ru", RUSSIAN, False),
        ("ru", ENGLISH, True),
        ("ru", f"{RUSSIAN} {RUSSIAN} Word.", False),
        ("ru", "Word.", False),
        ("en", RUSSIAN, False),
        ("xx", RUSSIAN, False),
    ],
)
def test_a_text_in_latin_letters_is_no_text_of_a_language_without_them(
    language: str, text: str, is_wrong: bool
) -> None:
    assert is_wrong_script(markdown(text), language) is is_wrong
