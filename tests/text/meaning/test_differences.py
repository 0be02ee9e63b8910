"""The guard of meaning: what it notices between a text and its repair, and what it lets pass."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from burnish.text.meaning import FAMILIES, Family, differences


def grave(before: str, after: str, language: str = "en") -> list[Family]:
    return [one.family for one in differences(before, after, language=language) if one.is_grave]


CHANGED: list[tuple[Family, str, str, str]] = [
    ("number", "en", "Give 500 ml of saline.", "Give 5 ml of saline."),
    ("number", "en", "The glucose is 28 mmol/L.", "The glucose is 2.8 mmol/L."),
    ("number", "en", "Call 112 in an emergency.", "Call 911 in an emergency."),
    ("number", "en", "The walk takes four hours.", "The walk takes five hours."),
    ("number", "en", "Between 5 and 10 people came.", "Between 5 and 100 people came."),
    ("number", "en", "Argon makes up 0.9 % of the air.", "Argon makes up 9 % of the air."),
    ("number", "en", "She has type II diabetes.", "She has type III diabetes."),
    ("number", "en", "It was the first of the three.", "It was the second of the three."),
    ("number", "en", "It was 1.234 metres long.", "It was 1234 metres long."),
    ("number", "de", "Die Fahrt dauert sieben Stunden.", "Die Fahrt dauert sechs Stunden."),
    ("number", "ru", "Билет стоит 1500 рублей.", "Билет стоит 150 рублей."),
    ("unit", "en", "Give 5 mg of the drug.", "Give 5 g of the drug."),
    ("unit", "en", "The river is 12 miles long.", "The river is 12 km long."),
    ("unit", "es", "El camino sube 850 m.", "El camino sube 850 km."),
    ("quantifier", "en", "At least 5 people came.", "At most 5 people came."),
    ("quantifier", "en", "It is over 40 years old.", "It is under 40 years old."),
    ("date", "en", "They left on 14 March 1871.", "They left on 14 May 1871."),
    ("date", "fr", "La réunion a lieu mardi.", "La réunion a lieu jeudi."),
    ("name", "en", "In 1867 Alaska was bought from Russia.", "In 1867 Alaska was bought from Canada."),
    ("name", "en", "The law of Newton describes it.", "The law of Kepler describes it."),
    ("denial", "en", "Do not make a new copy.", "Do make a new copy."),
    ("denial", "en", "The value is never negative.", "The value is negative."),
    ("denial", "en", "It is impossible to see.", "It is possible to see."),
    ("denial", "en", "Which of these is NOT a gas?", "Which of these fails to be a gas?"),
    ("denial", "en", "It may not fall, because it is fixed.", "It may fall, because it is not fixed."),
    ("denial", "de", "Das ist nicht wahr.", "Das ist wahr."),
    ("denial", "de", "Er hat kein Geld.", "Er hat Geld."),
    ("denial", "fr", "Il ne faut pas le faire.", "Il faut le faire."),
    ("denial", "zh", "这不是我的书。", "这是我的书。"),
    ("denial", "ru", "Он не пришёл.", "Он пришёл."),
    ("quantifier", "en", "Some patients recover.", "All patients recover."),
    ("quantifier", "en", "Only adults may enter.", "Adults may enter."),
    ("quantifier", "es", "Solo los adultos entran.", "Los adultos entran."),
    ("modal", "en", "You must wash your hands.", "You may wash your hands."),
    ("modal", "en", "It always rises.", "It usually rises."),
    ("opposite", "en", "Take it before the meal.", "Take it after the meal."),
    ("opposite", "en", "Prices rise in winter.", "Prices fall in winter."),
    ("opposite", "en", "Breathing rises while the pulse falls.", "Breathing falls while the pulse rises."),
    ("opposite", "de", "Die Preise steigen im Winter.", "Die Preise sinken im Winter."),
    ("opposite", "zh", "血压上升。", "血压下降。"),
    ("kind", "en", "A lump in the breast was found.", "A lump in the scrotum was found."),
    ("order", "en", "Jupiter is larger than Saturn.", "Saturn is larger than Jupiter."),
    ("order", "en", "Give 5 mg of aspirin and 10 mg of warfarin.", "Give 10 mg of aspirin and 5 mg of warfarin."),
    ("words", "en", "Carbon dioxide", "Kinetic theory"),
    (
        "sentence_lost",
        "en",
        "Open the valve slowly. Never leave the burner unattended while it heats.",
        "Open the valve slowly.",
    ),
    (
        "sentence_added",
        "en",
        "Sleep helps memory.",
        "Sleep helps memory. A large trial of Dutch students confirmed a strong effect.",
    ),
    ("sentence_lost", "en", "First heat the oil. Then cool it. Then stir.", "First heat the oil. Then stir."),
    ("quantifier", "fr", "Il faut au moins un témoin.", "Il faut au plus un témoin."),
    (
        "language",
        "en",
        "The heart pumps blood through the whole body.",
        "The heart pumps blood, und das ist auch für die Lunge sehr wichtig.",
    ),
    ("letters", "en", "Which is NOT true?", "Which is N\u041eT true?"),
    ("letters", "en", "The cell wall is rigid.", "The cell\u200b wall is rigid."),
    ("letters", "en", "The cell wall is rigid.", "The \u202ecell wall is rigid."),
    ("link", "en", "See [here](http://a.org/b).", "See [here](http://a.org/c)."),
    ("code", "en", "Run `ls -a` first.", "Run `rm -a` first."),
    ("formula", "en", "The area is $\\pi r^2$.", "The area is $2\\pi r$."),
    ("placeholder", "en", "Hello {name}!", "Hello {user}!"),
    ("formula", "en", "It holds if x < 5.", "It holds if x ≥ 5."),
    ("length", "en", "Which gas is noble?", "Which gas is noble? " + "Which gas is noble, then? " * 30),
]


@pytest.mark.parametrize(("family", "language", "before", "after"), CHANGED)
def test_a_change_of_meaning_is_noticed(family: Family, language: str, before: str, after: str) -> None:
    assert family in grave(before, after, language)


ALIKE = [
    ("en", "Take 5 ml twice daily.", "Take 5 millilitres twice daily."),
    ("en", "Give 500 ml of water.", "Give 0.5 L of water."),
    ("en", "It lasts five hours.", "It lasts 5 hours."),
    ("en", "It does not help.", "It doesn't help."),
    ("en", "Which is NOT true?", "Which is not true?"),
    ("en", "She is not able to walk.", "She is unable to walk."),
    ("en", "At least 5 people came.", "5 or more people came."),
    ("en", "The answer is not true.", "The answer is false."),
    ("en", "He must sign the form.", "They have to sign the form."),
    ("en", "Water, salt and oil are mixed.", "Oil, water and salt are mixed."),
    ("en", "The cell is devided by a membran.", "The cell is divided by a membrane."),
    ("en", "Every student gets a book.", "Each student gets a book."),
    ("en", "It is important to note that the lungs exchange gases.", "The lungs exchange gases."),
    ("en", "The rate is increasing.", "The rate is rising."),
    ("en", "The WHO published it.", "The World Health Organization published it."),
    ("en", "H2O is water.", "H₂O is water."),
    ("de", "Der Wert steigt.", "Der Wert wächst."),
    ("fr", "Il n'est pas venu.", "Il n’est pas venu."),
]


@pytest.mark.parametrize(("language", "before", "after"), ALIKE)
def test_the_same_in_other_words_passes(language: str, before: str, after: str) -> None:
    assert grave(before, after, language) == []


def test_nothing_changed_is_no_difference() -> None:
    assert differences("The same.", "The same.", language="en") == ()


def test_a_difference_names_its_words_and_their_places() -> None:
    before, after = "First this. Give 500 ml of saline now.", "First this. Give 5 ml of saline now."
    (found,) = differences(before, after, language="en")
    assert (found.before, found.after, found.message) == ("500 ml", "5 ml", '"500 ml" became "5 ml".')
    assert found.span is not None and before[slice(*found.span)] == "500 ml"
    assert found.new_span is not None and after[slice(*found.new_span)] == "5 ml"
    assert found.sentence == "Give 5 ml of saline now."
    assert found.family in FAMILIES


MORE = [
    ("en", "No more than five people may enter.", "Up to five people may enter."),
    ("en", "No more than five people may enter.", "No fewer than five people may enter."),
    ("en", "The dose is ≥ 5 mg, or 3-4 tablets.", "The dose is ≤ 5 mg, or 3 to 4 tablets."),
    ("en", "About half of them, 50 %, came on 3/4/2020.", "About a third of them, 33 %, came on 4 March 2020."),
    ("en", "The 19th century began in 1801.", "The nineteenth century began in 1800."),
    ("en", "Add 1/2 cup and 2.5 dl of milk.", "Add half a cup and 250 ml of milk."),
    ("en", "It costs $5 or 1,200 euros.", "It costs €5 or 1200 euros."),
    ("en", "Water boils at 100 °C. Ice melts at 0 °C.", "Ice melts at 0 °C. Water boils at 100 °C."),
    ("en", "Dr J. Smith and Mary Jones of London met Ada.", "Dr J. Smith and Mary Jones of Leeds met Ada."),
    ("en", "The Treaty of Paris ended it.", "The treaty ended it."),
    ("en", "The cat sat. The cat sat. The cat sat.", "The cat sat."),
    ("en", "First heat it. Then cool it. Then stir it.", "First heat it. Then stir it."),
    ("en", "Heat it, then cool it and stir it.", "Heat it. Then cool it. Stir it."),
    ("en", "Heat the water slowly in the large copper pan.", "Heat the milk slowly in the large copper pan."),
    ("en", "The photosynthetic organisms live here.", "The photosynthesising organisms live here."),
    ("en", "All of the following are gases EXCEPT:", "Which of the following is not a gas?"),
    ("en", "Neither of them came.", "Both of them came."),
    ("en", "He hardly ever sleeps, and nobody knows why.", "He often sleeps, and everybody knows why."),
    ("en", "You cannot be too careful.", "You can be careful."),
    ("en", "It is not only cheap but also good.", "It is cheap and good."),
    ("en", "You should not have to wait.", "You must not wait."),
    ("en", "Left ventricle, then right ventricle.", "Right ventricle, then left ventricle."),
    ("en", "Veins carry blood to the heart and arteries carry it away.", "Arteries carry blood to the heart."),
    ("en", "Use **only** the `rm` command, see [help](a.html).", "Use only the `ls` command, see [help](b.html)."),
    ("en", "The formula is $a + b$ with {name} and <b>x</b>.", "The formula is $a - b$ with {id} and <i>x</i>."),
    ("en", "- one apple\n- two pears\n- three plums", "- one apple\n- three plums\n- two pears"),
    ("en", "# Iron\n\nIron rusts in wet air.", "# Gold\n\nGold never rusts."),
    ("en", "", "A new text of five words."),
    ("en", "A text of five words.", ""),
    ("en", "It rose by 5 percent in May, 2019.", "It fell by 5 percentage points in March, 2019."),
    ("es", "No hay más de tres casos y nunca llueve.", "Hay más de tres casos y siempre llueve."),
    ("es", "Debe tomar 2,5 mg antes de comer.", "Puede tomar 25 mg después de comer."),
    ("fr", "Il y a au moins deux mille habitants à Lyon.", "Il y a au plus deux cents habitants à Lille."),
    ("fr", "Aucun élève n'est venu lundi.", "Tous les élèves sont venus mardi."),
    ("de", "Nur wenige Kinder dürfen nicht mitkommen.", "Viele Kinder dürfen mitkommen."),
    ("de", "Vor 1990 lebten 1.200 Menschen in Ulm.", "Nach 1990 lebten 12.000 Menschen in Bonn."),
    ("ru", "Все дети всегда пьют два стакана воды.", "Некоторые дети иногда пьют три стакана воды."),
    ("zh", "所有的孩子都必须在五点以前来。", "有些孩子可以在六点以后来。"),
    ("it", "Non deve mai superare i dieci gradi.", "Deve superare i venti gradi."),
    ("en", "1. Heat it.\n2. Cool it.", "1. Heat it.\n2. Stir it.\n3. Cool it."),
    ("en", "Give 5) of the 7 tablets. Take 2.", "Give 6) of the 8 tablets. Take 3."),
    ("en", "(a) 5 mg (b) 10 ml", "(a) 5 (b) 10"),
    (
        "en",
        "The lesson is long. It has parts. Each has a task.",
        "The lesson has parts, and each of them has one task.",
    ),
    ("xx", "Lorem 5 ipsum dolor.", "Lorem 6 ipsum color."),
]
"""Several changes at once, in texts of several sentences and languages."""
REPAIRS = [
    (language, *texts)
    for language, before, after in (*((row[1], row[2], row[3]) for row in CHANGED), *ALIKE, *MORE)
    for texts in ((before, after), (after, before))
]
"""Every change and its undoing."""
TOLD = Path(__file__).parent / "told.json"


def told_of_all() -> str:
    told = [
        {
            "before": before,
            "after": after,
            "told": [one.as_record() for one in differences(before, after, language=language)],
        }
        for language, before, after in REPAIRS
    ]
    return json.dumps(told, ensure_ascii=True, indent=1) + "\n"


def test_all_that_is_told_of_each_repair_is_recorded() -> None:
    """`make golden` writes the file: read the diff. A wrong word, place or gravity is a wrong sentence for a person."""
    if os.environ.get("WRITE_GOLDEN"):
        TOLD.write_text(told_of_all(), encoding="utf-8")
    assert told_of_all() == TOLD.read_text(encoding="utf-8")


def test_every_process_tells_the_same() -> None:
    """Python puts sets into another order in each process: a resumed run would tell other words than the first."""
    code = "from tests.text.meaning.test_differences import told_of_all as told; print(told(), end='')"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout.decode()
        for seed in "123"
    }
    assert said == {told_of_all()}


@pytest.mark.parametrize(("language", "before", "after"), REPAIRS)
def test_what_is_told_stands_where_it_is_said_to_stand(language: str, before: str, after: str) -> None:
    for one in differences(before, after, language=language):
        for span, text in ((one.span, before), (one.new_span, after)):
            assert span is None or 0 <= span[0] <= span[1] <= len(text)
        assert one.sentence in after or one.sentence in before
        assert one.family in FAMILIES and one.message
