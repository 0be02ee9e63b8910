"""How doors show lessons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from burnish.core.kinds import Remark, Table
from burnish.core.records import EventRecord
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.policy import REASONS


def describe(facts: Mapping[str, Any]) -> list[Remark | Table]:
    """What a lesson's overview says: its size and language; after a run, how it ended."""
    found: list[Remark | Table] = []
    if facts.get("words"):
        size = f"{facts['words']:,} words in {_units(facts['parts'])}, language {facts['language']}"
        found.append(Remark("size", size))
    if facts.get("status"):
        found.append(Remark("ending", _ending(facts["status"], facts["reason"]), facts["status"] != "accepted"))
    hints = (facts.get("refinement") or {}).get("improvementHints", ())
    found += [Remark("open", hint) for hint in hints]
    # The hints begin with the worst, and are few: what is critical is told to the last one.
    found += [Remark("critical", issue, True) for issue in facts.get("open_critical", ())[len(hints) :]]
    return found


STOPS = {
    "stop_converged": "repairs no longer move the score",
    "stop_max_iterations": "that is as often as it is tried",
    "stop_token_budget": "the tokens for its repair are spent",
    "stop_timeout": "the time for its repair is over",
    "stop_all_sections_locked": "no section may be touched any more",
    "stop_score_threshold_met": "it reaches the line",
    "continue_more_tasks": "there is more to repair",
    "no_judges": "nobody judged it",
    "judges_silent": "no judge gave a usable verdict",
}
"""Why the work on a lesson stopped, or goes on, in words."""


def _ending(status: str, reason: str) -> str:
    for word, meaning in STOPS.items():
        reason = reason.replace(word, meaning)
    return reason if reason.startswith(status) else f"{status}: {reason}"


def said(event: EventRecord) -> str | None:
    """An event of a run as one line."""
    data = event.data
    words: dict[str, Callable[[], str]] = {
        "self_reviewed": lambda: f"first reading: {data['status']}",
        "judged": lambda: f"judged: {data['clevResult']['aggregatedScore']:.2f}, {data['clevResult']['votingMethod']}",
        "third_judge_asked": lambda: f"a third judge is asked: {data['reason']}",
        "arbiter_consolidation": lambda: f"iteration {data['iteration'] + 1}: {_planned(data)}",
        "patch_applied": lambda: f"{data['sectionId']}: edited",
        "section_regenerated": lambda: f"{data['sectionId']}: written again",
        "verification_result": lambda: f"{data['sectionId']}: {_verdict(data)}",
        "quality_lock_triggered": lambda: f"{data['sectionId']}: {data['criterion']} got worse, rolled back",
        "iteration_complete": lambda: (
            f"iteration {data['iteration'] + 1}: from {data['startScore']:.2f} to {_end(data)}"
        ),
        "writing_again": lambda: f"written again ({data['attempt']}): {data['reason']}",
        "judges_failed": lambda: str(data["message"]),
        "round_ended": lambda: f"{data['document']}: {data['status']}",
    }
    line = words.get(event.type)
    return None if line is None else line()


def _planned(data: Mapping[str, Any]) -> str:
    planned = "1 repair planned" if len(data["tasks"]) == 1 else f"{len(data['tasks'])} repairs planned"
    aside = len(data["rejected"])
    return f"{planned}, {aside} set aside for want of agreement" if aside else planned


def _end(data: Mapping[str, Any]) -> str:
    # An iteration's decision to stop does not tell which of the two it was.
    words = {**STOPS, "stop_converged": "further repairs would gain nothing"}
    return f"{data['endScore']:.2f}, {words[data['decision']]}"


def _verdict(data: Mapping[str, Any]) -> str:
    return "settled" if data["passed"] else f"not kept: {'; '.join(REASONS.get(r, r) for r in data['reasons'])}"


def _units(number: int) -> str:
    return "1 unit" if number == 1 else f"{number:,} units"


def ignoring(rule: str) -> str:
    """How an author passes over a rule, as the end of a sentence."""
    listed = f'`"burnish_ignore": ["{rule}"]`'
    return f"`<!-- burnish-ignore: {rule} -->` in the text; {listed} in a section or in the lesson as a whole"


def shown(unit: LessonUnit) -> str:
    """A unit as a person reads it."""
    if set(unit.fields) <= {"title", None}:
        title = f"# {unit.title}\n\n" if unit.title else ""
        return f"{title}{unit.text}"
    return "\n\n".join(f"{field}: {text}" for field, text in unit.fields.items())
