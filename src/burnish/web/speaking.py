"""Who says so: the sources of findings and the names of models, as people call them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.web.wording import listed

if TYPE_CHECKING:
    from burnish.web.problems import Problem

MODEL, PERSON = "model:", "person:"
SOURCES = {"rule": "check", "document": "check of the whole document"}


TERMINAL = ("--", "`burnish")
"""What a hint holds that is for those who sit before a command line."""
NO_PAGE = "There is no page at this address."
STATUSES = {
    404: (NO_PAGE, "It may be mistyped, or belong to something that is gone."),
    405: ("This address cannot be opened like that.", "Go back, and use the button there once more."),
}
"""Of an address that no page answers: what to say, and what to do."""
FOLDER = re.compile(r"^(There is no run \S+) in .+\.$", re.DOTALL)
"""What is said of a run that is not there: where it was looked for is known to whoever started the server."""
GONE = "It may have been removed or renamed since this address was made."


@dataclass(frozen=True, slots=True)
class Said:
    """What a page says of something that did not work."""

    message: str
    hint: str | None


def on_a_page(problem: Problem) -> Said:
    """A problem in the words of pages: nobody who reads one sits before a command line."""
    if problem.detail == problem.title and problem.status in STATUSES:
        return Said(*STATUSES[problem.status])
    hint = for_pages(problem.hint) or (GONE if problem.status == 404 else None)
    return Said(FOLDER.sub(r"\1.", problem.detail), hint)


def for_pages(hint: str | None) -> str | None:
    """A hint, unless it is for those who sit before a command line."""
    return None if hint is None or any(sign in hint for sign in TERMINAL) else hint


def said_by(source: str) -> str:
    """Who raised a finding: `check`, `gemma-3-27b and qwen3-32b`, `Lila, by hand`."""
    if source in SOURCES:
        return SOURCES[source]
    if source.startswith(PERSON):
        return f"{source.removeprefix(PERSON)}, by hand"
    return models_said(source.removeprefix(MODEL).split(","))


def model_name(model: str) -> str:
    """A model without its provider, and without a folder where it is a file."""
    _, _, name = model.partition(":")
    return (name or model).rpartition("/")[2] or model


def models_said(models: Iterable[str]) -> str:
    """Several models, each once."""
    return listed(dict.fromkeys(model_name(model) for model in models if model))
