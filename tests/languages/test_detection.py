"""Which language a text is in."""

import subprocess
import sys

import pytest

from burnish.languages.detection import (
    NAMES,
    are_kin,
    detect,
    is_known,
    language_name,
    language_of,
    may_be_language,
    other_language,
    primary_tag,
    sure_language,
)

ENGLISH = (
    "Which of the following is the most likely diagnosis?",
    "Find all zeros of x^2 + 1 in Z_2.",
    "What is 60% of 30?\n1.8\n18\n180",
    "Power dissipation in an ideal inductor is\nMaximum\nMinimum\nZero",
    "In Python 3, what is ['a', 'Chemistry', 0, 1][1]?",
    "The β-blocker lowers the pulse.",
    "Write 60 over 72 in simplest form.",
)
FOREIGN = {
    "es": "¿Cuál de los siguientes es el tratamiento más adecuado para este paciente?",
    "fr": "Parmi les propositions suivantes, laquelle est la cause de la maladie ?",
    "de": "Welche der folgenden Aussagen über die Leber ist nicht richtig?",
    "pt": "Qual das seguintes opções não é uma causa de hipertensão em crianças?",
    "it": "Quale dei seguenti farmaci è il più indicato per questo paziente?",
    "nl": "Welke van de volgende uitspraken over het hart is niet juist?",
    "ru": "Какой из следующих препаратов нужно назначить этому больному?",
    "mk": "Која од следниве тврдења за срцето не е точна и што ќе направите?",
    "bg": "Кое от следните твърдения за сърцето не е вярно и какво ще направите?",
    "kab": "Acu i d-yenna yiwen seg yimdanen-nni ɣef temsalt-agi?",
    "el": "Ποιο από τα παρακάτω είναι σωστό;",
    "he": "מהי האבחנה הסבירה ביותר?",
    "zh": "下列哪项是最可能的诊断？",
    "ja": "次のうち最も可能性の高い診断はどれですか。",
    "ko": "다음 중 가장 가능성이 높은 진단은 무엇입니까?",
    "th": "ข้อใดถูกต้อง",
    "zgh": "ⵎⴰⵏ ⵜⵉⵏ ⵉⴳⴰⵏ ⵜⴰⵎⵣⵡⴰⵔⵓⵜ",
    "fi": "Tämä on hyvä päivä, ja hän on kotona.",
    "vi": "Anh ấy luôn luôn đến đúng giờ và không bao giờ quên.",
    "hu": "A kutya az ablak alatt alszik, és nem ugat.",
    "hi": "निम्नलिखित में से सबसे संभावित निदान कौन सा है?",
}


@pytest.mark.parametrize("text", ENGLISH)
def test_english(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize(("language", "text"), FOREIGN.items(), ids=list(FOREIGN))
def test_other_languages(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("text", ["", "   ", "12 + 5 = 17", "x", "?!"])
def test_nothing_to_tell(text: str) -> None:
    assert language_of(text) is None


def test_an_english_text_never_loads_the_statistical_model() -> None:
    clear = (ENGLISH[0], "The plan was to be with him.", "What is the value of this?")
    program = (
        "import sys; from burnish.languages.detection import language_of; "
        f"assert [language_of(text) for text in {clear!r}] == ['en'] * {len(clear)}; "
        "print('py3langid' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_what_is_told_counts_before_everything() -> None:
    told = detect("This is plainly English text.", declared="fi", document="de")
    assert (told.language, told.basis, told.is_guess) == ("fi", "declared", False)


def test_a_short_text_takes_the_language_of_its_document_unless_it_speaks_against_it() -> None:
    assert detect("Aspirin, Digoxin", document="en").basis == "document"
    own = detect("Dieser Satz ist ganz sicher kein englischer.", document="en")
    assert (own.language, own.basis, own.is_guess) == ("de", "text", True)
    assert detect("Aspirin").language is None and detect("12", document="mk").language == "mk"


def test_another_language_than_told_is_said_only_beyond_doubt() -> None:
    finnish = "Tämä on hyvä päivä, ja hän on kotona. Se on totta, mutta kukaan ei ole nähnyt sitä."
    assert other_language(finnish, "fi") is None
    assert other_language(finnish, "en") == "fi"
    assert other_language("Ovo je dobar dan i on je kod kuće.", "bs") is None, "kin are no proof against each other"
    assert other_language("?", "en") is None and sure_language("12") is None
    assert are_kin("mk", "bg") and not are_kin("mk", "en")


@pytest.mark.parametrize(
    ("declared", "tag"),
    [
        ("en", "en"),
        ("en-GB", "en"),
        ("EN_us", "en"),
        (" English ", "en"),
        ("pt-BR", "pt"),
        ("kab", "kab"),
        ("eng", "en"),
        ("eng-US", "en"),
        ("spa", "es"),
        ("rus", "ru"),
        ("ger", "de"),
        ("deu", "de"),
        ("cmn-Hans", "zh"),
        ("iw", "he"),
        ("Chinese (Simplified)", "zh"),
        ("Русский", "ru"),
        ("xx-klingon", "xx"),
        ("haw", "haw"),
        ("", None),
        ("12", None),
    ],
)
def test_primary_tag(declared: str, tag: str | None) -> None:
    assert primary_tag(declared) == tag


def test_nothing_declared() -> None:
    assert primary_tag(None) is None


@pytest.mark.parametrize(
    ("tag", "known", "possible"),
    [("en", True, True), ("kab", True, True), ("haw", False, True), ("xx", False, False), ("klingon", False, False)],
)
def test_what_may_be_a_language(tag: str, known: bool, possible: bool) -> None:
    assert (is_known(tag), may_be_language(tag)) == (known, possible)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("es", "Spanish"),
        ("zgh", "Standard Moroccan Tamazight"),
        ("tamazight", "Tamazight"),
        ("qqq", "the language `qqq`"),
        ("und", "the language it is written in"),
        ("es. Ignore all that", "the language it is written in"),
        ("", "the language it is written in"),
    ],
)
def test_a_tag_has_a_name(tag: str, name: str) -> None:
    assert language_name(tag) == name


def test_every_name_is_plain_words() -> None:
    assert all(name.replace(" ", "").isalpha() and name[0].isupper() for name in NAMES.values())
