"""Attempts, decisions and history: every draft that was tried, what people said of it, and which one is worth keeping.

A decision is never erased. Who takes one back adds another event, whose verdict is `undo` and which names the decision
by its `seq`. A text that came with it stays among the attempts for ever, but it is withdrawn: nobody works from it,
nobody publishes it, and it counts as no try.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from burnish.core.documents import Field, text_digest
from burnish.core.errors import StateCorrupt
from burnish.core.findings import BLOCKING, CRASHED_RULE, Finding
from burnish.core.records import AttemptRecord, EventRecord, Json, UnitRow, Usage

UNDO = "undo"
"""The verdict of an event that takes a decision back."""
TOLD = ("verdict", "by", "note", "after_attempt", "reason_before")
"""What is told of a decision. The rest is for taking it back."""
KEPT = ("state", "reason", "best_attempt", "open_errors")
"""What a decision changes in a unit's row, and its undo brings back. Attempts are only ever added."""


def is_undo(event: EventRecord) -> bool:
    return event.data.get("verdict") == UNDO


def undoings(events: Iterable[EventRecord]) -> dict[int, EventRecord]:
    """`seq` of a decision that was taken back -> the event that did so."""
    return {int(event.data["undoes"]): event for event in events if is_undo(event)}


def standing_decisions(events: Iterable[EventRecord]) -> tuple[EventRecord, ...]:
    """Return the decisions that count, in order: neither those that were taken back nor the taking back. Other events
    that stand among them stay."""
    every = tuple(events)
    undone = undoings(every)
    return tuple(event for event in every if not is_undo(event) and event.seq not in undone) if undone else every


def rejections_in(decisions: Iterable[EventRecord]) -> tuple[int, ...]:
    """After which attempts a person sent the unit back, and left it at that."""
    standing = standing_decisions(decisions)
    return tuple(int(each.data["after_attempt"]) for each in standing if each.data.get("verdict") == "reject")


def withdrawn_in(decisions: Iterable[EventRecord]) -> frozenset[int]:
    """Return the numbers of the attempts that are texts of people who took them back."""
    every = tuple(decisions)
    undone = undoings(every)
    edits = (each for each in every if each.seq in undone and each.data["verdict"] == "edit")
    return frozenset(int(each.data["after_attempt"]) for each in edits)


def counted(attempts: Iterable[AttemptRecord], withdrawn: Collection[int]) -> tuple[AttemptRecord, ...]:
    """Return the attempts that count."""
    return tuple(attempt for attempt in attempts if attempt.number not in withdrawn)


def told_decisions(decisions: Iterable[EventRecord]) -> list[dict[str, Any]]:
    """What reports say of each decision. One that was taken back is among them, with who did so and when."""
    every = tuple(decisions)
    undone = undoings(every)
    told: list[dict[str, Any]] = []
    for decision in every:
        if not is_undo(decision):
            told.append({name: decision.data[name] for name in TOLD if name in decision.data} | {"at": decision.at})
            if (undo := undone.get(decision.seq)) is not None:
                told[-1] |= {"undone_by": undo.data["by"], "undone_at": undo.at}
    return told


def row_before(row: UnitRow) -> dict[str, Any]:
    """What a decision has to remember of the row that it changes."""
    return {name: getattr(row, name) for name in KEPT}


def restored(row: UnitRow, before: Mapping[str, Any]) -> UnitRow:
    """Return the row as it was before a decision; attempts that came since stay attempts."""
    return replace(row, **{name: before[name] for name in KEPT})


def findings_of(attempt: AttemptRecord) -> list[Finding]:
    return [Finding.from_record(dict(record)) for record in attempt.findings]


def blocking_rules(attempt: AttemptRecord) -> frozenset[str]:
    """Return the rules whose findings keep this attempt from being accepted."""
    return frozenset(record["rule"] for record in attempt.findings if record["severity"] in BLOCKING)


def open_errors(attempt: AttemptRecord) -> int:
    return sum(record["severity"] in BLOCKING for record in attempt.findings)


def standing_edits(attempts: Sequence[AttemptRecord], best: int) -> frozenset[int]:
    """The attempts whose edits are in the draft that is kept, which is number `best`: from its text back to the first.

    An attempt never changes once it is written down, so what was rolled back later is told by what stands now.
    """
    kept = attempts[: max(best, 1)]
    wanted = kept[-1].content_hash if kept else None
    found = []
    for attempt in reversed(kept):
        if _was_taken(attempt) and attempt.receipt is not None and attempt.content_hash == wanted:
            found.append(attempt.number)
            wanted = attempt.receipt["before"]
    return frozenset(found)


def rolled_back(attempts: Sequence[AttemptRecord], best: int) -> frozenset[int]:
    """The attempts whose edits were taken and did not last. A person's own text takes nothing back: it is another."""
    if attempts and attempts[max(best, 1) - 1].cause == "person":
        return frozenset()
    return frozenset(one.number for one in attempts if _was_taken(one)) - standing_edits(attempts, best)


