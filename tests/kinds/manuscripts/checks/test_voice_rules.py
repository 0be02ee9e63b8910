"""The rules of voice on cases that their examples do not show."""

import pytest

from burnish.kinds.manuscripts.checks.formality_mixed import misaddressed
from burnish.kinds.manuscripts.checks.person_changed import changed_persons
from burnish.kinds.manuscripts.checks.question_or_exclamation import changed_questions as changed
from burnish.kinds.manuscripts.checks.tense_changed import changed_times
from burnish.languages.voice import sentence_marks as marks
from burnish.text.markdown import markdown

Pair = tuple[str, str]


def asked(text: str, translation: str, languages: Pair) -> list[str]:
    return [slip.severity for slip in changed(markdown(translation), markdown(text), languages)]


@pytest.mark.parametrize(
    ("text", "translation", "languages", "expected"),
    [
        ("I wonder who came.", "¿Quién habrá venido?", ("en", "es"), []),
        ("¿Te molesta?, dijo.", "Does it bother you? he said.", ("es", "en"), []),
        ("他来吗。", "Is he coming?", ("zh", "en"), []),
        ("他来。", "Is he coming?", ("zh", "en"), ["error"]),
        ("Ποιος ήρθε;", "Who came?", ("el", "en"), []),
        ("Come!", "Ven.", ("en", "es"), ["info"]),
        ("He said they came.", "Он спросил, пришли ли они?", ("en", "ru"), ["error"]),
        ("Сосредоточили внимание.", "Did they focus?", ("ru", "en"), ["error"]),
    ],
)
def test_questions(text: str, translation: str, languages: Pair, expected: list[str]) -> None:
    assert asked(text, translation, languages) == expected


def test_marks_are_counted_once_a_row_and_not_inside_words() -> None:
    found = marks("What?! He said “why?” and wow!!! See a?b=c and x!=y. 好吗？好！是")
    assert len(found.questions) == 3 and len(found.exclamations) == 2


@pytest.mark.parametrize(
    ("text", "translation", "languages", "expected"),
    [
        ("I left.", "Nous sommes partis.", ("en", "fr"), ["error"]),
        ("We left.", "Vous êtes partis.", ("en", "fr"), ["warning"]),
        ("We left.", "On est partis, et vous aussi.", ("en", "fr"), []),
        ("He left.", "Ella se fue.", ("en", "es"), ["error"]),
        ("She left with him.", "Él se fue con ella.", ("en", "es"), []),
        ("He left.", "彼は去った。", ("en", "ja"), []),
    ],
)
def test_persons(text: str, translation: str, languages: Pair, expected: list[str]) -> None:
    slips = changed_persons(markdown(translation), markdown(text), languages)
    assert [slip.severity for slip in slips] == expected


@pytest.mark.parametrize(
    ("text", "translation", "languages", "expected"),
    [
        ("Take it.", "Nimm es, du, mit Ihrem Koffer.", ("en", "de"), ["error"]),
        ("“Take it,” you said.", "„Nimm es, du“, sagte er mit Ihrem Koffer.", ("en", "de"), ["warning"]),
        ("Take it.", "Tu le prends. Vous venez.", ("en", "fr"), ["warning"]),
        ("Du kommst. Und Sie, Herr Rat, dass Sie kommen.", "Tu viens. Vous venez.", ("de", "fr"), []),
        ("Tu viens.", "Kommen dort Sie her?", ("fr", "de"), ["warning"]),
        ("Tu viens.", "You come.", ("fr", "en"), []),
    ],
)
def test_manners(text: str, translation: str, languages: Pair, expected: list[str]) -> None:
    slips = misaddressed(markdown(translation), markdown(text), languages)
    assert [slip.severity for slip in slips] == expected


@pytest.mark.parametrize(
    ("text", "translation", "languages", "expected"),
    [
        ("La lámpara fue vieja.", "The lamp will be old.", ("es", "en"), ["error"]),
        ("Die Lampe war alt.", "The lamp is old.", ("de", "en"), ["warning"]),
        ("Er kam, sagte sie, und lag im Bett.", "He came, and she will lie in bed.", ("de", "en"), ["error"]),
        ("Dijo que vendría.", "He said that he will come.", ("es", "en"), []),
        ("La lampe était vieille.", "Die Lampe ist gewesen.", ("fr", "de"), []),
        ("The lamp is old.", "La lámpara será vieja.", ("en", "es"), []),
        ("ランプは古かった。", "The lamp will be old.", ("ja", "en"), []),
        ("Lampe.", "Lamp.", ("de", "en"), []),
    ],
)
def test_times(text: str, translation: str, languages: Pair, expected: list[str]) -> None:
    slips = changed_times(markdown(translation), markdown(text), languages)
    assert [slip.severity for slip in slips] == expected
