"""People's decisions: the results of making and undoing one, as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from burnish.core.attempts import (
    UNDO,
    History,
    effective_decisions,
    findings_of,
    open_errors,
    restored,
    row_before,
)
from burnish.core.documents import Unit
from burnish.core.errors import InputError, TooLate, UsageError
from burnish.core.findings import Finding
from burnish.core.gate import GatePolicy, Scorecard, StateTable, judge
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, event
from burnish.core.tasks import DUPLICATE, Item
from burnish.engine.dismissals import Bench, RunDismissals, Wanted, dismissed, rule_dismissed, rule_restored
from burnish.engine.plan import Plan
from burnish.engine.publish import is_placing
from burnish.engine.unit_loader import Examiner, Neighbours, moved, refuse_keys, source_of
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor
from burnish.store.unit_queries import units_with

Decision = Literal["accept", "edit", "reject", "drop", "dismiss", "reopen"]
IN_VAIN = {
    DUPLICATE: "it is nearly the same as another one, and no model is asked to make it a different one",
    "fatal_finding": "what is wrong with it is a person's to mend, so no model would be asked",
    "nothing_to_edit": "no model may edit what is wrong with it",
}
"""Why a model would not try again."""
EDIT_HAS_ERRORS = "edit_has_errors"
"""The reason of a unit that waits because a person's text has errors."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """The results of a decision, which are written in one transaction."""

    row: UnitRow
    """The unit's row afterwards."""
    records: tuple[Record, ...]
    """All records to write, including the row."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """Applies people's decisions."""

    journal: Journal
    reviewer: Examiner
    neighbours: Neighbours | None
    """None if units belong together: their documents are judged as a whole."""
    redactor: Redactor = field(default_factory=Redactor)
    """Knows the keys that texts must not hold."""
    why_not_held: Callable[[UnitRow], str | None] = lambda _: None
    """Returns why a unit's document cannot hold the current draft; None if it can, or if this is not checked."""
    why_not_left_out: Callable[[UnitRow], str | None] = lambda _: None
    """Returns why a unit's document cannot do without it; None if it can."""

    def decide(self, row: UnitRow, decision: Decision, *, by: str, note: str | None, text: str | None) -> UnitRow:
        """Write a decision and return the unit's new row."""
        return self._written(self.consequence(row, decision, by=by, note=note, text=text))

    def consequence(
        self,
        row: UnitRow,
        decision: Decision,
        *,
        by: str,
        note: str | None,
        text: str | None,
        mark: str | None = None,
    ) -> Consequence:
        """Return the results of a decision without writing them. Raise an error if it is not allowed. `mark`: its
        unique name, under which it is written at most once."""
        if text is not None and decision not in ("edit", "dismiss"):
            raise UsageError(
                f"`{decision}` takes no text.", hint="Use `edit` for a new text, or leave --text-file out."
            )
        match decision:
            case "accept":
                self._refuse_accepting(row)
            case "reject":
                self._refuse_sending_back(row, by, note)
            case "drop":
                self._refuse_dropping(row, note)
            case "dismiss":
                return self._dismissing(row, Wanted.parsed(text), by, note, mark)
            case "reopen":
                self._refuse_reopening(row)
            case "edit":
                return self._with_text(row, self._edited(row, text), by=by, note=note, mark=mark)
        return self._settle(row, decision, by, note, mark=mark)

    def _refuse_accepting(self, row: UnitRow) -> None:
        """Raise an error if the current draft cannot be accepted."""
        self._refuse_if_settled(row)
        if row.state == self._states.ready:
            raise UsageError(f"{row.id} is ready already.", hint="Edit it, or send it back with a note.")
        # An accepted text must be written; one that its document cannot hold would only come back.
        why = self.why_not_held(row)
        if why is not None:
            raise UsageError(
                f"{row.id} cannot be accepted: the document cannot hold the text. {why}",
                hint="Give it another text with `edit --text-file FILE`.",
            )

    def _refuse_sending_back(self, row: UnitRow, by: str, note: str | None) -> None:
        """Raise an error if no other draft can be expected, because no model would be asked for one."""
        self._refuse_if_settled(row)
        source = self._source_to_work_on(row)
        if self.neighbours is not None:
            rejection = _decision(row, row, "reject", by, note)
            grants = (*self.journal.events(unit=row.id, types=("decision", "reopened")), rejection)
            found = self._kind.obstacle(Item(row, source, source, tuple(self.journal.attempts(row.id)), grants))
            if found is not None:
                obstacle, rules = found
                raise UsageError(
                    f"{row.id} cannot be sent back: {IN_VAIN.get(obstacle, obstacle)} ({', '.join(rules)}).",
                    hint="Accept it as it is, or give it another text with `edit --text-file FILE`.",
                )
        if note is None or not note.strip():
            raise UsageError(f"{row.id} is sent back with a note.", hint='Say what to do better with --note "...".')

    def _refuse_dropping(self, row: UnitRow, note: str | None) -> None:
        """Raise an error if the unit cannot be dropped. A ready one can: either of two near-duplicates may go."""
        states = self._states
        if states.dropped is None or self._kind.is_blocker(self._source(row)):
            raise UsageError(
                f"{row.id} cannot be dropped: a {self._kind.noun} is not left out of its document.",
                hint="Accept it, edit it, or send it back.",
            )
        if row.state not in (states.waiting, states.ready):
            self._refuse_if_settled(row)
        if note is None or not note.strip():
            raise UsageError(f"{row.id} is dropped with a reason.", hint='Say why with --note "...".')
        why = self.why_not_left_out(row)
        if why is not None:
            raise UsageError(f"{row.id} cannot be dropped. {why}", hint="Edit it, or send it back.")

    def _refuse_reopening(self, row: UnitRow) -> None:
        """Raise an error if the unit was not accepted, or if its kind publishes once."""
        if not may_reopen(self._kind):
            raise UsageError(
                f"{row.id} cannot be reopened: {self._kind.name} are published once.",
                hint="Start a new run over the published document.",
            )
        if row.state != self._states.ready:
            raise UsageError(
                f"{row.id} cannot be reopened: it is not accepted, it is {row.state}.",
                hint="`burnish status RUN` lists the units that wait for a person.",
            )

    def _edited(self, row: UnitRow, text: str | None) -> Unit:
        """Return the current draft with the person's text. Refuse one that breaks the structure: it could not be
        accepted, and no model may repair it."""
        self._refuse_if_settled(row)
        source, kind = self._source_to_work_on(row), self._kind
        if text is None:
            raise UsageError("An edit needs the new text.", hint="Give it with --text-file FILE.")
        best = self._standing(row, self._history(row))
        draft = (recorded_draft(kind, best) if best is not None else None) or source
        edited = kind.from_person(draft, text)
        if self.neighbours is not None:
            known = {finding.rule for finding in self._structural(row, draft)}
            broken = [finding for finding in self._structural(row, edited) if finding.rule not in known]
            if broken:
                raise InputError(
                    f"The edited {kind.noun} breaks its structure: {broken[0].message.rstrip('.')} ({broken[0].rule}).",
                    hint="Nothing was changed. Options are given all together, with those that stay as they are.",
                )
        return edited

    def _examiner(self, row: UnitRow) -> Examiner:
        """Return the rules of a unit's document, without what was dismissed there."""
        examiner = self.reviewer.for_document(row.document)
        dismissals = RunDismissals(self.journal, self._kind)
        return replace(examiner, selection=dismissals.selection(examiner.selection, row.document))

    def _structural(self, row: UnitRow, unit: Unit) -> list[Finding]:
        findings = self._examiner(row).examine(unit).findings
        return [finding for finding in findings if finding.blocks and finding.rule in self._kind.fatal_rules]

    def _written(self, follows: Consequence) -> UnitRow:
        self.journal.write_now(*follows.records)
        return follows.row

    @property
    def _kind(self) -> Kind:
        return self.reviewer.kind

    def _source(self, row: UnitRow) -> Unit:
        return source_of(self._kind, self.journal, row)

    def _source_to_work_on(self, row: UnitRow) -> Unit:
        """Return the source of a unit. Raise UsageError for a blocker that is not a unit."""
        source, noun = self._source(row), self._kind.noun
        if self._kind.is_blocker(source):
            raise UsageError(
                f"{row.id} is no {noun}: it cannot be edited or sent back.",
                hint=f"Correct the {noun} that it is about, then accept it.",
            )
        return source

    @property
    def _states(self) -> StateTable:
        return self._kind.states

    def _refuse_if_settled(self, row: UnitRow) -> None:
        if row.state != self._states.waiting and not self._may_be_taken(row):
            is_open_to = row.state == self._states.ready and may_reopen(self._kind)
            raise UsageError(
                f"{row.id} is not waiting for a person: it is {row.state}.",
                hint=f"To decide again: `burnish reopen RUN {row.id} --by NAME`."
                if is_open_to
                else "`burnish status RUN` lists the units that are.",
            )

    def _may_be_taken(self, row: UnitRow) -> bool:
        """Return whether an editor may take a unit that waits for rework or for others, in kinds with stages; not while
        its text is being published."""
        if not self._kind.is_phased or is_placing(self.journal):
            return False
        return row.state in (self._states.working, self._states.ready)

    def _settle(
        self,
        row: UnitRow,
        verdict: Decision,
        by: str,
        note: str | None,
        *,
        mark: str | None = None,
        text: AttemptRecord | None = None,
    ) -> Consequence:
        states, history = self._states, self._history(row)
        extra = (text,) if text is not None else ()
        for attempt in extra:
            history = history.with_attempt(attempt)
        is_sound = text is not None and text.passed
        state, reason = {
            "accept": (states.ready, f"accepted by {by}"),
            "reject": (states.working, f"sent back by {by}"),
            "drop": (states.dropped, f"dropped by {by}"),
            "reopen": (states.waiting, f"reopened by {by}"),
            "edit": (states.ready, f"edited by {by}") if is_sound else (states.waiting, EDIT_HAS_ERRORS),
        }[verdict]
        assert state is not None, "the kind has the state"
        best, before = self._standing(row, history), row
        moves: list[EventRecord] = []
        if row.state != states.waiting and self._may_be_taken(row):
            told, row = moved(states, row, states.waiting, f"taken by {by}")
            moves.append(told)
        told, settled = moved(states, row, state, reason)
        settled = replace(
            settled,
            attempts=len(history.attempts),
            best_attempt=best.number if best else 0,
            open_errors=open_errors(best) if best else 0,
        )
        if self._kind.is_phased and settled.state != row.state:  # in kinds with stages every move is an event
            moves.append(told)
        return Consequence(settled, (*extra, _decision(before, settled, verdict, by, note, mark), *moves, settled))

    def _standing(self, row: UnitRow, history: History) -> AttemptRecord | None:
        """Return the best attempt from now on: the same, chosen with its neighbours, unless there is a new one."""
        if row.attempts == len(history.attempts):
            return history.attempts[row.best_attempt - 1] if row.best_attempt else None
        return history.best

    def _history(self, row: UnitRow) -> History:
        decisions = self.journal.events(unit=row.id, types=("decision",))
        return History.of(self.journal.attempts(row.id), decisions)

    def _with_text(
        self,
        row: UnitRow,
        edited: Unit,
        *,
        by: str,
        note: str | None,
        compared: Sequence[Finding] | None = None,
        mark: str | None = None,
    ) -> Consequence:
        """Check the person's text by the rules. If it has errors, the unit keeps waiting, with the text kept."""
        kind = self._kind
        refuse_keys(self.redactor, kind, edited)
        examination = self._examiner(row).examine(edited)
        if compared is None:
            compared = self.neighbours.findings(row, edited) if self.neighbours is not None else ()
        examination = replace(examination, findings=(*examination.findings, *compared))
        card = Scorecard.of(kind.scores(examination, None))
        # The person who wrote the text judged the dimensions that no rule could.
        asked = tuple(one for one in kind.gate(0).dimensions if one.name not in examination.unjudged)
        attempt = AttemptRecord(
            unit=row.id,
            number=self._history(row).next_number,
            cause="person",
            content=kind.to_record(edited),
            content_hash=edited.content_hash,
            scores=dict(card.scores),
            findings=tuple(finding.as_record() for finding in examination.findings),
            passed=judge(card, examination.findings, GatePolicy(asked)).passed,
            checked=examination.as_record(),
        )
        return self._settle(row, "edit", by, note, mark=mark, text=attempt)

    def _dismissing(self, row: UnitRow, wanted: Wanted, by: str, note: str | None, mark: str | None) -> Consequence:
        """Judge a unit again without what a person dismisses. Nothing is asked of a model."""
        if self.neighbours is None:
            raise UsageError(
                f"Claims about a {self._kind.noun} are not dismissed one by one.",
                hint="Accept it as it is, or leave the rule out with `resume --ignore RULE`.",
            )
        source, attempts = self._source_to_work_on(row), tuple(self.journal.attempts(row.id))
        draft = recorded_draft(self._kind, attempts[row.best_attempt - 1]) if row.best_attempt else None
        item = Item(
            row, source, draft or source, attempts, tuple(self.journal.events(unit=row.id, types=("decision",)))
        )
        new = dismissed(item, wanted, by, note)
        bench = Bench(self._kind, self._examiner(row), len(self.neighbours.plan.judges))
        attempt, verdict = bench.attempt(item, new)
        state, reason = bench.state(row, attempt, verdict, by)
        _, settled = moved(self._states, row, state, reason)
        settled = replace(
            settled, attempts=attempt.number, best_attempt=attempt.number, open_errors=open_errors(attempt)
        )
        told = _decision(row, settled, "dismiss", by, note, mark)
        told = replace(told, data={**told.data, "rule": wanted.rule, "dismissals": [one.as_record() for one in new]})
        whole = (rule_dismissed(self.journal, wanted.rule, by, note),) if wanted.rule is not None else ()
        return Consequence(settled, (attempt, told, *whole, settled))


