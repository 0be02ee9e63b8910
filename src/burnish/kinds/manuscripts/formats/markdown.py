"""The blocks of a Markdown manuscript: one pass over its lines, one block in hand at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.kinds.manuscripts.formats.blocks import (
    CODE_INDENT,
    DEFINITION,
    DEFINITION_TITLE,
    MARKS,
    MOST_NESTED,
    TASK,
    UNDERLINE,
    Block,
    Container,
    Cursor,
    Line,
    Piece,
    Stretch,
    carried,
    cells,
    entered,
    framed,
    is_delimiter_row,
    lines,
    matched,
    rest_of,
    stretch,
)
from burnish.kinds.manuscripts.model import BlockKind, Frame
from burnish.languages.words import WORD
from burnish.text.blocks import HEADING
from burnish.text.front_matter import front_matter

_ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}")


def heading(line: Line, at: int, newline: str) -> Block | None:
    """The heading whose marks begin at this character of the line. Marks that close it and its id belong to its frame,
    so that links to it go on working whatever language its words are in."""
    match = HEADING.match(line.text[at:])
    if match is None:
        return None
    whole = line.text.rstrip()
    begins = min(at + match.end(), len(whole))
    stop = max(begins, _words_end(whole, begins))
    frame = Frame(whole[:begins], "", whole[stop:], newline)
    words = whole[begins:stop]
    excluded = None if words else "nothing to translate"
    return Block("heading", words, frame, line.start, line.end, line.number, excluded)


def _words_end(whole: str, begins: int) -> int:
    stop = len(whole)
    if whole.endswith("}"):
        opens = whole.rfind("{", begins)
        if opens > begins and whole[opens - 1] in " \t" and _ATTRIBUTES.fullmatch(whole, opens):
            stop = len(whole[:opens].rstrip())
    unmarked = whole[:stop].rstrip("#")
    if len(unmarked) < stop and (len(unmarked) <= begins or unmarked[-1] in " \t"):
        stop = len(unmarked.rstrip())
    return stop


INDENTED_CODE = Stretch("code", "code block", "")
DEFINED = Stretch("paragraph", "link definition", "")
_TOML = re.compile(r"\+\+\+[ \t]*(?:\r\n|\n|\r)(?=\S[^\n\r]*[=\]]|#)")
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_FILLED = re.compile(r"---[ \t]*\r?\n(?=[ \t]*\S)")
_LINE_END = re.compile(r"\r\n|\n|\r")
LONGEST_FRONT_MATTER = 1 << 18


def markdown_blocks(source: str) -> Iterator[Block]:
    """The blocks of a Markdown text, in order. Between them is nothing but blanks, and marks of quotes on lines that
    hold nothing else."""
    return _Scanner(source).blocks()


def front_matter_end(source: str) -> int:
    """Where the head of the file ends; 0 where it has none. A book may well begin with a thematic break."""
    toml = _TOML.match(source)
    if toml is not None:
        closing = _TOML_END.search(source, toml.end(), toml.end() + LONGEST_FRONT_MATTER)
        return closing.end() if closing else 0
    matter = front_matter(source) if _FILLED.match(source) else None
    return matter.end if matter is not None and matter.values else 0


class _Scanner:
    """One pass over the lines. At most one of `prose` and `opened` is there at a time."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.done: list[Block] = []
        """Blocks that are complete and not yet handed out."""
        self.containers: list[Container] = []
        self.prose: list[Piece] = []
        """The lines of the paragraph or table that is open."""
        self.kind: BlockKind = "paragraph"
        """Of the prose."""
        self.rest = ""
        """What would stand before its further lines."""
        self.proven = True
        """False: its first line opens something, and only the missing end of that makes it prose."""
        self.opened: Stretch | None = None
        self.depth = 0
        """How many containers hold what is opened: it ends with them."""
        self.taken: list[Piece] = []
        """The first and the last line of what is opened; all of them where that is doubtful."""
        self.newline = "\n"
        """How the line before this one ended."""

    def blocks(self) -> Iterator[Block]:
        start = front_matter_end(self.source)
        number = 1 + sum(1 for _ in _LINE_END.finditer(self.source, 0, start))
        if start:
            end = len(self.source[:start].rstrip())
            yield carried("front_matter", self.source, next(lines(self.source)), end, "front matter")
        for line in lines(self.source, start, number):
            self.newline = line.newline or self.newline
            self._take(line)
            if self.done:
                yield from self.done
                self.done.clear()
        self._close(at_end=True)
        yield from self.done

    def _take(self, line: Line) -> None:
        text = line.text
        if not self.containers and self.opened is None and text[:1] not in MARKS and text.strip():
            # The common line: words that begin a paragraph, or go on with it.
            self._say(line, 0, 0)
            return
        cursor = Cursor(text)
        depth = matched(cursor, self.containers)
        if self.opened is not None and self._inside(self.opened, line, cursor, depth):
            return
        if cursor.is_blank:
            self._close_prose()
            del self.containers[depth:]
        else:
            self._begin(line, cursor, depth)

    # -- what runs over lines of any make

    def _inside(self, opened: Stretch, line: Line, cursor: Cursor, depth: int) -> bool:
        """Whether the line belongs to the stretch that is open; the line that closes it does."""
        if depth < self.depth:
            if opened.doubtful:
                self._take_for_prose()
            else:
                self._close()
            return False
        if opened is INDENTED_CODE or opened is DEFINED:
            return self._goes_on(opened, line, cursor)
        if cursor.is_blank:
            ends = opened.doubtful or not opened.closing
            if ends:
                self._close()
            return not ends
        self._extend(line, cursor)
        if _closes(opened, cursor):
            self._close(closed=True)
        return True

    def _goes_on(self, opened: Stretch, line: Line, cursor: Cursor) -> bool:
        """Code goes on over blank lines as long as it is indented; a definition may have its title on the next line."""
        if opened is INDENTED_CODE:
            belongs = cursor.is_blank or cursor.indent >= CODE_INDENT
        else:
            belongs = len(self.taken) == 1 and DEFINITION_TITLE.match(cursor.content) is not None
        if not belongs:
            self._close()
        elif not cursor.is_blank:
            self._extend(line, cursor)
        return belongs

    def _open(self, opened: Stretch, line: Line, cursor: Cursor) -> None:
        self.opened, self.depth = opened, len(self.containers)
        self.taken = [Piece(line, cursor.at)]
        if opened.closing is None:
            self._close(closed=True)

    def _extend(self, line: Line, cursor: Cursor) -> None:
        assert self.opened is not None
        if not self.opened.doubtful and len(self.taken) > 1:
            self.taken.pop()
        self.taken.append(Piece(line, cursor.at))

    # -- closing

    def _close(self, *, closed: bool = False, at_end: bool = False) -> None:
        """Whatever is open is complete; `closed`: by a mark of its own."""
        self._close_prose()
        opened, taken = self.opened, self.taken
        if opened is None:
            return
        if opened.doubtful and not closed:
            self._take_for_prose()
            self._close_prose()
            return
        self.opened, self.taken = None, []
        runs_on = at_end and bool(opened.closing) and not closed
        end = taken[-1].line.end
        self.done.append(carried(opened.kind, self.source, taken[0].line, end, opened.why, closed=not runs_on))

    def _take_for_prose(self) -> None:
        """What is doubtful was a paragraph after all, and may even go on as one."""
        self.prose, self.proven = self.taken, False
        self.kind = self.containers[-1].kind if self.containers else "paragraph"
        self.rest = rest_of(self.prose[0].line.text[: self.prose[0].at])
        self.opened, self.taken = None, []

    def _close_prose(self) -> None:
        if not self.prose:
            return
        kind = self.kind
        if all(piece.line.text.startswith("|", piece.at) for piece in self.prose):
            kind = "table"
        self.done.append(framed(kind, self.prose, rest=self.rest, newline=self.newline, closed=self.proven))
        self.prose, self.proven = [], True

    # -- a line that may begin something

    def _begin(self, line: Line, cursor: Cursor, depth: int) -> None:
        lazy = depth < len(self.containers)
        if lazy and self.kind == "table":
            # Only a paragraph goes on without the marks of what it stands in.
            self._close_prose()
        if self.prose and not lazy and self._underlines(line, cursor):
            return
        marked = False
        while cursor.indent < CODE_INDENT and depth < MOST_NESTED and not _is_rule(cursor):
            container = entered(cursor, inside_paragraph=bool(self.prose) and not lazy)
            if container is None:
                break
            self._close()
            del self.containers[depth:]
            self.containers.append(container)
            depth, lazy = len(self.containers), False
            marked = marked or container.width > 0
        if cursor.is_blank:
            if marked:
                self._empty(line)
        elif not self._leaf(line, cursor, depth):
            self._say(line, cursor.at, depth)

    def _empty(self, line: Line) -> None:
        """The mark of an item without words."""
        frame = Frame(line.text.rstrip(), newline=self.newline)
        self.done.append(Block("list", "", frame, line.start, line.end, line.number, "nothing to translate"))

    def _underlines(self, line: Line, cursor: Cursor) -> bool:
        """The line below a paragraph that makes a heading or a table of it."""
        if cursor.indent >= CODE_INDENT or self.kind == "table":
            return False
        content, above = cursor.content, self.prose[-1]
        if UNDERLINE.match(content):
            behind = above.line.text[len(above.line.text.rstrip()) :] + above.line.newline
            pieces, self.prose = self.prose, []
            self.done.append(framed("heading", pieces, last=behind + line.text.rstrip(), newline=self.newline))
            return True
        if not is_delimiter_row(content) or cells(content) != cells(above.line.text[above.at :]):
            return False
        self.prose.pop()
        self._close_prose()
        self.kind, self.prose = "table", [above, Piece(line, cursor.at)]
        return True

    def _leaf(self, line: Line, cursor: Cursor, depth: int) -> bool:
        """Whether the line begins something that is no paragraph."""
        found: Stretch | Block | None
        content = cursor.content
        if cursor.indent >= CODE_INDENT:
            found = INDENTED_CODE if not self.prose else None
        elif content[0] == "#":
            found = heading(line, cursor.at, self.newline)
        elif content[0] == "[":
            found = DEFINED if not self.prose and DEFINITION.match(content) else None
        else:
            found = stretch(content, inside_paragraph=bool(self.prose))
        if found is None:
            return False
        self._close()
        del self.containers[depth:]
        if isinstance(found, Block):
            self.done.append(found)
        else:
            self._open(found, line, cursor)
        return True

    def _say(self, line: Line, at: int, depth: int) -> None:
        """Words: of the paragraph that is open, or of a new one."""
        if self.prose:
            self.prose.append(Piece(line, at))
            return
        del self.containers[depth:]
        self.rest = rest_of(line.text[:at])
        self.kind = self.containers[-1].kind if self.containers else "paragraph"
        task = TASK.match(line.text, at) if self.kind == "list" else None
        self.prose.append(Piece(line, task.end() if task else at))


