"""unbalanced_marks: a bracket or a quotation mark without its other half.

What it looks for: round, square, curly and East Asian brackets, quotation marks of every shape, and the Spanish marks
that open a question or an exclamation. Code, links, list labels such as "a)", inches and emoticons are ignored; so is a
paragraph whose source has unclosed marks itself, such as speech over several paragraphs.
Why it matters: the reader waits for the end of an aside or of a speech that never comes.
Fix: needs a model or a person: only the meaning shows where the other mark belongs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, markdown

OPENS = dict(zip(")]}）】」』》〉］", "([{（【「『《〈［", strict=True))
"""Closing bracket -> the opening one."""
WIDE = str.maketrans("（）［］", "()[]")
"""A wide bracket may close a narrow one."""
BRACKETS = regex.compile("[" + regex.escape("".join(OPENS) + "".join(OPENS.values())) + "]")
LABEL = regex.compile(r"(?:^|[\s(,;])(?:\d{1,3}|\p{L}|[ivxIVX]{1,4})$")
"""The "a" of "a) first": such a bracket has no opening one."""
EMOTICON = regex.compile(r"[:;=8xX]['’]?[-^o]?$")
QUOTES = regex.compile(r'["“”„‟](?<!\p{Hebrew}"(?=\p{Hebrew}))')
"""Quotation marks, except those inside Hebrew abbreviations and numerals."""
ANGLES = regex.compile("[«»]")
INVERTED = {"¿": "?", "¡": "!"}


def unbalanced(view: Markdown, source: Markdown) -> Iterator[Slip]:
    """Marks without a partner, if all marks of the source have one."""
    if next(_lone_brackets(source.prose), None) is None:
        yield from (_slip(view, place) for place in _lone_brackets(view.prose))
    if _lone_quote(source.prose) is None:
        place = _lone_quote(view.prose)
        if place is not None:
            yield _slip(view, place)
    yield from (_slip(view, place) for place in _open_questions(view.prose))


def _slip(view: Markdown, place: int) -> Slip:
    mark = view.text[place]
    suggestion = f"Add the mark that belongs to {mark}, or remove {mark}."
    return Slip(place, place + 1, f"The mark {mark} has no partner.", suggestion)


def _lone_brackets(prose: str) -> Iterator[int]:
    opened: dict[str, list[int]] = {}
    for match in BRACKETS.finditer(prose):
        place, mark = match.start(), match.group().translate(WIDE)
        if prose[place - 1 : place] == "\\":
            continue
        if mark not in OPENS:
            opened.setdefault(mark, []).append(place)
        elif opened.get(OPENS[mark]):
            opened[OPENS[mark]].pop()
        elif mark != ")" or not _is_label(prose, place):
            yield place
    yield from (
        place for places in opened.values() for place in places if not EMOTICON.search(prose[max(0, place - 3) : place])
    )


def _is_label(prose: str, place: int) -> bool:
    before = prose[max(0, place - 5) : place]
    return LABEL.search(before) is not None or EMOTICON.search(before) is not None


def _lone_quote(prose: str) -> int | None:
    """The one without a partner of an odd number of quotation marks of any shape; None if they may be paired."""
    marks = [match.start() for match in QUOTES.finditer(prose)]
    if len(marks) % 2 and not any(prose[place - 1 : place].isdigit() for place in marks if prose[place] == '"'):
        return _unpaired_of(prose, marks)
    angles = Counter(match.group() for match in ANGLES.finditer(prose))
    if angles["«"] != angles["»"]:
        return max(prose.rfind("«"), prose.rfind("»"))
    return None


def _unpaired_of(prose: str, marks: list[int]) -> int:
    """The first mark that would open a quotation but has a space after it; else the last mark."""
    is_open = False
    for place in marks:
        after = prose[place + 1 : place + 2]
        if not is_open and (not after or after.isspace()):
            return place
        is_open = not is_open
    return marks[-1]


def _open_questions(prose: str) -> Iterator[int]:
    """Spanish opening marks of questions and exclamations without a closing mark."""
    for mark, closing in INVERTED.items():
        place = prose.rfind(mark)
        if place >= 0 and closing not in prose[place:] and "?" not in prose[place:] and "!" not in prose[place:]:
            yield place


@check(
    id="unbalanced_marks",
    title="Unbalanced brackets or quotes",
    severity="error",
    bad=(
        pair("en>es", "The lamp (an old one) stood on the table.", "La lámpara (una vieja estaba en la mesa."),
        pair("de>en", "Er sagte: „Komm herein.“", 'He said, "Come in.'),
        pair("en>es", "What time is it?", "¿Qué hora es."),
    ),
    good=(
        pair(
            "en>es",
            "The lamp (an old one) was “bright”: see [the page](https://example.org/a(b)).",
            "La lámpara (una vieja) era «brillante»: véase [la página](https://example.org/a(b)).",
        ),
        pair(
            "en>es",
            'a) first b) second, a board of 5" and a smile :)',
            'a) primero b) segundo, una tabla de 5" y una sonrisa :)',
        ),
        pair("en>he", "Mr Jordan is the chairman of the PLO.", 'מר ירדני הוא יו"ר אש"ף, והוא דו"ח.'),
        pair("en>fr", "“And then we left. It was late.", "« Et puis nous sommes partis. Il était tard."),
    ),
)
def unbalanced_marks(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, unbalanced(markdown(paragraph.translation), markdown(paragraph.text)))
