"""New text from models: patching, expanding and regenerating units, and why a text is refused.

Patching requests the smallest edit, expanding a new version of one section, regenerating a unit from the specification
and the source. Small edits of several units share one request, so that the task is stated and paid for once; a unit
without a usable answer is then requested alone. Text that the lesson must not contain is refused here, when it can
still be requested again; when the file is written it would be too late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from burnish.core.edits import (
    HEADING,
    REFUSALS,
    SMALLEST_REMAINDER,
    Edit,
    apply_edits,
    changed_fields,
    new_controls,
    outward_parts,
    protected_parts,
    receipt,
)
from burnish.core.effects import Answer, Effect, Keep, ModelRequest, Request, note
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.core.records import Usage, shares
from burnish.core.replies import EditReply, SectionReply
from burnish.kinds.lessons.arbiter import CONSTRAINT, bold_terms
from burnish.kinds.lessons.findings import ignored_rules
from burnish.kinds.lessons.materials import terms
from burnish.kinds.lessons.model import Lesson, LessonUnit, Passage, headings
from burnish.kinds.lessons.policy import INADMISSIBLE, LARGEST_BATCH, STRAYS, exceeds, reaches
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.refinement import (
    LESSON,
    DeltaJudgeResult,
    FixAction,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.requests import excerpt, expand_ask, generate_ask, patch_ask
from burnish.kinds.lessons.verify import Verification, text_reasons
from burnish.text.quotes import exact_edits

MOST_HEADINGS = 2_000
"""The most headings of a unit that are checked."""

TRIES = 2
"""An unusable answer is requested once more."""

EXPLANATIONS = {
    "length_change": "it changes the length by more than a tenth",
    "other_unit": "it is about another unit",
    "empty": "it is empty",
    "drops_protected": "it changes or drops code, formulae, links or placeholders",
    "new_errors": "it breaks a rule that held before",
    **STRAYS,
    "not_verified": "a reader found that it does not settle every issue",
    **INADMISSIBLE,
    **REFUSALS,
}

LARGEST_EDIT = 1 / 3
"""The largest share of a unit's content words that a small edit may replace."""
LEAST_KEPT = 0.25
"""The smallest share of a section's content words that must return when it is written again."""
FEW_WORDS = 20
"""Limits on shares do not apply to shorter texts."""
OTHER_LANGUAGE = frozenset({"wrong_language", "foreign_script"})
SMALLEST_TRANSLATION = 0.25
"""The smallest size after a translation: Chinese needs a third of the letters of English."""

WORDS = 250
"""The target length of a part if nothing determines it."""
MOST_WORDS = 1_500
ROOM, MORE_ROOM = 3_000, 6_000
"""Tokens for one part, and for one that was cut off before; doubled the second time."""


@dataclass(slots=True)
class Repair:
    """One task being repaired: its attempts, cost, and result."""

    task: SectionRefinementTask
    action: FixAction
    before: LessonUnit
    after: LessonUnit | None = None
    edits: tuple[Edit, ...] = ()
    failure: str | None = None
    tries: int = 0
    """Answers about this repair, used or not."""
    delta: DeltaJudgeResult | None = None
    verification: Verification | None = None
    by_rules: bool = False
    """Whether the task comes from a rule, which then decides if it is settled."""
    any_length: bool = False
    """Whether a rule or a person requested it, so that the length may change."""
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_kept(self) -> bool:
        return self.verification is not None and self.verification.passed

    @property
    def demands(self) -> list[str]:
        """The demands, one per line."""
        return self.task.synthesized_instructions.splitlines()

    @property
    def complaints(self) -> list[str]:
        """The issues without advice: the delta judge checks the change, not the suggested words."""
        quotes = (f"“{one.quoted_text}”: " if one.quoted_text else "" for one in self.issues)
        described = (f"{quote}{one.description}" for quote, one in zip(quotes, self.issues, strict=True))
        return [*described, *(line for line in self.demands if line.startswith(CONSTRAINT))]

    @property
    def issues(self) -> tuple[TargetedIssue, ...]:
        return self.task.source_issues

    def pay(self, answer: Answer, usage: Usage | None = None) -> None:
        """Add an answer to the cost; `usage` is this repair's part of it if the request was shared."""
        self.usage += answer.usage if usage is None else usage
        self.calls = (*self.calls, *answer.calls)
        self.seconds += answer.seconds