def _is_rule(cursor: Cursor) -> bool:
    content = cursor.content
    return content[:1] in ("-", "*") and stretch(content, inside_paragraph=False) is not None


def _closes(opened: Stretch, cursor: Cursor) -> bool:
    content = cursor.content
    closing = opened.closing or ""
    if opened.fence:
        bare = content.rstrip()
        return bare.startswith(closing) and not bare.strip(closing[0]) and cursor.indent < CODE_INDENT
    return bool(closing) and closing in (content.lower() if opened.folded else content)


MARKS_OF_CODE = frozenset("={}<>;$\\|`#@/[]+%&^~_0123456789")
FEWEST_WORDS = 4
LONGEST_READ = 2000
"""Characters that are looked at: more tells nothing new."""
_DELIMITERS = " \t*_'\"“‘«„(—–-"


def is_indented_prose(text: str) -> bool:
    """Whether a block of code is indented, and holds words that begin with a capital and no mark of code."""
    if text[:1] not in (" ", "\t"):
        return False
    head = text[:LONGEST_READ]
    opening = head.lstrip(_DELIMITERS)[:1]
    words = WORD.findall(head)
    if not opening.isupper() or len(words) < FEWEST_WORDS or MARKS_OF_CODE & set(head):
        return False
    return "\n" in head.strip() or head.rstrip(" *_'\"”’»)")[-1:] in (".", "!", "?", ",", ":", "…")


def plain_blocks(source: str) -> Iterator[Block]:
    """The paragraphs of a text, in order. Between them is nothing but blanks."""
    newline = "\n"
    pieces: list[Piece] = []
    for line in lines(source):
        newline = line.newline or newline
        if line.text.strip():
            pieces.append(Piece(line, len(line.text) - len(line.text.lstrip())))
        elif pieces:
            yield framed("paragraph", pieces, newline=newline)
            pieces = []
    if pieces:
        yield framed("paragraph", pieces, newline=newline)
