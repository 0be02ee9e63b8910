"""Stage 1: the rules' verdict, the patch, and what the reader may add."""

from typing import Any

import pytest

from burnish.core.checks import Examination, discover, select
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.core.replies import SelfReviewReply
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, wire_content
from burnish.kinds.lessons.self_review import SelfReview, misquotes, self_review, unreadable, with_model

SELECTION = select(discover(checks))
WATER = "Water moves in a circle. The sun warms the sea, vapour rises into the air, and rain falls on the land."
RIVERS = "Rivers carry the water back. They are fed by springs, by rain and by the snow that melts in the hills."


def lesson(intro: str = WATER, section: str = RIVERS, language: str = "en") -> Lesson:
    units = (
        LessonUnit("intro", "intro", {None: intro}),
        LessonUnit("sec_1", "section", {"title": "Rivers", None: section}),
        LessonUnit("exercises/0", "exercise", {"question": "What feeds a river?", "solution": "Springs and rain."}),
        LessonUnit("conclusion", "conclusion", {None: "The water returns to the sea, and everything begins again."}),
    )
    return Lesson("water", "Water", language, units)


def reviewed(made: Lesson) -> SelfReview:
    return self_review(made, examined)


def examined(made: Lesson, unit: LessonUnit) -> Examination:
    return examine(unit, SELECTION, LessonContext.of(made))


def reply(status: str, *issues: dict[str, Any]) -> SelfReviewReply:
    base = {"type": "LOGIC", "severity": "COMPLEX", "location": "sec_1", "description": "It contradicts the intro."}
    return SelfReviewReply.model_validate(
        {"reasoning": "", "status": status, "issues": [{**base, **issue} for issue in issues]}
    )


