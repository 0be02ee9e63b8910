"""The guard in every language that has tables: each family, one sentence changed in meaning and put in other words."""

import re
import tomllib
from pathlib import Path

import pytest

from burnish.languages.contrasts import FAMILIES as CONTRAST_FAMILIES
from burnish.languages.tables import table
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
}
CHOICE = re.compile(r"\{([^{}]*)\}")
NOT_JUDGED: dict[str, set[str]] = {}
LOOK_ALIKE = {"Latin": ("aeo", "\u0430\u0435\u043e"), "Cyrillic": ("\u0430\u0435\u043e", "aeo")}
GERMAN = "und das ist auch für die anderen sehr wichtig"
ENGLISH = "and this is also what they have always wanted from them"


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


