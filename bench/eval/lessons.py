"""The checks of lessons against peer-reviewed ones: what they would do to sound prose, and what damage they see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from bench.eval.figures import interval, is_open, note
from burnish.core.checks import discover, run_checks_on_all, select
from burnish.core.errors import BurnishError
from burnish.core.findings import Finding
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, WholeLesson
from burnish.languages.words import word_list
from burnish.text.markdown import Markdown, markdown
from burnish.text.structure import Block

FOLDER = Path("lessons")
CUTS = 200
SEED = 20_261_115
FEWEST_WORDS = 40
"""A section of fewer words in paragraphs is not swapped: it may be a list of commands or of books."""

SELECTION = select(discover(checks))
UNIT_CHECKS = [check for check in SELECTION.checks if check.scope == "unit"]
DOCUMENT_CHECKS = [check for check in SELECTION.checks if check.scope == "document"]


@dataclass(frozen=True)
class Read:
    """A lesson as it was read."""

    name: str
    text: str
    lesson: Lesson
    context: LessonContext


def read(text: str, name: str) -> Read:
    lesson = MarkdownLesson().read(text.encode(), f"{name}.md").lesson
    return Read(name, text, lesson, LessonContext.of(lesson))


def lessons(data: Path) -> list[Read]:
    """Every lesson of the folder; the name begins with its language."""
    found = sorted((data / FOLDER).glob("*/*.md"))
    return [read(path.read_text(encoding="utf-8"), f"{path.parent.name}/{path.stem}") for path in found]


def examine(lesson: Read, units: Sequence[LessonUnit] | None = None) -> list[Finding]:
    """What all checks say about these units (all of them, and the whole, where none are named)."""
    found = run_checks_on_all(SELECTION, UNIT_CHECKS, units or lesson.lesson.units, lesson.context)
    findings = [finding for of_unit in found for finding in of_unit]
    if units is None:
        [of_whole] = run_checks_on_all(SELECTION, DOCUMENT_CHECKS, [WholeLesson(lesson.lesson)], lesson.context)
        findings += of_whole
    return findings


def false_actions(read_lessons: Sequence[Read]) -> tuple[list[str], bool]:
    """Everything that would be done to sound lessons, change by change."""
    fatal: list[str] = []
    changes: list[str] = []
    spoken: Counter[tuple[str, str]] = Counter()
    for lesson in read_lessons:
        for finding in examine(lesson):
            spoken[finding.rule, finding.severity] += 1
            if finding.severity == "critical":
                fatal.append(f"  FATAL {lesson.name} {finding.unit}: {finding.rule}: {finding.message}")
            if finding.fix is not None:
                changes.append(_change(lesson, finding))
    unusable = len({line.split()[1] for line in fatal})
    lines = [f"Sound lessons: {len(read_lessons)}. Judged unusable: {unusable}.", *fatal]
    lines += [f"Changes that --fix would make: {len(changes)}. Each stands with its reason.", *changes]
    lines.append("Findings by rule:")
    lines += [f"  {rule:<22} {severity:<8} {count:>4}" for (rule, severity), count in sorted(spoken.items())]
    return lines, not fatal


def _change(lesson: Read, finding: Finding) -> str:
    assert finding.fix is not None
    find, replace = (_shown(text) for text in (finding.fix.find, finding.fix.replace))
    return f"  {lesson.name} {finding.unit}: {find} -> {replace}\n      {finding.rule}: {finding.message}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 90 else f"{text[:40]} ... {text[-40:]}")


def cuts(read_lessons: Sequence[Read]) -> tuple[list[str], bool]:
    """Lessons that end anywhere: how many are seen to be broken off."""
    random = Random(SEED)
    tried: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    missed: list[str] = []
    for _ in range(CUTS):
        lesson = random.choice(read_lessons)
        body = lesson.text.find("\n---", 3) + 4 if lesson.text.startswith("---") else 0
        place = random.randrange(min(body + 200, len(lesson.text) - 1), len(lesson.text))
        sort = _sort_of_cut(lesson.text, place)
        tried[sort] += 1
        if _is_seen(lesson.text[:place], lesson.name):
            seen[sort] += 1
        elif sort == "":
            missed.append(f"  missed: {lesson.name} {lesson.text[place - 60 : place]!r}")
    recall = seen[""] / max(1, tried[""])
    lines = [
        f"Cuts: {CUTS}. In the midst of something: {tried['']}, seen {seen['']} ({recall:.1%}).",
        *missed,
        f"Cuts that leave something whole: {CUTS - tried['']}, seen all the same: {sum(seen.values()) - seen['']}.",
        *(f"  {sort:<60} {tried[sort]:>4}, seen {seen[sort]:>3}" for sort in sorted(tried) if sort),
    ]
    return lines, recall >= 0.95


def _is_seen(text: str, name: str) -> bool:
    try:
        lesson = read(text, name)
    except BurnishError:
        return True
    return any(finding.severity == "critical" for finding in examine(lesson))


def _sort_of_cut(text: str, place: int) -> str:
    """What the cut leaves whole; empty where it goes through the midst of something."""
    view = markdown(text)
    kept = text[:place].rstrip()
    block = next((b for b in view.blocks if b.start < place < b.end), None)
    if block is None or len(kept) <= block.start:
        return "between two blocks"
    if block.kind == "code":
        return "" if block.marker else "in indented code"
    if block.kind == "definition":
        return "in the address of a definition" if "]:" in text[block.start : place] else ""
    if block.kind in ("html", "liquid", "math"):
        return ""
    return _sort_in_prose(view, block, kept, text[place : place + 1])


def _sort_in_prose(view: Markdown, block: Block, kept: str, following: str) -> str:
    last = kept[-1]
    between = not following.strip() or view.text[len(kept) : len(kept) + 1].isspace()
    if last in ".!?…" and between:
        return "after a sentence"
    if not (last.isalpha() or last in ",;:([{-–—/") and view.prose[len(kept) - 1] != view.text[len(kept) - 1]:
        return "after code, a link or a formula"
    if last in ")]*_\"'”’»|" or last.isdigit():
        return "after a closing mark or a number"
    siblings = [b for b in view.blocks if b.kind == block.kind and b.end > b.start]
    unpunctuated = any(view.text[b.end - 1].isalnum() for b in siblings)
    if block.kind == "item" and unpunctuated and not (following.isalnum() or last in ",;:(["):
        return "after a word of a list whose items have no full stops"
    return ""


def swaps(read_lessons: Sequence[Read]) -> tuple[list[str], bool]:
    """A section in another language: each section of a pair of lessons in the place of its partner."""
    by_name = {lesson.name: lesson for lesson in read_lessons}
    tried = seen = left_out = 0
    missed: list[str] = []
    for name, lesson in by_name.items():
        partner = by_name.get(f"{'en' if name.startswith('es/') else 'es'}/{name[3:]}")
        for unit in partner.lesson.units if partner is not None else ():
            if _own_words(unit) < FEWEST_WORDS:
                left_out += 1
                continue
            tried += 1
            swapped = lesson.lesson.units[-1].with_text(None, unit.texts()[None])
            hit = any(f.rule == "wrong_language" and f.blocks for f in examine(lesson, [swapped]))
            seen += hit
            if not hit:
                missed.append(f"  missed: {name} {unit.id} ({unit.words} words)")
    recall = seen / max(1, tried)
    lines = [
        f"Sections in another language: {tried}, seen as such: {seen} ({recall:.1%}); "
        f"{left_out} of less than {FEWEST_WORDS} words in paragraphs (lists, notes, tables, code) are not counted.",
        *missed,
    ]
    return lines, recall >= 0.95


def _own_words(unit: LessonUnit) -> int:
    """Words of paragraphs: lists of titles, notes and tables may be in any language."""
    view = markdown(unit.texts()[None])
    paragraphs = [view.prose_of(block) for block in view.blocks if block.kind == "paragraph" and not block.quoted]
    return sum(len(word_list(paragraph)) for paragraph in paragraphs)


def report(data: Path) -> tuple[list[str], bool]:
    """All figures, and whether every one keeps to its limit."""
    from bench.eval import quotes

    read_lessons = lessons(data)
    lines: list[str] = []
    kept = True
    parts = (false_errors, false_actions, cuts, swaps, quotes.report)
    for part in parts:
        told, good = part(read_lessons)
        lines += [*told, "  -> ok" if good else "  -> NOT REACHED", ""]
        kept = kept and good
    return lines[:-1], kept


JUDGED_RIGHT = frozenset({"7407d63272e7", "a005f7cc52da", "b21f22c4c5b3"})
"""Errors in human lessons that a person found to be errors, with the right fix: the first letters of the hash of rule
and quoted words. A bold mark without its partner, and links without a target."""


def _is_right(finding: Finding) -> bool:
    words = finding.fix.find if finding.fix is not None else finding.quote
    return sha256(f"{finding.rule}|{words}".encode()).hexdigest()[:12] in JUDGED_RIGHT


def false_errors(read_lessons: Sequence[Read]) -> tuple[list[str], bool]:
    """Sound lessons with an error, wrong fixes and warnings: of those that rules were written with, and of the others.

    Every one counts as false but those that a person looked at and found right (`JUDGED_RIGHT`).
    """
    lines = ["Sound lessons with a false error, by half (goal: under 2 %, no wrong fix):"]
    total = fixes = 0
    for half in ("open", "held out"):
        mine = [lesson for lesson in read_lessons if is_open(f"{lesson.name}.md") == (half == "open")]
        found = [(lesson, examine(lesson)) for lesson in mine]
        wrong = [lesson.name for lesson, findings in found if any(f.blocks and not _is_right(f) for f in findings)]
        right = sum(f.blocks and _is_right(f) for _, findings in found for f in findings)
        fixed = [f for _, findings in found for f in findings if f.fix is not None and not _is_right(f)]
        warned = sum(f.severity == "warning" for _, findings in found for f in findings)
        total += len(wrong)
        fixes += len(fixed)
        if half == "held out":
            note("human lessons with a false error", len(wrong), len(mine), 0.02, at_most=True)
            note("human lessons with a wrong fix", len(fixed), len(mine), 0.0, at_most=True)
        told = f"errors judged right {right}; wrong fixes {len(fixed)}; warnings {warned}"
        lines.append(f"  {half}: {interval(len(wrong), len(mine))}; {told}")
        lines += [f"    {name}" for name in wrong]
    return lines, total < 0.02 * len(read_lessons) and fixes == 0


def missing(data: Path) -> Iterator[Path]:
    """Folders without which nothing can be measured."""
    for language in ("en", "es"):
        if not any((data / FOLDER / language).glob("*.md")):
            yield FOLDER / language
