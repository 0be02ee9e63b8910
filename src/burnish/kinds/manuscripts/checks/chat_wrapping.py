"""chat_wrapping: a chatbot's remarks around the translation.

What it looks for: a beginning such as "Here is the translation:" or "Sure! The Spanish version:", a remark about the
translation at the end, and phrases of chatbots to their users, if the source has nothing like them. The rule knows
words for "translation" in some sixty languages.
Why it matters: readers find a chatbot's words in the middle of a book.
Fix: needs a person or a model, because a model that adds remarks may also have left text out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.sentences import sentence_count
from burnish.languages.tables import table
from burnish.text.leftovers import chatbot_phrases
from burnish.text.markdown import Markdown

LONGEST = 160
"""The most characters of an introduction to the translation."""
BEGINNING = re.compile(r"[\W_]*(?P<said>[^\n:：]{2,160}?)\s?[:：](?!//)(?=\s|\*|_|$|[^\x00-\x7f])")
REMARK = re.compile(r"(?:^|[.!?…。！？»”\"]\s*)[(\[*_]{0,2}(?P<said>[^\n.:：()]{2,60}[:：][^\n]{2,400})$")
"""A last sentence that begins with a label: "Note: ...", "Translator's note: ..."."""
SHORTEST_STEM = 2


@cache
def _stems(name: str) -> re.Pattern[str]:
    """A pattern for stems at the beginning of words, or anywhere in scripts without spaces."""
    listed = sorted(table("wrapping")[name].split(), key=len, reverse=True)
    spaced = [re.escape(stem) for stem in listed if stem < "\u0e00"]
    joined = [re.escape(stem) for stem in listed if stem >= "\u0e00"]
    return re.compile(rf"\b(?:{'|'.join(spaced)})|(?:{'|'.join(joined)})", re.IGNORECASE)


def _hands_over(said: str) -> bool:
    """Whether a passage before a colon introduces the text after it as a translation."""
    points = _stems("pointing").search(said) is not None
    if _stems("translation").search(said):
        return points or len(said.split()) <= 4 or _stems("agreeing").match(said) is not None
    return _stems("version").search(said) is not None and points


def handed_over(view: Markdown) -> tuple[int, int] | None:
    """The span of an introduction or a final remark that calls the text a translation."""
    first = BEGINNING.match(view.prose[:LONGEST])
    if first is not None and _hands_over(first["said"]):
        return first.start("said"), first.end()
    tail = max(0, len(view.prose) - 3 * LONGEST)
    last = REMARK.search(view.prose[tail:])
    if last is not None and last.start("said") > 0 and _stems("translation").search(last["said"]):
        return tail + last.start("said"), tail + last.end()
    return None


@check(
    id="chat_wrapping",
    title="Chat round the translation",
    severity="error",
    bad=(
        pair("es>en", "El mar estaba en calma.", "Here is the translation: The sea was calm."),
        pair("en>es", "The sea was calm.", "¡Claro! Aquí tienes la traducción:\nEl mar estaba en calma."),
        pair("en>tr", "The sea was calm.", "İşte çeviri: Deniz sakindi."),
        pair("en>ja", "The sea was calm.", "以下は翻訳です：海は穏やかだった。"),
        pair("en>de", "The sea was calm.", "Das Meer war ruhig. (Anmerkung: Die Übersetzung ist frei.)"),
        pair("es>en", "El mar estaba en calma.", "The sea was calm. Let me know if you need anything else!"),
    ),
    good=(
        pair("en>es", "Here is the translation: The sea.", "Aquí está la traducción: El mar."),
        pair("en>es", "He said: the sea was calm.", "Dijo: el mar estaba en calma."),
        pair("en>de", "Note: the second version is longer.", "Hinweis: Die zweite Fassung ist länger."),
    ),
)
def chat_wrapping(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph).view, target_of(paragraph).view
    span = handed_over(target)
    if span is None or handed_over(source) is not None:
        said = next(chatbot_phrases(target), None)
        # Dialogue in a book is in its source as well, so a chatbot's remark must be an additional sentence.
        if said is None or sentence_count(target.prose) <= sentence_count(source.prose):
            return
        span = said.start, said.end
    shown = " ".join(target.text[slice(*span)].split())[:80]
    yield Finding.at(
        paragraph,
        span=span,
        message=f"A chatbot's remark that is not in the source: {shown!r}.",
        suggestion="Keep only the translation, and make sure that it is complete.",
    )
