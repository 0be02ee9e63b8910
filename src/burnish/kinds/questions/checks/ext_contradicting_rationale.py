"""ext_contradicting_rationale: the rationale says that an option other than the key is right.

What it looks for: a rationale that says explicitly that another option is right ("The correct answer is C because ...",
"B is correct."), or that the key is wrong ("Option A is incorrect because ..."). In a negative question, only "the
correct answer is ..." counts.
Why it matters: the key or the rationale is wrong. If it is the key, learners who know the answer lose the point.
Fix: needs a person to find out which of the two is right: no model changes a key for this reason.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Option, Question

_KEY = r"\(?(?P<key>[A-Z]|(?<=ption )\d|(?<=hoice )\d)\)?"
_NAME = rf"(?:[Oo]ption |[Cc]hoice |[Aa]nswer )?{_KEY}"
_END = r"(?=\s*(?:$|[,;)\]!(]|:\s|\.(?:\s+[^a-z\s]|\s*$)|\s[-–—]\s|(?:because|since|as|due)\b))"
_ANSWER = (
    r"(?i:\b(?:correct|right|best) (?:answer|option|choice|response|key)(?: is|:)\s+(?:therefore |thus )?"
    r"|^(?:answer|key)\s?:\s+)"
)
BY_LETTER = re.compile(rf"{_ANSWER}{_NAME}{_END}", re.MULTILINE)
BY_TEXT = re.compile(_ANSWER, re.MULTILINE)
_BEGINS = r"(?:^|[.!?;:\n]\s{0,8})(?:(?:[Tt]herefore|[Tt]hus|[Hh]ence|[Ss]o),? )?"
_IS = r"is (?:therefore |thus |clearly )?"
CALLED_RIGHT = re.compile(rf"{_BEGINS}{_NAME} {_IS}(?:the )?(?:correct|right|best)(?: answer| option| choice)?{_END}")
CALLED_WRONG = re.compile(
    rf"{_BEGINS}{_NAME} {_IS}(?:incorrect|wrong|not correct|not right"
    rf"|not the (?:correct|right|best) (?:answer|option|choice)){_END}"
)
ASKS_FOR_WRONG = re.compile(
    r"\b(?:not|except|least|false|incorrect|wrong|untrue|never|cannot|inaccurate|unlikely|exception)\b|n['’]t\b",
    re.IGNORECASE,
)
TYPES = ("single_best_answer", "multiple_response", "true_false")
"""In other types one rationale may cover several keys."""
LONGEST_READ = 50_000


@check(
    id="ext_contradicting_rationale",
    title="Rationale contradicts the key",
    severity="error",
    languages=("en",),
    bad=(
        {"rationale": "The correct answer is C because furosemide removes the fluid."},
        {"rationale": "Digoxin slows conduction. Therefore, B is correct."},
        {"rationale": "Option A is incorrect because aspirin comes too late."},
        {"rationale": "Answer: D. Lidocaine calms the rhythm."},
        {"rationale": "Time is muscle. The best answer is digoxin, which slows conduction."},
    ),
    good=(
        {"rationale": "The correct answer is A because aspirin blocks platelets. B is incorrect. C is wrong."},
        {"rationale": "The correct answer is Aspirin. C would be correct if there were fluid."},
        {"rationale": "B is correct only if the rhythm is irregular; vitamin C is correct for scurvy."},
        {"rationale": "Many think that D is correct. The best answer is not digoxin, and E. coli plays no part."},
        {
            "stem": "Which of the following is NOT given in myocardial infarction?",
            "rationale": "Option A is incorrect, as no one gives it. Option B is correct.",
        },
    ),
)
def contradicting_rationale(question: Question) -> Findings:
    text = (question.rationale or "")[:LONGEST_READ]
    if question.type not in TYPES or not question.right or not text:
        return
    claim = next(_claims(question, text), None)
    if claim is None:
        return
    claimed, (start, end) = claim
    keys = ", ".join(option.key for option in question.right)
    message = f"The rationale says that {claimed}, and the key is {keys}."
    advice = "Find out which of the two is right, and correct the other."
    yield question.finding("rationale", message, advice, (start, end))


def _claims(question: Question, text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    right, others = ({o.key for o in options} for options in (question.right, question.distractors))
    longest = max(len(option.text.casefold()) for option in question.options) + 2
    asks_for_wrong = ASKS_FOR_WRONG.search(question.lead_in.text) is not None
    for match in BY_LETTER.finditer(text):
        if match["key"] in others:
            yield f"{match['key']} is right", match.span()
    for match in BY_TEXT.finditer(text):
        named = _named(question, text[match.end() : match.end() + longest])
        if named is not None and named.key in others:
            yield f"{named.key} is right", (match.start(), match.end() + len(named.text.strip()))
    if asks_for_wrong or question.type == "true_false":
        return
    for match in CALLED_RIGHT.finditer(text):
        if match["key"] in others:
            yield f"{match['key']} is right", _trimmed(match)
    for match in CALLED_WRONG.finditer(text):
        if match["key"] in right:
            yield f"{match['key']} is wrong", _trimmed(match)


def _named(question: Question, after: str) -> Option | None:
    """The option whose whole text follows; of several, the one with the longest text."""
    folded = after.casefold()
    found = [
        option
        for option in question.options
        if len(bare := option.text.strip().rstrip(".").casefold()) > 2
        and folded.startswith(bare)
        and not folded[len(bare) : len(bare) + 2].strip(" .,;:!)")
    ]
    return max(found, key=lambda option: len(option.text), default=None)


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    skipped = len(match.group()) - len(match.group().lstrip(".!?;: \n"))
    return match.start() + skipped, match.end()
