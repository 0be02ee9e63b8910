"""broken_link: a link with wrong syntax.

What it looks for: a target that is empty or not closed, a space between text and target, swapped brackets, addresses
that are misspelt or were never filled in, and references and footnotes that the lesson does not define.
Why it matters: a learner sees brackets and addresses instead of a link, or the link does not work.
Fix: safe if only the brackets are wrong; a link without a target becomes its text. Addresses are not changed.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import facts, text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.text.markdown import broken_links


@check(
    id="broken_link",
    severity="error",
    bad=(
        {"text": "Read the [guide] (https://example.org/guide) first."},
        {"text": "Read the (guide)[https://example.org/guide] first."},
        {"text": "Read the [guide](https://example.org/guide before you begin."},
        {"text": "Read the [guide]() first."},
        {"text": "Read the [guide](https//example.org) first."},
        {"text": "Read the [guide][water] first.[^1]"},
    ),
    good=(
        {"text": "Read the [guide](https://example.org/guide 'The guide') first, or the [other](/lessons/water#rain)."},
        {"text": "Read the [guide][water] first.[^1]\n\n[water]: https://example.org\n\n[^1]: A note."},
        {"text": "The element a[0][1] is no link, and `[guide] (https://example.org)` is code."},
        {"text": "![The circle](circle.png) See [the circle](https://example.org/a_(b)) [1]."},
    ),
)
def broken_link(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    defined = facts(context.lesson, context.language).labels
    yield from text_findings(unit, lambda view: broken_links(view, defined))
