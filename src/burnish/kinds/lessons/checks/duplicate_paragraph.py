"""duplicate_paragraph: a paragraph that stands twice in the lesson.

What it looks for: paragraphs of at least fifteen words with the same words in the same order, anywhere in the lesson.
Code, lists, tables and block quotes are left out, and so is a paragraph with a colon at its end that introduces what
follows: the same words may introduce other examples.
Why it matters: the model repeated itself, or an edit was pasted twice.
Fix: needs an author, who knows which of the two is in its place.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import WholeLesson
from burnish.languages.words import MOST_SLIPS, TOKEN
from burnish.text.markdown import Markdown, markdown
from burnish.text.structure import Block

TWICE = "Water moves in a circle: the sun warms the sea, vapour rises into the air, and rain falls back."
FEWEST_WORDS = 15
"""Shorter ones recur on purpose: instructions, captions, notes."""
INTRODUCES = (":", "：")


Name = tuple[str, Field]
"""Of a text: its unit and field."""


class Repeat(NamedTuple):
    """A paragraph, and the text of an earlier one that says the same."""

    name: Name
    start: int
    end: int
    first_name: Name


def repeats(texts: Iterable[tuple[Name, Markdown]]) -> Iterator[Repeat]:
    """Every paragraph whose words, in order and whatever the marks, stood before in one of the texts."""
    seen: dict[int, tuple[Name, int]] = {}
    for name, view in texts:
        for block in view.blocks:
            if block.kind != "paragraph" or block.quoted:
                continue
            key = _words(view, block)
            if key is None:
                continue
            first = seen.setdefault(key, (name, block.start))
            if first != (name, block.start) and not _introduces(view, block):
                yield Repeat(name, block.start, block.end, first[0])


def _introduces(view: Markdown, block: Block) -> bool:
    """Whether it ends in a colon and something follows: such a line recurs on purpose, before other lists."""
    return view.text[block.start : block.end].rstrip().endswith(INTRODUCES) and bool(view.text[block.end :].strip())


def _words(view: Markdown, block: Block) -> int | None:
    """One number for the words of a block; None where they are few. Long hashes do not collide in one lesson."""
    if block.end - block.start < FEWEST_WORDS * 3:
        return None
    words = TOKEN.findall(view.prose_of(block).lower())
    return hash(tuple(words)) if len(words) >= FEWEST_WORDS else None


@check(
    id="duplicate_paragraph",
    severity="warning",
    scope="document",
    bad=(
        {"text": f"{TWICE}\n\nRivers run.\n\n{TWICE}"},
        {"text": TWICE, "units": [{"text": f"Rivers run.\n\n{TWICE.replace('circle', '*circle*')}"}]},
        {"text": f"{TWICE[:-1]}:\n\n- Rivers run.\n\n{TWICE[:-1]}:"},
    ),
    good=(
        {"text": f"{TWICE}\n\nRivers run.\n\n{TWICE.replace('rain', 'snow')}"},
        {"text": "Try it yourself.\n\nRivers run.\n\nTry it yourself."},
        {"text": f"{TWICE}\n\n> {TWICE}"},
        {"text": f"{TWICE[:-1]}:\n\n- Rivers run.\n\n{TWICE[:-1]}:\n\n- Clouds form."},
    ),
)
def duplicate_paragraph(whole: WholeLesson) -> Iterator[Finding]:
    texts = {(unit.id, field): text for unit in whole.lesson.units for field, text in unit.texts().items() if text}
    views = ((key, markdown(text)) for key, text in texts.items())
    for repeat in islice(repeats(views), MOST_SLIPS):
        (unit, field), (other, other_field) = repeat.name, repeat.first_name
        yield Finding.at(
            whole.lesson.unit(unit),
            field=field,
            span=(repeat.start, repeat.end),
            message=f"This paragraph is already in {other}.",
            suggestion="Keep the one in the right place, and remove the other.",
            severity="warning",
            source="document",
            data={"other": other, "field": other_field},
            related=(other,) if other != unit else (),
        )
