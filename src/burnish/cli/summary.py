"""The summary that a command prints when its run has stopped: results, what waits and why, cost, next steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from burnish.app.check_summary import (
    print_ignored,
    print_unjudged,
    print_unusable,
    skipped_texts,
    unjudged_texts,
    unusable_text,
)
from burnish.app.labels import counted, failure_of, reason_of, rule_name, rule_names, state_words
from burnish.app.materials import kind_for_reading
from burnish.app.runs import view
from burnish.app.terminal import Piece, Role, Screen, excerpt, json_text
from burnish.cli.execution import named, print_bill, problem_text
from burnish.core.attempts import History, blocking_rules, effective_decisions
from burnish.core.json_bytes import loads
from burnish.core.kinds import Kind
from burnish.core.presentation import Remark
from burnish.core.records import AttemptRecord, UnitRow
from burnish.engine.check import Unheard
from burnish.engine.doubts import Doubts, doubted, doubts_of
from burnish.engine.exports import recorded_unheard, totals_record, unit_counts
from burnish.engine.plan import Plan, recorded_plan
from burnish.engine.publish import blockers, unreadable
from burnish.engine.session import STOPPED_SHORT, Result, RunEnd
from burnish.engine.versions import version_of
from burnish.languages.words import common_length
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal

MOST_LISTED = 15
"""Units listed by name at the end of a run; `burnish status` lists them all."""
FEWEST_WITH_FIX = 3
"""Attempts of a unit that code fixed: a draft, the fix, the review."""
DRAFT_AND_REVIEW = 4
"""Attempts of a unit that needed no rework: the source, its draft, a script pass or safe fixes, the review."""
EXIT_CODES = {
    "done": 0,
    "regenerate": 1,
    "source_changed": 1,
    "bad_input": 2,
    "needs_person": 3,
    "best_effort": 3,
    "awaiting_approval": 3,
    "limit": 6,
    "model_away": 6,
    "submitted": 6,
}
NOT_PUBLISHED = {
    "needs_person": "some paragraphs are not ready.",
    "awaiting_approval": "every paragraph is ready; the result waits for approval.",
    "source_changed": "the source has changed since the run began, so the result cannot be published. Start a new run.",
}


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that has stopped, opened to be summarised."""

    folder: RunFolder
    plan: Plan
    kind: Kind
    journal: Journal
    result: Result

    def counts(self) -> dict[str, int]:
        """Number of units in each state."""
        return unit_counts(self.journal)

    def has_units(self, state: str) -> bool:
        return any(True for _ in self.journal.units(states=(state,), limit=1))


def print_summary(folder: RunFolder, plan: Plan, result: Result, screen: Screen, *, json: bool) -> int:
    """Print the result of a run and the next steps. The exit code."""
    code = EXIT_CODES[result.outcome.stopped]
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        run = FinishedRun(folder, plan, kind_for_reading(plan), journal, result)
        if plan.kind == "legos":
            from burnish.cli.course_summary import print_course

            is_whole = print_course(run, screen, json=json)
            return EXIT_CODES["bad_input"] if code == 0 and not is_whole else code
        if json:
            screen.stream.write(f"{json_text(_record(run))}\n")
            return code
        print_results(run, screen)
        for name in result.edited_exports:
            screen.line(("warning", "note: "), f"{name} was edited by hand; it is written again from the journal.")
        _print_outcome(run, screen)
    return code


def print_results(run: FinishedRun, screen: Screen) -> None:
    """Print the repaired units, the units that wait for a person, and the cost."""
    if run.kind.is_phased:
        _print_phased_results(run, run.kind, screen)
    else:
        _print_unit_results(run, screen)


def print_recorded_results(runs: Path, id: str, screen: Screen) -> None:
    """Print the results of a run that stopped earlier."""
    with view(runs, id) as opened:
        outcome = RunEnd(opened.journal.counts(), opened.journal.totals(), "done")
        run = FinishedRun(opened.folder, opened.plan, opened.kind, opened.journal, Result(outcome, (), (), ()))
        if opened.plan.kind == "legos":
            from burnish.cli.course_summary import print_course_results

            print_course_results(run, screen)
        else:
            print_results(run, screen)


