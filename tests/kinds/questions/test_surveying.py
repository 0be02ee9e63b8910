"""The language of a bank, and what it says of questions that are too short to tell their own."""

import io
import json
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question
from burnish.languages.detection import detect, language_of
from tests.engine.questions_bench import sound

SHORT = {
    "en": (
        "Capital of France?|Paris|Lyon|Nice|Lille",
        "Largest planet?|Mars|Jupiter|Saturn|Venus",
        "First-line drug?|Aspirin|Digoxin|Furosemide|Verapamil",
        "Best next step?|CT scan|MRI|Ultrasound|X-ray",
    ),
    "fr": ("Capitale, France ?|Paris|Lyon|Nice|Lille", "Organe principal:|Coeur|Foie|Rein|Poumon"),
    "de": ("Hauptstadt Frankreichs?|Paris|Lyon|Nizza|Lille", "Erreger?|Viren|Bakterien|Pilze|Parasiten"),
    "es": ("Planeta mayor:|Marte|Saturno|Venus|Tierra", "Medicamento inicial:|Aspirina|Digoxina|Verapamilo"),
    "it": ("Capitale francese?|Parigi|Lione|Nizza|Lilla", "Farmaci:|Aspirina|Digossina|Furosemide"),
    "nl": ("Grootste planeet?|Mars|Jupiter|Saturnus|Venus",),
    "lt": ("Vaistas?|Aspirinas|Digoksinas|Verapamilis",),
}
"""Questions whose language cannot be told from themselves."""


def question(text: str, **more: Any) -> dict[str, Any]:
    stem, *options = text.split("|")
    keyed = [{"key": key, "text": option} for key, option in zip("ABCD", options, strict=False)]
    return {"id": stem, "stem": stem, "options": keyed, "correct_answer": "A", **more}


def surveyed(*questions: dict[str, Any]) -> Any:
    return KIND.survey(io.BytesIO(json.dumps(questions).encode()), "bank.json", "json")


@pytest.mark.parametrize("text", [text for texts in SHORT.values() for text in texts])
def test_none_of_them_tells_its_language(text: str) -> None:
    assert language_of(text.replace("|", "\n")) is None


def test_a_bank_is_in_the_language_of_nearly_all_that_tell() -> None:
    english = [sound(n) for n in range(4)]
    spanish = {**question("¿Cuál es la capital de los siguientes países?|París|Lyon"), "id": "es"}
    short = question(SHORT["en"][0])
    assert surveyed(*english, short)["language"] == "en"
    assert surveyed(*english[:1], short)["language"] is None, "one question is no bank"
    assert surveyed(*english, spanish)["language"] is None
    assert (
        surveyed(question(SHORT["en"][0], language="en-GB"), question(SHORT["en"][1], language="en"))["language"]
        == "en"
    ), "what is declared counts"


@pytest.mark.parametrize("text", SHORT["en"])
def test_short_english_in_an_english_bank_is_judged(text: str) -> None:
    bank = [sound(n) for n in range(3)]
    context = KIND.context([surveyed(*bank, question(text))], {})
    selection = select(KIND.checks)
    [examined] = KIND.examine_all([Question.model_validate(question(text))], selection, context)
    assert (examined.language, examined.skipped) == ("en", ())
    alone = KIND.examine(Question.model_validate(question(text)), selection, KIND.context([], {}))
    assert alone.language is None and alone.skipped, "without a bank nobody guesses"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "¿Cuál es la capital de Francia?|París|Lyon|Niza"),
        ("de", "Welcher Erreger ist die häufigste Ursache?|Viren|Bakterien|Pilze"),
        ("lt", "Koks vaistas skiriamas pirmiausia?|Aspirinas|Digoksinas"),
        ("fi", "Mikä on Suomen pääkaupunki?|Turku|Helsinki|Oulu"),
    ],
)
def test_what_is_plainly_in_another_language_is_not_judged_as_english(language: str, text: str) -> None:
    context = KIND.context([{"carried": [], "language": "en"}], {})
    examined = KIND.examine(Question.model_validate(question(text)), select(KIND.checks), context)
    assert examined.language == language


@pytest.mark.parametrize(
    "text",
    [
        "Bacteria responsible for endocarditis:|Streptococcus viridans.|Staphylococcus epidermidis",
        "Dose IV to be prepared as|4 ml 50% w/v plus 16 ml NS|8 ml 50% w/v plus 12 ml NS|16 ml 50% w/v plus 4 ml NS",
        "Cephalic index 70-74.9:|Hyperdolichocephalic|Dolichocephalic|Mesocephalic|Brachycephalic",
    ],
)
def test_latin_terms_do_not_make_an_english_item_latin(text: str) -> None:
    assert detect(text.replace("|", "\n"), document="en").language == "en"


def test_numbers_are_in_the_language_of_their_bank() -> None:
    assert detect("2 + 2 =\n3\n4", document="fr").language == "fr"
    assert detect("2 + 2 =\n3\n4").language is None


def test_one_question_with_general_feedback_does_not_make_it_missing_in_all_others() -> None:
    why = "The first one is right; the other options are not."
    bank = [sound(n) for n in range(6)]
    assert "rationale" not in surveyed({**bank[0], "rationale": why}, *bank[1:])["carried"]
    explained = [{**question, "rationale": why} for question in bank[:5]]
    assert "rationale" in surveyed(*explained, bank[5])["carried"]