def patched(content: dict[str, Any], patch: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """RFC 6902, as far as `replace` goes."""
    for operation in patch:
        assert operation["op"] == "replace"
        *way, last = operation["path"].strip("/").split("/")
        target: Any = content
        for step in way:
            target = target[int(step)] if isinstance(target, list) else target[step]
        assert last in target
        target[last] = operation["value"]
    return content


def test_a_sound_lesson_passes() -> None:
    review = reviewed(lesson())
    assert (review.status, review.issues, review.patch) == ("PASS", (), ())
    assert review.response().model_dump(mode="json")["patched_content"] is None


@pytest.mark.parametrize(
    ("section", "type"),
    [
        ("Rivers carry the water back to the", "TRUNCATION"),
        ("Rivers:\n\n```\nflow", "TRUNCATION"),
        ("[Insert text here]", "EMPTY"),
        ("", "EMPTY"),
        ("Реки несут воду обратно в море, и всё начинается снова.", "LANGUAGE"),
    ],
)
def test_what_is_broken_must_be_written_again(section: str, type: str) -> None:
    review = reviewed(lesson(section=section))
    assert review.status == "REGENERATE"
    first = review.issues[0]
    assert (first.type, first.severity, first.location) == (type, "CRITICAL", "sec_1")
    assert review.response().patched_content is None


def test_dirt_is_taken_away_and_proven() -> None:
    dirty = lesson(f"Sure! Here is the lesson:\n\n{WATER}", f"{RIVERS} They 的 bend, **and they widen.")
    review = reviewed(dirty)
    assert review.status == "FIXED"
    wire = review.response().model_dump(mode="json")
    assert wire["patched_content"]["intro"] == WATER
    assert wire["patched_content"]["sections"][0]["content"] == f"{RIVERS} They bend, and they widen."
    assert patched(wire_content(dirty), review.patch) == wire["patched_content"]
    assert {issue.severity for issue in review.issues} == {"FIXABLE"} and len(review.settled) == 3
    assert review.lesson.unit("conclusion") is dirty.unit("conclusion")


def test_the_russian_lesson_of_the_contract() -> None:
    intro = "Sure! Here is the lesson:\n\nSQL — это стандартный язык запросов к базам данных, и его понимают все."
    review = reviewed(lesson(intro, "Таблицы 的 хранят строки, а запросы их выбирают.", "ru"))
    located = {(issue.location, issue.type): issue.severity for issue in review.issues}
    assert located[("intro", "HYGIENE")] == "FIXABLE" and located[("sec_1", "LANGUAGE")] == "FIXABLE"
    assert "的" not in review.lesson.unit("sec_1").text and review.lesson.unit("intro").text.startswith("SQL")


def test_a_lesson_that_is_dirty_and_broken_is_cleaned_and_written_again() -> None:
    review = reviewed(lesson(f"Sure! Here is the lesson:\n\n{WATER}", "Rivers carry the"))
    assert review.status == "REGENERATE" and review.patch and review.response().patched_content is None
    assert review.lesson.unit("intro").text == WATER


def test_foreign_words_that_may_be_meant_go_to_a_judge() -> None:
    review = reviewed(lesson(section=f"{RIVERS} They 水在大海之间 bend.{' They widen and slow down.' * 60}"))
    assert review.status == "FLAG_TO_JUDGE" and review.issues[0].severity == "COMPLEX"


def test_remarks_pass_with_flags() -> None:
    review = reviewed(lesson(section=f"### Springs\n\n{RIVERS}\n\n##### Hills\n\n{RIVERS} So it is."))
    assert review.status == "PASS_WITH_FLAGS" and {issue.severity for issue in review.issues} == {"INFO"}


def test_a_fix_that_settles_nothing_is_not_made() -> None:
    made = lesson()
    unit = made.unit("intro")

    def stubborn(_: Lesson, unit: LessonUnit) -> Examination:
        fix = Edit(unit.id, None, "Water", "Wasser") if unit.id == "intro" and "Water" in unit.text else None
        finding = Finding("homoglyphs", "error", unit.id, None, "Wrong.", "Mend it.", "Water", fix=fix)
        return Examination((finding,) if unit.id == "intro" else ())

    review = self_review(made, stubborn)
    assert review.lesson.unit("intro") is unit and review.patch == () and review.status == "FLAG_TO_JUDGE"


def test_fixes_that_do_not_go_together_are_made_one_after_the_other() -> None:
    made = lesson("aXbYc is a word.")

    def overlapping(_: Lesson, unit: LessonUnit) -> Examination:
        marks = [mark for mark in "XY" if unit.id == "intro" and mark in unit.text]
        whole = unit.text.partition(" ")[0]
        fixes = [(mark, Edit("intro", None, whole, whole.replace(mark, ""))) for mark in marks]
        return Examination(
            tuple(
                Finding("homoglyphs", "error", "intro", None, "Wrong.", "Mend it.", mark, fix=fix)
                for mark, fix in fixes
            )
        )

    review = self_review(made, overlapping)
    assert review.lesson.unit("intro").text == "abc is a word." and len(review.settled) == 2


def test_a_file_that_breaks_off_is_told_with_its_place() -> None:
    response = unreadable("content.exercises[1]", "The JSON ends inside a string (line 3, column 5).")
    assert response.status == "REGENERATE" and response.issues[0].location == "content.exercises[1]"


def test_the_reader_can_send_a_lesson_to_the_judges() -> None:
    review = with_model(reviewed(lesson()), reply("FLAG_TO_JUDGE", {"quote": "fed by springs"}))
    assert review.status == "FLAG_TO_JUDGE" and review.issues[0].location == "sec_1"


@pytest.mark.parametrize(
    ("issue", "reason"),
    [
        ({"quote": "fed by glaciers", "severity": "INFO"}, "quote_not_found"),
        ({"severity": "CRITICAL", "quote": None}, "no_quote"),
        ({"type": "HYGIENE"}, "no_quote"),
        ({"quote": "fed by springs", "description": "This is actually fine."}, "self_refuting"),
    ],
)
def test_what_the_reader_cannot_show_is_dropped(issue: dict[str, Any], reason: str) -> None:
    review = with_model(reviewed(lesson()), reply("REGENERATE", issue))
    assert [dropped.reason for dropped in review.dropped] == [reason]
    assert review.status == "PASS_WITH_FLAGS" and "REGENERATE" in review.reasoning


@pytest.mark.parametrize("severity", ["CRITICAL", "COMPLEX"])
def test_something_serious_of_words_that_are_nowhere_goes_to_the_judges(severity: str) -> None:
    said = reply("REGENERATE", {"quote": "fed by glaciers", "severity": severity})
    assert misquotes(lesson(), said)
    review = with_model(reviewed(lesson()), said)
    assert (review.status, review.dropped) == ("FLAG_TO_JUDGE", ())
    assert "words that are not in the lesson: “fed by glaciers”" in review.issues[0].description
    assert not misquotes(lesson(), reply("REGENERATE", {"quote": "fed\nby springs", "severity": severity}))


def test_the_same_issue_counts_once_and_another_quote_is_another_issue() -> None:
    twice = reply("FLAG_TO_JUDGE", {"quote": "fed by springs"}, {"quote": "fed by springs"}, {"quote": "the snow"})
    review = with_model(reviewed(lesson()), twice)
    assert [issue.quote for issue in review.issues] == ["fed by springs", "the snow"]
    assert [dropped.reason for dropped in review.dropped] == ["duplicate"]


def test_the_reader_mends_nothing() -> None:
    review = with_model(
        reviewed(lesson()), reply("FIXED", {"type": "HYGIENE", "severity": "FIXABLE", "quote": "Rivers"})
    )
    assert review.status == "PASS_WITH_FLAGS" and review.issues[0].severity == "INFO"


def test_a_quote_decides_where_an_issue_is() -> None:
    review = with_model(reviewed(lesson()), reply("FLAG_TO_JUDGE", {"location": "intro", "quote": "fed by springs"}))
    assert review.issues[0].location == "sec_1"
    absent = with_model(reviewed(lesson()), reply("FLAG_TO_JUDGE", {"type": "ALIGNMENT", "location": "the middle"}))
    assert absent.issues[0].location == "lesson"


def test_a_doubt_stays_when_a_later_portion_is_fine() -> None:
    review = with_model(with_model(reviewed(lesson()), reply("REGENERATE")), reply("PASS"))
    assert review.status == "PASS_WITH_FLAGS"


def test_the_reason_names_places_and_the_rest() -> None:
    review = reviewed(lesson(f"{WATER} They **widen.", "Rivers carry the"))
    assert review.reasoning == "Unusable as it is (truncation in sec_1). 1 further remark."
