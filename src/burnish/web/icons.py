"""Which sign and which tone stands for a kind, a severity and a state. The drawings are in `templates/icons.html`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from burnish.app.run_card import Sort
from burnish.web.wording import in_words

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


SORT_LOOKS: dict[Sort, Look] = {
    "ready": Look("ready", "done", "check", "ok"),
    "work": Look("being worked on", "work", None, "work"),
    "rework": Look("on its way again", "wait", "back", "rework"),
    "fail": Look("review failed", "wait", "back", "rework"),
    "person": Look("needs a person", "wait", "person", "person"),
    "idle": Look("not begun", "stop", "ring", "idle"),
    "excluded": Look("left out", "stop", "none", "none"),
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


def run_look(standing: str, words: str) -> Look:
    """How a run's standing is shown."""
    tone, icon = RUN_LOOKS[standing]
    return Look(words, tone, icon, "work")


def kind_icon(kind: str) -> str:
    name = f"k-{kind}"
    return name if name in ICONS else "ring"


def kind_words(kind: str) -> str:
    return KIND_WORDS.get(kind, kind)
