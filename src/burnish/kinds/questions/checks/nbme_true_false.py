"""nbme_true_false: options that are a list of statements to judge.

What it looks for: "Which of the following is true?" with options that are unrelated statements, the options "True"
and "False", and a bare topic ("Regarding insulin:") with statements.
Why it matters: the learner judges several unrelated sentences instead of answering one question, and has to guess how
exact "true" is meant.
Fix: needs an author or a model: ask the question that the key answers, and make all options answers to it.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.languages.grammar import has_clause
from burnish.languages.words import word_list, word_set

VERDICTS = re.compile(r"\W*(?:true|false|t|f|yes|no)(?:(?:\W{1,3}|\s+and\s+)(?:true|false))?\W*", re.IGNORECASE)
VERDICT_WORDS = word_set("true false t f yes no")
WORDED = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
# Phrases such as "most likely true" and "best describes" ask for the best of several and do not match.
SUSPECT = re.compile(r"true|correct|false|accurate|valid\b|right|wrong|^\W*(?:regard|concern|about|with|as for|in )")
ASKS_FOR_TRUTH = re.compile(
    r"\b(?:which|what)\b[^?]{0,120}?\b(?:is|are|was|were)(?: (?:a|an|the|also|generally|always|necessarily|not))* "
    r"(?:true|correct|false|incorrect|accurate|valid|untrue|inaccurate)"
    r"(?=\s*(?:$|[?.:,;]|(?:statements?|about|regarding|concerning|of|in|with|for|on|when|if|as)\b))"
    r"|\b(?:select|choose|identify|mark|pick|indicate) (?:the|a) (?:true|correct|false|incorrect|right|wrong) "
    r"(?:statement|option|one)\b",
    re.IGNORECASE,
)
OF_LANGUAGE = re.compile(r"\bsentences?\b|\bgrammatical", re.IGNORECASE)
"""Asks which sentence is well formed, not which is true."""
TOPIC_ONLY = re.compile(
    r"\W*(?:regarding|concerning|about|with (?:regard|respect) to|as for|in regard to)\b[^?.]{3,80}[:,.]?\s*",
    re.IGNORECASE,
)
LONGEST_READ = 400
STATEMENTS = (
    "It is secreted by the kidney",
    "It lowers the level of glucose",
    "Its half-life is six hours",
    "It can be given by mouth",
)


@check(
    id="nbme_true_false",
    title="True-or-false options",
    severity="error",
    languages=("en",),
    bad=(
        {"stem": "Which of the following is true about insulin?", "options": STATEMENTS},
        {"stem": "Which of the following statements concerning insulin is correct?", "options": STATEMENTS},
        {"stem": "Choose the correct statement.", "options": STATEMENTS},
        {"stem": "Select the true statement.", "options": ("Water boils", "Water burns", "Water sings")},
        {"stem": "Regarding insulin:", "options": STATEMENTS},
        {"stem": "Insulin is secreted by the pancreas.", "options": ("True", "False")},
        {"stem": "Statement 1: A is B. Statement 2: B is C.", "options": ("True, True", "False, False", "True, False")},
        {
            "stem": "Statement 1: A is B. Statement 2: B is C.",
            "options": ("False and True", "True and True", "False, True"),
        },
    ),
    good=(
        {
            "stem": "Which of the following is the correct dose of aspirin?",
            "options": ("81 mg", "325 mg", "1 g", "2 g"),
        },
        {"stem": "Which of the following statements best describes the effect of insulin?", "options": STATEMENTS},
        {
            "stem": "Which is the true cause of scurvy?",
            "options": ("Lack of vitamin C", "Lack of iron", "Rickets", "Gout"),
        },
        {"stem": "Is surgery needed?", "options": ("Yes, today", "Yes, within a month", "No, drugs suffice", "No")},
        {
            "stem": "Which sentence is correct?",
            "options": ("She go to school.", "She goes to school.", "She going to school.", "She gone to school."),
        },
        {"stem": "Which rib is a true rib?", "options": ("First rib", "Eighth rib", "Tenth rib", "Twelfth rib")},
    ),
)
def true_false(question: Question) -> Findings:
    if not VERDICT_WORDS.isdisjoint(question.options_words):
        verdicts = [option for option in question.options if len(option.text) < 20 and VERDICTS.fullmatch(option.text)]
        if len(verdicts) >= 2 and _are_the_choice(verdicts, question):
            shown = ", ".join(repr(option.text.strip()) for option in verdicts[:2])
            message = f"The options are verdicts ({shown}), not answers."
            advice = "Ask a question that has one best answer, and offer answers to it."
            yield question.finding("options", message, advice)
            return
    yield from _statements_to_judge(question)


def _statements_to_judge(question: Question) -> Findings:
    sentence = question.lead_in
    text = sentence.text[-LONGEST_READ:]
    if SUSPECT.search(text.lower()) is None or OF_LANGUAGE.search(text):
        return
    match = ASKS_FOR_TRUTH.search(text) or TOPIC_ONLY.fullmatch(text)
    if match is None or not ("statement" in text.lower() or _are_statements(question)):
        return
    offset = len(sentence.text) - len(text)
    # A case narrows the topic: asking what is true of this patient is only a warning.
    message = "The options are statements to judge true or false; the lead-in asks nothing in particular."
    advice = "Ask the one question behind the key, and make every option an answer to it."
    yield question.finding(
        "stem",
        message,
        advice,
        sentence.shift((match.start() + offset, match.end() + offset)),
        severity="warning" if question.vignette or len(question.stem_sentences) > 2 else "error",
    )


def _are_the_choice(verdicts: list[Option], question: Question) -> bool:
    """Whether the verdicts are the answers: both of two options, or True and False with one other option at most."""
    if len(verdicts) == len(question.options) == 2:
        return True
    worded = sum(WORDED.search(option.text) is not None for option in verdicts)
    return worded >= 2 and len(verdicts) >= len(question.options) - 1


def _are_statements(question: Question) -> bool:
    """Whether all options, or all but one, are clauses."""
    read = (word_list(option.text[:LONGEST_READ]) for option in question.options)
    stating = sum(len(words) >= 3 and has_clause(words) for words in read)
    return stating >= 2 and stating >= len(question.options) - 1
