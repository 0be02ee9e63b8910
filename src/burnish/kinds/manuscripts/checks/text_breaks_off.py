"""text_breaks_off: a translation without an end mark whose source ends a sentence.

What it looks for: a source that ends with a full stop, a question or exclamation mark or an ellipsis, and a translation
that ends with a letter, a comma or a dash. Closing quotation marks, brackets, emphasis and notes are ignored, and marks
of all scripts are known. For headings, list items and texts of one or two words it is a warning.
Why it matters: a missing mark at the end often shows that the answer was cut off at the token limit, in mid-sentence or
mid-word, and its meaning is incomplete. Only a person or a model can tell whether just the mark is missing.
Fix: none by code: a full stop after half a sentence would hide the error.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.checks.end_punctuation import NAMES, OFTEN_WITHOUT, SENTENCE_ENDS, UNPUNCTUATED, end_of
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.counterparts import ends_as_texts_do
from burnish.languages.dictionary import is_ordinary
from burnish.languages.names import is_translated

SENTENCE = 3
"""The fewest words of a sentence; a shorter text may be an abbreviation."""
TAIL = 40
SHORTER = {"ar": 1.25, "fa": 1.1, "ur": 1.0, "hi": 1.0, "vi": 1.0}
"""Language -> English letters for one of its letters."""
LEAST = 0.75
"""A text with a smaller share of its source's length was cut off."""


@check(
    id="text_breaks_off",
    title="Text breaks off",
    severity="error",
    bad=(
        pair("en>es", "He had worked there for a long time.", "Había trabajado allí durante mucho tiemp"),
        pair("en>es", "The rain stopped at noon.", "La lluvia cesó al mediodía"),
        pair("zh>en", "彗星可能是水的来源。", "Comets may be the source of water"),
        pair("en>es", "“Where were you all night?” she asked.", "«¿Dónde estuviste toda la noche?», preguntó ella,"),
        pair("en>es", "He was **very** tired.[^1]", "Estaba **muy cansado**[^1]"),
        pair("en>zh", "Comets bring water to us.", "彗星给我们带来水"),
    ),
    good=(
        pair("en>es", "He said: “The rain stopped at noon.”", "Dijo: «La lluvia cesó al mediodía»."),
        pair("en>ja", "The rain stopped at noon.", "正午に雨がやんだ。"),
        pair("en>es", "Run `pip install`.", "Ejecuta `pip install`"),
        pair("en>th", "It rains.", "ฝนตก"),
        pair("en>es", "It ends with a question, does it not?", "Termina con una pregunta."),
    ),
)
def text_breaks_off(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    wanted, found = end_of(source), end_of(target)
    if paragraph.block == "table" or wanted is None or found is None or target.language in UNPUNCTUATED:
        return
    if wanted.closing not in SENTENCE_ENDS or found.closing not in ("none", "comma", "semicolon", "dash"):
        return
    # List items and headings may omit the full stop: that is a style.
    plain = paragraph.block not in ("heading", "list") and len(source.prose.split(maxsplit=SENTENCE)) >= SENTENCE
    unspaced = "Han" in source.scripts and len(source.prose) > SENTENCE
    is_sure = (plain or unspaced) and found.closing != "semicolon"
    shown = " ".join(target.view.text[max(0, found.end - TAIL) : found.end].split())
    yield Finding.at(
        paragraph,
        span=(found.start, found.end),
        message=f"The translation stops at {shown!r}, with {NAMES[found.closing]}; "
        f"the source ends with {NAMES[wanted.closing]}.",
        suggestion="Translate what is missing; if nothing is, end it as the source ends.",
        severity="error" if is_sure and not _is_whole(source, target) else "warning",
    )


def _is_whole(source: Side, target: Side) -> bool:
    """Whether only a mark is missing, in languages that often omit it: texts end with such a last word, or if that is
    unknown, a dictionary has the word, or the source has its meaning."""
    if target.language not in OFTEN_WITHOUT:
        return False
    if len(target.prose) * SHORTER.get(target.language, 1.0) < len(source.prose) * LEAST:
        return False
    usual = ends_as_texts_do(target.prose, target.language, source.language)
    if usual is not None:
        return usual
    [*_, last] = target.prose.split() or [""]
    return is_ordinary(last, target.language) or is_translated(last, target.language, source.prose, source.language)
