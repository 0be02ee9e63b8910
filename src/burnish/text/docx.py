"""Word documents as Markdown, and back: only changed words are replaced in the file, everything else is kept.

A document is a zip of XML. Its paragraphs are read as Markdown (headings by their styles, items of lists, one blank
line between paragraphs), with the place of every word in the XML. A new text is compared with the old one and only the
words that differ are replaced: runs that an edit does not touch keep their bold, links and comments. Pictures, formulas
and notes are tokens that no edit can change. Headers, footers, notes and tables of contents are not read.
"""

from __future__ import annotations

import html
import io
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from xml.parsers import expat

import regex

from burnish.core.errors import InputError
from burnish.text.mapped_text import (
    Layer,
    NotCarried,
    Run,
    Setting,
    Splice,
    Stretch,
    applied,
    differing_parts,
    differing_words,
)
from burnish.text.packages import Package, is_zip

DOCUMENT, STYLES, NUMBERING = "word/document.xml", "word/styles.xml", "word/numbering.xml"
LARGEST = 64 << 20
"""The most bytes of one document with its pictures."""
DEPTH = 256
TOKEN = regex.compile(
    r"""<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>
      |<(?P<close>/?)(?:[\w.-]+:)?(?P<name>[\w.-]+)(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*?)(?P<alone>/?)>
      |(?P<text>[^<]+)""",
    regex.VERBOSE | regex.DOTALL,
)
ATTRIBUTE = regex.compile(r"""(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
OPAQUE = {
    **dict.fromkeys(("drawing", "pict", "AlternateContent", "object"), "picture"),
    **dict.fromkeys(("oMath", "oMathPara"), "formula"),
}
"""Elements that are shown in the text as one token."""
NOTES = frozenset({"footnoteReference", "endnoteReference"})
UNSEEN = frozenset({"del", "moveFrom", "instrText", "delText", "sdtPr", "sectPr", "rPrChange", "pPrChange"})
"""Elements that are not shown: deleted text, codes of fields, properties."""
HEADING = regex.compile(r"heading ([1-9])", regex.IGNORECASE)
CONTENTS = regex.compile(r"(?:toc|index|table of)\b", regex.IGNORECASE)
SECTION = regex.compile(r"<(?:\w+:)?sectPr\b.*?(?:</(?:\w+:)?sectPr>|/>)", regex.DOTALL)
FORBIDDEN = regex.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
SPECIAL = regex.compile(r"[\\`]|\*(?! )|(?<! )\*|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])")
BEGINNING = regex.compile(
    r"\s*(?:\d{1,9}(?P<mark>[.)])(?=\s|$)|(?P<mark>#)#{0,5}(?=\s|$)|(?P<mark>[>|])|(?P<mark>[-+])(?=\s|$)"
    r"|(?P<mark>~)~~|(?P<mark>[=-])[=-]+\s*$)"
)
"""Characters that would begin a heading, an item, a quote or a table at the start of a line."""
ESCAPED = regex.compile(r"\\([!-/:-@\[-`{-~])")
ITEM = regex.compile(r"^ *(?:[-*+]|\d{1,9}[.)]) +")
NEW_ITEM = regex.compile(r"\n(?= *(?:[-*+]|\d{1,9}[.)]) )")


class Style(NamedTuple):
    """The meaning of a paragraph style: a level of heading (0 for a title), or text that is not read."""

    level: int | None = None
    unread: bool = False
    numbered: str | None = None
    """The list of items with this style."""


class Home(NamedTuple):
    """The place of a run, for text that becomes a new paragraph."""

    paragraph: str
    """The properties of the paragraph, as XML."""
    run: str
    is_item: bool
    is_direct: bool
    """Whether the run is directly in the paragraph, not in a link or the like."""


@dataclass(slots=True)
class _Paragraph:
    """A paragraph as it is read."""

    runs: list[Run] = field(default_factory=list)
    style: str = ""
    numbered: str | None = None
    depth: int = 0
    properties: str = ""


class Docx:
    """A Word document: `text` is its content as Markdown; `encode` returns the file with another text."""

    def __init__(self, data: bytes, path: str) -> None:
        self.path = path
        if not is_zip(data):
            raise _refused(path, "This is not a Word document.", "broken_package", "Open it in Word and save it again.")
        self._package = Package(io.BytesIO(data), path)
        self._info = self._package.named(DOCUMENT)
        if self._info is None:
            raise _refused(path, "This is not a Word document.", "broken_package", "Save it as .docx again.")
        self._xml = self._part(DOCUMENT)
        self._styles = _styles(self._part(STYLES))
        self._ordered = _ordered(self._part(NUMBERING))
        self._has_title = any(style.level == 0 and f'"{name}"' in self._xml for name, style in self._styles.items())
        self._layer, self._bare = self._read(self._xml)
        self.text = self._layer.text

    def encode(self, text: str) -> bytes:
        """Return the file with this text. Raise NotCarried if it cannot hold it."""
        new = text.replace("\r\n", "\n")
        if FORBIDDEN.search(new):
            raise NotCarried("text", "a document cannot hold one of its characters.")
        if new == self.text:
            changed: dict[int, bytes] = {}
        else:
            assert self._info is not None, "it was found when the file was opened"
            changed = {self._info.header_offset: self._changed(new).encode()}
        target = io.BytesIO()
        self._package.rewrite(changed, target)
        return target.getvalue()

    def _changed(self, new: str) -> str:
        for stretches in (_paired(self.text, new), differing_parts(self.text, new)):
            replaced = [_rotated(Splice(s.start, s.end, new[s.new_start : s.new_end]), self.text) for s in stretches]
            splices = [lower for splice in replaced for lower in self._layer.splices(*splice)]
            xml = applied(self._xml, sorted([*splices, *self._preserving(splices)]))
            try:
                _refuse_unsound(xml.encode(), self.path)
                if self._read(xml)[0].text.rstrip() == new.rstrip():
                    return xml
            except InputError:  # the other comparison may give a valid document
                continue
        raise NotCarried("text", "a Word document cannot hold this text here.")

    def _preserving(self, splices: list[Splice]) -> Iterator[Splice]:
        """Preserve the blanks at the ends of changed runs, which Word ignores by default."""
        starts = [start for start, _ in self._bare]
        touched = {bisect_right(starts, splice.start) - 1 for splice in splices}
        for index in sorted(touched):
            if index >= 0 and any(self._bare[index][0] <= s.start <= self._bare[index][1] for s in splices):
                at = self._bare[index][0] - 1
                yield Splice(at, at, ' xml:space="preserve"')

    def _part(self, name: str) -> str:
        info = self._package.named(name)
        if info is None:
            return ""
        self._package.expect([info])
        data = self._package.content(info)
        _refuse_unsound(data, f"{self.path}/{name}")
        try:
            return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        except UnicodeDecodeError as error:
            raise _refused(self.path, f"{name} is not UTF-8.", "wrong_encoding", "Save it as .docx again.") from error

    def _read(self, xml: str) -> tuple[Layer, list[tuple[int, int]]]:
        reader = _Reader(xml, self._styles)
        runs: list[Run] = []
        before = ""
        for paragraph in reader.paragraphs():
            style = self._styles.get(paragraph.style, Style())
            if style.unread or not any(run.text.strip() for run in paragraph.runs):
                continue
            mark = self._mark(paragraph, style)
            at = paragraph.runs[0].start
            is_item = paragraph.numbered is not None
            between = "" if not before else ("\n" if is_item and before == "item" else "\n\n")
            runs += [Run(between + mark, at, at, "fixed")] if between + mark else []
            runs += _shown(paragraph.runs, one_line=style.level is not None)
            before = "item" if is_item else "text"
        end = runs[-1].end if runs else 0
        return Layer([*runs, Run("\n", end, end, "fixed")], _Encoder(reader.homes)), reader.bare

    def _mark(self, paragraph: _Paragraph, style: Style) -> str:
        if style.level is not None:
            level = style.level + 1 if self._has_title else max(1, style.level)
            return "#" * min(6, level) + " "
        if paragraph.numbered is None:
            return ""
        ordered = (paragraph.numbered, paragraph.depth) in self._ordered
        return "   " * paragraph.depth + ("1. " if ordered else "- ")


def _rotated(splice: Splice, old: str) -> Splice:
    """Move an inserted paragraph behind the one before it, so that it gets that paragraph's properties."""
    start, end, new = splice
    while start == end and start > 0 and new.endswith("\n") and old[start - 1] == "\n":
        start, end, new = start - 1, end - 1, f"\n{new[:-1]}"
    return Splice(start, end, new)


def _paired(old: str, new: str) -> list[Stretch]:
    """Compare line by line if the numbers of lines are equal: a translation changes every word of a paragraph."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(before) != len(after):
        return differing_parts(old, new)
    found, at, new_at = [], 0, 0
    for one, other in zip(before, after, strict=True):
        for start, end, new_start, new_end in differing_words(one, other):
            found.append(Stretch(start + at, end + at, new_start + new_at, new_end + new_at))
        at, new_at = at + len(one), new_at + len(other)
    return found


class _Reader:
    """Reads document.xml in one pass."""

    def __init__(self, xml: str, styles: dict[str, Style]) -> None:
        self._xml, self._styles = xml, styles
        self.homes: list[Home] = []
        self.bare: list[tuple[int, int]] = []
        """The text of runs that do not preserve blanks at their ends."""
        self._stack: list[str] = []
        self._paragraph: _Paragraph | None = None
        self._unseen_at: int | None = None
        """The depth of the element that is not shown, or shown as one token."""
        self._token_start = -1
        self._begun: dict[str, int] = {}
        """The starts of the current properties of a paragraph and of a run."""

    def paragraphs(self) -> Iterator[_Paragraph]:
        for match in TOKEN.finditer(self._xml):
            name = match["name"]
            if name is None:
                if match["text"] is not None:
                    self._text(match)
            elif match["close"]:
                yield from self._close(name, match)
            else:
                self._open(name, match)

    def _open(self, name: str, match: regex.Match[str]) -> None:
        alone = bool(match["alone"])
        if self._unseen_at is None:
            if (name in OPAQUE or name in UNSEEN) and not alone:
                self._unseen_at = len(self._stack)
                self._token_start = match.start() if name in OPAQUE else -1
            elif self._paragraph is not None and name not in OPAQUE and name not in UNSEEN:
                self._inside(name, match, alone)
            elif name == "p" and not alone:
                self._paragraph = _Paragraph()
        if not alone:
            self._stack.append(name)

    def _inside(self, name: str, match: regex.Match[str], alone: bool) -> None:
        paragraph = self._paragraph
        assert paragraph is not None
        if name in ("pStyle", "numId", "ilvl"):
            self._property(name, _values(match).get("val", ""))
        elif name == "r" and not alone:
            is_direct = self._stack[-1:] == ["p"]
            self.homes.append(Home(paragraph.properties, "", paragraph.numbered is not None, is_direct))
        elif name in ("pPr", "rPr"):
            self._begun[name] = match.start()
        elif name in ("tab", "br", "cr") and self._stack[-1:] == ["r"]:
            is_page = _values(match).get("type") in ("page", "column")
            shown = "" if is_page else "\t" if name == "tab" else "\n"
            if shown:
                self._add(Run(shown, match.start(), match.end(), "coded", f"e{len(self.homes) - 1}"))
        elif name in NOTES:
            self._add(Run(f"⟦note: {_values(match).get('id', '')}⟧", match.start(), match.end(), "opaque"))
        elif name == "noBreakHyphen":
            self._add(Run("\u2011", match.start(), match.end(), "opaque"))

    def _property(self, name: str, value: str) -> None:
        assert self._paragraph is not None
        if name == "pStyle":
            self._paragraph.style = value
            self._paragraph.numbered = self._styles.get(value, Style()).numbered
        elif name == "numId":
            self._paragraph.numbered = value if value != "0" else None
        elif value.isdecimal() and len(value) < 10:
            self._paragraph.depth = min(8, int(value))

    def _text(self, match: regex.Match[str]) -> None:
        if self._unseen_at is not None or self._paragraph is None or self._stack[-1:] != ["t"]:
            return
        opening = self._xml.rfind("<", 0, match.start())
        if "preserve" not in self._xml[opening : match.start()]:
            self.bare.append(match.span())
        style = f"t{len(self.homes) - 1}"
        at = match.start()
        # A line end in the XML is a blank in the text.
        for part in regex.split(r"(&[^;\s]{1,12};)", regex.sub(r"[\r\n]", " ", match.group())):
            coded = part.startswith("&") and part.endswith(";") and len(part) > 2
            text = html.unescape(part) if coded else part
            if part:
                self._add(Run(text, at, at + len(part), "coded" if coded else "plain", style))
            at += len(part)

    def _add(self, run: Run) -> None:
        assert self._paragraph is not None
        self._paragraph.runs.append(run)

    def _close(self, name: str, match: regex.Match[str]) -> Iterator[_Paragraph]:
        self._stack.pop()
        if self._unseen_at is not None:
            if len(self._stack) == self._unseen_at:
                self._unseen_at = None
                self._show_token(name, match)
            return
        paragraph = self._paragraph
        if paragraph is None:
            return
        if name == "pPr":
            paragraph.properties = SECTION.sub("", self._xml[self._begun["pPr"] : match.end()])
        elif name == "rPr" and self._stack[-1:] == ["r"]:
            self.homes[-1] = self.homes[-1]._replace(run=self._xml[self._begun["rPr"] : match.end()])
        elif name == "p":
            self._paragraph = None
            yield paragraph

    def _show_token(self, name: str, match: regex.Match[str]) -> None:
        if self._token_start < 0 or self._paragraph is None:
            return
        source = self._xml[self._token_start : match.end()]
        run = Run(_token(OPAQUE[name], source), self._token_start, match.end(), "opaque")
        self._token_start = -1
        self._add(run)


def _token(kind: str, source: str) -> str:
    """Return `⟦picture: its alternative text⟧`."""
    if kind == "formula":
        named = "".join(regex.findall(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<", source))
    else:
        described = regex.search(r"""<(?:\w+:)?docPr\b[^>]*?\b(?:descr|title)="([^"]+)\"""", source)
        named = described[1] if described else ""
    shown = " ".join(html.unescape(named).translate(str.maketrans("⟦⟧", "[]")).split())[:300]
    return f"⟦{kind}: {shown}⟧" if shown else f"⟦{kind}⟧"


def _shown(runs: list[Run], *, one_line: bool) -> Iterator[Run]:
    """Yield the runs as Markdown, with escapes."""
    whole = "".join("\0" * len(run.text) if run.kind == "opaque" else run.text for run in runs)
    marks, base = _marks(whole), 0
    for run in runs:
        here = sorted(mark - base for mark in marks if base <= mark < base + len(run.text))
        base += len(run.text)
        if run.kind != "plain":
            text = run.text.replace("\n", " ") if one_line and run.kind == "coded" else run.text
            yield replace(run, text=f"\\{text}" if here else text)
            continue
        done = 0
        for at in here:
            if at > done:
                yield replace(run, text=run.text[done:at], start=run.start + done, end=run.start + at)
            coded = f"\\{run.text[at]}"
            yield replace(run, text=coded, start=run.start + at, end=run.start + at + 1, kind="coded")
            done = at + 1
        if done < len(run.text):
            yield replace(run, text=run.text[done:], start=run.start + done)


def _marks(text: str) -> set[int]:
    """Return the places of a paragraph that must be escaped in Markdown."""
    found = {match.start() for match in SPECIAL.finditer(text)}
    at = 0
    for line in text.split("\n"):
        mark = BEGINNING.match(line)
        found |= {at + mark.start("mark")} if mark is not None else set()
        at += len(line) + 1
    return found


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Writes Markdown into the XML of a run; a blank line begins a new paragraph of the same style."""

    homes: list[Home]

    def __call__(self, new: str, setting: Setting) -> str:
        inside = setting.style.startswith("t")
        if not new:
            return ""
        if not setting.style:
            raise NotCarried("text", "there is no text to put it beside.")
        home = self.homes[int(setting.style[1:])]
        parts = self._paragraphs(new, home)
        if len(parts) > 1 and not home.is_direct:
            raise NotCarried("text", "a new paragraph cannot begin inside a link.")
        closing, opening = "</w:r></w:p>", f"<w:p>{home.paragraph}<w:r>{home.run}"
        written = f"</w:t>{closing}{opening}{OPEN}".join(_inline(part) for part in parts)
        return written if inside else f"{OPEN}{written}</w:t>"

    def _paragraphs(self, new: str, home: Home) -> list[str]:
        parts = regex.split(r"\n[ \t]*\n\s*", new)
        if home.is_item:
            parts = [item for part in parts for item in NEW_ITEM.split(part)]
        return [parts[0], *(ITEM.sub("", part) if home.is_item else part for part in parts[1:])]


