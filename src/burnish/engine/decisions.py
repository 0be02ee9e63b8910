"""People's decisions: what follows from one, from taking it back, and from repeating it in a replay: events all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from burnish.core.attempts import (
    UNDO,
    History,
    findings_of,
    is_undo,
    open_errors,
    restored,
    row_before,
    standing_decisions,
)
from burnish.core.documents import Unit
from burnish.core.errors import InputError, TooLate, UsageError
from burnish.core.findings import Finding
from burnish.core.gate import GatePolicy, Scorecard, StateTable, judge
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, event
from burnish.core.tasks import DUPLICATE, Item
from burnish.engine.publish import is_placing
from burnish.engine.unit_loader import Examiner, Neighbours, moved, refuse_keys
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

Decision = Literal["accept", "edit", "reject", "drop"]
IN_VAIN = {
    DUPLICATE: "it is nearly the same as another one, and no model is asked to make it a different one",
    "fatal_finding": "what is wrong with it is a person's to mend, so no model would be asked",
    "nothing_to_edit": "no model may edit what is wrong with it",
}
"""Why another try of a model would not come about."""
EDIT_HAS_ERRORS = "edit_has_errors"
"""Why a unit waits on with the text that a person gave it."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from a decision. Written all at once, or not at all."""

    row: UnitRow
    """Where the unit stands then."""
    records: tuple[Record, ...]
    """All there is to write, the row among it."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """Puts people's decisions into effect.

    `accepted`, `sent_back` and `edited` say what follows from a decision, or raise what speaks against it; nothing is
    written by them.
    """

    journal: Journal
    reviewer: Examiner
    neighbours: Neighbours | None
    """None where units belong together: their documents are judged as wholes."""
    redactor: Redactor = field(default_factory=Redactor)
    """Knows the keys that no text may hold."""
    why_not_held: Callable[[UnitRow], str | None] = lambda _: None
    """Why a unit's document cannot hold the draft that stands; None where it can, or where that is not asked."""

    why_not_left_out: Callable[[UnitRow], str | None] = lambda _: None
    """Why a unit's document cannot do without it; None where it can."""

    def decide(
        self, row: UnitRow, source: Unit, decision: Decision, *, by: str, note: str | None, text: str | None
    ) -> UnitRow:
        """The unit's row after the decision, which is written down."""
        return self._written(self.consequence(row, source, decision, by=by, note=note, text=text))

    def consequence(
        self,
        row: UnitRow,
        source: Unit,
        decision: Decision,
        *,
        by: str,
        note: str | None,
        text: str | None,
        mark: str | None = None,
    ) -> Consequence:
        """What follows from any decision. `mark`: a name of its own, under which it is written once at most."""
        if decision != "drop":
            self._refuse_if_settled(row)
        if text is not None and decision != "edit":
            raise UsageError(
                f"`{decision}` takes no text.", hint="Use `edit` for a new text, or leave --text-file out."
            )
        if decision == "accept":
            return self.accepted(row, by=by, note=note, mark=mark)
        if decision == "reject":
            return self.sent_back(row, source, by=by, note=note, mark=mark)
        if decision == "drop":
            return self.dropped(row, source, by=by, note=note, mark=mark)
        return self.edited(row, source, by=by, note=note, text=text, mark=mark)

    def accepted(self, row: UnitRow, *, by: str, note: str | None, mark: str | None = None) -> Consequence:
        """The draft that stands is taken as it is."""
        self._refuse_if_settled(row)
        if row.state == self._states.ready:
            raise UsageError(f"{row.id} is ready already.", hint="Edit it, or send it back with a note.")
        # What is accepted has to be written. A text that its document cannot hold would only come back.
        why = self.why_not_held(row)
        if why is not None:
            raise UsageError(
                f"{row.id} cannot be accepted: the document cannot hold the text. {why}",
                hint="Give it another text with `edit --text-file FILE`.",
            )
        return self._accepted(row, by, note, mark)

    def sent_back(
        self, row: UnitRow, source: Unit, *, by: str, note: str | None, mark: str | None = None
    ) -> Consequence:
        """Another draft is asked for."""
        self._refuse_if_settled(row)
        self._refuse_blocker(row, source)
        self._refuse_in_vain(row, source, _decision(row, row, "reject", by, note))
        if note is None or not note.strip():
            raise UsageError(f"{row.id} is sent back with a note.", hint='Say what to do better with --note "...".')
        return self._sent_back(row, by, note, mark)

    def dropped(self, row: UnitRow, source: Unit, *, by: str, note: str | None, mark: str | None = None) -> Consequence:
        """The unit is left out of what is published. One that is ready may be dropped too: of two that are nearly the
        same, either may be the one that goes."""
        kind, state = self.reviewer.kind, self._states.dropped
        if state is None or kind.is_blocker(source):
            raise UsageError(
                f"{row.id} cannot be dropped: a {kind.noun} is not left out of its document.",
                hint="Accept it, edit it, or send it back.",
            )
        if row.state not in (self._states.waiting, self._states.ready):
            self._refuse_if_settled(row)
        if note is None or not note.strip():
            raise UsageError(f"{row.id} is dropped with a reason.", hint='Say why with --note "...".')
        why = self.why_not_left_out(row)
        if why is not None:
            raise UsageError(f"{row.id} cannot be dropped. {why}", hint="Edit it, or send it back.")
        return self._dropped(row, by, note, mark)

    def edited(
        self, row: UnitRow, source: Unit, *, by: str, note: str | None, text: str | None, mark: str | None = None
    ) -> Consequence:
        """The person's text in the draft that stands."""
        self._refuse_if_settled(row)
        self._refuse_blocker(row, source)
        if text is None:
            raise UsageError("An edit needs the new text.", hint="Give it with --text-file FILE.")
        kind = self.reviewer.kind
        best = self._standing(row, self._history(row))
        draft = (recorded_draft(kind, best) if best is not None else None) or source
        edited = kind.from_person(draft, text)
        self._refuse_broken(row, draft, edited)
        return self._with_text(row, edited, by=by, note=note, mark=mark)

    def repeat(
        self, row: UnitRow, decision: Literal["accept", "reject", "drop"], *, by: str, note: str | None
    ) -> UnitRow:
        """Put into effect what was decided in an earlier run, whether or not it would be of use today."""
        if decision != "drop":
            self._refuse_if_settled(row)
        follows = {"accept": self._accepted, "reject": self._sent_back, "drop": self._dropped}[decision]
        return self._written(follows(row, by, note, None))

    def take_edit(
        self, row: UnitRow, edited: Unit, *, by: str, note: str | None, beside: Sequence[Finding] | None = None
    ) -> UnitRow:
        """The same for a text; `beside`: how it fitted its neighbours, where that is known."""
        return self._written(self._with_text(row, edited, by=by, note=note, beside=beside))

    def _written(self, follows: Consequence) -> UnitRow:
        self.journal.write_now(*follows.records)
        return follows.row

    def _accepted(self, row: UnitRow, by: str, note: str | None, mark: str | None) -> Consequence:
        reason, history = f"accepted by {by}", self._history(row)
        return self._settle(row, "accept", by, note, self._states.ready, reason, mark=mark, history=history)

    def _sent_back(self, row: UnitRow, by: str, note: str | None, mark: str | None) -> Consequence:
        reason, history = f"sent back by {by}", self._history(row)
        return self._settle(row, "reject", by, note, self._states.working, reason, mark=mark, history=history)

    def _dropped(self, row: UnitRow, by: str, note: str | None, mark: str | None) -> Consequence:
        state = self._states.dropped
        assert state is not None, "the kind has the state"
        return self._settle(row, "drop", by, note, state, f"dropped by {by}", mark=mark, history=self._history(row))

    @property
    def _states(self) -> StateTable:
        return self.reviewer.kind.states

    def _refuse_if_settled(self, row: UnitRow) -> None:
        if row.state != self._states.waiting and not self._may_be_taken(row):
            raise UsageError(
                f"{row.id} is not waiting for a person: it is {row.state}.",
                hint="`burnish status RUN` lists the units that are.",
            )

    def _may_be_taken(self, row: UnitRow) -> bool:
        """Where units move through stages, an editor may take one that waits for its rework, or for the others; not
        while its text is being put in its place."""
        if not self.reviewer.kind.is_phased or is_placing(self.journal):
            return False
        return row.state in (self._states.working, self._states.ready)

    def _refuse_blocker(self, row: UnitRow, source: Unit) -> None:
        kind = self.reviewer.kind
        if kind.is_blocker(source):
            raise UsageError(
                f"{row.id} is no {kind.noun}: it cannot be edited or sent back.",
                hint=f"Accept it once it is dealt with; what it is about is mended in its {kind.noun}.",
            )

    def _refuse_in_vain(self, row: UnitRow, source: Unit, rejection: EventRecord) -> None:
        """Who sends a unit back expects another draft. Where no model is asked for one, it would only come back."""
        if self.neighbours is None:
            return
        grants = [*self.journal.events(unit=row.id, types=("decision", "reopened")), rejection]
        attempts = tuple(self.journal.attempts(row.id))
        item = Item(row, source, source, attempts, tuple(grants))
        found = self.neighbours.kind.obstacle(item)
        if found is not None:
            obstacle, rules = found
            raise UsageError(
                f"{row.id} cannot be sent back: {IN_VAIN.get(obstacle, obstacle)} ({', '.join(rules)}).",
                hint="Accept it as it is, or give it another text with `edit --text-file FILE`.",
            )

    def _settle(
        self,
        row: UnitRow,
        verdict: Decision,
        by: str,
        note: str | None,
        state: str,
        reason: str,
        *,
        mark: str | None,
        history: History,
        text: AttemptRecord | None = None,
    ) -> Consequence:
        extra = (text,) if text is not None else ()
        for attempt in extra:
            history = history.with_attempt(attempt)
        attempts, best = len(history.attempts), self._standing(row, history)
        before = row
        moves: list[EventRecord] = []
        if row.state != self._states.waiting and self._may_be_taken(row):
            told, row = moved(self._states, row, self._states.waiting, f"taken by {by}")
            moves.append(told)
        settled = replace(
            row,
            state=self._states.check(row.state, state),
            reason=reason,
            attempts=attempts,
            best_attempt=best.number if best else 0,
            open_errors=open_errors(best) if best else 0,
        )
        if self.reviewer.kind.is_phased and settled.state != row.state:
            moves.append(_move(row, settled))
        decision = _decision(before, settled, verdict, by, note, mark)
        return Consequence(settled, (*extra, decision, *moves, settled))

    def _standing(self, row: UnitRow, history: History) -> AttemptRecord | None:
        """The attempt that counts from now on: the one that stood, chosen with its unit's neighbours; else the best."""
        if row.attempts == len(history.attempts):
            return history.attempts[row.best_attempt - 1] if row.best_attempt else None
        return history.best

    def _history(self, row: UnitRow) -> History:
        decisions = self.journal.events(unit=row.id, types=("decision",))
        return History.of(self.journal.attempts(row.id), decisions)

    def _refuse_broken(self, row: UnitRow, draft: Unit, edited: Unit) -> None:
        """A text that takes the structure apart is not kept: nobody could accept it, and no model may mend it."""
        if self.neighbours is None:
            return
        before, after = self._structural(row, draft), self._structural(row, edited)
        broken = [finding for finding in after if finding.rule not in {known.rule for known in before}]
        if broken:
            raise InputError(
                f"The edited {self.neighbours.kind.noun} breaks its structure: "
                f"{broken[0].message.rstrip('.')} ({broken[0].rule}).",
                hint="Nothing was changed. Options are given all together, with those that stay as they are.",
            )

    def _structural(self, row: UnitRow, unit: Unit) -> list[Finding]:
        fatal = self.neighbours.kind.fatal_rules if self.neighbours is not None else frozenset()
        findings = self.reviewer.for_document(row.document).examine(unit).findings
        return [finding for finding in findings if finding.blocks and finding.rule in fatal]

    def _with_text(
        self,
        row: UnitRow,
        edited: Unit,
        *,
        by: str,
        note: str | None,
        beside: Sequence[Finding] | None = None,
        mark: str | None = None,
    ) -> Consequence:
        """The person's text goes back to the rules: if they find errors, the unit keeps waiting, with the text kept."""
        history = self._history(row)
        kind = self.reviewer.kind
        refuse_keys(self.redactor, kind, edited)
        examination = self.reviewer.for_document(row.document).examine(edited)
        if beside is None:
            beside = self.neighbours.beside(row, edited) if self.neighbours is not None else ()
        examination = replace(examination, findings=(*examination.findings, *beside))
        card = Scorecard.of(kind.scores(examination, None))
        # What no rule was able to judge, the person judged who wrote it.
        asked = tuple(one for one in kind.gate(0).dimensions if one.name not in examination.unjudged)
        passed = judge(card, examination.findings, GatePolicy(asked)).passed
        attempt = AttemptRecord(
            unit=row.id,
            number=history.next_number,
            cause="person",
            content=kind.to_record(edited),
            content_hash=edited.content_hash,
            scores=dict(card.scores),
            findings=tuple(finding.as_record() for finding in examination.findings),
            passed=passed,
            checked=examination.as_record(),
        )
        state, reason = (self._states.ready, f"edited by {by}") if passed else (self._states.waiting, EDIT_HAS_ERRORS)
        return self._settle(row, "edit", by, note, state, reason, mark=mark, history=history, text=attempt)