def _print_unit_results(run: FinishedRun, screen: Screen) -> None:
    kind, journal, counts = run.kind, run.journal, run.result.outcome.counts
    total, ready, waiting = sum(counts.values()), counts.get(kind.states.ready, 0), counts.get(kind.states.waiting, 0)
    changed, doubts = sum(1 for _ in _changed(kind, journal)), doubts_of(journal, kind)
    screen.line(
        ("strong", counted(total, kind.noun)),
        f": {_ready_text(run, ready, waiting)}",
        _of_them_text(changed, doubts),
        f", {waiting} for a person" if waiting else "",
        f", {dropped} dropped" if (dropped := counts.get(kind.states.dropped or "", 0)) else "",
    )
    print_document_ends(kind, journal, screen, waiting=waiting)
    print_doubts(doubts, kind, journal, screen)
    _print_changed(kind, journal, screen)
    _print_waiting(run, waiting, screen)
    print_unusable([problem_text(problem) for problem in journal.events(types=("input_problem",))], screen)
    # Parts of the documents that were not judged, so that they are not taken for clean.
    for part in listed(journal.events(types=("passed_through",)), screen):
        what = f"  {part.data['type']}: not judged, carried unchanged"
        screen.line("  ", ("info", "carried  "), ("strong", part.data["id"]), what)
    # The judges that did not answer while the others decided.
    silent = (one for degraded in journal.events(types=("model_degraded",)) for one in degraded.data["silent"])
    for judge in dict.fromkeys(one.partition(": model_failed: ")[0] for one in silent if ": model_failed: " in one):
        others = "; the other judges decided without it" if len(run.plan.judges) > 1 else " every request"
        screen.line(("warning", "note: "), f"{judge} did not answer{others}.")
    unheard = Unheard.from_record(recorded_unheard(journal))
    print_ignored(screen, unheard)
    print_unjudged(screen, skipped_texts(unheard, noun=kind.noun))
    print_unjudged(screen, unjudged_texts(unheard, noun=kind.noun))
    print_bill(run.journal, screen)


def _of_them_text(changed: int, doubts: Doubts) -> str:
    """What is said of the accepted units after their number: `, 4 of them changed, 7 with doubts about the key`."""
    parts = [(changed, "changed")] if changed else []
    parts += [(units, f"with doubts about {subject}") for subject, units in doubts.subjects.items()]
    if doubts.others:
        parts.append((doubts.others, f"with {'other ' if doubts.subjects else ''}open findings"))
    return "".join(f", {number}{'' if place else ' of them'} {what}" for place, (number, what) in enumerate(parts))


def print_doubts(doubts: Doubts, kind: Kind, journal: Journal, screen: Screen) -> None:
    """Print what is open in accepted units: each unit with a doubt about a subject, and the other rules with counts."""
    for subject, units in doubts.subjects.items():
        found = doubted(journal, kind, subject, MOST_LISTED)
        for unit, finding in listed(found, screen, units):
            head: tuple[Piece, ...] = ("  ", ("warning", "doubt    "), ("strong", unit), "  ")
            screen.paragraph(str(finding["message"]), indent=" " * 11, first=head)
    about = frozenset[str]().union(*kind.words.doubts.values())
    others = [one for one in doubts.rules if one.rule not in about]
    if others:
        rules = ", ".join(f"{rule_name(kind, one.rule)} {one.units}" for one in others[:MOST_LISTED])
        screen.paragraph(rules, indent=" " * 11, first=("  ", ("warning", "open     ")))


NOT_ACCEPTED = {"best_effort": "delivered as best effort, not accepted", "nothing_open": "without open issues"}
"""Reasons of units that are ready although their document is not accepted."""


def _ready_text(run: FinishedRun, ready: int, waiting: int) -> str:
    """The number of accepted units; in a document that is not accepted, what they are instead."""
    others: Counter[str] = Counter()
    if run.kind.is_whole and ready:
        # If nothing waits any more, a person has accepted what was open, and with it the document.
        known = NOT_ACCEPTED if waiting else {"best_effort": NOT_ACCEPTED["best_effort"]}
        rows = run.journal.units(states=(run.kind.states.ready,))
        others = Counter(known[row.reason] for row in rows if row.reason in known)
    accepted = ready - others.total()
    counts = [f"{accepted} accepted"] if accepted or not others else []
    return ", ".join([*counts, *(f"{number} {what}" for what, number in others.items())])


