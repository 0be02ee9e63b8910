"""nbme_answer_homogeneity: options that differ in length, form or kind.

What it looks for: one option (other than a long key) several times longer or shorter than all the others; a number
among words or words among numbers; one number without a unit among numbers with units; options that all begin with a
verb, but in different forms ("inhibits", "blocking", "to reduce").
Why it matters: learners pick the odd option, or rule it out, because of its form.
Fix: needs an author or a model: give all options the same form and a similar length.
"""

import re
from collections import Counter
from collections.abc import Sequence

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.kinds.questions.option_overlap import combinations
from burnish.languages.grammar import verb_form
from burnish.languages.words import WORD, word_list

FEWEST_OPTIONS = 3
LONG, LONG_BY = 2.5, 20
"""Factor and characters by which an outlier is longer than the next longest option."""

SHORT, SHORT_BY = 4, 25
"""Factor and characters by which the next shortest option is longer than an outlier."""

FEWEST_VERBS = 3
"""Options that begin with a verb needed to report one that does not."""

LONGEST_READ = 200
QUANTITY = re.compile(
    r"\s*(?:about |approximately |around |at least |less than |more than |over |under |up to )?[<>≤≥~≈±]?\s*"
    r"(?P<money>[$€£¥])?\s*[-+−–]?\d[\d,.]*(?:\s?(?:[x×*]\s?10\s?\^?\s?[-−]?\d+|[-–/:]\s?\d[\d,.]*|\^\s?[-−]?\d+))?\s*"
    r"(?P<unit>%|percent|°\s?[CF]|[A-Za-zµμΩ]{1,12}(?:\s?/\s?[A-Za-z\d]{1,8}|\^?[-−]?\d)?)?\s*\.?\s*",
    re.IGNORECASE,
)
STOCK = re.compile(
    r"\W*(?:none|all|both|neither|any|either|yes|no|not|cannot|can['’]?t|it cannot|nothing|never|always|zero"
    r"|infinite(?:ly)?|infinity|undefined|(?:an? )?(?:\w+ )?(?:error|exception)"
    r"|unknown|indeterminate|insufficient|more information|need|impossible"
    r"|there is|the same|same|unchanged|no change|true|false|other|equal|may"
    r"|it (?:may|would|will)? ?depends?|depend(?:s|ent|ing)?)\b",
    re.IGNORECASE,
)
"""Answers that fit any list of options."""


@check(
    id="nbme_answer_homogeneity",
    title="Uneven options",
    severity="warning",
    languages=("en",),
    bad=(
        {
            "options": (
                "Administer aspirin and prepare for PCI",
                "PCI alone",
                "Antibiotics",
                "Thrombolytics",
                "Beta blockers",
            ),
            "correct_answer": "C",
        },
        {"stem": "Which dose should be given?", "options": ("10 mg", "20 mg", "40 mg", "Physical therapy")},
        {"stem": "What does the drug do?", "options": ("Inhibits COX", "Blocks sodium", "Cough", "Activates chloride")},
        {"stem": "What is the margin?", "options": ("40.00%", "10.00%", "4.00%", "0.025")},
        {
            "stem": "What does the drug do?",
            "options": ("Blocks calcium", "Inhibit sodium", "Reducing chloride", "Opens pores"),
        },
        {
            "options": (
                "By contracting and turning potential energy into heat",
                "Through chemical reactions that give off heat",
                "By friction between its inner and outer layers",
                "Fusion",
            )
        },
    ),
    good=(
        {"stem": "Which dose should be given?", "options": ("10 mg", "20 mg", "40 mg", "None")},
        {"stem": "What does `len({1, 1})` return?", "options": ("1", "2", "3", "A syntax error")},
        {"stem": "When should she return?", "options": ("In 24 hours", "In 3 days", "In 2 weeks", "In 6 months")},
        {"stem": "When should she return?", "options": ("24 hours", "3 days", "2 weeks", "6 months")},
        {"stem": "A red petal", "options": ("absorbs red", "reflects red", "emits red", "transmits red")},
        {"options": ("Reassurance", "Adding diazepam", "CT scan", "Increasing the insulin dose")},
        {"options": ("Increased sodium excretion", "Decrease in pressure", "Inhibition of pumps", "Loss of potassium")},
        {"options": ("100% oxygen", "Ibuprofen", "Lumbar puncture", "MRI")},
        {"stem": "Is the study valid?", "options": ("Yes.", "No, because the groups differ in age from the start")},
    ),
)
def answer_homogeneity(question: Question) -> Findings:
    if len(question.options) < FEWEST_OPTIONS:
        return
    outlier = _by_length(question) or _by_kind(question)
    if outlier is not None:
        option, message = outlier
        yield question.finding(option, message, "Give all options the same form and a similar length.")
        return
    mixed = _mixed_verb_forms(question)
    if mixed is not None:
        yield question.finding("options", mixed, "Begin every option with the same form of the verb.")


