"""untranslated_text: a passage that was not translated.

What it looks for: a translation that is the source itself; three lower-case words or more copied from the source; a
sentence, or the whole text, in another language than the target language. Names, titles in quotation marks, code,
addresses and bibliography entries are ignored.
Why it matters: readers expect a translation, and this part is not translated.
Fix: needs a translator.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Run, Side, copied_runs, share_a_language, source_of, target_of, words_of
from burnish.languages.detection import KNOWN, UNKNOWN_LANGUAGE, leaning, other_language, votes
from burnish.languages.sentences import sentences
from burnish.languages.words import Slip
from burnish.text.markdown import span_around
from burnish.text.wrong_language import SHARE_OF_WORDS, strange_language

FEWEST_SMALL = 3
"""The fewest lower-case words of a run: fewer are a name or a term."""
FEWEST_OF_SENTENCE = 6
LEAN = 2.5
"""The logarithm of odds above which a run counts as the source's language."""
AHEAD, TIMES = 2.0, 3.0
"""How many more votes the source's function words must have in a sentence, and how many times as many."""
LONGEST_TITLE = 12
"""More words in quotation marks are a quotation, which should be translated."""
CITATION = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
CAPITALS_OF_CITATION = 0.3
CODE_SIGN = re.compile(r"[{}<>=$|\\]|(?<!\w)[?@#-]\w|;$")
FEWEST_SIGNS, SIGNS_AMONG = 4, 40
SUGGESTION = "Translate it."


def untranslated(source: Side, target: Side) -> Iterator[Slip]:
    """The untranslated passages; if the whole text is untranslated, only that one."""
    if share_a_language(source, target):
        return
    whole = _whole(source, target)
    if whole is not None:
        yield whole
        return
    yield from list(_strange(target)) or list(_parts(source, target)) or _elsewhere(target)


def _strange(target: Side) -> Iterator[Slip]:
    """Passages in another language than the target language: the source's or a third one."""
    cited = _is_list_of_names(words_of(target))
    for slip in strange_language(target.view, target.language):
        yield replace(slip, severity="warning") if cited else slip


def _elsewhere(target: Side) -> Iterator[Slip]:
    """The whole text, if it is in another language beyond doubt and is no list of names."""
    words = words_of(target)
    if target.language == UNKNOWN_LANGUAGE or len(words) < FEWEST_OF_SENTENCE or _is_list_of_names(words):
        return
    other = other_language(" ".join(word.group() for word in words), target.language)
    if other is not None and not _is_covered(target, words[0].start(), words[-1].end()):
        message = f"The translation is in {other!r}, not in {target.language!r}."
        yield Slip(words[0].start(), words[-1].end(), message, SUGGESTION)


def _whole(source: Side, target: Side) -> Slip | None:
    """The source itself instead of a translation, unless it has only names, numbers, code or references to books."""
    words = words_of(target)
    if not words or [w.group().lower() for w in words] != [w.group().lower() for w in words_of(source)]:
        return None
    if _is_covered(target, words[0].start(), words[-1].end()):
        return None
    small = [w.group() for w in words if w.group()[0].islower()]
    if not _speaks(small, source.language, target.language):
        return None
    softly = len(small) < FEWEST_SMALL or _is_citation(target.prose, words) or _is_like_code(target.view.text)
    return Slip(
        words[0].start(),
        words[-1].end(),
        "The translation is the source itself.",
        SUGGESTION,
        severity="warning" if softly else "error",
    )


def _speaks(small: list[str], source: str, target: str) -> bool:
    """Whether lower-case words belong to the source's language."""
    if UNKNOWN_LANGUAGE in (source, target):
        return len(small) >= FEWEST_SMALL
    counted = votes([word.lower() for word in small])
    own, other = counted.get(source, 0.0), counted.get(target, 0.0)
    if own - other >= AHEAD:
        return True
    return bool(small) and own >= other and leaning(f" {' '.join(small).lower()} ", source, target) >= LEAN


def _is_citation(prose: str, words: list[re.Match[str]]) -> bool:
    """An entry of a bibliography: a year, and many capitals."""
    return CITATION.search(prose) is not None and _is_list_of_names(words)


