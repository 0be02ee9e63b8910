"""unclosed_emphasis: an emphasis mark without its partner.

What it looks for: marks that CommonMark shows as plain characters: `**` and `__` without a partner in the paragraph. A
single `*` or `_` before a word, and two marks that do not match, are a warning. Footnote stars, products, wildcards,
identifiers and table cells are not reported.
Why it matters: the marks are shown instead of the emphasis.
Fix: safe for a single `**` or `__` in its paragraph: the mark is removed, the words and all other emphasis stay.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block, Span, read_structure

STRONG = 2
"""Characters of a mark of strong emphasis."""
FOOTNOTE = re.compile(r"\*{1,3}\s")
"""A block that begins with stars and a space is a note."""
CAMEL_CASE = re.compile(r"[a-z][A-Z]")
UNIX_LIKE = re.compile(r"nix\b", re.IGNORECASE)
"""The rest of `*nix`, the name for all systems that are like Unix."""
PATTERN_NEIGHBOURS = frozenset("./\\|=+<>%^~(){}[]0123456789")
"""Next to these, a single star is more likely a wildcard, a product or a pattern than emphasis."""


def unpaired(view: Markdown) -> Iterator[Slip]:
    """Marks of strong emphasis without a partner, and single marks that can only be emphasis."""
    text, blocks = view.text, view.prose_blocks
    starts = [block.start for block in blocks]
    found: dict[Block, list[Span]] = {}
    for start, end in view.loose_marks:
        number = bisect_right(starts, start) - 1
        if number < 0 or start >= blocks[number].end or blocks[number].kind == "table":
            continue  # emphasis ends with its cell, and rows are rarely prose
        mark = _run_around(text, start, end)
        shown = view.prose[start] != text[start] or not any(_flanking(text, *mark))
        if not shown and not _is_noise(text, blocks[number], *mark):
            found.setdefault(blocks[number], []).append(mark)
    for block, marks in found.items():
        strong = [mark for mark in marks if mark[1] - mark[0] == STRONG]
        for mark in marks:
            lone = strong == [mark] and _leaves_all_else(view, block, mark)
            name = text[slice(*mark)]
            yield Slip(
                *mark,
                f"The emphasis mark {name!r} has no partner in its paragraph.",
                "Remove the mark, or add the other one.",
                replacement="" if lone else None,
                severity="error" if lone else "warning",
            )


def _leaves_all_else(view: Markdown, block: Block, mark: Span) -> bool:
    """Whether removing the mark leaves all other emphasis of the block unchanged."""
    before, after = view.text[block.start : mark[0]], view.text[mark[1] : block.end]
    return _emphasised(before + view.text[slice(*mark)] + after) == _emphasised(before + after)


def _emphasised(text: str) -> list[str]:
    return [text[slice(*words.inside)] for words in read_structure(text).emphasis]


def _run_around(text: str, start: int, end: int) -> Span:
    """The whole run of a mark, some characters of which may have a partner."""
    sign = text[start]
    while start and text[start - 1] == sign:
        start -= 1
    while text[end : end + 1] == sign:
        end += 1
    return start, end


def _flanking(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether the run may open and may close emphasis, by its neighbours (CommonMark's rule)."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    word_before, word_after = before.isalnum(), after.isalnum()
    left = not after.isspace() and (word_after or before.isspace() or not word_before)
    right = not before.isspace() and (word_before or after.isspace() or not word_after)
    if text[start] == "_":
        return left and (not right or not word_before), right and (not left or not word_after)
    return left, right


def _is_noise(text: str, block: Block, start: int, end: int) -> bool:
    """Whether the mark is a wildcard, a product, a footnote mark or part of an identifier, not emphasis."""
    length = end - start
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if length > 3 or (before in "\"'`“‘(" and after in "\"'`”’)"):
        return True
    if text[start] == "_" or length == 1:
        # A single mark is as often an asterisk as emphasis, unless an ordinary word follows it.
        alone = before.isspace() or start == block.start
        if length == 1 and (not (alone and after.isalpha()) or UNIX_LIKE.match(text, end)):
            return True
        tail = text[end : end + 40].split(None, 1)
        if not tail or not tail[0].rstrip(".,;:!?)").isalpha() or CAMEL_CASE.search(tail[0]):
            return True
        return before in PATTERN_NEIGHBOURS
    if FOOTNOTE.match(text, start) and start == block.start:
        return True
    word = re.match(r"[\w.]+", text[end : end + 40])
    # `**kwargs` and `2**8` are code without backticks.
    return (
        before.isdigit() or before in "./\\|=" or bool(word and re.search(r"[a-z]_[a-z]|\bkwargs\b|\d$", word.group()))
    )


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
        {"text": "It runs on Windows and on any *nix machine (on *nix)."},
    ),
)
def unclosed_emphasis(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, unpaired)
