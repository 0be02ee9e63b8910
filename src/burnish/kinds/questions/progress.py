"""The progress of one question: its attempts, the decisions on them, and the next move. No side effects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from burnish.core.attempts import (
    DISMISS,
    History,
    blocking_rules,
    breaker_states,
    dismissals_in,
    effective_decisions,
    findings_of,
    open_errors,
)
from burnish.core.claims import NO_DISMISSALS, Dismissals
from burnish.core.documents import Unit
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import AttemptRecord, EventRecord
from burnish.core.tasks import DUPLICATE, USUAL_ATTEMPTS, RepairNotes
from burnish.kinds.questions import requests
from burnish.kinds.questions.key_check import DOUBTING_RULES, is_in_doubt, moves_key
from burnish.kinds.questions.model import question_of
from burnish.kinds.questions.policy import (
    CLAIMS_UNPLACED,
    CONTRADICTING,
    CONTRADICTING_RATIONALE,
    KEY,
    KEY_DOUBTFUL,
    KEY_UNCHECKED,
    OPTIONS_EQUAL,
    REPAIR_UNREAD,
)
from burnish.kinds.questions.review import Draft, is_open

WRITTEN = ("source", "safe_fix", "person")
"""The causes of attempts that no model wrote."""
CONTRADICTION = "contradicting_keys"
"""The reason of a unit that has the same text as another one and another key."""
SENT_BACK = "sent_back"
"""The rule id of the finding for a reviewer's rejection if there is no other error."""


@dataclass(frozen=True, slots=True)
class NextMove:
    """The next step for a question."""

    name: Literal["review", "repair", "accept", "ask_person"]
    reason: str = ""
    rules: tuple[str, ...] = ()
    """The rules that the reason is about, such as those of a tripped breaker."""


