"""The shapes of requests and responses. Requests are closed: an unknown field is refused, not ignored."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from burnish.app.check_json import Shape
from burnish.core.tasks import MOST_ATTEMPTS
from burnish.store.paths import RUN_ID


class Asked(BaseModel):
    """The base of all requests. No request has a field for an endpoint, a key, a model or a path."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class WrongField(Shape):
    """A field of the request that cannot be used."""

    field: str
    detail: str


class Problem(BaseModel):
    """What went wrong, after RFC 9457."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        use_attribute_docstrings=True,
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "There is no rule 'nbme_leadin'.",
                    "instance": "/api/v1/rules/nbme_leadin",
                    "code": "not_found",
                    "hint": "Did you mean `nbme_lead_in`?",
                }
            ]
        },
    )

    type: str
    """Always `about:blank`; use `code` to distinguish problems."""
    title: str
    """What the status means."""
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    """What is wrong, for people."""
    instance: str
    """The path that was asked for."""
    code: str
    """Never changes once released."""
    hint: str | None = None
    """What to do about it."""
    field: str | None = None
    line: int | None = None
    errors: tuple[WrongField, ...] = ()
    """If several fields are wrong: all of them."""
    decision: dict[str, Any] | None = None
    """With `already_decided`: the decision that was made first."""


MOST_DOCUMENTS = 500
MOST_RULES = 500

RunName = Annotated[str, StringConstraints(pattern=rf"^{RUN_ID.pattern}$")]
"""The id of a run."""
RuleName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
FileName = Annotated[
    str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*$")
]
"""The name of one file, without any folder: its ending says what is in it."""
Body = str | list[Any] | dict[str, Any]
"""The text of a file; or the JSON value itself, for JSON formats."""
Encoded = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]*={0,2}$")]
"""The bytes of a binary file (XLSX, DOCX, a package), as Base64 on one line."""
Language = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class OneFile(Asked):
    """A request with one file: its `content`, or its bytes as `base64`."""

    name: FileName
    """Its name, without any folder; the ending says what is in it."""
    content: Body | None = None
    """Its text; or the JSON value itself, for JSON formats."""
    base64: Encoded | None = None
    """Its bytes, for binary formats: XLSX, DOCX, packages."""

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.content is None) == (self.base64 is None):
            raise ValueError("give either `content` or `base64`")
        decoded(self.base64 or "")
        return self

    @property
    def given(self) -> list[Given]:
        """Every file: this one."""
        return [Given(name=self.name, content=self.content, base64=self.base64)]


class Given(OneFile):
    """One file: its `content`, or its bytes as `base64`."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["name", "content"]}, {"required": ["name", "base64"]}]}
    )


def decoded(text: str) -> bytes:
    """The bytes of a base64 field. Raise ValueError if it cannot be decoded."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as wrong:
        raise ValueError(f"`base64` cannot be decoded: {wrong}") from wrong


ONE_WAY: JsonDict = {
    "oneOf": [{"required": ["name", "content"]}, {"required": ["name", "base64"]}, {"required": ["documents"]}]
}
QUESTION: JsonDict = {
    "id": "q1",
    "stem": "Which of the following is NOT a mammal?",
    "options": ["Bat", "Trout", "Whale", "Mole"],
    "answer": 1,
}
BANK: JsonDict = {"name": "bank.json", "content": [QUESTION]}


class Contents(Asked):
    """A request with one file (`name` and `content`), or several (`documents`)."""

    model_config = ConfigDict(json_schema_extra=ONE_WAY)

    name: FileName | None = None
    """The name of the one file; its ending says what is in it."""
    content: Body | None = None
    """The text of the one file; or the JSON value itself, for JSON formats."""
    base64: Encoded | None = None
    """The bytes of the one file, for binary formats: XLSX, DOCX, packages."""
    documents: Annotated[list[Given], Field(min_length=1, max_length=MOST_DOCUMENTS)] | None = None
    """Several files."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        alone = (self.name, self.content, self.base64)
        if self.documents is None and self.name is None:
            raise ValueError("give `name` and `content` (or `base64`), or `documents`")
        if self.documents is not None and any(one is not None for one in alone):
            raise ValueError("give either `name` and `content`, or `documents`")
        refuse_twice(one.name for one in self.given)
        return self

    @property
    def given(self) -> list[Given]:
        """Every file."""
        if self.documents is not None:
            return self.documents
        assert self.name is not None, "one of the two ways is checked"
        return [Given(name=self.name, content=self.content, base64=self.base64)]


