"""The guard in every language that has tables: each family, one sentence changed in meaning and put in other words."""

import re
import tomllib
from pathlib import Path

import pytest

from burnish.languages.contrasts import FAMILIES as CONTRAST_FAMILIES
from burnish.languages.tables import table
from burnish.languages.words import word_set
from burnish.text.meaning import Family, guard

CASES: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
"""Language -> family -> sentence with `{as it was|another meaning|the same in other words}`."""
TOLD_AS: dict[str, set[Family]] = {
    "denial": {"denial"},
    "quantifier": {"quantifier"},
    "only": {"quantifier"},
    "bound": {"quantifier"},
    "order": {"opposite"},
    "side": {"opposite"},
    "trend": {"opposite"},
    "must": {"modal"},
    "always": {"modal"},
    "number": {"number"},
    "unit": {"unit"},
    "date": {"date"},
    "name": {"name"},
    "sentence": {"sentence_lost"},
    "verb": {"denial"},
    "kind": {"kind"},
}
CHOICE = re.compile(r"\{([^{}]*)\}")
CLASSES = "words of one class, such as organs and metals"
CAPITALS = "names other than places"
LANGUAGE = "the language of a sentence"
WORDS = {"denials", "quantifiers", "modal verbs", "at least and at most", "opposites", "verbs that deny", CLASSES}
NOT_JUDGED = {
    **{language: {CLASSES} for language in word_set("it pt nl sv da ro pl cs uk bg mk tr el")},
    **{language: {CLASSES, LANGUAGE} for language in word_set("no fi hu")},
    **{language: {CLASSES, CAPITALS} for language in word_set("he ar hi ja")},
    "vi": {CLASSES, LANGUAGE, "dates"},
    "zh": {CAPITALS},
    "id": WORDS,
    "sr": WORDS,
    "kab": WORDS - {"denials"} | {"numbers in words", "dates"},
}
"""What the guard does not judge in a language; all else it judges. Languages that are not here: nothing."""
FAMILY_OF = {
    "dates": {"date"},
    CAPITALS: {"name"},
    "denials": {"denial"},
    "quantifiers": {"quantifier", "only"},
    "modal verbs": {"must", "always"},
    "at least and at most": {"bound"},
    "opposites": {"order", "side", "trend"},
    "numbers in words": {"number"},
    "verbs that deny": {"verb"},
    CLASSES: {"kind"},
}
FOREIGN = {
    True: "and this is also what they have always wanted from them",
    False: "und das ist auch für sie sehr wichtig",
}
SPACE = "\u200b"
LOOK_ALIKES = (str.maketrans("aeo", "\u0430\u0435\u043e"), str.maketrans("\u0430\u0435\u043e", "aeo"))


def wordings(case: str) -> tuple[str, str, str]:
    """The sentence as it was, with another meaning, and in other words."""

    def chosen(place: int) -> str:
        return CHOICE.sub(lambda match: [*match[1].split("|"), match[1].split("|")[0]][place], case)

    return chosen(0), chosen(1), chosen(2)


ROWS = [(language, family, case) for language, cases in CASES.items() for family, case in cases.items()]


@pytest.mark.parametrize(("language", "family", "case"), ROWS)
def test_another_meaning_is_refused(language: str, family: str, case: str) -> None:
    before, changed, _ = wordings(case)
    for one, other in ((before, changed), (changed, before)):
        verdict = guard(one, other, language=language)
        told = {ruling.difference.family for ruling in verdict.rulings if ruling.answer == "refused"}
        wanted = TOLD_AS[family] if one == before or family != "sentence" else {"sentence_added"}
        assert told & wanted, (one, other, told)


@pytest.mark.parametrize(("language", "family", "case"), ROWS)
def test_the_same_in_other_words_is_not_refused(language: str, family: str, case: str) -> None:
    before, _, plain = wordings(case)
    assert before != plain
    assert guard(before, plain, language=language).reasons == ()
    assert guard(plain, before, language=language).reasons == ()


@pytest.mark.parametrize("language", CASES)
def test_what_is_not_judged_is_named_and_all_else_has_a_case(language: str) -> None:
    missing = set(guard("1.", "2.", language=language).not_judged)
    assert missing == NOT_JUDGED.get(language, set())
    without = set().union(*(FAMILY_OF.get(name, set()) for name in missing))
    assert set(CASES[language]) == TOLD_AS.keys() - without


def test_every_language_with_a_table_has_cases() -> None:
    languages = set().union(*(table("contrasts")[family] for family in CONTRAST_FAMILIES))
    languages |= set(table("negation")["denying"]) | set(table("dates")["months"]) | set(table("dates")["weekdays"])
    languages |= set(table("detection")["function_words"])
    assert languages == CASES.keys()


@pytest.mark.parametrize("language", CASES)
def test_half_a_sentence_in_another_language_is_refused(language: str) -> None:
    before, _, plain = wordings(CASES[language]["sentence"])
    foreign = FOREIGN[language != "en"]
    changed = f"{before} {foreign}."
    told = {one.difference.family for one in guard(before, changed, language=language).rulings}
    assert ("language" in told) is (LANGUAGE not in NOT_JUDGED.get(language, set()))
    assert guard(before, changed, language=language).is_refused
    assert guard(before, plain, language=language).reasons == ()


@pytest.mark.parametrize("language", CASES)
def test_strange_letters_are_refused(language: str) -> None:
    before, _, _ = wordings(CASES[language]["sentence"])
    middle = len(before) // 2
    changed = [before[:middle] + SPACE + before[middle:]]
    changed += [before[:middle] + before[middle:].translate(letters) for letters in LOOK_ALIKES]
    for one in changed:
        told = {ruling.difference.family for ruling in guard(before, one, language=language).rulings}
        assert one == before or "letters" in told, one


SOUND: dict[str, list[tuple[str, str]]] = tomllib.loads(
    (Path(__file__).parent / "sound.toml").read_text(encoding="utf-8")
)["repairs"]
MOST_REFUSED = 0.03


def test_few_sound_repairs_are_refused() -> None:
    repairs = [(language, before, after) for language, rows in SOUND.items() for before, after in rows]
    refused = [after for language, before, after in repairs if guard(before, after, language=language).is_refused]
    assert len(repairs) > 100
    assert len(refused) <= MOST_REFUSED * len(repairs), refused
