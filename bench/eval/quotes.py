"""Quotes of judges, misspelled in every way models do it: how many error-level issues about them would be lost.

Sentences of sound lessons are quoted with one or several misspellings and given to the judges' door (`verified`): an
issue is kept with the exact words, or without a place, which has it asked for once more and then shown to a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from bench.eval.figures import interval, note
from bench.eval.lessons import Read
from burnish.kinds.lessons.refinement import JudgeIssue
from burnish.kinds.lessons.verdicts import SectionJudgement, verified
from burnish.languages.sentences import sentences
from burnish.text.markdown import markdown
from burnish.text.quotes import exact_quote

SEED = 20_261_116
QUOTES = 400
SHORTEST, LONGEST = 40, 300
CURLED = str.maketrans({'"': "“", "'": "’"})
STRAIGHT = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "«": '"', "»": '"'})


def _elided(quote: str, random: Random) -> str:
    third = len(quote) // 3
    return f"{quote[:third].rstrip()} ... {quote[2 * third :].lstrip()}"


MISQUOTES: dict[str, Callable[[str, Random], str]] = {
    "line breaks": lambda quote, _: " ".join(quote.split()),
    "other line breaks": lambda quote, random: quote.replace(" ", "\n", 1 + random.randrange(3)),
    "curly marks": lambda quote, _: quote.translate(CURLED),
    "straight marks": lambda quote, _: quote.translate(STRAIGHT),
    "emphasis left out": lambda quote, _: quote.replace("*", "").replace("_", "").replace("`", ""),
    "emphasis put in": lambda quote, _: "**" + quote.replace(" ", "** ", 1),
    "dashes": lambda quote, _: quote.replace("–", "-").replace("—", "--").replace("-", "–"),
    "ellipsis": _elided,
    "in quotation marks": lambda quote, _: f"“{quote}”",
    "all at once": lambda quote, _: (
        f'"{" ".join(quote.translate(STRAIGHT).replace("*", "").replace("`", "").split())}…"'
    ),
}


def report(lessons: Sequence[Read]) -> tuple[list[str], bool]:
    """Issues that would be asked for again, and issues lost in silence, which must be none."""
    random = Random(SEED)
    quoted = [_sentence(random.choice(lessons), random) for _ in range(QUOTES)]
    kept: Counter[str] = Counter()
    lost = tried = 0
    for text, quote in quoted:
        for name, misquote in MISQUOTES.items():
            said = misquote(quote, random)
            found = exact_quote([text], said)
            kept[name] += found is not None and _is_same(quote, found)
            for severity in ("critical", "major"):
                lost += _is_lost(text, said, severity)
                tried += 1
    lines = [f"Misquoted sentences of lessons, kept in exact words ({QUOTES} each; the rest is asked for once more):"]
    lines += [f"  {name:<20} {interval(kept[name], QUOTES)}" for name in MISQUOTES]
    lines.append(f"Error-level issues of judges lost in silence: {lost} of {tried} (goal 0).")
    note("error-level claims of judges lost in silence", lost, tried, 0.0, at_most=True)
    return lines, lost == 0 and all(kept[name] >= 0.9 * QUOTES for name in MISQUOTES)


def _is_lost(text: str, quote: str, severity: str) -> bool:
    """Whether an issue of a judge is neither kept nor told to anyone."""
    issue = JudgeIssue(
        criterion="clarity_readability",
        severity=severity,  # type: ignore[arg-type]
        location="u",
        description="It is wrong.",
        quoted_text=quote,
        suggested_fix="",
    )
    said = SectionJudgement(judge="j", unit="u", criteria={}, asked=(), confidence="high", issues=(issue,))
    return len(verified(said, [text])[0].issues) != 1


def _is_same(quote: str, found: str) -> bool:
    """Whether the words that were found are those that were quoted, whatever stands between them."""
    return _letters(quote)[:20] == _letters(found)[:20] and _letters(quote)[-20:] == _letters(found)[-20:]


def _letters(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


def _sentence(lesson: Read, random: Random) -> tuple[str, str]:
    """A sentence of a lesson, as it is written there."""
    while True:
        text = random.choice(lesson.lesson.units).texts().get(None, "")
        view = markdown(text)
        blocks = [block for block in view.prose_blocks if block.kind in ("paragraph", "item")]
        if not blocks:
            continue
        block = random.choice(blocks)
        found = [s for s in sentences(view.text[block.start : block.end]) if SHORTEST <= len(s.text) <= LONGEST]
        if found:
            one = random.choice(found)
            return text, text[block.start + one.start : block.start + one.end]
