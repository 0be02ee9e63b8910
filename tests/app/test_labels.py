"""Names in the journal, words for people."""

from dataclasses import replace

import pytest

from burnish.app.kinds import kind_named
from burnish.app.labels import failure_of, minute, reason_of
from burnish.cli.summary import _where_they_differ
from burnish.core.records import UnitRow

ROW = UnitRow("q1", "bank.json", 0, "hash", "validated")


@pytest.mark.parametrize(
    ("kind", "reason", "words"),
    [
        ("questions", "attempt_2", "passed at attempt 2"),
        ("questions", "edit_has_errors", "the edited text still breaks rules"),
        ("questions", "duplicate", "nearly the same as another question"),
        ("questions", "reopened", "reopened"),
        ("questions", "accepted by Ada", "accepted by Ada"),
        ("questions", None, ""),
        ("lessons", "nothing_open", "no open issues"),
    ],
)
def test_why_a_unit_rests(kind: str, reason: str | None, words: str) -> None:
    assert reason_of(kind_named(kind), replace(ROW, reason=reason)) == words


@pytest.mark.parametrize(
    ("kind", "failure", "words"),
    [
        ("questions", "edit_refused: no_change: The reply holds no edit.", "The reply holds no edit."),
        (
            "questions",
            "edit_refused: not_found: stem: the words to replace are not in this field.",
            "stem: the words to replace are not in this field.",
        ),
        ("questions", "new_errors: nbme_lead_in", "the change causes new errors: nbme_lead_in"),
        (
            "questions",
            "judges_silent: a:b: reply_unreadable: No JSON.",
            "too few judges gave a readable answer: a:b: the answer could not be read: No JSON.",
        ),
        ("questions", "model_failed", "the model did not answer"),
        (
            "lessons",
            "not_verified: issue_not_settled, low_confidence",
            "the issue is not settled; the judge that compared the two versions is not sure",
        ),
        ("lessons", "length_change: length_change", "changes the length by more than a tenth"),
        ("lessons", "not_verified: readability:fog", "harder to read (fog)"),
        ("lessons", "not_verified", "no judge confirmed that every issue is settled"),
        ("lessons", "other_unit: water", "the edit names another unit: water"),
    ],
)
def test_why_an_answer_was_not_used(kind: str, failure: str, words: str) -> None:
    assert failure_of(kind_named(kind), failure) == words


def test_a_moment_is_told_to_the_minute() -> None:
    assert minute("2026-11-15T22:46:53.136565Z") == "2026-11-15 22:46 UTC"
    assert minute("") == ""


def test_what_a_changed_text_leaves_out_is_marked() -> None:
    old = "A farmer finds white crusts on the soil of a very dry field beside the river in spring."
    new = old.replace("very dry field", "wet meadow")
    assert _where_they_differ(old, new) == (
        "… the soil of a very dry field beside the river …",
        "… the soil of a wet meadow beside the river …",
    )
    assert _where_they_differ("short", "sport") == ("short", "sport")
