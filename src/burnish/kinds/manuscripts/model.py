"""The model of a manuscript: paragraphs with their translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

from burnish.core.documents import Field, text_digest
from burnish.languages.detection import UNKNOWN_LANGUAGE
from burnish.languages.lexicon import Lexicon

BlockKind = Literal["paragraph", "heading", "list", "quote", "table", "code", "front_matter", "html", "rule"]
BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
CARRIED: frozenset[BlockKind] = frozenset({"code", "front_matter", "html", "rule"})
"""Blocks that are carried through unchanged and never sent to a translator."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The markers of a block: everything in the file that is not its text."""

    first: str = ""
    """Before the first line: `# `, `- `, `> `."""
    rest: str = ""
    """Before every further line: `> `, or the indentation of a list item."""
    last: str = ""
    """After the last line: the closing `##` of a heading, or its underline."""
    newline: str = "\n"
    """The line end inside the block."""

    def around(self, text: str) -> str:
        """The block with this text, as it is written in the file."""
        lines = text.split("\n")
        # A blank line gets no trailing spaces, which an editor would strip anyway.
        framed = [self.first + lines[0], *(self.rest + line if line else self.rest.rstrip() for line in lines[1:])]
        return self.newline.join(framed) + self.last


@dataclass(frozen=True)
class Paragraph:
    """One block of a manuscript and its translation: the unit."""

    id: str
    index: int
    """1-based, in the order of the source; excluded blocks count."""
    block: BlockKind
    text: str
    """The source, without the block's markers; lines end with `\\n` in any file."""
    translation: str = ""
    """In the script for readers. Empty: there is none yet."""
    latin: str | None = None
    """The translation before it was rendered in another script; None without a second pass."""
    frame: Frame = field(default_factory=Frame)
    start: int = 0
    """Where the block begins in the decoded source, in characters, markers included."""
    end: int = 0
    """Where it ends; text between two blocks belongs to neither."""
    line: int = 1
    """The line of the source on which it begins, 1-based."""
    source_language: str = UNKNOWN_LANGUAGE
    target_language: str = UNKNOWN_LANGUAGE
    excluded: str | None = None
    """Why it is out of scope (`code block`, a person's reason); None: it is to be translated."""

    @cached_property
    def source_hash(self) -> str:
        """The contract's `content_hash`: of the source text only, so it never changes."""
        return text_digest(self.text)

    @cached_property
    def content_hash(self) -> str:
        """The hash of the unit: of the source, together with the translation once there is one."""
        if not self.translation and self.latin is None:
            return self.source_hash
        return text_digest("\x00".join((self.text, self.translation, self.latin or "")))

    @property
    def draft(self) -> str:
        """The text that models write and repair: the translation, or the Latin text from which it is rendered."""
        return self.translation if self.latin is None else self.latin

    def texts(self) -> Mapping[Field, str]:
        """Findings point into the translation."""
        return {None: self.translation}

    def with_text(self, field: Field, text: str) -> Self:
        if field is not None:
            raise KeyError(field)
        return replace(self, translation=text)

    def line_of(self, field: Field, start: int | None) -> int | None:
        return self.line

    def as_record(self) -> dict[str, Any]:
        # Not with `asdict`, which copies every text: this is called several times for every paragraph of a book.
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**record, "frame": {name: getattr(self.frame, name) for name in Frame.__dataclass_fields__}}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(**{**record, "frame": Frame(**record["frame"])})


@dataclass(frozen=True)
class Term:
    """One entry of a glossary."""

    source: str
    target: str
    """The required rendering; for a do-not-translate name, the name itself."""
    note: str = ""
    keep: bool = False
    """Do not translate: the translation must hold it unchanged."""


def pair(languages: str, text: str, translation: str, **more: Any) -> dict[str, Any]:
    """An example of a check: a paragraph and its translation; `languages` are those of the two, such as `en>es`."""
    source, target = languages.split(">")
    return {"text": text, "translation": translation, "source_language": source, "target_language": target, **more}


@dataclass(frozen=True)
class ManuscriptContext:
    """Facts for the checks besides the paragraph."""

    glossary: tuple[Term, ...] = ()
    names: Mapping[str, float] = field(default_factory=dict)
    """A name of the source -> the share of its paragraphs whose translation holds it, too. Empty until the whole is
    translated. A name that is kept nearly everywhere else but not in this paragraph is inconsistent."""
    lexicon: Lexicon | None = None
    """The user's own, which takes precedence over those of Burnish."""
    misplaced: Mapping[str, str] = field(default_factory=dict)
    """Paragraph id -> the neighbour whose source its translation fits."""