OPEN = '<w:t xml:space="preserve">'


def _inline(text: str) -> str:
    plain = html.escape(ESCAPED.sub(r"\1", text), quote=False)
    return plain.replace("\n", f"</w:t><w:br/>{OPEN}").replace("\t", f"</w:t><w:tab/>{OPEN}")


def _values(match: regex.Match[str]) -> dict[str, str]:
    return {found[1]: html.unescape(found[2] or found[3] or "") for found in ATTRIBUTE.finditer(match["attributes"])}


def _styles(xml: str) -> dict[str, Style]:
    """Return paragraph styles by id. Word writes the names of its built-in styles in English in every language."""
    found: dict[str, Style] = {}
    for style in regex.finditer(r"<(?:\w+:)?style\b([^>]*)>(.*?)</(?:\w+:)?style>", xml, regex.DOTALL):
        id = regex.search(r'styleId="([^"]*)"', style[1])
        name = regex.search(r'<(?:\w+:)?name\b[^>]*val="([^"]*)"', style[2])
        outline = regex.search(r'<(?:\w+:)?outlineLvl\b[^>]*val="([0-8])"', style[2])
        if id is None or name is None:
            continue
        heading = HEADING.fullmatch(name[1])
        level = int(heading[1]) if heading else int(outline[1]) + 1 if outline else None
        numbered = regex.search(r'<(?:\w+:)?numId\b[^>]*val="(\d+)"', style[2]) if level is None else None
        level = 0 if name[1].lower() == "title" else level
        found[id[1]] = Style(level, bool(CONTENTS.match(name[1])), numbered[1] if numbered else None)
    return found


