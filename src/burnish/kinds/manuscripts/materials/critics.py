"""Critics: prompts that an operator keeps in a folder, one file each.

A critic's file is Markdown: the instructions alone, or in the shape of our own prompts (a header with `version`, then
`# System` and `# User`). `{{source_language}}` and `{{target_language}}` are filled in. The window of the manuscript
that a critic sees, with its line numbers, follows the instructions by itself: a line with nothing but a placeholder for
it (`{{window}}`, `{{candidate}}`, `{{manuscript}}`, `{{text}}`) says the same and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from burnish.core.errors import InputError
from burnish.core.hashing import text_digest
from burnish.core.kinds import Material
from burnish.kinds.files.encoded import decoded
from burnish.text.front_matter import front_matter

LONGEST = 20_000
"""Characters of one critic's instructions: they are paid for with every window."""
MOST = 20
"""Critics in one folder; each reads the whole manuscript."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""A critic's name is the reviewer's name in every row, and the name of a file."""
VERSION = re.compile(r"\d+(?:\.\d+){0,2}")
PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]{0,80}?)\s*\}\}")
WINDOW = frozenset({"window", "candidate", "manuscript", "text", "lines"})
LANGUAGES = frozenset({"source_language", "target_language"})
PARTS = re.compile(r"\s*# System[ \t]*\n(?P<system>.*?)(?:\n# User[ \t]*\n(?P<user>.*))?", re.DOTALL)
NO_CRITICS = frozenset({"readme.md", "license.md"})


@dataclass(frozen=True)
class Critic:
    """One critic."""

    name: str
    version: str
    """As its header says; without one, the beginning of its hash."""
    text: str
    """The instructions; languages are not filled in yet."""

    def instructions(self, source_language: str, target_language: str) -> str:
        """What the critic is told, for one pair of languages."""
        values = {"source_language": source_language, "target_language": target_language}
        return PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


def read_critics(materials: Iterable[Material]) -> tuple[Critic, ...]:
    """Every critic of a folder, by name. Files that are no Markdown, README.md and LICENSE.md are passed over."""
    found: dict[str, Critic] = {}
    path = ""
    for material in materials:
        path = material.path
        file = material.name.rpartition("/")[2]
        if not file.lower().endswith(".md") or file.lower() in NO_CRITICS:
            continue
        critic = read_critic(material.data, material.path, file[:-3])
        if critic.name in found:
            raise InputError(
                f"Two critics are called {critic.name!r}.", path=path, code="same_name", hint="Rename one."
            )
        found[critic.name] = critic
    if not found:
        hint = "Put one Markdown file for each critic into it."
        raise InputError("The folder holds no critic.", path=path or None, code="no_critic", hint=hint)
    if len(found) > MOST:
        raise InputError(f"The folder holds more than {MOST} critics.", path=path, code="too_many", hint="Choose some.")
    return tuple(found[name] for name in sorted(found))


def read_critic(data: bytes, path: str, name: str) -> Critic:
    """One critic from its file; `name` is the file's, without its ending."""
    called = name.strip().lower().replace(" ", "_")
    if not NAME.fullmatch(called):
        hint = "Call the file by small letters, digits, - and _ only."
        raise InputError(f"{name[:80]!r} is no name for a critic.", path=path, code="bad_name", hint=hint)
    text = decoded(data, path).text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        hint = f"Keep it under {LONGEST} characters: it is paid for with every window."
        raise InputError("The critic's instructions are too long.", path=path, code="too_large", hint=hint)
    matter = front_matter(text)
    body = text[matter.end :] if matter is not None else text
    version = matter.values.get("version") if matter is not None else None
    instructions = _instructions(body, path)
    if not instructions:
        raise InputError("The critic has no instructions.", path=path, code="empty", hint="Write what it looks for.")
    return Critic(called, _version(version, text, path), instructions)


def _version(declared: object, text: str, path: str) -> str:
    if declared is None:
        return text_digest(text).removeprefix("sha256:")[:12]
    if not isinstance(declared, str) or not VERSION.fullmatch(declared):
        raise InputError("A version is a number such as 1 or 1.2.0.", path=path, field="version", code="bad_version")
    return declared


def _instructions(body: str, path: str) -> str:
    shape = PARTS.fullmatch(body)
    parts = (shape["system"], shape["user"] or "") if shape is not None else (body,)
    lines = [_line(line, path) for line in "\n\n".join(part.strip() for part in parts).split("\n")]
    return "\n".join(line for line in lines if line is not None).strip()


def _line(line: str, path: str) -> str | None:
    """The line with its placeholders as we write them; None where it only stands for the window."""
    alone = PLACEHOLDER.fullmatch(line.strip())
    if alone is not None and alone[1] in WINDOW:
        return None
    for match in PLACEHOLDER.finditer(line):
        if match[1] not in LANGUAGES:
            raise InputError(
                f"Nobody fills {match.group()[:80]!r} in.",
                path=path,
                code="bad_placeholder",
                hint="Use {{source_language}}, {{target_language}}, or {{window}} alone on its line.",
            )
    return PLACEHOLDER.sub(lambda match: f"{{{{{match[1]}}}}}", line)
