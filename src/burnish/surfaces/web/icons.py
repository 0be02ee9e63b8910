"""Which sign and which tone stands for a kind, a severity and a state. The drawings are in `templates/icons.html`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from burnish.core.states import StateTable
from burnish.surfaces.web.wording import in_words

Tone = Literal["work", "wait", "done", "stop", "fail"]
Fill = Literal["ok", "work", "f2", "idle", "rework", "person", "fail", "none"]

ICONS = frozenset(
    {
        "mark", "k-lessons", "k-questions", "k-manuscripts", "k-legos", "person", "check", "pause", "alert", "clock",
        "lock", "unlock", "back", "ring", "xring", "cring", "spin", "search", "arrow", "download", "none",
        "critical", "error", "warning", "info",
    }
)  # fmt: skip
"""Every drawing there is."""
KIND_WORDS = {"lessons": "Lessons", "questions": "Questions", "manuscripts": "Manuscripts", "legos": "LEGOs"}


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is shown: never by its colour alone."""

    words: str
    tone: Tone
    icon: str | None
    """None: a dot that breathes."""
    fill: Fill
    """Its colour in a bar."""


STATE_LOOKS: dict[str, Look] = {
    # questions
    "draft": Look("not looked at yet", "stop", "ring", "idle"),
    "correcting": Look("being corrected", "work", None, "work"),
    "validated": Look("validated", "done", "check", "ok"),
    "needs_manual_review": Look("needs a person", "wait", "person", "person"),
    # lessons
    "refining": Look("being refined", "work", None, "work"),
    "accepted": Look("accepted", "done", "check", "ok"),
    "escalated": Look("needs a person", "wait", "person", "person"),
    # manuscripts
    "ingested": Look("taken in", "stop", "ring", "idle"),
    "translated_pass1": Look("translated, pass 1", "work", None, "idle"),
    "translated_pass2": Look("translated, pass 2", "work", None, "idle"),
    "candidate_assembled": Look("candidate assembled", "work", None, "f2"),
    "review_in_progress": Look("review in progress", "work", None, "work"),
    "review_failed": Look("review failed", "wait", "back", "rework"),
    "rework_queued": Look("rework queued", "wait", "back", "rework"),
    "reworked": Look("reworked", "work", "back", "rework"),
    "ready_to_merge": Look("ready to merge", "done", "check", "ok"),
    "manual_review_required": Look("needs a person", "wait", "person", "person"),
    "merged": Look("merged", "done", "check", "ok"),
    "excluded": Look("excluded", "stop", "none", "none"),
    # legos
    "pending_extraction": Look("not cut yet", "stop", "ring", "idle"),
    "aligned": Look("aligned", "work", None, "f2"),
    "extracted": Look("cut", "work", None, "work"),
    "retry_scheduled": Look("to be cut again", "wait", "back", "rework"),
    "pending_review": Look("needs a person", "wait", "person", "person"),
    "written": Look("written", "done", "check", "ok"),
    "settled_before": Look("settled before", "done", "lock", "none"),
}
"""State -> how it is shown, for the states that we know."""


def look_of(state: str, states: StateTable) -> Look:
    """How a state is shown; one without a look of its own is shown by its place in the kind's table."""
    if state in STATE_LOOKS:
        return STATE_LOOKS[state]
    words = in_words(state)
    if state == states.ready:
        return Look(words, "done", "check", "ok")
    if state == states.waiting:
        return Look("needs a person", "wait", "person", "person")
    return Look(words, "stop", "ring", "idle") if state == states.initial else Look(words, "work", None, "work")


def kind_icon(kind: str) -> str:
    name = f"k-{kind}"
    return name if name in ICONS else "ring"


def kind_words(kind: str) -> str:
    return KIND_WORDS.get(kind, kind)
