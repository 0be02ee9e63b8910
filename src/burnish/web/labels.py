"""Labels: the words, tone and icon for kinds, states, runs, sources of findings, models, languages and problems.

The drawings of the icons are in `templates/icons.html`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from burnish.app.kinds import kind_named
from burnish.app.labels import STATES
from burnish.app.run_card import RunCard, Sort
from burnish.languages.detection import NAMES, UNKNOWN_LANGUAGE
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web.formatting import count, in_words, listed, plural

if TYPE_CHECKING:
    from burnish.api.messages import Problem


Tone = Literal["work", "wait", "done", "stop", "fail"]
Fill = Literal["ok", "ok pale", "work", "f2", "idle", "rework", "person", "fail", "none"]

ICONS = frozenset(
    {
        "mark", "k-lessons", "k-questions", "k-manuscripts", "k-legos", "person", "check", "pause", "alert", "clock",
        "lock", "unlock", "back", "ring", "xring", "cring", "spin", "search", "arrow", "download", "upload", "stop",
        "bulb", "none",
        "critical", "error", "warning", "info",
    }
)  # fmt: skip
"""The names of all icons."""


@dataclass(frozen=True, slots=True)
class Look:
    """The words, tone, icon and colour of a state; never the colour alone."""

    words: str
    tone: Tone
    icon: str | None
    """None: a pulsing dot."""
    fill: Fill
    """Its colour in a bar."""


_LOOKS: dict[str, tuple[Tone, str | None, Fill]] = {
    # questions
    "draft": ("stop", "ring", "idle"),
    "correcting": ("work", None, "work"),
    "validated": ("done", "check", "ok"),
    "dropped": ("stop", "none", "none"),
    "needs_manual_review": ("wait", "person", "person"),
    # lessons
    "refining": ("work", None, "work"),
    "accepted": ("done", "check", "ok"),
    "escalated": ("wait", "person", "person"),
    # manuscripts
    "ingested": ("stop", "ring", "idle"),
    "translated_pass1": ("work", None, "idle"),
    "translated_pass2": ("work", None, "idle"),
    "candidate_assembled": ("work", None, "f2"),
    "review_in_progress": ("work", None, "work"),
    "review_failed": ("wait", "back", "rework"),
    "rework_queued": ("wait", "back", "rework"),
    "reworked": ("work", "back", "rework"),
    "ready_to_merge": ("done", "check", "ok"),
    "manual_review_required": ("wait", "person", "person"),
    "merged": ("done", "check", "ok"),
    "excluded": ("stop", "none", "none"),
    # legos
    "pending_extraction": ("stop", "ring", "idle"),
    "aligned": ("work", None, "f2"),
    "extracted": ("work", None, "work"),
    "retry_scheduled": ("wait", "back", "rework"),
    "pending_review": ("wait", "person", "person"),
    "written": ("done", "check", "ok"),
    "settled_before": ("done", "lock", "none"),
}
"""State -> tone, icon and colour, for the known states."""
STATE_LOOKS = {state: Look(STATES[state], *look) for state, look in _LOOKS.items()}


SORT_LOOKS: dict[Sort, Look] = {
    "ready": Look("ready", "done", "check", "ok"),
    "work": Look("being worked on", "work", None, "work"),
    "rework": Look("in rework", "wait", "back", "rework"),
    "fail": Look("review failed", "wait", "back", "rework"),
    "person": Look("needs a person", "wait", "person", "person"),
    "idle": Look("not started", "stop", "ring", "idle"),
    "excluded": Look("excluded", "stop", "none", "none"),
}
"""Meaning of a state -> look, for states that are not known."""
RUN_LOOKS: dict[str, tuple[Tone, str | None]] = {
    "working": ("work", None),
    "waiting_for_people": ("wait", "person"),
    "waiting_for_approval": ("wait", "clock"),
    "ready_to_continue": ("wait", "arrow"),
    "published": ("done", "check"),
    "accepted_with_warning": ("done", "check"),
    "best_effort": ("done", "check"),
    "at_its_ceiling": ("stop", "pause"),
    "submitted": ("wait", "clock"),
    "silent": ("fail", "alert"),
    "interrupted": ("stop", "pause"),
    "failed": ("fail", "alert"),
}
"""State of a run -> tone and icon."""


def look_of(state: str, sort: Sort) -> Look:
    """The look of a unit's state. An unknown state gets the look of its meaning, with its own name."""
    if state in STATE_LOOKS:
        return STATE_LOOKS[state]
    meant = SORT_LOOKS[sort]
    return meant if sort == "person" else replace(meant, words=in_words(state))


def state_filters(card: RunCard) -> list[tuple[str, UnitFilter, int | None]]:
    """The filters of every list of units: all, one per state, and repaired. Each is a label, a filter, and the number
    of its units if known."""
    states = [
        (look_of(part.state, part.sort).words.capitalize(), UnitFilter(states=(part.state,)), part.count)
        for part in card.parts
    ]
    repaired = (kind_named(card.kind).words.repaired, UnitFilter(repaired=True), None)
    return [("All", ALL, sum(card.counts.values())), *states, repaired]


