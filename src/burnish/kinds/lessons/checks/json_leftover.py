"""json_leftover: parts of the JSON of a model's answer.

What it looks for: names with a colon and a value ("title": "Rain",), unmatched closing brackets, a paragraph with only
`null`, and escapes that were not decoded (`\\n`, `\\"`, `\\u00e9`). A whole block of JSON is an error, a part of a
paragraph a warning. Code, tables and quotations are ignored.
Why it matters: learners see JSON instead of text, and some of the text may be missing.
Fix: needs an author or a model, because the text around it may be incomplete.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown

MEMBER = r"\"[^\W\d][\w -]{0,40}\"\s*:\s*(?:[\"\[{]|-?\d|true\b|false\b|null\b)"
WHOLE = re.compile(
    rf"\s*(?:[{{\[]\s*)*{MEMBER}|[\s\"',]*[\"\]}}][\s\"',]*[\]}}][\s\"',\]}}{{]*(?:{MEMBER}.*)?\s*$|[\s,]*[\]}}]{{2,}}[\s,;]*$"
    r"|\s*\"[\s,]*[}\]]"
)
"""A block that consists only of JSON."""
NOTHING = frozenset({"null", "undefined", "None", "NaN", "[object Object]"})
INSIDE = re.compile(
    rf"{MEMBER}"
    r"|[.!?…\w][\"”]\s*(?:,\s*\"[\w -]{1,40}\"\s*:|\}|\](?=\s*(?:[,}\]]|$)))"  # a text that ends like a JSON value
    r"|(?<=[.!?:;,)\"”…])(?:\\r)?\\n(?!ormal|ew)|\\n\\n|(?<=[.!?])\s*\\n(?=[A-ZÀ-ÞА-Я¿¡])"
    r"|\\\"[^\"\\\n]{1,80}\\\""
    r"|[^\W\d_]\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}[^\W\d_]"
)
SUGGESTION = "Remove the piece of JSON, and check that the text around it is complete."


def leftovers(view: Markdown) -> Iterator[Slip]:
    """Blocks of JSON, and parts of JSON in prose."""
    for block in view.prose_blocks:
        if block.quoted or block.kind == "table":
            continue
        # The prose keeps escaped signs (`\"`) and leaves out code.
        prose = view.prose_of(block)
        bare = prose.strip()
        if WHOLE.match(prose) or (bare in NOTHING and block.kind == "paragraph"):
            message = f"This is a piece of JSON ({bare[:60]!r}), not text."
            yield Slip(block.start, block.end, message, SUGGESTION)
            continue
        for piece in INSIDE.finditer(prose):
            start, end = block.start + piece.start(), block.start + piece.end()
            if view.text[end : end + 1] in ("(", "["):
                continue  # the words of a link
            message = f"There is a piece of JSON in the text ({view.text[start:end][:60]!r})."
            yield Slip(start, end, message, SUGGESTION, severity="warning")


@check(
    id="json_leftover",
    title="Piece of JSON left in",
    severity="error",
    bad=(
        {"text": 'Water moves.\n\n"title": "Rain", "content": "Rain falls on the land.'},
        {"text": 'Water moves in a circle.\n\n"}]}'},
        {"text": "Water moves.\n\nnull\n\nRain falls."},
        {"text": "Water moves.\\n\\nRain falls on the land."},
        {"text": 'He said \\"good\\" and left.'},
        {"text": "The word caf\\u00e9 comes from French."},
    ),
    good=(
        {"text": 'A member is written `"title": "Rain"`, and `\\n` ends a line.'},
        {"text": 'He said "good": that was all. The set {1, 2} and the list [3, 4] are short.'},
        {"text": "The sign \\n ends a line in C:\\new and elsewhere."},
        {"text": 'Read ["Clean data"](https://www.gutenberg.org/ebooks/11), and ("more") [of it].'},
        {"text": '```json\n{"title": "Rain"}\n```\n\nThat is how it looks.'},
    ),
)
def json_leftover(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, leftovers)
