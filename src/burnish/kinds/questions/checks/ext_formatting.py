"""ext_formatting: slips of typing and traces of another format.

What it looks for: doubled, leading and trailing spaces, spaces before punctuation, stray HTML, Markdown or LaTeX,
invisible or broken characters, doubled words and marks, numbers without a space before their unit, a closing quotation
mark that was never opened, a stem all in capitals, and options that differ in their first letter's case or in their
full stops.
Why it matters: the one option that looks different draws the eye, and untidy text makes learners doubt the rest.
Fix: safe for spaces, a stray quotation mark and full stops of options; the rest needs an author.
"""

import re
from collections.abc import Iterator, Sequence

from burnish.core.checks import check
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.questions.model import Option, Question
from burnish.kinds.questions.tidiness import (
    first_difference,
    has_spaces_at_ends,
    is_plain,
    may_have_inner_spaces,
    slips,
    without_stray_spaces,
)
from burnish.languages.words import STOP_WORDS, WORD, word_set

LONGEST_READ = 100_000
"""Characters of a field that are read: the slips of a longer text show at its beginning."""
SHORTEST_SHOUT = 25
SMALL_START = re.compile(r"(?:which|what|who|how|when|where|why|the|an?|in|for) ")
LABEL = re.compile(r"\(?([A-H])[.):] ")
ABBREVIATED = word_set("etc inc co ltd corp jr sr sp spp al no st dr mr mrs vs approx dept")
"""Words whose full stop is their own."""
KEEPS_ITS_CASE = word_set("all none both neither either von van de di da del le la al el bin ibn")
"""Options about other options, and particles of names."""


@check(
    id="ext_formatting",
    severity="warning",
    bad=(
        {"stem": "A man has chest pain.  Which of the following drugs should be given first to this patient?"},
        {"stem": "Which of the following drugs should be given first ?"},
        {"stem": "Which of the following drugs should be given first? "},
        {"stem": "Which of the **following** drugs should be given first?"},
        {"stem": "Which of the following drugs<br/>should be given first?"},
        {"stem": "He takes 5mg of warfarin. Which of the following drugs should be given first?"},
        {"stem": "He has pain.He also has fever. Which of the following drugs should be given first?"},
        {"stem": "WHICH OF THE FOLLOWING DRUGS SHOULD BE GIVEN FIRST?"},
        {"stem": 'Which of the following drugs should be given first?"'},
        {"stem": "which of the following drugs should be given first?"},
        {"options": ("A. Aspirin", "B. Digoxin", "C. Furosemide")},
        {"stem": "Which of the the following drugs should be given first?"},
        {"stem": "Which\u200b of the following drugs should be given first?"},
        {"options": ("Aspirin", "digoxin", "Furosemide", "Lidocaine")},
        {"options": ("It rises.", "It falls.", "It stays the same", "It doubles.")},
    ),
    good=(
        {"stem": "Which of the following numbers makes 2 over 9 = 14 over ? true?"},
        {"stem": "Serum studies show:\nSodium  140 mEq/L\nPotassium  4 mEq/L\nWhat is the diagnosis?"},
        {"stem": "What is $x  +  y$ if x = 2?"},
        {"stem": "What does `print(a  + b)` show?"},
        {"stem": "The drug is given at 8 a.m. in the U.S. Which of the following is its half-life?"},
        {"stem": 'He says, "I am afraid." Which of the following is the best reply to "Will I die?"'},
        {"stem": "The capital of France is ________."},
        {"stem": "If a < b and b > c, which of the following is true?"},
        {"options": ("pH", "mRNA", "Temperature", "Pressure")},
        {"options": ("ATP", "glucose", "DNA", "oxygen")},
        {"options": ("The U.S.", "France", "Germany", "Italy")},
        {"options": ("root cap", "Casparian strip", "pericycle", "endoderm")},
        {"options": ("Mars", "Jupiter", "Saturn", "all of the above")},
        {"stem": "Quel médicament faut-il donner ?", "language": "fr"},
        {"stem": "Was hat der Mann?", "options": ("Fieber", "rote Augen", "Husten"), "language": "de"},
        {"stem": "ما هو ضغط الدم BP الطبيعي عند شخص بالغ في حالة راحة؟", "language": "ar"},
    ),
)
def formatting(question: Question) -> Iterator[Finding]:
    yield from _untidy(question)
    if len(question.stem) >= SHORTEST_SHOUT and _is_shouted(question.stem):
        yield Finding.at(
            question, field="stem", message="The stem is all in capitals.", suggestion="Write it as a sentence."
        )
    elif SMALL_START.match(question.stem):
        message = "The stem begins with a small letter."
        yield Finding.at(question, field="stem", span=(0, 1), message=message, suggestion="Begin it with a capital.")
    yield from _labels(question)
    yield from _full_stops(question)
    yield from _capitals(question)


