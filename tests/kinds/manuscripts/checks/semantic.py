"""Paragraphs for the tests of the rules of semantic fidelity."""

from collections.abc import Mapping
from typing import Any

from burnish.core.checks import Check, run_checks, select
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph


def pair(source: str, translation: str, languages: str = "en-es") -> Paragraph:
    source_language, _, target_language = languages.partition("-")
    return of({"text": source, "translation": translation}, source_language, target_language)


def of(example: Mapping[str, Any], source_language: str = "en", target_language: str = "es") -> Paragraph:
    given = {"source_language": source_language, "target_language": target_language, **example}
    given.pop("misplaced", None)
    return Paragraph(**{"id": "p_0001", "index": 1, "block": "paragraph", **given})


def raised(check: Check, paragraph: Paragraph, misplaced: Mapping[str, str] | None = None) -> list[Finding]:
    return run_checks(select([check]), [check], paragraph, ManuscriptContext(misplaced=misplaced or {}))


def blocks(check: Check, source: str, translation: str, languages: str = "en-es") -> bool:
    """Whether the rule fails this pair."""
    return any(finding.blocks for finding in raised(check, pair(source, translation, languages)))
