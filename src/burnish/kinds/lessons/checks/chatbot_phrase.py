"""chatbot_phrase: words of a chatbot to its user, left in the lesson.

What it looks for: "Sure! Here is the lesson:", "As an AI language model, I ...", "Let me know if ..." and similar
phrases in English, Spanish, French, German, Italian, Portuguese and Russian, at the beginning of a sentence. Phrases in
quotation marks, block quotes, lists and code or after a colon are not reported: a lesson about chatbots may quote them.
Why it matters: learners see that the lesson was not read before it was published.
Fix: safe: the sentence is removed with the empty line that it would leave. A sentence that also says something about
the subject ("As an AI, I cannot taste bread, but yeast is a fungus") needs an author or a model.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.text.leftovers import chatbot_phrases

WATER = "Water moves in a circle. The sun warms the sea, vapour rises into the air, and rain falls on the land."


@check(
    id="chatbot_phrase",
    severity="error",
    bad=(
        {"text": "Sure! Here is the lesson:\n\nWater moves in a circle."},
        {"text": "Certainly! Water moves in a circle."},
        {"text": f"As an AI language model, I cannot see the sea. {WATER}"},
        {"text": f"{WATER}\n\nI hope this helps! Let me know if you would like more examples."},
        {"text": "¡Claro! Aquí tienes la lección:\n\nEl agua se mueve en un círculo.", "language": "es"},
        {"text": "Конечно! Вот урок:\n\nВода движется по кругу.", "language": "ru"},
    ),
    good=(
        {"text": "Chatbots often begin with “Sure! Here is the lesson:” and end with “I hope this helps!”."},
        {"text": "A typical answer looks like this:\n\nAs an AI language model, I cannot see the sea."},
        {"text": "> As an AI language model, I cannot see the sea.\n\nThat is how such a text sounds."},
        {"text": "If you have any questions, feel free to ask your teacher. Of course, water moves in a circle."},
        {"text": "As an AI researcher, I measure how water moves. Here is the script:\n\n```\nrun\n```"},
    ),
)
def chatbot_phrase(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, chatbot_phrases)
