"""ext_bloom_consistency: the level that the metadata claims is not the level that the question asks for.

What it looks for: a `bloom_level` that is not a level, and one at least two levels away from what the lead-in shows:
naming, defining and dates are recall; a case with "most likely" or "next step" is application or analysis; calculate,
compare, judge and design state their level. Nothing is reported if the words show no level.
Why it matters: a blueprint that counts recall as analysis promises what the exam does not test.
Fix: needs an author: either the level or the question is wrong.
"""

from burnish.core.checks import check
from burnish.kinds.questions.bank import LEVELS, level_number, levels_shown
from burnish.kinds.questions.model import Findings, Question

FAR = 2


@check(
    id="ext_bloom_consistency",
    title="Wrong Bloom level",
    severity="warning",
    languages=("en",),
    bad=(
        {"metadata": {"bloom_level": "Analyze"}, "stem": "What is the definition of tachycardia?"},
        {"metadata": {"bloom_level": "Evaluate"}, "stem": "In what year was insulin discovered?"},
        {
            "metadata": {"bloom_level": "Remember"},
            "stem": "A 54-year-old man comes to the emergency department because of chest pain for 2 hours. "
            "His pulse is 98/min and his blood pressure is low. Which of the following is the most appropriate next "
            "step?",
        },
        {"metadata": {"bloom_level": "Remember"}, "stem": "Compare the two drugs: which one lowers the pulse more?"},
        {"metadata": {"bloom_level": "Medium"}},
    ),
    good=(
        {"metadata": {"bloom_level": "Remember"}, "stem": "What is the definition of tachycardia?"},
        {"metadata": {"bloom_level": "Apply"}},
        {"metadata": {"bloom_level": "L3: Application"}, "stem": "Calculate the dose for a child of 20 kg."},
        {"metadata": {"bloom_level": "Understand"}, "stem": "Why does aspirin prolong the bleeding time?"},
        {"metadata": {"bloom_level": ""}},
        {"stem": "What is the definition of tachycardia?"},
    ),
)
def bloom_consistency(question: Question) -> Findings:
    declared = question.metadata.bloom_level if question.metadata is not None else None
    if not declared or not declared.strip():
        return
    level = level_number(declared)
    if level is None:
        message = f"{declared[:40]!r} is no level of Bloom's taxonomy."
        advice = f"Write one of {', '.join(LEVELS)}."
        yield question.finding("metadata.bloom_level", message, advice, (0, len(declared)))
        return
    shown = levels_shown(question)
    if shown is None or shown[0] - FAR < level < shown[1] + FAR:
        return
    spoken = LEVELS[shown[0] - 1] if level < shown[0] else LEVELS[shown[1] - 1]
    message = f"The question asks to {spoken.lower()}, but its level is {declared.strip()[:40]!r}."
    advice = "Correct the level, or ask a question of that level."
    yield question.finding("metadata.bloom_level", message, advice, (0, len(declared)))
