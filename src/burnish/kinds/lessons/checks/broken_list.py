"""broken_list: a list that is not shown as one, or lost an item.

What it looks for: items whose mark has no blank behind it, bullets typed as characters, items without words, numbers
that are left out. A dash before a word is only held to be a mark beside true items.
Why it matters: the items run together into one paragraph.
Fix: safe for marks; a missing item needs an author.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import told
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.layout import broken_lists


@check(
    id="broken_list",
    severity="error",
    bad=(
        {"text": "You need:\n\n- light\n-water\n- air"},
        {"text": "You need:\n\n• light\n• water"},
        {"text": "1. Warm the water.\n2. Wait.\n4. Look at the vapour."},
        {"text": "- light\n-\n- air"},
    ),
    good=(
        {"text": "You need:\n\n- light\n- water\n\n1. Warm it.\n1. Wait.\n\n3. Look."},
        {"text": "It is -5 degrees\n-and falling."},
        {"text": "* *light*\n* **water** and air"},
    ),
)
def broken_list(unit: LessonUnit) -> Iterator[Finding]:
    yield from told(unit, broken_lists)
