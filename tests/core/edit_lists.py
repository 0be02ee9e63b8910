"""Random texts with protected parts, random lists of edits on them, and what must be true of every list: it is refused
as a whole, or it did what it says and nothing else.

What is protected is known here from how a text is made, not from the code that looks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from hypothesis import strategies as st

from burnish.core.documents import Field, Unit
from burnish.core.edits import CONTROL, REFUSALS, Edit, apply_edits, protected_parts
from burnish.core.errors import EditRefused

PARTS = (
    "`x = 1`",
    "``a ` b``",
    "$a^2 + b$",
    "\\(y_1\\)",
    "\\[ y \\]",
    "$$ z $$",
    "\\begin{a}z_2\\end{a}",
    "{name}",
    "%s",
    "%(h)d",
    "https://example.org/x",
    "<https://example.org/y>",
    "<b>",
    "</b>",
    '<img alt="a > b" src="c.png">',
    f"<i title='{'t' * 450}'>",
    "<!-- a note -->",
    "<code>f(x)</code>",
    "⟦picture 1⟧",
)
"""Parts in a line that no edit may change."""
LINKS = (("[here](page.html)", "page.html"), ('![p](a_(b).png "t")', 'a_(b).png "t"'))
BLOCKS = (
    "```py\ncode()\n```",
    "~~~\n``` not closed ``` by this\n~~~",
    "```\nnot closed by\n``` words\n```",
    "$$\nmc^2\n$$",
    "[m]: https://example.org/m",
)
HEADINGS = ("# Title", "## Title  ##", "### 3.")
HOSTILE = (
    "`",
    "```",
    "```\n",
    "$$",
    "\\[",
    "\\begin{a}",
    "<!--",
    "-->",
    "<a ",
    '"',
    "]",
    "](",
    "    ",
    "\n\n",
    "{",
    "}",
)
BROUGHT = (
    "`y`",
    "{other}",
    "<u>",
    "[x](http://evil.example)",
    "http://evil.example",
    "<a href=javascript:x>",
    "\x1b",
    "\u2066",
)


@dataclass(frozen=True)
class Text:
    """A text and the protected parts that it was made of, in order."""

    text: str
    parts: tuple[str, ...]
    headings: tuple[str, ...]


@st.composite
def texts(draw: st.DrawFn, least: int = 1) -> Text:
    """Words that occur once each, with protected parts between them."""
    number, lines, parts, headings = count(draw(st.integers(0, 5))), [], [], []
    for _ in range(draw(st.integers(least, 4))):
        sort = draw(st.sampled_from(("line", "line", "line", "block", "heading")))
        if sort == "block":
            parts.append(draw(st.sampled_from(BLOCKS)))
            lines.append(parts[-1])
        elif sort == "heading":
            headings.append(draw(st.sampled_from(HEADINGS)))
            lines.append(headings[-1])
        else:
            words = []
            for piece in draw(st.lists(st.sampled_from((None, None, None, *PARTS, *LINKS)), min_size=3, max_size=9)):
                words.append(f"word{next(number):02}")
                if isinstance(piece, tuple):
                    words.append(piece[0])
                    parts.append(piece[1])
                elif piece is not None:
                    words.append(piece)
                    parts.append(piece)
            lines.append(" ".join([*words, f"word{next(number):02}"]))
    return Text("\n\n".join(lines), tuple(parts), tuple(headings))


@st.composite
def edit_lists(draw: st.DrawFn, unit: Unit) -> list[Edit]:
    """One to three edits: most of them on words that occur once, so that many lists can be applied."""
    fields = dict(unit.texts())
    edits = []
    for _ in range(draw(st.integers(1, 3))):
        field = draw(st.sampled_from([field for field, text in fields.items() if text] or list(fields)))
        wrong = draw(st.sampled_from((*(None,) * 30, "unit", "field", "empty")))
        if wrong == "empty":
            field = draw(st.sampled_from(list(fields)))
        find = "" if wrong == "empty" else draw(_places(fields[field]))
        replacement = draw(
            st.one_of(
                st.just("new words"),
                st.just(f"{find} more"),
                st.just(find[1:]),
                st.just(""),
                st.sampled_from(("a\tb\nc", *PARTS, *HOSTILE, *BROUGHT)),
                st.text(alphabet="ab `$<>{}%\n", max_size=12),
            )
        )
        place = "elsewhere" if wrong == "field" else field
        edits.append(Edit("another unit" if wrong == "unit" else unit.id, place, find, replacement))
    return edits


def _places(text: str) -> st.SearchStrategy[str]:
    """Words of the text, any cut out of it, a whole line, or something that is not there."""
    words = st.sampled_from(text.split() or [""])
    ends = st.tuples(st.integers(0, len(text)), st.integers(3, 30))
    cuts = ends.map(lambda end: text[end[0] : end[0] + end[1]])
    return st.one_of(words, words, words, cuts, cuts, st.sampled_from([*text.split("\n\n"), "nowhere at all"]))


UnitT = TypeVar("UnitT", bound=Unit)


def applied(unit: UnitT, edits: Sequence[Edit], allowed: Collection[Field] | None = None) -> UnitT | None:
    """The unit after the edits; None where they are refused, for a reason that has a name."""
    before = (dict(unit.texts()), unit.content_hash)
    try:
        return apply_edits(unit, edits, allowed=allowed)
    except EditRefused as refused:
        assert refused.reason in REFUSALS
        return None
    finally:
        assert (dict(unit.texts()), unit.content_hash) == before


def assert_only_that(before: Unit, after: Unit, edits: Sequence[Edit], allowed: Collection[Field] | None) -> None:
    """The edits did what they say, in the fields that they name, and to nothing that is protected."""
    old, new = before.texts(), after.texts()
    named = {edit.field for edit in edits}
    assert list(old) == list(new)
    assert {edit.unit for edit in edits} == {before.id}
    assert allowed is None or named <= set(allowed)
    assert {field: old[field] for field in old if field not in named} == {
        field: new[field] for field in new if field not in named
    }
    expected = dict(old)
    for edit in edits:
        pieces = expected[edit.field].split(edit.find) if edit.find else ["", ""]
        assert len(pieces) == 2, "the words to replace occur once"
        expected[edit.field] = edit.replace.join(pieces)
    assert dict(new) == expected
    assert sum(map(len, new.values())) >= 0.6 * sum(map(len, old.values()))
    for field in named:
        assert set(CONTROL.findall(new[field])) <= set(CONTROL.findall(old[field]))
        assert is_in_order(protected_parts(old[field]), protected_parts(new[field]))


def assert_kept(text: Text, after: str) -> None:
    """All that is protected in the text is still there, byte for byte and in order, and nothing was brought in."""
    assert is_in_order(text.parts, protected_parts(after))
    assert is_in_order(text.headings, [line.rstrip() for line in after.split("\n")])
    for brought in BROUGHT:
        assert brought not in after


def is_in_order(parts: Sequence[str], among: Sequence[str]) -> bool:
    """Whether the parts are among the others in this order; all but the spaces around them."""
    rest = iter(part.strip() for part in among)
    return all(part.strip() in rest for part in parts)
