"""heading_order: headings that skip a level, have no words, or are not recognised.

What it looks for: a heading more than one level below the one before it, a heading without words, and marks without a
space after them ("##Rain"), which do not make a heading.
Why it matters: readers and screen readers navigate by headings.
Fix: safe for the missing space; everything else needs an author.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown

GLUED_HEADING = re.compile(r"(#{2,6})(?=[^\W\d_])")
"""`##Title`: a paragraph in CommonMark. A single `#` may be a hashtag."""
LONGEST_TITLE = 120


def heading_slips(view: Markdown) -> Iterator[Slip]:
    """Skipped levels, headings without words, and marks without a space after them."""
    level = 0
    for block in view.blocks:
        if block.kind == "heading":
            yield from _heading(view, block.start, block.end, block.level, level)
            level = block.level
        elif (
            block.kind == "paragraph" and (glued := GLUED_HEADING.match(view.text, block.start, block.end)) is not None
        ):
            yield from _glued_heading(view, glued, block.end)


def _heading(view: Markdown, start: int, end: int, level: int, before: int) -> Iterator[Slip]:
    if not view.text[start:end].strip():
        yield Slip(max(0, start - level), end, "A heading has no words.", "Give it a title.", severity="warning")
    elif before and level > before + 1:
        yield Slip(
            start,
            end,
            f"A heading of level {level} follows one of level {before}: a level is left out.",
            f"Use level {before + 1}, or put a heading of that level before it.",
            severity="warning",
        )


def _glued_heading(view: Markdown, glued: re.Match[str], end: int) -> Iterator[Slip]:
    line_end = view.text.find("\n", glued.start(), end)
    if (line_end if line_end >= 0 else end) - glued.start() > LONGEST_TITLE:
        return
    yield Slip(
        glued.start(),
        glued.end() + 1,
        f"{glued.group()!r} needs a space after it to begin a heading.",
        "Put a space after the marks.",
        replacement=f"{glued.group()} {view.text[glued.end()]}",
    )


@check(
    id="heading_order",
    title="Wrong heading order",
    severity="error",
    bad=(
        {"text": "### Rain\n\nIt falls.\n\n##### Snow\n\nIt falls, too."},
        {"text": "##Rain\n\nIt falls."},
        {"text": "###\n\nIt falls."},
    ),
    good=(
        {"text": "### Rain\n\nIt falls.\n\n#### Snow\n\nIt falls, too.\n\n## Rivers\n\nThey run."},
        {"text": "Use #rain as a tag.\n\n```\n##Rain\n```\n\nThat is all."},
    ),
)
def heading_order(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, heading_slips)
