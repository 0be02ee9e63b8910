"""unclosed_emphasis: an emphasis mark without its partner.

What it looks for: `**` and `*`, `__` and `_` that open and never close in their paragraph, or close what was never
opened. Footnote stars, products, wildcards, identifiers and table cells are left alone.
Why it matters: the marks are shown instead of the emphasis.
Fix: safe: the unpaired mark goes, the words stay.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import told
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.marks import unpaired


@check(
    id="unclosed_emphasis",
    severity="error",
    bad=(
        {"text": "Water moves in a **circle between sea and sky."},
        {"text": "Water moves in a circle** between sea and sky."},
        {"text": "Water *moves in a circle between sea and sky."},
    ),
    good=(
        {"text": "Water moves in a **circle** between *sea* and _sky_, and **_always_** so."},
        {"text": "A star * marks a note, 2 * 3 is six, *.txt is a pattern and snake_case a name."},
        {"text": "* Water moves in a circle.\n* Rain falls."},
        {"text": "Call it with `**kwargs` or \\*args."},
    ),
)
def unclosed_emphasis(unit: LessonUnit) -> Iterator[Finding]:
    yield from told(unit, unpaired)
