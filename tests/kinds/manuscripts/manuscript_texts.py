"""Texts for tests of manuscripts: pieces of Markdown thrown together, so that every mark meets every other."""

from __future__ import annotations

from hypothesis import strategies as st

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_paragraphs
from burnish.kinds.manuscripts.model import Paragraph

PIECES = (
    "word", "Two words.", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "e\u0301te\u0301", "𝔘nicode 🙂", "中文。", "\u00a0", "\x0c", "\u2028", "a|b",
    "\"title\"", " ", "  ", "    ", "\t", "\n", "\n", "\n\n", "\r\n", "\r", "\n>", "\n> ", "\n- ", "\n1. ",
    "\n2) ", "\n* ", "\n# ", "\n## ", " ##", " {#id}", "\n===", "\n---", "\n***", "\n```", "\n~~~", "\n| a | b |",
    "\n|---|---|", "\n-|-", "\n[x]: /u", "\n[^1]: ", "[^1]", "\n<div>", "\n</div>", "\n<!--", "-->", "\n<b>",
    "<br/>", "\n{% x %}", "\n{% raw %}", "{% endraw %}", "\n{: .c}", "\n{{ x", "}}", "\n$$", "$$", "\n\\begin{a}",
    "\\end{a}", "\n:::", "- [ ] ", "\\", "`", "*", "_", "=", "-", "+++", "\n+++\n", "a = 1", "---\n", "k: v\n",
)  # fmt: skip
sources = st.lists(st.sampled_from(PIECES), min_size=1, max_size=24).map("".join)
translations = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)


def paragraphs_of(text: str, format: BookFormat = "markdown") -> list[Paragraph]:
    """The paragraphs of a text; none where there is nothing to translate."""
    found: list[Paragraph] = []
    try:
        found.extend(part for part in read_paragraphs(text, "book.md", format) if not isinstance(part, Problem))
    except InputError as error:
        assert error.code == "empty"
    return found