def _labels(question: Question) -> Iterator[Finding]:
    """Options that repeat their letter: "A. Aspirin"."""
    labelled = [option for option in question.options if _label(option.text) == option.key]
    if len(labelled) > 1:
        yield Finding.at(
            question,
            field=f"options.{labelled[0].key}",
            span=(0, 2),
            message=f"{len(labelled)} options repeat their letter in their text.",
            suggestion="Leave the letters out of the texts.",
        )


def _label(text: str) -> str:
    match = LABEL.match(text)
    return match.group(1) if match else ""


def _untidy(question: Question) -> Iterator[Finding]:
    """Field by field, but only if a look at all of them together shows anything."""
    fields = list(_fields(question))
    everything = "\n".join(text[:LONGEST_READ] for _, text in fields)
    latex = "$" in everything or "\\(" in everything
    inner = may_have_inner_spaces(everything)
    for field, text in fields:
        if inner or has_spaces_at_ends(text):
            yield from _spaces(question, field, text)
    if next(slips(everything, latex=latex), None) is None and '?"\n' not in everything:
        return
    for field, text in fields:
        for slip in slips(text[:LONGEST_READ], latex=latex):
            yield Finding.at(
                question,
                field=field,
                span=slip.span,
                message=slip.message,
                suggestion=slip.suggestion,
                fix=_quote_fix(question, field, text, slip.span),
            )


def _fields(question: Question) -> Iterator[tuple[str, str]]:
    if question.vignette:
        yield "vignette", question.vignette
    yield "stem", question.stem
    for option in question.options:
        yield f"options.{option.key}", option.text
    if question.rationale:
        yield "rationale", question.rationale


def _spaces(question: Question, field: str, text: str) -> Iterator[Finding]:
    if not is_plain(text):
        return
    tidy = without_stray_spaces(text, before_marks=question.language_shown == "fr")
    if tidy == text:
        return
    start = min(first_difference(text, tidy), len(text) - 1)
    yield Finding.at(
        question,
        field=field,
        span=(max(0, start - 1), start + 1),
        message="A space is doubled, stands before a mark, or stands at an end.",
        suggestion="Remove it.",
        fix=_spanning_edit(question, field, text, tidy),
    )


def _spanning_edit(question: Question, field: str, text: str, tidy: str) -> Edit | None:
    """One edit from the first to the last change, widened until its words stand only once in the field."""
    start = first_difference(text, tidy)
    tail = first_difference(text[::-1], tidy[::-1])
    tail = min(tail, len(text) - start, len(tidy) - start)
    for margin in (8, 32, 128, len(text)):
        left, right = max(0, start - margin), max(0, tail - margin)
        left = text.rfind(" ", 0, left) + 1  # people read edits too: no word is cut in two
        find = text[left : len(text) - right]
        if text.find(find, text.find(find) + 1) < 0:
            return Edit(question.id, field, find, tidy[left : len(tidy) - right])
    return None


