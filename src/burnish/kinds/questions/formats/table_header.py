"""The header of a table: which column holds what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import regex

from burnish.kinds.questions.formats.base import CARRIABLE
from burnish.kinds.questions.formats.cells import DELIMITERS, cells
from burnish.kinds.questions.formats.drafting import option_key
from burnish.kinds.questions.formats.limits import OPTIONS
from burnish.kinds.questions.formats.places import TooComplex
from burnish.kinds.questions.model import Question

METADATA = tuple(sorted(name.removeprefix("metadata.") for name in CARRIABLE if name.startswith("metadata.")))
LISTS = frozenset({"slo_ids", "concept_ids", "keywords", "burnish_ignore"})
NAMES = {
    **dict.fromkeys(("id", "question_id", "qid", "item_id"), "id"),
    **dict.fromkeys(("stem", "question", "question_text", "questiontext"), "stem"),
    **dict.fromkeys(("correct", "answer", "key", "correct_answer", "answer_key", "correct_option"), "correct_answer"),
    **dict.fromkeys(("rationale", "explanation", "feedback"), "rationale"),
    **{name: name for name in ("vignette", "type", "language", "burnish_ignore")},
    **{name: f"metadata.{name}" for name in METADATA},
    **{f"metadata.{name}": f"metadata.{name}" for name in METADATA},
}
OPTION = regex.compile(r"(?:(?:option|choice|answer|distractor)_?)?([a-z])|(?:option|choice|answer)_?(\d{1,3})")
SEPARATORS = regex.compile(r"[\s_-]+")
RESERVED = frozenset(Question.model_fields)


@dataclass(frozen=True, slots=True)
class Header:
    """Which column holds what."""

    delimiter: str
    fields: Mapping[str, int]
    """Our name -> column."""
    options: tuple[tuple[str, int], ...]
    """Key and column of each option."""
    labels: Mapping[str, str]
    """What an answer may call an option by (`1`) -> its key."""
    others: Mapping[str, int]
    """Columns that we carry and do not know."""
    width: int

    @property
    def usable(self) -> bool:
        return "stem" in self.fields and "correct_answer" in self.fields and len(self.options) > 1


def header_of(line: str, delimiter: str) -> Header:
    """What the first record of a table says."""
    fields: dict[str, int] = {}
    options: list[tuple[str, int]] = []
    labels: dict[str, str] = {}
    others: dict[str, int] = {}
    names = [cell.text.strip() for cell in cells(line, delimiter)]
    for column, name in enumerate(names):
        plain = SEPARATORS.sub("_", name.lower())
        known, option = NAMES.get(plain), OPTION.fullmatch(plain)
        if known is not None and known not in fields:
            fields[known] = column
        elif option is not None and len(options) < OPTIONS:
            key = option.group(1).upper() if option.group(1) else option_key(len(options))
            options.append((key, column))
            labels[option.group(2) or key] = key
        elif name and name not in others and name not in RESERVED:
            others[name] = column
    return Header(delimiter, fields, tuple(options), labels, others, len(names))


def sniffed(line: str) -> Header | None:
    """The header under the delimiter that makes most of it, or None where it is no header of a bank."""
    try:
        headers = [header for delimiter in DELIMITERS if (header := header_of(line, delimiter)).usable]
    except TooComplex:
        return None
    return max(headers, key=lambda header: len(header.fields) + len(header.options), default=None)
