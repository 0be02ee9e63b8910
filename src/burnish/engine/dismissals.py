"""Dismissals: claims of rules that people or readers say are not true. Units are judged again without them, by code.

A dismissal settles claims of rules only. A unit that readers are to review, and that none has read yet, goes back to
work for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from burnish.core.attempts import dismissals_in, findings_of
from burnish.core.checks import Examination, Selection
from burnish.core.claims import Dismissal, Dismissals, claim_id, claims_of, is_of_rule
from burnish.core.documents import Unit
from burnish.core.errors import UsageError
from burnish.core.findings import ANSWERS, CRASHED_RULE, Finding
from burnish.core.gate import Scorecard, Verdict, judge
from burnish.core.json_bytes import dumps, loads
from burnish.core.kinds import Kind
from burnish.core.records import AttemptRecord, EventRecord, EventType, UnitRow, Usage, event
from burnish.core.tasks import Item
from burnish.engine.unit_loader import Examiner
from burnish.store.journal import Journal

READ: tuple[EventType, ...] = ("decision", "claims_answered", "rule_dismissed", "rule_restored")
NAMES = "`burnish show RUN UNIT` lists the claims with their ids."
MOST_LISTED = 10
"""Open claims that an error names."""


@dataclass(slots=True)
class RunDismissals:
    """The dismissals in effect in a run, by document. Only new events are read."""

    journal: Journal
    kind: Kind
    _seen: dict[str, int] = field(default_factory=dict)
    """Type of event -> the last one that was read."""
    _decisions: list[EventRecord] = field(default_factory=list)
    """Dismissals, and undos of anything."""
    _answers: list[EventRecord] = field(default_factory=list)
    _rules: dict[str, None] = field(default_factory=dict)
    _documents: dict[str, str] = field(default_factory=dict)
    _known: dict[str, Dismissals] = field(default_factory=dict)

    def of(self, document: str) -> Dismissals:
        self._read()
        if document not in self._known:
            people = dismissals_in(one for one in self._decisions if self._document(one) == document)
            answers = [one.data for one in self._answers if self._document(one) == document]
            denied, upheld = (
                [Dismissal(**one) for data in answers for one in data[name]] for name in ("denied", "upheld")
            )
            run = [Dismissal(rule, "") for rule in self._rules]
            self._known[document] = Dismissals.of([*people, *run], denied, upheld)
        return self._known[document]

    def selection(self, selection: Selection, document: str) -> Selection:
        """Return the rules for a document, with what was dismissed there."""
        dismissals = self.of(document)
        return selection if dismissals == selection.dismissals else replace(selection, dismissals=dismissals)

    def _read(self) -> None:
        # One type at a time is found by its index, however long the run is.
        new = [one for type in READ for one in self.journal.events(after=self._seen.get(type, 0), types=(type,))]
        for one in sorted(new, key=lambda one: one.seq):
            self._seen[one.type] = one.seq
            if one.type == "rule_dismissed":
                self._rules[one.data["rule"]] = None
            elif one.type == "rule_restored":
                self._rules.pop(one.data["rule"], None)
            elif one.type == "claims_answered":
                self._answers.append(one)
            elif "dismissals" in one.data or "undoes" in one.data:
                self._decisions.append(one)
            else:
                continue
            self._known.clear()

    def _document(self, one: EventRecord) -> str:
        unit = str(one.unit)
        if unit not in self._documents:
            row = self.journal.unit(unit)
            self._documents[unit] = row.document if row is not None else ""
        return self._documents[unit]


def dismissed_rules(journal: Journal) -> frozenset[str]:
    """Return the rules that are dismissed in a whole run."""
    standing: dict[str, EventRecord] = {}
    for one in journal.events(types=("rule_dismissed",)):
        standing[one.data["rule"]] = one
    for one in journal.events(types=("rule_restored",)):
        if one.data["rule"] in standing and standing[one.data["rule"]].seq < one.seq:
            del standing[one.data["rule"]]
    return frozenset(standing)


def rule_dismissed(journal: Journal, rule: str, by: str, note: str | None) -> EventRecord:
    """Return the event that dismisses all claims of a rule in a run, also those that are not raised yet. The decisions
    on several units write it once."""
    data = {"rule": rule, "by": by, "note": note}
    return event("rule_dismissed", dedupe=f"rule_dismissed:{rule}:{_restored(journal, rule)}", data=data)


def rule_restored(journal: Journal, rule: str, by: str) -> EventRecord:
    """Return the event that ends the dismissal of a rule for what is still to come. Units whose own decisions stand
    keep them."""
    again = f"rule_restored:{rule}:{_restored(journal, rule)}"
    return event("rule_restored", dedupe=again, data={"rule": rule, "by": by})


def _restored(journal: Journal, rule: str) -> int:
    return sum(one.data["rule"] == rule for one in journal.events(types=("rule_restored",)))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person dismisses in one unit: claims by their ids or their rules, or all claims of a rule in the run."""

    claims: tuple[str, ...] = ()
    rule: str | None = None

    @classmethod
    def parsed(cls, text: str | None) -> Self:
        """Return what the text of a decision asks for: `{"claims": [...]}` or `{"rule": "..."}`."""
        try:
            given = loads(text or "")
            claims, rule = given.get("claims", ()), given.get("rule")
        except (ValueError, AttributeError) as wrong:
            raise UsageError("A dismissal names claims or a rule.", hint=NAMES) from wrong
        if bool(claims) == bool(rule) or not all(isinstance(one, str) for one in (*claims, rule or "")):
            raise UsageError("A dismissal names claims or a rule, not both.", hint=NAMES)
        return cls(tuple(claims), rule)

    @property
    def text(self) -> str:
        return dumps({"rule": self.rule} if self.rule is not None else {"claims": list(self.claims)}).decode()

    def among(self, findings: Iterable[Finding], by: str, note: str | None) -> tuple[Dismissal, ...]:
        """Return the dismissals that follow. With a claim goes what other rules say about the same words."""
        of_rules = [one for one in findings if is_of_rule(one) and one.rule != CRASHED_RULE]
        if self.rule is not None:
            same = [one for one in of_rules if one.rule == self.rule]
            return tuple(Dismissal(one.rule, by, one.unit, claim_id(one), note) for one in same)
        named = {*self.claims}
        meant = [one for one in claims_of(of_rules) if any({f.claim, f.rule} & named for f in one.findings)]
        return tuple(one for claim in meant for one in claim.dismissals(by, note))


