"""Drafts: a translation that exists already, laid beside its source block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.model import CARRIED, Paragraph
from burnish.kinds.manuscripts.pairing import are_shifted, pairings
from burnish.languages.detection import are_kin, sure_language
from burnish.languages.lexicon import Lexicon
from burnish.languages.tags import UNKNOWN_LANGUAGE

FEWEST_PAIRED = 0.5
"""A draft in which fewer blocks of the source have a translation is that of another text."""
SAMPLED = 100
"""Blocks of a draft by which its language is told."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A draft beside its source."""

    texts: dict[str, str]
    """Paragraph id -> its translation in the draft."""
    unpaired: tuple[str, ...] = ()
    """Blocks of either file that belong to none of the other, in words."""
    other_language: str | None = None
    """The language that the draft looks like, where that is not the one that was said."""


def align(
    paragraphs: Iterable[Paragraph],
    draft: bytes,
    path: str,
    format: BookFormat,
    *,
    source_format: BookFormat | None = None,
    languages: tuple[str, str] = (UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
    own: Lexicon | None = None,
) -> Aligned:
    """The translation of each paragraph. InputError where the draft is that of another text.

    Files that are built alike are paired block by block, unless that shifts a run of them; else paragraphs are laid
    beside those they answer, and a paragraph that was cut in two is joined again. Where the formats differ, blocks are
    only counted. Code, front matter and raw HTML are the source's own, so it does not matter whether the draft has
    them. A blank block of the draft is no translation and left out.
    """
    same_format = source_format in (None, format)
    theirs = [one for one in _read(draft, path, format) if one.block not in CARRIED]
    ours = [one for one in paragraphs if one.block not in CARRIED]
    is_alike = len(ours) == len(theirs) and (
        not same_format or all(one.block == other.block for one, other in zip(ours, theirs, strict=True))
    )
    if is_alike and not are_shifted(ours, theirs, languages, own):
        aligned = Aligned(_taken((one, other.text) for one, other in zip(ours, theirs, strict=True)))
    else:
        aligned = _paired(ours, theirs, path, languages, own)
    return replace(aligned, other_language=_other_language(theirs, *languages))


def _other_language(blocks: Sequence[Paragraph], source: str, target: str) -> str | None:
    if target == UNKNOWN_LANGUAGE:
        return None
    found = sure_language("\n\n".join(block.text for block in islice(blocks, SAMPLED)))
    return found if found not in (None, target) and (found == source or not are_kin(found, target)) else None


def _taken(pairs: Iterable[tuple[Paragraph, str]]) -> dict[str, str]:
    """What a person left out takes no translation."""
    return {one.id: text for one, text in pairs if one.excluded is None and text.strip()}


def _paired(
    ours: Sequence[Paragraph],
    theirs: Sequence[Paragraph],
    path: str,
    languages: tuple[str, str],
    own: Lexicon | None,
) -> Aligned:
    found: list[tuple[Paragraph, str]] = []
    alone: list[str] = []
    for pairing in pairings(ours, theirs, languages, own):
        some, others = [ours[place] for place in pairing.ours], [theirs[place] for place in pairing.theirs]
        if len(some) == 1 and others:
            found.append((some[0], "\n".join(other.text for other in others)))
            continue
        # One block of the draft cannot stand for two of the source: both are translated anew.
        both = " One block of the draft answers both." if len(some) > 1 else ""
        alone += [f"No block of the draft answers the source's {_named(one)}.{both}" for one in some]
        alone += [f"No block of the source asks for the draft's {_named(one)}." for one in others if not some]
    if len(found) < FEWEST_PAIRED * len(ours):
        raise InputError(
            f"The draft has {len(theirs)} blocks, the source {len(ours)}, and only {len(found)} of them belong "
            f"together. {alone[0]}",
            path=path,
            code="draft_parts",
            hint="Name the translation of this source, and its languages with --from and --to.",
        )
    return Aligned(_taken(found), tuple(alone))


def _read(draft: bytes, path: str, format: BookFormat) -> Iterator[Paragraph]:
    for part in read_manuscript(draft, path, format):
        if isinstance(part, Paragraph):
            yield part
        # Problems that hide no block are those of the source, which are told there.
        elif part.blocks:
            raise InputError(part.message, path=path, line=part.line, code=part.code, hint=part.hint)


def _named(block: Paragraph) -> str:
    kind = "list item" if block.block == "list" else block.block
    return f"{kind} in line {block.line} ({shown(block.text)})"


def shown(text: str) -> str:
    """The beginning of a text, on one line and without control characters."""
    plain = " ".join("".join(islice((sign if sign.isprintable() else " " for sign in text), 200)).split())
    return repr(plain if len(plain) <= 40 else f"{plain[:40]}…")
