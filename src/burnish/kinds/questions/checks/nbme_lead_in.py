"""nbme_lead_in: the stem does not end in one closed question.

What it looks for: a stem that asks nothing and that options cannot complete, a question that is followed by more text,
a question without a question mark, and lead-ins that ask for an essay ("Discuss", "What do you think"). A stem that the
options complete ("is most likely due to:") is accepted: the NBME guide prefers a full question but allows it.
Why it matters: the learner needs to know what is asked, and should be able to answer before reading the options.
Fix: needs an author or a model: the question has to be written.
"""

import re

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import vocabulary
from burnish.kinds.questions.model import DEMANDS, Findings, Question
from burnish.languages.sentences import CLOSING, Sentence
from burnish.languages.words import word_set

OPEN = re.compile(
    r"(?:please\s+)?(?:discuss|describe|explain|elaborate|comment on|outline|justify|write (?:about|an essay)|reflect "
    r"on)\b(?! by\b)"
    r"|.{0,80}\b(?:what do you think|do you believe|in your opinion|what are your (?:thoughts|views)|how do you "
    r"feel)\b",
    re.IGNORECASE,
)
SUBJECT_ONLY = re.compile(
    r"(?:regarding|concerning|about|with (?:regard|respect) to|as (?:for|to))\b[^.?!,]{0,80}[:.,]?", re.IGNORECASE
)
ASKING = re.compile(r"\b(?:which|what|who|whom|whose|when|where|why|how)\b", re.IGNORECASE)
ASKING_FIRST = re.compile(
    r"(?:which|what|who|whose|when|where|why|how (?:many|much|long|does|do|is|are|should|can)|in which|at what)\b",
    re.IGNORECASE,
)
BLANK = re.compile(r"_{2,}|(?<!\w)_(?!\w)|\.{3,}|…")
SHORT_NOTE = 40
"""Most characters of a note after the question ("Choose one.")."""
BELONGS = re.compile(
    r"\W*(?:I{1,3}|IV|[1-5a-e])[.):]\s|(?:Statement|Scenario|Argument|Case) (?:\d|[A-C]\b)"
    r"|\W*(?:round|assume|ignore|neglect|use|express|note|give|select|choose|hint|consider)\b|\("
    r"|```|~~~|!\[|\||\$\$|\\\[",
    re.IGNORECASE,
)
"""Text that may follow a question: statements to choose from, instructions, and code, a table, a picture or a formula
that it asks about."""
DEMANDING = DEMANDS | word_set("assume estimate round simplify express write use classify arrange rank complete fill")


@check(
    id="nbme_lead_in",
    title="No closed question",
    severity="warning",
    languages=("en",),
    bad=(
        {"stem": "A man has had chest pain for two hours. An ECG shows ST elevation."},
        {"stem": "Which drug is given first? The man has had chest pain for hours, and his ECG shows ST elevation."},
        {"stem": "A man has chest pain. Discuss the drugs that he should be given."},
        {"stem": "Which of the following drugs should be given first."},
        {"stem": "What do you think about the use of aspirin?"},
        {"stem": ""},
        {"stem": "Predatory pricing."},
        {"stem": "Regarding asthma:"},
    ),
    good=(
        {"stem": "A man has chest pain. Which of the following drugs should be given first?"},
        {"stem": "This patient's chest pain is most likely due to:"},
        {"stem": "The drug that should be given first is"},
        {"stem": "What is the number needed to treat? (Round to the nearest whole number.)"},
        {"stem": "Find the derivative of x^2 + 3x at x = 2."},
        {"stem": "Aspirin is an inhibitor of the enzyme _______."},
        {"stem": "What is the output of the following code?\n\n```python\nfor i in range(3):\n    print(i)\n```"},
        {"stem": 'A man says, "I do not want to know." Which of the following is the best response?"'},
    ),
)
def lead_in(question: Question) -> Findings:
    found = question.stem_sentences
    if not found:
        message = "The stem is empty." if not question.stem else "The stem asks nothing."
        yield question.finding("stem", message, "End the stem with one complete question.")
        return
    asked, last = question.lead_in, found[-1]
    if SUBJECT_ONLY.fullmatch(last.text[:200]):
        yield _finding(question, last, "The stem names a subject, but asks nothing about it.")
    elif OPEN.match(asked.text):
        yield _finding(question, asked, "The lead-in calls for an essay, not for one of the options.")
    elif _ends_in_question(last.text):
        return
    elif asked.text.rstrip(CLOSING + ":").endswith("?") and asked != last:
        # A short note, or the statements to choose from, may follow the question.
        rest = question.stem[asked.end :].strip()
        if not (len(rest) <= SHORT_NOTE or BELONGS.match(rest) is not None):
            yield _finding(
                question, asked, "The question is followed by more text.", "Put the question at the end of the stem."
            )
    elif last.text.rstrip(CLOSING).endswith((".", "!")):
        yield from _statement(question, last)


def _ends_in_question(text: str) -> bool:
    bare = text.rstrip(CLOSING + ":*_")
    return bare.endswith("?") or text.rstrip().endswith(":") or BLANK.search(text[-400:]) is not None


def _statement(question: Question, last: Sentence) -> Findings:
    """Check a stem that ends in a full stop."""
    if ASKING_FIRST.match(last.text):
        yield _finding(question, last, "The question ends without a question mark.", "End it with a question mark.")
    elif last.text.rstrip(CLOSING).endswith(("...", "..")) or not DEMANDING.isdisjoint(vocabulary(last.text)):
        return
    elif not ASKING.search(last.text[:400]) and "following" not in last.text:
        yield _finding(question, last, "The stem ends without asking anything.")


def _finding(
    question: Question, sentence: Sentence, message: str, suggestion: str = "End the stem with one complete question."
) -> Finding:
    span = (sentence.start, sentence.end)
    return question.finding("stem", message, suggestion, span)
