"""Judgements: what people's decisions say of the rules and the judges whose findings they decided on.

Who accepts a draft with a finding in it says that the finding was wrong. Who sends the draft back says that it was
right. Who edits says so too, where the edited text settles it; an edit that leaves it as it is says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.attempts import History
from burnish.core.decisions import standing_decisions
from burnish.core.documents import Field
from burnish.core.findings import CRASHED_RULE
from burnish.core.hashing import text_digest
from burnish.core.records import AttemptRecord, EventRecord, Json

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
        word = text_digest("\x00".join(map(str, (draft.unit, draft.content_hash, *_said(decision)))))
        verdicts = _verdicts(texts, decision, draft, attempts)
        for (who, rule), is_right in verdicts.items():
            yield Judgement(who, rule, is_right, word)


def _said(decision: EventRecord) -> tuple[object, ...]:
    return tuple(decision.data.get(name) for name in ("verdict", "by", "note"))


def _judged(
    decision: EventRecord, attempts: Sequence[AttemptRecord], earlier: Sequence[EventRecord]
) -> AttemptRecord | None:
    """The draft that the person saw."""
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
    if verdict in ("accept", "reject"):
        return dict.fromkeys(spoken, verdict == "reject")
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
