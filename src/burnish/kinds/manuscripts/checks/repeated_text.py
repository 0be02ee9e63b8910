"""repeated_text: a group of words or a sentence repeated in a row.

What it looks for: two words or more that are repeated at once, and a sentence that is repeated, if the source has
nothing like it. For a single doubled word see `doubled_word`.
Why it matters: models repeat words when something goes wrong, sometimes a hundred times.
Fix: safe: all but the first are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.sentences import Sentence, sentences
from burnish.languages.words import exchange

WORD = re.compile(r"[^\W_](?:[\w'’-]*\w)?")
LONGEST_GROUP = 8
"""The most words of a group: more would be a sentence."""
MOST_REPORTED = 20
MOST_REMOVED = 0.4
FEWEST_WORDS = 3
"""The fewest words of a sentence; shorter ones are repeated on purpose ("Yes. Yes.")."""
WITHIN_SENTENCE = re.compile(r"[ \t\n\u00a0]{1,4}|['’-]")
"""What may stand between two words of a group."""

Repeat = tuple[int, int, int]
"""Its start, the end of the first instance, and the end of the last one."""


@check(
    id="repeated_text",
    severity="error",
    bad=(
        pair(
            "en>es",
            "He left after three years. Nobody saw him again.",
            "Se fue tras tres años. Se fue tras tres años. Nadie volvió a verlo.",
        ),
        pair("es>en", "El barco llegó al puerto de noche.", "The ship reached the port reached the port at night."),
    ),
    good=(
        pair(
            "es>en",
            "Lo había visto antes. Antes de irse, llamó.",
            "He had had a look at it before. Before he left, he called.",
        ),
        pair("en>es", "On and on and on it went. It hurt. It hurt.", "Siguió y siguió y siguió. Dolía. Dolía."),
    ),
)
def repeated_text(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    found = [*_repeats(target.prose), *_said_again(target.prose)]
    if not found:
        return
    # As many repetitions as the source has are allowed.
    allowed = sum(1 for _ in _repeats(source.prose)) + sum(1 for _ in _said_again(source.prose))
    for start, kept, end in found[allowed : allowed + MOST_REPORTED]:
        yield Finding.at(
            paragraph,
            span=(start, end),
            message=f"{target.view.text[start:kept]!r} is repeated here.",
            suggestion="Write it once.",
            fix=_fix(paragraph, start, kept, end),
        )


def _fix(paragraph: Paragraph, start: int, kept: int, end: int) -> Edit | None:
    # A text rendered from another script is fixed there and rendered again; and a fix must not remove most of a
    # text.
    if paragraph.latin is not None or end - kept > len(paragraph.translation) * MOST_REMOVED:
        return None
    found = exchange(paragraph.translation, start, end, paragraph.translation[start:kept])
    return Edit(paragraph.id, None, *found) if found is not None else None


def _repeats(prose: str) -> Iterator[Repeat]:
    """Groups of two words or more that are repeated at once."""
    matches = list(WORD.finditer(prose))
    words = [match[0].lower() for match in matches]
    at = 0
    while at < len(words) - 3:
        size = next((n for n in range(2, LONGEST_GROUP + 1) if _is_repeated(prose, matches, words, at, n)), 0)
        if not size:
            at += 1
            continue
        last = at + size
        while _is_repeated(prose, matches, words, last, size):
            last += size
        yield matches[at].start(), matches[at + size - 1].end(), matches[last + size - 1].end()
        at = last + size


def _is_repeated(prose: str, matches: list[re.Match[str]], words: list[str], at: int, size: int) -> bool:
    """Whether the `size` words at this place are repeated right after."""
    group = words[at : at + size]
    if group != words[at + size : at + 2 * size] or len(set(group)) == 1:
        return False
    gaps = (prose[matches[n].end() : matches[n + 1].start()] for n in range(at, at + 2 * size - 1))
    # Rows of numbers often repeat.
    return any(word.isalpha() for word in group) and all(WITHIN_SENTENCE.fullmatch(gap) for gap in gaps)


def _said_again(prose: str) -> Iterator[Repeat]:
    """Sentences that are repeated at once."""
    before: Sentence | None = None
    for sentence in sentences(prose):
        if before is not None and sentence.text == before.text and len(WORD.findall(sentence.text)) >= FEWEST_WORDS:
            yield before.start, before.end, sentence.end
        before = sentence
