"""nbme_lost_sequence: options with a natural order are not in that order.

What it looks for: options that are all numbers, doses, ranges, dates, ordinals, Roman numerals or steps of one scale,
neither ascending nor descending. A last option such as "Cannot be determined" is ignored, and so are mixed upper and
lower bounds ("more than 50", "less than 50").
Why it matters: the learner searches for a number instead of thinking about it, and an odd position may reveal the key.
Fix: needs an author: moving an option changes its letter, and thus the key.
"""

import math
import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.quantities import is_monotone, ordered_values, quantity

ASIDE = re.compile(
    r"\s*(?:all|none|both|neither|cannot|can't|not|it\b|there|undefined|infinit|insufficient)", re.IGNORECASE
)
FEWEST = 3
SHOWN = 40


@check(
    id="nbme_lost_sequence",
    title="Options out of order",
    severity="warning",
    bad=(
        {"options": ("10 mg", "5 mg", "20 mg", "40 mg")},
        {"options": ("25%", "75%", "50%", "100%")},
        {"options": ("2 weeks", "3 days", "1 month", "6 hours")},
        {"options": ("Stage I", "Stage III", "Stage II", "Stage IV")},
        {"options": ("1917", "1925", "1922", "1927")},
        {"options": ("January 5, 1999", "March 3, 1990", "May 2, 2001")},
        {"options": ("8:00 a.m.", "6:00 a.m.", "1:30 p.m.")},
        {"options": ("10-19 years", "0-9 years", "20-29 years", "30-39 years")},
        {"options": ("1/2", "1/4", "1/3", "None of the above")},
        {"options": ("Moderate", "Mild", "Severe")},
    ),
    good=(
        {"options": ("5 mg", "10 mg", "20 mg", "40 mg")},
        {"options": ("100%", "75%", "50%", "25%")},
        {"options": ("6 hours", "3 days", "2 weeks", "1 month")},
        {"options": ("500 mg", "1 g", "2 g", "4 g")},
        {"options": ("Fewer than 7", "Between 8 and 15", "Between 16 and 25", "More than 25")},
        {"options": ("Aspirin 81 mg", "Heparin 5000 U", "Digoxin 0.25 mg")},
        {"options": ("Vitamin B12", "Vitamin B1", "Vitamin C", "Vitamin K")},
        {"options": ("More than 50 degrees", "More than 90 degrees", "Less than 50 degrees", "Less than 90 degrees")},
        {"options": ("(1, 6)", "(0, 2)", "(3, 4)", "(2, 2)")},
    ),
)
def lost_sequence(question: Question) -> Findings:
    options = question.options
    if len(options) > FEWEST and ASIDE.match(options[-1].text):
        options = options[:-1]
    if len(options) < FEWEST:
        return
    values = ordered_values([option.text for option in options])
    if values is None or is_monotone(values) or _are_bounds_both_ways([option.text for option in options]):
        return
    ordered = [
        option.text.strip()[:SHOWN] for _, option in sorted(zip(values, options, strict=True), key=lambda p: p[0])
    ]
    message = "The options have a natural order, but are not in it."
    advice = f"Put them in order ({'; '.join(ordered[:6])}) and give the key its new letter."
    yield question.finding("options", message, advice)


def _are_bounds_both_ways(texts: list[str]) -> bool:
    """Whether some are lower bounds and some upper ones ("more than 50", "less than 50"): each has its own order."""
    bounds = [bound for text in texts if (bound := quantity(text)) is not None and bound.is_open]
    above = sum(math.isinf(bound.high) for bound in bounds)
    return min(above, len(bounds) - above) > 1
