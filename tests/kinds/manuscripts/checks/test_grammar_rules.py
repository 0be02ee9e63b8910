"""The rules of grammar on cases that their examples do not show."""

import pytest

from burnish.kinds.manuscripts.checks.doubled_word import doubled
from burnish.kinds.manuscripts.checks.mixed_letters import mixed
from burnish.kinds.manuscripts.checks.sentence_case import uncapitalised
from burnish.kinds.manuscripts.checks.unbalanced_marks import unbalanced
from burnish.kinds.manuscripts.model import BlockKind, Paragraph
from burnish.languages.grammar import disagreeing
from burnish.text.markdown import markdown


def marked(translation: str, source: str = "") -> list[str]:
    return [translation[slip.start] for slip in unbalanced(markdown(translation), markdown(source))]


@pytest.mark.parametrize(
    ("translation", "source", "expected"),
    [
        ("Sie (die Alte ging.", "She (the old one) left.", ["("]),
        ("Sie die Alte) ging.", "She left.", [")"]),
        ("彼女（年寄り)は去った。", "She (old) left.", []),
        ("他说「走吧。", "He said: go.", ["「"]),
        ("„Komm“, sagte er.", "“Come,” he said.", []),
        ('Er sagte " komm.', "He said: come.", ['"']),
        ("« Viens, dit-il.", "Come, he said.", ["«"]),
        ("« Viens, dit-il.", "“Come, he said.", []),
        ('Un écran de 15" suffit.', "A screen of 15 inches.", []),
        (r"Une \( seule.", "One only.", []),
        ("¡Ven!, dijo. ¿Ven", "Come! he said.", ["¿"]),
        ("Ein Lächeln :( nur", "A smile", []),
    ],
)
def test_marks(translation: str, source: str, expected: list[str]) -> None:
    assert marked(translation, source) == expected


@pytest.mark.parametrize(
    ("translation", "language", "severities"),
    [
        ("It was in 1959 1959.", "en", ["error"]),
        ("the (ODS) (ODS) party", "en", ["error"]),
        ("a well-known well-known man", "en", ["error"]),
        ("pelan pelan saja", "id", []),
        ("pelan pelan pelan saja", "id", ["error"]),
        ("Will will come, and vitamin A A too.", "en", []),
        ("He came. Came he?", "en", []),
        ("They are words (words and more).", "en", []),
    ],
)
def test_doubles(translation: str, language: str, severities: list[str]) -> None:
    slips = doubled(markdown(translation), markdown("Something else."), language)
    assert [slip.severity for slip in slips] == severities


def test_a_doubling_of_the_source_is_granted_once() -> None:
    source = markdown("We saw Bora Bora.")
    slips = list(doubled(markdown("Vimos Bora Bora y la la mesa."), source, "es"))
    assert [slip.start for slip in slips] == [18]


def capitals(text: str, translation: str, languages: tuple[str, str], block: BlockKind = "paragraph") -> list[str]:
    paragraph = Paragraph(
        "p_0001", 1, block, text, translation, source_language=languages[0], target_language=languages[1]
    )
    return [slip.severity for slip in uncapitalised(paragraph)]


@pytest.mark.parametrize(
    ("text", "translation", "languages", "expected"),
    [
        ("25日，开幕。", "on the 25th it opened in the city.", ("zh", "en"), ["error"]),
        ("灯", "the lamp on the table.", ("zh", "en"), []),  # a label, no sentence
        ("Pip installs.", "pip installiert.", ("en", "de"), ["error"]),
        ("The pip command. Use pip.", "pip ist ein Befehl.", ("en", "de"), ["error"]),
        ("The grep command uses grep.", "grep ist ein Befehl.", ("en", "de"), []),
        ("A man in Vietnam met Obama there.", "Un hombre en vietnam vio a obama.", ("en", "es"), ["warning"] * 2),
        ("the man in Vietnam met Obama.", "un hombre en vietnam vio a obama.", ("en", "es"), ["error"] * 2),
        ("Das Haus und der Name.", "The house and the name.", ("de", "en"), []),
        ("3 lamps.", "3 lámparas.", ("en", "es"), []),
        ("", "lámparas.", ("en", "es"), []),
    ],
)
def test_capitals(text: str, translation: str, languages: tuple[str, str], expected: list[str]) -> None:
    assert capitals(text, translation, languages) == expected


def test_items_of_a_list_may_begin_small_with_a_warning() -> None:
    assert capitals("Open it", "ábrelo", ("en", "es"), "list") == ["warning"]
    assert capitals("Open it", "ábrelo", ("en", "es"), "table") == []


def test_letters_of_two_alphabets() -> None:
    def found(translation: str, source: str, language: str) -> list[str]:
        return [translation[s.start : s.end] for s in mixed(markdown(translation), markdown(source), language)]

    assert found("ⴰⵣⵓl fell-ak", "Hello", "zgh") == ["ⴰⵣⵓl"]
    assert found("Слово лампzа тут", "A word лампzа", "ru") == []
    assert found("Wаter", "Wаter is written with а Cyrillic letter", "en") == []
    assert found("plain", "plain", "en") == []


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("It was an wide road.", "en"),
        ("She is a honest woman, a hour late.", "en"),
        ("Him was detained.", "en"),
        ("It rained when him fell.", "en"),
        ("That day, itself was cold.", "en"),
        ("Their are two lamps.", "en"),
        ("They is here.", "en"),
        ("She bought an BBC radio.", "en"),
        ("la problema y el ciudad", "es"),
        ("la ciudades", "es"),
        ("le maison est une voyage", "fr"),
        ("il studente e il nazione", "it"),
        ("o cidade da informações", "pt"),
        ("Er las in dem Zeitung.", "de"),
        ("он пойдёшь для я", "ru"),
        ("дојде со јас", "mk"),
    ],
)
def test_disagreement(text: str, language: str) -> None:
    assert list(disagreeing(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("An MRI, a UFO, a unit, an unnamed man, an hour, a European, an X, plan A is good. A is a letter.", "en"),
        ("You and I are here; the day itself was cold; a friend of hers was late; an iOS app.", "en"),
        ("el agua, la mano, el problema del corazón, la programa ella", "es"),
        ("le bastion, une totalement nouvelle idée", "fr"),
        ("lo studente, il sole, la città, il podestà", "it"),
        ("o coração, referente a cidades", "pt"),
        ("mit dem Ursprung, den Schwung, ein Haus, das Heizung hat", "de"),
        ("он лишь сказал, у меня", "ru"),
        ("so wie er", "nl"),
    ],
)
def test_agreement(text: str, language: str) -> None:
    assert list(disagreeing(text, language)) == []


def test_a_word_as_long_as_a_book_is_one_word() -> None:
    """Once compiled into a pattern, which took minutes."""
    assert capitals("Ge" * 50_000, "ge" * 50_000, ("en", "es")) == ["error"]
    assert capitals("Ge " + "ge" * 50_000, "ge" * 50_000, ("en", "es")) == []
