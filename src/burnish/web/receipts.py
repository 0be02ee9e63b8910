"""Receipts: what the edits of one attempt changed, the proof that they changed nothing else, and what they cost.

Whatever can be looked at again is: that the words stood there exactly once, how long the text was, whether protected
text is still the same. The rest is as the journal has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.app.labels import ACTIONS
from burnish.app.runs import View
from burnish.core.documents import Unit
from burnish.core.edits import protected_parts
from burnish.core.errors import UsageError
from burnish.core.records import AttemptRecord, CallRecord
from burnish.models.prompts import PLACEHOLDER, Prompt, prompt_named
from burnish.web import Drawn
from burnish.web.formatting import count, in_words, listed, plural
from burnish.web.labels import models_said
from burnish.web.pieces import diff, letters
from burnish.web.unit_history import UnitHistory

MOST_EDITS = 40
"""Edits of one attempt that a receipt shows."""
TOLD = ("edit_applied", "rolled_back", "edit_refused")
"""The events that tell of an edit."""


@dataclass(frozen=True, slots=True)
class WholeProof:
    """That nothing but the unit changed."""

    sentence: str
    said: str
    digest: str | None
    """The same before and after."""


def receipts_of(run: View, history: UnitHistory, *, others: int, noun: str) -> tuple[Drawn, ...]:
    """The receipts of all attempts that changed something, newest first. `others`: how many units there are besides."""
    events = {
        int(event.data["attempt"]): event.seq
        for event in run.journal.events(unit=history.story.row.id, types=TOLD)
        if "attempt" in event.data
    }
    proof = _whole_proof(run, history, others, noun)
    # Whether there is something to give a receipt for. A review has a record of its own, which is none.
    return tuple(
        _receipt(run, history, attempt, events.get(attempt.number), proof)
        for attempt in reversed(history.attempts)
        if (bool(attempt.edits) or "before" in (attempt.receipt or {}))
    )


def _receipt(run: View, history: UnitHistory, attempt: AttemptRecord, event: int | None, proof: WholeProof) -> Drawn:
    record: Mapping[str, Any] = attempt.receipt or {}
    before, after = history.draft(history.before(attempt)), history.draft(attempt)
    applied = "before" in record
    edits = tuple(_made(before, edit) for edit in attempt.edits[:MOST_EDITS])
    # The rules of a record, each once. An issue of a judge has an id of its own there; people know its criterion.
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


def _made(before: Unit, edit: Mapping[str, Any]) -> Drawn:
    field, find, replace = edit.get("field"), str(edit.get("find", "")), str(edit.get("replace", ""))
    text = before.texts().get(field)
    place = f", in {in_words(field)}" if field else f", in {before.id}"
    pieces = diff(find, replace)
    return Drawn(field=field, pieces=pieces, found=_found(text, find) + place, letters=letters(pieces))


def _found(text: str | None, find: str) -> str:
    """How often words stand in a text, as an edit must know: an overlap counts too."""
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
    """What became of code, LaTeX, links, tags and placeholders."""
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
    """Where the document was not written yet, what the edit's own receipt proves."""
    rest = [field for field in before.texts() if field not in record.get("changed_fields", before.texts())]
    if whole.digest is not None or not rest or "untouched" not in record:
        return whole
    sentence = f"The other {plural(len(rest), 'field')} of {before.id} {'is' if len(rest) == 1 else 'are'} unchanged"
    return WholeProof(sentence, whole.sentence, str(record["untouched"]))


def _whole_proof(run: View, history: UnitHistory, others: int, noun: str) -> WholeProof:
    """What was proven when the document was written and read back; before that, what an edit can reach at all."""
    one = others == 1
    for event in run.journal.events(types=("published",), limit=1):
        for written in event.data["documents"]:
            if written["document"] == history.story.row.document:
                kept = written["untouched"]
                said = f"{count(kept['units'])} of {count(written['units'])} are unchanged"
                sentence = f"The other {plural(others, noun)} {'is' if one else 'are'} unchanged"
                return WholeProof(sentence, said, str(kept["digest"]) if kept["units"] else None)
    if not others:
        return WholeProof(f"This is the only {noun}", "Proven again when the document is written.", None)
    sentence = f"The edit cannot change the other {plural(others, noun)}"
    return WholeProof(sentence, "Proven when the document is written and read back.", None)


# -- the bill


def bill_of(run: View, attempt: AttemptRecord) -> Drawn:
    """What an attempt cost, and who was asked with which prompt."""
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
    """The prompt behind a call, with its version: `manuscripts.rework_edit 1`; None where it cannot be told.

    The journal keeps what was sent. Which prompt that was is told by its reply and by how it begins.
    """
    known = [(id, _known(id)) for id in versions]
    fitting = [(id, prompt) for id, prompt in known if prompt is not None and prompt.reply == call.reply_name]
    sent = str(call.request.get("system", ""))
    begun = [id for id, prompt in fitting if sent.startswith(PLACEHOLDER.split(prompt.system, maxsplit=1)[0].rstrip())]
    found = begun if len(fitting) > 1 else [id for id, _ in fitting]
    return f"{_short(found[0])} {versions[found[0]]}" if len(found) == 1 else None


def _known(id: str) -> Prompt | None:
    """The prompt as this version of Burnish has it; the run may be of another."""
    try:
        return prompt_named(id)
    except UsageError:
        return None


def _short(id: str) -> str:
    """`burnish.kinds.manuscripts.prompts:rework_edit` -> `manuscripts.rework_edit`."""
    package, _, name = id.partition(":")
    parts: Sequence[str] = [part for part in package.split(".") if part not in ("burnish", "kinds", "prompts")]
    return ".".join([*parts, name])
