"""The text of HTML and XHTML as a reader sees it, with the places of words in the markup.

Blanks collapse as in a browser, `<br>` and the edges of blocks are line breaks, a table's cells are separated by tabs.
Comments, scripts and the elements named in `hidden` show nothing. A picture or formula is one token, `⟦picture: its
alternative text⟧`, which edits cannot cross, move or repeat. Edits never change tags: if an edit removes words from
several elements, the elements are left behind, empty but balanced.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import regex

from burnish.kinds.questions.formats.source import TOKENS, bounded
from burnish.kinds.questions.formats.xml_text import escaped, guarded, refuse_forbidden, written
from burnish.text.mapped_text import Layer, Run, Setting, merged, trimmed

BLANK = " \t\n\r\f"
BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul "
    "prompt qti-prompt qti-content-body simplechoice qti-simple-choice"
)
BLOCKS = frozenset(BLOCK_NAMES.split())
CELLS = frozenset({"td", "th"})
SILENT = frozenset({"script", "style", "template", "head", "title", "textarea"})
TOKENS_BY_TAG = {
    "img": "picture",
    "matimage": "picture",
    "svg": "picture",
    "canvas": "picture",
    "math": "formula",
    "audio": "sound",
    "video": "video",
    "iframe": "frame",
    "object": "object",
    "embed": "object",
}
"""Elements that are shown as one token, with the word that names them."""
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
    | {"matimage"}
)
INLINE_NAMES = "a abbr b big cite code em font i img input kbd mark q s small span strike strong sub sup tt u var"
INLINE = frozenset(INLINE_NAMES.split())
KNOWN = BLOCKS | CELLS | SILENT | VOID | INLINE | TOKENS_BY_TAG.keys() | {"br"}
# Possessive throughout: a failed match costs no more than its length, and each character is tried three times at most.
TOKEN = regex.compile(
    r"""
    (?P<cdata><!\[CDATA\[(?P<raw>.*?)(?:\]\]>|\Z))
  | (?P<unseen><!--.*?(?:-->|\Z) | <\?.*?(?:\?>|\Z) | <![A-Za-z\[][^>]*+>?)
  | <(?P<close>/?)(?P<name>[A-Za-z][^\s/>"'<]*+)(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>
  | (?P<entity>&(?:\#[0-9]{1,7};?|\#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?))
  | (?P<blank>[ \t\n\r\f]+)
  | (?P<words>[^<&\ \t\n\r\f]++(?:\ [^<&\ \t\n\r\f]++)*+|.)
    """,
    regex.VERBOSE | regex.DOTALL,
)
CDATA_PARTS = regex.compile(r"(?P<blank>[ \t\n\r\f]+)|[^ \t\n\r\f]+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How markup is read and written."""

    xhtml: bool = False
    """Written as XML: `<br/>`, and CDATA sections are text."""
    keeps_lines: bool = False
    """Line ends of the source are line ends of the text (Moodle's auto format)."""
    known_tags_only: bool = False
    """`<y and z>` is text unless the name is an HTML tag: for formats with handwritten mathematics."""
    hidden: frozenset[str] = frozenset()
    """Elements whose content is not part of the text, in lower case and without prefix."""
    codec: str = "utf-8"
    """The file's encoding, if the markup is the file (XHTML)."""


HTML = Dialect()
XHTML = Dialect(xhtml=True)
MOODLE_TEXT = Dialect(keeps_lines=True, known_tags_only=True)


def markup_layer(source: str, dialect: Dialect = HTML) -> Layer:
    """The text that a reader of `source` sees."""
    reading = _Reading(dialect)
    for run in _tokens(source, dialect, reading):
        reading.show(run)
    runs = merged(reading.shown)
    return Layer(trimmed(runs) if dialect.keeps_lines else runs, _Encoder(dialect), reading.home, collapses=True)


@dataclass(slots=True)
class _Reading:
    """The text shown so far, and blanks and breaks that are shown only if more text follows."""

    dialect: Dialect
    shown: list[Run] = field(default_factory=list)
    home: int = 0
    space: Run | None = None
    breaks: list[Run] = field(default_factory=list)
    silent: str | None = None
    """The name of the element that hides everything until it ends."""
    silent_depth: int = 0
    silent_start: int = -1
    """The start of the token that ends with this element; -1 if nothing is shown for it."""
    verbatim: int = 0
    """The number of open `<pre>`."""

    def show(self, run: Run) -> None:
        """Add visible characters, after any pending blanks and breaks."""
        # A <br> before the first word shows an empty line; the edge of a block does not.
        self.shown += [pending for pending in self.breaks if self.shown or pending.kind == "coded"]
        if self.space is not None and not self.breaks and self.shown:
            self.shown.append(self.space)
        self.breaks, self.space = [], None
        self.shown.append(run)

    def blank(self, text: str, start: int, end: int, style: str) -> Run | None:
        """A run of blanks: unchanged if lines are kept, otherwise one space at most."""
        if self.verbatim or (self.dialect.keeps_lines and "\n" in text):
            return Run(text, start, end, style=style)
        if self.space is None:
            self.space = Run(" ", start, end, "plain" if text == " " else "coded", style)
        return None

    def border(self, text: str, position: int) -> None:
        """The edge of a block or a cell: breaks the line once."""
        self.space = None
        if all(pending.text == "\t" for pending in self.breaks):
            # The end of a row replaces the end of its last cell.
            self.breaks = [Run(text, position, position, "fixed")]

    def line_break(self, start: int, end: int) -> None:
        self.space = None
        self.breaks.append(Run("\n", start, end, "coded"))


def _tokens(source: str, dialect: Dialect, reading: _Reading) -> Iterator[Run]:
    """Yield the visible runs; pending blanks and breaks are kept in `reading`."""
    for match in bounded(TOKEN.finditer(source), TOKENS):
        kind = match.lastgroup
        if kind == "cdata":
            if reading.silent is None and dialect.xhtml:
                yield from _cdata(match, reading)
        elif kind == "name":
            yield from _tag(match, dialect, reading)
        elif reading.silent is not None or kind == "unseen":
            continue
        elif kind == "blank":
            run = reading.blank(match.group(), match.start(), match.end(), "")
            if run is not None:
                yield run
        elif kind == "entity":
            text = html.unescape(match.group())
            yield Run(text, match.start(), match.end(), "plain" if text == match.group() else "coded")
        else:
            yield Run(match.group(), match.start(), match.end())


def _cdata(match: regex.Match[str], reading: _Reading) -> Iterator[Run]:
    base = match.start("raw")
    for part in CDATA_PARTS.finditer(match.group("raw")):
        start, end = base + part.start(), base + part.end()
        shown: Run | None = Run(part.group(), start, end, style="cdata")
        if part.lastgroup:
            shown = reading.blank(part.group(), start, end, "cdata")
        if shown is not None:
            yield shown


def _tag(match: regex.Match[str], dialect: Dialect, reading: _Reading) -> Iterator[Run]:
    name = match.group("name").rpartition(":")[2].lower()
    closes = bool(match.group("close"))
    alone = match.group().endswith("/>") or (name in VOID and not dialect.xhtml)
    if dialect.known_tags_only and name not in KNOWN:
        if reading.silent is None:
            # Not a tag. Blanks stay single characters, so that no part of a formula is lost.
            yield Run(match.group(), match.start(), match.end())
        return
    if reading.silent is not None:
        if name == reading.silent and not alone:
            reading.silent_depth += -1 if closes else 1
            if reading.silent_depth == 0:
                reading.silent = None
                if reading.silent_start >= 0:
                    shown = token_name(name, match.string[reading.silent_start : match.end()])
                    yield Run(shown, reading.silent_start, match.end(), "opaque")
        return
    if name in TOKENS_BY_TAG and (alone or closes):
        if not closes:
            yield Run(token_name(name, match.group()), *match.span(), "opaque")
        return
    if not closes and not alone and (name in TOKENS_BY_TAG or name in SILENT or name in dialect.hidden):
        reading.silent, reading.silent_depth = name, 1
        reading.silent_start = match.start() if name in TOKENS_BY_TAG else -1
        return
    _structure(name, closes, alone, match, reading)


ATTRIBUTE = regex.compile(
    r"""\b(data-equation-content|alttext|alt|title|label|src|uri|data)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
)
TEX = regex.compile(r"<annotation[^>]*?(?:tex|TeX|LaTeX)[^>]*+>(.*?)</annotation", regex.DOTALL)
NAMED_BY = ("data-equation-content", "alttext", "alt", "title", "label")
SAYS_NOTHING = frozenset({"image", "picture", "img", "photo", "graphic", "figure", "formula", "equation"})
LONGEST_NAME = 300
MARKUP = regex.compile(r"<[^>]*+>|\s++")


def token_name(tag: str, source: str) -> str:
    """`⟦picture: A heart⟧`. Named by its alternative text, or else its file, or else a short hash."""
    kind = TOKENS_BY_TAG[tag]
    opening = source[: source.find(">") + 1] if tag in ("math", "svg") else source
    given = {match[1]: html.unescape(match[2] or match[3] or "") for match in ATTRIBUTE.finditer(opening)}
    if "data-equation-content" in given:
        kind = "formula"
    texts = [given.get(name, "") for name in NAMED_BY]
    if tag == "math":
        tex = TEX.search(source)
        texts += [html.unescape(tex[1]) if tex else "", html.unescape(MARKUP.sub(" ", source))]
    address = next((given[name] for name in ("src", "uri", "data") if given.get(name)), "")
    if address and not address.startswith("data:"):
        texts.append(address.partition("?")[0].rpartition("/")[2])
    names = (" ".join(text.translate(BRACKETS).split())[:LONGEST_NAME] for text in texts)
    named = next((text for text in names if text and text.lower() not in SAYS_NOTHING), "")
    return f"⟦{kind}: {named or blake2b(source.encode(), digest_size=3).hexdigest()}⟧"


BRACKETS = str.maketrans("⟦⟧", "[]")


def _structure(name: str, closes: bool, alone: bool, match: regex.Match[str], reading: _Reading) -> None:
    if name == "br":
        if not closes:
            reading.line_break(match.start(), match.end())
    elif name in CELLS:
        reading.border("\t", match.start())
    elif name in BLOCKS:
        reading.border("\n", match.start())
        if not (reading.shown or closes or alone or reading.home):
            reading.home = match.end()
    if name == "pre" and not alone:
        reading.verbatim = max(0, reading.verbatim + (-1 if closes else 1))


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Writes text so that `markup_layer` reads back the same text, including blanks."""

    dialect: Dialect

    def __call__(self, new: str, setting: Setting) -> str:
        whole = setting.before + new + setting.after
        first, last = len(whole) - len(whole.lstrip(BLANK)), len(whole.rstrip(BLANK))
        base = len(setting.before)
        pieces = [self._character(character, base + at, whole, first, last) for at, character in enumerate(new)]
        if new.endswith("\n") and setting.after.startswith("\n") and not self.dialect.keeps_lines:
            # The edge of a block would swallow a <br> directly before it.
            pieces[-1] = "&#10;"
        text = "".join(pieces)
        if not self.dialect.xhtml:
            return text
        refuse_forbidden(new)
        return f"]]>{text}<![CDATA[" if setting.style == "cdata" else guarded(text, new, setting)

    def _character(self, character: str, at: int, whole: str, first: int, last: int) -> str:
        if character not in BLANK:
            return written(escaped(character), self.dialect.codec)
        if character == "\n" and first <= at < last:
            if self.dialect.keeps_lines:
                return "\n"
            return "<br/>" if self.dialect.xhtml else "<br>"
        single = 0 < at < len(whole) - 1 and whole[at - 1] not in BLANK and whole[at + 1] not in BLANK
        return " " if character == " " and single else f"&#{ord(character)};"
