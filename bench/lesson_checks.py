"""All checks of lessons on Markdown, beside markdown-it-py, which only parses the same text."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from markdown_it import MarkdownIt

from bench.lines import Line, beside
from burnish.core.checks import Selection, discover, select
from burnish.kinds.lessons import checks
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit
from burnish.languages.words import word_set
from burnish.text.markdown import forget_views

TITLE = "all checks of lessons on Markdown, beside markdown-it-py"
SIZES, FULL_SIZES = (100_000, 1_000_000), (100_000, 1_000_000, 10_000_000)
"""Characters of a lesson."""
AT_MOST = 3.0
"""Times what markdown-it-py alone needs to parse the same."""
LINEAR = 1.3
"""A character of the largest lesson may take so much longer than one of the smallest."""
SECTION = 6_000
"""Characters of a section."""

WORDS = sorted(
    word_set(
        """
        the water moves between sea and sky because sun warms a surface while vapour rises into cold air and turns to
        rain that falls on hills where rivers begin so every drop returns after many days or years with salt left
        """
    )
)


def lesson(size: int, seed: int = 7) -> Lesson:
    """A lesson of about so many characters: prose with links, emphasis, code, lists, tables and formulas."""
    random = Random(seed)
    sections = [_section(random, number) for number in range(max(1, size // SECTION))]
    units = tuple(
        LessonUnit(f"section-{number}", "section", {"title": f"Part {number}", None: text})
        for number, text in enumerate(sections)
    )
    return Lesson("bench", "Water", "en", units)


def _section(random: Random, number: int) -> str:
    blocks, length = [f"### Beginning of part {number}"], 0
    while length < SECTION:
        blocks.append(random.choice((_paragraph, _paragraph, _paragraph, _list, _code, _table))(random))
        length += len(blocks[-1]) + 2
    return "\n\n".join([*blocks, _paragraph(random)])


def _sentence(random: Random) -> str:
    words = random.choices(WORDS, k=random.randint(8, 20))
    place = random.randrange(len(words))
    shape = random.choice(("{}", "{}", "*{}*", "**{}**", "`{}`", "[{}](https://example.org/a_b)", "${}_1$"))
    words[place] = shape.format(words[place])
    return f"{' '.join(words).capitalize()}."


def _paragraph(random: Random) -> str:
    return " ".join(_sentence(random) for _ in range(random.randint(3, 7)))


def _list(random: Random) -> str:
    return "\n".join(f"- {_sentence(random)}" for _ in range(random.randint(3, 6)))


def _code(random: Random) -> str:
    lines = [f"value_{n} = {random.random():.6f}  # {random.choice(WORDS)}" for n in range(random.randint(2, 8))]
    return "\n".join(["```python", *lines, "```"])


def _table(random: Random) -> str:
    rows = [f"| {random.choice(WORDS)} | {random.random():.3f} |" for _ in range(4)]
    return "\n".join(["| word | value |", "| --- | --- |", *rows])


def run(full: bool, sizes: tuple[int, ...] | None = None) -> list[Line]:
    sizes = sizes or (FULL_SIZES if full else SIZES)
    selection = select(discover(checks))
    lines: list[Line] = []
    each: dict[int, float] = {}
    for size in sizes:
        made = lesson(size)
        text = "\n\n".join(f"## {unit.title}\n\n{unit.text}" for unit in made.units)
        parsing = _fastest(lambda text=text: MarkdownIt().enable("table").parse(text))  # type: ignore[misc]
        checking = _fastest(lambda made=made: _check(made, selection))  # type: ignore[misc]
        each[size] = checking / len(text) * 1e6
        lines.append(beside(f"{len(text):,} characters", checking, "s", "markdown-it-py", parsing, at_most=AT_MOST))
    small, large = each[sizes[0]], each[sizes[-1]]
    lines.append(beside("a character of the largest", large, "µs", "of the smallest", small, at_most=LINEAR))
    return lines


def _check(made: Lesson, selection: Selection) -> None:
    """As `burnish check` does it: every unit, and the lesson as a whole with the last one. Nothing is remembered."""
    forget_views()
    fresh = Lesson(made.lesson_id, made.title, made.language, tuple(_fresh(unit) for unit in made.units))
    context = LessonContext.of(fresh)
    for unit in fresh.units:
        examine(unit, selection, context)


def _fresh(unit: LessonUnit) -> LessonUnit:
    return LessonUnit(unit.id, unit.role, dict(unit.fields))


def _fastest(work: Callable[[], object], rounds: int = 3) -> float:
    """Processor time of the best of a few rounds: the others were disturbed."""
    taken = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)