def refuse_twice(names: Iterable[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is the name of two files")


class Rules(Asked):
    """Which rules apply."""

    profile: Annotated[str, StringConstraints(max_length=64)] | None = None
    """`default` or `strict`. Default: the operator's setting."""


class WithMaterial(Contents):
    """Files with their specification and sources."""

    spec: Given | None = None
    """Lessons: the specification."""
    sources: Annotated[list[Given], Field(max_length=MOST_DOCUMENTS, default_factory=list)]
    """Lessons: source material to check against. A manuscript: its source text."""

    @model_validator(mode="after")
    def _sources_apart(self) -> Self:
        refuse_twice(one.name for one in self.sources)
        return self


class CheckOrder(Rules, WithMaterial):
    """A check: no model is called."""

    model_config = ConfigDict(json_schema_extra={**ONE_WAY, "examples": [BANK, {**BANK, "profile": "strict"}]})

    kind: Literal["questions", "lessons", "manuscripts"] | None = None
    """The kind of content. Default: detected. A manuscript is a translation, checked with its source."""
    select: Annotated[list[RuleName], Field(max_length=MOST_RULES, default_factory=list)]
    """Only these rules."""
    ignore: Annotated[list[RuleName], Field(max_length=MOST_RULES, default_factory=list)]
    """Not these rules."""
    glossary: Given | None = None
    """Manuscripts: terms and names to keep, CSV or TBX."""


class Ceilings(Asked):
    """The most that a run may spend, within the operator's limits."""

    max_tokens: Annotated[int, Field(ge=1, le=1 << 53)] | None = None
    max_cost: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """US dollars."""
    max_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class PolishOrder(Rules, WithMaterial):
    """A run with the operator's models, on the operator's account."""

    model_config = ConfigDict(json_schema_extra={**ONE_WAY, "examples": [{**BANK, "run_id": "mammals"}]})

    kind: Literal["questions", "lessons"] | None = None
    """The kind of content. Default: detected."""
    run_id: RunName | None = None
    """The name of the run. Default: file name and time."""
    mode: Literal["semi-auto", "full-auto"] | None = None
    """Lessons. semi-auto: send to review below the threshold; full-auto: publish the best version."""
    rules_only: bool = False
    """If no model judges: accept what rules alone can judge. Otherwise what has no error waits for a person."""
    max_attempts: Annotated[int, Field(ge=1, le=MOST_ATTEMPTS)] | None = None
    """Questions: corrections of each by a model before a person decides. Default: the operator's."""
    out_format: Annotated[str, StringConstraints(min_length=1, max_length=32)] | None = None
    """Format to publish in. Default: the format of the content."""
    ceilings: Ceilings = Ceilings()


class TranslateOrder(OneFile):
    """The translation of one manuscript with the operator's models. It is published when a person approves."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "book.md", "content": "It was a dark night.\n", "to": "es"}]}
    )

    name: FileName
    """The name of the manuscript, such as `book.md`."""
    content: str | None = None
    """Its text: Markdown or plain."""
    base64: Encoded | None = None
    """Its bytes, for a document of Word."""
    to: Language
    """Target language: `es`, `Russian`."""
    from_: Annotated[Language | None, Field(alias="from")] = None
    """Source language. Default: detected."""
    run_id: RunName | None = None
    """The name of the run. Default: file name and time."""
    pipeline_profile: Literal["standard_single_pass", "tamazight_two_pass"] | None = None
    """One pass; or Tamazight in Latin letters, then in Tifinagh."""
    orthography: Literal["ircam", "kabyle"] | None = None
    """Spelling of Tamazight."""
    glossary: Given | None = None
    """Terms and names to keep, CSV or TBX."""
    style: Given | None = None
    """A short style sheet with sample paragraphs."""
    exclude: Given | None = None
    """Paragraphs to leave unchanged: ids or patterns, with reasons."""
    draft: Given | None = None
    """An existing translation to review and repair."""
    memories: Annotated[list[Given], Field(max_length=20, default_factory=list)]
    """Translation memories, TMX or JSONL."""
    rules_only: bool = False
    """If no model reviews: accept what rules alone can judge."""
    ceilings: Ceilings = Ceilings()

    @model_validator(mode="after")
    def _memories_apart(self) -> Self:
        refuse_twice(one.name for one in self.memories)
        return self


class ExtractOrder(OneFile):
    """A course from sentence pairs: every pair is cut into LEGOs, by the built-in extractor if no model is set."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "pairs.tsv", "content": "Hello.\tHola.\n", "course": "spa_for_eng", "run_id": "spa"}]
        }
    )

    name: FileName
    """The name of the file of pairs: CSV, TSV, XLSX, JSON."""
    content: Body | None = None
    """Its text; or the JSON value itself."""
    base64: Encoded | None = None
    """Its bytes, for a workbook."""
    course: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Course code: `spa_for_eng`, Spanish for speakers of English."""
    run_id: RunName | None = None
    """The name of the run. Default: file name and time."""
    hold: bool = False
    """Send every cut to a person, even if it passes."""
    ceilings: Ceilings = Ceilings()


class EstimateOrder(Asked):
    """The request to estimate, as it would be sent to start the run."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": [name]} for name in ("polish", "translate", "courses")],
            "examples": [{"polish": BANK}],
        }
    )

    polish: PolishOrder | None = None
    translate: TranslateOrder | None = None
    courses: ExtractOrder | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(one is not None for one in (self.polish, self.translate, self.courses)) != 1:
            raise ValueError("give one of `polish`, `translate` and `courses`")
        return self


class Spent(Shape):
    """Calls, tokens and money."""

    calls: int
    tokens: int
    cost: float
    """US dollars."""


class EstimateReport(Shape):
    """What a run would cost. No call is made and nothing is kept."""

    units: int
    clean: int
    """Units that the rules accept as they are."""
    to_correct: int
    for_a_person: int
    """Units that no model will be asked about."""
    likely: Spent
    likely_up_to: Spent
    """The same, if models with too few recorded calls use all of their thinking tokens."""
    at_most: Spent
    unreadable: list[dict[str, Any]]
    """Parts of the content that cannot be used."""
    unpriced: list[str]
    """Models without a known price: their tokens are counted, their money is not."""


class Started(Shape):
    """A run that was started or resumed. Watch its events, or ask for its state."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"run_id": "mammals", "run": "/api/v1/runs/mammals", "events": "/api/v1/runs/mammals/events"}]
        }
    )

    run_id: str
    run: str
    """The address of the run."""
    events: str
    """The address of its events."""
