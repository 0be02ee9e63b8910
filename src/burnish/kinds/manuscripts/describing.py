"""How doors show manuscripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.checks import Check
from burnish.core.kinds import Illustration, Pictured, Remark, Table
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, Term


def describe(facts: Mapping[str, Any]) -> list[Remark | Table]:
    """What the overview of a pair says."""
    if not facts.get("paragraphs"):
        return []
    words = f"{facts['source_words']:,} words against {facts['target_words']:,}"
    size = f"{facts['paragraphs']:,} paragraphs, {words}, {facts['source_language']} to {facts['target_language']}"
    scores = ", ".join(f"{name} {score:.2f}" for name, score in facts["lowest_scores"].items())
    return [Remark("size", size), Remark("lowest", scores)] if scores else [Remark("size", size)]


def shown(paragraph: Paragraph) -> str:
    """A paragraph as a person reads it: the source, and what there is of a translation."""
    texts = [paragraph.text]
    texts += [paragraph.latin] if paragraph.latin is not None else []
    texts += [paragraph.translation] if paragraph.translation else []
    return "\n\n".join(texts)


def illustration(check: Check, partial: Mapping[str, Any]) -> Illustration:
    """A check's example: a paragraph and its translation, with a glossary or names where the check needs them."""
    facts = dict(partial)
    glossary = tuple(Term(**term) for term in facts.pop("glossary", ()))
    names = facts.pop("names", {})
    paragraph = Paragraph(**{"id": "p_0001", "index": 1, "block": "paragraph", **facts})
    pictures = (
        Pictured(paragraph.text, f"{paragraph.source_language}: "),
        Pictured(paragraph.translation, f"{paragraph.target_language}: ", paragraph.id, None),
        *(Pictured(f"{term.source} = {term.target}", "glossary: ") for term in glossary),
    )
    return Illustration(paragraph, ManuscriptContext(glossary, names), pictures)
