"""Texts that break off: how a text ends, and the signs that more was to come."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from burnish.languages.sentences import CONTINUED, never_ends, seldom_ends
from burnish.languages.words import WORD, Slip
from burnish.text.markdown import STANDS_FOR, Markdown
from burnish.text.structure import Block

Certainty = Literal["broken", "open", "whole"]
"""How a text ends: clearly broken off; without a closing mark, which may be the author's style; or complete."""

ASIDE = frozenset({"definition", "rule"})
"""Blocks that may come after the last words of a text."""

TRAILING = re.compile(r"(?:\s|\{[:%][^{}]*\}|\[\^[^\]\n]{1,60}\])+$")
"""Attributes and footnote marks after the last word."""
UNPUNCTUATED_SCRIPTS = re.compile(r"[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Tibetan, Burmese, Khmer: a sentence may end with a letter."""
QUESTION_OR_STOP = {"hy": ":", "el": ";"}
"""Marks that end sentences in one language only: the full stop of Armenian, the question mark of Greek."""
ENTITY = re.compile(r"&(?:[A-Za-z]{2,10}|#\d{1,6}|#[xX][0-9A-Fa-f]{1,6});$")
TAIL = 400
"""Characters at the end of a block that are read."""
LABELLED = re.compile(r"\W*[^\s:]+(?: [^\s:]+){0,2}: |[—–-] ?\w|\W*©")
"""Lines such as "Author: ..." or "— Jane Austen" need no full stop."""
LONGEST_LABEL = 60
SHORT = 2
"""A paragraph with fewer words may be a signature or a label."""
SUGGESTION = "Write the end again; if a model wrote it, allow it more tokens."
NEAR_END = 80
OPEN_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*$")
OPEN_TAG = re.compile(r"<[A-Za-z/][^<>]*$")
OPEN_LIQUID = re.compile(r"\{[%{][^{}]*$")
IDENTIFIER = re.compile(r"[@\\]|\w_\w|^/|/.*/")
SENTENCE_BEFORE = re.compile(r"[^\W\d_]{3}[.!?] +[^\W\d_]")
"""An address, a path or a name from code."""
INFLECTIONS = ("s", "es", "ed", "ing", "er", "en", "ly")
"""Endings of inflection: "scope" next to "scopes" is a word, not part of one."""
TAGS = re.compile(r"<(/?)(div|table|tbody|tr|td|ul|ol|li|details|section|figure|pre|blockquote|p)\b[^<>]*?(/?)>", re.I)
OPTIONAL_END = frozenset({"li", "p", "tr", "td", "tbody"})


@dataclass(frozen=True, slots=True)
class Ending:
    """The ending of a text, and its place."""

    certainty: Certainty
    start: int
    end: int
    message: str = ""


def ending(view: Markdown, language: str, *, final: bool, known_words: Collection[str] = ()) -> Ending:
    """Return the ending of the text.

    `final`: the text is the last of its document, so a heading or a colon at its end announces nothing.
    `known_words`: the words of the whole document in lower case; a last word that is only the beginning of one of them
    is cut. Empty: this is not checked.
    """
    blocks = [block for block in view.blocks[-40:] if block.kind not in ASIDE]
    if view.blocks and view.blocks[-1].kind == "definition":
        blocks = [view.blocks[-1]]
    if not blocks:
        return Ending("whole", 0, 0)
    last = blocks[-1]
    reader = _Reader(view, last, language, final, known_words)
    return reader.ending()


def truncation(
    view: Markdown, language: str, *, final: bool, strict: bool, known_words: Collection[str] = ()
) -> Slip | None:
    """Return a slip if the text breaks off, otherwise None.

    `strict`: a missing closing mark is enough, because all other texts of the document have one. Otherwise it is enough
    only at the end of the document, and a warning elsewhere.
    """
    found = ending(view, language, final=final, known_words=known_words)
    if found.certainty == "whole":
        return None
    sure = found.certainty == "broken" or strict or final
    return Slip(found.start, found.end, found.message, SUGGESTION, severity="critical" if sure else "warning")


class _Reader:
    """Reads the last block."""

    def __init__(self, view: Markdown, block: Block, language: str, final: bool, known_words: Collection[str]) -> None:
        self.view, self.block, self.language, self.final, self.known_words = view, block, language, final, known_words
        raw = view.text[block.start : block.end]
        self.raw = TRAILING.sub("", raw[-TAIL:]) if len(raw) > 1 else raw
        self.stop = block.end - (len(raw[-TAIL:]) - len(self.raw))
        self.raw = ENTITY.sub(lambda entity: html.unescape(entity.group()), self.raw)
        self.prose = view.prose[max(block.start, self.stop - TAIL) : self.stop]

    def ending(self) -> Ending:
        kind = self.block.kind
        if not self.block.closed and kind in ("html", "liquid", "math"):
            return self._ends("broken", f"The text breaks off inside {self.block.marker!r}, which is never closed.")
        if kind == "definition":
            bare = self.view.text[self.block.start : self.block.end].rstrip().endswith("]:")
            return self._ends("broken" if bare else "whole", "The text breaks off in the definition of a link.")
        if kind == "heading":
            return self._ends("broken" if self.final else "whole", "The text breaks off after a heading.")
        if kind == "table":
            return self._table()
        if kind == "html":
            return self._html()
        if kind in ("paragraph", "item", "footnote"):
            return self._sentence()
        return self._ends("whole")

    def _ends(self, certainty: Certainty, message: str = "") -> Ending:
        start = max(self.block.start, self.stop - 60)
        return Ending(certainty, start, max(start, self.stop), message)

    def _table(self) -> Ending:
        rows = self.view.text[self.block.start : self.block.end].split("\n")
        first, last = rows[0].strip(), rows[-1].strip()
        cut = len(rows) > 1 and first.startswith("|") and first.endswith("|") and not last.endswith("|")
        cut = cut or (len(rows) == 1 and self.final)
        return self._ends("broken" if cut else "whole", "The text breaks off in a row of a table.")

    def _html(self) -> Ending:
        """Check for elements that are still open at the end of the document."""
        if not self.final:
            return self._ends("whole")
        balance: dict[str, int] = {}
        for tag in TAGS.finditer(self.view.text):
            name = tag[2].lower()
            if not tag[3] and name not in OPTIONAL_END and not self._is_code(tag.start()):
                balance[name] = balance.get(name, 0) + (-1 if tag[1] else 1)
        left = [name for name, count in balance.items() if count > 0]
        return self._ends("broken" if left else "whole", f"The text breaks off: {', '.join(left)} is never closed.")

    def _sentence(self) -> Ending:
        raw, prose = self.raw, self.prose
        if not raw.strip():
            empty_item = self.block.kind == "item" and self.final
            return self._ends("broken" if empty_item else "whole", "The text breaks off after an empty list item.")
        if raw.strip() in ("[", "{", "<", "("):
            return self._ends("broken" if self.final else "whole", "The text breaks off after a bracket.")
        if message := self._opened_markup() or self._opened_bracket():
            return self._ends("broken", message)
        last = raw.split()[-1]
        # A code, formula or address at the end needs no full stop, and neither does a text without words.
        if prose[-1:] == STANDS_FOR or not any(map(str.isalpha, prose)) or IDENTIFIER.search(last):
            return self._ends("whole")
        if raw[-1] in QUESTION_OR_STOP.get(self.language, ""):
            return self._ends("whole")
        closes = raw[-1] == "“" and "„" in raw
        if raw[-1] in ",;([{«“„‘-–—&" and not raw.endswith("--") and not closes:
            return self._ends("broken", f"The text breaks off after {raw[-1]!r}.")
        if raw[-1] in ":：":
            return self._ends("broken" if self.final else "whole", "The text breaks off after a colon.")
        if last.lower().lstrip("(") in CONTINUED:
            return self._ends("broken", f"The text breaks off after {last!r}.")
        if not raw[-1].isalpha():
            return self._ends("whole")
        return self._bare(prose)

    def _opened_markup(self) -> str | None:
        """Return a message if a link or a tag is open at the end of the text."""
        last = self.raw.split()[-1]
        tag = OPEN_TAG.search(self.raw)
        if OPEN_TARGET.search(last) or (tag is not None and not self._is_code(self.stop - len(self.raw) + tag.start())):
            return f"The text breaks off inside a link or a tag ({last[-40:]!r})."
        return "The text breaks off inside a tag of Liquid." if OPEN_LIQUID.search(self.raw) else None

    def _is_code(self, place: int) -> bool:
        """Return whether the place is in code, where tags are examples."""
        blocks = ((block.start, block.end) for block in self.view.blocks if block.kind == "code")
        return any(start <= place < end for start, end in (*self.view.structure.code, *blocks))

    def _opened_bracket(self) -> str | None:
        """Return a message if a bracket or code is open at the end of the text and no sentence ends after it."""
        prose = self.prose
        if self.raw[-1] in ".!?。！？…" or not any(map(str.isalpha, prose)):
            return None
        for opening, closing in ("()", "[]", "“”", "«»", "（）", "「」"):
            if opening == "“" and "„" in prose:  # „so“ in German, Macedonian and others
                continue
            at = prose.rfind(opening)
            if at >= 0 and prose.find(closing, at) < 0 and prose.count(opening) > prose.count(closing):
                return f"The text breaks off inside {opening!r}, which is never closed."
        if self.raw.split()[-1][0] == '"' and prose.count('"') % 2:
            return "The text breaks off inside quotation marks."
        if "`" in prose[-NEAR_END:] and self.raw[-1] != "`":
            return "The text breaks off inside code."
        return None

    def _bare(self, prose: str) -> Ending:
        """Return the ending of a text whose last character is a letter."""
        words = [match.group() for match in WORD.finditer(prose)]
        if not words or UNPUNCTUATED_SCRIPTS.search(prose[-20:]) or self._is_label():
            return self._ends("whole")
        last = words[-1]
        is_paragraph = self.block.kind == "paragraph"
        if never_ends(last, self.language) or (is_paragraph and len(words) > 5 and seldom_ends(last, self.language)):
            return self._ends("broken", f"The text breaks off after {last!r}.")
        if self._is_fragment(last):
            return self._ends("broken", f"The text breaks off inside a word ({last!r}).")
        if self.block.quoted and not self.final:
            return self._ends("whole")
        if is_paragraph and (len(words) >= SHORT or self._others_are_closed()):
            return self._ends("open", f"The last sentence has no closing mark (after {last!r}).")
        if self.block.kind != "paragraph" and (
            self._others_are_closed() or (self.final and SENTENCE_BEFORE.search(prose))
        ):
            return self._ends("open", f"The last item has no closing mark, unlike those before it (after {last!r}).")
        return self._ends("whole")

    def _is_label(self) -> bool:
        """Return whether the block is a short line such as "Author: ..."."""
        whole = self.view.text[self.block.start : self.block.end]
        return len(whole) < LONGEST_LABEL and LABELLED.match(whole) is not None

    def _is_fragment(self, word: str) -> bool:
        """Return whether the last word of the document is only the beginning of words that the document uses."""
        lower = word.lower()
        if not self.final or not self.known_words or lower in self.known_words or len(lower) > 20:
            return False
        if any(lower + ending in self.known_words for ending in INFLECTIONS):
            return False
        return any(known.startswith(lower) for known in self.known_words)

    def _others_are_closed(self) -> bool:
        """Return whether the earlier blocks of this sort, at least two, all end with a closing mark."""
        before = [b for b in self.view.blocks[-30:-1] if b.kind == self.block.kind and b.end > b.start][-6:]
        ends = [self.view.text[b.end - 1] for b in before]
        return len(ends) >= 2 and all(not end.isalnum() and end not in ",;" + STANDS_FOR for end in ends)
