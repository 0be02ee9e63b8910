"""The requests to models about a lesson: prompts filled with as little of it as the question needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from burnish.core.effects import Request
from burnish.kinds.lessons.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.materials import Claim, Hit
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage, headings
from burnish.languages.detection import UNKNOWN_LANGUAGE
from burnish.languages.sentences import sentences

PROMPTS = "burnish.kinds.lessons.prompts"
CALLS = {
    "review": ("reviewer", "self_review_reply"),
    "claims": ("reviewer", "claims_reply"),
    "verify": ("reviewer", "claim_verdict_reply"),
    "judge_whole": ("judge", "lesson_judge_reply"),
    "judge_window": ("judge", "judge_reply"),
    "patch": ("patcher", "edit_reply"),
    "expand": ("patcher", "section_reply"),
    "delta": ("delta_judge", "delta_reply"),
    "generate": ("generator", "section_reply"),
}
"""Prompt -> the role that answers it, and the kind of reply."""

NONE = "(none)"
"""What stands in a prompt where there is nothing to say: an empty place invites invention."""

FACTUAL = (
    "- factual_accuracy: 1.0 all agrees with the passages of the source; 0.9 a trifle is off; 0.75 a detail "
    "contradicts them; 0.6 a main statement does; 0.3 several do. What they do not mention is no contradiction."
)
MOST_CLAIMS = 20
LONGEST_WORD = 60
"""Characters of what a specification says in a word or two. It is content like all else: fenced, never ours."""


def prompt(name: str) -> str:
    return f"{PROMPTS}:{name}"


def _ask(
    name: str,
    unit: str,
    max_tokens: int,
    *,
    trusted: Mapping[str, str] | None = None,
    untrusted: Mapping[str, str],
    scores: tuple[str, ...] | None = None,
    usual: int | None = None,
) -> Request:
    role, reply = CALLS[name]
    return Request(role, unit, prompt(name), reply, trusted or {}, untrusted, max_tokens, usual, scores)


def _line(words: str | None) -> str:
    return " ".join((words or "").split())[:LONGEST_WORD] or "not given"


def _language(context: LessonContext) -> str:
    """A tag that we know, so that no word of the content stands among ours."""
    return "that of the lesson" if context.language == UNKNOWN_LANGUAGE else context.language


def _level(context: LessonContext, *, with_manner: bool = False) -> str:
    spec = context.spec
    level = f"level: {_line(spec.difficulty if spec else None)}"
    return f"{level}\nmanner: {_line(spec.content_archetype if spec else None)}" if with_manner else level


def objectives(context: LessonContext) -> str:
    wanted = context.spec.learning_objectives if context.spec else ()
    return "\n".join(f"objective: {objective.id}\n{objective.text}" for objective in wanted) or NONE


def shown_passages(passages: Iterable[Passage]) -> str:
    return "\n\n".join(f"[{passage.id}]\n{passage.text}" for passage in passages) or NONE


def lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts) or NONE


def titled(unit: LessonUnit, text: str | None = None) -> str:
    """A unit with its id on top; each field under its name where there are several."""
    head = f"unit: {unit.id}"
    if text is not None or unit.is_plain:
        title = f"\ntitle: {unit.title}" if unit.title else ""
        return f"{head}{title}\n\n{unit.text if text is None else text}"
    return f"{head}\n" + "\n".join(f"{field}: {value}" for field, value in unit.fields.items())


def review_ask(
    units: Sequence[LessonUnit],
    context: LessonContext,
    passages: Iterable[Passage],
    *,
    part: tuple[int, int] = (1, 1),
) -> Request:
    """The cheap reader's look at a lesson, or at one part of a long one (its number, of how many)."""
    number, parts = part
    told = f" This is part {number} of {parts}: an objective that it does not treat may be treated in another."
    return _ask(
        "review",
        "lesson",
        1500,
        trusted={"language": _language(context), "part": told if parts > 1 else ""},
        untrusted={
            "objectives": f"{_level(context, with_manner=True)}\n{objectives(context)}",
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


def judge_window_ask(
    units: Sequence[str],
    text: str,
    lesson: Lesson,
    context: LessonContext,
    scores: tuple[str, ...],
    *,
    flags: Sequence[str] = (),
    passages: Sequence[Passage] = (),
    piece: tuple[int, int] = (0, 1),
    again: str = "",
) -> Request:
    """One judge's close look at the units of a window, or at a piece of a long one (its number, of how many)."""
    number, pieces = piece
    titles = "; ".join(unit.title or unit.id for unit in lesson.units)
    shown = titles if len(titles) <= MOST_TITLES else f"{titles[:MOST_TITLES]} ..."
    beside = [f"An earlier reader noticed:\n{lines(flags)}"] if flags else []
    beside += [f"Passages of the source:\n{shown_passages(passages)}"] if passages else []
    return _ask(
        "judge_window",
        units[0] if len(units) == 1 else "lesson",
        900 + 150 * len(units),
        trusted={
            "factual": FACTUAL if passages else "",
            "language": _language(context),
            "window": "" if pieces == 1 else f" This is piece {number + 1} of {pieces} of a long unit.",
            "again": again,
        },
        untrusted={
            "lesson": f"{lesson.title or lesson.lesson_id}\n{_level(context)}\nparts: {shown}",
            "beside": "\n\n".join(beside) or NONE,
            "text": text,
        },
        scores=scores,
        usual=REASONED + (10 + 10 * len(scores)) * len(units),
    )


REASONED = 90
"""Tokens of a judge's usual answer beside its scores."""


def judge_whole_ask(
    text: str,
    context: LessonContext,
    scores: tuple[str, ...],
    *,
    flags: Sequence[str] = (),
    part: str = "",
    again: str = "",
) -> Request:
    """One judge's look at the lesson as a whole; `part` says what is shown instead of all of it."""
    minutes, wanted = (context.spec.duration_minutes, context.spec.learning_objectives) if context.spec else (None, ())
    return _ask(
        "judge_whole",
        "lesson",
        1500 + 60 * len(wanted),
        trusted={
            "rubric": "\n".join(WHOLE_RUBRIC[name] for name in scores),
            "language": _language(context),
            "minutes": f"{minutes:g}" if minutes else "not given",
            "part": f" {part}" if part else "",
            "again": again,
        },
        untrusted={
            "objectives": f"{_level(context)}\n{objectives(context)}",
            "flags": lines(flags),
            "text": text,
        },
        scores=scores,
        usual=REASONED + 12 * len(scores) + 40 * len(wanted),
    )


WHOLE_RUBRIC = {
    "learning_objective_alignment": (
        "- learning_objective_alignment: 1.0 every objective is taught in full; 0.9 all are, one thinly; 0.75 one only "
        "in part; 0.6 one is not treated; 0.3 most are not."
    ),
    "pedagogical_structure": (
        "- pedagogical_structure: 1.0 each part builds on those before it, from simple to hard, with practice where it "
        "belongs; 0.9 a seam is rough; 0.75 a jump, or a part out of place; 0.6 the order confuses; 0.3 there is none."
    ),
    "completeness": (
        "- completeness: 1.0 nothing that is promised is missing; 0.9 a trifle is; 0.75 something a learner needs; 0.6 "
        "a main point, or a part says next to nothing; 0.3 it is a fragment."
    ),
}
"""What each score of the whole means."""

MOST_TITLES = 1_000
"""Characters of the parts' titles that a judge of a window is shown."""


def bones(lesson: Lesson) -> str:
    """Titles and headings only: it changes when the structure changes, and not with every word."""
    found = [lesson.title or lesson.lesson_id]
    for unit in lesson.units:
        found.append(f"- {unit.id}: {unit.title}" if unit.title else f"- {unit.id}")
        found += (f"{'  ' * max(1, heading.level - 1)}- {heading.title}" for heading in headings(unit.text))
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
            "part": f"unit: {unit.id}{title}\n{_level(context, with_manner=True)}",
            "objectives": objectives(context),
            "outline": bones(lesson),
            "issues": lines(issues),
            "passages": shown_passages(passages),
        },
    )


