"""What is ordered of a translation, and between which languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish.core.documents import Material
from burnish.core.errors import InputError, UsageError
from burnish.engine.plan import DocumentPlan
from burnish.kinds.manuscripts.formats import source_text
from burnish.kinds.manuscripts.resources import TAMAZIGHT, TWO_PASSES
from burnish.languages.detection import KNOWN, language_of
from burnish.languages.tags import is_known, primary_tag

APERTIUM = "apertium:"
KABYLE = "kab"
SAMPLED = 20_000
"""Characters of a book by which its language is told."""


@dataclass(frozen=True, slots=True)
class TranslationOrder:
    """What a user asks of `translate`, beyond the settings. None: not said, so it stays as it was or is the default."""

    run_id: str
    source: str | None = None
    to: str | None = None
    source_language: str | None = None
    profile: str | None = None
    orthography: str | None = None
    translator: str | None = None
    memories: tuple[str, ...] = ()
    glossary: str | None = None
    draft: str | None = None
    exclude: str | None = None
    reviews: tuple[str, ...] = ()
    critics: str | None = None
    style: str | None = None
    max_attempts: int | None = None
    batch: int | None = None
    auto_merge: bool = False
    reauthorize: bool = False

    def files(self) -> dict[str, tuple[str, ...]]:
        """Role -> the paths that were named for it."""
        single = {"glossary": self.glossary, "draft": self.draft, "exclude": self.exclude, "style": self.style}
        several = {"memory": self.memories, "review": self.reviews}
        folder = {"critic": (self.critics,) if self.critics else ()}
        return {**{role: (path,) if path else () for role, path in single.items()}, **several, **folder}


def language_named(name: str, option: str) -> str:
    """The tag of a language that the user names by code or by its English name."""
    tag = primary_tag(name)
    if tag is not None and tag.startswith(("tamazight", "tifinagh", "amazigh")):
        return "zgh"
    if tag in ("kabyle", "taqbaylit"):
        return KABYLE
    if tag is None or not is_known(tag):
        raise UsageError(
            f"{name!r} is no language that Burnish knows.",
            hint=f"{option} takes a code or an English name, such as es, fra, Russian, kab or tamazight.",
        )
    return tag


def source_language_of(given: str | None, document: DocumentPlan) -> str:
    if given is not None:
        return language_named(given, "--from")
    with Path(document.path).open("rb") as stream:
        head = source_text(stream.read(), document.path)[:SAMPLED]
    found = language_of(head)
    if found is None:
        raise UsageError("The language of the source cannot be told.", hint="Name it with --from LANG.")
    return found


def target_of(order: TranslationOrder, profile: str, unsaid: str) -> tuple[str, str]:
    """The target language and its orthography. `unsaid`: how Tamazight is spelled where the order does not say so."""
    named = language_named(order.to, "--to") if order.to is not None else None
    if named == KABYLE:
        if order.orthography not in (None, "kabyle"):
            raise UsageError(
                f"Kabyle is not spelled in the {order.orthography} orthography.",
                hint="Leave --orthography out, or name another language with --to.",
            )
        return KABYLE, "kabyle"
    orthography = order.orthography or unsaid
    if profile != TWO_PASSES:
        if named is None:
            raise UsageError("The target language is missing.", hint="Name it with --to LANG.")
        return named, orthography
    if named is not None and named not in TAMAZIGHT:
        raise UsageError(
            f"{TWO_PASSES} is for Tamazight, not for {order.to}.", hint="Leave --to out, or --pipeline-profile."
        )
    return KABYLE if orthography == "kabyle" else "zgh", orthography


def refuse_contradictions(options: Mapping[str, Any], beside: Mapping[str, Sequence[Material]]) -> None:
    """Languages that cannot all be meant, told before anything is translated into the wrong one."""
    source, target, translator = options["source"], options["target"], str(options["translator"])
    if source == target:
        raise UsageError(
            f"The source is in {source!r} already, the language to translate into.",
            hint="Name another language with --to, or that of the source with --from.",
        )
    if translator.startswith(APERTIUM):
        pair = [primary_tag(code) for code in translator.removeprefix(APERTIUM).split("-")[:2]]
        if pair != [source, target]:
            raise UsageError(
                f"{translator} does not translate from {source!r} into {target!r}.",
                hint="Name another pair, or other languages with --from and --to.",
            )
    for draft in beside.get("draft", ()):
        found = language_of(source_text(draft.data, draft.path)[:SAMPLED])
        if found != target and (found == source or (found in KNOWN and target in KNOWN)):
            raise InputError(
                f"The draft is in {found!r}, not in {target!r}.",
                path=draft.path,
                code="wrong_language",
                hint="Bring a translation into the language that --to names.",
            )