def _quote_fix(question: Question, field: str, text: str, span: tuple[int, int]) -> Edit | None:
    """Removing the stray quotation mark at the very end is safe; no other slip is mended without an author."""
    if text[span[0] : span[1]] != '"' or not is_plain(text):
        return None
    return _spanning_edit(question, field, text, text[: span[0]] + text[span[1] :])


def _full_stops(question: Question) -> Iterator[Finding]:
    if "." not in question.options_text:
        return
    judged = [(option, stop) for option in question.options if (stop := _has_stop(option.text)) is not None]
    with_stop = sum(stop for _, stop in judged)
    if not 0 < with_stop < len(judged):
        return
    wanted = with_stop * 2 > len(judged)
    for option, stop in judged:
        if stop != wanted:
            yield Finding.at(
                question,
                field=f"options.{option.key}",
                span=_last(option.text),
                message=f"Option {option.key} ends {'with' if stop else 'without'} a full stop, unlike the others.",
                suggestion="Remove the full stop." if stop else "Add the full stop.",
                fix=_stop_fix(question, option, stop),
            )


def _has_stop(text: str) -> bool | None:
    """None where the end cannot be compared: an abbreviation, another mark, a formula."""
    bare = text.rstrip()
    if not bare.endswith("."):
        return False if bare[-1:].isalnum() or bare[-1:] in (")", "%") else None
    last = bare.rpartition(" ")[2].rstrip(".")
    if bare.endswith("..") or "." in last or len(last) == 1 or last.lower() in ABBREVIATED:
        return None
    return True


def _last(text: str) -> tuple[int, int]:
    end = len(text.rstrip())
    return (end - 1, end)


def _stop_fix(question: Question, option: Option, stop: bool) -> Edit | None:
    bare = option.text.rstrip()
    if not is_plain(bare) or len(bare) < 2:
        return None
    return Edit(question.id, f"options.{option.key}", bare, bare[:-1] if stop else f"{bare}.")


def _is_shouted(stem: str) -> bool:
    """Whether all is in capitals. A script without them does not shout because of an abbreviation in it."""
    letters = [character for character in stem if character.isalpha()]
    return stem.isupper() and sum(letter.isupper() for letter in letters) * 2 > len(letters)


def _capitals(question: Question) -> Iterator[Finding]:
    # Elsewhere a capital may be grammar: German nouns have one.
    if not any(option.text[:1].islower() for option in question.options) or question.language_shown != "en":
        return
    cases = [(option, case) for option in question.options if (case := _case(option.text)) is not None]
    upper = [option for option, case in cases if case]
    lower = [option for option, case in cases if not case]
    if not upper or not lower:
        return
    if len(upper) > len(lower):
        odd, kind = lower, "a small letter"
    else:
        # A capital among small letters may be a name; a word that is written small elsewhere is none.
        odd, kind = [option for option in upper if _is_common(option, question)], "a capital"
    if odd and len(odd) < len(cases):
        keys = ", ".join(option.key for option in odd)
        yield Finding.at(
            question,
            field="options",
            message=f"Options begin in different ways ({keys}: {kind}).",
            suggestion="Begin all options alike.",
        )


def _case(text: str) -> bool | None:
    """Whether the option begins with a capital; None for names and signs that keep their case."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    match = WORD.fullmatch(first.rstrip(",.;:"))
    if match is None or len(first) < 3 or "-" in first or first.lower() in KEEPS_ITS_CASE:
        return None
    if first.rstrip(",.;:").islower():
        return False
    return True if first[0].isupper() and first[1:].rstrip(",.;:").islower() else None


def _is_common(option: Option, question: Question) -> bool:
    word = option.text.split(maxsplit=1)[0].rstrip(",.;:")
    return word.lower() in STOP_WORDS or _written_small(word.lower(), question.options, question.stem)


def _written_small(word: str, options: Sequence[Option], stem: str) -> bool:
    return f" {word} " in stem or any(f" {word} " in option.text for option in options)
