"""nbme_multiple_correct: more than one option can be right.

What it looks for: two options that say the same (apart from case, punctuation, articles, spelling, units, the order of
a list and well-known synonyms), ranges that overlap, and limits of which one includes the other ("more than 10", "more
than 20"). Lists with the same members are different answers if the question asks for an order, or if three options or
more have these members. An option that adds one word to another, or is its abbreviation, is a warning. Options that
differ only in marks or capitals on purpose are not reported: the question is how something is written.
Why it matters: two right answers make the score a matter of luck; two equal ones can both be ruled out unread.
Fix: needs an author or a model: one of the options has to be replaced.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.questions.bank import vocabulary
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.kinds.questions.option_overlap import (
    LIST_MARKS,
    PHRASE_WORDS,
    differ_in_case,
    inverted,
    is_abbreviation,
    members,
    normal_form,
    partly_overlap,
    same_direction,
    same_quantity,
)
from burnish.kinds.questions.quantities import DIGIT, Quantity, quantity
from burnish.languages.words import word_set

RANGES_ASKED = word_set("between range ranges interval intervals confidence limits")
"""If the lead-in asks for a range, the ranges in the options may overlap."""
PAIRED = word_set("respectively")
WORD = re.compile(r"\w+")
BLANK = re.compile(r"_{2,}")
"""If a stem has two blanks, or says "respectively", the order of a list matters."""
ORDER_ASKED = word_set(
    """
    order ordered orders sequence sequences sequential sequentially chronological chronologically rank ranked ranks
    ranking arrange arranged arranges arrangement ascending descending pathway path route steps stages succession
    hierarchy progression consecutive consecutively
    """
)
"""If the stem asks for an order, "A, B and C" is not "C, B and A"."""
LIMITS_ASKED = word_set("defined define definition maximum minimum limit threshold cutoff cut-off recommendation")
"""If the lead-in asks for a limit, only one of "< 135" and "< 100" is that limit."""
MODIFIERS = word_set(
    """
    steadily slowly rapidly gradually continuously completely partially mostly mainly primarily usually often sometimes
    always generally directly simply only probably possibly chronic acute severe mild early late large small high low
    long short
    """
)
"""Words that narrow a claim without changing it."""
FORM_ASKED = word_set(
    """
    punctuation punctuated punctuates punctuate capitalised capitalized capitalisation capitalization comma commas
    semicolon semicolons apostrophe apostrophes hyphen hyphens hyphenated sentence sentences
    """
)
"""If the question is about writing, options with the same words may differ in marks and capitals."""
SPELLING_ASKED = word_set("plural plurals singular spelled spelt spelling spellings misspelled misspelt")
"""If it is about a form of a word, options may differ only in that form: mouses, mices."""
ALIKE_ON_PURPOSE = 3
"""So many options with the same words are no mistake: the question is about their difference."""
MOST_OPTIONS = 30


@check(
    id="nbme_multiple_correct",
    title="Several correct options",
    severity="error",
    languages=("en",),
    bad=(
        {"options": ("Beta-blocker", "the beta blockers", "Nitrate", "Digoxin")},
        {"options": ("Myocardial infarction", "Heart attack", "Pneumonia", "Pleurisy")},
        {"options": ("1 g", "500 mg", "1000 mg", "2 g")},
        {"options": ("0.5", "1/2", "2", "4")},
        {"options": ("10-20 years", "15-25 years", "30-40 years", "50-60 years")},
        {"options": ("More than 10%", "More than 20%", "About 5%", "Less than 1%")},
        {"options": ("Aspirin and heparin", "Heparin and aspirin", "Aspirin", "Heparin")},
        {"options": ("Acute renal failure", "Failure, acute kidney", "Sepsis", "Shock")},
        {"options": ("Type 2 diabetes", "Type II diabetes", "Type 1 diabetes", "Gout")},
        {"options": ("Iron deficiency anaemia", "Iron-deficiency anemia", "Thalassemia", "Leukemia")},
        {"options": ("In one direction", "Steadily in one direction", "To and fro", "In circles")},
        {"options": ("MI", "Myocardial infarction", "Pneumonia", "Pleurisy")},
        {
            "stem": "A patient has cancer of the colon. Which drug is given? Answer in one sentence.",
            "options": ("Myocardial infarction", "Heart attack", "Pneumonia", "Pleurisy"),
        },
    ),
    good=(
        {"options": ("Antibiotics", "Antibiotics and fluids", "Fluids", "Vasopressors")},
        {"options": ("10-19 years", "20-29 years", "30-39 years", "40-49 years")},
        {"options": ("0-10", "10-20", "20-30", "30-40")},
        {"options": ("True, False", "False, True", "True, True", "False, False")},
        {"options": ("Bb", "bb", "BB", "X-linked")},
        {"options": ("True and False", "False and True", "True and True", "False and False")},
        {"options": ("CO poisoning", "Co poisoning", "Lead poisoning", "Iron poisoning")},
        {"options": ("1-2-3", "3-2-1", "2-1-3", "1-3-2")},
        {"options": ("the parseInt method", "the parseint method", "the toString method", "the valueOf method")},
        {
            "stem": "In which order do the phases of mitosis occur?",
            "options": (
                "Prophase, metaphase, and anaphase",
                "Anaphase, metaphase, and prophase",
                "Metaphase, anaphase, and telophase",
                "Telophase, prophase, and interphase",
            ),
        },
        {"options": ("Skin, fat and bone", "Bone, fat and skin", "Fat, skin and bone", "Skin, bone and fat")},
        {"options": ("Increased sodium", "Decreased sodium", "Increased potassium", "Decreased potassium")},
        {"options": ("x > 3", "x > 5", "x < 3", "x < 5")},
        {"options": ("Squamous cell carcinoma", "Small cell carcinoma", "Large cell carcinoma", "Adenocarcinoma")},
        {"options": ("5 mg daily", "5 mg twice daily", "10 mg daily", "10 mg twice daily")},
        {"options": ("Less than 5%", "5% to 10%", "10% to 20%", "More than 20%")},
        {"stem": "What is the normal range of the pulse?", "options": ("50-70", "60-100", "80-120", "90-140")},
        {
            "stem": "How is hyponatremia defined?",
            "options": ("< 135 mmol/L", "< 100 mmol/L", "< 160 mmol/L", "> 135 mmol/L"),
        },
        {"stem": "Which numbers come next?", "options": ("67 and 70", "70 and 67", "66 and 71", "61 and 70")},
        {
            "stem": "The level of A rises and that of B falls. Which are A and B, respectively?",
            "options": ("Sodium and calcium", "Calcium and sodium", "Sodium and iron", "Iron and sodium"),
        },
        {
            "stem": "Choose the sentence that uses the semicolon correctly.",
            "options": ("I went; it rained.", "I; went it rained.", "I went it; rained.", "I went, it rained."),
        },
        {"stem": "What is the plural of mouse?", "options": ("mouses", "mice", "mouse", "mices")},
        {"stem": "Which title is right?", "options": ("The Old Man", "the Old Man", "The old Man", "The Old man")},
        {"stem": "At what temperature is it stored?", "options": ("-2 to -4 °C", "2 to 6 °C", "20 to 25 °C", "37 °C")},
    ),
)
def multiple_correct(question: Question) -> Findings:
    options = question.options[:MOST_OPTIONS]
    words = question.options_words
    has_phrases = not PHRASE_WORDS.isdisjoint(words)
    if _may_be_alike(question, options, has_phrases):
        paired = not PAIRED.isdisjoint(question.stem_words) or len(BLANK.findall(question.stem)) > 1
        ordered = paired or not ORDER_ASKED.isdisjoint(vocabulary(question.lead_in.text))
        readings = [_Reading(option, has_phrases, ordered=ordered or _is_order(option, options)) for option in options]
        yield from _same(question, readings, _alike_on_purpose(question, readings))
    if DIGIT.search(question.options_text):
        quantities = [(option, value) for option in options if (value := quantity(option.text)) is not None]
        yield from _overlapping(question, quantities)


class _Reading:
    """An option in the forms that are compared."""

    __slots__ = ("form", "inverted", "members", "option", "text", "words")

    def __init__(self, option: Option, has_phrases: bool, *, ordered: bool) -> None:
        self.option = option
        self.text = option.text.strip()
        self.form = normal_form(self.text, has_phrases=has_phrases)
        self.words = " ".join(WORD.findall(self.text.casefold()))
        self.inverted = inverted(self.text) if "," in self.text else ""
        self.members = frozenset[str]() if ordered else members(self.text)

    def says_the_same(self, other: "_Reading") -> bool:
        if differ_in_case(self.text, other.text):
            return False
        if self.form == other.form or (self.members and self.members == other.members):
            return True
        # "Failure, renal" is "renal failure"; if both have a comma, both are pairs and the order matters.
        one_inverted = bool(self.inverted) != bool(other.inverted)
        return one_inverted and (self.inverted or self.form) == (other.inverted or other.form)


def _is_order(option: Option, options: Sequence[Option]) -> bool:
    """Whether three options or more list the same members: their order is the answer."""
    own = members(option.text)
    return bool(own) and sum(members(other.text) == own for other in options) >= ALIKE_ON_PURPOSE


def _alike_on_purpose(question: Question, readings: Sequence[_Reading]) -> frozenset[str]:
    """The words of options that differ only in marks and capitals on purpose."""
    found = Counter(reading.words for reading in readings)
    fewest = 2 if not FORM_ASKED.isdisjoint(question.stem_words) else ALIKE_ON_PURPOSE
    return frozenset(words for words, options in found.items() if options >= fewest)


def _may_be_alike(question: Question, options: Sequence[Option], has_phrases: bool) -> bool:
    """A fast test that spares most questions the comparison of all pairs of options."""
    text = question.options_text
    if not MODIFIERS.isdisjoint(question.options_words) or "," in text or any(mark in text for mark in LIST_MARKS):
        return True
    forms = {normal_form(option.text.strip(), has_phrases=has_phrases) for option in options}
    return len(forms) < len(options) or any(option.text.isupper() for option in options)


def _same(question: Question, readings: Sequence[_Reading], on_purpose: frozenset[str]) -> Findings:
    is_of_spelling = not SPELLING_ASKED.isdisjoint(question.stem_words)
    for one, other in combinations(readings, 2):
        first, second = one.option.key, other.option.key
        if not one.form or not other.form or one.text == other.text:
            continue  # empty and identical options belong to nbme_single_best_answer
        if (one.words == other.words and one.words in on_purpose) or (is_of_spelling and one.form == other.form):
            continue
        if one.says_the_same(other):
            yield _finding(question, one.option, other.option, f"Options {first} and {second} say the same.")
        elif _narrowed(one.form, other.form):
            message = f"Options {first} and {second} differ only in a word of degree."
            yield _finding(question, one.option, other.option, message, "warning")
        elif is_abbreviation(one.text, other.text) or is_abbreviation(other.text, one.text):
            message = f"Of options {first} and {second}, one may abbreviate the other."
            yield _finding(question, one.option, other.option, message, "warning")


def _narrowed(first: str, second: str) -> bool:
    shorter, longer = (first, second) if len(first) < len(second) else (second, first)
    if not longer.endswith(f" {shorter}") or " " not in shorter:
        return False
    return longer.removesuffix(f" {shorter}") in MODIFIERS


def _overlapping(question: Question, quantities: Sequence[tuple[Option, Quantity]]) -> Findings:
    asked = vocabulary(question.lead_in.text)
    ranges_asked, limits_asked = not RANGES_ASKED.isdisjoint(asked), not LIMITS_ASKED.isdisjoint(asked)
    for (one, first), (other, second) in combinations(quantities, 2):
        if same_quantity(first, second):
            if normal_form(one.text) != normal_form(other.text):
                yield _finding(question, one, other, f"Options {one.key} and {other.key} are the same quantity.")
        elif same_direction(first, second) and not limits_asked:
            yield _finding(
                question,
                one,
                other,
                f"If option {one.key} or {other.key} is right, the other may be too.",
            )
        elif partly_overlap(first, second) and not ranges_asked:
            yield _finding(question, one, other, f"The ranges of options {one.key} and {other.key} overlap.")


def _finding(question: Question, one: Option, other: Option, message: str, severity: Severity = "error") -> Finding:
    advice = f"Replace option {other.key}: {one.key} reads {one.text.strip()[:60]!r}, and only one may be right."
    return question.finding(other, message, advice, severity=severity, data={"options": [one.key, other.key]})
