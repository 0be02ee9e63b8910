"""prompt_leftover: parts of the prompt for the lesson, or marks of a chat template.

What it looks for: marks of chat templates (`<|im_start|>`, `[INST]`, "Assistant:"), a model's thinking (`<think>`), its
word count, and instructions on how to write this lesson: role, length, tone or format. In English, Spanish, French,
German, Italian, Portuguese and Russian. Exercises that tell learners to write something, code and quotations are not
reported. A sentence that an author might also say to learners is a warning.
Why it matters: learners see that the lesson was not read before it was published.
Fix: needs an author or a model: text after the instruction may be missing.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.leftovers import prompts


@check(
    id="prompt_leftover",
    title="Prompt left in",
    severity="error",
    bad=(
        {"text": "<|im_start|>assistant\n\nWater moves in a circle."},
        {"text": "<think>The user wants a lesson.</think>\n\nWater moves in a circle."},
        {"text": "Write a 500-word lesson about the water cycle for beginners.\n\nWater moves in a circle."},
        {"text": "Water moves in a circle.\n\n(Word count: 312)"},
        {"text": "Eres un profesor experto.\n\nEl agua se mueve en un círculo.", "language": "es"},
    ),
    good=(
        {"text": "Write a paragraph about water. Use your own words, and compare it with your neighbour's."},
        {"text": "A chat begins with `<|im_start|>`. You are a traveller here, and you look for a well."},
        {"text": "> You are an expert teacher who writes for grade 6.\n\nThat is a prompt."},
        {"text": "Count the words: this lesson has about 500."},
    ),
)
def prompt_leftover(unit: LessonUnit) -> Iterator[Finding]:
    if unit.role != "exercise":
        yield from text_findings(unit, prompts)
