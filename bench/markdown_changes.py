"""Every unit, finding and published byte that a change of the Markdown reader changes, over real lessons and books.

    python -m bench.markdown_changes record BEFORE.json FOLDER...     with the reader as it was
    python -m bench.markdown_changes compare BEFORE.json FOLDER...    afterwards: prints every difference

Lessons and books are both read as lessons and as manuscripts: the more Markdown, the better. Published bytes are those
of a lesson whose texts all end in a new sentence, and of a manuscript whose translations are its texts in capitals.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from burnish.core.checks import Check, discover, run_checks, select
from burnish.core.errors import BurnishError
from burnish.kinds.lessons import checks as lesson_checks
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.kinds.manuscripts import checks as manuscript_checks
from burnish.kinds.manuscripts.block_fit import final_pieces
from burnish.kinds.manuscripts.formats import read_paragraphs, source_text
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.text.markdown import markdown

Facts = dict[str, list[str]]
"""Name of a fact ("lesson units of en/a.md") -> what it is, line by line."""


def facts(folders: Iterable[str]) -> Facts:
    found: Facts = {}
    lessons, manuscripts = discover(lesson_checks), discover(manuscript_checks)
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.md")):
        name = "/".join(path.parts[-2:])
        data = path.read_bytes()
        found |= {f"{what} of {name}": lines for what, lines in _lesson(data, name, lessons)}
        found |= {f"{what} of {name}": lines for what, lines in _manuscript(data, name, manuscripts)}
    return found


def _lesson(data: bytes, name: str, checks: list[Check]) -> Iterator[tuple[str, list[str]]]:
    try:
        loaded = MarkdownLesson().read(data, name)
    except BurnishError as error:
        yield "lesson units", [str(error)]
        return
    units = loaded.lesson.units
    yield "lesson units", [f"{u.id} {u.role} {u.title!r} {_short(u.text)}" for u in units]
    yield "lesson problems", [f"{p.code} {p.unit} {p.message}" for p in loaded.problems]
    yield "blocks", [line for unit in units for line in _view(unit.id, unit.text)]
    context = LessonContext.of(loaded.lesson)
    findings = [f for unit in units for f in examine(unit, select(checks), context).findings]
    yield "lesson findings", [f"{f.rule} {f.severity} {f.unit} {f.field} {f.quote!r} {f.message}" for f in findings]
    changed = {unit.id: replace(unit, fields={**unit.fields, None: f"{unit.text}\n\nÉnd."}) for unit in units}
    yield "lesson published", [_published(data, name, changed)]


def _published(data: bytes, name: str, changed: dict[str, LessonUnit]) -> str:
    try:
        return _short(MarkdownLesson().rewrite(data, name, changed.get).decode("utf-8", "replace"))
    except BurnishError as error:
        return str(error)


def _view(unit: str, text: str) -> Iterator[str]:
    view = markdown(text)
    for block in view.blocks:
        shown = text[block.start : block.end]
        yield f"{unit} {block.kind} {block.start}-{block.end} {'quoted ' * block.quoted}{shown[:50]!r}"
    for link in sorted(view.links):
        yield f"{unit} link {link.start}-{link.end} {text[link.start : link.end][:60]!r}"


def _manuscript(data: bytes, name: str, checks: list[Check]) -> Iterator[tuple[str, list[str]]]:
    source = source_text(data, name)
    try:
        parts = list(read_paragraphs(source, name, "markdown"))
    except BurnishError as error:
        yield "manuscript units", [str(error)]
        return
    paragraphs = [part for part in parts if isinstance(part, Paragraph)]
    yield (
        "manuscript units",
        [f"{p.block} {p.start}-{p.end} {p.excluded} {p.text[:60]!r} {p.frame}" for p in paragraphs],
    )
    yield "manuscript problems", [f"{p.code} {p.message}" for p in parts if not isinstance(p, Paragraph)]
    translated = [replace(p, translation=p.text.upper()) for p in paragraphs]
    yield "manuscript published", [_short("".join(final_pieces(source, translated)))]
    findings = []
    for paragraph in paragraphs:
        if paragraph.excluded is None and len(paragraph.text) < 4000:
            pair = replace(paragraph, translation=_damaged(paragraph.text), source_language="en", target_language="es")
            for f in run_checks(select(checks), checks, pair, ManuscriptContext()):
                findings.append(f"{f.rule} {f.severity} {paragraph.start} {f.quote!r} {f.message}")
    yield "manuscript findings", findings


def _damaged(text: str) -> str:
    """A translation with faults of every sort in it, so that rules have something to find."""
    return text.replace(",", " ,", 1).replace("*", "", 1).replace("](", "] (", 1).replace("`", "", 1)


def _short(text: str) -> str:
    return f"{len(text)} {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


def differences(before: Facts, after: Facts) -> Iterator[tuple[str, str, str]]:
    """What a fact is of, the sign of the change, and the line: in the order of the facts."""
    for name in sorted(before.keys() | after.keys()):
        old, new = Counter(before.get(name, [])), Counter(after.get(name, []))
        yield from ((name, "-", line) for line in before.get(name, []) if (old - new)[line])
        yield from ((name, "+", line) for line in after.get(name, []) if (new - old)[line])


def main(command: str, kept: str, *folders: str) -> int:
    now = facts(folders)
    if command == "record":
        Path(kept).write_text(json.dumps(now, ensure_ascii=False, indent=0), encoding="utf-8")
        print(f"{sum(map(len, now.values()))} facts of {len(now)} sorts kept in {kept}")
        return 0
    found = list(differences(json.loads(Path(kept).read_text(encoding="utf-8")), now))
    for name, sign, line in found:
        print(f"{sign} {name}: {line}")
    print(Counter(f"{sign} {name.partition(' of ')[0]}" for name, sign, _ in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
