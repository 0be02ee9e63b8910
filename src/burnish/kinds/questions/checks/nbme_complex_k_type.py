"""nbme_complex_k_type: options that combine options or numbered statements.

What it looks for: "A and C only", "both A and B", "1, 2, and 3", "I and III": answers that consist only of labels.
Why it matters: one known statement rules out half of the combinations, so the question measures test-taking skill.
Fix: needs an author or a model: ask for one best answer, or make each statement a separate question.
"""

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.option_overlap import combinations

STATEMENTS = "Which of the following drugs are used in acute gout? I. Colchicine II. Ibuprofen III. Aspirin IV. Heparin"


@check(
    id="nbme_complex_k_type",
    title="Combined options (K-type)",
    severity="error",
    bad=(
        {"stem": STATEMENTS, "options": ("I only", "I and II", "II and III", "I, II, and III")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "A and C only")},
        {"options": ("Aspirin", "Heparin", "Both A and B", "Oxygen")},
        {"options": ("1, 2 and 3", "1 and 3", "2 and 4", "4 only")},
        {"options": ("1,2,3", "1,2,4", "2,3,4", "1,2,3,4")},
        {"options": ("Only I is true.", "I and II are true.", "I and III are true.", "II and III are true.")},
        {"options": ("Statement 1 only", "Statement 2 only", "Statements 1 and 2", "Statements 2 and 3")},
    ),
    good=(
        {"stem": "Which dimensions can it have?", "options": ("1 only", "2 only", "0 and 1 only", "0, 1 and 2 only")},
        {"options": ("Vitamin A and vitamin D", "Vitamin C", "Vitamin E", "Vitamin K")},
        {"stem": "Which factor is missing?", "options": ("I", "II", "V", "X")},
        {"stem": "What are the zeros of the function?", "options": ("1", "2", "2, 3", "6")},
        {
            "stem": "In which order are these done? 1. Boil 2. Cool 3. Filter 4. Weigh",
            "options": ("1, 2, 3, 4", "1, 3, 2, 4", "2, 1, 4, 3", "4, 3, 2, 1"),
        },
        {"stem": "Which point lies on the line?", "options": ("(1, 2)", "(2, 3)", "(3, 1)", "(1, 3)")},
        {
            "stem": "Which cranial nerves are affected?",
            "options": ("III and IV", "V and VII", "IX and X", "VII and VIII"),
        },
        {"options": ("Aspirin and heparin", "Aspirin", "Heparin", "Oxygen")},
    ),
)
def complex_k_type(question: Question) -> Findings:
    found = [c for c in combinations(question) if not c.negative and not c.names_all(question)]
    if len(found) == 1:
        option = found[0].option
        field, span = f"options.{option.key}", (0, len(option.text))
        message = f"Option {option.key} combines other options ({option.text.strip()!r})."
    elif found:
        field, span = "options", None
        named = ", ".join(f"{c.option.key} {c.option.text.strip()!r}" for c in found)
        message = f"{len(found)} options combine labels instead of saying something ({named})."
    else:
        return
    advice = "Give one answer in each option, or make each statement a question of its own."
    yield question.finding(field, message, advice, span)
