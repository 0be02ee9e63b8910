"""What judges read at once: windows that are alike, and pieces and parts that lose nothing."""

from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.findings import WINDOW, group_units, parts, whole_key, windows, windows_of
from burnish.kinds.lessons.model import Lesson, LessonUnit


def unit(id: str, size: int) -> LessonUnit:
    return LessonUnit(id, "section", {"title": "A title", None: ("word " * size)[:size]})


def lesson_of(*sizes: int) -> Lesson:
    return Lesson("l", "L", "en", tuple(unit(f"s{place}", size) for place, size in enumerate(sizes)))


def test_short_sections_share_windows_that_are_filled_alike() -> None:
    lesson = lesson_of(*[700] * 12)
    groups = group_units(lesson.units)
    assert [len(group) for group in groups] == [6, 6], "two windows are needed, so each has half"
    assert all(len(window.text) <= WINDOW for window in windows(lesson, groups))


def test_a_long_section_is_read_in_pieces_of_its_own() -> None:
    lesson = lesson_of(500, 20_000, 500)
    assert group_units(lesson.units) == (("s0",), ("s1",), ("s2",))
    shown = windows(lesson, group_units(lesson.units))
    assert [piece.of for window in shown for piece in window.pieces] == [1, 4, 4, 4, 4, 1]
    assert "".join(windows_of(lesson.unit("s1").text)) == lesson.unit("s1").text


def test_an_edit_changes_one_window_and_the_whole() -> None:
    lesson = lesson_of(*[700] * 24)
    groups = group_units(lesson.units)
    edited = lesson.with_unit(lesson.unit("s20").with_text(None, "Much longer than it was. " * 100))
    before, after = ([window.key for window in windows(one, groups)] for one in (lesson, edited))
    assert [one == other for one, other in zip(before, after, strict=True)].count(False) == 1
    assert whole_key(lesson) != whole_key(edited)


@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=30))
def test_every_unit_stands_in_one_window(sizes: list[int]) -> None:
    lesson = lesson_of(*sizes)
    groups = group_units(lesson.units)
    assert [id for group in groups for id in group] == [unit.id for unit in lesson.units]
    for window in windows(lesson, groups):
        assert len(window.pieces) == 1 or len(window.text) <= WINDOW + 2 * len(window.pieces)


def test_parts_hold_everything_in_order() -> None:
    lesson = lesson_of(4_000, 4_000, 9_000, 100)
    assert [[unit.id for unit in part] for part in parts(lesson.units, 9_000)] == [["s0", "s1"], ["s2"], ["s3"]]
    assert len(parts(lesson.units, 100_000)) == 1