def dismissed(item: Item, wanted: Wanted, by: str, note: str | None) -> tuple[Dismissal, ...]:
    """Return what is dismissed in the kept draft of a unit. Raise UsageError if there is no such claim of a rule."""
    kept = item.attempts[item.row.best_attempt - 1] if item.row.best_attempt else None
    findings = findings_of(kept) if kept is not None else []
    found = wanted.among(findings, by, note)
    if found:
        return found
    what = f"claim of {wanted.rule}" if wanted.rule is not None else f"claim {', '.join(wanted.claims)}"
    open_ones = [f"{claim_id(one)} ({one.rule})" for one in findings if is_of_rule(one)][:MOST_LISTED]
    listed = f"Open claims of rules: {', '.join(open_ones)}." if open_ones else "No rule claims anything there."
    raise UsageError(f"{item.row.id} has no {what} of a rule.", hint=listed)


@dataclass(frozen=True, slots=True)
class Bench:
    """Judges a draft again after claims were dismissed, by code alone."""

    kind: Kind
    reviewer: Examiner
    """With the context of the document, and what was dismissed there before."""
    judges: int
    """The models that are to review each unit."""

    def attempt(self, item: Item, dismissals: Iterable[Dismissal]) -> tuple[AttemptRecord, Verdict]:
        """Return the kept draft as a new attempt, judged without what is dismissed now."""
        after = self.reviewer.selection.dismissals.with_claims(dismissals)
        kept = item.attempts[item.row.best_attempt - 1]
        was, now = _recorded(kept), self._examined(item.unit, kept, after)
        old, new = dict(self.kind.scores(was, None)), dict(self.kind.scores(now, None))
        # A score that rules alone made follows them; a reader's stays.
        scores = {
            name: new[name] if old.get(name) == given and name in new else given for name, given in kept.scores.items()
        }
        card = Scorecard.of(scores)
        verdict = judge(card, now.findings, self.kind.gate_of(item, self.judges))
        attempt = replace(
            kept,
            number=len(item.attempts) + 1,
            cause="person" if kept.cause == "person" else "review",
            scores=dict(card.scores),
            findings=tuple(one.as_record() for one in now.findings),
            passed=verdict.passed,
            failure=None,
            edits=(),
            receipt=None,
            usage=Usage(),
            calls=(),
            checked=now.as_record(),
            at="",
        )
        return attempt, verdict

    def _examined(self, draft: Unit, kept: AttemptRecord, dismissals: Dismissals) -> Examination:
        """Return what the rules say now, and what readers and comparisons said of the draft."""
        reviewer = replace(self.reviewer, selection=replace(self.reviewer.selection, dismissals=dismissals))
        examination, recorded = reviewer.examine(draft), findings_of(kept)
        # What readers answered about a claim stays with it.
        answered = {one.claim: one for one in recorded if ANSWERS & one.data.keys()}
        others, _ = dismissals.split(one for one in recorded if one.source != "rule")
        own = (answered.get(one.claim, one) for one in examination.findings)
        return replace(examination, findings=(*own, *others))

    def state(self, row: UnitRow, attempt: AttemptRecord, verdict: Verdict, by: str) -> tuple[str, str | None]:
        """Return the state that follows, and its reason. Only a unit that waits for a person moves."""
        states = self.kind.states
        if row.state != states.waiting or any(finding.blocks for finding in findings_of(attempt)):
            return row.state, row.reason
        if verdict.passed:
            return states.ready, f"claims dismissed by {by}"
        if any(reason.endswith("_missing") for reason in verdict.reasons):
            return states.working, f"to be reviewed: claims dismissed by {by}"
        return row.state, row.reason


def _recorded(attempt: AttemptRecord) -> Examination:
    """Return what was found in a recorded draft."""
    checked = {name: attempt.checked[name] for name in ("applied", "unjudged", "measured") if name in attempt.checked}
    return Examination(tuple(findings_of(attempt)), **checked)