def _move(before: UnitRow, after: UnitRow) -> EventRecord:
    """Where units move through stages, every move is told; the table has allowed it."""
    return event("state_changed", before.id, data={"from": before.state, "to": after.state, "reason": after.reason})


def _decision(
    before: UnitRow, after: UnitRow, verdict: Decision, by: str, note: str | None, mark: str | None = None
) -> EventRecord:
    """`before` is what an undo goes back to; by `after` it is seen whether the unit has moved since."""
    said = {"verdict": verdict, "by": by, "note": note, "after_attempt": after.attempts, "reason_before": before.reason}
    rows = {"before": row_before(before), "after": row_before(after)}
    named = {"mark": mark} if mark is not None else {}
    dedupe = f"decision:{mark}" if mark is not None else None
    return event("decision", before.id, dedupe=dedupe, data={**said, **rows, **named})


def undone(kind: Kind, journal: Journal, row: UnitRow, *, by: str) -> Consequence:
    """What follows from taking back the last decision about a unit. TooLate where a task began with it."""
    decision = last_standing(journal, row)
    if has_task_begun(journal, row, decision):
        raise TooLate(
            f"{decision.data['by']}'s decision about {row.id} cannot be undone: the run has worked with it since.",
            hint=f"`burnish show RUN {row.id}` shows what followed; if the unit waits, decide again.",
        )
    return undone_again(kind, journal, row, by=by)


