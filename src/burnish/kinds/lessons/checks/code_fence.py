"""code_fence: code that is never closed.

What it looks for: a code fence (or a Liquid highlight tag) without a closing line; and a second opening fence of the
same kind inside a code block, which is an error.
Why it matters: the text broke off inside the code, or everything after the fence is shown as code.
Fix: needs an author or a model to find where the code ends.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown

INNER = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*[A-Za-z][\w+#-]*[ \t]*$", re.MULTILINE)
"""A line that opens a code block with a language."""


def open_fences(view: Markdown) -> Iterator[Slip]:
    """The fence that is never closed, at most one, because it includes all following text; and code blocks that contain
    another opening fence, so that their own end is missing."""
    for block in view.blocks:
        if block.kind != "code" or not block.closed or block.marker[:1] not in ("`", "~"):
            continue
        inner = INNER.search(view.text, view.text.find("\n", block.start) + 1, block.end)
        if inner is not None and inner[1][0] == block.marker[0] and len(inner[1]) >= len(block.marker):
            message = f"This code is opened with {block.marker} and not closed before other code is opened."
            yield Slip(block.start, inner.end(), message, "Close the code.", severity="error")
    if view.blocks and (last := view.blocks[-1]).kind == "code" and not last.closed:
        end = view.text.find("\n", last.start)
        fence = last.marker if last.marker[:1] in ("`", "~") else f"{{% {last.marker} %}}"
        yield Slip(
            last.start,
            end if end > 0 else last.end,
            f"The code after {fence} is never closed: the text breaks off in it, or what follows is taken for code.",
            "Close the code, or write the rest of it.",
            severity="critical",
        )


@check(
    id="code_fence",
    title="Unclosed code block",
    severity="critical",
    fatal=True,
    bad=(
        {"text": "Print it:\n\n```python\nprint('water')\n"},
        {"text": "Print it:\n\n~~~\nprint('water')\n~~~\n\nAnd again:\n\n~~~\nprint('water')"},
        {"text": "Print it:\n\n````\n```\nprint('water')\n```\n"},
        {"text": "Print it:\n\n```python\nprint('water')\n\nThen:\n\n```bash\nls\n```\n\nThat is all."},
    ),
    good=(
        {"text": "Print it:\n\n```python\nprint('water')\n```\n\nThat is all."},
        {"text": "A fence inside a longer one:\n\n````\n```\ncode\n```\n````\n\nThat is all."},
        {"text": "Three backticks, ``` `` ```, open code.\n\n    ```\n\nAn indented line is code of its own."},
    ),
)
def code_fence(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, open_fences)
