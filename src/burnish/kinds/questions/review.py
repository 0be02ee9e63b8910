"""The review of one draft: rules first, judges only if no rule reports an error, then the gate."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from burnish.core.checks import Examination, Selection
from burnish.core.documents import Unit
from burnish.core.effects import Answer, Effect, ModelRequest, Request, ask_together
from burnish.core.findings import Finding
from burnish.core.gate import Count, Scorecard, Verdict, count_votes, judge
from burnish.core.kinds import Issue, Kind
from burnish.kinds.questions import requests
from burnish.kinds.questions.key_check import BlindCheck, blind_asks
from burnish.kinds.questions.model import question_of
from burnish.kinds.questions.policy import KEY, gate
from burnish.text.quotes import Dropped, verify

if TYPE_CHECKING:
    from burnish.core.replies import QuestionReviewReply

UNREADABLE = "reply_unreadable"
MORE_ROOM = 200
"""Extra tokens for the second try after an unreadable answer."""
UNPLACED = ("quote_not_found", "no_quote", "unknown_field")
LONGEST_MISQUOTE = 120
FEWEST = 2
"""Judges that suffice for a decision: if there are more, one that is unavailable can be skipped."""


@dataclass(frozen=True, slots=True)
class Review:
    """The result of reviewing one draft."""

    findings: tuple[Finding, ...]
    scores: dict[str, float]
    verdict: Verdict
    examination: Examination
    dropped: tuple[Dropped, ...] = ()
    """Claims of judges that failed verification or were outvoted."""
    silent: tuple[str, ...] = ()
    """Judges without a readable answer, with the reason."""
    unsolved: tuple[str, ...] = ()
    """Judges without a readable solution of the question, with the reason."""
    objections: Count[Issue] | None = None
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews the questions of a document with its rules, context and judges."""

    kind: Kind
    selection: Selection
    context: object
    judges: tuple[str, ...] = ()
    """Models with one vote each; empty: rules only."""
    corrector: str | None = None
    """The model that offers edits. It does not solve questions blind, because it may have written them."""
    solves_all: bool = True
    """Whether judges solve every question blind, or only those whose key a repair put in doubt."""

    @property
    def examine(self) -> Callable[[Unit], Examination]:
        """Examine a unit by the rules alone."""
        return partial(self.kind.examine, selection=self.selection, context=self.context)

    def review(
        self,
        unit: Unit,
        neighbour_findings: Sequence[Finding] = (),
        known: Examination | None = None,
        *,
        key_in_doubt: bool = False,
    ) -> Generator[Effect, Any, Review]:
        """Review one draft; `known` is its examination if that exists already.

        Every judge reports faults; those of another model than the corrector also solve the question blind. If a
        repair put the key in doubt, the draft passes only if all of them choose the key.
        """
        examination = self.examine(unit) if known is None else known
        examination = replace(examination, findings=(*examination.findings, *neighbour_findings))
        if any(finding.blocks for finding in examination.findings):
            return self._verdict(examination, ())
        question, ask = question_of(unit), self._ask(unit)
        optional = len(self.judges) > FEWEST
        reviews = [ModelRequest(ask, model, optional) for model in self.judges] if ask is not None else []
        # Half of all true/false answers are right by chance: only a person may accept such a repair.
        solvable = question.type != "true_false" if key_in_doubt else self.solves_all
        others = [judge for judge in self.judges if judge != self.corrector and solvable]
        solving = [ModelRequest(ask, model, optional) for model in others for ask in blind_asks(question)]
        answers = yield from _readable_answers([*reviews, *solving])
        ballots = yield from self._ballots(unit, reviews, answers[: len(reviews)])
        solved = answers[len(reviews) :]
        review = self._verdict(examination, ballots, BlindCheck.of(question, solved), key_in_doubt=key_in_doubt)
        silent = tuple(dict.fromkeys(f"{a.model}: {a.failure}" for a in solved if a.failure))
        calls = tuple(call for answer in solved for call in answer.calls)
        review = replace(review, unsolved=silent, calls=(*review.calls, *calls))
        away = [answer for answer in answers if answer.away]
        if away and not review.verdict.passed and not any(finding.blocks for finding in review.findings):
            # The others do not suffice to decide, and a reviewer should not stand in for an unavailable model.
            raise away[0].as_outage()
        return review

    def glance(self, unit: Unit, neighbour_findings: Sequence[Finding], known: Examination) -> Review:
        """A review by rules alone of a draft that is about to be replaced. The judges count as absent."""
        absent = len(self.judges) if self._ask(unit) is not None else 0
        return self._verdict(replace(known, findings=(*known.findings, *neighbour_findings)), (), absent=absent)

    def _ask(self, unit: Unit) -> Request | None:
        return requests.review_ask(question_of(unit), self.selection) if self.judges else None

    def _ballots(
        self, unit: Unit, requests: Sequence[ModelRequest], answers: Sequence[Answer]
    ) -> Generator[Effect, Any, tuple[Ballot, ...]]:
        """The ballot of each judge. A judge whose error quotes words that are not in the draft is asked once more; what
        it repeats counts without a place, so that no error is lost because of a misquote."""
        ballots = [self._ballot(unit, answer) for answer in answers]
        astray = [place for place, ballot in enumerate(ballots) if ballot.unplaced]
        again = [replace(requests[place], ask=_roomier(requests[place].ask, 2 * MORE_ROOM)) for place in astray]
        for place, answer in zip(astray, (yield from ask_together(again)), strict=True):
            first, second = answers[place], self._ballot(unit, answer)
            ballot = ballots[place] if second.findings is None else second
            both = replace(ballot.answer, calls=(*first.calls, *answer.calls), usage=first.usage + answer.usage)
            ballots[place] = replace(ballot, answer=both).counting_unplaced()
        return tuple(ballots)

    def _ballot(self, unit: Unit, answer: Answer) -> Ballot:
        if answer.reply is None:
            return Ballot(answer, None, ())
        source = f"model:{answer.model}"
        question, reply = question_of(unit), cast("QuestionReviewReply", answer.reply)
        item = requests.reviewed_item(question, reply)
        if item is None:
            return Ballot(replace(answer, failure=f"{UNREADABLE}: it says nothing of the question"), None, ())
        claimed = requests.objections(question, item, self.selection, source)
        held, dropped = verify(unit, claimed, rules={finding.rule for finding in claimed})
        return Ballot(answer, tuple(held), tuple(dropped))

    def _verdict(
        self,
        examination: Examination,
        ballots: tuple[Ballot, ...],
        blind: BlindCheck | None = None,
        *,
        key_in_doubt: bool = False,
        absent: int = 0,
    ) -> Review:
        """The review from findings and ballots; `absent` is the number of judges that were not asked."""
        objections = _count(ballots, blocking=True) if ballots else None
        upheld, outvoted = _majority(ballots)
        doubts = blind.findings(in_doubt=key_in_doubt) if blind is not None else ()
        findings = (*examination.findings, *upheld, *doubts)
        solved = blind is not None and blind.score is not None
        judged = replace(examination, findings=findings, unjudged={} if solved else examination.unjudged)
        scores = dict(self.kind.scores(judged, objections))
        if key_in_doubt and blind is not None and blind.score is not None:
            scores[KEY] = blind.score
        card = Scorecard.of(scores)
        judges = len(ballots) + absent
        return Review(
            findings=findings,
            scores=dict(card.scores),
            verdict=judge(card, findings, gate(judges, key_in_doubt=key_in_doubt)),
            examination=judged,
            dropped=(*(dropped for ballot in ballots for dropped in ballot.dropped), *outvoted),
            silent=tuple(f"{b.answer.model}: {b.answer.failure}" for b in ballots if b.answer.failure),
            objections=objections,
            calls=tuple(call for ballot in ballots for call in ballot.answer.calls),
        )


