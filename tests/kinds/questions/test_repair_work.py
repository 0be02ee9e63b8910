"""The way of a repair: claims are answered before it, readers compare both versions, and the next attempt is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.effects import Answer, Ask, Keep, ModelRequest, ModelRoles, Note
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question

Says = dict[str, Any]
Script = Callable[[ModelRequest], Says | None]
"""What a model says; None: the usual answer, which objects to nothing."""
WALL: Says = {
    "id": "q",
    "stem": "A wall was opened on 9 November 1989. In which city did it stand?",
    "options": [
        {"key": "A", "text": "Berlin"},
        {"key": "B", "text": "Prague"},
        {"key": "C", "text": "Vienna"},
        {"key": "D", "text": "None of the above"},
    ],
    "correct_answer": "A",
    "language": "en",
}
BIASED = {
    **WALL,
    "stem": "A wall was opened in 1989, says a wheelchair-bound clerk. In which city did it stand?",
    "options": [*WALL["options"][:3], {"key": "D", "text": "Budapest"}],
}
SAME = {"reasoning": "The same.", "passed": True, "confidence": "high", "differences": [], "newIssues": []}
SOLVED = {"items": [{"id": "q", "reasoning": "r", "choice": "A", "also_right": [], "confidence": "high"}]}
CLEAN = {"reasoning": "r", "items": [{"id": "q", "claims": [], "violations": []}]}


def edited(*edits: tuple[str, str, str], contested: tuple[Says, ...] = ()) -> Says:
    made = [{"unit": "q", "field": field, "find": find, "replace": new} for field, find, new in edits]
    return {"reasoning": "r", "edits": made, "contested": list(contested)}


BUDAPEST = ("options.D", "None of the above", "Budapest")


class Played:
    """The work on one question with the answers of a function; all that it asked, kept and noted."""

    def __init__(
        self, raw: Says, says: Callable[[ModelRequest], Says | None], judges: tuple[str, ...] = ("j",)
    ) -> None:
        source = Question.model_validate(raw)
        env = Environment(select(KIND.checks), ModelRoles(judges, {CORRECTOR: "m"}), context=BankContext(language="en"))
        row = UnitRow("q", "bank", 0, source.content_hash, KIND.states.initial)
        work = KIND.work(Task("q", (Item(row, source, source, ()),)), env)
        self.kept: list[Keep] = []
        self.notes: list[Note] = []
        self.asked: list[ModelRequest] = []
        sent: Any = None
        while True:
            try:
                effect = work.send(sent)
            except StopIteration as end:
                [self.unit] = end.value.units
                break
            sent = None
            if isinstance(effect, Keep):
                self.kept.append(effect)
                sent = len(self.kept)
            elif isinstance(effect, Note):
                self.notes.append(effect)
            elif isinstance(effect, Ask):
                self.asked += effect.requests
                sent = tuple(self._answer(one, says(one)) for one in effect.requests)

    @staticmethod
    def _answer(one: ModelRequest, said: Says | None) -> Answer:
        usual = {"answer_reply": SOLVED, "question_review_reply": CLEAN, "delta_reply": SAME}
        reply = said if said is not None else usual[one.ask.reply]
        return Answer(one.model, REPLIES[one.ask.reply].model_validate(reply))

    @property
    def state(self) -> tuple[str, str | None]:
        return self.unit.states[-1].state, self.unit.states[-1].reason

    def of(self, reply: str) -> list[ModelRequest]:
        return [one for one in self.asked if one.ask.reply == reply]


def test_the_second_attempt_is_shown_the_first_edit_and_why_it_was_not_used() -> None:
    wrong = edited(BUDAPEST, ("stem", "1989", "1889"))
    answers = iter([wrong, edited(BUDAPEST)])
    work = Played(WALL, lambda one: next(answers) if one.ask.reply == "edit_reply" else None)
    assert work.state == ("validated", "attempt_3")
    first, second = (one.ask.untrusted["violations"] for one in work.of("edit_reply"))
    assert "'1889'" not in first
    assert "stem: '1989' -> '1889'" in second
    assert '"9 November 1989" became "9 November 1889"' in second or '"1989" became "1889"' in second
    assert (work.kept[1].failure or "").startswith("edit_refused: changes_meaning")


def test_a_reader_of_both_versions_sees_what_code_saw_and_may_decline() -> None:
    unwanted = {**SAME, "passed": False, "reasoning": "Budapest had no wall; it tests less."}
    work = Played(WALL, lambda one: {"edit_reply": edited(BUDAPEST), "delta_reply": unwanted}.get(one.ask.reply))
    assert work.state[0] == "needs_manual_review"
    shown = work.of("delta_reply")[0].ask.untrusted["items"]
    assert "before:\noptions.D: None of the above\nafter:\noptions.D: Budapest\n" in shown
    assert '1: options.D: "None of the above" became "Budapest".' in shown
    assert [(one.failure or "").partition(":")[0] for one in work.kept[1:]] == ["not_the_same"] * 2
    assert "it tests less" in work.of("edit_reply")[1].ask.untrusted["violations"]
    assert work.unit.best == 1


def test_a_change_that_the_repair_names_needs_a_readers_consent() -> None:
    declared = edited(BUDAPEST, ("stem", "1989", "1990"))
    declared["edits"][1]["changes"] = ["9 November 1989 becomes 9 November 1990"]
    unwanted = {**SAME, "differences": [{"id": "1", "wanted": False}, {"id": "2", "wanted": False}]}
    for reply, state in ((SAME, "validated"), (unwanted, "needs_manual_review")):
        work = Played(WALL, lambda one, reply=reply: {"edit_reply": declared, "delta_reply": reply}.get(one.ask.reply))
        assert work.state[0] == state


@pytest.mark.parametrize("judges", [(), ("m",)])
def test_a_wide_repair_waits_with_both_versions_where_there_is_no_other_model(judges: tuple[str, ...]) -> None:
    work = Played(WALL, lambda one: edited(BUDAPEST) if one.ask.reply == "edit_reply" else None, judges)
    assert work.state == ("needs_manual_review", "key_unchecked")
    assert work.of("delta_reply") == []
    assert work.unit.best == 2, "the proposal is shown beside the original"


# -- claims of rules


def reading(upheld: bool) -> Says:
    said = {"claim": "1", "upheld": upheld, "quote": "wheelchair-bound"}
    return {"reasoning": "r", "items": [{"id": "q", "claims": [said], "violations": []}]}


MENDED = edited(("stem", ", says a wheelchair-bound clerk", ""))


def test_a_doubtful_claim_is_answered_before_it_is_repaired() -> None:
    def says(one: ModelRequest) -> Says | None:
        is_claimed = one.ask.reply == "question_review_reply" and "claim 1: ext_bias" in one.ask.untrusted["items"]
        return reading(True) if is_claimed else MENDED if one.ask.reply == "edit_reply" else None

    work = Played(BIASED, says)
    assert work.state == ("validated", "attempt_2")
    assert work.kept[0].findings[0].data["upheld_by"] == ["j"]


def test_a_doubtful_claim_that_nobody_upholds_is_dismissed_and_never_repaired() -> None:
    work = Played(BIASED, lambda one: reading(False) if one.ask.reply == "question_review_reply" else None, ("j", "k"))
    assert work.state == ("validated", "attempt_1")
    assert work.of("edit_reply") == []
    [found] = work.kept[0].findings
    assert (found.rule, found.severity, found.data["dismissed_by"]) == ("ext_bias_detection", "info", ["j", "k"])


def test_a_claim_that_no_reader_answers_stays() -> None:
    work = Played(BIASED, lambda one: MENDED if one.ask.reply == "edit_reply" else None)
    assert work.state == ("validated", "attempt_2")
    assert work.kept[0].findings[0].data["unanswered"]


@pytest.mark.parametrize("upheld", [True, False])
def test_what_the_corrector_contests_goes_to_a_reader(upheld: bool) -> None:
    contests = edited(contested=({"claim": "1", "why": "The clerk is needed."},))

    def says(one: ModelRequest) -> Says | None:
        if one.ask.prompt.endswith(":answer"):
            return reading(upheld)
        return contests if one.ask.reply == "edit_reply" else None

    work = Played(WALL, says)
    assert next(one.model for one in work.asked if one.ask.prompt.endswith(":answer")) == "j"
    if upheld:
        assert work.state[0] == "needs_manual_review"
        assert "A reader upholds what was contested" in (work.kept[1].failure or "")
    else:
        assert work.state == ("validated", "attempt_2")
        assert [note.type for note in work.notes if note.type == "claims_dismissed"] == ["claims_dismissed"]
        [found] = [one for one in work.kept[1].findings if one.rule == "nbme_none_of_the_above"]
        assert found.severity == "info" and found.data["dismissed_by"]
