"""Whether a text is written in the language it should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from burnish.languages.detection import KNOWN, are_kin, other_language, votes
from burnish.languages.scripts import letters_of, scripts_of
from burnish.languages.slips import Slip
from burnish.languages.words import word_list
from burnish.text.markdown import Markdown
from burnish.text.structure import Block

READ = 400
"""Characters of a paragraph that are read for words."""
READ_OF_ALL = 2000
"""Characters of a whole text that are read where its paragraphs are short."""
ALONE = 100
"""A paragraph of so many characters is judged on its own."""
FEWEST_WORDS = 15
"""Fewer words may be a name, a title or a quotation in any language."""
AHEAD, AHEAD_TIMES = 3.0, 2.5
"""Votes of function words by which another language must be ahead, and how many times."""
SHARE_OF_WORDS = 0.25
"""Function words among all words of an ordinary text, at least."""
FEW_OF_ITS_OWN = 0.06
"""A text with fewer function words of its language among its words is looked at once more."""
MOST_WEIGHED = 6
"""Paragraphs of a text that are given to the statistical model, which is slow."""
LATIN_SHARE = 0.85
"""A text in another script with more Latin letters than this is not written in it."""
FEWEST_LETTERS = 60


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What the function words say."""

    language: str
    """Empty: none that they know."""
    plain: bool


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
    total = asked = 0
    for start, end in _pieces(view):
        words = word_list(view.prose[start : min(end, start + READ)])
        if len(words) < FEWEST_WORDS:
            continue
        weight = max(len(words), (end - start) // 6)
        total += weight
        suspicion = _suspected(words, language)
        if suspicion is None:
            continue
        asked += 1
        # After a few paragraphs that were confirmed, plain words are believed by themselves.
        other = suspicion.language if suspicion.plain and found else None
        if asked <= MOST_WEIGHED:
            other = other_language(view.prose[start:end], language)
        if other is not None:
            found.append(Strange(start, end, other, weight))
    return found, total


def _pieces(view: Markdown) -> Iterator[tuple[int, int]]:
    """Paragraphs; and short ones taken together."""
    start = end = -1
    for block in _paragraphs(view):
        if block.end - block.start >= ALONE:
            yield block.start, block.end
        else:
            start, end = (block.start if start < 0 else start), block.end
            if end - start >= READ:
                yield start, end
                start = -1
    if start >= 0:
        yield start, end


def _paragraphs(view: Markdown) -> Iterator[Block]:
    """What an author says in sentences. Quotations, tables, notes and lists of books keep their own language."""
    return (block for block in view.blocks if block.kind == "paragraph" and not block.quoted)


def _suspected(words: list[str], language: str) -> Suspicion | None:
    """The language that the function words speak for, if it is not this one; or none of those that we have lists of."""
    ranked = votes(words)
    own = ranked.pop(language, 0.0)
    best = max(ranked, key=lambda name: ranked[name], default="")
    score = ranked.get(best, 0.0)
    if language not in KNOWN:
        # Words of another language are proof only where they are as many as in a text of that language.
        is_kin = are_kin(language, best)
        return Suspicion(best, plain=True) if score >= SHARE_OF_WORDS * len(words) and not is_kin else None
    if score - own >= AHEAD and score >= AHEAD_TIMES * own:
        return Suspicion(best, plain=True)
    if score - own >= AHEAD / 2 and score >= own * 1.5:
        return Suspicion(best, plain=False)
    return Suspicion("", plain=False) if own < FEW_OF_ITS_OWN * len(words) else None


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
    mostly = strange[0].language if strange and 2 * sum(part.words for part in strange) >= total else None
    mostly = mostly or (_language_of_all(view, language) if not strange else None)
    if mostly is not None:
        yield _slip(view, f"The text is in another language ({mostly}) than {language}.")
        return
    for part in strange:
        message = f"This paragraph is in another language ({part.language}) than the text ({language})."
        yield Slip(part.start, part.end, message, "Translate it, or mark it as a quotation.", severity="warning")


def _language_of_all(view: Markdown, language: str) -> str | None:
    """The other language of a text whose paragraphs are too short to be told one by one."""
    pieces, length = [], 0
    for block in _paragraphs(view):
        pieces.append(view.prose[block.start : block.end])
        length += len(pieces[-1])
        if length > READ_OF_ALL:
            break
    prose = " ".join(pieces)
    words = word_list(prose)
    suspicion = _suspected(words, language) if len(words) >= FEWEST_WORDS else None
    return other_language(prose, language) if suspicion is not None else None


def _slip(view: Markdown, message: str) -> Slip:
    block: Block = view.prose_blocks[0]
    return Slip(block.start, block.end, message, "Write it again in its own language.", severity="critical")
