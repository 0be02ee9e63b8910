"""ext_rationale_completeness: the rationale is missing, or explains too little.

What it looks for: a rationale that is empty, a few words long or only says that the key is correct; and, as warnings,
one that never mentions the key, or leaves distractors unexplained. Feedback on single options counts as rationale.
If fewer than half of the questions of a bank have one, that is told once, as a warning about the bank; in fewer than
ten questions, a rationale that is there and empty is an error of its question.
Why it matters: learners learn most from knowing why the answer is right and why each other option is not.
Fix: needs an author or a model: the explanation has to be written.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.bank import BankContext, vocabulary
from burnish.kinds.questions.model import Findings, Option, Question, feedback_of
from burnish.languages.words import TOKEN, content_stems, content_stems_of, stem, word_list, word_set

FEWEST_WORDS = 5
ANSWERING = frozenset(
    stem(word)
    for word in word_set("correct right answer answers option choice best true key because therefore following")
)
"""Stems of words that say that the key is right, but not why."""
LETTER = re.compile(
    r"(?<![\w-])(?<!vitamin )(?<!hepatitis )(?<!type )(?<!group )(?<!class )(?<!factor )(?<!protein )(?<!grade "
    r")(?<!stage )"
    r"(?:[B-H]|[1-9]|A(?=[):.,;]|\s+(?:is|was|and|or|would|does|cannot|can|has)\b|$)|(?<=\()A)(?![\w-]|\.\d)"
)
"""The letter of an option. A single "A" is more often the article, and a letter after "vitamin" is part of a name."""
ALL_OTHERS = re.compile(
    r"\b(?:the |all )?(?:other|remaining|incorrect|wrong) (?:options?|choices?|answers?|distractors?|drugs|diagnoses"
    r"|responses)\b",
    re.IGNORECASE,
)
FORMULA = re.compile(r"\s[=≈≠≤≥⇒→]\s")
"""A calculation explains the key without words."""
LONGEST_READ = 50_000
SHOWN = 8


@check(
    id="ext_rationale_completeness",
    title="Incomplete rationale",
    severity="error",
    proven="sometimes",
    bad=(
        {"rationale": ""},
        {"rationale": "   "},
        {"rationale": None, "_context": {"carried": frozenset({"rationale"})}},
        {"rationale": "", "_context": {"carried": frozenset(), "sparse": frozenset({"rationale"}), "surveyed": 9}},
        {"rationale": "Aspirin is right."},
        {"rationale": "Option A is correct because it is the best answer."},
        {"rationale": "Time is muscle, so that treatment has to begin within the first hours."},
        {"rationale": "Aspirin inhibits platelet aggregation and lowers mortality in myocardial infarction."},
    ),
    good=(
        {"rationale": None},
        {"rationale": "", "_context": {"carried": frozenset(), "sparse": frozenset({"rationale"}), "surveyed": 10}},
        {"rationale": None, "_context": {"carried": frozenset(), "sparse": frozenset({"rationale"}), "surveyed": 1}},
        {
            "rationale": "Aspirin inhibits platelets and lowers mortality. Digoxin slows conduction, "
            "furosemide removes fluid, lidocaine is no longer given early, and verapamil weakens the heart."
        },
        {
            "stem": "Solve $x^2 - 5x + 6 = 0$.",
            "options": ("$x = 1$ or $x = 6$", "$x = 2$ or $x = 3$", "$x = -2$ or $x = -3$"),
            "correct_answer": "B",
            "rationale": "$x^2 - 5x + 6 = (x - 2)(x - 3) = 0$.",
        },
        {"rationale": "(A) blocks platelets. (B) and (C) treat heart failure. D and E treat arrhythmia."},
        {"rationale": "Aspirin blocks platelets; the other options do not help in the first hours."},
        {
            "options": (
                {"key": "A", "text": "Aspirin", "feedback": "Right: it keeps platelets from clotting."},
                {"key": "B", "text": "Digoxin", "feedback": "No: it slows conduction."},
                {"key": "C", "text": "Oxygen", "feedback": "Only where the saturation is low."},
            ),
            "_context": {"carried": frozenset({"rationale"})},
        },
        {
            "type": "true_false",
            "stem": "The heart has three chambers.",
            "options": ("True", "False"),
            "correct_answer": "B",
            "rationale": "Two atria and two ventricles make four of them.",
        },
    ),
)
def rationale_completeness(question: Question, context: BankContext) -> Findings:
    given = [(question.rationale or "").strip(), *map(feedback_of, question.options)]
    text = "\n".join(filter(None, given))[:LONGEST_READ]
    if not context.carries("rationale") and (
        text or question.rationale is None or not context.leaves_empty("rationale")
    ):
        return
    if not text:
        advice = "Explain why the key is right and each other option is not."
        yield question.finding("rationale", "The rationale is empty.", advice, standing="proven")
    elif len(text) < 40 and len(TOKEN.findall(text)) < FEWEST_WORDS:
        yield question.finding("rationale", "The rationale is only a few words long.", "Explain why the key is right.")
    elif question.right:
        yield from _explained(question, text)


def _explained(question: Question, text: str) -> Findings:
    stems = content_stems_of(vocabulary(text))
    if (
        stems
        and not FORMULA.search(text)
        and not stems - ANSWERING - content_stems(" ".join(option.text for option in question.right))
    ):
        message = "The rationale says that the key is right, but not why."
        yield question.finding("rationale", message, "Explain why it is right.")
        return
    if question.type == "true_false":
        return  # an explanation of the statement explains both verdicts
    unsaid: list[str] = []
    unexplained: list[str] = []
    for options, keys in ((question.right, unsaid), (question.distractors, unexplained)):
        for option in options:
            if not _is_explained(option, stems, text):
                keys.append(option.key)
    if unsaid:
        message = f"The rationale does not mention the key ({', '.join(unsaid[:SHOWN])})."
        advice = "Say why the key is right, in its own words."
        yield question.finding("rationale", message, advice, severity="warning")
    if unexplained and not ALL_OTHERS.search(text):
        message = f"The rationale does not explain {', '.join(unexplained[:SHOWN])}."
        yield question.finding("rationale", message, "Say why each distractor is not right.", severity="warning")


def _is_explained(option: Option, stems: set[str], text: str) -> bool:
    """Whether the option has feedback, or the rationale has its text, one of its words or its letter."""
    bare = option.text.strip()
    if feedback_of(option) or (bare and bare in text):
        return True
    return not content_stems_of(word_list(bare)).isdisjoint(stems) or option.key in LETTER.findall(text)
