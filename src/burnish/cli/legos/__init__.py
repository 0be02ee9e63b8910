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
    typer.Option("--store", help="Where the records are. Default: whichever of the two is there."),
]
RunId = Annotated[str | None, typer.Option(metavar="ID", help="Name of the run; an unfinished one is continued.")]


@dataclass(frozen=True, slots=True)
class CutOptions:
    """What cuts are held against."""

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
    "import": "Sentence pairs into a course folder. Again changes nothing.",
    "extract": "Cut every SEED into LEGOs, with or without a model. Resumable.",
    "report": "How good the cuts of a course are, and who is needed where.",
    "score": "The score of cuts that were made by hand.",
    "validate": "Whether records keep their schema and the eight rules.",
    "migrate": "Old records, made ones of today.",
    "archive": "Old attempts out of the way, and back.",
    "export": "A course as an Anki deck or table, or in another store.",
    "evolve": "Let the prompt learn: a rule is kept only with evidence.",
}
"""Command -> its line in the list of commands, in the order of that list."""
MODULES = {
    **dict.fromkeys(("import", "report", "score", "validate", "migrate", "archive", "export"), "course"),
    **dict.fromkeys(("extract", "evolve"), "runs"),
}
"""Command -> its module."""