@dataclass(frozen=True, slots=True)
class UnitProgress:
    """The recorded progress of one unit."""

    kind: Kind
    source: Unit
    history: History = field(default_factory=History)
    granted_after: int = 0
    """Attempts up to this number no longer count: a reviewer or a resumed run granted new ones."""
    note: str | None = None
    """The note of the last rejection, for the next prompt."""
    sent_back_by: str = ""
    has_readers: bool = False
    """Whether judges read the drafts, so that doubtful claims of rules are asked about."""
    dismissed_by_people: Dismissals = NO_DISMISSALS
    """What people dismissed in this question."""
    max_attempts: int = USUAL_ATTEMPTS
    """Corrections before a person has to decide."""

    @classmethod
    def recalled(
        cls,
        kind: Kind,
        source: Unit,
        attempts: Iterable[AttemptRecord],
        grants: Sequence[EventRecord],
        *,
        has_readers: bool = False,
        max_attempts: int = USUAL_ATTEMPTS,
    ) -> Self:
        """From the journal; `grants` are the `decision` and `reopened` events of the unit."""
        counting = effective_decisions(grants)
        rejections = [grant for grant in counting if grant.data.get("verdict") == "reject"]
        counted = [one for one in counting if one.type == "reopened" or one.data["verdict"] in ("reject", DISMISS)]
        progress = cls(
            kind,
            source,
            History.of(attempts, grants),
            has_readers=has_readers,
            dismissed_by_people=Dismissals.of(dismissals_in(grants)),
            max_attempts=max_attempts,
        )
        if counted:
            progress = replace(progress, granted_after=int(counted[-1].data["after_attempt"]))
        if rejections:
            # The next prompt must differ from the last one, or the cached answer would be repeated.
            last, times = rejections[-1].data, len(rejections)
            note = (last.get("note") or "It is not good enough yet.") + (
                f" (Sent back {times} times.)" if times > 1 else ""
            )
            progress = replace(progress, note=note, sent_back_by=str(last["by"]))
        return progress

    def with_attempt(self, attempt: AttemptRecord) -> UnitProgress:
        return replace(self, history=self.history.with_attempt(attempt))

    @property
    def draft(self) -> Unit:
        """The draft to work from: the best so far, not the last."""
        best = self.history.best
        return (recorded_draft(self.kind, best) if best is not None else None) or self.source

    @property
    def neighbour_findings(self) -> tuple[Finding, ...]:
        """The findings from comparison with other units. An edit by a person resets them to those of the edit."""
        attempts = self.history.counted
        known = next((attempt for attempt in reversed(attempts) if attempt.cause == "person"), attempts[0])
        compared = (finding for finding in findings_of(known) if finding.source == "document")
        return self.dismissals.split(compared)[0]

    @property
    def errors(self) -> list[Finding]:
        """The errors to repair: those of the best draft, or a reviewer's rejection that no draft has answered yet."""
        best = self.history.best
        errors = [one for one in findings_of(best) if one.blocks and not self.awaits_reader(one)] if best else []
        if errors or not self.history.rejections or any(map(_is_answer, self.history.since_rejection)):
            return errors
        message = "A reviewer sent it back: do what the note says."
        source = f"person:{self.sent_back_by}"
        return [Finding(SENT_BACK, "error", self.source.id, None, message, source=source)]

    def awaits_reader(self, finding: Finding) -> bool:
        """Whether a doubtful claim of a rule is asked about before anybody repairs it."""
        return self.has_readers and is_open(finding)

    @property
    def dismissals(self) -> Dismissals:
        """The claims of rules that people dismissed, and those that readers have denied so far."""
        marked = (
            one for attempt in self.history.attempts for one in findings_of(attempt) if "dismissed_by" in one.data
        )
        denied = frozenset((one.unit, str(one.data["claim"])) for one in marked if one.data.get("claim"))
        return replace(self.dismissed_by_people, claims=self.dismissed_by_people.claims | denied)

    def draft_of(self, unit: Unit, found: tuple[Finding, ...], corrector: str | None, *, is_repair: bool) -> Draft:
        """What a review must know about how `unit` came to be."""
        written = self._written
        was_repaired = is_repair or (written is not None and written.content_hash != unit.content_hash)
        not_solving = {corrector} if was_repaired and corrector is not None else set[str]()
        if was_repaired and written is not None and moves_key(question_of(written), question_of(unit)):
            not_solving |= self._raisers
        doubt = self.key_in_doubt(unit)
        return Draft(doubt, frozenset(not_solving), self.dismissals, found)

    @property
    def _raisers(self) -> set[str]:
        """The models whose objections a repair of the key follows: none of them confirms it."""
        raised = (one for attempt in self.history.attempts for one in findings_of(attempt))
        doubting = (one for one in raised if one.rule in DOUBTING_RULES | {KEY_DOUBTFUL, OPTIONS_EQUAL})
        named = [name for one in doubting for name in (one.source, *one.data.get("raised_by", ()))]
        named += [f"model:{name}" for one in doubting for name in one.data.get("upheld_by", ())]
        return {name.removeprefix("model:") for name in named if name.startswith("model:")}

    def next_move(self, *, can_repair: bool) -> NextMove:
        """The next move, from the attempts and decisions so far."""
        last, best = self.history.last, self.history.best
        if last is None or best is None:
            return NextMove("review")
        since = any(attempt.number > self.granted_after for attempt in self.history.counted)
        if self.granted_after > 0 and not since and not self.errors:
            return NextMove("review")  # judges without an answer are asked again when the run resumes
        if best.passed and best.number > self.granted_after:
            return NextMove("accept", f"attempt_{best.number}")
        obstacle = self.obstacle(can_repair=can_repair)
        if obstacle is not None:
            return NextMove("ask_person", obstacle)
        if len(self._repairs) >= self.max_attempts:
            # The rules that failed in every repair since attempts were granted.
            states = breaker_states([blocking_rules(attempt) for attempt in self._repairs], self.max_attempts)
            tripped = tuple(state.rule_id for state in states if state.is_tripped)
            return NextMove("ask_person", "circuit_breaker" if tripped else "attempts_exhausted", tripped)
        return NextMove("repair")

    @property
    def _repairs(self) -> list[AttemptRecord]:
        """The repairs since attempts were last granted, including unreadable answers."""
        return [a for a in self.history.attempts if a.cause == "model" and a.number > self.granted_after]

    def obstacle(self, *, can_repair: bool) -> str | None:
        """Why no repair can be tried; None if one can."""
        best, last = self.history.best, self.history.last
        if best is None or last is None:
            return None
        if last.failure and last.failure.startswith("model_failed") and last.number > self.granted_after:
            return "model_failed"
        errors = self.errors
        for rule in (KEY_DOUBTFUL, OPTIONS_EQUAL, CONTRADICTING_RATIONALE):
            if any(finding.rule == rule for finding in errors):
                return rule
        if any(finding.source.startswith("model:") and not finding.quote for finding in errors):
            # A judge reports words that are not in the draft: a model cannot repair them.
            return CLAIMS_UNPLACED
        if not errors and self.key_in_doubt(self.draft) and best.scores.get(KEY) != 1.0:
            return KEY_DOUBTFUL if KEY in best.scores else KEY_UNCHECKED
        if not errors and any(finding.rule == REPAIR_UNREAD for finding in findings_of(best)):
            return REPAIR_UNREAD
        if not errors:
            return "judges_silent" if (last.failure or "").startswith("judges_silent") else "judges_disagree"
        beside = {finding.rule for finding in errors if finding.source == "document"}
        if beside and not (self._is_sent_back(best) and beside.isdisjoint(one.rule for one in self.neighbour_findings)):
            return CONTRADICTION if beside == {CONTRADICTING.id} else DUPLICATE
        if blocking_rules(best) & (self.kind.fatal_rules | {CRASHED_RULE}):
            return "fatal_finding"
        if not requests.editable(question_of(self.draft), errors):
            return "nothing_to_edit"
        return None if can_repair else "no_model"

    def _is_sent_back(self, best: AttemptRecord) -> bool:
        """Whether a person wants another draft than `best`, such as one that a correction made a copy of another."""
        return bool(self.history.rejections) and best.number <= self.history.rejections[-1]

    def key_in_doubt(self, draft: Unit) -> bool:
        """Whether models have changed the question, since a person last wrote it, in a way that can change the right
        answer."""
        written = self._written
        if written is None or written.content_hash == draft.content_hash:
            return False
        attempts = self.history.counted
        begun = next(n for n in range(len(attempts) - 1, -1, -1) if attempts[n].cause in WRITTEN)
        rules = {rule for attempt in attempts[begun:] for rule in blocking_rules(attempt)}
        return is_in_doubt(question_of(written), question_of(draft), rules)

    @property
    def _written(self) -> Unit | None:
        """The last draft that no model wrote; None if nothing was reviewed yet."""
        attempts = (attempt for attempt in reversed(self.history.counted) if attempt.cause in WRITTEN)
        last = next(attempts, None)
        return None if last is None else recorded_draft(self.kind, last) or self.source

    def notes(self) -> RepairNotes:
        """The notes on earlier tries for the next repair prompt."""
        tries = self._repairs
        failures = tuple(attempt.failure for attempt in tries if attempt.failure)
        last = tries[-1] if tries and tries[-1].failure else None
        edits = tuple(last.edits) if last is not None else ()
        # What says more than a name is shown: the guard's reasons, a reader's words, the rules that were broken.
        reason = (last.failure or "").partition(": ")[2] if last is not None else ""
        notes = RepairNotes(len(tries) + 1, self.max_attempts, failures, self.note)
        return replace(notes, last_edits=edits, last_reason=reason)

    def trade(self, findings: Iterable[Finding]) -> str | None:
        """The failure of a correction that raises new errors and does not have fewer errors than before; else None."""
        best = self.history.best
        assert best is not None, "what is corrected was reviewed before"
        known = {(finding.rule, finding.field) for finding in findings_of(best) if finding.blocks}
        errors = [(finding.rule, finding.field) for finding in findings if finding.blocks]
        new = sorted({rule for rule, field in errors if (rule, field) not in known})
        return f"new_errors: {', '.join(new)}" if new and len(errors) >= open_errors(best) else None


def _is_answer(attempt: AttemptRecord) -> bool:
    """Whether an attempt since a rejection is a new draft that was used, or was only not judged."""
    return attempt.cause != "review" and (attempt.failure or "judges_silent").startswith("judges_silent")
