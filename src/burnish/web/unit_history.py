"""The history of a unit: attempts with their drafts, causes, verdicts and scores, and the receipts of its repairs.

A receipt shows what the edits of one attempt changed, the proof that they changed nothing else, and what they cost.
What can be computed again is: how often the replaced words occur, the length of the text, whether protected text is
unchanged. The rest comes from the journal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from burnish.app.labels import ACTIONS, cause_of, failure_of
from burnish.app.runs import View
from burnish.core.attempts import findings_of, withdrawn_in
from burnish.core.documents import Field, Unit
from burnish.core.edits import protected_parts
from burnish.core.errors import UsageError
from burnish.core.findings import SEVERITIES
from burnish.core.gate import Dimension
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, CallRecord
from burnish.models.prompts import PLACEHOLDER, Prompt, prompt_named
from burnish.web import Drawn
from burnish.web.formatting import count, in_words, listed, plural, score, sentence
from burnish.web.labels import models_said
from burnish.web.pieces import diff, letters

BEST, PREVIOUS, SOURCE = "best", "previous", "source"
"""What a draft can be compared with, besides any other attempt by its number."""
JUDGED_CAUSES = ("review", "person")
"""Causes with a verdict in kinds whose drafts are written in one attempt and reviewed in the next."""


@dataclass(frozen=True)
class UnitHistory:
    """The story of one unit, with what pages ask about it."""

    kind: Kind
    story: UnitStory
    judges: int = 0
    """How many judges the run has: with judges, the gate requires more."""
    kind_name: str = ""

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        return self.story.attempts

    @cached_property
    def kept(self) -> AttemptRecord | None:
        """The attempt whose draft is kept; None before the first."""
        return self.attempt(self.story.row.best_attempt) or (self.attempts[0] if self.attempts else None)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions with a threshold. One whose threshold is the lowest possible score is for information only."""
        return tuple(one for one in self.kind.gate(self.judges).dimensions if one.minimum > one.lowest)

    def attempt(self, number: int) -> AttemptRecord | None:
        return self.attempts[number - 1] if 0 < number <= len(self.attempts) else None

    def draft(self, attempt: AttemptRecord | None) -> Unit:
        """The unit as it was after an attempt; None: the original."""
        if attempt is None:
            return self.story.source
        return recorded_draft(self.kind, attempt) or self.story.source

    def texts(self, attempt: AttemptRecord | None) -> Mapping[Field, str]:
        return self.draft(attempt).texts()

    def before(self, attempt: AttemptRecord) -> AttemptRecord | None:
        """The attempt whose draft this one was made from; None: the original."""
        earlier = self.attempts[: attempt.number - 1]
        base = (attempt.receipt or {}).get("before")
        for one in reversed(earlier):
            if one.content_hash == base or (base is None and one.content_hash != attempt.content_hash):
                return one
        return None

    def against(self, attempt: AttemptRecord, named: str | None) -> tuple[str, AttemptRecord | None]:
        """The name, and the attempt to compare with, for the name or number in the address."""
        if named == SOURCE:
            return SOURCE, None
        if named == BEST and self.kept is not None:
            return BEST, self.kept
        if named is not None and named.isdecimal() and (chosen := self.attempt(int(named[:9]))) is not None:
            return str(chosen.number), chosen
        return PREVIOUS, self.before(attempt)

    def cause(self, attempt: AttemptRecord) -> str:
        """What made the draft, in words."""
        return cause_of(self.kind, attempt)

    def is_judged(self, attempt: AttemptRecord) -> bool:
        """Whether the attempt has a verdict: a draft that was only written has none yet."""
        return not self.kind.is_phased or attempt.cause in JUDGED_CAUSES

    def why_unused(self, attempt: AttemptRecord) -> str | None:
        """Why the draft of the attempt was not usable, in words; None if it was."""
        return failure_of(self.kind, attempt.failure) if attempt.failure else None

    def shortfall(self, attempt: AttemptRecord) -> tuple[Dimension, float] | None:
        """The score furthest below its threshold, or, if all meet theirs, the one with the least margin."""
        scored = [(one, attempt.scores[one.name]) for one in self.dimensions if one.name in attempt.scores]
        return min(scored, key=lambda pair: pair[1] - pair[0].minimum, default=None)

    def reviewed(self) -> Sequence[AttemptRecord]:
        """The attempts with a verdict: only their findings count."""
        return [attempt for attempt in self.attempts if self.is_judged(attempt)]


Outcome = Literal["passed", "failed", "written"]
"""`written`: a draft without a verdict."""
MOST_LINES = 8
LONGEST_WORDS = 160


