"""Attempts, decisions and history: every draft that was tried, what people decided, and which draft is the best.

A decision is never deleted. An undo adds another event with the verdict `undo`, which names the decision by its `seq`.
A text that came with an undone decision stays among the attempts, but it is withdrawn: it is not used, not published
and not counted as a try.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self

from burnish.core.claims import Dismissal
from burnish.core.documents import Field, text_digest
from burnish.core.errors import StateCorrupt
from burnish.core.findings import BLOCKING, CRASHED_RULE, RULE_SOURCES, Finding
from burnish.core.records import AttemptRecord, EventRecord, Json, UnitRow, Usage

UNDO = "undo"
"""The verdict of an event that undoes a decision."""
DISMISS: Literal["dismiss"] = "dismiss"
"""The verdict of a decision on claims of rules: the unit is judged again without them."""
ADDING = ("edit", DISMISS)
"""The verdicts that add an attempt."""
REPORTED = ("verdict", "by", "note", "dismissals", "after_attempt", "reason_before")
"""The fields of a decision that reports show. The others are needed to undo it."""
KEPT = ("state", "reason", "best_attempt", "open_errors")
"""The fields of a unit's row that a decision changes and its undo restores. Attempts are only ever added."""


def is_undo(event: EventRecord) -> bool:
    return event.data.get("verdict") == UNDO


def undoings(events: Iterable[EventRecord]) -> dict[int, EventRecord]:
    """Map the `seq` of an undone decision to the event that undid it."""
    return {int(event.data["undoes"]): event for event in events if is_undo(event)}


def effective_decisions(events: Iterable[EventRecord]) -> tuple[EventRecord, ...]:
    """Return the decisions in effect, in order: without undone decisions and undo events. Other events in between are
    kept."""
    every = tuple(events)
    undone = undoings(every)
    return tuple(event for event in every if not is_undo(event) and event.seq not in undone) if undone else every


def rejections_in(decisions: Iterable[EventRecord]) -> tuple[int, ...]:
    """Return after which attempts a person sent the unit back, without undone decisions."""
    standing = effective_decisions(decisions)
    return tuple(int(each.data["after_attempt"]) for each in standing if each.data.get("verdict") == "reject")


def withdrawn_in(decisions: Iterable[EventRecord]) -> frozenset[int]:
    """Return the numbers of the attempts that came with a decision that was undone."""
    every = tuple(decisions)
    undone = undoings(every)
    edits = (each for each in every if each.seq in undone and each.data["verdict"] in ADDING)
    return frozenset(int(each.data["after_attempt"]) for each in edits)


def dismissals_in(decisions: Iterable[EventRecord]) -> tuple[Dismissal, ...]:
    """Return the claims that people dismissed, without undone decisions."""
    standing = effective_decisions(decisions)
    return tuple(Dismissal(**one) for each in standing for one in each.data.get("dismissals", ()))


def counted(attempts: Iterable[AttemptRecord], withdrawn: Collection[int]) -> tuple[AttemptRecord, ...]:
    """Return the attempts that are not withdrawn."""
    return tuple(attempt for attempt in attempts if attempt.number not in withdrawn)


def reported_decisions(decisions: Iterable[EventRecord]) -> list[dict[str, Any]]:
    """Return each decision as reports show it. An undone decision is included, with the person and time of the undo."""
    every = tuple(decisions)
    undone = undoings(every)
    records: list[dict[str, Any]] = []
    for decision in every:
        if not is_undo(decision):
            records.append(
                {name: decision.data[name] for name in REPORTED if name in decision.data} | {"at": decision.at}
            )
            if (undo := undone.get(decision.seq)) is not None:
                records[-1] |= {"undone_by": undo.data["by"], "undone_at": undo.at}
    return records


def row_before(row: UnitRow) -> dict[str, Any]:
    """Return the fields of a row that the undo of a decision needs."""
    return {name: getattr(row, name) for name in KEPT}


def restored(row: UnitRow, before: Mapping[str, Any]) -> UnitRow:
    """Return the row as it was before a decision; later attempts are kept."""
    return replace(row, **{name: before[name] for name in KEPT})


def findings_of(attempt: AttemptRecord) -> list[Finding]:
    return [Finding.from_record(dict(record)) for record in attempt.findings]


def blocking_rules(attempt: AttemptRecord) -> frozenset[str]:
    """Return the rules whose findings keep this attempt from being accepted."""
    return frozenset(record["rule"] for record in attempt.findings if record["severity"] in BLOCKING)


def open_errors(attempt: AttemptRecord) -> int:
    return sum(record["severity"] in BLOCKING for record in attempt.findings)