def _readable_answers(requests: Sequence[ModelRequest]) -> Generator[Effect, Any, list[Answer]]:
    """The answers of the judges. A judge with an unreadable answer is asked once more before a person has to look."""
    answers = list((yield from ask_together(requests)))
    garbled = [place for place, answer in enumerate(answers) if (answer.failure or "").startswith(UNREADABLE)]
    again = [replace(requests[place], ask=_roomier(requests[place].ask)) for place in garbled]
    for place, answer in zip(garbled, (yield from ask_together(again)), strict=True):
        first = answers[place]
        answers[place] = replace(answer, calls=(*first.calls, *answer.calls), usage=first.usage + answer.usage)
    return answers


def _roomier(ask: Request, more: int = MORE_ROOM) -> Request:
    """The same request with more tokens, which also makes it a different call."""
    return replace(ask, max_tokens=ask.max_tokens + more)


@dataclass(frozen=True, slots=True)
class Ballot:
    """The verified findings of one judge; None if its answer was unreadable."""

    answer: Answer
    findings: tuple[Finding, ...] | None
    dropped: tuple[Dropped, ...]

    @property
    def unplaced(self) -> tuple[Dropped, ...]:
        """Errors whose quoted words are not in the question."""
        return tuple(one for one in self.dropped if one.finding.blocks and one.reason in UNPLACED)

    def counting_unplaced(self) -> Ballot:
        """The same ballot with the unplaced errors among its findings, so that a person sees them."""
        found = []
        for finding in (one.finding for one in self.unplaced):
            quote = " ".join((finding.quote or "").split())[:LONGEST_MISQUOTE]
            why = (
                f"The judge quotes words that are not in the question: {quote!r}."
                if quote
                else "The judge quotes nothing."
            )
            found.append(replace(finding, field=None, quote=None, message=f"{finding.message} ({why})"))
        rest = tuple(one for one in self.dropped if one not in self.unplaced)
        return replace(self, findings=(*(self.findings or ()), *found), dropped=rest)

    def issues(self, *, blocking: bool) -> frozenset[Issue] | None:
        """The issues that the judge raises; None if it abstains.

        A judge abstains if none of its objections could be verified: it found no fault, but did not approve either.
        """
        if self.findings is None:
            return None
        raised = frozenset(_issue(finding) for finding in self.findings if finding.blocks or not blocking)
        # Whether the judge objected, and no objection (or none that blocks) could be used.
        lost = [dropped.finding for dropped in self.dropped if dropped.reason != "duplicate"]
        in_vain = any(finding.blocks for finding in lost) or (bool(lost) and not self.findings)
        return None if in_vain and not raised else raised


def _count(ballots: Sequence[Ballot], *, blocking: bool) -> Count[Issue]:
    return count_votes([ballot.issues(blocking=blocking) for ballot in ballots])


def _majority(ballots: Sequence[Ballot]) -> tuple[tuple[Finding, ...], tuple[Dropped, ...]]:
    """The findings that more than half of the judges raise, as the first judge worded them; and the rest."""
    upheld = set(_count(ballots, blocking=False).upheld)
    first: dict[Issue, Finding] = {}
    rest: list[Dropped] = []
    for finding in (finding for ballot in ballots for finding in ballot.findings or ()):
        if _issue(finding) not in upheld:
            rest.append(Dropped(finding, "outvoted"))
        elif first.setdefault(_issue(finding), finding) is not finding:
            rest.append(Dropped(finding, "duplicate"))
    return tuple(first.values()), tuple(rest)


def _issue(finding: Finding) -> Issue:
    """Judges vote on the rule: three who object to the same thing in three options agree."""
    return (finding.rule, None)