def _is_like_code(text: str) -> bool:
    """Commands and queries that are not marked as code."""
    signs = len(CODE_SIGN.findall(text))
    return signs >= FEWEST_SIGNS and signs * SIGNS_AMONG >= len(text)


def _is_covered(target: Side, start: int, end: int) -> bool:
    """Whether a passage is within a few words in quotation marks, emphasis or a link, and may be a title."""
    around = span_around(target.view, start)
    if around is None or end > around[1]:
        return False
    return len(target.view.text[around[0] : around[1]].split()) <= LONGEST_TITLE


def _parts(source: Side, target: Side) -> Iterator[Slip]:
    reported_up_to = 0
    for run in copied_runs(source, target):
        if _is_left(run, source, target):
            yield _slip(target, run.start, run.end, "is copied from the source")
            reported_up_to = run.end
    if not reported_up_to:
        yield from _sentences(source, target)


def _is_left(run: Run, source: Side, target: Side) -> bool:
    small = [word.group() for word in run.words if word.group()[0].islower() and not _is_inside(target, word.start())]
    if len(small) < FEWEST_SMALL or _is_covered(target, run.start, run.end):
        return False
    return not _is_list_of_names(run.words) and _speaks(small, source.language, target.language)


def _is_list_of_names(words: Sequence[re.Match[str]]) -> bool:
    """Authors, titles and publishers, recognised by many capitals."""
    return sum(word.group()[0].isupper() for word in words) >= CAPITALS_OF_CITATION * len(words)


def _is_inside(target: Side, place: int) -> bool:
    """Whether a word is in a title or a short quotation."""
    around = span_around(target.view, place)
    return around is not None and _is_covered(target, place, around[1])


def _sentences(source: Side, target: Side) -> Iterator[Slip]:
    """Sentences that differ from the source, but are in its language."""
    free = [word for word in words_of(target) if not _is_inside(target, word.start())]
    for sentence in sentences(target.prose):
        at = bisect_left(free, sentence.start, key=re.Match.start)
        words = [word.group().lower() for word in free[at : bisect_left(free, sentence.end, key=re.Match.start)]]
        counted = votes(words)
        own, other = counted.get(source.language, 0.0), counted.get(target.language, 0.0)
        # In a language without a list of function words, a short word may look like one of another language.
        enough = AHEAD if target.language in KNOWN else max(AHEAD, SHARE_OF_WORDS * len(words))
        if len(words) >= FEWEST_OF_SENTENCE and own - other >= enough and own >= TIMES * other:
            yield _slip(target, sentence.start, sentence.end, f"is in the source's language ({source.language})")


def _slip(target: Side, start: int, end: int, why: str) -> Slip:
    around = span_around(target.view, start)
    quoted = around is not None and end <= around[1]
    shown = " ".join(target.view.text[start:end].split())[:60]
    return Slip(start, end, f"{shown!r} {why}.", SUGGESTION, severity="warning" if quoted else "error")


@check(
    id="untranslated_text",
    severity="error",
    bad=(
        pair(
            "en>es",
            "The night was dark and the old banker walked up and down in his study.",
            "The night was dark and the old banker walked up and down in his study.",
        ),
        pair(
            "en>es",
            "He opened the door. Nobody was in the garden, and the wind had died down.",
            "Abrió la puerta. Nobody was in the garden, and the wind had died down.",
        ),
        pair(
            "en>de",
            "He said that it was far too late to turn back now.",
            "Er sagte, es sei far too late to umzukehren.",
        ),
        pair("ru>en", "Она закрыла окно и села у стола.", "Она закрыла окно и села у стола."),
        pair(
            "en>es",
            "The night was dark, and nobody in the village slept.",
            "La nuit était sombre, et dans le village personne ne dormait, car le vent soufflait sur les toits.",
        ),
    ),
    good=(
        pair("en>fr", "Alice's Adventures in Wonderland", "Alice's Adventures in Wonderland"),
        pair("en>es", "`pip install numpy` 1.26", "`pip install numpy` 1.26"),
        pair("en>es", "She read *The Old Man and the Sea* twice.", "Leyó *The Old Man and the Sea* dos veces."),
        pair("en>en-US", "The colour of the sea was grey.", "The colour of the sea was grey."),
    ),
)
def untranslated_text(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, untranslated(source_of(paragraph), target_of(paragraph)))
