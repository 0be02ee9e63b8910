"""ext_concept_alignment: the concepts in the metadata do not occur in the text.

What it looks for: a concept of the question that is not in the concept graph, and one without any of its words in
stem, vignette, options or rationale. Nothing is reported without a concept graph.
Why it matters: a question filed under the wrong concept is missing in one blueprint cell and wrong in another.
Fix: needs an author: either the tag or the question is wrong.
"""

from burnish.core.checks import check
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import stem, token_list

GRAPH = {"c-mi": ("myocardial infarction", "ST elevation"), "c-dm": ("diabetes", "insulin")}
LONGEST_READ = 20_000


@check(
    id="ext_concept_alignment",
    title="Concepts not in the text",
    severity="info",
    bad=(
        {"metadata": {"concept_ids": ["c-dm"]}, "_context": {"concepts": GRAPH}},
        {"metadata": {"concept_ids": ["c-mi", "c-unknown"]}, "_context": {"concepts": GRAPH}},
    ),
    good=(
        {"metadata": {"concept_ids": ["c-dm"]}},
        {"metadata": {"concept_ids": ["c-mi"]}, "stem": "What causes ST elevations?", "_context": {"concepts": GRAPH}},
        {"metadata": {"concept_ids": ["c-dm"]}, "stem": "Which cells make insulin?", "_context": {"concepts": GRAPH}},
        {"metadata": {"concept_ids": []}, "_context": {"concepts": GRAPH}},
    ),
)
def concept_alignment(question: Question, context: BankContext) -> Findings:
    named = question.metadata.concept_ids if question.metadata is not None else None
    if not context.concepts or not named:
        return
    fields = (question.vignette or "", question.stem, question.options_text, question.rationale or "")
    text = _stems(" ".join(field[:LONGEST_READ] for field in fields))
    for concept in named:
        words = context.concepts.get(concept)
        if words is None:
            message, advice = f"The concept {concept!r} is not in the concept graph.", "Name a concept of the graph."
        elif words and not any(_stems(word) in text for word in words if word.strip()):
            message = f"Nothing in the question shows the concept {concept!r} ({', '.join(words[:5])})."
            advice = "Remove the concept, or make sure that the question is about it."
        else:
            continue
        yield question.finding("metadata.concept_ids", message, advice)


def _stems(text: str) -> str:
    """The stems of the text between spaces, so that only whole words match."""
    return f" {' '.join(stem(token) for token in token_list(text))} "
