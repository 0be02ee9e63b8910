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
"""Every drawing there is."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is shown: never by its colour alone."""

    words: str
    tone: Tone
    icon: str | None
    """None: a dot that breathes."""
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
"""State -> tone, icon and colour, for the states that we know."""
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
"""What a state means -> how it is shown where we do not know the state."""
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
"""How a run stands -> tone and sign."""


def look_of(state: str, sort: Sort) -> Look:
    """How a unit's state is shown; one without a look of its own is shown by what it means, in its own words."""
    if state in STATE_LOOKS:
        return STATE_LOOKS[state]
    meant = SORT_LOOKS[sort]
    return meant if sort == "person" else replace(meant, words=in_words(state))


def state_filters(card: RunCard) -> list[tuple[str, UnitFilter, int | None]]:
    """What every list of units offers: a label, a filter, and how many units it lets through where that is known.
    All, one for each state, and those that were repaired."""
    states = [
        (look_of(part.state, part.sort).words.capitalize(), UnitFilter(states=(part.state,)), part.count)
        for part in card.parts
    ]
    repaired = (kind_named(card.kind).words.repaired, UnitFilter(repaired=True), None)
    return [("All", ALL, sum(card.counts.values())), *states, repaired]


def run_look(standing: str, words: str, rest: str | None = None) -> Look:
    """How a run's standing is shown. `rest`: what is known of it here, which its journal does not tell."""
    if rest == "Queued":
        return Look(rest, "work", "clock", "work")
    tone, icon = RUN_LOOKS[standing]
    return Look(rest if rest and standing == "interrupted" else words, tone, icon, "work")


def gate_words(card: RunCard, problems: int = 0, *, who: str = "you") -> str:
    """Why nothing is published yet; or that nothing keeps it. `problems`: parts of the input that cannot be used;
    `who`: how whoever has to decide is called."""
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
    """What the journal's record of a draft is called. Where a draft and its review are two of them, an attempt is both
    together, as the gate counts, and each of them is a step."""
    return "step" if kind_named(kind).is_phased else "attempt"


MODEL, PERSON = "model:", "person:"
SOURCES = {"rule": "check", "document": "document check"}


TERMINAL = ("--", "`burnish")
"""What a hint holds that is for those who sit before a command line."""
NO_PAGE = "There is no page at this address."
STATUSES = {
    404: (NO_PAGE, "The address may be mistyped, or the page may be gone."),
    405: ("This address does not accept this request.", "Go back and use the button again."),
}
"""Of an address that no page answers: what to say, and what to do."""
FOLDER = re.compile(r"^(There is no run \S+) in .+\.$", re.DOTALL)
"""What is said of a run that is not there: where it was looked for is known to whoever started the server."""
GONE = "It may have been removed or renamed."


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


TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
"""What may stand in `lang`."""
_TAMAZIGHT = "tamazight"
"""A name that our settings use for a language; its tag is another."""


def lang_tag(language: str | None, script: str | None = None) -> str | None:
    """What `lang` says of a text in this language (and script); None where the language is not known."""
    tag = "zgh" if language == _TAMAZIGHT else language
    if not tag or tag == UNKNOWN_LANGUAGE or TAG.fullmatch(tag) is None:
        return None
    return f"{tag}-{script}" if script else tag


def language_word(language: str | None) -> str | None:
    """A language in English; its tag where we have no word for it; None where it is not known."""
    tag = lang_tag(language)
    return None if tag is None else NAMES.get(tag, tag)
