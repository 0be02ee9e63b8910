"""The languages and scripts of a book: what its columns are called, and what `lang` says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.kinds.manuscripts.equipment import TWO_PASSES
from burnish.kinds.manuscripts.model import Paragraph
from burnish.web.kinds.names import lang_tag, language_word

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

LATIN, TIFINAGH = "Latn", "Tfng"


@dataclass(frozen=True, slots=True)
class Column:
    """One text of every paragraph."""

    label: str
    note: str
    """How it came about, in a word or two."""
    lang: str | None
    tifinagh: bool = False


@dataclass(frozen=True, slots=True)
class Tongues:
    """The texts of a book, side by side."""

    source: Column
    latin: Column | None
    """None: there is one script."""
    target: Column

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(one for one in (self.source, self.latin, self.target) if one is not None)

    @property
    def words(self) -> str:
        """`English to Kabyle, Latin and Tifinagh`."""
        into = self.target.label if self.latin is None else f"{self.latin.label} and Tifinagh"
        return f"{self.source.label} to {into}"


def tongues_of(run: RunCatalogue) -> Tongues:
    """As the run was ordered."""
    options = run.view.plan.arguments.get("options", {})
    return tongues(options.get("source"), options.get("target"), renders=options.get("profile") == TWO_PASSES)


def tongues_in(paragraph: Paragraph) -> Tongues:
    """As a paragraph itself shows them."""
    return tongues(paragraph.source_language, paragraph.target_language, renders=paragraph.latin is not None)


def tongues(source: str | None, target: str | None, *, renders: bool) -> Tongues:
    from_, to = language_word(source) or "Source", language_word(target) or "Translation"
    told = Column(from_, "source", lang_tag(source))
    if not renders:
        return Tongues(told, None, Column(to, "translation", lang_tag(target)))
    latin = Column(f"{to}, Latin", "pass 1", lang_tag(target, LATIN))
    return Tongues(told, latin, Column(f"{to}, Tifinagh", "by rules", lang_tag(target, TIFINAGH), tifinagh=True))
