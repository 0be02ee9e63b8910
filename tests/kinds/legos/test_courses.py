"""Course codes name two languages, or are refused with what may have been meant."""

from __future__ import annotations

import pytest

from burnish.core.errors import UsageError
from burnish.kinds.legos.model import Course


@pytest.mark.parametrize(
    ("code", "course"),
    [
        ("mkd_for_eng_574seeds", Course("mkd_for_eng_574seeds", "mkd", "eng", 574)),
        ("spa_for_eng", Course("spa_for_eng", "spa", "eng")),
        ("es_for_en_10seeds_v2", Course("es_for_en_10seeds_v2", "es", "en", 10)),
        ("cmn_for_deu_beta", Course("cmn_for_deu_beta", "cmn", "deu")),
    ],
)
def test_a_code_names_its_languages(code: str, course: Course) -> None:
    assert Course.of(code) == course


def test_languages_have_short_tags() -> None:
    course = Course.of("mkd_for_eng_574seeds")
    assert (course.target_tag, course.source_tag) == ("mk", "en")


@pytest.mark.parametrize(
    ("code", "words", "hint"),
    [
        ("MKD-for-ENG", "is not a course code", "Did you mean mkd_for_eng?"),
        ("mkd_fro_eng_5seeds", "is not a course code", "Did you mean mkd_for_eng_5seeds?"),
        ("", "is not a course code", "mkd_for_eng_574seeds"),
        ("../../etc", "is not a course code", "mkd_for_eng_574seeds"),
        ("mkd_for_eng_574seeds\n", "is not a course code", "Did you mean mkd_for_eng_574seeds?"),
        ("mkd_for_eng" + "_x" * 40, "is not a course code", "mkd_for_eng_574seeds"),
        ("mkd_for", "is not a course code", "mkd_for_eng_574seeds"),
        ("qqq_for_eng", "names no language with 'qqq'", "mkd_for_eng_574seeds"),
        ("mkd_for_qqq", "names no language with 'qqq'", "mkd_for_eng_574seeds"),
        ("en_for_eng", "the same language twice", "mkd_for_eng_574seeds"),
    ],
)
def test_other_codes_are_refused(code: str, words: str, hint: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        Course.of(code)
    assert hint in (refused.value.hint or "")