def kept_edits(attempts: Sequence[AttemptRecord], best: int) -> frozenset[int]:
    """Return the attempts whose edits are in the kept draft, number `best`, followed back from its text to the first.

    Recorded attempts never change, so later rollbacks are recognised by the current text.
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
    """Return the attempts whose edits were applied and later lost. A person's own text rolls back nothing."""
    if attempts and attempts[max(best, 1) - 1].cause == "person":
        return frozenset()
    return frozenset(one.number for one in attempts if _was_taken(one)) - kept_edits(attempts, best)


def _was_taken(attempt: AttemptRecord) -> bool:
    return bool(attempt.edits) and attempt.failure is None


class Decided:
    """Base class of objects with a unit's attempts and the decisions about it."""

    __slots__ = ()
    attempts: tuple[AttemptRecord, ...]
    decisions: tuple[EventRecord, ...]

    @property
    def effective_decisions(self) -> tuple[EventRecord, ...]:
        """The decisions in effect."""
        return effective_decisions(self.decisions)

    @property
    def counted_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: without withdrawn texts of people."""
        return counted(self.attempts, withdrawn_in(self.decisions)) if self.decisions else self.attempts


@dataclass(frozen=True, slots=True)
class History:
    """The attempts of one unit, 1..n."""

    attempts: tuple[AttemptRecord, ...] = ()
    rejections: tuple[int, ...] = ()
    """The attempts after which a person sent the unit back, in order."""
    withdrawn: frozenset[int] = frozenset()
    """The numbers of people's withdrawn texts. They stay attempts, but do not count."""

    @classmethod
    def of(cls, attempts: Iterable[AttemptRecord], decisions: Iterable[EventRecord]) -> Self:
        """Build the history from a unit's attempts and all `decision` events about it."""
        recorded = tuple(decisions)
        return cls(tuple(attempts), rejections_in(recorded), withdrawn_in(recorded))

    def __post_init__(self) -> None:
        if [attempt.number for attempt in self.attempts] != list(range(1, len(self.attempts) + 1)):
            raise StateCorrupt("The attempts of a unit are not numbered 1, 2, 3, ...")

    def with_attempt(self, attempt: AttemptRecord) -> History:
        return replace(self, attempts=(*self.attempts, attempt))

    def before(self, number: int) -> History:
        """Return the history as it was when attempt `number` was made."""
        rejections = tuple(after for after in self.rejections if after < number)
        return replace(self, attempts=self.attempts[: number - 1], rejections=rejections)

    @property
    def next_number(self) -> int:
        return len(self.attempts) + 1

    @property
    def counted(self) -> tuple[AttemptRecord, ...]:
        """The attempts that are not withdrawn."""
        return counted(self.attempts, self.withdrawn)

    @property
    def last(self) -> AttemptRecord | None:
        return next(reversed(self.counted), None)

    @property
    def since_rejection(self) -> tuple[AttemptRecord, ...]:
        """The attempts since a person last sent the unit back; all of them if that never happened."""
        return counted(self.attempts[self.rejections[-1] :] if self.rejections else self.attempts, self.withdrawn)

    @property
    def best(self) -> AttemptRecord | None:
        """Passed before failed, then fewest errors, then higher scores, then fewer findings, then the earlier one.

        With equally many errors, an attempt that failed (new errors for old ones, silent judges) is worse.

        A person's own text is final, the latest one first: it outranks everything else. A rejection ends that. Only the
        best draft before it remains a candidate, without its person's or passing rank, so that every later draft that
        passes is preferred.

        A safe fix replaces the draft that it fixed: code has proven that it settles a finding and raises none, and
        judges only see the fixed text. A review replaces what was said of the same text before: it knows more.
        """
        best: AttemptRecord | None = None
        since = 0
        fixed = {attempt.number - 1 for attempt in self.attempts if attempt.cause == "safe_fix"} | self._reviewed_anew
        for until in (*self.rejections, len(self.attempts)):
            tried = counted(self.attempts[since:until], self.withdrawn)
            drafts = [attempt for attempt in tried if attempt.number not in fixed]
            drafts = drafts if best is None else [best, *drafts]
            best = max(drafts, key=partial(_worth, rejected_until=since), default=None)
            since = until
        return best

    @property
    def _reviewed_anew(self) -> set[int]:
        """The attempts whose text was reviewed again later, by readers who gave an answer. A person's text is final."""
        last = {one.content_hash: one.number for one in self.counted if one.cause == "review" and one.failure is None}
        return {
            one.number for one in self.counted if one.cause != "person" and one.number < last.get(one.content_hash, 0)
        }

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
    """Return a state for every rule that ever failed. A rule trips if it failed in all attempts, at least `limit`."""
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
"""Maps the content of an attempt to its texts by field."""
JUDGE = "model:"
"""Prefix of a judge's name, as in `Finding.source`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's verdict on one finding."""

    who: str
    """The rule, or `model:NAME`."""
    rule: str
    """The rule of the finding; equal to `who` for a rule."""
    is_right: bool
    word: str
    """Identifies the decision: the same person, text and decision give the same value in every run."""

    @property
    def key(self) -> int:
        """A 64-bit key, different for each finding."""
        digest = text_digest("\x00".join((self.word, self.who, self.rule))).removeprefix("sha256:")
        return int(digest[:16], 16) - (1 << 63)