def inadmissible(before: LessonUnit, after: LessonUnit, lesson: Lesson, passages: Iterable[Passage]) -> str | None:
    """Why a model's text must not replace a unit, beginning with the reason's name; None if it may."""
    if ignored_rules(after) - ignored_rules(before):
        return "adds_ignore: only who hands a lesson in may pass over a rule"
    for name in changed_fields(before, after):
        old, new = before.texts()[name], after.texts()[name]
        if new_controls(old, new):
            return "control_character: no text holds such a character"
        if _opening(new, lesson) > _opening(old, lesson) or (name == "title" and "\n" in new):
            return "adds_heading: the lesson would fall into other sections"
        brought = outward_parts(new) - outward_parts(old)
        # Text from elsewhere in the unit, or from the source, is not new.
        known = (*before.texts().values(), *(passage.text for passage in passages)) if brought else ()
        if brought.difference(*map(outward_parts, known)):
            return "brings_in: neither the unit nor the source has it"
    return None


def _opening(text: str, lesson: Lesson) -> int:
    """The number of headings that begin a section of the lesson's file."""
    if not lesson.heading_level:
        return 0
    return sum(heading.level <= lesson.heading_level for heading in islice(headings(text), MOST_HEADINGS))


def request_drafts(progress: LessonProgress, repairs: Sequence[Repair]) -> Generator[Effect, Any, None]:
    """Request a text for every repair; for unusable answers, once more with the reason."""
    model = progress.roles.of("patcher")
    assert model is not None, "nothing is planned where nobody can patch"
    yield from _request_jointly(progress, repairs, model)
    for _ in range(TRIES):
        if not progress.tokens_left:
            break
        open_ = [repair for repair in repairs if repair.after is None and repair.tries < TRIES]
        answers = yield from progress.ask(ModelRequest(_ask(progress, repair), model) for repair in open_)
        for repair, answer in zip(open_, answers, strict=True):
            repair.pay(answer)
            # The unit after the answer, or why it cannot be used.
            if isinstance(answer.reply, EditReply):
                _take_edits(progress, repair, answer.reply.about(repair.before.id))
            elif isinstance(answer.reply, SectionReply):
                repair.tries += 1
                repair.failure = rewritten_refusal(repair.before, answer.reply, progress.findings(repair.before))
                if repair.failure is None:
                    repair.edits = (Edit(repair.before.id, None, repair.before.text, answer.reply.text),)
                    _admit(progress, repair, repair.before.with_text(None, answer.reply.text))
            else:
                repair.tries += 1
                repair.failure = answer.failure or "reply_unreadable: no answer"


def _request_jointly(progress: LessonProgress, repairs: Sequence[Repair], model: str) -> Generator[Effect, Any, None]:
    """One request for several edits. An answer that leaves a unit out does not count as its attempt.

    A unit whose last repair was not kept is requested alone, with the reason: the same question would only give the
    same answer.
    """
    small = [repair for repair in repairs if repair.action == "SURGICAL_EDIT"]
    groups = grouped([repair for repair in small if repair.before.id not in progress.refused])
    requests = []
    for group in groups:
        demands = [f"{repair.before.id}: {line}" for repair in group for line in repair.demands]
        ask = patch_ask(LESSON, "\n\n".join(_excerpt(repair) for repair in group), demands, "")
        requests.append(ModelRequest(ask, model))
    answers = yield from progress.ask(requests)
    for group, answer in zip(groups, answers, strict=True):
        edits = answer.reply.edits if isinstance(answer.reply, EditReply) else ()
        known = {repair.before.id for repair in group}
        strays = any(edit.unit not in known for edit in edits)
        for repair, share in zip(group, shares(answer.usage, len(group)), strict=True):
            repair.pay(answer, share)
            own = tuple(edit for edit in edits if edit.unit == repair.before.id)
            if own and not strays:
                _take_edits(progress, repair, EditReply(reasoning="", edits=own))