def _print_phased_results(run: FinishedRun, kind: Kind, screen: Screen) -> None:
    counts = run.counts()
    excluded = counts.get(kind.out_of_scope, 0)
    words = {kind.states.waiting: "for a person"}
    parts = [
        f"{number} {words.get(state) or state_words(state)}"
        for state, number in counts.items()
        if state != kind.out_of_scope
    ]
    screen.line(
        ("strong", counted(sum(counts.values()) - excluded, kind.noun)),
        f": {', '.join(parts)}",
        f"; {excluded} out of scope" if excluded else "",
    )
    doubts = doubts_of(run.journal, kind)
    if doubts.units:
        screen.line("  ", ("warning", "open     "), f"{counted(doubts.units, kind.noun)} accepted with open findings")
        print_doubts(doubts, kind, run.journal, screen)
    # Units that failed their review and are repaired: why they failed, and the changed words.
    ready = run.journal.units(states=(kind.states.ready, kind.merged))
    for row in listed((row for row in ready if row.attempts > DRAFT_AND_REVIEW), screen):
        _print_reworked_unit(kind, run.journal.attempts(row.id), row.best_attempt, screen)
    _print_waiting(run, run.journal.counts().get(kind.states.waiting, 0), screen)
    _print_safe_fixes(run, kind, screen)
    unheard = Unheard.from_record(recorded_unheard(run.journal))
    print_unjudged(screen, unjudged_texts(unheard, noun=kind.noun))
    print_bill(run.journal, screen)


def _print_safe_fixes(run: FinishedRun, kind: Kind, screen: Screen) -> None:
    """Print the fixes by code: the rule, and the words before and after; the receipt has all of them."""
    rows = (row for row in run.journal.units() if row.attempts >= FEWEST_WITH_FIX and row.document)
    kept = (one for row in rows for one in run.journal.attempts(row.id)[: row.best_attempt])
    for fix in listed((one for one in kept if one.cause == "safe_fix" and one.receipt is not None), screen):
        rules = rule_names(kind, (fix.receipt or {})["rules"])
        screen.line("  ", ("good", f"{'fixed':<9}"), ("strong", fix.unit), "  by code  ", ("faint", rules))
        for edit in fix.edits:
            print_change(edit["field"] or "text", edit["find"], edit["replace"], screen)


def print_document_ends(kind: Kind, journal: Journal, screen: Screen, *, waiting: int) -> None:
    """Print what is claimed of each document as a whole, and its result if its units belong together."""
    plan = recorded_plan(journal)
    if plan is None:
        return
    if not kind.is_whole:
        for document in plan.documents:
            facts = loads(journal.get_meta(f"overview:{document.name}") or "{}")
            for claim in facts.get("claims", ()):
                head: tuple[Piece, ...] = ("  ", (claim["severity"], "all alike"), " ", ("strong", document.name), "  ")
                screen.paragraph(claim["message"], indent=" " * 11, first=head)
        return
    # If a person has decided what was left, the models' own result is out of date.
    is_decided = not waiting and bool(effective_decisions(journal.events(types=("decision",))))
    for document in listed(plan.documents, screen):
        facts = journal.get_meta(f"overview:{document.name}")
        remarks = [part for part in kind.describe(loads(facts)) if isinstance(part, Remark)] if facts else []
        for remark in remarks if not (is_decided and any(each.alarming for each in remarks)) else ():
            role: Role = "warning" if remark.alarming else "good"
            head = ("  ", (role, f"{remark.label:<9}"), ("strong", document.name), "  ")
            screen.paragraph(remark.text, indent=" " * 11, first=head)


def _print_changed(kind: Kind, journal: Journal, screen: Screen) -> None:
    for attempts, best in listed(_changed(kind, journal), screen):
        _print_repaired(kind, "changed", attempts[0], best, screen, by_person=best.cause == "person")
        found: list[Mapping[str, Any]] = []
        content_hash = best.content_hash
        for attempt in reversed(attempts[: best.number]):
            if attempt.content_hash == content_hash and attempt.edits and attempt.failure is None:
                found = [*attempt.edits, *found]
                content_hash = attempt.receipt["before"] if attempt.receipt else attempts[0].content_hash
        for edit in found:
            print_change(edit["field"] or "text", edit["find"], edit["replace"], screen)


def _print_repaired(
    kind: Kind, how: str, before: AttemptRecord, after: AttemptRecord, screen: Screen, *, by_person: bool
) -> None:
    """Print the head of a repair: the unit, the rules that it no longer breaks, and what was wrong in words."""
    blocking, left = blocking_rules(before), {finding["rule"] for finding in after.findings}
    fixed = [finding for finding in before.findings if finding["rule"] not in left]
    wrong = [finding for finding in fixed if finding["rule"] in blocking] or fixed or list(before.findings)
    rules = rule_names(kind, (finding["rule"] for finding in wrong))
    who = "by a person  " if by_person else ""
    screen.line("  ", ("good", f"{how:<9}"), ("strong", after.unit), f"  {who}", ("faint", rules))
    for message in dict.fromkeys(str(finding["message"]) for finding in wrong):
        screen.paragraph(message, indent=" " * 11)


