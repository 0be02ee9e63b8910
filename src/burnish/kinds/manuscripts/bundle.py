"""The files of a manuscript's run: their rows as pydantic models, and the canonical bundle.

The bundle is made row by row: paragraphs, sentences, words, and all of them as offsets.

Excluded blocks are in `paragraphs.jsonl` of the source and of the final text, without sentences and words. The other
bundles hold only translated paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import regex
from pydantic import BaseModel, ConfigDict, Field

from burnish.core.json_bytes import dumps
from burnish.kinds.manuscripts.model import BlockKind, Paragraph
from burnish.kinds.manuscripts.policy import Status
from burnish.kinds.manuscripts.review_rows import ReviewIssue
from burnish.languages.sentences import sentences_in


class Closed(BaseModel):
    """Base of the rows. Keys that are not described are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ParagraphRow(Closed):
    """A line of `paragraphs.jsonl`."""

    paragraph_id: str = Field(pattern=r"^p_\d{4,}$")
    paragraph_index: int = Field(ge=1)
    """1-based, in the order of the source; excluded blocks count."""
    kind: BlockKind
    text: str
    """Without the marks of the block (`# `, `- `, `> `)."""
    content_hash: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    """The hash of the UTF-8 source paragraph: the same in every bundle of a run."""
    start: int = Field(ge=0)
    """Where the block begins, in characters: in the final text for its own bundle, in the source for all others."""
    end: int = Field(ge=0)
    line: int = Field(ge=1)
    """Its first line in the same text, 1-based."""
    excluded_by_policy: bool
    exclude_reason: str | None = None


class SentenceRow(Closed):
    """A line of `sentences.jsonl`: `text` is the paragraph's text from `start` to `end`."""

    sentence_id: str = Field(pattern=r"^p_\d{4,}_s_\d{2,}$")
    paragraph_id: str
    index: int = Field(ge=1)
    """1-based in its paragraph."""
    text: str
    start: int = Field(ge=0)
    """In characters of the paragraph's text."""
    end: int


class WordRow(Closed):
    """A line of `words.jsonl`: `text` is the paragraph's text from `start` to `end`."""

    paragraph_id: str
    sentence_id: str
    index: int = Field(ge=1)
    """1-based in its sentence."""
    text: str
    start: int = Field(ge=0)
    """In characters of the paragraph's text."""
    end: int


class SentenceTokens(Closed):
    """The words of one sentence, as offsets in the paragraph's text."""

    sentence_id: str
    start: int
    end: int
    words: tuple[tuple[int, int], ...]


class ParagraphTokens(Closed):
    """The sentences of one paragraph."""

    paragraph_id: str
    sentences: tuple[SentenceTokens, ...]


class TokenCounts(Closed):
    """The number of each."""

    paragraphs: int
    sentences: int
    words: int


class ManuscriptTokens(Closed):
    """`manuscript_tokens.json`: everything as offsets, without the texts."""

    tokens: tuple[ParagraphTokens, ...]
    counts: TokenCounts


_IN_WORDS = r"[\p{L}\p{M}\p{N}_\u200c\u200d]"
WORD = regex.compile(
    rf"\p{{N}}++(?:[.,٫٬]\p{{N}}++)++[\p{{L}}\p{{M}}]*+"
    rf"|[\p{{L}}\p{{N}}_]{_IN_WORDS}*+(?:['’ʼʹ‑-][\p{{L}}\p{{N}}]{_IN_WORDS}*+)*+"
)
"""A number with its separators, or a word. A combining mark without a letter before it is no word."""