def undone_again(kind: Kind, journal: Journal, row: UnitRow, *, by: str) -> Consequence:
    """The same where that was in time, in a run that is repeated."""
    decision = last_standing(journal, row)
    before: Mapping[str, Any] = decision.data["before"]
    back = restored(row, before)
    data = {
        "verdict": UNDO,
        "by": by,
        "note": None,
        "undoes": decision.seq,
        "after_attempt": row.attempts,
        "reason_before": row.reason,
        "row": dict(before),
    }
    told = event("decision", row.id, dedupe=f"undo:{decision.seq}", data=data)
    moves = _moves(kind.states, row, back, by) if kind.is_phased else []
    return Consequence(back, (told, *moves, back))


def last_standing(journal: Journal, row: UnitRow) -> EventRecord:
    """The last decision about a unit that was not taken back."""
    standing = standing_decisions(journal.events(unit=row.id, types=("decision",)))
    if not standing:
        raise UsageError(f"Nobody has decided about {row.id}.", hint="There is nothing to take back.")
    return standing[-1]


def has_task_begun(journal: Journal, row: UnitRow, decision: EventRecord) -> bool:
    """Whether a task began with a decision: with its unit, its document or all of them.

    Tasks that ask models are written down before they begin; those that ask nobody are seen by what they made of the
    unit's row. Each type of event is found by its index, however long the run is.
    """
    if is_placing(journal) or row_before(row) != decision.data["after"]:
        return True
    if any(True for _ in journal.events(after=decision.seq, unit=row.id, types=("task_begun", "reopened"), limit=1)):
        return True
    return any(
        type in ("published", "delivered")
        or begun.data.get("document") == row.document
        or row.id in begun.data.get("units", ())
        for type in ("published", "delivered", "round_started", "batch_formed")
        for begun in journal.events(after=decision.seq, types=(type,))
    )


