"""`burnish legos`: a language course, from its sentence pairs to the phrases that learners are taught.

To add a command: write its function in one of these modules, and add a line to COMMANDS and its name to MODULES.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

CourseFolder = Annotated[str, typer.Argument(metavar="DIR", help="The course's folder.")]
RecordStore = Annotated[
    Literal["files", "sqlite"] | None,
    typer.Option("--store", help="How the records are stored. Default: detected."),
]
RunId = Annotated[str | None, typer.Option(metavar="ID", help="Name of the run; an unfinished one is continued.")]


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How cuts are scored."""

    iron_rule: Annotated[
        Literal["strict", "phrase_aware"] | None,
        typer.Option("--iron-rule", help="Default: phrase_aware, a LEGO may begin with a preposition."),
    ] = None
    infinitive_to: Annotated[
        bool | None,
        typer.Option("--infinitive-to/--no-infinitive-to", help='Whether the "to" of "to be" counts as a preposition.'),
    ] = None
    scoring: Annotated[
        Literal["1.0", "2.0"] | None,
        typer.Option("--scoring", help="Version of the score. Default: 2.0, which looks at the whole course."),
    ] = None


INTRODUCTION = """Cuts the sentence pairs of a language course into phrases that can be taught, scores the cuts, and
hands a person the few that cannot be settled."""

COMMANDS: dict[str, str] = {
    "import": "Add sentence pairs to a course. Can be repeated.",
    "extract": "Cut every SEED into LEGOs. Can be resumed.",
    "report": "Show how good the cuts are, and which SEEDs need a person.",
    "score": "Score cuts that were made by hand.",
    "validate": "Check records against their schema and the eight rules.",
    "migrate": "Bring old records up to date.",
    "archive": "Move old attempts to an archive, or restore them.",
    "export": "Write a course as an Anki deck or a table, or copy it.",
    "evolve": "Improve the prompt: test rules, keep those with evidence.",
}
"""Command -> its line in the list of commands, in the order of that list."""
MODULES = {
    **dict.fromkeys(("import", "report", "score", "validate", "migrate", "archive", "export"), "course"),
    **dict.fromkeys(("extract", "evolve"), "runs"),
}
"""Command -> its module."""
