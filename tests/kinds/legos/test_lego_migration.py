"""Old LEGOs: what is missing in them is found in the sentences, and nothing that they say is changed."""

from __future__ import annotations

from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.kinds.legos.migration import UNKNOWN_CONFIDENCE, migrated_legos
from burnish.kinds.legos.validation import validate
from tests.kinds.legos.course_samples import lego, translation

MISSING = ("provenance", "source_seed_id", "metadata")


def old(source: str, target: str, place: int = 1, **more: Any) -> dict[str, Any]:
    whole = lego(uuid=f"{place:032x}", source=source, target=target)
    return {**{name: value for name, value in whole.items() if name not in MISSING}, **more}


def test_everything_that_is_missing_is_filled_in() -> None:
    seed = translation()
    [new] = migrated_legos([old("with you now", "со тебе сега")], seed)
    assert isinstance(new, dict) and validate(new, translation=seed) == []
    assert (new["provenance"], new["source_seed_id"]) == ("S7L1", "C0007")
    assert new["metadata"] == {
        "course_code": "mkd_for_eng_574seeds",
        "phase": "phase_3",
        "word_count": 3,
        "start_index": 16,
        "end_index": 28,
        "target_start_index": 18,
        "target_end_index": 30,
        "alignment_confidence": UNKNOWN_CONFIDENCE,
        "iron_rule_compliant": False,
        "created_at": seed["metadata"]["created_at"],
    }


def test_a_valid_lego_stays_and_its_place_is_not_given_twice() -> None:
    first, second, third = old("now", "сега", 1), lego(), old("with you", "со тебе", 3)
    outcomes = migrated_legos([first, second, third], translation())
    assert [one["provenance"] for one in outcomes if isinstance(one, dict)] == ["S7L3", "S7L1", "S7L2"]
    assert outcomes[1] == lego()


def test_what_a_lego_says_of_itself_is_kept() -> None:
    known = {"alignment_confidence": 1, "phase": "phase_2", "created_at": None, "mine": 3}
    [new] = migrated_legos([old("now", "сега", provenance="S7L5", metadata=known)], translation())
    assert isinstance(new, dict)
    kept = {name: new["metadata"][name] for name in ("alignment_confidence", "phase", "mine")}
    assert kept == {"alignment_confidence": 1, "phase": "phase_2", "mine": 3}
    assert new["provenance"] == "S7L5" and new["metadata"]["created_at"]


def test_words_that_stand_twice_get_two_places() -> None:
    seed = translation(source="come, come", target="дојди, дојди")
    outcomes = migrated_legos([old("come", "дојди", 1), old("come", "дојди", 2)], seed)
    assert [one["metadata"]["start_index"] for one in outcomes if isinstance(one, dict)] == [0, 6]


@pytest.mark.parametrize(
    ("source", "target", "more", "words"),
    [
        ("With you", "со тебе", {}, "source half .* is not in"),
        ("with you", "со мене", {}, "target half .* is not in"),
        ("with you,", "со тебе", {}, "source half"),
        (7, "со тебе", {}, "source half"),
        ("with you", "со тебе", {"source_seed_id": "C0008"}, "provenance: does not belong to C0008"),
        ("with you", "со тебе", {"metadata": {"start_index": 3}}, "metadata.end_index"),
    ],
)
def test_what_cannot_be_found_or_is_wrong_is_refused(
    source: Any, target: str, more: dict[str, Any], words: str
) -> None:
    [refused] = migrated_legos([old(source, target, **more)], translation())
    assert isinstance(refused, InputError) and refused.hint
    with pytest.raises(InputError, match=words):
        raise refused


def test_an_unknown_language_is_told() -> None:
    seed = translation()
    seed["metadata"]["course_code"] = "mkd_for_jpn"
    [refused] = migrated_legos([old("now", "сега")], seed)
    assert isinstance(refused, InputError) and "'mkd_for_jpn'" in refused.message
    for strange in ({**seed, "metadata": None}, {}):
        [refused] = migrated_legos([old("now", "сега")], strange)
        assert isinstance(refused, InputError)
