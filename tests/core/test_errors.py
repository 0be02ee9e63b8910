"""Errors: what scripts rely on (code and exit code), and where they say that something is wrong."""

import re
from collections.abc import Iterator

import pytest

from burnish.core import errors
from burnish.core.errors import BurnishError, CannotWriteBack, InputError, ModelAway, SettingsError


def all_of(root: type[BurnishError]) -> Iterator[type[BurnishError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from all_of(child)


CODES = {
    "bad_input": 2,
    "bad_setting": 2,
    "burnish_error": 1,
    "call_deferred": 6,
    "cannot_write_back": 2,
    "edit_refused": 1,
    "internal_error": 1,
    "limit_reached": 6,
    "model_away": 6,
    "model_failed": 1,
    "not_found": 2,
    "ownership_lost": 5,
    "reply_unreadable": 1,
    "run_active": 4,
    "self_correction_misuse": 2,
    "source_unavailable": 2,
    "state_corrupt": 5,
    "storage_failed": 2,
    "submitted": 6,
    "too_late": 2,
    "usage": 2,
}
"""Scripts read these: they never change once released."""


def test_every_error_keeps_its_code_and_exit_code() -> None:
    assert {error.code: error.exit_code for error in all_of(BurnishError)} == CODES


def test_the_exit_codes_of_the_documentation_are_the_real_ones() -> None:
    said = dict(re.findall(r"[├└]── (\w+) .* exit (\d)\n", errors.__doc__ or ""))
    assert len(said) > 6
    for name, code in said.items():
        assert getattr(errors, name).exit_code == int(code)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({}, "wrong"),
        ({"path": "a.json"}, "a.json: wrong"),
        ({"path": "a.json", "line": 0}, "a.json:0: wrong"),
        ({"path": "a.json", "line": 3, "field": "stem"}, "a.json:3: wrong (field stem)"),
        ({"line": 3}, "3: wrong"),
        ({"field": "stem"}, "wrong (field stem)"),
    ],
)
def test_bad_input_says_where(place: dict[str, object], text: str) -> None:
    error = InputError("wrong", **place)  # type: ignore[arg-type]
    assert (str(error), error.message) == (text, "wrong")


def test_a_code_of_its_own_goes_first() -> None:
    assert InputError("m", code="bad_page").code == "bad_page"
    assert InputError("m", hint="h").code == "bad_input" and InputError("m", hint="h").hint == "h"


def test_changes_that_cannot_be_written_are_told_together() -> None:
    one = InputError("No room.", path="a.csv", line=2, field="stem", hint="Shorten it.")
    alone = CannotWriteBack({"q1": one})
    assert (alone.message, alone.path, alone.line, alone.field, alone.hint) == (
        "No room.", "a.csv", 2, "stem", "Shorten it.",
    )  # fmt: skip
    both = CannotWriteBack({"q1": one, "q2": InputError("Other."), "q3": InputError("Third.")})
    assert both.message == "No room. The same applies to 2 more." and list(both.refusals) == ["q1", "q2", "q3"]


def test_a_setting_is_named_with_its_file() -> None:
    error = SettingsError("is no number", source="burnish.toml", key="jobs", hint="h")
    assert (str(error), error.source, error.key, error.hint) == (
        "burnish.toml: jobs: is no number", "burnish.toml", "jobs", "h",
    )  # fmt: skip
    assert str(SettingsError("is no TOML", source="burnish.toml")) == "burnish.toml: is no TOML"


def test_a_model_that_is_away_is_named() -> None:
    away = ModelAway("m:a", "no route", hint="h")
    assert (away.model, away.message, away.hint) == ("m:a", "no route", "h")