def grouped(repairs: Sequence[Repair]) -> list[list[Repair]]:
    """Repairs of different units, in groups that share a request; single repairs are left out."""
    single = list({repair.before.id: repair for repair in repairs}.values())
    groups = [single[start : start + LARGEST_BATCH] for start in range(0, len(single), LARGEST_BATCH)]
    return [group for group in groups if len(group) > 1]


def _ask(progress: LessonProgress, repair: Repair) -> Request:
    refused = repair.failure or progress.refused.get(repair.before.id, "")
    has_history = refused and not refused.startswith("model_failed")
    history = f"The last answer was not used: {explanation(refused)}.\n" if has_history else ""
    unit = repair.before
    if repair.action == "REGENERATE_SECTION":
        beside = progress.lesson, progress.context
        passages = progress.passages(unit.text)
        return expand_ask(unit, *beside, repair.demands, passages, words=max(unit.words, 40), history=history)
    return patch_ask(unit.id, _excerpt(repair), repair.demands, history)


def _excerpt(repair: Repair) -> str:
    """The quoted words with their context; after a failure the whole unit."""
    quotes = [issue.quoted_text for issue in repair.issues]
    return excerpt(repair.before, quotes, whole=repair.failure is not None)


def explanation(failure: str | None) -> str:
    """Why an answer was not used, in our words, because the failure's own text may quote a model."""
    name = (failure or "").partition(":")[0]
    return EXPLANATIONS.get(name, "it was not the JSON object that was asked for")


def _take_edits(progress: LessonProgress, repair: Repair, reply: EditReply) -> None:
    repair.tries += 1
    asked = (Edit(part.unit, part.field, part.find, part.replace) for part in reply.edits)
    repair.edits = tuple(exact_edits(repair.before, asked))
    try:
        after = apply_edits(repair.before, repair.edits)
    except EditRefused as refused:
        repair.failure = f"{refused.reason}: {refused.message}"
    else:
        _admit(progress, repair, after)


def _admit(progress: LessonProgress, repair: Repair, after: LessonUnit) -> None:
    """Accept the text unless it contains forbidden additions or has the wrong length."""
    repair.failure = inadmissible(repair.before, after, progress.lesson, progress.context.passages)
    is_free = repair.any_length and not repair.by_rules  # a person may want another text
    is_translated = any(finding.rule in OTHER_LANGUAGE for finding in progress.findings(repair.before))
    if repair.failure is None and not is_free and not is_translated:
        repair.failure = strays(_all(repair.before), _all(after), is_edit=repair.action == "SURGICAL_EDIT")
    if repair.failure is not None:
        return
    reasons = () if repair.any_length else text_reasons(repair.task, _all(repair.before), _all(after))
    repair.failure = f"{reasons[0]}: {', '.join(reasons)}" if reasons else None
    repair.after = None if reasons else after


def strays(before: str, after: str, *, is_edit: bool) -> str | None:
    """Why a text of the right length is not a repair of the old one: it drops a term, or has another subject."""
    kept = after.casefold()
    lost = [term for term in bold_terms(before) if term.casefold() not in kept]
    if lost:
        return f"drops_terms: {', '.join(lost[:3])}"
    old, new = Counter(terms(before)), Counter(terms(after))
    if old.total() < FEW_WORDS:
        return None
    if is_edit:
        replaced = (old - new).total() / old.total()
        return f"replaces_much: {replaced:.0%} of the words" if exceeds(replaced, LARGEST_EDIT) else None
    share = len(old.keys() & new.keys()) / len(old)
    return None if reaches(share, LEAST_KEPT) else f"other_text: {share:.0%} of its words are left"


