"""ext_concept_alignment: the concepts that the metadata names do not show in the text.

What it looks for: a concept of the question that the concept graph does not know, and one of which no word occurs in
stem, vignette, options or rationale. Silent where there is no concept graph.
Why it matters: a question filed under the wrong concept is missing from one blueprint cell and wrong in another.
Fix: needs an author: either the tag or the question is wrong.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.model import Question
from burnish.languages.words import stem, token_list

GRAPH = {"c-mi": ("myocardial infarction", "ST elevation"), "c-dm": ("diabetes", "insulin")}
LONGEST_READ = 20_000
"""Characters of each field that are read."""


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
def concept_alignment(question: Question, context: BankContext) -> Iterator[Finding]:
    named = question.metadata.concept_ids if question.metadata is not None else None
    if not context.concepts or not named:
        return
    text = _reading(question)
    for concept in named:
        if concept not in context.concepts:
            yield _finding(question, f"The concept graph does not know {concept!r}.", "Name a concept of the graph.")
        elif context.concepts[concept] and not any(
            _stems(word) in text for word in context.concepts[concept] if word.strip()
        ):
            words = ", ".join(context.concepts[concept][:5])
            yield _finding(
                question,
                f"Nothing in the question shows the concept {concept!r} ({words}).",
                "Remove the concept, or make sure that the question is about it.",
            )


def _reading(question: Question) -> str:
    """All the text of the question as stems between spaces, so that whole words are found."""
    fields = (question.vignette or "", question.stem, question.options_text, question.rationale or "")
    return _stems(" ".join(field[:LONGEST_READ] for field in fields))


def _stems(text: str) -> str:
    return f" {' '.join(stem(token) for token in token_list(text))} "


def _finding(question: Question, message: str, suggestion: str) -> Finding:
    return Finding.at(question, field="metadata.concept_ids", message=message, suggestion=suggestion)
