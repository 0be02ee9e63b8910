"""The lines of a canonical bundle as shapes: for schemas, and to check them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from burnish.kinds.manuscripts.model import BlockKind


class Closed(BaseModel):
    """A key that is not described here is not written."""

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
    """Of the UTF-8 source paragraph: the same in every bundle of a run."""
    start: int = Field(ge=0)
    """Where the block begins, in characters: in the final text for its own bundle, in the source for all others."""
    end: int = Field(ge=0)
    line: int = Field(ge=1)
    """On which it begins, 1-based, in the same text."""
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
    """The words of one sentence, as places in the paragraph's text."""

    sentence_id: str
    start: int
    end: int
    words: tuple[tuple[int, int], ...]


class ParagraphTokens(Closed):
    """The sentences of one paragraph."""

    paragraph_id: str
    sentences: tuple[SentenceTokens, ...]


class TokenCounts(Closed):
    """How many of each there are."""

    paragraphs: int
    sentences: int
    words: int


class ManuscriptTokens(Closed):
    """`manuscript_tokens.json`: everything as places, without the texts."""

    tokens: tuple[ParagraphTokens, ...]
    counts: TokenCounts
