"""What no model may bring into a unit: refused where it is offered."""

import pytest

from burnish.kinds.lessons.drafts import explanation, inadmissible
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.model import Lesson, LessonUnit, Passage

TEXT = "The wind blows. See [the map](https://a.b/map). <!-- burnish-ignore: placeholder -->"
FILE = f"# T\n\nIntro text.\n\n## A\n\n{TEXT}\n\n## B\n\nMore words.\n"
SOURCE = (Passage("s#p1", "The office writes at https://a.b/source about it.", "s", 1),)


def refused(more: str, *, text: str = TEXT, passages: tuple[Passage, ...] = ()) -> str | None:
    unit = LessonUnit("a", "section", {"title": "A", None: text})
    lesson = Lesson("l", "L", "en", (unit,), heading_level=2)
    reason = inadmissible(unit, unit.with_text(None, f"{text}{more}"), lesson, passages)
    return reason.partition(":")[0] if reason else None


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (" <!-- burnish-ignore: truncation -->", "adds_ignore"),
        (" <!--burnish-ignore :\ntruncation,placeholder-->", "adds_ignore"),
        ("\n\n```\n<!-- burnish-ignore: truncation -->\n```", "adds_ignore"),
        ("\n\n## E\n\nMore.", "adds_heading"),
        ("\n\n# E\n\nMore.", "adds_heading"),
        ("\n\nE\n---\n\nMore.", "adds_heading"),
        (" A\x00", "control_character"),
        (" A\r\nB", "control_character"),
        (" \u202eA", "control_character"),
        (" [more](https://evil.example)", "brings_in"),
        (" [more](javascript:alert(1))", "brings_in"),
        (" <img src=x onerror=alert(1)>", "brings_in"),
        (" <b>", "brings_in"),
        (" <!-- hidden", "brings_in"),
        ("\n\n[map]: https://evil.example", "brings_in"),
        ("\n\n### E\n\nMore `code` and $x$, once more [the map](https://a.b/map) at <https://a.b/map>.", None),
    ],
)
def test_what_a_model_may_not_bring_in(more: str, reason: str | None) -> None:
    assert refused(more) == reason
    assert reason is None or "JSON" not in explanation(reason)


def test_what_the_source_has_may_come_in() -> None:
    assert refused(" See https://a.b/source.") == "brings_in"
    assert refused(" See [it](https://a.b/source).", passages=SOURCE) is None


@pytest.mark.parametrize(
    ("file", "level"), [(FILE, 2), ("# T\n\nWords.\n\n### A\n\nB\n\n### C\n\nD\n", 3), ("# T\n\n## A\n\nB\n", 6)]
)
def test_the_level_that_begins_sections_is_known(file: str, level: int) -> None:
    assert MarkdownLesson().read(file.encode(), "a.md").lesson.heading_level == level