def _by_length(question: Question) -> tuple[Option, str] | None:
    sized = sorted(((len(option.text.strip()), index) for index, option in enumerate(question.options)), reverse=True)
    (longest, first), (second, _) = sized[0], sized[1]
    option = question.options[first]
    # A key that is the longest has a rule of its own.
    stands_out = longest >= LONG * second and longest - second >= LONG_BY
    if stands_out and option is not question.key and not STOCK.match(option.text):
        sizes = f"({longest} characters; the next has {second})"
        return option, f"Option {option.key} is far longer than the others {sizes}."
    (shortest, last), (second, _) = sized[-1], sized[-2]
    option = question.options[last]
    if second < SHORT * shortest or second - shortest < SHORT_BY or STOCK.match(option.text):
        return None
    if any(combination.option is option for combination in combinations(question)):
        return None
    return option, f"Option {option.key} is far shorter than the others ({shortest} characters; the next has {second})."


def _by_kind(question: Question) -> tuple[Option, str] | None:
    """The only option that is a number, is not a number, or lacks the unit of the others."""
    if not any(option.text[:1].isdigit() or option.text[1:2].isdigit() for option in question.options):
        return None
    read = [(option, QUANTITY.fullmatch(option.text[:LONGEST_READ])) for option in question.options]
    numbers = [(option, match) for option, match in read if match is not None]
    words = [option for option, match in read if match is None and _is_wordy(option.text)]
    if len(words) == 1 and len(numbers) == len(read) - 1:
        return words[0], f"Option {words[0].key} is not a number; all others are."
    if len(numbers) == 1 and len(words) == len(read) - 1:
        return numbers[0][0], f"Option {numbers[0][0].key} is a number; no other option is."
    if len(numbers) < len(read):
        return None
    # A bare zero needs no unit; if most numbers have none, the others may be labels.
    units = [bool(match["unit"] or match["money"]) for _, match in numbers]
    bare = [option for (option, _), unit in zip(numbers, units, strict=True) if not unit and option.text.strip() != "0"]
    if sum(units) < 2 or len(bare) != 1:
        return None
    return bare[0], f"Option {bare[0].key} lacks the unit that the others have."


def _is_wordy(text: str) -> bool:
    text = text[:LONGEST_READ]
    if any(c.isdigit() or c in "=+^√∞π" for c in text) or STOCK.match(text):
        return False
    return any(len(word) >= 4 for word in WORD.findall(text))


def _mixed_verb_forms(question: Question) -> str | None:
    forms = [_form(word_list(option.text[:LONGEST_READ])) for option in question.options[:2]]
    if forms == [None, None]:
        return None
    forms += [_form(word_list(option.text[:LONGEST_READ])) for option in question.options[2:]]
    verbs = Counter(form for form in forms if form is not None)
    if len(verbs) > 1 and verbs.total() == len(forms):
        counted = ", ".join(f"{form} {count}" for form, count in verbs.most_common())
        return f"All options begin with a verb, but not in one form ({counted})."
    if verbs["third"] != len(forms) - 1 or len(forms) <= FEWEST_VERBS:
        return None
    odd = question.options[forms.index(None)]
    # A word with a verb ending may be a verb that is not in the list.
    if not odd.text.strip() or odd.text.split()[0].endswith(("s", "ed", "ing")) or STOCK.match(odd.text):
        return None
    return f"All options but {odd.key} begin with a verb ({odd.text.strip()[:60]!r})."


def _form(words: Sequence[str]) -> str | None:
    if len(words) > 1 and words[0] == "to":
        return "infinitive" if verb_form(words[1]) == "base" else None
    form = verb_form(words[0]) if words else None
    # "Increased" and "reduced" are adjectives as often as verbs.
    return None if form == "past" else form