def steps_of(history: UnitHistory) -> tuple[Drawn, ...]:
    """Every attempt, newest first."""
    withdrawn = withdrawn_in(history.story.decisions)
    return tuple(_step(history, attempt, attempt.number in withdrawn) for attempt in reversed(history.attempts))


def _step(history: UnitHistory, attempt: AttemptRecord, is_withdrawn: bool) -> Drawn:
    outcome: Outcome = "written"
    if history.is_judged(attempt):
        outcome = "passed" if attempt.passed else "failed"
    spent = [plural(attempt.usage.total_tokens, "token")] if attempt.usage.total_tokens else []
    edits = [plural(len(attempt.edits), "edit")] if attempt.edits else []
    return Drawn(
        attempt=attempt,
        outcome=outcome,
        said=verdict_of(history, attempt),
        done=sentence(", ".join([history.cause(attempt), *edits, *spent])),
        unused=history.why_unused(attempt),
        is_kept=attempt.number == history.story.row.best_attempt,
        is_withdrawn=is_withdrawn,
    )


def verdict_of(history: UnitHistory, attempt: AttemptRecord) -> str:
    """`Passed, fidelity .94`, `Failed, fidelity .79 below .85`, `Failed, 2 errors`; empty without a verdict."""
    if not history.is_judged(attempt):
        return ""
    errors = sum(finding.blocks for finding in findings_of(attempt))
    short = history.shortfall(attempt)
    parts = ["Passed" if attempt.passed else "Failed"]
    if short is not None and (attempt.passed or short[1] < short[0].minimum):
        dimension, value = short
        figure = f"{in_words(dimension.name)} {score(value, dimension.minimum, history.kind_name)}"
        line = f" below {score(dimension.minimum, kind=history.kind_name)}"
        parts.append(figure + (line if value < dimension.minimum else ""))
    if errors:
        parts.append(plural(errors, "error"))
    return ", ".join(parts)


def attempt_lines(history: UnitHistory, earlier: int = 0) -> Drawn:
    """The attempts with a verdict. `earlier`: attempts of earlier runs, if they count.

    If a draft and its review are two attempts of the journal, only the reviews are counted.
    """
    judged = history.reviewed()
    is_phased = history.kind.is_phased
    numbers = range(earlier + 1, earlier + len(judged) + 1) if is_phased else [one.number for one in judged]
    rows = [_attempt_line(history, attempt, number) for number, attempt in zip(numbers, judged, strict=True)]
    total = earlier + len(judged) if is_phased else len(history.attempts)
    shown = rows[-MOST_LINES:]
    kept = next((one.number for one in shown if one.is_kept), None)
    summary = f"attempt {kept} of {total}" if kept is not None else plural(total, "attempt") if total else ""
    return Drawn(total=total, rows=tuple(shown), said=summary)


def _attempt_line(history: UnitHistory, attempt: AttemptRecord, number: int) -> Drawn:
    short = history.shortfall(attempt)
    figure = "" if short is None else score(short[1], short[0].minimum, history.kind_name)
    words = history.why_unused(attempt) or _worst(attempt) or ("passed" if attempt.passed else "did not pass")
    is_kept = attempt.number == history.story.row.best_attempt
    return Drawn(number=number, score=figure, words=words, is_kept=is_kept)


def _worst(attempt: AttemptRecord) -> str:
    """The message of its worst finding."""
    found = sorted(findings_of(attempt), key=lambda finding: SEVERITIES.index(finding.severity))
    if not found:
        return ""
    message = found[0].message
    first = message if len(message) <= LONGEST_WORDS else f"{message[:LONGEST_WORDS].rstrip()}…"
    return f"{first} (and {len(found) - 1} more)" if len(found) > 1 else first


AXIS_START = 0.4
"""Start of the axis, as a share of the scale, if no score or threshold is below it: most scores are high."""
MOST_RINGS = 8
"""Earlier attempts that are shown."""


def score_table(history: UnitHistory, attempt: AttemptRecord) -> Drawn | None:
    """The scores of an attempt, or else of the last one before it that has any; None: nothing was scored."""
    scored = [one for one in history.attempts[: attempt.number] if one.scores]
    if not scored:
        return None
    *earlier, shown = scored
    gated = {dimension.name: dimension for dimension in history.dimensions}
    highest = max((dimension.highest for dimension in history.dimensions), default=1.0)
    names = sorted(shown.scores, key=lambda name: list(gated).index(name) if name in gated else len(gated))
    rows = tuple(_row(name, shown, earlier[-MOST_RINGS:], gated.get(name), highest) for name in names)
    return Drawn(
        attempt=shown.number,
        rows=rows,
        has_lines=any(row.line is not None for row in rows),
        has_rings=any(row.rings for row in rows),
    )


