"""The kinds of content and how a file is told to be one of them: names, endings and patterns, without loading any kind.

To plug in a kind: add its module to KINDS, and to `possible_kinds` by what its files can be told, if they are guessed.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from burnish.text.json_text import BOMS

KINDS: dict[str, str] = {
    "legos": "burnish.kinds.legos.kind",
    "lessons": "burnish.kinds.lessons.kind",
    "manuscripts": "burnish.kinds.manuscripts.kind",
    "questions": "burnish.kinds.questions.kind",
}
"""Name -> the module whose `KIND` is the kind. Their order decides nothing but the order of lists."""
GUESSED = ("lessons", "questions")
"""Kinds that a file may be of if nobody says so. The others have commands of their own: a book is a Markdown file like
any other, and a course is a folder."""

MARKDOWN = (".md", ".markdown")
DOCUMENTS = (".docx", ".docm")
HEAD = 1 << 16
"""Bytes at the beginning of a file by which its kind is told."""
SECTIONS = re.compile(r'"sections"\s*+:\s*+[\[n]')
CONTENT = re.compile(r'"content"\s*+:\s*+\{\s*+"(?:intro|sections|examples|exercises|conclusion)"\s*+:')
"""What the beginning of a lesson as JSON shows; a long introduction may push the sections out of sight."""
QUESTION = re.compile(r'"(?:stem|options|choices|correct_answer)"\s*+:')
"""Banks of questions may have sections, too."""


ASK_FOR_TEXT = (
    "Export it from where it was written: questions as Moodle XML, GIFT, QTI or .xlsx, texts as .docx or .md."
)
SAVE_AS_DOCX = "Open it where it was written and save it as Word (.docx)."
UNREADABLE: tuple[tuple[tuple[bytes, ...], tuple[str, ...], str, str], ...] = (
    ((b"%PDF",), (".pdf",), "a PDF, which holds pages and no text to change", ASK_FOR_TEXT),
    ((), (".doc", ".dot", ".rtf", ".odt", ".pages"), "a text document, but not .docx", SAVE_AS_DOCX),
    ((), (".xls", ".xlsb", ".ods", ".numbers"), "a spreadsheet that is not .xlsx", "Open it and save it as .xlsx."),
    ((b"\xd0\xcf\x11\xe0",), (), "a file of an old Office", "Open it and save it as .docx or .xlsx."),
    ((), (".ppt", ".pptx", ".odp", ".key"), "a presentation", "Export its text as .docx or .md."),
    ((), (".epub", ".html", ".htm"), "a web page or e-book", "Convert it to Markdown, for example with pandoc."),
    (
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\x00", b"MM\x00*"),
        (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".heic", ".svg"),
        "a picture, and words in pictures are not read",
        ASK_FOR_TEXT,
    ),
    (
        (b"7z\xbc\xaf", b"Rar!", b"\x1f\x8b"),
        (".7z", ".rar", ".gz", ".tar"),
        "an archive",
        "Unpack it and hand in the files.",
    ),
)
"""First bytes, endings, what such a file is, and what to do instead."""


def instead_of(path: str, head: bytes) -> tuple[str, str] | None:
    """What a file is that nobody reads here, and what to do instead; None where that is not known."""
    ending = extension(path)
    for marks, endings, what, advice in UNREADABLE:
        if head.startswith(marks or (b"\0unknown",)) or ending in endings:
            return what, advice
    return None


def extension(path: str) -> str:
    """The ending of the file's name in lower case, with the dot."""
    return PurePosixPath(path.replace("\\", "/")).suffix.lower()


def beginning(head: bytes) -> str:
    """The first characters of a file, without byte order mark; a cut character at the end is left out."""
    head = head[:HEAD]
    for bom, codec in BOMS:
        if head.startswith(bom):
            return head[len(bom) :].decode(codec, "ignore")
    return head.decode("utf-8", "ignore")


def shows_lesson(head: bytes) -> bool:
    """Whether the first bytes are those of a lesson as JSON."""
    text = beginning(head)
    if not text.lstrip().startswith("{"):
        return False
    if CONTENT.search(text):
        return True
    return SECTIONS.search(text) is not None and QUESTION.search(text) is None


def possible_kinds(path: str, head: bytes) -> tuple[str, ...]:
    """The kinds that have to be loaded to say which of them a file is; the others cannot read it."""
    if extension(path) in DOCUMENTS:
        return ("lessons",)
    is_markdown = extension(path) in MARKDOWN
    lessons = ("lessons",) if is_markdown or shows_lesson(head) else ()
    # A Markdown file is a bank only if its content says so: as JSON, as XML, or as a package.
    questions = () if is_markdown and not _has_own_marks(head) else ("questions",)
    return lessons + questions


def _has_own_marks(head: bytes) -> bool:
    return beginning(head).lstrip()[:1] in ("{", "[", "<") or head.startswith(b"PK")
