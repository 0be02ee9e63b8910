"""Records come back as they were, and the models say just what the published schema says."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from burnish.kinds.legos.records import Kept, LegoAminoAcid, TranslationAminoAcid, instant, newer_version
from tests.kinds.legos.course_samples import lego, translation

VALIDATORS = {
    model: jsonschema_rs.Draft202012Validator(model.model_json_schema(), validate_formats=True)
    for model in (TranslationAminoAcid, LegoAminoAcid)
}
WHOLE: dict[type[Kept], dict[str, Any]] = {
    TranslationAminoAcid: translation(
        2,
        uncovered=["to"],
        best_attempt_number=1,
        archived_attempts=0,
        schema_version="1.0",
        human_review={"decision": "accept", "by": "Ana", "at": "2026-01-03T10:00:00Z", "note": ""},
    ),
    LegoAminoAcid: lego(),
}
MODELS = list(WHOLE)


def accepted(model: type[BaseModel], record: Any) -> bool:
    try:
        model.model_validate(record)
    except ValidationError:
        return False
    return True


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a record."""
    if above:
        yield above
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places(inner, (*above, step))


def changed(record: dict[str, Any], place: tuple[Any, ...], change: Any) -> dict[str, Any]:
    """The record with one value exchanged; without it where `change` is Ellipsis."""
    whole = copy.deepcopy(record)
    holder: Any = whole
    for step in place[:-1]:
        holder = holder[step]
    if change is ...:
        del holder[place[-1]]
    else:
        holder[place[-1]] = change
    return whole


ODD: list[Any] = [
    *(..., None, True, False, 0, 1, 2, -1, 10, 11, 0.0, 1.0, 7.5, 10.0, 10.1, -0.1, 1e300, 2**70),
    *("", " ", "8", "x", "accepted", "pending_review", "retry_scheduled", "high", "iron_rule", "translation", "lego"),
    *("c_x", "c_", "c_X", "s_y", "s_y\n", "S1L1", "S1", "C0001", "C001", "+1.0", "1.0", "-10.5", "2.0", "1", "1.x"),
    *("0" * 32, "0" * 31, "A" * 32, "0" * 32 + "\n", "2026-01-01T00:00:00Z", "2026-01-01", "2026-13-01T00:00:00Z"),
    *([], [1], ["x"], [[]], {}, {"x": 1}, "İ", "\u0000", "👩‍👩‍👧"),
]


@pytest.mark.no_cover  # the same lines over and over
@pytest.mark.parametrize("model", MODELS)
def test_models_and_schema_agree_on_every_single_change(model: type[Kept]) -> None:
    record, differing, refused = WHOLE[model], [], 0
    assert accepted(model, record)
    assert VALIDATORS[model].is_valid(record)
    for place in places(record):
        for odd in ODD:
            other = changed(record, place, odd)
            ours = accepted(model, other)
            refused += not ours
            if ours != VALIDATORS[model].is_valid(other):
                differing.append((place, odd, ours))
    assert differing == []
    assert refused > 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
).filter(lambda value: "\\ud" not in json.dumps(value))


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=150)
@given(data=st.data())
def test_models_and_schema_agree_on_any_change(model: type[Kept], data: st.DataObject) -> None:
    record = WHOLE[model]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(record))))
        record = changed(record, place, data.draw(JSON | st.sampled_from(ODD)))
        if not record:
            break
    assert accepted(model, record) == VALIDATORS[model].is_valid(record)


@pytest.mark.parametrize("model", MODELS)
def test_optional_fields_may_be_missing_but_never_null(model: type[Kept]) -> None:
    schema = model.model_json_schema()
    for name in set(schema["properties"]) - set(schema["required"]):
        missing = {field: value for field, value in WHOLE[model].items() if field != name}
        assert accepted(model, missing)
        assert not accepted(model, {**missing, name: None})


@settings(max_examples=60)
@given(extra=st.dictionaries(st.text(max_size=5), JSON, max_size=3), data=st.data())
def test_records_come_back_with_what_we_do_not_know_in_their_order(extra: dict[str, Any], data: st.DataObject) -> None:
    known = translation(1)
    record = dict(data.draw(st.permutations(list({**extra, **known}.items()))))
    record["metadata"] = {**extra, **known["metadata"]}
    record["lego_extraction_attempts"][0] = {**known["lego_extraction_attempts"][0], "x": extra}
    assert json.dumps(TranslationAminoAcid.of(record).as_record()) == json.dumps(record)


def test_a_changed_record_has_new_fields_behind_the_old_ones() -> None:
    record = TranslationAminoAcid.of(translation(0))
    assert "uncovered" not in record.as_record()
    assert list(record.model_copy(update={"uncovered": ["to"]}).as_record())[-1] == "uncovered"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("2026-01-01T00:00:00Z", True),
        ("2026-01-01t00:00:00.123456789z", True),
        ("2024-02-29T23:59:59-23:59", True),
        ("0000-01-01T00:00:00Z", True),
        ("2016-12-31T23:59:60Z", True),
        ("2017-01-01T00:59:60+01:00", True),
        ("2016-12-31T23:58:60Z", False),
        ("2026-02-29T00:00:00Z", False),
        ("2026-01-01T24:00:00Z", False),
        ("2026-01-01T00:60:00Z", False),
        ("2026-01-01T00:00:00+24:00", False),
        ("2026-01-01T00:00:00", False),
        ("2026-01-01 00:00:00Z", False),
        ("2026-01-01T00:00:00.Z", False),
        ("2026-01-01T00:00:00Z\n", False),
        ("٢٠٢٦-01-01T00:00:00Z", False),
    ],
)
def test_date_times_are_those_of_rfc_3339(text: str, is_one: bool) -> None:
    schema = jsonschema_rs.Draft202012Validator({"format": "date-time"}, validate_formats=True)
    assert (instant(text) is not None) == is_one == schema.is_valid(text)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z"),
        ("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z"),
        ("2025-12-31T23:59:59.9Z", "2026-01-01T00:00:00+00:00"),
    ],
)
def test_moments_are_compared_wherever_their_clocks_stand(earlier: str, later: str) -> None:
    first, second = instant(earlier), instant(later)
    assert first is not None
    assert second is not None
    assert first < second


def test_the_same_moment_is_the_same_however_it_is_written() -> None:
    assert instant("2026-01-01T01:00:00.500+01:00") == instant("2026-01-01T00:00:00.5Z")


@pytest.mark.parametrize(
    ("version", "newer"),
    [("2.0", "2.0"), (2, "2"), ("v3", "3"), ("1.9", None), ("1", None), (None, None), (True, None), ("new", None)],
)
def test_records_of_a_newer_schema_are_known(version: Any, newer: str | None) -> None:
    found = newer_version({"schema_version": version})
    assert found == (version if version == "v3" else newer)