def _changed(kind: Kind, journal: Journal) -> Iterator[tuple[list[AttemptRecord], AttemptRecord]]:
    """Every accepted unit that differs from the original: its attempts, and the one that is kept."""
    for row in journal.units(states=(kind.states.ready,)):
        if row.best_attempt > 1:
            attempts = journal.attempts(row.id)
            best = attempts[row.best_attempt - 1]
            if best.content is not None:
                yield attempts, best


def _print_reworked_unit(kind: Kind, attempts: list[AttemptRecord], kept: int, screen: Screen) -> None:
    failed = next((one for one in attempts if one.cause == "review" and not one.passed), attempts[0])
    best = attempts[kept - 1]
    by_person = any(one.cause == "person" for one in attempts[:kept])
    _print_repaired(kind, "reworked", failed, best, screen, by_person=by_person)
    if failed.content is None or best.content is None:
        return
    before, after = (kind.from_record(content).texts() for content in (failed.content, best.content))
    for field, text in after.items():
        if before.get(field, "") != text:
            print_change(field or "text", before.get(field, ""), text, screen)


def _print_waiting(run: FinishedRun, waiting: int, screen: Screen) -> None:
    rows = run.journal.units(states=(run.kind.states.waiting,), limit=MOST_LISTED)
    for row in listed(rows, screen, waiting):
        print_waiting_unit(run.kind, run.journal, row, screen)


def _print_outcome(run: FinishedRun, screen: Screen) -> None:
    """Print where the run is published, or why it is not, and the next commands."""
    result, folder, is_phased = run.result, run.folder, run.kind.is_phased
    best_effort = result.outcome.stopped == "best_effort"
    for proof in result.published:
        label: Piece = ("warning", "Published as best effort: ") if best_effort else ("good", "Published: ")
        version = version_of(run.journal)
        screen.line(label, ("path", proof.path), ("faint", f"  (version {version})" if version > 1 else ""))
        for lost in proof.lost:
            screen.line("  ", ("warning", "not carried by this format: "), lost)
    if not result.published and not (is_phased and result.outcome.stopped == "done"):
        screen.line(("warning", "Not published: "), _why_not(run))
        for path in _candidates(run):
            screen.line("Current version: ", ("path", path))
    if is_phased:
        screen.line("Gate: ", ("path", str(folder.export("gate/gate_report.json"))))
    else:
        screen.line("Receipt: ", ("path", str(folder.receipt)))
    for line in _next_steps(run):
        screen.line(("faint", line))


def _candidates(run: FinishedRun) -> list[str]:
    if not run.kind.is_phased:
        return [proof.path for proof in run.result.candidates]
    candidate = run.folder.export("final/candidate.md")
    return [str(candidate)] if candidate.is_file() else []


def _why_not(run: FinishedRun) -> str:
    """All reasons why the run is not published, so that none comes up only when the others are resolved."""
    stopped, message = run.result.outcome.stopped, str(run.result.outcome.message)
    if run.kind.is_phased:
        return NOT_PUBLISHED.get(stopped) or message
    if stopped == "awaiting_approval":
        return message[:1].lower() + message[1:]
    waiting, holes, reasons = run.has_units(run.kind.states.waiting), sum(1 for _ in unreadable(run.journal)), []
    if stopped in STOPPED_SHORT:
        reasons.append(message)
    elif stopped == "regenerate":
        reasons.append("the lesson, or the parts that are named, must be rewritten.")
    elif waiting or not holes:
        reasons.append("some units need a person first.")
    return " ".join([*reasons, unusable_text(holes)] if holes else reasons)


def _next_steps(run: FinishedRun) -> Iterator[str]:
    stopped, name = run.result.outcome.stopped, named(run.folder)
    if saved := run.journal.how_many_decided():
        yield f"Saved:   {counted(saved, 'decision')}, made in the last moments: applied by the next resume."
    if stopped == "awaiting_approval":
        yield f"Approve: burnish resume {name} --approve"
        if not run.kind.is_phased:
            yield f"Or undo: burnish decide {name} UNIT undo --by NAME"
    elif stopped == "limit":
        yield f"Resume:  burnish resume {name}, with a higher --max-tokens, --max-cost or --max-seconds"
    elif stopped == "model_away":
        yield f"Resume:  burnish resume {name}, when the model answers again, or with another --model"
    elif stopped == "submitted":
        yield f"Collect: burnish resume {name}, which waits again; --batch-wait S waits longer"
    elif stopped in ("needs_person", "regenerate"):
        if run.has_units(run.kind.states.waiting) or not run.kind.is_phased:
            yield f"Show:    burnish show {name} UNIT"
            drop = "|drop" if run.kind.states.dropped else ""
            yield f"Decide:  burnish decide {name} UNIT accept|edit|reject{drop} --by NAME"
        waits_for_model = any(row.reason == "no_model" for row in run.journal.units(states=(run.kind.states.waiting,)))
        if run.kind.is_phased and (waits_for_model or run.has_units(run.kind.states.working)):
            yield f"Rework:  burnish translate --mode rework-only --run-id {name} --model M"
        yield f"Resume:  burnish resume {name}"
    if stopped == "regenerate":
        yield "To have it rewritten, start a new run with --generator M."


