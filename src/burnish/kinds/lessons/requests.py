"""What models are asked about a lesson: prompts filled with as little of it as the question needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from burnish.core.requests import Request
from burnish.kinds.lessons.headings import headings
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage
from burnish.kinds.lessons.refinement.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.sources import Claim, Hit
from burnish.languages.tags import UNKNOWN_LANGUAGE

PROMPTS = "burnish.kinds.lessons.prompts"
CALLS = {
    "review": ("reviewer", "self_review_reply"),
    "claims": ("reviewer", "claims_reply"),
    "verify": ("reviewer", "claim_verdict_reply"),
    "judge_section": ("judge", "judge_reply"),
    "judge_outline": ("judge", "judge_reply"),
    "patch": ("patcher", "edit_reply"),
    "expand": ("patcher", "section_reply"),
    "delta": ("delta_judge", "delta_reply"),
    "generate": ("generator", "section_reply"),
}
"""Prompt -> the role that answers it, and the kind of reply."""

NONE = "(none)"
"""What stands in a prompt where there is nothing to say: an empty place invites invention."""

FACTUAL = (
    "- factual_accuracy: does anything contradict the source passages? What they do not mention is no contradiction."
)
OPENING = 160
"""Characters of each part that the judge of the outline sees."""
NEIGHBOURS = 4
"""Parts before and after it that the judge of one part sees in its outline."""
MOST_CLAIMS = 20
LONGEST_WORD = 60
"""Characters of what a specification says in a word or two. It is content like all else: fenced, never ours."""


def prompt(name: str) -> str:
    return f"{PROMPTS}:{name}"


def _ask(
    name: str, unit: str, max_tokens: int, *, trusted: Mapping[str, str] | None = None, untrusted: Mapping[str, str]
) -> Request:
    role, reply = CALLS[name]
    return Request(role, unit, prompt(name), reply, trusted or {}, untrusted, max_tokens)


def _line(words: str | None) -> str:
    return " ".join((words or "").split())[:LONGEST_WORD] or "not given"


def _language(context: LessonContext) -> str:
    """A tag that we know, so that no word of the content stands among ours."""
    return "that of the lesson" if context.language == UNKNOWN_LANGUAGE else context.language


def _level(context: LessonContext) -> str:
    return f"level: {_line(context.spec.difficulty if context.spec else None)}"


def _manner(context: LessonContext) -> str:
    return f"manner: {_line(context.spec.content_archetype if context.spec else None)}"


def objectives(context: LessonContext) -> str:
    wanted = context.spec.learning_objectives if context.spec else ()
    return "\n".join(f"{objective.id}: {objective.text}" for objective in wanted) or NONE


def shown_passages(passages: Iterable[Passage]) -> str:
    return "\n\n".join(f"[{passage.id}]\n{passage.text}" for passage in passages) or NONE


def lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts) or NONE


def titled(unit: LessonUnit, text: str | None = None) -> str:
    """A unit with its id on top; each field under its name where there are several."""
    head = f"unit: {unit.id}"
    if text is not None or set(unit.fields) <= {"title", None}:
        title = f"\ntitle: {unit.title}" if unit.title else ""
        return f"{head}{title}\n\n{unit.text if text is None else text}"
    return f"{head}\n" + "\n".join(f"{field}: {value}" for field, value in unit.fields.items())


def review_ask(units: Sequence[LessonUnit], context: LessonContext, passages: Iterable[Passage]) -> Request:
    """The cheap reader's look at some units of a lesson."""
    return _ask(
        "review",
        "lesson",
        1500,
        trusted={"language": _language(context)},
        untrusted={
            "objectives": f"{_level(context)}\n{_manner(context)}\n{objectives(context)}",
            "passages": shown_passages(passages),
            "lesson": "\n\n".join(titled(unit) for unit in units),
        },
    )


def claims_ask(units: Sequence[LessonUnit]) -> Request:
    return _ask(
        "claims",
        "lesson",
        2500,
        trusted={"most": str(MOST_CLAIMS)},
        untrusted={"lesson": "\n\n".join(titled(unit) for unit in units)},
    )


def verify_ask(found: Mapping[Claim, Sequence[Hit]]) -> Request:
    """The statements with the passages that were found for each."""
    blocks = [
        f"statement: {claim.claim}\n{shown_passages(hit.passage for hit in hits)}" for claim, hits in found.items()
    ]
    return _ask("verify", "lesson", 400 + 120 * len(found), untrusted={"claims": "\n\n".join(blocks)})


