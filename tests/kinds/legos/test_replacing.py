"""SEEDs that get other sentences: what was stays in the record, and is not taken for what is."""

from __future__ import annotations

from typing import Any

import pytest

from burnish.kinds.legos.attempt_history import REPLACED, attempts_on, replaced
from burnish.kinds.legos.pairs import Pair
from burnish.kinds.legos.validation import is_valid, validate
from tests.kinds.legos.course_samples import lego, old_translation, translation

PAIR = Pair("I want to speak now.", "Сакам да зборувам сега.", 1, "C0007")
AT = "2026-01-02T09:01:30Z"
"""Between the first attempt and the second."""


def test_everything_about_the_old_sentences_is_kept_beside_the_new_ones() -> None:
    review = {"decision": "accept", "by": "Ann", "at": AT}
    old = translation(1, best_attempt_number=1, uncovered=["I"], human_review=review, mine=1)
    new = replaced(old, PAIR, [lego()], AT)
    assert is_valid(validate(new))
    assert (new["source"], new["target"], new["uuid"], new["mine"]) == (PAIR.source, PAIR.target, old["uuid"], 1)
    assert new["quality_status"] == "pending_review" and not {"best_attempt_number", "human_review"} & set(new)
    assert new["lego_extraction_attempts"] == old["lego_extraction_attempts"]
    assert new[REPLACED] == [
        {
            "source": old["source"],
            "target": old["target"],
            "replaced_at": AT,
            "legos": [{"source": "I want to speak", "target": "Сакам да зборувам"}],
            "best_attempt_number": 1,
            "uncovered": ["I"],
            "human_review": review,
        }
    ]
    assert [one["source"] for one in replaced(new, PAIR, [], AT)[REPLACED]] == [old["source"], PAIR.source]


def test_an_old_record_is_migrated_on_the_way() -> None:
    new = replaced({**old_translation(), REPLACED: "strange"}, PAIR, [lego()], AT)
    assert is_valid(validate(new)) and new["total_attempts"] == 1 and len(new[REPLACED]) == 1


@pytest.mark.parametrize(
    ("known", "numbers"),
    [
        (None, [1, 2]),
        ([{"replaced_at": AT}], [2]),
        ([{"replaced_at": "2026-02-01T00:00:00Z"}], []),
        ([{"replaced_at": "2026-02-01T00:00:00Z"}, {"replaced_at": AT}], [2]),
        ([], [1, 2]),
        ([7], [1, 2]),
        ([{"replaced_at": "long ago"}], [1, 2]),
        ({"replaced_at": AT}, [1, 2]),
    ],
)
def test_only_attempts_on_the_present_sentences_count(known: Any, numbers: list[int]) -> None:
    record = {**translation(2), REPLACED: known}
    assert [one["attempt_number"] for one in attempts_on(record)] == numbers
