"""Correcting one bad field of a large item: our patch against sending the whole item and getting it back.

Both sides are counted with the same estimate of tokens, and with all that is sent: instructions, content, the schema of
the answer, and the answer itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.lines import Line, beside
from bench.long_items import long_question, sequential_set
from burnish.core.checks import select
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps, loads
from burnish.core.replies import reply_schema
from burnish.core.tasks import RepairNotes
from burnish.engine.client import rendered
from burnish.kinds.questions import requests
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.models.budget import estimate_tokens

TITLE = "Tokens to correct one bad field of an item with thirty fields"
LIMIT = 0.4
"""A quarter, until correctors were shown the whole question: one that cannot see the key destroys it."""
RESENDING = (
    "You mend exam questions. You get one question as a JSON object and the list of rules that it breaks. Answer with "
    "the whole corrected question as a JSON object of the same shape. Change as little as possible."
)
"""The peer's instructions: as short as they can be."""
REASONING = "Nobody needs to know who says it; without the clerk the lead-in asks the same."


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one correction sends and receives."""

    instructions: int
    content: int
    schema: int
    answer: int

    @property
    def total(self) -> int:
        return self.bare + self.schema

    @property
    def bare(self) -> int:
        return self.instructions + self.content + self.answer


def run(full: bool) -> list[Line]:
    return [line for name, record in _items() for line in _compared(name, record)]


def _items() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "one question with its metadata", _biased(long_question())
    yield "a sequential set of five items", _biased(sequential_set())


def _biased(record: dict[str, Any]) -> dict[str, Any]:
    """A fault of one field: what a negation needs may be in any of them."""
    text = dumps(record).replace(b"is NOT a likely", b"is, says a wheelchair-bound clerk, a likely")
    return loads(text)  # type: ignore[no-any-return]


def _compared(name: str, record: dict[str, Any]) -> list[Line]:
    kind = QuestionsKind()
    question = Question.model_validate(record)
    findings = [f for f in kind.examine(question, select(kind.checks), kind.context([], {})).findings if f.blocks]
    if {f.rule for f in findings} != {"ext_bias_detection"}:
        raise RuntimeError(f"exactly one field should be bad, but the rules say: {findings}")
    ours, theirs = _ours(kind, question, findings), _theirs(record, findings)
    fields = sum(1 for _ in _leaves(record))
    spoken = f"{ours.instructions} instructions, {ours.content} content, {ours.schema} schema, {ours.answer} answer"
    return [
        Line(f"{name} ({fields} values)", ours.total, "tokens", spoken),
        beside("  patch / resending", ours.total, "tokens", "resending", theirs.total, at_most=LIMIT),
        beside("  the same without the schemas", ours.bare, "tokens", "resending", theirs.bare),
    ]


def _ours(kind: QuestionsKind, question: Question, findings: list[Finding]) -> Tokens:
    text = rendered(requests.correction_ask(question, findings, RepairNotes(1, 2)), nonce="0" * 32)
    [finding] = findings
    stem = question.texts()[finding.field]
    edit = {"unit": question.id, "field": finding.field, "find": ", says a wheelchair-bound clerk, a", "replace": " a"}
    if stem.count(str(edit["find"])) != 1:
        raise RuntimeError("the answer would not fit the question")
    answer = dumps({"reasoning": REASONING, "edits": [edit]}).decode()
    schema = dumps(dict(reply_schema("edit_reply"))).decode()
    return Tokens(
        estimate_tokens(text.system), estimate_tokens(text.user), estimate_tokens(schema), estimate_tokens(answer)
    )


def _theirs(record: dict[str, Any], findings: list[Finding]) -> Tokens:
    item = dumps(record).decode()
    violations = "\n".join(f"- {f.rule} | field: {f.field} | {f.message} {f.suggestion}" for f in findings)
    schema = dumps(Question.model_json_schema()).decode()
    return Tokens(
        estimate_tokens(RESENDING),
        estimate_tokens(f"{item}\n{violations}"),
        estimate_tokens(schema),
        estimate_tokens(item),
    )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value