def answers(told: Iterable[EventRecord]) -> Iterator[Judgement]:
    """Yield what readers said of the claims of rules in one unit, from `claims_answered` events: each claim once, with
    the last answer."""
    last = {
        (one["rule"], one["unit"], one["claim"]): name == "upheld"
        for each in told
        for name in ("denied", "upheld")
        for one in each.data[name]
    }
    for (rule, unit, claim), is_right in last.items():
        yield Judgement(rule, rule, is_right, text_digest(f"{unit}\x00{claim}"))


def judgements(
    texts: Texts, attempts: Sequence[AttemptRecord], decisions: Sequence[EventRecord]
) -> Iterator[Judgement]:
    """Yield people's verdicts on the findings in one unit. The lists are complete; undone decisions are left out."""
    for decision in effective_decisions(decisions):
        earlier = [one for one in decisions if one.seq < decision.seq]
        draft = _judged(decision, attempts, earlier)
        if draft is None:
            continue
        fields = (decision.data.get(name) for name in ("verdict", "by", "note"))
        word = text_digest("\x00".join(map(str, (draft.unit, draft.content_hash, *fields))))
        for (who, rule), is_right in _verdicts(texts, decision, draft, attempts).items():
            yield Judgement(who, rule, is_right, word)


def _judged(
    decision: EventRecord, attempts: Sequence[AttemptRecord], earlier: Sequence[EventRecord]
) -> AttemptRecord | None:
    """Return the draft that the person judged."""
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
    """Return (speaker, rule) -> whether the finding was right; without findings whose verdict is unknown."""
    verdict = decision.data["verdict"]
    if verdict == DISMISS:
        return {(one["rule"], one["rule"]): False for one in decision.data["dismissals"]}
    if verdict == "reopen":
        return {}
    spoken = dict.fromkeys((who, str(finding["rule"])) for finding in draft.findings for who in _speakers(finding))
    if verdict in ("accept", "reject", "drop"):
        return dict.fromkeys(spoken, verdict != "accept")
    edited = attempts[int(decision.data.get("after_attempt", 0)) - 1 :][:1]
    return {} if not edited else dict.fromkeys(_settled(texts, draft, edited[0]), True)


def _settled(texts_of: Texts, draft: AttemptRecord, edited: AttemptRecord) -> Iterator[tuple[str, str]]:
    """Return rules without findings in the edited text, and judges whose quoted words are gone from it."""
    still = {str(finding["rule"]) for finding in edited.findings if finding["source"] in RULE_SOURCES}
    texts = texts_of(edited.content) if edited.content is not None else {}
    by_speaker: dict[tuple[str, str], list[bool]] = {}
    for finding in draft.findings:
        for who in _speakers(finding):
            gone = str(finding["rule"]) not in still if not who.startswith(JUDGE) else _is_gone(finding, texts)
            by_speaker.setdefault((who, str(finding["rule"])), []).append(gone)
    return (speaker for speaker, gone in by_speaker.items() if all(gone))


def _is_gone(finding: Json, texts: Mapping[Field, str]) -> bool:
    """Return whether the words that a judge objected to are gone. Judges are not asked about a person's text."""
    quote, field = finding.get("quote"), finding.get("field")
    if not quote:
        return False
    held = [texts[field]] if field in texts else list(texts.values())
    return not any(quote in text for text in held)


def _speakers(finding: Json) -> Iterable[str]:
    """Return who raised it: the rule, or all judges that agreed. Notes, crashes and people's own words do not count."""
    source = str(finding["source"])
    if finding["severity"] == "info" or finding["rule"] == CRASHED_RULE:
        return ()
    if source in RULE_SOURCES:
        return (str(finding["rule"]),)
    if not source.startswith(JUDGE):
        return ()
    return tuple(f"{JUDGE}{name}" for name in source.removeprefix(JUDGE).split(","))