GAP = "\n\n[...]\n\n"
"""Stands where paragraphs are left out."""
SHORT = 400
"""Characters up to which a text is shown whole: leaving a little out would only confuse."""
BARE = 80
"""A paragraph with fewer characters, such as a line of a list, is shown with the one before it."""
LONG = 1_500
"""Characters on one side of the words in question from which a paragraph is cut."""
NEAR = 400
"""Characters of an endless paragraph that are shown on each side of the words in question."""

Span = tuple[int, int]


def excerpt(unit: LessonUnit, quotes: Iterable[str | None], *, whole: bool = False) -> str:
    """The unit's id, and the paragraphs that hold the quotes; all of it where a quote is missing or it is short."""
    wanted = list(quotes)
    text = unit.text
    if whole or not unit.is_plain or len(text) <= SHORT or not wanted:
        return titled(unit)
    spans: list[Span] = []
    for quote in wanted:
        at = text.find(quote) if quote else -1
        if quote is None or at < 0:
            return titled(unit)
        spans.append(_paragraph(text, at, at + len(quote)))
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return f"unit: {unit.id}\n\n{GAP.join(text[start:end] for start, end in merged)}"


def _paragraph(text: str, start: int, end: int) -> Span:
    """The paragraph around a stretch; of a very long one only what is near."""
    first = text.rfind("\n\n", 0, start)
    last = text.find("\n\n", end)
    low = first + 2 if first >= 0 else 0
    high = last if last >= 0 else len(text)
    if high - low < BARE and low:
        low = max(0, text.rfind("\n\n", 0, low - 2) + 2)
    if start - low > LONG:
        low = text.find(" ", start - NEAR, start) + 1 or start
    if high - end > LONG:
        high = text.find(" ", end + NEAR)
        high = high if high >= 0 else len(text)
    return low, high


def changed_excerpts(before: LessonUnit, after: LessonUnit) -> tuple[str, str]:
    """Both texts where they differ, in whole sentences; in whole paragraphs where more than one changed."""
    fields = [field for field, text in before.texts().items() if after.texts().get(field) != text]
    pairs = [_differing(before.texts()[field], after.texts()[field]) for field in fields]
    return "\n\n".join(one for one, _ in pairs), "\n\n".join(other for _, other in pairs)


def _differing(old: str, new: str) -> tuple[str, str]:
    one, other = old.split("\n\n"), new.split("\n\n")
    head = _alike(one, other)
    rest, others = one[head:], other[head:]
    tail = _alike(rest[::-1], others[::-1])
    paragraphs = rest[: len(rest) - tail], others[: len(others) - tail]
    if len(paragraphs[0]) != 1 or len(paragraphs[1]) != 1:
        return "\n\n".join(paragraphs[0]), "\n\n".join(paragraphs[1])
    # One paragraph before and after, without the sentences around the change that are the same.
    [old], [new] = paragraphs
    head = _alike(old, new)
    tail = min(_alike(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    found = list(sentences(old))
    first = max((sentence.start for sentence in found if sentence.start <= head), default=0)
    last = min((sentence.end for sentence in found if sentence.end >= len(old) - tail), default=len(old))
    return old[first:last], new[first : len(new) - (len(old) - last)]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many of their first parts are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