def _moves(states: StateTable, row: UnitRow, back: UnitRow, by: str) -> list[EventRecord]:
    """The way back, through the state that only people lead out of; every move is in the table."""
    found: list[EventRecord] = []
    for state in dict.fromkeys((states.waiting, back.state)):
        if row.state != state:
            reason = back.reason if state == back.state else f"taken back by {by}"
            told, row = moved(states, row, state, reason)
            found.append(told)
    return found


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """What people decided in the recorded run."""

    recorded: Journal
    deciding: Deciding

    def left(self, unit: str) -> list[EventRecord]:
        """The decisions about a unit that this run has not repeated yet."""
        done = sum(1 for _ in self.deciding.journal.events(unit=unit, types=("decision",)))
        return list(self.recorded.events(unit=unit, types=("decision",)))[done:]

    def repeat(self, row: UnitRow, source: Unit, decision: EventRecord) -> UnitRow:
        """Decide again as it was decided then."""
        data = decision.data
        by, note = data["by"], data["note"]
        if is_undo(decision):
            journal = self.deciding.journal
            follows = undone_again(self.deciding.reviewer.kind, journal, row, by=by)
            journal.write_now(*follows.records)
            return follows.row
        if data["verdict"] != "edit":
            return self.deciding.repeat(row, data["verdict"], by=by, note=note)
        # What the person made of the unit is the attempt that was recorded; how it fitted its neighbours then, counts.
        attempt = self.recorded.attempts(decision.unit or "")[int(data["after_attempt"]) - 1]
        edited = recorded_draft(self.deciding.reviewer.kind, attempt) or source
        beside = [finding for finding in findings_of(attempt) if finding.source == "document"]
        return self.deciding.take_edit(row, edited, by=by, note=note, beside=beside)
