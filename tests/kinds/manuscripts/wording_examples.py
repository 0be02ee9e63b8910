"""Runs the examples that rules of vocabulary and style carry: the paragraph that an example describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.checks import Check, run_checks, select
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, Term


def example(partial: Mapping[str, Any]) -> tuple[Paragraph, ManuscriptContext]:
    """`glossary` (dictionaries of a Term) and `names` describe the context, all else the paragraph."""
    own = {key: value for key, value in partial.items() if key not in ("glossary", "names")}
    glossary = tuple(Term(**entry) for entry in partial.get("glossary", ()))
    paragraph = Paragraph(**{"id": "p_0001", "index": 1, "block": "paragraph", **own})
    return paragraph, ManuscriptContext(glossary, partial.get("names", {}))


def said(check: Check, partial: Mapping[str, Any]) -> list[Finding]:
    paragraph, context = example(partial)
    return run_checks(select([check]), [check], paragraph, context)