def words_of(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of each word in a part of the text."""
    return (match.span() for match in WORD.finditer(text, start, end))


Of = Literal["source", "latin", "translation", "final"]
"""The text of a bundle. `latin`: the translation before it is rendered in another script. `final`: the final text,
with unchanged excluded blocks."""
Row = dict[str, Any]


class BundleRows(NamedTuple):
    """All rows of one paragraph."""

    paragraph: Row
    sentences: list[Row]
    words: list[Row]


class Bundle:
    """Makes the rows of one bundle, paragraph by paragraph, in their order."""

    def __init__(self, of: Of) -> None:
        self._of = of
        self._shift = self._lines = 0
        """The difference of offsets and lines between the final text and the source, summed over all blocks before."""

    def rows(self, paragraph: Paragraph) -> BundleRows | None:
        """The rows of a paragraph; None if it is not in the bundle."""
        text, language = self._text(paragraph)
        start, line = paragraph.start + self._shift, paragraph.line + self._lines
        length = paragraph.end - paragraph.start
        if self._of == "final":
            written = paragraph.text if text is None else text
            length = len(paragraph.frame.around(written))
            self._shift += length - (paragraph.end - paragraph.start)
            self._lines += _line_ends(written) - _line_ends(paragraph.text)
        if text is None:
            return None
        row = {
            "paragraph_id": paragraph.id,
            "paragraph_index": paragraph.index,
            "kind": paragraph.block,
            "text": text,
            "content_hash": paragraph.source_hash,
            "start": start,
            "end": start + length,
            "line": line,
            "excluded_by_policy": paragraph.excluded is not None,
            "exclude_reason": paragraph.excluded,
        }
        sentences, words = _parts(paragraph.id, text, language) if paragraph.excluded is None else ([], [])
        return BundleRows(row, sentences, words)

    def _text(self, paragraph: Paragraph) -> tuple[str | None, str]:
        """The paragraph's text in the bundle, or None; and its language."""
        if self._of == "source" or (self._of == "final" and paragraph.excluded is not None):
            return paragraph.text, paragraph.source_language
        text = paragraph.draft if self._of == "latin" else paragraph.translation
        return text if text and paragraph.excluded is None else None, paragraph.target_language


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _parts(paragraph: str, text: str, language: str) -> tuple[list[Row], list[Row]]:
    """The rows of sentences and words."""
    sentences: list[Row] = []
    words: list[Row] = []
    for index, sentence in enumerate(sentences_in(text, language), 1):
        id = f"{paragraph}_s_{index:02d}"
        place = {"sentence_id": id, "paragraph_id": paragraph, "index": index}
        sentences.append({**place, "text": sentence.text, "start": sentence.start, "end": sentence.end})
        for number, (start, end) in enumerate(words_of(text, sentence.start, sentence.end), 1):
            where = {"paragraph_id": paragraph, "sentence_id": id, "index": number}
            words.append({**where, "text": text[start:end], "start": start, "end": end})
    return sentences, words


class Tokens:
    """`manuscript_tokens.json`, piece by piece: the counts come last, so that memory stays flat."""

    def __init__(self) -> None:
        self._paragraphs = self._sentences = self._words = 0

    def take(self, rows: BundleRows) -> bytes:
        places: dict[str, list[tuple[int, int]]] = {}
        for word in rows.words:
            places.setdefault(word["sentence_id"], []).append((word["start"], word["end"]))
        kept = ("sentence_id", "start", "end")
        sentences = [
            {**{name: one[name] for name in kept}, "words": places.get(one["sentence_id"], [])}
            for one in rows.sentences
        ]
        head = b",\n" if self._paragraphs else b'{"tokens":[\n'
        self._paragraphs += 1
        self._sentences += len(rows.sentences)
        self._words += len(rows.words)
        return head + dumps({"paragraph_id": rows.paragraph["paragraph_id"], "sentences": sentences})

    def end(self) -> bytes:
        counts = {"paragraphs": self._paragraphs, "sentences": self._sentences, "words": self._words}
        return (b"" if self._paragraphs else b'{"tokens":[') + b'\n],"counts":' + dumps(counts) + b"}\n"


Score = Annotated[float, Field(ge=0.0, le=1.0)]
ParagraphId = Annotated[str, Field(pattern=r"^p_\d{4,}$")]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class FileRow(BaseModel):
    """A row of a file. Keys that are not described are refused."""

    model_config = ConfigDict(extra="forbid")


class ParagraphState(FileRow):
    """A line of state/paragraph_state.jsonl."""

    paragraph_id: ParagraphId
    content_hash: Digest
    """The hash of the source paragraph's text, which never changes."""
    status: Status
    attempt: Annotated[int, Field(ge=1)]
    failure_history: list[str]
    scores: dict[str, Score]
    blocking_issues: list[str]
    updated_at: str
    excluded_by_policy: bool
    exclude_reason: str | None = None
    reason: str | None = None
    """Why it is in this state."""


class ParagraphScores(FileRow):
    """A line of state/paragraph_scores.jsonl."""

    paragraph_id: ParagraphId
    attempt: Annotated[int, Field(ge=1)]
    scores: dict[str, Score]
    """The lowest of all reviewers, by dimension."""
    hard_fail: bool
    reasons: list[str]
    by_reviewer: dict[str, dict[str, Score]]
    informational: dict[str, dict[str, float]]


class ReworkPacketRow(FileRow):
    """A line of state/rework_queue.jsonl."""

    paragraph_id: ParagraphId
    content_hash: Digest
    current_text: str
    source_text: str
    failure_reasons: list[str]
    failure_history: list[str]
    required_fixes: list[str]
    attempt: Annotated[int, Field(ge=1)]


class NormalizedReviewRow(BaseModel):
    """A line of review/normalized/*.jsonl. The first four fields are required; any others are optional."""

    paragraph_id: ParagraphId
    scores: dict[str, Score]
    issues: list[ReviewIssue]
    hard_fail: bool
    reviewer: str | None = None


class CandidateMapRow(FileRow):
    """A line of final/candidate_map.jsonl."""

    paragraph_id: ParagraphId
    paragraph_index: Annotated[int, Field(ge=1)]
    start_line: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]


