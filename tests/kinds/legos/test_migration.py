"""Old records get what they lack; nothing that is recorded is lost or reckoned anew."""

from __future__ import annotations

from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.kinds.legos.migration import is_current, migrated
from burnish.kinds.legos.validation import validate
from tests.kinds.legos.course_samples import CREATED, old_translation, translation


def test_a_record_without_legos_waits_for_its_first_extraction() -> None:
    old = {"first": 1, **old_translation(), "last": [None]}
    new = migrated(old, legos=0)
    assert list(new)[: len(old)] == list(old)
    assert {name: new[name] for name in old} == old
    assert validate(new) == []
    assert (new["quality_status"], new["current_quality_score"], new["total_attempts"]) == ("pending_review", 0, 0)
    assert (new["lego_extraction_attempts"], new["last_reviewed_at"]) == ([], None)


def test_legos_that_were_there_get_an_attempt() -> None:
    new = migrated(old_translation(), legos=5)
    assert validate(new) == []
    [attempt] = new["lego_extraction_attempts"]
    assert (attempt["legos_extracted"], attempt["status"], attempt["timestamp"]) == (5, "accepted", CREATED)
    assert attempt["quality_score"]["overall_score"] == new["current_quality_score"] == 7.5
    assert attempt["quality_score"]["scoring_version"] == "0.0_retroactive"
    assert list(attempt["quality_score"]["dimension_scores"].values()) == [10, 7, 7, 7, 8]
    assert (new["quality_status"], new["last_reviewed_at"]) == ("accepted", CREATED)
    assert (new["flagged_for_review"], new["human_review_requested"]) == (False, False)


@pytest.mark.parametrize("legos", [0, 3])
def test_migrating_again_changes_nothing(legos: int) -> None:
    new = migrated(old_translation(), legos)
    assert is_current(new)
    assert migrated(new, legos=9) == new


def test_recorded_scores_stay_whatever_their_rubric() -> None:
    record = translation(1, score=9.9)
    record["lego_extraction_attempts"][0]["quality_score"]["scoring_version"] = "7.0"
    assert migrated(record, legos=2) == record


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"schema_version": "2.0"}, "schema_version", "from a newer Burnish"),
        ({"schema_version": "2.0", "lego_extraction_attempts": []}, "schema_version", "from a newer Burnish"),
        ({"type": "lego"}, "type", "not a translation"),
        ({"total_attempts": 2}, "lego_extraction_attempts", "has total_attempts, but not"),
        ({"current_quality_score": 9.0}, "lego_extraction_attempts", "has current_quality_score"),
        ({"metadata": {}}, "metadata.created_at", "when it was made"),
        ({"metadata": None}, "metadata.created_at", "when it was made"),
        ({"metadata": {"created_at": "long ago"}}, "metadata.created_at", "when it was made"),
    ],
)
def test_what_cannot_be_migrated_is_refused(change: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        migrated({**old_translation(), **change}, legos=1)
    assert refused.value.field == field
    assert refused.value.hint


def test_fields_that_say_what_would_be_added_are_no_obstacle() -> None:
    old = {**old_translation(), "total_attempts": 0, "last_reviewed_at": None, "lego_extraction_attempts": None}
    assert validate(migrated(old, legos=0)) == []
