"""From files to equipment: what is read beside a manuscript, each in its own format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import PurePath
from typing import Any

from burnish.core.kinds import Material
from burnish.kinds.manuscripts.asks import PROMPTS, SHIPPED_CRITICS
from burnish.kinds.manuscripts.equipment import Brought, Equipment, Terms
from burnish.kinds.manuscripts.materials.critics import Critic, read_critic, read_critics
from burnish.kinds.manuscripts.materials.exclusions import Exclusions
from burnish.kinds.manuscripts.materials.glossary import read_glossary
from burnish.kinds.manuscripts.materials.reviews import ForeignIssue, read_review
from burnish.kinds.manuscripts.materials.style_sheet import StyleSheet, read_style_sheet
from burnish.kinds.manuscripts.model import Term

ROLES = ("manuscript", "memory", "glossary", "draft", "exclude", "review", "critic", "style")
"""What a file beside a manuscript may be. `manuscript` is the source itself, for a draft to be laid beside."""


def equipped(materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> Equipment:
    """Everything a run has at hand. Memories and drafts, which may be large, are read when they are first asked for."""
    terms = Terms.of(options)
    return Equipment(
        terms=terms,
        glossary=_glossary(materials.get("glossary", ()), terms),
        exclusions=_exclusions(materials.get("exclude", ())),
        critics=_critics(materials.get("critic", ())),
        style=_style(materials.get("style", ())),
        reviews=_reviews(materials.get("review", ())),
        memories=tuple(materials.get("memory", ())),
        brought=_brought(materials.get("manuscript", ()), materials.get("draft", ())),
    )


def _glossary(given: Sequence[Material], terms: Terms) -> tuple[Term, ...]:
    return tuple(term for one in given for term in read_glossary(one.data, one.path, terms.source, terms.target))


def _brought(manuscript: Sequence[Material], draft: Sequence[Material]) -> Brought | None:
    return Brought(manuscript[0], draft[0]) if manuscript and draft else None


def _exclusions(given: Sequence[Material]) -> Exclusions | None:
    return Exclusions.read(given[0].data, given[0].path) if given else None


def _style(given: Sequence[Material]) -> StyleSheet | None:
    return read_style_sheet(given[0].data, given[0].path) if given else None


def _reviews(given: Sequence[Material]) -> tuple[ForeignIssue, ...]:
    return tuple(issue for one in given for issue in read_review(one.data, one.path, PurePath(one.name).stem))


def _critics(given: Sequence[Material]) -> tuple[Critic, ...]:
    """The operator's own; else the set that is shipped."""
    if not given:
        return tuple(_shipped(name) for name in SHIPPED_CRITICS)
    return read_critics(given)


def _shipped(name: str) -> Critic:
    file = resources.files(PROMPTS) / "critics" / f"{name}.md"
    return read_critic(file.read_bytes(), str(file), name)
