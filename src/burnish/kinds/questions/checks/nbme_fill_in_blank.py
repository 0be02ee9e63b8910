"""nbme_fill_in_blank: a blank inside the stem.

What it looks for: a blank ("____", ".....", "[blank]") with more text after it. A blank at the end is not reported: the
options complete the sentence.
Why it matters: the learner has to remember the incomplete sentence while trying every option in it.
Fix: needs an author or a model: turn the sentence into a question, or move the blank to the end.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question

BLANK = re.compile(
    r"(?<![A-Za-z0-9_])_{2,}(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])_{3,}|_{3,}(?![A-Za-z0-9_])|(?<!\.)\.{5,}(?!\.)"
    r"|…{2,}|[\[(<]\s?blank\s?[\])>]|(?<=\s)_(?=[\s,;.])|(?<![-\w])-{4,}(?![-\w])",
    re.IGNORECASE,
)
WORDS_BEHIND = re.compile(r"[^\W_]")
SUSPECTS = ("_", "....", "……", "lank", "LANK", "----")


@check(
    id="nbme_fill_in_blank",
    title="Blank in the stem",
    severity="warning",
    bad=(
        {"stem": "The enzyme ________ converts angiotensin I to angiotensin II."},
        {"stem": "_____ is the drug of choice for gout."},
        {"stem": "Insulin is made in the [blank] of the pancreas."},
        {"stem": "The patient should be given ..... before the operation begins."},
        {"stem": "The board has ___ members, each of whom serves ___ years."},
    ),
    good=(
        {"stem": "Angiotensin I is converted to angiotensin II by ________."},
        {"stem": "Angiotensin I is converted by the enzyme called _____:"},
        {"stem": "In Python, which of the following calls __init__ on a new object?"},
        {"stem": "He said, “I was ... afraid.” Which of the following is the best reply?"},
        {"stem": "Which of the following equals x_1 + x_2 for this sample?"},
    ),
)
def fill_in_blank(question: Question) -> Findings:
    stem = question.stem
    if not any(part in stem for part in SUSPECTS):
        return
    # Only the first blank is checked: text after a later one follows it too, and several blanks are one fault.
    match = BLANK.search(stem)
    if match is not None and WORDS_BEHIND.search(stem, match.end()):
        message = "The stem has a blank to fill in, with more text after it."
        advice = "Turn the sentence into a question, or let it end where the options complete it."
        yield question.finding("stem", message, advice, match.span())
