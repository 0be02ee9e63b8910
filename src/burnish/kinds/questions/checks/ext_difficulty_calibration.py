"""ext_difficulty_calibration: the difficulty in the metadata contradicts the question.

What it looks for: a question called hard that is short, asks for a name or a date and has few or very short options;
and one called easy that has a long case and asks for a judgement in several steps. Only clear contradictions are
reported.
Why it matters: exams are balanced by these labels, and guessed labels spoil the balance.
Fix: needs an author, and preferably exam results: features of a text are only a hint at its difficulty.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.bank import RECALLING, tells_a_case
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import word_set

EASY = word_set("easy simple low basic beginner introductory")
HARD = word_set("hard difficult high advanced expert challenging")
WORD = re.compile(r"[a-z]+")
SHORT_STEM, LONG_STEM = 120, 1000
SHORT_OPTIONS = 30
STEPS = re.compile(
    r"\b(?:mechanism of action of the|drug (?:used|given) to treat|adverse effect of the|side effect of the"
    r"|complication of the|enzyme (?:deficient|affected)|gene (?:responsible|encoding)|which would most likely)\b",
    re.IGNORECASE,
)


@check(
    id="ext_difficulty_calibration",
    title="Wrong difficulty",
    severity="info",
    languages=("en",),
    bad=(
        {
            "metadata": {"difficulty": "hard"},
            "stem": "What is the name of the largest artery?",
            "options": ("Aorta", "Carotid", "Radial", "Femoral"),
        },
        {
            "metadata": {"difficulty": "easy"},
            "stem": "A 54-year-old man comes to the physician because of fatigue. "
            + "He has had a cough, fever, night sweats and weight loss for several months. " * 14
            + "An adverse effect of the drug used to treat this condition is which of the following?",
        },
    ),
    good=(
        {"metadata": {"difficulty": "easy"}, "stem": "What is the name of the largest artery?"},
        {"metadata": {"difficulty": "hard"}},
        {"metadata": {"difficulty": "medium"}, "stem": "What is the name of the largest artery?"},
        {"metadata": {"difficulty": "0.4"}, "stem": "What is the name of the largest artery?"},
        {"metadata": {"difficulty": None}},
    ),
)
def difficulty_calibration(question: Question) -> Findings:
    declared = question.metadata.difficulty if question.metadata is not None else None
    if not declared:
        return
    words = set(WORD.findall(declared.lower()[:40]))
    short = not question.vignette and len(question.stem) <= SHORT_STEM
    short = short and all(len(option.text) <= SHORT_OPTIONS for option in question.options)
    long = len(question.stem) + len(question.vignette or "") > LONG_STEM and tells_a_case(question)
    if words & HARD and short and RECALLING.search(question.stem.lower()):
        features = "short and asks for something learned by heart"
    elif words & EASY and long and STEPS.search(question.lead_in.text[-600:]):
        features = "a long case that is answered in several steps"
    else:
        return
    message = f"The question is labelled {declared.strip()[:40]!r}, but it is {features}."
    advice = "Check the label against exam results, or ask a second author."
    yield question.finding("metadata.difficulty", message, advice, (0, len(declared)))