def judge_section_ask(
    unit: LessonUnit,
    window: tuple[int, int, str],
    lesson: Lesson,
    context: LessonContext,
    flags: Iterable[str],
    passages: Sequence[Passage],
) -> Request:
    """One judge's look at one window (number, of how many, text) of a unit."""
    number, windows, text = window
    whole = (
        "The text is one whole part." if windows == 1 else f"The text is piece {number} of {windows} of a long part."
    )
    return _ask(
        "judge_section",
        unit.id,
        1500,
        trusted={
            "factual": FACTUAL if passages else "",
            "language": _language(context),
            "window": whole,
        },
        untrusted={
            "outline": f"{_level(context)}\n{near_bones(lesson, unit.id)}",
            "flags": lines(flags),
            "passages": shown_passages(passages),
            "text": titled(unit, text) if windows > 1 else titled(unit),
        },
    )


def judge_outline_ask(lesson: Lesson, context: LessonContext, flags: Iterable[str]) -> Request:
    minutes = context.spec.duration_minutes if context.spec else None
    return _ask(
        "judge_outline",
        "lesson",
        1500,
        trusted={"language": _language(context), "minutes": f"{minutes:g}" if minutes else "not given"},
        untrusted={
            "objectives": f"{_level(context)}\n{objectives(context)}",
            "outline": _outline(lesson),
            "flags": lines(flags),
        },
    )


def bones(lesson: Lesson) -> str:
    """Titles and headings only: it changes when the structure changes, and not with every word."""
    return "\n".join([lesson.title or lesson.lesson_id, *_bones_of(lesson.units)])


def near_bones(lesson: Lesson, id: str) -> str:
    """The bones around one unit. A long lesson is not shown whole: judging a part of it would cost more with each."""
    place = [unit.id for unit in lesson.units].index(id)
    first, last = max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1
    after = len(lesson.units) - last
    found = [lesson.title or lesson.lesson_id]
    found += [f"- ({first} more before)"] if first else []
    found += _bones_of(lesson.units[first:last])
    found += [f"- ({after} more after)"] if after > 0 else []
    return "\n".join(found)


def _bones_of(units: Iterable[LessonUnit]) -> Iterator[str]:
    for unit in units:
        yield f"- {unit.id}: {unit.title}" if unit.title else f"- {unit.id}"
        yield from _headings_of(unit)


def _headings_of(unit: LessonUnit) -> Iterator[str]:
    return (f"{'  ' * max(1, heading.level - 1)}- {heading.title}" for heading in headings(unit.text))


def _outline(lesson: Lesson) -> str:
    """The bones with the size and the opening words of each part."""
    found = [lesson.title or lesson.lesson_id]
    for unit in lesson.units:
        title = f": {unit.title}" if unit.title else ""
        opening = " ".join(unit.prose[: OPENING * 2].split())[:OPENING]
        found.append(f"- {unit.id}{title} ({unit.words} words) {opening}")
        found.extend(_headings_of(unit))
    return "\n".join(found)


def patch_ask(unit: str, text: str, issues: Iterable[str], history: str) -> Request:
    """The smallest edits to passages of a unit, or of several; each has its unit's id on top."""
    return _ask(
        "patch", unit, 400 + len(text), trusted={"history": history}, untrusted={"issues": lines(issues), "text": text}
    )


def expand_ask(
    unit: LessonUnit,
    lesson: Lesson,
    context: LessonContext,
    issues: Iterable[str],
    passages: Sequence[Passage],
    *,
    words: int,
    history: str,
) -> Request:
    """One unit written anew between its neighbours."""
    before, after = lesson.neighbours(unit.id)
    return _ask(
        "expand",
        unit.id,
        600 + 2 * len(unit.text),
        trusted={"language": _language(context), "words": str(words), "history": history},
        untrusted={
            "issues": lines(issues),
            "title": f"{unit.title or NONE}\n{_level(context)}",
            "before": last_sentences(before.text) if before else NONE,
            "after": first_sentences(after.text) if after else NONE,
            "passages": shown_passages(passages),
            "text": titled(unit),
        },
    )


def delta_ask(unit: str, before: str, after: str, issues: Iterable[str]) -> Request:
    """Whether a change settled its issues."""
    return _ask("delta", unit, 600, untrusted={"issues": lines(issues), "before": before, "after": after})


def generate_ask(
    unit: LessonUnit,
    lesson: Lesson,
    context: LessonContext,
    issues: Iterable[str],
    passages: Sequence[Passage],
    *,
    words: int,
    room: int,
) -> Request:
    """One unit written from the specification; `room` is the token limit, higher after a truncation."""
    title = f"\ntitle: {unit.title}" if unit.title else ""
    return _ask(
        "generate",
        unit.id,
        room,
        trusted={"language": _language(context), "words": str(words)},
        untrusted={
            "part": f"unit: {unit.id}{title}\n{_level(context)}\n{_manner(context)}",
            "objectives": objectives(context),
            "outline": bones(lesson),
            "issues": lines(issues),
            "passages": shown_passages(passages),
        },
    )
