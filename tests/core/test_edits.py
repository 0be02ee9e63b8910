"""Edits change what they name, exactly once, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.edits import REFUSALS, Edit, apply_edits, changed_fields, receipt
from burnish.core.errors import EditRefused
from tests.core.units import PlainUnit

UNIT = PlainUnit.of(
    stem="Which drug is NOT given first in acute asthma?", rationale="", note="Use `x = 1` here, see {name}."
)


def refused(unit: PlainUnit, *edits: Edit, **options: object) -> str:
    with pytest.raises(EditRefused) as caught:
        apply_edits(unit, edits, **options)  # type: ignore[arg-type]
    assert caught.value.reason in REFUSALS
    return caught.value.reason


def test_one_edit() -> None:
    after = apply_edits(UNIT, [Edit("u", "stem", "NOT given", "given")])
    assert after.texts()["stem"] == "Which drug is given first in acute asthma?"
    assert changed_fields(UNIT, after) == ("stem",)


def test_an_empty_field_is_filled() -> None:
    after = apply_edits(UNIT, [Edit("u", "rationale", "", "Because it works at once.")])
    assert after.texts()["rationale"] == "Because it works at once."


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit("v", "stem", "NOT ", ""), "other_unit"),
        (Edit("u", "options.A", "NOT ", ""), "unknown_field"),
        (Edit("u", "stem", "not", ""), "not_found"),
        (Edit("u", "stem", "a", "b"), "not_unique"),
        (Edit("u", "stem", "", "b"), "fill_not_empty"),
        (Edit("u", "stem", "NOT", "NOT"), "no_change"),
        (Edit("u", "stem", UNIT.texts()["stem"], "W"), "shrinks"),
        (Edit("u", "note", "x = 1", "x = 2"), "protected"),
        (Edit("u", "note", "{name}", "{nom}"), "protected"),
        (Edit("u", "note", "here", "`y`"), "protected"),
        (Edit("u", "note", "`x = 1`", "it"), "protected"),
        (Edit("u", "note", "`x = 1` here, see {name}", "{name} here, see `x = 1`"), "protected"),
    ],
)
def test_refusals(edit: Edit, reason: str) -> None:
    assert refused(UNIT, edit) == reason


def test_a_field_that_was_not_flagged_is_refused() -> None:
    assert refused(UNIT, Edit("u", "stem", "NOT ", ""), allowed={"rationale"}) == "outside_flagged_fields"


def test_one_bad_edit_spoils_all() -> None:
    good, bad = Edit("u", "stem", "NOT ", ""), Edit("u", "stem", "missing words", "x")
    assert refused(UNIT, good, bad) == "not_found"


def test_no_edit_at_all_and_edits_that_cancel_out() -> None:
    assert refused(UNIT) == "no_change"
    assert refused(UNIT, Edit("u", "stem", "NOT", "NEVER"), Edit("u", "stem", "NEVER", "NOT")) == "no_change"


def test_overlapping_places_are_not_unique() -> None:
    assert refused(PlainUnit.of(stem="aaa and more text"), Edit("u", "stem", "aa", "b")) == "not_unique"


def test_a_heading_must_stay() -> None:
    unit = PlainUnit.of(stem="# Title\n\nSome text that is long enough to lose a title and live.")
    assert refused(unit, Edit("u", "stem", "# Title\n\n", "")) == "drops_heading"


def test_a_heading_stays_word_for_word() -> None:
    unit = PlainUnit.of(stem="## Title  ##\n\nSome text that is long enough to change a word.")
    assert refused(unit, Edit("u", "stem", "Title", "Titel")) == "drops_heading"
    assert apply_edits(unit, [Edit("u", "stem", "word", "term")]).texts()["stem"].endswith("a term.")


def test_a_link_may_be_mended_but_its_target_not_used_twice() -> None:
    unit = PlainUnit.of(stem="Read more on [this page] (page.html) whenever you have the time.")
    torn, mended = "[this page] (page.html)", "[this page](page.html)"
    assert mended in apply_edits(unit, [Edit("u", "stem", torn, mended)]).texts()["stem"]
    assert refused(unit, Edit("u", "stem", torn, f"{mended} and {mended}")) == "protected"


def test_a_receipt_proves_the_rest() -> None:
    after = apply_edits(UNIT, [Edit("u", "stem", "NOT ", "")])
    paper = receipt(UNIT, after, ["b", "a", "b"])
    assert paper.changed_fields == ("stem",)
    assert paper.rules == ("a", "b")
    assert paper.before == UNIT.content_hash != paper.after == after.content_hash
    assert paper.as_record()["untouched"] == receipt(UNIT, UNIT.with_text("stem", "x"), []).untouched


def test_a_receipt_refuses_a_unit_with_other_fields() -> None:
    with pytest.raises(EditRefused):
        receipt(UNIT, PlainUnit.of(stem="x", other="y"), [])


@given(st.text(min_size=1, max_size=60), st.text(max_size=20), st.data())
def test_an_applied_edit_can_be_taken_back_byte_for_byte(text: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    unit = PlainUnit.of(stem=text, other="untouched")
    try:
        after = apply_edits(unit, [Edit("u", "stem", text[start:end], new)], smallest_remainder=0.0)
    except EditRefused:
        return
    assert after.texts()["stem"] == text[:start] + new + text[end:]
    assert after.texts()["other"] == "untouched"
    assert after.with_text("stem", text) == unit


@pytest.mark.parametrize("character", ["\x00", "\r", "\x1b", "\x9b", "\u2028", "\u202e", "\ud800"])
def test_no_edit_brings_in_a_control_character(character: str) -> None:
    unit = PlainUnit.of(stem="The wind blows.")
    assert refused(unit, Edit("u", "stem", "blows", f"blows{character}")) == "control_character"
    held = PlainUnit.of(stem=f"The wind{character} blows.")
    assert apply_edits(held, [Edit("u", "stem", "blows", f"stays{character}")]) != held
