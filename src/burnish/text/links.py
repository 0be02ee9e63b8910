"""Links that lead nowhere because of how they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block, Link

TARGET = r"(?:https?://|mailto:|www\.|/[\w-]+/)"
SPACED = re.compile(rf"(?<!\])\[(?P<text>[^\[\]\n]{{1,200}})\][ \t]+\((?P<target>{TARGET}[^\s()]+)\)")
REVERSED = re.compile(r"\((?P<text>[^()\[\]\n]{1,200})\)\[(?P<target>https?://[^\s\[\]]+)\]")
UNCLOSED = re.compile(rf"(?<!\\)\[(?P<text>[^\[\]\n]{{1,200}})\]\((?P<target>{TARGET}[^\s()<>\"]+)(?=\s|$)")
MALFORMED = re.compile(
    r"^(?:https?:/?[^/]|https?//|htt?ps?:?\\\\|hhttps?:|htps?:|http:///|https?://https?:)", re.IGNORECASE
)
PLACEHOLDER = re.compile(
    r"^(?:url|link|todo|tbd|insert[\w -]*|your[\w -]*|placeholder|enlace|lien|ссылка)$", re.IGNORECASE
)
USED = re.compile(r"\[\^([^\]\s]{1,60})\](?!:)")
NAMED_ANCHOR = re.compile(r"""\b(?:id|name)\s*=\s*["']?([\w:.-]{1,120})|\{:?[^{}\n]*#([\w:.-]{1,120})[^{}\n]*\}""")
LIKE_A_LABEL = re.compile(r"[^\W\d_]{2}")


def normal_label(label: str) -> str:
    """Labels are compared without case and with single blanks."""
    return " ".join(label.lower().split())


def labels(view: Markdown) -> set[str]:
    """Labels that the text defines: of links, and of footnotes with `^` before them."""
    found = {normal_label(block.marker) for block in view.blocks if block.kind == "definition"}
    return found | {f"^{normal_label(block.marker)}" for block in view.blocks if block.kind == "footnote"}


def anchor_key(name: str) -> str:
    """What is left of an anchor whichever way a site makes it from a heading: letters and digits without accents."""
    plain = unicodedata.normalize("NFKD", name.lower())
    return "".join(sign for sign in plain if sign.isalnum())


def named_anchors(text: str) -> list[str]:
    """Anchors that tags and attributes of a text name."""
    return [name for names in NAMED_ANCHOR.findall(text) for name in names if name]


def undefined(view: Markdown, defined: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Uses of labels that nothing defines: where, and the label."""
    for link in view.links:
        if link.form == "inline":
            continue
        text = view.text[link.text_start : link.text_end]
        label = text if link.form == "collapsed" else view.text[link.target_start : link.target_end]
        before = view.text[link.start - 1] if link.start else " "
        # "a[0][1]" is an element of an array.
        is_array = before.isalnum() or not LIKE_A_LABEL.search(label + text)
        if normal_label(label) not in defined and not is_array and not label.startswith("^"):
            yield link.start, link.end, label
    if "[^" in view.text:
        yield from _undefined_footnotes(view, defined)


def _undefined_footnotes(view: Markdown, defined: Collection[str]) -> Iterator[tuple[int, int, str]]:
    for block in view.prose_blocks:
        for use in USED.finditer(view.prose, block.start, block.end):
            if f"^{normal_label(use[1])}" not in defined:
                yield use.start(), use.end(), f"^{use[1]}"


def broken_links(view: Markdown, defined: Collection[str]) -> Iterator[Slip]:
    """Links whose marks are wrong (these can be mended), and links to nothing."""
    if "](" in view.text or "] (" in view.text or ")[" in view.text or "]\t(" in view.text:
        whole = {link.start for link in view.links}
        for block in view.prose_blocks:
            yield from _miswritten(view, block, whole)
    for link in view.links:
        if link.form == "inline":
            yield from _target(view, link)
    for start, end, label in undefined(view, defined):
        yield Slip(
            start, end, f"Nothing defines {label!r}.", "Define it, or take the reference away.", severity="warning"
        )


def _miswritten(view: Markdown, block: Block, whole: set[int]) -> Iterator[Slip]:
    text = view.text
    for pattern, message, suggestion in (
        (SPACED, "A blank stands between the words and the target, so that this is no link.", "Take the blank away."),
        (REVERSED, "The brackets are the wrong way round, so that this is no link.", "Write [words](target)."),
        (UNCLOSED, "The target of this link is never closed.", "Close it with ')'."),
    ):
        for match in pattern.finditer(text, block.start, block.end):
            # Code and formulas are blanked in the prose: what stands in them is shown, not meant.
            shown = view.prose[match.start()] != text[match.start()]
            if shown or match.start() in whole or (pattern is UNCLOSED and match.end() == block.end):
                continue
            mended, rest = f"[{match['text']}]({match['target']})", ""
            if pattern is UNCLOSED and (stop := match["target"][-1]) in ".,;:!?":
                mended, rest = f"[{match['text']}]({match['target'][:-1]})", stop
            yield Slip(match.start(), match.end(), message, suggestion, replacement=mended + rest)


def _target(view: Markdown, link: Link) -> Iterator[Slip]:
    target = view.text[link.target_start : link.target_end].strip()
    words = view.text[link.text_start : link.text_end]
    if not target and not link.image and words.strip():
        message = "This link has no target."
        yield Slip(link.start, link.end, message, "Give it a target, or leave only the words.", replacement=words)
    elif not target or PLACEHOLDER.match(target.strip("<>")):
        message = f"The target of this {'image' if link.image else 'link'} was never filled in."
        yield Slip(link.start, link.end, message, "Give it its target.", severity="warning")
    elif MALFORMED.match(target):
        message = f"The address {target[:60]!r} is misspelt."
        yield Slip(link.start, link.end, message, "Spell the address out, with https://.", severity="warning")
