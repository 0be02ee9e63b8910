"""ext_metadata_completeness: required metadata is missing.

What it looks for: each field that the institution requires and that this question leaves empty. Without settings of an
institution, course, learning objectives, level and difficulty are required, each only if the bank uses it.
Why it matters: without them a question is missing in blueprints and reports, and nobody notices.
Fix: needs an author: the text of the question does not contain these facts.
"""

from typing import Any

from burnish.core.checks import check
from burnish.kinds.questions.bank import DEFAULT_REQUIRED_METADATA, BankContext
from burnish.kinds.questions.model import Findings, Question


@check(
    id="ext_metadata_completeness",
    title="Missing metadata",
    severity="error",
    proven="always",
    bad=(
        {"metadata": {"course_id": "c1", "slo_ids": [], "bloom_level": "Apply", "difficulty": "easy"}},
        {"metadata": {"course_id": " ", "difficulty": "easy"}},
        {"metadata": {"difficulty": "easy"}, "_context": {"required_metadata": ("usmle_system",)}},
        {"_context": {"carried": frozenset({"metadata.bloom_level"})}},
        {"metadata": {"course_id": "c1"}, "_context": {"required_metadata": ("author",)}},
    ),
    good=(
        {},
        {"metadata": {"difficulty": "easy"}},
        {"metadata": {"course_id": "c1", "slo_ids": ["s1"], "bloom_level": "Apply", "difficulty": "easy"}},
        {"metadata": {"course_id": "c1", "concept_ids": [], "keywords": []}},
        {"metadata": {"bloom_level": "", "difficulty": "hard"}, "_context": {"required_metadata": ("difficulty",)}},
        {"_context": {"required_metadata": ()}, "metadata": {"bloom_level": None}},
    ),
)
def metadata_completeness(question: Question, context: BankContext) -> Findings:
    required = context.required_metadata
    if required is None:
        required = tuple(name for name in DEFAULT_REQUIRED_METADATA if context.carries(f"metadata.{name}"))
    metadata = question.metadata
    held = {**vars(metadata), **(metadata.model_extra or {})} if metadata is not None else {}
    for name in required:
        if _is_missing(held.get(name)):
            message = f"The metadata {name!r} is missing."
            advice = "Fill it in. The institution's settings say what is required."
            yield question.finding(f"metadata.{name}", message, advice)


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list | tuple):
        return all(_is_missing(entry) for entry in value)
    return value is None
