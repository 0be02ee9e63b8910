"""The form in which a person cuts a SEED: a field for each LEGO, its two halves on two lines."""

from __future__ import annotations

from burnish.core.kinds import UnitStory
from burnish.kinds.legos.courses import Course
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.past import seed_of_attempt
from burnish.kinds.legos.people import BAR
from burnish.kinds.legos.stages.tools import seed_of
from burnish.web.kinds import EditField, Editor
from burnish.web.kinds.legos.drawing import Tongues

MORE = 2
"""Empty fields behind those of the LEGOs: for who cuts finer."""
HELP = "Two lines: the half of either sentence, each as it stands there. Empty: no such LEGO."


def editor(story: UnitStory) -> Editor:
    """The LEGOs of the draft that stands."""
    seed = standing(story)
    tongues = Tongues.of(Course.of(seed.course_code))
    both = f"{tongues.source_name} and {tongues.target_name}"
    halves = [f"{lego.source}\n{lego.target}" for lego in seed.legos] + [""] * MORE
    fields = [
        EditField(
            name=name,
            label=f"{seed.provenance(position)}, {both}",
            value=value,
            rows=2,
            help=HELP if position == 1 else None,
        )
        for position, (name, value) in enumerate(zip(field_names(seed), halves, strict=True), start=1)
    ]
    return Editor(fields=fields, text_of=lambda values: text_of([values.get(one.name, "") for one in fields]))


def field_names(seed: Seed) -> list[str]:
    """What the fields of the form are called."""
    return [f"L{position}" for position in range(1, len(seed.legos) + MORE + 1)]


def standing(story: UnitStory) -> Seed:
    """The SEED with the LEGOs that stand."""
    number = story.row.best_attempt
    draft = story.attempts[number - 1] if 0 < number <= len(story.attempts) else None
    return seed_of_attempt(draft) if draft is not None and draft.content is not None else seed_of(story.source)


def text_of(values: list[str]) -> str:
    """What was written as a person's cut is read: a LEGO a line, a bar between its halves."""
    return "\n".join(line for value in values for line in _legos(_lines(value)))


def _legos(lines: list[str]) -> list[str]:
    """The LEGOs of one field: both halves on lines of their own, or several LEGOs with bars in them."""
    whole = all(BAR.strip() in line for line in lines)
    return lines if whole else [BAR.join(lines)]


def _lines(value: str) -> list[str]:
    return [line.strip() for line in value.splitlines() if line.strip()]
