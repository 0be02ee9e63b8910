"""Labels and ids as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from burnish.kinds.questions.labels import NONE, Choice, named_id, read_choice
from burnish.kinds.questions.model import Option

Bank = dict[str, str]

PLANETS: Bank = {"A": "Mars", "B": "Jupiter", "C": "Saturn", "D": "Venus"}
TREATMENTS: Bank = {
    "A": "A beta blocker",
    "B": "Oral vitamin B12 and folic acid",
    "C": "Intravenous fluids, then insulin",
    "D": "No treatment is needed",
    "E": "Aspirin",
}
NUMBERED: Bank = {"1": "Mars", "2": "Jupiter", "3": "Saturn"}
LOWER: Bank = {"a": "Mars", "b": "Jupiter", "c": "Saturn"}
ROMAN: Bank = {"I": "Mars", "II": "Jupiter", "III": "Saturn", "IV": "Venus"}
CYRILLIC: Bank = {"А": "Марс", "Б": "Юпитер", "В": "Сатурн", "Г": "Венера"}
FORMULAS: Bank = {"A": r"$\frac{1}{3}$", "B": r"$x^{2} + 1$", "C": "-1", "D": "1"}
BLOOD: Bank = {"A": "AB", "B": "A", "C": "B", "D": "O"}
GENOTYPES: Bank = {"A": "BB", "B": "Bb", "C": "bb", "D": "bB"}
WITH_NONE: Bank = {"A": "One", "B": "Two", "C": "None", "D": "Three"}
NONE_ABOVE: Bank = {"A": "Mars", "B": "Jupiter", "C": "None of the above"}
COMBINED: Bank = {"A": "Mars", "B": "Jupiter", "C": "A and B", "D": "Saturn"}
COUNTS: Bank = {"A": "4", "B": "2", "C": "2.5", "D": "10"}
INTERVALS: Bank = {"A": "(-1, 1)", "B": "[-1, 1]", "C": "(-1, 1]", "D": "[-1, 1)"}


def options(bank: Bank) -> Sequence[Option]:
    return [Option(key=key, text=text) for key, text in bank.items()]


def read(bank: Bank, given: str) -> Choice | None:
    return read_choice(options(bank), given)


FORMS = """
K | k | K. | k. | K) | k) | (K) | (k) | K: | K, | K; | [K] | {K} | <K> | **K** | *K* | __K__ | `K` | 'K' | "K"
“K” | «K» | **K.** | (K). | - K | • K | K! | $K$ | \\(K\\) | \\boxed{K} | $\\boxed{K}$ | \\text{K}
**Answer: K** | ["K"] | {"key": "K"} | Option K | option k | OPTION K | Option K. | Option (K) | Option: K
option k is right | Option K is correct. | Choice K | choice k | Answer: K | Answer K | answer is K
The answer is (K) | The answer is K. | The correct answer is K | The correct answer is option K.
The best answer is K | The right option is **K** | Final answer: K | My answer: K | I choose K
I would choose option K. | I think it is K | It is K | It's K | K is right | K is correct.
K is the best answer | K only | only K | Letter K | Key: K | key K | Alternative K | answer = K | options.K
options.K.text | options[K] | options['K'] | option_K | choice: K | {choice: K} | K. T | K) T | (K) T | K: T
K - T | K – T | K—T | K T | K, T | **K**: T | **K. T** | `K` T | K. "T" | K: t | K (T) | T (K) | T [K]
Option K: T | Option K (T) | Answer: K. T | The answer is K: T | The correct answer is K) T. | T | T. | t | "T"
**T** | *T* | 'T' | “T” | The answer is T | Answer: T | T is right | Antwort K | Antwort: K
Die richtige Antwort ist K | Option K ist richtig | Möglichkeit K | Antwort K ist korrekt. | Opción K | opción k
La respuesta correcta es K | Respuesta: K | La opción K es correcta | Réponse K | Réponse : K
La bonne réponse est K | La réponse est la proposition K | A resposta correta é K | Opção K
La risposta corretta è K | Opzione K | Antwoord: K | Het juiste antwoord is K | Odpowiedź K | Odpověď: K
Svar: K | Rätt svar är K | Vastaus: K | Вариант K | Ответ: K | Правильный ответ: K | Відповідь: K | Cevap: K
Doğru cevap K | K şıkkı | Jawaban: K | Đáp án K | الإجابة: K | उत्तर: K | 答案：K | 答案是K | 选K | 正确答案是 K
正解はK | 答え：K | 정답은 K | 정답: K | K번 | K because T fits best | K. T, because it fits
Answer: K, since the others do not fit
""".replace("\n", " | ").split(" | ")
"""Forms with K for the key and T for the text of the option."""


PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?<![A-Za-z]')[KkTt](?![A-Za-z])")


def misread(bank: Bank, forms: Sequence[str]) -> dict[str, Choice | None]:
    wrong = {}
    for key, text in bank.items():
        values = {"K": key, "k": key.lower(), "T": text, "t": text.lower()}
        for form in forms:
            given = PLACEHOLDER.sub(lambda place: values[place.group()], form)  # noqa: B023
            if (found := read(bank, given)) != Choice((key,)):
                wrong[given] = found
    return wrong


@pytest.mark.parametrize("bank", [PLANETS, TREATMENTS, NUMBERED, LOWER, ROMAN, CYRILLIC], ids="".join)
def test_every_form_names_its_option_in_every_bank(bank: Bank) -> None:
    forms = [form for form in FORMS if form]
    assert len(forms) > 100
    if bank is NUMBERED:
        forms.remove("options[K]")  # a position may count from zero
    assert misread(bank, forms) == {}


@pytest.mark.parametrize("bank", [BLOOD, GENOTYPES, WITH_NONE, NONE_ABOVE, COMBINED, COUNTS, INTERVALS, FORMULAS])
def test_labels_are_read_where_texts_look_like_labels(bank: Bank) -> None:
    forms = ["K", "K.", "(K)", "**K**", "Option K", "Answer: K", "The answer is (K)", "options.K", "K is right", "K. T"]
    assert misread(bank, forms) == {}


@pytest.mark.parametrize(
    ("bank", "given", "key"),
    [
        (BLOOD, "O", "D"),
        (BLOOD, "AB", "A"),
        (GENOTYPES, "bb", "C"),
        (GENOTYPES, "bb.", "C"),
        (GENOTYPES, "A. BB", "A"),
        (WITH_NONE, "None", "C"),
        (WITH_NONE, "C. None", "C"),
        (NONE_ABOVE, "None of the above", "C"),
        (NONE_ABOVE, "none of the above.", "C"),
        (COMBINED, "A and B", "C"),
        (COMBINED, "C. A and B", "C"),
        (COUNTS, "4", "A"),
        (COUNTS, "2.5", "C"),
        (COUNTS, "The answer is 10", "D"),
        (INTERVALS, "[-1, 1]", "B"),
        (INTERVALS, "C. (-1, 1]", "C"),
        (FORMULAS, "1/3", "A"),
        (FORMULAS, r"\frac{1}{3}", "A"),
        (FORMULAS, r"\(\frac{1}{3}\)", "A"),
        (FORMULAS, "B. x^2 + 1", "B"),
        (FORMULAS, r"$x^2+1$", "B"),
        (FORMULAS, "-1", "C"),
        (FORMULAS, "Answer: -1", "C"),
        (FORMULAS, "1", "D"),
        (PLANETS, "Ｂ", "B"),
        (PLANETS, "Ⓑ", "B"),
        (PLANETS, "（Ｂ）", "B"),
        (TREATMENTS, "C. Intravenous fluids", "C"),
        (TREATMENTS, "B. Oral vitamin B12 …", "B"),
        (NUMBERED, "②", "2"),
        (NUMBERED, "Nr. 2", "2"),
        (GENOTYPES, "Option bb", "C"),
        (BLOOD, "A.", "A"),
        (NUMBERED, "#2", "2"),
        (ROMAN, "I", "I"),
        (ROMAN, "I think it is II", "II"),
        (ROMAN, "(iv)", "IV"),
    ],
)
def test_one_option_is_read(bank: Bank, given: str, key: str) -> None:
    assert read(bank, given) == Choice((key,))


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ("A, C", "AC"),
        ("A and C", "AC"),
        ("A & C", "AC"),
        ("A + C", "AC"),
        ("A/C", "AC"),
        ("A; C", "AC"),
        ("A, B, and C", "ABC"),
        ("a or c", "AC"),
        ("both A and C", "AC"),
        ("Options A and C", "AC"),
        ("A and C are right", "AC"),
        ("Either A or C.", "AC"),
        ("**A** and **C**", "AC"),
        ("A. Mars and C. Saturn", "AC"),
        ("A (Mars), C (Saturn)", "AC"),
        ("Mars and Saturn", "AC"),
        ('["A", "C"]', "AC"),
        ("A und C", "AC"),
        ("A y C", "AC"),
        ("A o C", "AC"),
        ("A e C", "AC"),
        ("A et C", "AC"),
        ("A и C", "AC"),
        ("A和C", "AC"),
        ("A、C", "AC"),
        ("C, A", "CA"),
    ],
)
def test_several_options_are_read(given: str, keys: str) -> None:
    assert read(PLANETS, given) == Choice(tuple(keys))


@pytest.mark.parametrize(
    "given",
    """
