"""Text that was meant to be replaced, and never was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block

_ORDERS = (
    r"(?:please )?(?:insert|add|put|write|enter|fill in|describe|provide|include|your|replace|placeholder|to be|tbd|tba"
    r"|todo|fixme|content|example|text|image|link|topic|lesson|section|explanation)\b[^\[\]<>\n]{0,120}"
    r"(?:\bhere\b|\.\.\.|…|\b(?:added|written|completed|filled in|determined|inserted|announced)\b)[^\[\]<>\n]{0,20}",
    r"(?:insert|placeholder|tbd|tba|todo|fixme)\b(?=: | \w)[^\[\]<>\n]{0,120}|(?:placeholder|tbd|tba|todo|fixme)",
    r"(?:insert[ae]r?|añad[ei]r?|agregue|escrib[ae]|(?:por )?completar|por (?:definir|hacer))\b[^\[\]\n]{0,120}",
    r"(?:insérer|insérez|ajouter|ajoutez|à compléter|à définir)\b[^\[\]\n]{0,120}",
    r"[^\[\]\n]{0,60}\b(?:einfügen|ergänzen|hier einsetzen)",
    r"(?:inserire|inserisci|aggiungi|da completare|inserir|insira|adicionar|a completar)\b[^\[\]\n]{0,120}",
    r"(?:вставьте|вставить|добавьте|добавить|впишите|заполнить|здесь будет)\b[^\[\]\n]{0,120}",
    r"(?:在此|请|此处)[^\[\]【】\n]{0,40}(?:插入|填写|添加|输入)[^\[\]【】\n]{0,40}",
)
OPENING = re.compile(r"[\[<【]")
BRACKETED = re.compile(
    "|".join(
        rf"(?<![\w\])!\\]){opening}(?:{'|'.join(_ORDERS)}){closing}(?![\[(:])"
        for opening, closing in ((r"\[", r"\]"), ("<", ">"), ("【", "】"))
    ),
    re.IGNORECASE,
)
"""In brackets, an order to the author. A link or a reference is none."""

NOTES = re.compile(
    r"(?:TODO|FIXME|TBD|TBA|XXX+|TK TK|PENDIENTE|À COMPLÉTER|ПОДЛЕЖИТ УТОЧНЕНИЮ)(?=\s*(?:[:：\-–—]|$))"
    r"|(?:to be (?:added|written|completed|determined|continued)|coming soon|content (?:goes|will go) here"
    r"|(?:your )?text (?:goes )?here|work in progress|placeholder(?: text)?|under construction"
    r"|por completar|próximamente|en construcción|à venir|demnächst|folgt noch|in arrivo|em breve|скоро будет)\W*$",
    re.IGNORECASE,
)
"""At the beginning of a block: a note to oneself instead of text. The words in capitals only as capitals."""
CAPITALS = re.compile(r"[A-ZÀ-ÞЀ-Я ]{2,}")
LOREM = re.compile(r"\blorem ipsum\b(?P<more>\s+dolor)?", re.IGNORECASE)
DOTS = re.compile(r"(?:\.{2,}|…|\?{2,}|x{3,}|n/?a|none|null|undefined|nan|string)+\.?", re.IGNORECASE)
"""A whole text that is only this was never written."""
TEMPLATE = re.compile(r"\{\{\s*[\w.]+\s*\}\}|<<\s*[A-Za-z_ ]{2,40}\s*>>|%%[A-Z_]{3,40}%%")
QUOTES = "\"'“‘«„`*_"
MARKS = "".join(("*_`#>-", " \t\r\n", "\"'", "()[]{}<>"))
SUGGESTION = "Write what belongs here."


def is_placeholder(text: str) -> bool:
    """Whether a whole text is nothing but a placeholder."""
    bare = text.strip(MARKS)
    if not bare:
        return bool(DOTS.fullmatch(text.strip()))
    note = NOTES.match(bare)
    return bool(DOTS.fullmatch(bare)) or (note is not None and not bare[note.end() :].strip(".…!: "))


def placeholders(view: Markdown) -> Iterator[Slip]:
    """Every placeholder of a text."""
    text = view.text
    if len(text) < 200 and text.strip() and is_placeholder(text):
        yield _slip(0, len(text.rstrip()), text.strip()[:60])
        return
    has_filler = "orem ipsum" in view.prose
    for block in view.prose_blocks:
        yield from _in_block(view, block)
        if has_filler:
            yield from _lorem(view, block)


def _in_block(view: Markdown, block: Block) -> Iterator[Slip]:
    prose = view.prose
    note = NOTES.match(prose, block.start, block.end)
    if note is not None and _is_note(view, note, block):
        yield _slip(note.start(), note.end(), note.group())
    for sign in OPENING.finditer(view.text, block.start, block.end):
        match = BRACKETED.match(view.text, sign.start(), block.end)
        if match is not None and text_is_prose(view, match.start()) and not _quoted(view.text, match):
            yield _bracketed(view, match, block)


def _bracketed(view: Markdown, match: re.Match[str], block: Block) -> Slip:
    """An order where a text should stand. Inside a sentence it may be what a learner is to put in."""
    before = view.text[block.start : match.start()].rstrip()
    after = view.text[match.end() : block.end].strip(" .!")
    stands_alone = (not before or before[-1] in ".!?:") and (not after or after[0] == "\n" or after[0].isupper())
    slip = _slip(match.start(), match.end(), match.group())
    return slip if stands_alone else replace(slip, severity="warning")


def text_is_prose(view: Markdown, place: int) -> bool:
    """Whether the character stands in prose: code is blanked with another sign."""
    return view.prose[place] == view.text[place] or view.text[place] == "<"


def _is_note(view: Markdown, note: re.Match[str], block: Block) -> bool:
    word = note.group()
    if CAPITALS.match(word.upper()) and word.lower().split()[0] in _CAPITAL_NOTES and not word[:2].isupper():
        return False
    return not (block.kind == "heading" and len(word) == block.end - block.start and word.istitle())


_CAPITAL_NOTES = frozenset({"todo", "fixme", "tbd", "tba", "tk", "xxx", "pendiente"})


def _lorem(view: Markdown, block: Block) -> Iterator[Slip]:
    """The filler text itself; who only names it puts it in quotes, or goes on in another way."""
    for match in LOREM.finditer(view.prose, block.start, block.end):
        begins = match.start() == block.start
        if (match["more"] or begins) and not _quoted(view.text, match) and not block.quoted:
            yield _slip(match.start(), match.end(), match.group())


def _quoted(text: str, match: re.Match[str]) -> bool:
    return match.start() > 0 and text[match.start() - 1] in QUOTES


def _slip(start: int, end: int, shown: str) -> Slip:
    return Slip(start, end, f"This is a placeholder ({shown[:60]!r}), not text.", SUGGESTION, severity="critical")
