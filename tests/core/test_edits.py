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
    for allowed in ({"rationale"}, ("note", "rationale"), frozenset(), ()):
        assert refused(UNIT, Edit("u", "stem", "NOT ", ""), allowed=allowed) == "outside_flagged_fields"
    assert apply_edits(UNIT, [Edit("u", "stem", "NOT ", "")], allowed=("stem",)) != UNIT


def test_every_edit_of_a_list_is_held_to_the_fields_that_were_flagged() -> None:
    edits = Edit("u", "stem", "NOT ", ""), Edit("u", "rationale", "", "It works at once.")
    assert refused(UNIT, *edits, allowed=["stem"]) == "outside_flagged_fields"
    assert refused(UNIT, *edits, allowed=["rationale"]) == "outside_flagged_fields"
    assert changed_fields(UNIT, apply_edits(UNIT, edits, allowed=["rationale", "stem"])) == ("stem", "rationale")


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


def test_of_two_headings_alike_both_stay() -> None:
    unit = PlainUnit.of(stem="# Title\n\nSome text that is long enough.\n\n# Title\n\nMore text.")
    assert refused(unit, Edit("u", "stem", "enough.\n\n# Title", "enough.")) == "drops_heading"


def test_every_field_that_changes_is_looked_at() -> None:
    unit = PlainUnit.of(first="Some words.", second="## Heading\n\nSee `x`.", third="More words.")
    edits = [Edit("u", "first", "words", "text"), Edit("u", "third", "words", "text")]
    assert refused(unit, *edits, Edit("u", "second", "`x`", "`y`")) == "protected"
    assert refused(unit, *edits, Edit("u", "second", "## Heading", "Heading")) == "drops_heading"
    assert changed_fields(unit, apply_edits(unit, edits)) == ("first", "third")


def test_a_code_word_of_the_text_may_be_named_once_more() -> None:
    unit = PlainUnit.of(stem="Set `x` first. Then read the variable and go on with it.")
    assert apply_edits(unit, [Edit("u", "stem", "the variable", "`x`")]).texts()["stem"].count("`x`") == 2
    assert refused(unit, Edit("u", "stem", "the variable", "`x` and `x`")) == "protected"


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


CONTROLS = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\ud800\udabc\udfff",
]
"""Control characters, separators, marks that turn or isolate the direction of text, halves of a character."""
TEXT = "\t\n !~\xa0é\u200b\u200f\u2027\u202f\u2065\u206a中\ud7ff\ue000😀"


def test_no_edit_brings_in_a_control_character() -> None:
    unit = PlainUnit.of(stem="The wind blows.")
    for character in set(CONTROLS) - set(TEXT):
        assert refused(unit, Edit("u", "stem", "blows", f"blows{character}")) == "control_character", ascii(character)
        held = PlainUnit.of(stem=f"The wind{character} blows.")
        assert apply_edits(held, [Edit("u", "stem", "blows", f"stays{character}")]) != held


@pytest.mark.parametrize("character", TEXT)
def test_an_edit_brings_in_text(character: str) -> None:
    unit = PlainUnit.of(stem="The wind blows.")
    assert apply_edits(unit, [Edit("u", "stem", "wind", f"wi{character}nd")]) != unit


def test_each_field_has_its_own_control_characters() -> None:
    unit = PlainUnit.of(stem="The wind blows.", note="The rain\u2066 falls.")
    assert refused(unit, Edit("u", "stem", "blows", "blows\u2066")) == "control_character"


def test_a_unit_may_shrink_to_six_tenths_and_no_further() -> None:
    unit = PlainUnit.of(stem="a" * 4 + "b" * 6, note="c" * 10)
    assert apply_edits(unit, [Edit("u", "stem", "aaaabbbb", "")]).texts()["stem"] == "bb"
    assert refused(unit, Edit("u", "stem", "aaaabbbbb", "")) == "shrinks"
    assert apply_edits(unit, [Edit("u", "stem", "aaaabbbbbb", "")], smallest_remainder=0.5).texts()["stem"] == ""


def test_what_is_refused_is_told_with_its_place() -> None:
    for edit, told in (
        (Edit("v", "stem", "NOT ", ""), "stem: the edit names another unit (it names 'v')."),
        (Edit("u", "rationale", "gone", "x"), "rationale: the words to replace are not in this field."),
        (Edit("u", "note", "{name}", "x"), "Protected text of note would change."),
        (Edit("u", "stem", UNIT.texts()["stem"], "W"), "75 characters would become 30."),
    ):
        with pytest.raises(EditRefused) as caught:
            apply_edits(UNIT, [edit])
        assert caught.value.message == told


def test_a_reply_without_an_edit_is_told_from_edits_that_change_nothing() -> None:
    with pytest.raises(EditRefused, match="holds no edit"):
        apply_edits(PlainUnit.of(stem="Words."), [])


def test_a_heading_that_would_be_lost_is_told_with_its_field() -> None:
    with pytest.raises(EditRefused, match="heading of body would"):
        apply_edits(PlainUnit.of(body="# One\n\nMany words here."), [Edit("u", "body", "# One", "#One")])


@pytest.mark.parametrize(
    ("field", "find", "replace", "told"),
    [
        ("body", "# One", "#One", "A heading of body would"),
        (None, "# One", "#One", "A heading of the text would"),
        ("body", "`a`", "b", "Protected text of body would"),
        (None, "`a`", "b", "Protected text of the unit would"),
        ("body", "words", "\x1b", "would stand in body"),
        (None, "words", "\x1b", "would stand in the text"),
        ("body", "nowhere", "x", "body: the words to replace"),
        (None, "nowhere", "x", "the text: the words to replace"),
    ],
)
def test_a_refusal_names_its_field_or_the_text(field: str | None, find: str, replace: str, told: str) -> None:
    unit = PlainUnit("u", ((field, "# One\n\nMany words and `a` here."),))
    with pytest.raises(EditRefused) as refused:
        apply_edits(unit, [Edit("u", field, find, replace)])
    assert told in refused.value.message and "None" not in refused.value.message
