"""ext_spreadsheet_dates: an option that a spreadsheet turned into a date.

What it looks for: "20-Oct", "Oct-20" or "2026-10-20 00:00:00" as a whole option, unless the question asks for a date:
a range such as "10-20" was typed into a spreadsheet, which converted it to a date.
Why it matters: the original option is lost, and if it was the key, no answer is right.
Fix: needs an author who knows the range; the suggestion names the likely ones.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MADE_DATE = re.compile(
    rf"\s*(?:(?P<day>\d{{1,2}})-(?P<month>{'|'.join(MONTHS)})|(?P<first>{'|'.join(MONTHS)})-(?P<last>\d{{1,2}})"
    r"|\d{4}-(?P<number>\d\d)-(?P<of_month>\d\d) 00:00(?::00)?)\s*\.?",
    re.IGNORECASE,
)
ASKS_FOR_DATE = re.compile(
    r"\b(?:dates?|calendar|birthday|holiday|deadline|anniversary|(?:which|what) (?:days?|months?))\b"
    r"|^\W*(?:since |until |by )?when\b",
    re.IGNORECASE,
)


@check(
    id="ext_spreadsheet_dates",
    title="Date made by a spreadsheet",
    severity="error",
    bad=(
        {"stem": "How fast do these fibres conduct, in m/s?", "options": ("70-120", "50-70", "30-50", "20-Oct")},
        {"stem": "How many teeth are in each part?", "options": ("1-Feb", "3-Apr", "5-Jun", "7-Aug")},
        {"stem": "What share of people is ill, in percent?", "options": ("Jan-20", "20-40", "40-60", "60-80")},
        {
            "stem": "He has had fever for three days. For how many days is this usual when nothing is done?",
            "options": ("2026-12-20 00:00:00", "20-30", "30-40", "40-50"),
        },
    ),
    good=(
        {"stem": "On which date was the treaty signed?", "options": ("20-Oct", "21-Oct", "22-Oct", "23-Oct")},
        {"stem": "How many are there?", "options": ("10-20", "20-30", "30-40", "40-50")},
        {"stem": "Which marker is raised?", "options": ("OCT-4", "CD-30", "AFP", "PLAP")},
        {"stem": "When does the school year begin?", "options": ("1-Sep", "1-Oct", "1-Nov", "1-Dec")},
    ),
)
def spreadsheet_dates(question: Question) -> Findings:
    if ASKS_FOR_DATE.search(question.lead_in.text):
        return
    for option in question.options:
        match = MADE_DATE.fullmatch(option.text) if len(option.text) < 24 else None
        if match is None or option.text.isupper():
            continue  # spreadsheets write "Oct", never "OCT": that is a name
        # The two numbers around the hyphen.
        if match["number"]:
            first, last = int(match["number"]), int(match["of_month"])
        else:
            first = MONTHS.index((match["month"] or match["first"]).lower()) + 1
            last = int(match["day"] or match["last"])
        message = f"A spreadsheet seems to have turned option {option.key} into a date ({option.text.strip()!r})."
        advice = f"Write the range that was meant, perhaps '{first}-{last}' or '{last}-{first}'."
        yield question.finding(option, message, advice)
