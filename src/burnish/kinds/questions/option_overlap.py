"""Comparison of options: same meaning, overlap, and references to other options ("A and C only")."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from burnish.kinds.questions.bank import wording
from burnish.kinds.questions.model import Option, Question
from burnish.kinds.questions.quantities import Quantity
from burnish.languages.words import STOP_WORDS, TOKEN, word_set

SHORT = 80
"""Characters of an option whose normal form is cached."""
LONGEST = 300
"""Longer options are compared as written, without a normal form."""

ARTICLES = word_set("a an the")
SIGNS = re.compile(r"[=<>≤≥≠^*+/\\|{}\[\]()→∞√~_$%−]")
MINUS = re.compile(r"(?<!\w)-")
PROSE = re.compile(r"[^\W\d_][a-zß-ÿ]{3}")
"""A real word. If there is none, case matters: "Bb", "CO"."""
SYMBOL = re.compile(r"[^\W_]+")
SYMBOL_LETTERS = 3
"""A word of more capitals is shouted, not a symbol."""
CODE = re.compile(r"`|;\s*$|::|\w\.\w+\(|[a-z]{2}[A-Z]|\bself\.|&&")
"""Marks of program text, in which every character counts."""
VERDICT_WORDS = word_set("true false right wrong correct incorrect yes no")
LIST_MARKS = (" and ", " plus ", "&")
"""One of these joins the members of a list."""
LISTED = re.compile(r"\s*,\s*(?:and|or)\s+|\s+(?:and|or|plus)\s+|\s*[,&+]\s*")

# Everyday and technical words for the same thing: a learner cannot choose between such answers.
PHRASES: dict[str, str] = wording()["synonyms"]["phrases"]
WORDS: dict[str, str] = wording()["synonyms"]["words"]


PHRASE_WORDS = word_set("attack pressure sugar accident ascorbic pill x-ray cell cells rate change same")
"""Each phrase above contains one of these: options without them are not searched for phrases."""


def normal_form(text: str, *, has_phrases: bool = True) -> str:
    """A form that two texts share only if they say the same."""
    return _kept_form(text, has_phrases) if len(text) <= SHORT else _normal_form(text, has_phrases)


def _normal_form(text: str, has_phrases: bool) -> str:
    bare = " ".join(text.split()).rstrip(" .;,")
    if len(bare) > LONGEST or _is_symbolic(bare) or not PROSE.search(bare):
        return bare
    lowered = bare.lower().replace("’", "'")
    if has_phrases:
        for phrase, learned in PHRASES.items():
            lowered = lowered.replace(phrase, learned)
    words = [_normal_word(word) for word in TOKEN.findall(lowered.replace("-", " "))]
    kept = [word for word in words if word not in ARTICLES] or words
    return " ".join(kept)


def _is_symbolic(text: str) -> bool:
    """Whether the text is a formula or code, in which every sign counts."""
    return (
        SIGNS.search(text) is not None
        or CODE.search(text) is not None
        or ("-" in text and MINUS.search(text) is not None)
    )


# The same options recur in other questions.
_kept_form = lru_cache(maxsize=4096)(_normal_form)


NUMERALS = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}


@lru_cache(maxsize=20_000)
def _normal_word(word: str) -> str:
    if word in NUMERALS:
        return NUMERALS[word]
    singular = word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    known = WORDS.get(singular, singular)
    return known.replace("ae", "e").replace("oe", "e").replace("isation", "ization") if len(known) > 4 else known


def members(text: str) -> frozenset[str]:
    """The members of a list ("A, B and C") in normal form; empty if it is not a list or the order may matter.

    A list without "and" is not split, nor one of verdicts: "True and False" is not "False and True".
    """
    if not any(mark in text for mark in LIST_MARKS):
        return frozenset()
    if len(text) > LONGEST or ";" in text or _is_symbolic(text):
        return frozenset()
    parts = [normal_form(part) for part in LISTED.split(text.strip().rstrip("."))]
    # "67 and 70" may answer two blanks: if no member is a word, the order may matter.
    in_words = any(PROSE.search(part) for part in parts)
    if len(parts) < 2 or not all(parts) or not in_words or not VERDICT_WORDS.isdisjoint(parts):
        return frozenset()
    return frozenset(parts)


def differ_in_case(one: str, other: str) -> bool:
    """Whether two texts have a symbol in different case: CO and Co, NaCl and NACL, D- and d-glucose. A capital at the
    beginning of a word, or a whole word in capitals, says nothing."""
    pairs = zip(SYMBOL.findall(one), SYMBOL.findall(other), strict=False)
    return any(a != b and a.casefold() == b.casefold() and _is_symbol(a, b) for a, b in pairs)


def _is_symbol(*spellings: str) -> bool:
    return any(
        not (word.islower() or word.istitle() or (word.isupper() and len(word) > SYMBOL_LETTERS)) for word in spellings
    )


def inverted(text: str) -> str:
    """ "Failure, acute renal" as "acute renal failure" in normal form; empty if there is no such comma."""
    head, comma, tail = text.strip().rstrip(".").partition(",")
    if not comma or "," in tail or len(text) > LONGEST or _is_symbolic(text) or not 0 < len(tail.split()) <= 3:
        return ""
    return normal_form(f"{tail} {head}")


def is_abbreviation(short: str, long: str) -> bool:
    """Whether `short` is made of the first letters of `long`."""
    if not (short.isupper() and short.isalpha() and 2 <= len(short) <= 6):
        return False
    words = [word for word in re.split(r"[\s-]+", long) if word and word.lower() not in STOP_WORDS]
    return len(words) == len(short) and "".join(word[0] for word in words).upper() == short


def same_quantity(one: Quantity, other: Quantity) -> bool:
    return one.dimension == other.dimension and _close(one.low, other.low) and _close(one.high, other.high)


def partly_overlap(one: Quantity, other: Quantity) -> bool:
    """Whether two closed ranges share more than an end, and neither contains the other."""
    if one.is_open or other.is_open or one.is_value or other.is_value or one.dimension != other.dimension:
        return False
    first, second = sorted((one, other), key=lambda q: (q.low, q.high))
    return first.low < second.low < first.high < second.high and not _close(second.low, first.high)


def same_direction(one: Quantity, other: Quantity) -> bool:
    """ "more than 10" and "more than 20": a value in the narrower one is in both."""
    if one.dimension != other.dimension or not (one.is_open and other.is_open):
        return False
    return (one.low == other.low == -math.inf) or (one.high == other.high == math.inf)


def _close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-9)


LONGEST_LABELS = 80
"""Characters of a combination: a longer option does not just name others."""

_LABEL = r"(?:[A-H]|[IVX]{1,4}|[1-9])"
# Exactly one way to match a gap between labels: with several, backtracking over seven gaps would be exponential.
_BETWEEN = r"(?:\s+|\s*(?:,(?:\s*(?:and|or|nor))?|;|&|\+|\band\b|\bor\b|\bnor\b)\s*)"
COMBINATION = re.compile(
    rf"[\"'\s]*(?:(?:all|both|only|either|neither|of|the|statements?|options?|choices?|answers?|items?|numbers?)\s+)*"
    rf"(?P<labels>\(?{_LABEL}\)?(?:{_BETWEEN}\(?{_LABEL}\)?){{0,7}})"
    rf"(?P<rest>(?:\s+(?:only|alone|together|both|are|is|all|true|correct|right|above|apply))*)[\s.\"',;]*",
    re.IGNORECASE,
)
_LABEL_WORDS = word_set("a b c d e f g h i ii iii iv v vi vii viii ix x")
_DIGIT = re.compile(r"[1-9]")
_ONE_LABEL = re.compile(rf"\b{_LABEL}\b", re.IGNORECASE)
_LINKED = re.compile(r"\b(?:and|or|nor|only|both|either|neither|alone)\b|&", re.IGNORECASE)
STATEMENT_LIST = re.compile(r"(?:^|[\s(])(?:1[.):]\s[^\n]*?[\s(]2[.):]\s|I[.):]\s[^\n]*?[\s(]II[.):]\s)", re.DOTALL)
"""A stem that numbers its statements."""

NOUGHT = re.compile(r"\W*0\b")

Family = Literal["letters", "roman", "digits"]


@dataclass(frozen=True, slots=True)
class Combination:
    """An option that consists only of labels."""

    option: Option
    family: Family
    labels: tuple[str, ...]
    """In the order in which they are written, in capitals."""
    linked: bool
    """Whether words such as "and", "only" or "both" combine the labels."""

    @property
    def negative(self) -> bool:
        return self.option.text.strip().lower().startswith("neither")

    @property
    def names_itself(self) -> bool:
        return self.option.key.upper() in self.labels

    def names_all(self, question: Question) -> bool:
        """ "A, B, and C" as the last of four is "all of the above", which has a rule of its own."""
        return self.family == "letters" and len(self.labels) >= max(3, len(question.options) - 1)


def combinations(question: Question) -> list[Combination]:
    """The options that combine other options or numbered statements. Empty if the labels mean something else."""
    if _LABEL_WORDS.isdisjoint(question.options_words) and _DIGIT.search(question.options_text) is None:
        return []
    read = [c for option in question.options if (c := _combination(option)) is not None]
    if not read:
        return []
    keys = {option.key.upper() for option in question.options}
    letters = [c for c in read if c.family == "letters" and len(c.labels) > 1 and keys.issuperset(c.labels)]
    if letters and (len(letters) < len(question.options) or any(c.linked for c in letters)):
        return letters
    return _statement_combinations(question, [c for c in read if c.family != "letters"])


def _statement_combinations(question: Question, read: Sequence[Combination]) -> list[Combination]:
    """The combinations of statements. Numbers may be plain answers: several options must combine them, from 1 on."""
    combining = [c for c in read if len(c.labels) > 1 or c.linked]
    used = {label for c in read for label in c.labels}
    if len(combining) < 2 or not used & {"I", "1"}:
        return []
    if any(NOUGHT.match(option.text) for option in question.options):
        return []  # numbering does not start at 0: these are values
    if len({frozenset(c.labels) for c in combining}) == 1:
        return []  # each has all labels, in another order: the order is the answer
    listed = any(c.linked for c in combining) or STATEMENT_LIST.search(question.stem[-4000:]) is not None
    all_sets = len(combining) == len(question.options) and len(used) >= 3
    return combining if listed or all_sets else []


def _combination(option: Option) -> Combination | None:
    text = option.text
    if len(text) > LONGEST_LABELS:
        return None
    match = COMBINATION.fullmatch(text)
    if match is None:
        return None
    labels = tuple(label.upper() for label in _ONE_LABEL.findall(match["labels"]))
    family: Family = "letters"
    if all(label.isdigit() for label in labels):
        family = "digits"
    elif all(not label.strip("IVX") for label in labels):
        family = "roman"
    elif not all(len(label) == 1 and label.isalpha() for label in labels):
        return None
    if len(set(labels)) < len(labels):
        return None
    linked = _LINKED.search(text) is not None
    # "(1, 6)" is a point and "2 3" an output; statements are joined by commas or words.
    if family == "digits" and (text.strip().startswith("(") or ("," not in text and not linked)):
        return None
    return Combination(option, family, labels, linked)