def may_reopen(kind: Kind) -> bool:
    """Return whether an accepted unit can be put back before a person, also after its document was published."""
    return not kind.is_phased and kind.states.waiting in kind.states.moves[kind.states.ready]


def duplicates_of(kind: Kind, plan: Plan, journal: Journal) -> Mapping[str, frozenset[str]]:
    """Return unit -> the units that the open findings of a `keeps_one` rule relate it to, in both directions."""
    rules = [rule.id for rule in kind.document_rules if rule.keeps_one]
    pairs: set[tuple[str, str]] = set()
    for unit in dict.fromkeys(id for rule in rules for id in journal.ask(partial(units_with, rule=rule))):
        row = journal.unit(unit)
        if row is None or not row.best_attempt:
            continue
        for finding in findings_of(journal.attempts(unit)[row.best_attempt - 1]):
            if finding.rule in rules:
                pairs |= {(unit, plan.unit_id(row.document, other)) for other in finding.related}
    found: dict[str, frozenset[str]] = {}
    for unit, other in pairs:
        if journal.unit(other) is not None:
            found[unit] = found.get(unit, frozenset()) | {other}
            found[other] = found.get(other, frozenset()) | {unit}
    return found


def _decision(
    before: UnitRow, after: UnitRow, verdict: Decision, by: str, note: str | None, mark: str | None = None
) -> EventRecord:
    """Return the event. An undo restores `before`; a row that differs from `after` has changed since."""
    said = {"verdict": verdict, "by": by, "note": note, "after_attempt": after.attempts, "reason_before": before.reason}
    rows = {"before": row_before(before), "after": row_before(after)}
    named = {"mark": mark} if mark is not None else {}
    dedupe = f"decision:{mark}" if mark is not None else None
    return event("decision", before.id, dedupe=dedupe, data={**said, **rows, **named})


