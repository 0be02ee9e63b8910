"""Whether a text is written in the language it should be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.kinds.text.alphabets import letters_of, scripts_of
from burnish.kinds.text.blocks import Block
from burnish.kinds.text.language import KNOWN, votes, weighed
from burnish.kinds.text.markdown import Markdown
from burnish.kinds.text.slips import Slip
from burnish.kinds.text.words import word_list

READ = 400
"""Characters of a paragraph that are read for words."""
ALONE = 100
"""A paragraph of so many characters is judged on its own."""
FEWEST_WORDS = 15
"""Fewer words may be a name, a title or a quotation in any language."""
AHEAD, AHEAD_TIMES = 3.0, 2.5
"""Votes of function words by which another language must be ahead, and how many times."""
CERTAIN = 0.9
"""Probability from which the statistical model may confirm what the words say."""
MOST_WEIGHED = 6
"""Paragraphs of a text that are given to the statistical model, which is slow."""
LATIN_SHARE = 0.85
"""A text in another script with more Latin letters than this is not written in it."""
FEWEST_LETTERS = 60

YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b|[“\"«]")
"""A year or a quoted title."""

KIN: tuple[frozenset[str], ...] = (
    frozenset({"es", "pt", "gl", "ca", "oc", "ast", "an"}),
    frozenset({"no", "nb", "nn", "da", "sv"}),
    frozenset({"hr", "sr", "bs", "sl", "sh"}),
    frozenset({"id", "ms", "jv", "su"}),
    frozenset({"cs", "sk"}),
    frozenset({"nl", "af", "fy", "li"}),
    frozenset({"ru", "uk", "be", "bg", "mk", "sr"}),
    frozenset({"it", "co", "scn", "fur", "lmo"}),
    frozenset({"fr", "wa", "br"}),
    frozenset({"de", "lb", "als", "nds"}),
    frozenset({"tr", "az", "tk"}),
)
"""Languages that words and statistics confuse: one is no proof against the other without words of both."""


@dataclass(frozen=True, slots=True)
class Strange:
    """A paragraph in another language."""

    start: int
    end: int
    language: str
    words: int


def strange_paragraphs(view: Markdown, language: str) -> tuple[list[Strange], int]:
    """Paragraphs that are surely in another language, and how many words were looked at in all."""
    found: list[Strange] = []
    total = 0
    for start, end in _pieces(view):
        words = word_list(view.prose[start : min(end, start + READ)])
        if len(words) < FEWEST_WORDS:
            continue
        weight = max(len(words), (end - start) // 6)
        total += weight
        other = _other_language(words, language)
        if other is not None and _confirmed(view.prose[start:end], language, other, len(found)):
            found.append(Strange(start, end, other, weight))
    return found, total


def _pieces(view: Markdown) -> Iterator[tuple[int, int]]:
    """Paragraphs; and runs of short blocks taken together, because a list is read as a whole."""
    start = end = -1
    for block in view.prose_blocks:
        if block.quoted or block.kind in ("table", "footnote") or _is_reference(view, block):
            continue
        if block.end - block.start >= (ALONE if block.kind == "paragraph" else READ // 2):
            yield block.start, block.end
        else:
            start, end = (block.start if start < 0 else start), block.end
            if end - start >= READ:
                yield start, end
                start = -1
    if start >= 0:
        yield start, end


def _is_reference(view: Markdown, block: Block) -> bool:
    """An item of a reading list keeps the language of its book."""
    text = view.text[block.start : block.end]
    return block.kind == "item" and ("](" in text or YEAR.search(text) is not None)


def _other_language(words: list[str], language: str) -> str | None:
    """The language that the function words speak for, if it is plainly not this one."""
    ranked = votes(words)
    own = ranked.pop(language, 0.0)
    if not ranked:
        return None
    best = max(ranked, key=lambda name: ranked[name])
    ahead = ranked[best] - own >= AHEAD and ranked[best] >= AHEAD_TIMES * own
    if language not in KNOWN and any({language, best} <= kin for kin in KIN):
        return None
    return best if ahead else None


def _confirmed(prose: str, language: str, other: str, asked: int) -> bool:
    """The statistical model must see another language, too. After a few paragraphs the words are believed."""
    if asked >= MOST_WEIGHED:
        return True
    said, probability = weighed(prose)
    if said == language or any({language, said} <= kin for kin in KIN if said != other):
        return False
    return said == other or probability >= CERTAIN


def wrong_script(view: Markdown, language: str) -> Slip | None:
    """A text without the script of its language, such as a Russian lesson in Latin letters."""
    home = scripts_of(language)
    if not home or "Latin" in home:
        return None
    own, latin = letters_of(home, view.prose), letters_of(("Latin",), view.prose)
    if own + latin < FEWEST_LETTERS or latin < LATIN_SHARE * (own + latin):
        return None
    return _slip(view, f"The text is not in the script of its language ({', '.join(home)}).")


def strange_language(view: Markdown, language: str) -> Iterator[Slip]:
    """Another language: critical where most of the text is in it, else a warning for each paragraph."""
    if language in ("", "und"):
        return
    wrong = wrong_script(view, language)
    if wrong is not None:
        yield wrong
        return
    strange, total = strange_paragraphs(view, language)
    if not strange:
        return
    words = sum(part.words for part in strange)
    if words * 2 >= total:
        yield _slip(view, f"The text is in another language ({strange[0].language}) than {language}.")
        return
    for part in strange:
        message = f"This paragraph is in another language ({part.language}) than the text ({language})."
        yield Slip(part.start, part.end, message, "Translate it, or mark it as a quotation.", severity="warning")


def _slip(view: Markdown, message: str) -> Slip:
    block: Block = view.prose_blocks[0]
    return Slip(block.start, block.end, message, "Write it again in its own language.", severity="critical")
