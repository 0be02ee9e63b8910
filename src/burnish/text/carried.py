"""What a translation carries over as it is: addresses, code, formulas, tags and placeholders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from burnish.core.protected import Part, PartKind, parts
from burnish.languages.cache import kept
from burnish.text.markdown import markdown

LABEL = re.compile(r"[ \t]*\[[^\]\n]{1,999}\]:")
BARE_ADDRESS = re.compile(r"(?<![(\w])(?<!\]: )(?:https?|ftp)://")
"""Not the target of a link, and not the definition of one."""
SHORTCUT = re.compile(r"(?<![\]\\!\w])\[(?!\^)[^\[\]\n]{2,200}\](?![(\[:])")
"""`[words]`, which is a link where the words are defined as one."""

NOTE_MARK = re.compile(r"(?<=\S)\[\^[^\]\s]{1,60}\]|\[\^[^\]\s]{1,60}\](?!:)")
"""The mark of a footnote in the text; not the note itself, which begins its line with the mark and a colon."""


@kept
def carried(text: str) -> tuple[Part, ...]:
    """Every part of the text that is carried over, in order."""
    return tuple(parts(text))


class Difference(NamedTuple):
    """Parts of some kinds that one side has and the other has not."""

    lost: list[str]
    new: list[str]
    fewer: int
    """How many parts fewer there are in all; below nothing where there are more."""


def difference(source: str, target: str, kinds: Iterable[PartKind]) -> Difference:
    wanted = set(kinds)
    ours, theirs = (Counter(_bare(part) for part in carried(text) if part.kind in wanted) for text in (source, target))
    return Difference(list((ours - theirs).elements()), list((theirs - ours).elements()), ours.total() - theirs.total())


def _bare(part: Part) -> str:
    """An address is the same whatever its label and its title are called."""
    if part.kind != "address":
        return " ".join(part.text.split())
    label = LABEL.match(part.text)
    target = part.text[label.end() :] if label is not None else part.text
    return target.split(maxsplit=1)[0].strip("<>") if target.strip() else ""


def links(text: str) -> int:
    """How many links, images and bare addresses a text has, however they are written."""
    return len(markdown(text).links) + len(BARE_ADDRESS.findall(text)) + len(SHORTCUT.findall(text))