class UnmappedIssue(FileRow):
    """An issue of a review without a paragraph."""

    reviewer: str
    category: str
    severity: Literal["critical", "error", "warning", "info"]
    description: str
    suggested_fix: str | None
    anchor: dict[Literal["line", "start_line", "end_line", "quote"], int | str]
    """The place that its reviewer gave; empty if none was given."""
    mapping_error: str
    """Why it could not be mapped to a paragraph."""


class GateBlocker(FileRow):
    """Something that prevents the publication of a run."""

    id: str
    state: str | None
    reason: str
    message: str
    issue: UnmappedIssue | None = None
    """Only for blockers that are not paragraphs: the issue."""


class GateReport(FileRow):
    """gate/gate_report.json: whether the run may be published, and every blocker by name."""

    run_id: str
    status: Literal["published", "awaiting_approval", "blocked", "stopped"]
    passed: bool
    required: int
    excluded: int
    counts: dict[Status, int]
    blockers: list[GateBlocker]
    approval: dict[str, Any] | None
    source: dict[str, Any]
    thresholds: dict[str, Score]
    hard_floor: dict[str, Score]
    stopped_because: str | None


class StageRecord(FileRow):
    """A phase of the run, in the manifest."""

    phase: str
    input: str
    output: str
    model: str | None
    """The model of the phase; None if it has none, or if `judges` review."""
    prompts: dict[str, str | None]
    judges: list[str] = []
    """Phase D: the models that review together."""
    critic: str | None = None
    """Phase D: the model behind the critics."""


class ManuscriptManifest(BaseModel):
    """manifest.json of a manuscript's run: the fields besides those of every manifest."""

    run_id: str
    language: str
    source_language: str
    pipeline_profile: Literal["standard_single_pass", "tamazight_two_pass"]
    semantic_language: str
    script_mode: dict[str, str]
    orthography: str | None
    stages: list[StageRecord]
    thresholds: dict[str, Score]
    rework_policy: dict[str, int]
    exclusion_policy: dict[str, Any]
    style_sheet: str | None
    critics: dict[str, str]
    counts: dict[Status, int]
    status: str
