"""Readability in any language: how long sentences and words are, and how often a paragraph ends.

Only proportions count, no dictionary. Scripts that write no spaces between words are counted by their letters.
"""

from __future__ import annotations

import re

import regex

from burnish.kinds.lessons.refinement.config import (
    PARAGRAPH_RATIO_MIN,
    SENTENCE_MAX,
    WORD_MAX,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement.types import UniversalReadabilityMetrics
from burnish.languages.sentences import sentences
from burnish.text.markdown import markdown

# Every script's full stop becomes one that the sentence cutter knows; nothing changes its length.
STOPS = str.maketrans(dict.fromkeys("।॥።։۔؟។။᠃꘎⸮", "。"))
UNSPACED_STOP = regex.compile(r"(?<=[\p{Thai}\p{Lao}]) +(?=[\p{Thai}\p{Lao}])")
"""Thai and Lao end a sentence with a space and nothing else."""

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*")
TWO_LETTERS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
"""Chinese and Japanese words have about two letters ..."""
FIVE_LETTERS = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
"""... and those of South-East Asia about five, marks not counted."""
MARKS = regex.compile(r"\p{M}+")
SPECIAL = re.compile("[\u0300-\u036f\u0483-\u1fff\u2c00-\U0010ffff]")
"""Letters for which a text may need more than spaces and plain letters. Most texts have none, and are read quickly."""
PLAIN_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
READ_IN_SENTENCES = frozenset({"paragraph", "item"})


def readability(text: str) -> UniversalReadabilityMetrics:
    """The measures of a Markdown text. A text without prose has nothing to reproach."""
    paragraphs = _paragraphs(text)
    cut = [sentence.text for paragraph in paragraphs for sentence in sentences(paragraph)]
    counts = [count_words(sentence) for sentence in cut]
    words = sum(number for number, _ in counts)
    letters = sum(number for _, number in counts)
    spoken = sum(1 for number, _ in counts if number)
    if not words:
        return UniversalReadabilityMetrics(avg_sentence_length=0, avg_word_length=0, paragraph_break_ratio=1)
    return UniversalReadabilityMetrics(
        avg_sentence_length=round(words / spoken, 3),
        avg_word_length=round(letters / words, 3),
        paragraph_break_ratio=round(min(1.0, len(paragraphs) / spoken), 3),
    )


def _paragraphs(text: str) -> list[str]:
    """What is read in sentences: paragraphs and items of lists, without code, formulas and addresses."""
    view = markdown(text)
    found = (view.prose_of(block) for block in view.blocks if block.kind in READ_IN_SENTENCES)
    return [_stopped(prose) for prose in found if WORD.search(prose)]


def _stopped(prose: str) -> str:
    """The prose with full stops that the sentence cutter knows."""
    return UNSPACED_STOP.sub("。", prose.translate(STOPS)) if SPECIAL.search(prose) else prose


def count_words(sentence: str) -> tuple[int, int]:
    """How many words a sentence has, and how many letters they have together."""
    if SPECIAL.search(sentence) is None:
        found = PLAIN_WORD.findall(sentence)
        return len(found), sum(map(len, found))
    plain = MARKS.sub("", sentence)
    paired, fives = len(TWO_LETTERS.findall(plain)), len(FIVE_LETTERS.findall(plain))
    spaced = WORD.findall(FIVE_LETTERS.sub(" ", TWO_LETTERS.sub(" ", plain)))
    words = len(spaced) + -(-paired // 2) + -(-fives // 5)
    return words, sum(map(len, spaced)) + paired + fives


def readability_problems(metrics: UniversalReadabilityMetrics) -> tuple[str, ...]:
    """The names of the measures that are over their limits."""
    limits = {
        "sentence_length": exceeds(metrics.avg_sentence_length, SENTENCE_MAX),
        "word_length": exceeds(metrics.avg_word_length, WORD_MAX),
        "paragraph_breaks": not reaches(metrics.paragraph_break_ratio, PARAGRAPH_RATIO_MIN),
    }
    return tuple(name for name, is_over in limits.items() if is_over)


def readability_regressions(before: str, after: str) -> tuple[str, ...]:
    """The measures that a repair pushed over the limit, or further over it. What was hard before is not its fault."""
    old, new = readability(before), readability(after)
    worse = {
        "sentence_length": exceeds(new.avg_sentence_length, old.avg_sentence_length),
        "word_length": exceeds(new.avg_word_length, old.avg_word_length),
        "paragraph_breaks": exceeds(old.paragraph_break_ratio, new.paragraph_break_ratio),
    }
    return tuple(name for name in readability_problems(new) if worse[name])