def _ordered(xml: str) -> set[tuple[str, int]]:
    """Return the lists and depths with numbered items."""
    kinds: dict[str, set[int]] = {}
    for held in regex.finditer(
        r'<(?:\w+:)?abstractNum\b[^>]*abstractNumId="(\d+)"(.*?)</(?:\w+:)?abstractNum>', xml, regex.DOTALL
    ):
        levels = regex.finditer(
            r'<(?:\w+:)?lvl\b[^>]*ilvl="(\d)".*?<(?:\w+:)?numFmt\b[^>]*val="(\w+)"', held[2], regex.DOTALL
        )
        kinds[held[1]] = {int(level[1]) for level in levels if level[2] not in ("bullet", "none")}
    lists = regex.finditer(r'<(?:\w+:)?num\b[^>]*numId="(\d+)".*?abstractNumId\b[^>]*val="(\d+)"', xml, regex.DOTALL)
    return {(one[1], depth) for one in lists for depth in kinds.get(one[2], ())}


def _refuse_unsound(data: bytes, path: str) -> None:
    """Raise InputError for XML that is broken, declares entities or is nested too deep."""
    parser = expat.ParserCreate()
    depth = 0

    def start(_name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH:
            raise _refused(path, f"Elements are nested more than {DEPTH} deep.", "too_deep", "Save it as .docx again.")

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, *_rest: object) -> None:
        raise _refused(path, f"The document declares the entity {name!r}.", "entities_refused", "Word writes none.")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # LookupError: an unknown encoding
        reason = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
        message = f"This is not well-formed XML: {reason}."
        raise _refused(path, message, "invalid_xml", "Open it in Word and save it again.") from error


def _refused(path: str, message: str, code: str, hint: str) -> InputError:
    return InputError(message, path=path, code=code, hint=hint)


def written_back(document: Docx, text: str) -> bytes:
    """Return the file with this text. Raise InputError if it cannot hold it."""
    try:
        return document.encode(text)
    except NotCarried as refusal:
        hint = "Change it in the document by hand, or hand in the text as Markdown."
        message = f"The change cannot be written back: {refusal.why}"
        raise _refused(document.path, message, "cannot_write_back", hint) from refusal


def is_docx(path: str) -> bool:
    """Return whether a file is a Word document by its name; the contents are checked when it is opened."""
    return path.lower().endswith((".docx", ".docm"))
