"""First looks at a file: is it a lesson, and in which format?"""

from __future__ import annotations

from pathlib import PurePosixPath

import regex

from burnish.kinds.files.encoded import BOMS

LOOKED_AT = 1 << 16
SECTIONS = regex.compile(r'"sections"\s*+:\s*+[\[n]')
CONTENT = regex.compile(r'"content"\s*+:\s*+\{\s*+"(?:intro|sections|examples|exercises|conclusion)"\s*+:')
"""What the beginning of a lesson as JSON shows; a long introduction may push the sections out of sight."""
QUESTION = regex.compile(r'"(?:stem|options|choices|correct_answer)"\s*+:')
"""Banks of questions may have sections, too."""


def extension(path: str) -> str:
    """The ending of the file's name in lower case, with the dot."""
    return PurePosixPath(path.replace("\\", "/")).suffix.lower()


def beginning(head: bytes) -> str:
    """The first characters of a file, without byte order mark; a cut character at the end is left out."""
    head = head[:LOOKED_AT]
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


def format_name(path: str, head: bytes) -> str | None:
    """`json`, `markdown` or None. Markdown goes by its name, JSON by what it shows."""
    if extension(path) in (".md", ".markdown"):
        return "markdown"
    return "json" if shows_lesson(head) else None