def rewritten_refusal(before: LessonUnit, reply: SectionReply, findings: Sequence[Finding]) -> str | None:
    """Why a section that was written again cannot replace the old one."""
    if (refusal := text_refusal(before, reply, findings)) is not None:
        return refusal
    kept = protected_parts(reply.text)
    if [part for part in protected_parts(before.text) if part not in kept]:
        return "drops_protected: something that may not change is gone"
    lost = len(HEADING.findall(before.text)) - len(HEADING.findall(reply.text))
    return f"drops_heading: {lost} fewer than there were" if lost > 0 else None


def text_refusal(before: LessonUnit, reply: SectionReply, findings: Sequence[Finding]) -> str | None:
    """Why a text is not a new version of a unit: a repair must not delete content."""
    if reply.unit not in ("", before.id):
        return f"other_unit: {reply.unit}"
    if not reply.text.strip():
        return "empty: the new text is empty"
    is_translated = any(finding.rule in OTHER_LANGUAGE for finding in findings)
    least = SMALLEST_TRANSLATION if is_translated else SMALLEST_REMAINDER
    if len(reply.text) < least * len(before.text):
        return f"shrinks: {len(before.text)} characters would become {len(reply.text)}"
    return None


def _all(unit: LessonUnit) -> str:
    """All texts of the unit, for measures of length and readability."""
    return unit.text if unit.is_plain else "\n\n".join(unit.texts().values())


def regenerate(
    progress: LessonProgress, wrong: Mapping[str, Sequence[str]], *, attempt: int
) -> Generator[Effect, Any, list[str]]:
    """Write these units again, given their faults; returns the ids of those that were replaced."""
    model = progress.roles.of("generator")
    assert model is not None, "somebody has to write"
    units = [progress.lesson.unit(id) for id in wrong if id in progress.lesson and progress.lesson.unit(id).is_plain]
    # About as many words as the other parts have: an incomplete part says little about its size.
    sizes = sorted(other.words for other in progress.lesson.units if other.is_plain and other.words)
    usual = sizes[len(sizes) // 2] if sizes else WORDS
    asks = []
    for unit in units:
        was_cut = any(finding.rule == "truncation" for finding in progress.findings(unit))
        ask = generate_ask(
            unit,
            progress.lesson,
            progress.context,
            wrong[unit.id],
            progress.passages(f"{unit.title or ''} {unit.text}"),
            words=min(MOST_WORDS, max(unit.words, usual, 80)),
            room=attempt * (MORE_ROOM if was_cut else ROOM),
        )
        asks.append(ModelRequest(ask, model))
    # Writing again is not a repair, so it does not use the repairs' budget.
    answers = yield from progress.ask(asks, counted=False)
    taken = []
    for unit, answer in zip(units, answers, strict=True):
        taken.append((yield from _take_regenerated(progress, unit, answer, wrong[unit.id], attempt)))
    return [unit.id for unit, is_taken in zip(units, taken, strict=True) if is_taken]


def _take_regenerated(
    progress: LessonProgress, unit: LessonUnit, answer: Answer, wrong: Sequence[str], attempt: int
) -> Generator[Effect, Any, bool]:
    """Replace the unit's text by the new one; the old one is kept as the attempt before it."""
    reply, failure = answer.reply, answer.failure or "no answer"
    if isinstance(reply, SectionReply):
        new = unit.with_text(None, reply.text)
        refusal = text_refusal(unit, reply, progress.findings(unit))
        refusal = refusal or inadmissible(unit, new, progress.lesson, progress.context.passages)
        if refusal is None:
            progress.lesson = progress.lesson.with_unit(new)
            attempted = Keep(
                unit=new,
                cause="model",
                findings=progress.findings(new),
                edits=({"unit": unit.id, "field": None, "find": unit.text, "replace": reply.text},),
                receipt={**receipt(unit, new, ()).as_record(), "action": "FULL_REGENERATE", "wrong": list(wrong)},
                usage=answer.usage,
                calls=answer.calls,
            )
            yield from progress.keep(attempted, is_best=True)
            yield from note("unit_written", unit.id, attempt=attempt, tokensUsed=answer.usage.total_tokens)
            return True
        failure = refusal
    yield from note("unit_not_written", unit.id, reason=failure, attempt=attempt)
    return False
