"""Every rule speaks where it should, at its level, and never on a sound record."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.legos.validation import MOST_SLIPS, REVIEW_FIELDS, Slip, is_valid, validate
from tests.kinds.legos.course_samples import attempt, lego, old_translation, translation


def said(record: object, **more: Any) -> list[tuple[str, str, str]]:
    return [(slip.level, slip.rule, slip.field) for slip in validate(record, **more)]


@pytest.mark.parametrize(
    "record",
    [
        translation(0),
        translation(1),
        translation(3),
        translation(2, score=6.5),
        translation(1, unknown={"a": 1}),
        lego(),
        lego(schema_version="1.4"),
    ],
)
def test_sound_records_are_valid(record: dict[str, Any]) -> None:
    assert validate(record) == []


ATTEMPTS = "lego_extraction_attempts"


def with_attempts(*attempts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return translation(len(attempts), **{ATTEMPTS: list(attempts)}, **more)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (translation(2, total_attempts=3), ("error", "rule_1", "total_attempts")),
        (with_attempts(attempt(1, attempt_number=2)), ("error", "rule_2", f"{ATTEMPTS}[0].attempt_number")),
        (translation(1, current_quality_score=8.3), ("error", "rule_3", "current_quality_score")),
        (
            with_attempts(attempt(1), attempt(2, timestamp="2026-01-02T10:01:00+01:00")),
            ("error", "rule_4", f"{ATTEMPTS}[1].timestamp"),
        ),
        (translation(1, quality_status="flagged"), ("warning", "rule_5", "quality_status")),
        (translation(1, 4.9, quality_status="accepted"), ("error", "rule_5", "quality_status")),
        (
            with_attempts(attempt(1, compared_to_previous=attempt(2)["compared_to_previous"]), attempt(2)),
            ("error", "rule_6", f"{ATTEMPTS}[0].compared_to_previous"),
        ),
        (
            with_attempts(attempt(1, compared_to_previous=attempt(2)["compared_to_previous"])),
            ("warning", "rule_6", f"{ATTEMPTS}[0].compared_to_previous"),
        ),
        (
            with_attempts(attempt(1), {k: v for k, v in attempt(2).items() if k != "compared_to_previous"}),
            ("warning", "rule_6", f"{ATTEMPTS}[1].compared_to_previous"),
        ),
        (
            with_attempts(attempt(1, concerns=[{**attempt()["concerns"][0], "concern_id": "c_Bad"}])),
            ("error", "rule_7", f"{ATTEMPTS}[0].concerns[0].concern_id"),
        ),
        (
            with_attempts(attempt(1, suggestions=[{**attempt()["suggestions"][0], "suggestion_id": "x"}])),
            ("error", "rule_8", f"{ATTEMPTS}[0].suggestions[0].suggestion_id"),
        ),
        (translation(1, uuid="xyz" + "0" * 30), ("error", "schema", "uuid")),
        (translation(1, last_reviewed_at="yesterday"), ("error", "schema", "last_reviewed_at")),
        (translation(1, total_attempts="1"), ("error", "schema", "total_attempts")),
        (translation(1, flagged_for_review=0), ("error", "schema", "flagged_for_review")),
        (translation(1, schema_version="2.0"), ("error", "newer_schema", "schema_version")),
        (translation(1, type="sentence"), ("error", "schema", "type")),
        (lego(provenance="S8L1"), ("error", "provenance", "provenance")),
        (lego(provenance="S7L0"), ("error", "provenance", "provenance")),
        (lego(metadata={**lego()["metadata"], "end_index": 16}), ("error", "span", "metadata.end_index")),
        (
            lego(metadata={**lego()["metadata"], "target_end_index": 1}),
            ("error", "span", "metadata.target_end_index"),
        ),
        (lego(metadata={**lego()["metadata"], "word_count": 3}), ("warning", "word_count", "metadata.word_count")),
    ],
)
def test_each_rule_speaks_once_and_alone(record: dict[str, Any], told: tuple[str, str, str]) -> None:
    assert said(record) == [told]
    assert is_valid(validate(record)) == (told[0] == "warning")


def test_a_record_that_waits_for_a_person_is_refused_for_its_uuid_alone() -> None:
    waiting = translation(3, 6.1, quality_status="pending_review", flagged_for_review=True, human_review_requested=True)
    assert said({**waiting, "uuid": "xyz" + "0" * 30}) == [("error", "schema", "uuid")]
    assert validate(waiting) == []


def test_messages_say_what_should_be_there() -> None:
    broken = translation(1, quality_status="good", total_attempts=-1, source="", target=7, metadata=[])
    messages = {slip.field: slip.message for slip in validate(broken) if slip.rule == "schema"}
    assert messages == {
        "quality_status": "must be 'accepted', 'flagged', 'failed' or 'pending_review'",
        "total_attempts": "must be at least 0",
        "source": "must not be empty",
        "target": "must be a text",
        "metadata": "must be an object",
    }
    assert validate(translation(1, current_quality_score=11))[0].message == "must be at most 10"
    assert "2026-01-31T09:30:00Z" in validate(translation(1, last_reviewed_at=""))[0].message


def test_an_old_record_is_told_once() -> None:
    [slip] = validate(old_translation())
    assert (slip.level, slip.field) == ("error", ATTEMPTS)
    assert "burnish legos migrate" in slip.message
    both = validate({**old_translation(), "source": ""})
    assert [slip.field for slip in both] == [ATTEMPTS, "source"]


@pytest.mark.parametrize("field", sorted(set(REVIEW_FIELDS) - {"last_reviewed_at"}))
def test_a_field_of_the_review_that_holds_nothing_is_not_taken_for_an_old_record(field: str) -> None:
    assert ("error", "schema", field) in said(translation(1, **{field: None}))
    assert not is_valid(validate(translation(1, **dict.fromkeys(REVIEW_FIELDS))))
    if field != ATTEMPTS:
        assert ("error", "schema", field) in said({**old_translation(), field: None})


def test_a_record_without_its_attempts_is_old_whatever_else_it_has() -> None:
    record = translation(1)
    del record[ATTEMPTS]
    assert said(record) == [("error", "schema", ATTEMPTS)]
    assert validate(translation(0, last_reviewed_at=None)) == []


def test_archived_attempts_count() -> None:
    record = with_attempts(attempt(3), total_attempts=3, archived_attempts=2)
    assert validate(record) == []
    assert said({**record, "archived_attempts": 1})[0] == ("error", "rule_1", "total_attempts")


def test_a_record_stands_in_the_file_of_its_name() -> None:
    assert said(translation(1), path=f"a/{'0' * 32}.json") == [("error", "file_name", "uuid")]
    assert said(translation(1), path=f"a/{translation(1)['uuid']}.json.gz") == []
    assert said(translation(1), path="a/one.json") == []


def moved(start: int) -> dict[str, Any]:
    return lego(metadata={**lego()["metadata"], "start_index": start, "end_index": start + 15})


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (lego(), []),
        (moved(1), [("error", "verbatim", "source")]),
        (lego(target="Сакам да Зборувам"), [("error", "verbatim", "target")]),
        (lego(source_seed_id="C0008", provenance="S8L1"), [("error", "provenance", "source_seed_id")]),
    ],
)
def test_halves_stand_in_their_sentences(record: dict[str, Any], told: list[tuple[str, str, str]]) -> None:
    assert said(record, translation=translation(1)) == told


@pytest.mark.parametrize("field", ["total_attempts", "current_quality_score", "archived_attempts", "schema_version"])
@pytest.mark.parametrize("number", [10**5000, float("inf"), float("nan")], ids=["huge", "inf", "nan"])
def test_no_number_makes_it_raise(field: str, number: float) -> None:
    assert not is_valid(validate(translation(1, **{field: number})))


@pytest.mark.parametrize("number", [10**5000, float("inf"), float("nan"), -1], ids=["huge", "inf", "nan", "below"])
def test_no_place_makes_it_raise(number: float) -> None:
    places = dict.fromkeys(("start_index", "end_index", "target_start_index", "word_count"), number)
    record = lego(metadata={**lego()["metadata"], **places}, provenance=7)
    assert not is_valid(validate(record, None, translation(1)))
    assert not is_valid(validate(lego(source=7), None, {**translation(1), "target": 7}))


def test_a_slip_is_plain_data() -> None:
    [slip] = validate(7)
    assert slip.as_record() == {
        "level": "error",
        "field": "",
        "message": "A record is a JSON object.",
        "rule": "schema",
    }


def test_a_monster_is_not_told_in_full() -> None:
    assert len(validate(with_attempts(*[{"x": 1}] * 1000))) == MOST_SLIPS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200)
@given(
    base=st.sampled_from([translation(2), lego(), {}]),
    changes=st.dictionaries(st.text(max_size=4), JSON),
    data=st.data(),
)
def test_no_json_makes_it_raise(base: dict[str, Any], changes: dict[str, Any], data: st.DataObject) -> None:
    fields = data.draw(st.dictionaries(st.sampled_from([*base, "type", "schema_version"]), JSON, max_size=4))
    attempts = [{**attempt(1), **{name: data.draw(JSON) for name in ("concerns", "quality_score", "timestamp")}}]
    for record in ({**base, **changes, **fields}, {**base, ATTEMPTS: attempts}, data.draw(JSON)):
        other = {**translation(1), **{name: data.draw(JSON) for name in ("source", "uuid")}}
        assert all(isinstance(slip, Slip) for slip in validate(record, None, other))
