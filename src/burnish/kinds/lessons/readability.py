"""Reading measures that need no dictionary: sentence length, word length, paragraph breaks. For every language."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.kinds.text.markdown import markdown
from burnish.kinds.text.sentences import sentences
from burnish.kinds.text.words import WORD

LONG_SENTENCE = 25
"""Words from which a sentence counts as long."""


@dataclass(frozen=True, slots=True)
class Readability:
    """How a text reads."""

    sentences: int
    words: int
    mean_sentence: float
    """Words a sentence."""
    mean_word: float
    """Letters a word."""
    paragraph_breaks: float
    """Breaks between paragraphs a sentence."""
    long_share: float
    """Share of the sentences that have more than LONG_SENTENCE words."""


def readability(text: str) -> Readability:
    """The measures of a Markdown text's running prose: paragraphs and list items, no headings, tables or code."""
    view = markdown(text)
    blocks = [block for block in view.prose_blocks if block.kind in ("paragraph", "item")]
    lengths: list[int] = []
    letters = 0
    for block in blocks:
        for sentence in sentences(view.prose_of(block).replace("\n", " ")):
            words = WORD.findall(sentence.text)
            if words:
                lengths.append(len(words))
                letters += sum(map(len, words))
    count, total = len(lengths), sum(lengths)
    if not count:
        return Readability(0, 0, 0.0, 0.0, 0.0, 0.0)
    long = sum(length > LONG_SENTENCE for length in lengths)
    return Readability(count, total, total / count, letters / total, max(0, len(blocks) - 1) / count, long / count)
