"""For every random list of edits the rest of the unit and all protected parts are byte-equal, or it is refused."""

from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.edits import protected_parts
from tests.core.edit_lists import Text, applied, assert_kept, assert_only_that, edit_lists, is_in_order, texts
from tests.core.units import PlainUnit

ALLOWED = ((), {"first"}, ["second", "empty"], {"first", "second"}, frozenset({"first", "second", "empty"}))
CASES = settings(max_examples=max(settings().max_examples, 300))


@CASES
@given(texts(), texts(0), st.data())
def test_edits_do_what_they_say_or_nothing(first: Text, second: Text, data: st.DataObject) -> None:
    unit = PlainUnit.of(first=first.text, second=second.text, empty="")
    edits = data.draw(edit_lists(unit))
    allowed = data.draw(st.sampled_from((*(None,) * 9, *ALLOWED)))
    after = applied(unit, edits, allowed)
    if after is None:
        return
    assert_only_that(unit, after, edits, allowed)
    for field, text in (("first", first), ("second", second)):
        if any(edit.field == field for edit in edits):
            assert_kept(text, after.texts()[field])


@CASES
@given(texts())
def test_every_part_of_a_text_is_protected_and_no_word_is(text: Text) -> None:
    found = protected_parts(text.text)
    assert is_in_order(text.parts, found)
    assert not any(part.startswith("word") for part in found)
