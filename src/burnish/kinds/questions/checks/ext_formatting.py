"""ext_formatting: typing slips and traces of another format.

What it looks for: doubled, leading and trailing spaces, spaces before punctuation, stray HTML, Markdown or LaTeX (not
pictures), invisible or broken characters, doubled words and marks, numbers without a space before their unit, a closing
quotation mark that was never opened, a stem all in capitals, and options that differ in their first letter's case or in
their full stops.
Why it matters: an option that looks different attracts attention, and untidy text makes learners doubt the rest.
Fix: safe for spaces, a stray quotation mark and full stops of options; everything else needs an author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.core.checks import check
from burnish.core.edits import Edit
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.languages.grammar import has_clause
from burnish.languages.words import STOP_WORDS, WORD, word_list, word_set

CODE_MARKS = ("`", "$", "\\", "{")
"""Signs of code, LaTeX or placeholders, in which spaces and signs have a meaning."""

STRAY = re.compile(r" [ ,.?;!]")
_BLANKS = frozenset((" ", "\t"))
SPACE_BEFORE = re.compile(r"(?<=[^\W_]) +(?=[,;?!](?:\s|$)|\.(?:\s|$)(?!\.))")
"""Spaces after a word and before a closing mark; not before an ellipsis."""
BEFORE_UNKNOWN = re.compile(
    r"(?:[0-9]|\b(?:over|times|plus|minus|equals?|by|is|are|to|as|and|or|than|from|root|log|sin|cos|tan))$",
    re.IGNORECASE,
)
"""After a number, or a word before a number, a question mark may represent the unknown number."""
AFTER_UNKNOWN = re.compile(r"\?[ \t]+[^\W_A-ZÀ-Þ]|\?[ \t]+[-+*/=<>×÷·−≈≤≥%]")
"""No new sentence begins after the question mark, so it does not end one."""
LONGEST_BEFORE = 8
"""Characters before a question mark that are searched for BEFORE_UNKNOWN."""
INNER_SPACES = re.compile(r"(?<=\S)  (?=\S)")
"""Exactly two: more are columns."""
PROSE_LINE = 60
"""Characters. In shorter lines, two spaces may separate columns."""

CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufffd]"
)
MOJIBAKE = re.compile("â€|Ã[©¨¤¶¼±§¡³]|Â[°±µ·\u00a0]")
_TAGS = "b|i|u|em|strong|p|div|span|sub|sup|ul|ol|li|table|tr|td|th|a|font|h[1-6]|code|pre"
HTML = re.compile(
    rf"</(?:{_TAGS})\s?>|<(?:br|hr)\b[^<>]{{0,200}}>|<(?:{_TAGS})\s[^<>]{{1,200}}>|&(?:nbsp|amp|lt|gt|quot"
    rf"|#\d{{1,6}});",
    re.IGNORECASE,
)
MARKDOWN = re.compile(
    r"\*\*(?=\S)[^*\n]{1,300}\*\*|(?<![_\w])__(?=[A-Za-z])[^_\n]{1,300}__(?![_\w])"
    r"|(?<!!)\[[^\]\n]{1,200}\]\([^()\s]{1,500}\)|^#{1,6} \S",
    re.MULTILINE,
)
LATEX = re.compile(r"\\[A-Za-z]{2,30}")
ESCAPE = re.compile(r"(?<![\\:])\\[nt](?![A-Za-z])")
UNIT = re.compile(r"[0-9](?:mg|mcg|µg|kg|mL|ml|dL|mmol|mEq|cm|mmHg|mm|kPa)\b")
LONGEST_NUMBER = 12
GLUED = re.compile(r"[.?!][A-Z]")
DOUBLED_MARK = re.compile(r"\?\?|!!|,,|;;|(?<![.…])\.\.(?![.…])")
CROWDED = re.compile(r"[?!,;.][?!,;.A-Z]")
"""A fast test: without a match, no mark is doubled and no space is missing between sentences."""
DOUBLED_WORD = re.compile(r" (?P<words>(the|a|of|to|in|is|and) \2) ")


@dataclass(frozen=True, slots=True)
class Slip:
    """One formatting slip."""

    span: tuple[int, int]
    message: str
    suggestion: str


def is_plain(text: str) -> bool:
    """Whether the text has no code or LaTeX, in which spaces have a meaning."""
    return not any(mark in text for mark in CODE_MARKS)


def without_stray_spaces(text: str, *, before_marks: bool = False) -> str:
    """The text with single spaces between words and none at the ends; `before_marks` keeps those before marks."""
    if "  " in text:
        lines = text.splitlines(keepends=True)
        prose = (len(line) > PROSE_LINE or "\n" not in line for line in lines)
        text = "".join(
            INNER_SPACES.sub(" ", line) if is_prose else line for line, is_prose in zip(lines, prose, strict=True)
        )
    if not before_marks:
        text = SPACE_BEFORE.sub(_without_space_before_mark, text)
    return text.strip(" \t") if text.strip() else text


def _without_space_before_mark(spaces: re.Match[str]) -> str:
    """No space, except before a question mark that represents a number: "2 over 9 = 14 over ?"."""
    text, (start, end) = spaces.string, spaces.span()
    if text[end] != "?":
        return ""
    before = text[max(0, start - LONGEST_BEFORE) : start]
    is_number = BEFORE_UNKNOWN.search(before) or AFTER_UNKNOWN.match(text, end)
    return spaces.group() if is_number else ""


def first_difference(one: str, other: str) -> int:
    """The index of the first character that differs."""
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)


OPAQUE = re.compile(r"⟦[^⟦⟧\n]{2,400}⟧")
"""A picture or a formula: its content is not text of the question and is not checked."""


def slips(text: str, *, latex: bool = False) -> Iterator[Slip]:
    """All slips except spaces, one of each kind. `latex`: the question uses LaTeX on purpose."""
    text = OPAQUE.sub(lambda token: "⟦" + "x" * (len(token.group()) - 2) + "⟧", text)
    match = CONTROL.search(text)
    if match:
        message = f"The text has an invisible or broken character (U+{ord(match.group()):04X})."
        yield Slip(match.span(), message, "Remove it, or put in the character that was meant.")
    if ("â" in text or "Ã" in text or "Â" in text) and (match := MOJIBAKE.search(text)):
        yield Slip(
            match.span(), f"{match.group()!r} looks like text read in the wrong encoding.", "Read the source as UTF-8."
        )
    yield from _markup(text, latex)
    if (span := _without_space(text)) is not None:
        message = f"{text[span[0] : span[1]]!r} has no space before the unit."
        yield Slip(span, message, "Put a space before the unit.")
    if CROWDED.search(text):
        if (span := _glued(text)) is not None:
            yield Slip(span, "Two sentences have no space between them.", "Put a space after the full stop.")
        if match := DOUBLED_MARK.search(text):
            yield Slip(match.span(), f"The mark {match.group()!r} is doubled.", "Leave one.")
    if match := DOUBLED_WORD.search(text):
        yield Slip(match.span("words"), f"A word is doubled ({match['words']!r}).", "Leave one.")
        return
    if text.rstrip().endswith('?"') and text.count('"') % 2:
        end = len(text.rstrip())
        yield Slip((end - 1, end), "A closing quotation mark has no opening one.", "Remove it.")


def _markup(text: str, latex: bool) -> Iterator[Slip]:
    suggestion = "Leave the markup out."
    if ("<" in text or "&" in text) and (match := HTML.search(text)):
        yield Slip(match.span(), f"{match.group()[:40]!r} is markup, not text.", suggestion)
    if ("**" in text or "__" in text or "](" in text or "# " in text) and (match := MARKDOWN.search(text)):
        yield Slip(match.span(), f"{match.group()[:40]!r} is markup, not text.", suggestion)
    if "\\" in text and not latex and "`" not in text:
        match = LATEX.search(text) or ESCAPE.search(text)
        if match:
            yield Slip(match.span(), f"{match.group()!r} is left over from LaTeX or from an escape.", suggestion)


def _without_space(text: str) -> tuple[int, int] | None:
    """The span of a number without a space before its unit: "5mg", but not in a name such as "AB5mg"."""
    for match in UNIT.finditer(text):
        before = text[max(0, match.start() - LONGEST_NUMBER) : match.start() + 1]
        number = before[len(before.rstrip("0123456789.,")) :]
        left = before[: -len(number)][-1:]
        if not left.isalnum() and left != "_":
            return (match.start() + 1 - len(number), match.end())
    return None


def _glued(text: str) -> tuple[int, int] | None:
    """The span of two sentences without a space: "pain.He", but not "U.S.A" or "example.Com"."""
    for match in GLUED.finditer(text):
        start, end = match.span()
        before, after = text[max(0, start - 3) : start], text[end : end + 2]
        is_word = len(before) == 3 and before.isalpha() and before.islower()
        if is_word and after[:1].islower() and " " in text[:start][-40:]:
            return (start - 3, end)
    return None


LONGEST_STATED = 300
LONGEST_READ = 100_000
"""Characters of a field that are checked."""
SHORTEST_SHOUT = 25
SMALL_START = re.compile(r"(?:which|what|who|how|when|where|why|the|an?|in|for) ")
LABEL = re.compile(r"\(?([A-H])[.):] ")
ABBREVIATED = word_set("etc inc co ltd corp jr sr sp spp al no st dr mr mrs vs approx dept")
"""Abbreviations, which end in a full stop of their own."""
KEEPS_ITS_CASE = word_set("all none both neither either von van de di da del le la al el bin ibn")
"""First words of options about other options, and particles of names."""


@check(
    id="ext_formatting",
    title="Formatting slips",
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
        {"options": ('<img src="a.png" alt="A red cell">', "![A blue cell](b.png)", "A green cell", "A clear cell")},
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
def formatting(question: Question) -> Findings:
    yield from _untidy(question)
    if len(question.stem) >= SHORTEST_SHOUT and _is_shouted(question.stem):
        yield question.finding("stem", "The stem is all in capitals.", "Write it as a sentence.")
    elif SMALL_START.match(question.stem):
        message = "The stem begins with a small letter."
        yield question.finding("stem", message, "Begin it with a capital.", (0, 1))
    # Options that repeat their letter: "A. Aspirin".
    labels = ((option, LABEL.match(option.text)) for option in question.options)
    labelled = [option for option, match in labels if match is not None and match[1] == option.key]
    if len(labelled) > 1:
        message = f"{len(labelled)} options repeat their letter in their text."
        yield question.finding(labelled[0], message, "Leave the letters out of the texts.", (0, 2))
    yield from _full_stops(question)
    yield from _capitals(question)


def _untidy(question: Question) -> Findings:
    """The slips of each field; all fields are tested together first, because most questions have none."""
    fields = list(_fields(question))
    everything = "\n".join(text[:LONGEST_READ] for _, text in fields)
    latex = "$" in everything or "\\(" in everything
    inner = STRAY.search(everything) is not None
    for field, text in fields:
        if inner or (text[:1] in _BLANKS or text[-1:] in _BLANKS):
            yield from _spaces(question, field, text)
    if next(slips(everything, latex=latex), None) is None and '?"\n' not in everything:
        return
    for field, text in fields:
        for slip in slips(text[:LONGEST_READ], latex=latex):
            fix = _quote_fix(question, field, text, slip.span)
            yield question.finding(field, slip.message, slip.suggestion, slip.span, fix=fix)


def _fields(question: Question) -> Iterator[tuple[str, str]]:
    if question.vignette:
        yield "vignette", question.vignette
    yield "stem", question.stem
    for option in question.options:
        yield f"options.{option.key}", option.text
    if question.rationale:
        yield "rationale", question.rationale


def _spaces(question: Question, field: str, text: str) -> Findings:
    if not is_plain(text):
        return
    tidy = without_stray_spaces(text, before_marks=question.language_shown == "fr")
    if tidy == text:
        return
    start = min(first_difference(text, tidy), len(text) - 1)
    message = "There is a double space, or a space before a mark or at an end."
    fix = _spanning_edit(question, field, text, tidy)
    yield question.finding(field, message, "Remove it.", (max(0, start - 1), start + 1), fix=fix)


def _spanning_edit(question: Question, field: str, text: str, tidy: str) -> Edit | None:
    """One edit from the first to the last change, widened until its text is unique in the field."""
    start = first_difference(text, tidy)
    tail = first_difference(text[::-1], tidy[::-1])
    tail = min(tail, len(text) - start, len(tidy) - start)
    for margin in (8, 32, 128, len(text)):
        left, right = max(0, start - margin), max(0, tail - margin)
        left = text.rfind(" ", 0, left) + 1  # reviewers read edits: start at a whole word
        find = text[left : len(text) - right]
        if text.find(find, text.find(find) + 1) < 0:
            return Edit(question.id, field, find, tidy[left : len(tidy) - right])
    return None


def _quote_fix(question: Question, field: str, text: str, span: tuple[int, int]) -> Edit | None:
    """The fix for a stray quotation mark at the end; other slips need an author."""
    if text[span[0] : span[1]] != '"' or not is_plain(text):
        return None
    return _spanning_edit(question, field, text, text[: span[0]] + text[span[1] :])


def _full_stops(question: Question) -> Findings:
    if "." not in question.options_text:
        return
    judged = [(option, stop) for option in question.options if (stop := _has_stop(option.text)) is not None]
    with_stop = sum(stop for _, stop in judged)
    if not 0 < with_stop < len(judged):
        return
    usual = with_stop * 2 > len(judged)
    states = {option.key for option, _ in judged if has_clause(word_list(option.text[:LONGEST_STATED]))}
    for option, stop in judged:
        # The only sentence among names may end in a full stop.
        if stop != usual and (not stop or states != {option.key}):
            end = len(option.text.rstrip())
            message = f"Option {option.key} ends {'with' if stop else 'without'} a full stop, unlike the others."
            advice = "Remove the full stop." if stop else "Add the full stop."
            bare = option.text[:end]
            safe = is_plain(bare) and len(bare) > 1
            fix = Edit(question.id, f"options.{option.key}", bare, bare[:-1] if stop else f"{bare}.") if safe else None
            yield question.finding(option, message, advice, (end - 1, end), fix=fix)


def _has_stop(text: str) -> bool | None:
    """Whether the text ends in a full stop; None for an abbreviation, another mark or a formula."""
    bare = text.rstrip()
    if not bare.endswith("."):
        return False if bare[-1:].isalnum() or bare[-1:] in (")", "%") else None
    last = bare.rpartition(" ")[2].rstrip(".")
    if bare.endswith("..") or "." in last or len(last) == 1 or last.lower() in ABBREVIATED:
        return None
    return True


def _is_shouted(stem: str) -> bool:
    """Whether the stem is all in capitals, and not only an abbreviation in a script without capitals."""
    letters = [character for character in stem if character.isalpha()]
    return stem.isupper() and sum(letter.isupper() for letter in letters) * 2 > len(letters)


def _capitals(question: Question) -> Findings:
    # Only English: in other languages a capital may be grammar, as in German nouns.
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
        # A capital among small letters may be a name, unless the same word occurs in small letters elsewhere.
        odd, kind = [option for option in upper if _is_common(option, question)], "a capital"
    if odd and len(odd) < len(cases):
        keys = ", ".join(option.key for option in odd)
        message = f"Options begin in different ways ({keys}: {kind})."
        yield question.finding("options", message, "Begin all options in the same way.")


def _case(text: str) -> bool | None:
    """Whether the option begins with a capital; None for names and signs with a fixed case."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    match = WORD.fullmatch(first.rstrip(",.;:"))
    if match is None or len(first) < 3 or "-" in first or first.lower() in KEEPS_ITS_CASE:
        return None
    if first.rstrip(",.;:").islower():
        return False
    return True if first[0].isupper() and first[1:].rstrip(",.;:").islower() else None


def _is_common(option: Option, question: Question) -> bool:
    word = option.text.split(maxsplit=1)[0].rstrip(",.;:").lower()
    texts = (question.stem, *(other.text for other in question.options))
    return word in STOP_WORDS or any(f" {word} " in text for text in texts)