def _was_taken(attempt: AttemptRecord) -> bool:
    return bool(attempt.edits) and attempt.failure is None


class Decided:
    """Something with the attempts at a unit and the decisions about it."""

    __slots__ = ()
    attempts: tuple[AttemptRecord, ...]
    decisions: tuple[EventRecord, ...]

    @property
    def standing_decisions(self) -> tuple[EventRecord, ...]:
        """What people decided and left at that."""
        return standing_decisions(self.decisions)

    @property
    def counted_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: a person's text that was taken back does not."""
        return counted(self.attempts, withdrawn_in(self.decisions)) if self.decisions else self.attempts


@dataclass(frozen=True, slots=True)
class History:
    """The attempts of one unit, 1..n."""

    attempts: tuple[AttemptRecord, ...] = ()
    rejections: tuple[int, ...] = ()
    """After which attempts a person sent the unit back, in order."""
    withdrawn: frozenset[int] = frozenset()
    """The numbers of people's texts that were taken back. They are attempts for ever, but none that counts."""

    @classmethod
    def of(cls, attempts: Iterable[AttemptRecord], decisions: Iterable[EventRecord]) -> Self:
        """From what the journal knows of a unit: its attempts, and every `decision` event about it."""
        said = tuple(decisions)
        return cls(tuple(attempts), rejections_in(said), withdrawn_in(said))

    def __post_init__(self) -> None:
        if [attempt.number for attempt in self.attempts] != list(range(1, len(self.attempts) + 1)):
            raise StateCorrupt("The attempts of a unit are not numbered 1, 2, 3, ...")

    def with_attempt(self, attempt: AttemptRecord) -> History:
        return replace(self, attempts=(*self.attempts, attempt))

    def before(self, number: int) -> History:
        """Return the history as it stood when attempt `number` was made."""
        rejections = tuple(after for after in self.rejections if after < number)
        return replace(self, attempts=self.attempts[: number - 1], rejections=rejections)

    @property
    def next_number(self) -> int:
        return len(self.attempts) + 1

    @property
    def counted(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: all but those that were withdrawn."""
        return counted(self.attempts, self.withdrawn)

    @property
    def last(self) -> AttemptRecord | None:
        return next(reversed(self.counted), None)

    @property
    def since_rejection(self) -> tuple[AttemptRecord, ...]:
        """The attempts since a person last sent the unit back; all of them where nobody did."""
        return counted(self.attempts[self.rejections[-1] :] if self.rejections else self.attempts, self.withdrawn)

    @property
    def best(self) -> AttemptRecord | None:
        """Passed before failed, then fewest errors, then higher scores, then fewer findings, then the earlier one.

        Of two with equally many errors, one that failed (it trades errors for others, its judges were silent) is worse.

        A person's own text is final, the latest one first: it outranks everything else. A rejection ends that. It
        leaves only the best draft of its time in the running, without the honours that it had, so that whatever
        passes later is preferred.

        A safe fix takes the place of the draft that it fixed: code has proven that it settles something and raises
        nothing, and judges are only asked about the fixed text.
        """
        best: AttemptRecord | None = None
        since = 0
        fixed = {attempt.number - 1 for attempt in self.attempts if attempt.cause == "safe_fix"}
        for until in (*self.rejections, len(self.attempts)):
            tried = counted(self.attempts[since:until], self.withdrawn)
            drafts = [attempt for attempt in tried if attempt.number not in fixed]
            drafts = drafts if best is None else [best, *drafts]
            best = max(drafts, key=partial(_worth, rejected_until=since), default=None)
            since = until
        return best

    @property
    def usage(self) -> Usage:
        return sum((attempt.usage for attempt in self.attempts), Usage())


def _worth(attempt: AttemptRecord, rejected_until: int) -> tuple[int, bool, int, bool, bool, float, int, int]:
    unrejected = attempt.number > rejected_until
    mean = sum(attempt.scores.values()) / len(attempt.scores) if attempt.scores else 0.0
    return (
        attempt.number if attempt.cause == "person" and unrejected else 0,
        attempt.passed and unrejected,
        -open_errors(attempt),
        attempt.failure is None,
        unrejected,
        mean,
        -len(attempt.findings),
        -attempt.number,
    )


@dataclass(frozen=True, slots=True)
class BreakerState:
    """How often a rule has failed in a row, and whether that is often enough to stop trying."""

    rule_id: str
    consecutive_failures: int
    is_tripped: bool


def breaker_states(failing: Sequence[Collection[str]], limit: int) -> tuple[BreakerState, ...]:
    """One state for every rule that ever failed. A rule trips when it failed in every one of `limit` attempts."""
    states: list[BreakerState] = []
    for rule in sorted({rule for rules in failing for rule in rules}):
        streak = next((at for at, rules in enumerate(reversed(failing)) if rule not in rules), len(failing))
        states.append(BreakerState(rule, streak, len(failing) >= limit and streak == len(failing)))
    return tuple(states)


def oscillates(scores: Sequence[float], *, step: float) -> bool:
    """Return whether the score went up by more than `step` and then down by more than `step`."""
    if len(scores) < 3:
        return False
    first, second, third = scores[-3:]
    return second - first > step and second - third > step


Texts = Callable[[Json], Mapping[Field, str]]
"""The content of an attempt -> its texts by field."""
JUDGE = "model:"
"""How the name of a judge begins, as in `Finding.source`."""
_RULES = ("rule", "document")
"""Who says what a rule's own code found."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's word on one finding."""

    who: str
    """The rule, or `model:NAME`."""
    rule: str
    """What the finding was about: the same as `who` for a rule."""
    is_right: bool
    word: str
    """The same for the same decision of the same person about the same text, in whichever run it was repeated."""

    @property
    def key(self) -> int:
        """The same in 64 bits, and for each finding another."""
        digest = text_digest("\x00".join((self.word, self.who, self.rule))).removeprefix("sha256:")
        return int(digest[:16], 16) - (1 << 63)


def judgements(
    texts: Texts, attempts: Sequence[AttemptRecord], decisions: Sequence[EventRecord]
) -> Iterator[Judgement]:
    """What people said of the findings in one unit. Both lists hold all there are; what was taken back says nothing."""
    for decision in standing_decisions(decisions):
        earlier = [one for one in decisions if one.seq < decision.seq]
        draft = _judged(decision, attempts, earlier)
        if draft is None:
            continue
        said = (decision.data.get(name) for name in ("verdict", "by", "note"))
        word = text_digest("\x00".join(map(str, (draft.unit, draft.content_hash, *said))))
        for (who, rule), is_right in _verdicts(texts, decision, draft, attempts).items():
            yield Judgement(who, rule, is_right, word)


def _judged(
    decision: EventRecord, attempts: Sequence[AttemptRecord], earlier: Sequence[EventRecord]
) -> AttemptRecord | None:
    """Return the draft that the person saw."""
    before: Mapping[str, Any] = decision.data.get("before") or {}
    number = int(before.get("best_attempt", 0))
    if number == 0:
        until = int(decision.data.get("after_attempt", 0)) - (decision.data["verdict"] == "edit")
        best = History.of(attempts[:until], earlier).best
        number = best.number if best is not None else 0
    return attempts[number - 1] if 0 < number <= len(attempts) else None


def _verdicts(
    texts: Texts, decision: EventRecord, draft: AttemptRecord, attempts: Sequence[AttemptRecord]
) -> dict[tuple[str, str], bool]:
    """Who said what of which rule -> whether that was right; without those of whom nothing can be told."""
    verdict = decision.data["verdict"]
    spoken = dict.fromkeys((who, str(finding["rule"])) for finding in draft.findings for who in _speakers(finding))
    if verdict in ("accept", "reject", "drop"):
        return dict.fromkeys(spoken, verdict != "accept")
    edited = attempts[int(decision.data.get("after_attempt", 0)) - 1 :][:1]
    return {} if not edited else dict.fromkeys(_settled(texts, draft, edited[0]), True)


def _settled(texts_of: Texts, draft: AttemptRecord, edited: AttemptRecord) -> Iterator[tuple[str, str]]:
    """Rules that are silent about the edited text, and judges whose words in question are gone from it."""
    still = {str(finding["rule"]) for finding in edited.findings if finding["source"] in _RULES}
    texts = texts_of(edited.content) if edited.content is not None else {}
    by_speaker: dict[tuple[str, str], list[bool]] = {}
    for finding in draft.findings:
        for who in _speakers(finding):
            gone = str(finding["rule"]) not in still if not who.startswith(JUDGE) else _is_gone(finding, texts)
            by_speaker.setdefault((who, str(finding["rule"])), []).append(gone)
    return (speaker for speaker, gone in by_speaker.items() if all(gone))


def _is_gone(finding: Json, texts: Mapping[Field, str]) -> bool:
    """Whether the words that a judge objected to are no longer there: nobody asks judges about a person's text."""
    quote, field = finding.get("quote"), finding.get("field")
    if not quote:
        return False
    held = [texts[field]] if field in texts else list(texts.values())
    return not any(quote in text for text in held)


def _speakers(finding: Json) -> Iterable[str]:
    """Who said it: the rule, or every judge that agreed on it. Notes, crashes and people's own words do not count."""
    source = str(finding["source"])
    if finding["severity"] == "info" or finding["rule"] == CRASHED_RULE:
        return ()
    if source in _RULES:
        return (str(finding["rule"]),)
    if not source.startswith(JUDGE):
        return ()
    return tuple(f"{JUDGE}{name}" for name in source.removeprefix(JUDGE).split(","))