def _record(run: FinishedRun) -> dict[str, Any]:
    """The summary as JSON."""
    outcome, result = run.result.outcome, run.result
    head = {
        "run_id": run.folder.id,
        "stopped": outcome.stopped,
        "message": outcome.message,
        "states": run.counts(),
        "published": [proof.path for proof in result.published],
        "receipt": str(run.folder.receipt),
        "open_claims": doubts_of(run.journal, run.kind).as_record(),
        "totals": totals_record(outcome.totals),
        "edited_exports": list(result.edited_exports),
    }
    if run.kind.is_phased:
        open_units = blockers(run.journal, run.kind)
        return {
            **head,
            "blockers": [{"unit": row.id, "state": row.state, "reason": row.reason} for row in open_units],
            "gate_report": str(run.folder.export("gate/gate_report.json")),
        }
    return {
        **head,
        "needs_person": [
            {"unit": row.id, "reason": row.reason, "open_errors": row.open_errors}
            for row in run.journal.units(states=(run.kind.states.waiting,))
        ],
        "candidates": [proof.path for proof in result.candidates],
        **recorded_unheard(run.journal),
    }


def print_waiting_unit(kind: Kind, journal: Journal, row: UnitRow, screen: Screen) -> None:
    """Print a waiting unit and the reason; if a model's answer could not be used, also what was wrong with it."""
    rules = rule_names(kind, blocking_rule_ids(journal, row))
    reason = reason_of(kind, row)
    screen.line("  ", ("warning", "person   "), ("strong", row.id), f"  {reason}", ("faint", f"  {rules}"))
    last = last_attempt(journal, row)
    if last is not None and last.failure:
        screen.paragraph(failure_of(kind, last.failure), indent=" " * 11)


def last_attempt(journal: Journal, row: UnitRow) -> AttemptRecord | None:
    """The last attempt on a unit that counts: a person's text that was undone does not."""
    return History.of(journal.attempts(row.id), journal.events(unit=row.id, types=("decision",))).last


def print_change(field: str, old: str, new: str, screen: Screen) -> None:
    """Print the removed and the added words, in two lines at most."""
    room = screen.width - 14 - len(field)
    old, new = _where_they_differ(old, new)
    lines: tuple[tuple[Role, str, str], ...] = (("removed", "-", old), ("added", "+", new))
    for role, sign, text in lines:
        if text.strip():
            screen.line(" " * 11, ("faint", f"{field} "), (role, f"{sign} {excerpt(text, None, room).line}"))


def _where_they_differ(old: str, new: str) -> tuple[str, str]:
    """Both texts without their common beginning and end, except a word or two; `…` marks what is left out."""
    head = old.rfind(" ", 0, max(0, common_length(old, new) - 12)) + 1
    tail = common_length(old[head:][::-1], new[head:][::-1])
    cut = old[len(old) - tail :].find(" ", 12) if tail > 12 else -1
    tail = 0 if cut < 0 else tail - cut
    before, after = "… " if head else "", " …" if tail else ""
    old, new = (text[head : len(text) - tail] for text in (old, new))
    return f"{before}{old}{after}", f"{before}{new}{after}"


def listed(items: Iterable[T], screen: Screen, number: int | None = None) -> Iterator[T]:
    """The first items; after them, the number of the rest is printed. `number`: the total, if it is known."""
    count = 0
    for count, item in enumerate(items, start=1):
        if count <= MOST_LISTED:
            yield item
    print_more(count if number is None else number, screen)


def print_more(number: int, screen: Screen) -> None:
    if number > MOST_LISTED:
        screen.line("  ", ("faint", f"and {number - MOST_LISTED} more"))


def blocking_rule_ids(journal: Journal, row: UnitRow) -> list[str]:
    """The rules that the unit's best draft still breaks."""
    attempts = journal.attempts(row.id)
    return sorted(blocking_rules(attempts[row.best_attempt - 1])) if attempts and row.best_attempt else []
