"""heading_order: headings that leave out a level, have no words, or are none.

What it looks for: a heading more than one level below the one before it, a heading without words, and marks without a
blank behind them ("##Rain"), which make no heading.
Why it matters: readers and screen readers find their way by headings.
Fix: safe for the missing blank; the rest needs an author.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import told
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.layout import heading_slips


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
    yield from told(unit, heading_slips)