def _row(
    name: str, shown: AttemptRecord, earlier: Sequence[AttemptRecord], line: Dimension | None, highest: float
) -> Drawn:
    before = [(one.number, one.scores[name]) for one in earlier if name in one.scores]
    minimum = line.minimum if line else None
    top = line.highest if line else max(highest, shown.scores[name])
    low = (
        AXIS_START * top
        if all(
            value is None or value >= AXIS_START * top
            for value in [shown.scores[name], *(value for _, value in before), *([minimum] if line else [])]
        )
        else 0.0
    )

    def at(value: float) -> float:
        return round(max(0.0, min(1.0, (value - low) / (top - low))) * 100, 2)

    return Drawn(
        label=sentence(in_words(name)),
        value=shown.scores[name],
        line=minimum,  # none: the gate does not ask for this one
        is_below=minimum is not None and shown.scores[name] < minimum,
        at=at(shown.scores[name]),
        line_at=None if minimum is None else at(minimum),
        rings=tuple(
            Drawn(attempt=number, value=value, at=at(value), is_below=minimum is not None and value < minimum)
            for number, value in before
        ),
    )


MOST_EDITS = 40
"""Edits of one attempt that a receipt shows."""
EDIT_EVENTS = ("edit_applied", "rolled_back", "edit_refused")
"""The types of events about an edit."""


@dataclass(frozen=True, slots=True)
class WholeProof:
    """The proof that nothing but the unit changed."""

    sentence: str
    said: str
    digest: str | None
    """The same before and after."""


def receipts_of(run: View, history: UnitHistory, *, others: int, noun: str) -> tuple[Drawn, ...]:
    """The receipts of all attempts that changed something, newest first. `others`: the number of other units."""
    events = {
        int(event.data["attempt"]): event.seq
        for event in run.journal.events(unit=history.story.row.id, types=EDIT_EVENTS)
        if "attempt" in event.data
    }
    proof = _whole_proof(run, history, others, noun)
    # A review also has a record, but without `before`: it changed nothing, so it gets no receipt.
    return tuple(
        _receipt(run, history, attempt, events.get(attempt.number), proof)
        for attempt in reversed(history.attempts)
        if (bool(attempt.edits) or "before" in (attempt.receipt or {}))
    )


def _receipt(run: View, history: UnitHistory, attempt: AttemptRecord, event: int | None, proof: WholeProof) -> Drawn:
    record: Mapping[str, Any] = attempt.receipt or {}
    before, after = history.draft(history.before(attempt)), history.draft(attempt)
    applied = "before" in record
    edits = tuple(_edit(before, edit) for edit in attempt.edits[:MOST_EDITS])
    # Show the criterion of a judge's issue instead of the issue's id, which means nothing to people.
    criteria = {str(issue["id"]): str(issue["criterion"]) for issue in record.get("issues", ()) if "criterion" in issue}
    return Drawn(
        attempt=attempt.number,
        event=event,
        action=ACTIONS.get(str(record.get("action"))),
        edits=edits,
        unshown=len(attempt.edits) - len(edits),
        rewritten=() if edits or not applied else diff(_whole(before), _whole(after)),
        lengths=(_length(before), _length(after if applied else before)),
        protected=_protection(before, after),
        hashes=(str(record.get("before", before.content_hash)), str(record.get("after", before.content_hash))),
        settles=tuple(dict.fromkeys(criteria.get(str(rule), str(rule)) for rule in record.get("rules", ()))),
        verified=_verified(record),
        failure=history.why_unused(attempt),
        proof=_unit_proof(record, before, proof),
        bill=bill_of(run, attempt),
    )


def _edit(before: Unit, edit: Mapping[str, Any]) -> Drawn:
    field, find, replace = edit.get("field"), str(edit.get("find", "")), str(edit.get("replace", ""))
    text = before.texts().get(field)
    place = f", in {in_words(field)}" if field else f", in {before.id}"
    pieces = diff(find, replace)
    return Drawn(field=field, pieces=pieces, found=_found(text, find) + place, letters=letters(pieces))


def _found(text: str | None, find: str) -> str:
    """How often the replaced words occur in the text; an overlap counts too, as it does when an edit is applied."""
    if not find:
        return "empty, now filled"
    if text is None or find not in text:
        return "not found"
    return "exactly once" if text.find(find, text.find(find) + 1) < 0 else "more than once"