def undone(kind: Kind, journal: Journal, row: UnitRow, *, by: str) -> Consequence:
    """Return the results of undoing the last decision about a unit. Raise TooLate if a task began with it."""
    decision = last_standing(journal, row)
    if has_task_begun(journal, row, decision):
        raise TooLate(
            f"{decision.data['by']}'s decision about {row.id} cannot be undone: the run has worked with it since.",
            hint=f"`burnish show RUN {row.id}` shows what followed; if the unit waits, decide again.",
        )
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
    rule = decision.data.get("rule")
    whole = [rule_restored(journal, rule, by)] if rule is not None else []
    return Consequence(back, (told, *whole, *moves, back))


def last_standing(journal: Journal, row: UnitRow) -> EventRecord:
    """Return the last decision about a unit that was not undone."""
    standing = effective_decisions(journal.events(unit=row.id, types=("decision",)))
    if not standing:
        raise UsageError(f"Nobody has decided about {row.id}.", hint="There is nothing to take back.")
    return standing[-1]


def has_task_begun(journal: Journal, row: UnitRow, decision: EventRecord) -> bool:
    """Return whether a task began with a decision: with its unit, its document or all of them.

    Tasks that ask models are recorded before they begin; others are recognised by a changed row. Each type of event is
    found by its index, however long the run is.
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
    """Return the moves back through the waiting state, which only people end; every move is in the table."""
    found: list[EventRecord] = []
    for state in dict.fromkeys((states.waiting, back.state)):
        if row.state != state:
            reason = back.reason if state == back.state else f"taken back by {by}"
            told, row = moved(states, row, state, reason)
            found.append(told)
    return found