def run_look(state: str, words: str, rest: str | None = None) -> Look:
    """The look of a run's state. `rest`: what this server knows about it beyond the journal, such as `Queued`."""
    if rest == "Queued":
        return Look(rest, "work", "clock", "work")
    tone, icon = RUN_LOOKS[state]
    return Look(rest if rest and state == "interrupted" else words, tone, icon, "work")


def gate_words(card: RunCard, problems: int = 0, *, who: str = "you") -> str:
    """What blocks publishing, or that nothing does. `problems`: parts of the input that cannot be used; `who`: the word
    for the reviewer."""
    left = card.requested - card.ready
    if left > 0:
        are = "is" if left == 1 else "are"
        required = plural(card.requested, f"required {card.noun}")
        return f"{count(left)} of {required} {are} not ready{_waiting_words(card, left, who)}"
    if card.waiting:
        belongs, waits = ("belongs", "waits") if card.waiting == 1 else ("belong", "wait")
        return f"{plural(card.waiting, 'issue')} that {belongs} to no {card.noun} {waits} for {who}"
    if problems:
        return "Parts of the input cannot be read"
    return "Waiting for approval" if card.state == "waiting_for_approval" else "Nothing blocks publishing"


def _waiting_words(card: RunCard, left: int, who: str) -> str:
    if not card.waiting:
        return ""
    if card.waiting >= left:
        return f"; it waits for {who}" if left == 1 else f"; all of them wait for {who}"
    return f"; {count(card.waiting)} of them {'waits' if card.waiting == 1 else 'wait'} for {who}"


def kind_icon(kind: str) -> str:
    name = f"k-{kind}"
    return name if name in ICONS else "ring"


def kind_words(kind: str) -> str:
    return kind_named(kind).words.title


def nth(kind: str) -> str:
    """The word for one attempt of the journal. If a draft and its review are two of them, each is a step, because the
    gate counts both together as one attempt."""
    return "step" if kind_named(kind).is_phased else "attempt"


MODEL, PERSON = "model:", "person:"
SOURCES = {"rule": "check", "document": "document check"}


TERMINAL = ("--", "`burnish")
"""Text that marks a hint as one for the command line."""
NO_PAGE = "There is no page at this address."
STATUSES = {
    404: (NO_PAGE, "The address may be mistyped, or the page may be gone."),
    405: ("This address does not accept this request.", "Go back and use the button again."),
}
"""Status -> message and hint, for an address without a page."""
NO_RUN = re.compile(r"^(There is no run \S+) in .+\.$", re.DOTALL)
"""The message about a missing run; pages leave out the folder, which concerns only the operator."""
GONE = "It may have been removed or renamed."


@dataclass(frozen=True, slots=True)
class Said:
    """The message and hint of an error on a page."""

    message: str
    hint: str | None


def on_a_page(problem: Problem) -> Said:
    """A problem for pages, without hints for the command line."""
    if problem.detail == problem.title and problem.status in STATUSES:
        return Said(*STATUSES[problem.status])
    hint = for_pages(problem.hint) or (GONE if problem.status == 404 else None)
    return Said(NO_RUN.sub(r"\1.", problem.detail), hint)


def for_pages(hint: str | None) -> str | None:
    """A hint, unless it is for the command line."""
    return None if hint is None or any(sign in hint for sign in TERMINAL) else hint


def said_by(source: str) -> str:
    """Who raised a finding: `check`, `gemma-3-27b and qwen3-32b`, `Lila, by hand`."""
    if source in SOURCES:
        return SOURCES[source]
    if source.startswith(PERSON):
        return f"{source.removeprefix(PERSON)}, by hand"
    return models_said(source.removeprefix(MODEL).split(","))


def model_name(model: str) -> str:
    """A model without its provider, and without the folder if it is a file."""
    _, _, name = model.partition(":")
    return (name or model).rpartition("/")[2] or model


def models_said(models: Iterable[str]) -> str:
    """The names of several models, each once."""
    return listed(dict.fromkeys(model_name(model) for model in models if model))


TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""A valid value for `lang`."""
_TAMAZIGHT = "tamazight"
"""A language name from the settings; its tag is `zgh`."""


def lang_tag(language: str | None, script: str | None = None) -> str | None:
    """The `lang` value for a language and script; None if the language is not known."""
    tag = "zgh" if language == _TAMAZIGHT else language
    if not tag or tag == UNKNOWN_LANGUAGE or TAG.fullmatch(tag) is None:
        return None
    return f"{tag}-{script}" if script else tag


def language_word(language: str | None) -> str | None:
    """The English name of a language, else its tag; None if it is not known."""
    tag = lang_tag(language)
    return None if tag is None else NAMES.get(tag, tag)