def _whole(unit: Unit) -> str:
    return "\n".join(text for text in unit.texts().values() if text)


def _length(unit: Unit) -> int:
    return sum(len(text) for text in unit.texts().values())


def _protection(before: Unit, after: Unit) -> str:
    """How many protected parts (code, LaTeX, links, tags, placeholders) changed."""
    old, new = ([part for text in unit.texts().values() for part in protected_parts(text)] for unit in (before, after))
    if old == new:
        return f"{plural(len(old), 'part')}, unchanged" if old else "none"
    lost = len([part for part in old if part not in new])
    return f"{count(lost)} of {plural(len(old), 'part')} changed" if lost else f"{count(len(new) - len(old))} more"


def _verified(record: Mapping[str, Any]) -> str | None:
    judged = (record.get("verification") or {}).get("delta_judge")
    if judged is None:
        return "the rules" if record.get("verification") else None
    return f"{'settled' if judged.get('passed') else 'not settled'}, confidence {judged.get('confidence')}"


# -- the proof


def _unit_proof(record: Mapping[str, Any], before: Unit, whole: WholeProof) -> WholeProof:
    """Until the document is written, the proof from the edit's own receipt."""
    kept = [field for field in before.texts() if field not in record.get("changed_fields", before.texts())]
    if whole.digest is not None or not kept or "untouched" not in record:
        return whole
    sentence = f"The other {plural(len(kept), 'field')} of {before.id} {'is' if len(kept) == 1 else 'are'} unchanged"
    return WholeProof(sentence, whole.sentence, str(record["untouched"]))


def _whole_proof(run: View, history: UnitHistory, others: int, noun: str) -> WholeProof:
    """The proof made when the document was written and read back; before that, what an edit cannot change."""
    one = others == 1
    for event in run.journal.events(types=("published",), limit=1):
        for written in event.data["documents"]:
            if written["document"] == history.story.row.document:
                kept = written["untouched"]
                text = f"{count(kept['units'])} of {count(written['units'])} are unchanged"
                sentence = f"The other {plural(others, noun)} {'is' if one else 'are'} unchanged"
                return WholeProof(sentence, text, str(kept["digest"]) if kept["units"] else None)
    if not others:
        return WholeProof(f"This is the only {noun}", "Proven again when the document is written.", None)
    sentence = f"The edit cannot change the other {plural(others, noun)}"
    return WholeProof(sentence, "Proven when the document is written and read back.", None)


# -- the bill


def bill_of(run: View, attempt: AttemptRecord) -> Drawn:
    """The cost of an attempt, and its models and prompts."""
    calls = [call for key in attempt.calls if (call := run.journal.call(key)) is not None]
    prompts = dict.fromkeys(prompt_of(run.plan.prompts, call) for call in calls)
    return Drawn(
        usage=attempt.usage,
        seconds=sum(call.duration_ms for call in calls) / 1000 if calls else None,
        prompts=listed(prompt for prompt in prompts if prompt),
        models=models_said(call.model for call in calls),
        shared=bool(calls) and not attempt.usage.total_tokens,
        withheld=sum(not call.raw for call in calls),
    )


def prompt_of(versions: Mapping[str, str], call: CallRecord) -> str | None:
    """The prompt of a call, with its version: `manuscripts.rework_edit 1`; None if it is not certain.

    The journal keeps only the text that was sent; the prompt is found by its reply type and its first words.
    """
    known = [(id, _prompt(id)) for id in versions]
    fitting = [(id, prompt) for id, prompt in known if prompt is not None and prompt.reply == call.reply_name]
    sent = str(call.request.get("system", ""))
    begun = [id for id, prompt in fitting if sent.startswith(PLACEHOLDER.split(prompt.system, maxsplit=1)[0].rstrip())]
    found = begun if len(fitting) > 1 else [id for id, _ in fitting]
    return f"{_short(found[0])} {versions[found[0]]}" if len(found) == 1 else None


def _prompt(id: str) -> Prompt | None:
    """The prompt in this version of Burnish; None if only another version has it."""
    try:
        return prompt_named(id)
    except UsageError:
        return None


def _short(id: str) -> str:
    """`burnish.kinds.manuscripts.prompts:rework_edit` -> `manuscripts.rework_edit`."""
    package, _, name = id.partition(":")
    parts: Sequence[str] = [part for part in package.split(".") if part not in ("burnish", "kinds", "prompts")]
    return ".".join([*parts, name])