none | None | NONE. | "none" | **none** | none of them | None of these | None of the options | none of the above
N/A | none is right | None of the options is correct. | Answer: none | The answer is none | No option is right
no correct answer | There is no correct option | neither | keine | Keine der Antworten ist richtig | ninguna
Ninguna de las opciones | aucune | Aucune des réponses | nessuna | Nenhuma das opções | żadna
Ни один из вариантов | 以上都不对 | なし | 정답 없음
    """.replace("\n", " | ").split(" | ")[1:-1],
)
def test_none_is_read(given: str) -> None:
    assert read(PLANETS, given) == NONE


@pytest.mark.parametrize(
    ("bank", "given"),
    [
        (PLANETS, "B. Saturn"),
        (PLANETS, "B (Saturn)"),
        (PLANETS, "Saturn (B)"),
        (PLANETS, "Option B: Saturn"),
        (PLANETS, "B, Saturn"),
        (PLANETS, "not B"),
        (PLANETS, "B is wrong"),
        (PLANETS, "B is not right"),
        (PLANETS, "B. wrong"),
        (PLANETS, "anything but B"),
        (PLANETS, "all except B"),
        (PLANETS, "neither A nor B"),
        (PLANETS, "A, not B"),
        (PLANETS, "A-C"),
        (PLANETS, "E"),
        (PLANETS, "Option E"),
        (PLANETS, "Б"),
        (PLANETS, "Вариант В"),
        (PLANETS, "2"),
        (PLANETS, "option 2"),
        (PLANETS, "options[1]"),
        (PLANETS, "the largest planet"),
        (PLANETS, "I cannot say"),
        (PLANETS, ""),
        (PLANETS, "  "),
        (PLANETS, "?"),
        (PLANETS, "B" * 5000),
        (PLANETS, "Pluto"),
        (NUMBERED, "options[1]"),
        (NUMBERED, "-1"),
        (NUMBERED, "1.5"),
        (NUMBERED, "12"),
        (NUMBERED, "B"),
        (CYRILLIC, "B"),
        (COUNTS, "option 2"),
        (WITH_NONE, "none"),
        (NONE_ABOVE, "none"),
        (NONE_ABOVE, "none of the options is right"),
        ({"A": "b", "B": "a"}, "b"),
        ({"A": "Mars", "B": "Venus", "C": "Mars"}, "Mars"),
        ({"A": "x", "a": "y"}, "(A)"),
    ],
)
def test_what_is_not_certain_is_not_read(bank: Bank, given: str) -> None:
    assert read(bank, given) is None


def test_a_letter_decides_between_two_options_with_one_text() -> None:
    assert read({"A": "Mars", "B": "Venus", "C": "Mars"}, "C. Mars") == Choice(("C",))


@pytest.mark.parametrize(
    "given",
    [
        "q-7",
        "Q-7",
        "[q-7]",
        "`q-7`",
        '"q-7"',
        "**q-7**",
        "q-7.",
        "Question q-7",
        "question: Q-7",
        "Item [q-7]",
        "id: q-7",
    ],
)
def test_ids_are_read_as_people_write_them(given: str) -> None:
    assert named_id(["q-6", "q-7", "q-70"], given) == "q-7"


@pytest.mark.parametrize("given", ["q-8", "7", "", "q", "q-7 and q-6", "Question"])
def test_what_is_no_id_names_nothing(given: str) -> None:
    assert named_id(["q-6", "q-7"], given) is None
