"""`burnish legos`: a language course, from its sentence pairs to the phrases that learners are taught.

To add a command: write `cli/legos/<name>.py` with a function of the same name, and add one line to COMMANDS.
"""

from __future__ import annotations

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
    "export": "A course in another store, with nothing lost.",
    "evolve": "Let the prompt learn: a rule is kept only with evidence.",
}
"""Command -> its line in the list of commands, in the order of that list."""
