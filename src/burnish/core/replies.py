"""Replies that models are asked for: one small JSON object for each kind of request.

Attributes have the names of the wire. Reasoning comes before the verdict, because a model writes its answer in this
order. Numbers are finite and in range, text is never read as a number, unknown fields are ignored. Limits on length
are checked when a reply is parsed, but left out of the schema that is sent: servers that compile a schema into a
grammar fail on large ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

T = TypeVar("T")


OfList = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)
OfNull = BeforeValidator(lambda value: "" if value is None else value)
OfEmpty = BeforeValidator(lambda value: None if value == "" else value)
"""Validators that read a list as a tuple, null as empty text, and empty text as None."""
Items = Annotated[tuple[T, ...], OfList, Field(max_length=1_000)]
"""A JSON list. Strict validation requires a tuple for a tuple field."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=300)]
"""An id or another short name."""
UnitName = Annotated[str, StringConstraints(max_length=300)]
"""The id of a unit; empty if the model left it out, which means the unit of the request."""
Line = Annotated[str, StringConstraints(max_length=5_000)]
"""A description or a suggestion."""
Quote = Annotated[str, StringConstraints(max_length=20_000)]
"""Words copied from the content."""
OfNothing = BeforeValidator(lambda value: () if value is None else value)
"""A validator that reads null as an empty list."""
OfNumber = BeforeValidator(lambda value: str(value) if type(value) is int else value)
Number = Annotated[Name, OfNumber]
"""The number of something in the prompt, as text or as a number."""
OptionalName = Annotated[Name | None, OfEmpty]
"""None and empty text both mean that there is none: models are asked for text, because the schema is then
shorter."""
Passage = Annotated[str, StringConstraints(max_length=400_000)]
"""Content of any length that a unit may have."""
Reasoning = Annotated[str, StringConstraints(max_length=50_000)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Points = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
LineNumber = Annotated[int, Field(ge=1, le=100_000_000)]

Confidence = Literal["high", "medium", "low"]
Criterion = Literal[
    "learning_objective_alignment",
    "pedagogical_structure",
    "factual_accuracy",
    "clarity_readability",
    "engagement_examples",
    "completeness",
]
AnySeverity = Literal["critical", "error", "major", "warning", "minor", "info"]
"""Severities of manuscript reviewers; the kind maps them to the internal scale."""
LegoSeverity = Literal["low", "medium", "high", "critical"]


class Part(BaseModel):
    """A part of a reply."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


class Reply(Part):
    """A whole reply."""

    panel: ClassVar[str | None] = None
    """The panel of judges that gives this reply; None: it is not a judgement."""


class ContestedPart(Part):
    """A claim that the repairer holds to be wrong, and why. A reader decides."""

    claim: Number
    """Its number in the prompt, or its rule."""
    why: Line


class EditPart(Part):
    """One find/replace."""

    unit: UnitName = ""
    field: OptionalName = None
    """None: the text of the unit itself."""
    find: Quote
    """Verbatim, exactly once in that field; empty fills an empty field."""
    replace: Passage
    changes: Annotated[Items[Line], OfNothing] = ()
    """What the edit means to alter in what the text says: a number, a name, a denial."""


class EditReply(Reply):
    """The smallest edits that settle the findings."""

    reasoning: Reasoning
    edits: Items[EditPart]
    contested: Annotated[Items[ContestedPart], OfNothing] = ()

    def about(self, unit: str) -> Self:
        """Return the reply to a request about one unit: edits without a unit get this one."""
        edits = tuple(edit if edit.unit else edit.model_copy(update={"unit": unit}) for edit in self.edits)
        return self.model_copy(update={"edits": edits})


class SectionReply(Reply):
    """One unit, rewritten."""

    reasoning: Reasoning
    unit: UnitName = ""
    text: Passage


class CriteriaPart(Part):
    """A lesson judge's scores; None if the request does not ask for the criterion."""

    learning_objective_alignment: Fraction | None = None
    pedagogical_structure: Fraction | None = None
    factual_accuracy: Fraction | None = None
    clarity_readability: Fraction | None = None
    engagement_examples: Fraction | None = None
    completeness: Fraction | None = None


class JudgeIssuePart(Part):
    """One issue that a lesson judge raises."""

    unit: UnitName = ""
    """Its id; `lesson` for the whole. If it is missing, the quote or the request decides."""
    criterion: Criterion
    severity: Literal["critical", "major", "minor"]
    quotedText: Annotated[Quote, OfNull] = ""
    description: Line
    suggestedFix: Annotated[Line, OfNull] = ""


class UnitScoresPart(Part):
    """A lesson judge's scores of one unit."""

    unit: UnitName = ""
    """May be missing if only one unit was shown."""
    criteria: CriteriaPart


class JudgeReply(Reply):
    """A lesson judge's verdict on the units of one window."""

    panel = "lessons"
    reasoning: Reasoning
    units: Items[UnitScoresPart]
    issues: Items[JudgeIssuePart]


class ObjectivePart(Part):
    """Whether and where a lesson covers one of its objectives."""

    id: Name
    covered: Literal["yes", "partly", "no"]
    unit: OptionalName = None
    quote: Quote | None = None


class LessonJudgeReply(Reply):
    """A lesson judge's verdict on the whole lesson, or on a large part of it."""

    panel = "lessons"
    reasoning: Reasoning
    criteria: CriteriaPart
    objectives: Items[ObjectivePart]
    confidence: Confidence
    issues: Items[JudgeIssuePart]
    strengths: Items[Line] = ()


class DifferencePart(Part):
    """Whether a numbered difference of two versions is wanted."""

    id: Number
    wanted: bool


class DeltaReply(Reply):
    """Whether an edit settled its issues, which of the differences that code saw are wanted, and the new issues."""

    reasoning: Reasoning
    passed: bool
    confidence: Confidence
    differences: Annotated[Items[DifferencePart], OfNothing] = ()
    newIssues: Items[JudgeIssuePart]


class SelfReviewIssuePart(Part):
    """One issue of the cheap reviewer."""

    type: Literal["TRUNCATION", "LANGUAGE", "ALIGNMENT", "HALLUCINATION", "HYGIENE", "EMPTY", "LOGIC", "TONE"]
    severity: Literal["CRITICAL", "FIXABLE", "COMPLEX", "INFO"]
    location: Line
    quote: Quote | None = None
    description: Line


class SelfReviewReply(Reply):
    """The cheap reviewer's verdict on a whole lesson."""

    reasoning: Reasoning
    status: Literal["PASS", "PASS_WITH_FLAGS", "FIXED", "REGENERATE", "FLAG_TO_JUDGE"]
    issues: Items[SelfReviewIssuePart]


class ClaimPart(Part):
    """A statement that can be checked against a source."""

    unit: Name
    quote: Quote
    claim: Line


class ClaimsReply(Reply):
    """The checkable statements of a text."""

    reasoning: Reasoning
    claims: Items[ClaimPart]


class ClaimVerdictPart(Part):
    """What the retrieved passages say about one claim."""

    claim: Line
    verdict: Literal["supported", "contradicted", "not_found"]
    passage: OptionalName = None
    """The id of the deciding passage."""


class ClaimVerdictReply(Reply):
    """Verdicts on claims, each with its passage."""

    reasoning: Reasoning
    verdicts: Items[ClaimVerdictPart]


class ViolationPart(Part):
    """One rule that a question breaks according to a judge."""

    ruleId: Name
    field: OptionalName = None
    quote: Quote | None = None
    message: Line
    suggestion: Line | None = None


class ClaimAnswerPart(Part):
    """Whether a reader upholds a numbered claim."""

    claim: Number
    upheld: bool
    quote: Annotated[Quote, OfNull] = ""


class ItemPart(Part):
    """The answer about one of the items of a request."""

    id: Annotated[UnitName, OfNumber] = ""
    """May be missing if the request shows one item."""


class ReviewedItemPart(ItemPart):
    """What a judge says of one exam question."""

    claims: Annotated[Items[ClaimAnswerPart], OfNothing] = ()
    violations: Items[ViolationPart]


class SolvedItemPart(ItemPart):
    """A judge's own answer to a question, given without the key."""

    reasoning: Reasoning
    choice: Name
    """The letter of the best option, or none."""
    also_right: Annotated[Items[Name], OfNothing] = ()
    """Options that are equally right."""
    confidence: Confidence


def _items_of(given: Any) -> Any:
    """Read a reply about one item that has no list of items, and a list that is an object with ids as names."""
    if not isinstance(given, dict):
        return given
    items = given.get("items", given)
    if items is given:
        items = [given]
    elif isinstance(items, dict):
        items = [{"id": id, **item} if isinstance(item, dict) else item for id, item in items.items()]
    return {**given, "items": items}


def _readable(part: type[ItemPart]) -> BeforeValidator:
    """A validator that keeps the items that can be read: one that cannot spoils no other. Who asked about it finds it
    missing. If none can be read, the first says why."""

    def kept(given: Any) -> Any:
        if not isinstance(given, list) or len(given) < 2:
            return given
        readable = [item for item in given if _is_valid(part, item)]
        return readable or given[:1]

    return BeforeValidator(kept)


def _is_valid(part: type[ItemPart], item: Any) -> bool:
    try:
        part.model_validate(item)
    except ValidationError:
        return False
    return True


class QuestionReviewReply(Reply):
    """A judge's verdict on exam questions."""

    panel = "questions"
    reasoning: Annotated[Reasoning, OfNull] = ""
    items: Annotated[Items[ReviewedItemPart], _readable(ReviewedItemPart)]

    _of_one = model_validator(mode="before")(_items_of)


class AnswerReply(Reply):
    """A judge's own answers to questions, given without the keys."""

    items: Annotated[Items[SolvedItemPart], _readable(SolvedItemPart)]

    _of_one = model_validator(mode="before")(_items_of)


class TranslationPart(Part):
    """One paragraph in the target language."""

    paragraph_id: UnitName = ""
    text: Passage


class TranslationReply(Reply):
    """Translated paragraphs."""

    translations: Items[TranslationPart]


class DimensionsPart(Part):
    """A manuscript reviewer's scores; None if the reviewer does not judge that dimension. Other scores are not
    requested, but kept: they are shown, and no gate uses them."""

    model_config = ConfigDict(extra="allow")

    grammar: Fraction | None = None
    vocabulary: Fraction | None = None
    style: Fraction | None = None
    voice: Fraction | None = None
    semantic_fidelity: Fraction | None = None


class TranslationIssuePart(Part):
    """One fault of a translated paragraph."""

    category: Name
    severity: AnySeverity
    quote: Quote | None = None
    description: Line
    suggested_fix: Line | None = None


class ReviewedParagraphPart(Part):
    """Issues and scores of one paragraph."""

    paragraph_id: Name
    issues: Items[TranslationIssuePart]
    scores: DimensionsPart


class TranslationReviewReply(Reply):
    """A reviewer's verdict on each of several paragraphs."""

    panel = "reviewers"
    reasoning: Reasoning
    paragraphs: Items[ReviewedParagraphPart]


class CriticIssuePart(Part):
    """One issue of a critic, located by a line, a range of lines or a quote."""

    lens: OptionalName = None
    """The critic that raises it."""
    category: Name
    severity: AnySeverity
    line: Annotated[LineNumber | None, BeforeValidator(lambda line: None if line == 0 else line)] = None
    """0 if the critic gives none."""
    start_line: LineNumber | None = None
    end_line: LineNumber | None = None
    quote: Quote | None = None
    description: Line
    suggested_fix: Line | None = None


class CriticReply(Reply):
    """The verdict of a manuscript's critics; their scores are only shown, their issues count."""

    panel = "critics"
    reasoning: Reasoning
    issues: Items[CriticIssuePart]
    scores: DimensionsPart = DimensionsPart()


class AskedIssuePart(Part):
    """An issue in the requested schema: only the needed fields, with empty text instead of null."""

    category: str
    severity: Literal["critical", "major", "minor", "info"]
    quote: str
    description: str
    suggested_fix: str


class AskedCriticIssuePart(AskedIssuePart):
    """A critic's issue in the requested schema."""

    lens: str
    line: int


class AskedScoresPart(Part):
    """All five scores."""

    grammar: float
    vocabulary: float
    style: float
    voice: float
    semantic_fidelity: float


class AskedParagraphPart(Part):
    """One paragraph's issues and scores."""

    paragraph_id: str
    issues: Items[AskedIssuePart]
    scores: AskedScoresPart


class WindowReply(Reply):
    """The requested reply of all readers of a window of a manuscript: one schema, which precedes the shared text.
    Reviewers fill `paragraphs`, critics `issues`."""

    reasoning: Reasoning
    paragraphs: Items[AskedParagraphPart]
    issues: Items[AskedCriticIssuePart]


class LegoPart(Part):
    """One phrase, verbatim in both halves of its SEED."""

    source: Line = Field(min_length=1)
    target: Line = Field(min_length=1)


class LegoReply(Reply):
    """The phrases cut from a SEED."""

    reasoning: Reasoning
    legos: Items[LegoPart]


class LegoDimensionsPart(Part):
    """The five scores of an extraction."""

    iron_rule_compliance: Points
    naturalness: Points
    pedagogical_value: Points
    consistency: Points
    edge_case_handling: Points


class ConcernPart(Part):
    """A concern of a LEGO judge."""

    concern_id: Annotated[str, StringConstraints(pattern=r"^c_[a-z_]+$", max_length=100)]
    severity: LegoSeverity
    description: Line = Field(min_length=1)
    affected_legos: Items[Annotated[str, StringConstraints(pattern=r"^S[0-9]+L[0-9]+$", max_length=40)]]
    suggested_fix: Line = Field(min_length=1)


class SuggestionPart(Part):
    """An improvement of the extraction prompt."""

    suggestion_id: Annotated[str, StringConstraints(pattern=r"^s_[a-z_]+$", max_length=100)]
    priority: LegoSeverity
    suggested_change: Line = Field(min_length=1)
    rationale: Line = Field(min_length=1)


class LegoReviewReply(Reply):
    """A judge's verdict on the LEGOs of one SEED."""

    reasoning: Reasoning
    dimension_scores: LegoDimensionsPart
    concerns: Items[ConcernPart]
    suggestions: Items[SuggestionPart]


REPLIES: Mapping[str, type[Reply]] = MappingProxyType(
    {
        "edit_reply": EditReply,
        "section_reply": SectionReply,
        "judge_reply": JudgeReply,
        "lesson_judge_reply": LessonJudgeReply,
        "delta_reply": DeltaReply,
        "self_review_reply": SelfReviewReply,
        "claims_reply": ClaimsReply,
        "claim_verdict_reply": ClaimVerdictReply,
        "question_review_reply": QuestionReviewReply,
        "answer_reply": AnswerReply,
        "translation_reply": TranslationReply,
        "translation_review_reply": TranslationReviewReply,
        "critic_reply": CriticReply,
        "lego_reply": LegoReply,
        "lego_review_reply": LegoReviewReply,
    }
)
"""Every reply by its requested name."""
SCHEMA_OF: Mapping[str, type[Reply]] = MappingProxyType(
    {**REPLIES, "translation_review_reply": WindowReply, "critic_reply": WindowReply}
)
"""The schema that is sent for each reply: all readers of one text have the same, so that their prompts begin alike."""

MOST_OTHER_SCORES, LONGEST_SCORE_NAME = 20, 60
"""Limits on scores that were not requested."""
SCORE_PARTS = frozenset({CriteriaPart.__name__, DimensionsPart.__name__})
CRITERIA = list(get_args(Criterion))
SENT_KEYWORDS = frozenset({"type", "properties", "items", "anyOf", "enum", "const"})
"""The JSON Schema keywords that all strict structured outputs support. The prompt explains the fields, so that they are
explained only once."""
TEXT_OR_NULL = [{"type": "string"}, {"type": "null"}]


def scores_of(part: CriteriaPart | DimensionsPart | LegoDimensionsPart) -> dict[str, float]:
    """Return the given scores by name. Missing ones stay missing, for the gate to decide. Of other values, keep only
    valid scores, up to a limit."""
    own = {name: getattr(part, name) for name in type(part).model_fields}
    more = {name: float(score) for name, score in (part.model_extra or {}).items() if _is_score(name, score)}
    given = own | dict(list(more.items())[:MOST_OTHER_SCORES])
    return {name: score for name, score in given.items() if score is not None}


def _is_score(name: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= 1 and 0 < len(name) <= LONGEST_SCORE_NAME


@cache
def reply_schema(name: str, scores: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Return the JSON Schema for strict output: every field named and required, no others, no references.

    `scores`: the only criteria or dimensions that are requested, all required; None: all, with null for those that are
    not judged. Cached and shared by all calls: do not change it.
    """
    schema = SCHEMA_OF[name].model_json_schema()
    return _sent(schema, schema.get("$defs", {}), scores)


def _sent(node: Mapping[str, Any], definitions: Mapping[str, Any], scores: tuple[str, ...] | None) -> dict[str, Any]:
    if "$ref" in node:
        return _sent(definitions[node["$ref"].rpartition("/")[2]], definitions, scores)
    sent: dict[str, Any] = {key: node[key] for key in node if key in SENT_KEYWORDS}
    if node.get("type") == "object":
        properties = node["properties"]
        if scores is not None and node.get("title") in SCORE_PARTS:
            properties = {name: {"type": "number"} for name in scores}
        sent["properties"] = {key: _sent(child, definitions, scores) for key, child in properties.items()}
        sent["required"] = list(properties)
        sent["additionalProperties"] = False
    if scores is not None and sent.get("enum") == CRITERIA:
        sent["enum"] = list(scores)
    if "items" in sent:
        sent["items"] = _sent(node["items"], definitions, scores)
    if "anyOf" in sent:
        sent["anyOf"] = [_sent(child, definitions, scores) for child in node["anyOf"]]
    return {"type": "string"} if sent.get("anyOf") == TEXT_OR_NULL else sent
