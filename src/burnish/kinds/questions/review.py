"""The review of one draft: rules, then readers who answer the rules' claims and object openly, then blind solvers.

What follows from all of it is decided in `core.objections` (the panel) and `solvers` (the key); the gate comes last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from burnish.core.checks import Examination, Selection
from burnish.core.claims import NO_DISMISSALS, Claim, Dismissals, claim_id, claims_of
from burnish.core.documents import Unit
from burnish.core.effects import Answer, Effect, ModelRequest, Request, ask_together
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.gate import Count, Scorecard, Verdict, judge
from burnish.core.kinds import Issue, Kind
from burnish.core.objections import Ballots, Decision, decide, questions
from burnish.kinds.questions import requests
from burnish.kinds.questions.key_check import BlindCheck, blind_asks
from burnish.kinds.questions.model import Question, question_of
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
ENOUGH = 2
"""So many solvers that choose the key alone make it unnecessary to ask the others (docs/design/deciding.md)."""
MOST_CLAIMS = 12
"""Claims of rules that a reader is asked about at once, errors first."""
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Review:
    """The result of reviewing one draft."""

    findings: tuple[Finding, ...]
    scores: dict[str, float]
    verdict: Verdict
    examination: Examination
    dropped: tuple[Dropped, ...] = ()
    """Claims of judges that failed verification or repeat another one, and claims of rules that readers dismissed."""
    silent: tuple[str, ...] = ()
    """Judges without a readable answer, with the reason."""
    unsolved: tuple[str, ...] = ()
    """Judges without a readable solution of the question, with the reason."""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What the review must know about how a draft came to be."""

    key_in_doubt: bool = False
    """A model's repair can have changed which option is right: it passes only if a solver is sure of the key."""
    not_solving: frozenset[str] = frozenset()
    """Models whose answer proves nothing: who wrote the repair, and who raised the doubt that moved the key."""
    dismissals: Dismissals = NO_DISMISSALS
    """The claims of rules that readers or people have dismissed."""
    findings: tuple[Finding, ...] = ()
    """Findings from comparison with other questions, and on the repair itself."""


SOURCE = Draft()


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews the questions of a document with its rules, context and judges."""

    kind: Kind
    selection: Selection
    context: object
    judges: tuple[str, ...] = ()
    """Models with one vote each; empty: rules only."""
    solves_all: bool = True
    """Whether judges solve every question blind, or only those whose key a repair put in doubt."""

    @property
    def examine(self) -> Callable[[Unit], Examination]:
        """Examine a unit by the rules alone."""
        return partial(self.kind.examine, selection=self.selection, context=self.context)

    def review(
        self, unit: Unit, draft: Draft = SOURCE, known: Examination | None = None
    ) -> Generator[Effect, Any, Review]:
        """Review one draft; `known` is its examination if that exists already."""
        examination = _settled(self.examine(unit) if known is None else known, draft)
        if self._is_repaired_unread(examination.findings):
            return self._verdict(examination, draft)
        panel = Panel(self, unit, claims_to_answer(examination.findings))
        question = question_of(unit)
        # Half of all true/false answers are right by chance: only a person may accept such a repair.
        solvable = question.type != "true_false" if draft.key_in_doubt else self.solves_all
        solvers = [judge for judge in self.judges if judge not in draft.not_solving and solvable]
        solving = Solving(question, solvers, is_optional=self.is_optional)
        yield from panel.read(solving)
        yield from solving.finish()
        review = self._verdict(examination, draft, panel, solving)
        away = [answer for answer in (*panel.answers, *solving.answers) if answer.away]
        if away and not review.verdict.passed and not any(finding.blocks for finding in review.findings):
            # The others do not suffice to decide, and a reviewer should not stand in for an unavailable model.
            raise away[0].as_outage()
        return review

    def _is_repaired_unread(self, findings: Sequence[Finding]) -> bool:
        """Whether no reader is paid: errors stand that no reader has to answer, or that no model can repair."""
        errors = [finding for finding in findings if finding.blocks]
        beyond = {*self.kind.fatal_rules, CRASHED_RULE}
        if any(finding.source == "document" or finding.rule in beyond for finding in errors):
            return True
        return bool(errors) and not any(map(is_open, errors))

    def glance(self, known: Examination, draft: Draft) -> Review:
        """A review by rules alone of a draft that is about to be replaced. The judges count as absent."""
        return self._verdict(_settled(known, draft), draft, absent=len(self.judges))

    @property
    def is_optional(self) -> bool:
        return len(self.judges) > FEWEST

    def _verdict(
        self,
        examination: Examination,
        draft: Draft,
        panel: Panel | None = None,
        solving: Solving | None = None,
        *,
        absent: int = 0,
    ) -> Review:
        """The review from rules, ballots and solutions; `absent` is the number of judges that were not asked."""
        decision = panel.decision if panel is not None else Decision()
        own = panel.answered(examination.findings, decision) if panel is not None else examination.findings
        blind = solving.check if solving is not None else None
        doubts = blind.findings(in_doubt=draft.key_in_doubt) if blind is not None else ()
        findings = (*own, *_new(decision.errors), *_new(decision.open), *_new(decision.doubts), *doubts)
        solved = blind is not None and blind.score is not None
        judged = replace(examination, findings=findings, unjudged={} if solved else examination.unjudged)
        scores = dict(self.kind.scores(judged, _count(decision) if decision.seats else None))
        if draft.key_in_doubt and blind is not None and blind.score is not None:
            scores[KEY] = blind.score
        card = Scorecard.of(scores)
        verdict = judge(card, findings, gate(decision.seats + absent, key_in_doubt=draft.key_in_doubt))
        held = tuple(dict.fromkeys(finding.rule for finding in findings if is_held(finding)))
        repeated = (Dropped(one, "duplicate") for one in decision.repeated)
        return Review(
            findings=findings,
            scores=dict(card.scores),
            verdict=Verdict(False, (*verdict.reasons, *held)) if held else verdict,
            examination=judged,
            dropped=(*(panel.dropped if panel is not None else ()), *repeated),
            silent=panel.silent if panel is not None else (),
            unsolved=solving.silent if solving is not None else (),
            calls=(*(panel.calls if panel is not None else ()), *(solving.calls if solving is not None else ())),
        )


HELD = "held"
"""In the data of a finding: a person decides, although it is no error that a model could repair."""


def is_held(finding: Finding) -> bool:
    return bool(finding.data.get(HELD))


def is_open(finding: Finding) -> bool:
    """Whether a rule's claim is doubtful and no reader has answered it yet: it is asked before it is repaired."""
    return (
        finding.source == "rule"
        and finding.standing == "doubtful"
        and not {"upheld_by", "unanswered"} & finding.data.keys()
    )


def _settled(examination: Examination, draft: Draft) -> Examination:
    """The examination with what is dismissed as information, and with the findings of the draft."""
    open_findings, dismissed = draft.dismissals.split(examination.findings)
    told = tuple(dismissed_as(finding, ("a reader",)) for finding in dismissed)
    return replace(examination, findings=(*open_findings, *draft.findings, *told))


def dismissed_as(finding: Finding, by: Sequence[str]) -> Finding:
    """A claim of a rule that readers denied: it stays among the findings, and informs only."""
    data = {**finding.data, "dismissed_by": list(by), "claim": claim_id(finding)}
    return replace(finding, severity="info", fix=None, data=data)


def claims_to_answer(findings: Sequence[Finding]) -> tuple[Claim, ...]:
    """The claims of rules that a reader of the question answers by number: what code cannot show, errors first."""
    asked = [
        finding
        for finding in findings
        if finding.source == "rule"
        and finding.standing in ("trusted", "doubtful")
        and finding.severity in ("error", "warning")
    ]
    return claims_of(sorted(asked, key=lambda one: not one.blocks))[:MOST_CLAIMS]


def _new(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Without what a rule claimed already: its own finding says who upholds it."""
    return tuple(finding for finding in findings if "of_rule" not in finding.data)


def _count(decision: Decision) -> Count[Issue]:
    return Count(decision.seats, decision.seats, decision.content, {})


def is_minor(finding: Finding) -> bool:
    """Whether an objection of one reader alone blocks nothing: a rule of style, as a warning, in words of its own."""
    judged = finding.rule in requests.JUDGED_RULES or finding.rule in requests.READERS_RULES
    return not finding.blocks and not judged


@dataclass(slots=True)
class Panel:
    """The readers of one draft: their ballots, and what one of them alone objects to, put to another."""

    reviewer: Reviewer
    unit: Unit
    claims: tuple[Claim, ...]
    answers: list[Answer] = field(default_factory=list)
    ballots: list[Ballot] = field(default_factory=list)
    denied: dict[int, list[str]] = field(default_factory=dict)
    """Objection of one reader (by identity) -> who denies it."""
    _more_calls: tuple[str, ...] = ()

    def read(self, solving: Solving) -> Generator[Effect, Any, None]:
        """Ask every judge, and the first solver at the same time."""
        question = question_of(self.unit)
        ask = requests.review_ask(question, self.reviewer.selection, [claim.finding for claim in self.claims])
        seats = self.reviewer.judges if ask is not None else ()  # its author may ignore all that a reader could say
        asked = [ModelRequest(ask, model, self.reviewer.is_optional) for model in seats if ask is not None]
        answers = yield from readable_answers([*asked, *solving.next_requests()])
        solving.take(answers[len(asked) :])
        self.answers = answers[: len(asked)]
        self.ballots = list((yield from self._placed_ballots(asked)))
        yield from self._ask_others(question)

    def _placed_ballots(self, asked: Sequence[ModelRequest]) -> Generator[Effect, Any, tuple[Ballot, ...]]:
        """The ballot of each judge. A judge whose objection quotes words that are not in the draft is asked once more;
        what it repeats counts without a place, so that no objection is lost because of a misquote."""
        ballots = [self._ballot(answer) for answer in self.answers]
        astray = [place for place, ballot in enumerate(ballots) if ballot.unplaced]
        again = [replace(asked[place], ask=_roomier(asked[place].ask, 2 * MORE_ROOM)) for place in astray]
        for place, answer in zip(astray, (yield from ask_together(again)), strict=True):
            first, second = self.answers[place], self._ballot(answer)
            ballot = ballots[place] if second.findings is None else second
            both = replace(ballot.answer, calls=(*first.calls, *answer.calls), usage=first.usage + answer.usage)
            self.answers[place] = both
            ballots[place] = replace(ballot, answer=both).counting_unplaced()
        return tuple(ballots)

    def _ballot(self, answer: Answer, claims: Sequence[Finding] | None = None) -> Ballot:
        """What a reader says. `claims`: what it was asked about; None: the claims of rules."""
        question, reply = question_of(self.unit), cast("QuestionReviewReply | None", answer.reply)
        item = requests.reviewed_item(question, reply) if reply is not None else None
        if item is None:
            failure = answer.failure or f"{UNREADABLE}: it says nothing of the question"
            return Ballot(replace(answer, failure=failure), None, ())
        source = f"model:{answer.model}"
        claimed = requests.objections(question, item, self.reviewer.selection, source)
        held, dropped = _verified(self.unit, claimed)
        asked = [claim.finding for claim in self.claims] if claims is None else claims
        said = _answers_by_number(item.claims, asked)
        upheld = [
            replace(asked[number], source=source, data={**asked[number].data, "of_rule": number})
            if claims is None
            else replace(asked[number], source=source)
            for number, is_upheld in said.items()
            if is_upheld
        ]
        return Ballot(answer, (*held, *upheld), tuple(dropped), said)

    def _ask_others(self, question: Question) -> Generator[Effect, Any, None]:
        """Put to another seat what one alone objects to."""
        put = questions(self._raised, is_minor=is_minor)
        asked = [
            ModelRequest(requests.answer_ask(question, claims), self.ballots[seat].answer.model, is_optional=True)
            for seat, claims in put.items()
        ]
        for (seat, claims), answer in zip(put.items(), (yield from readable_answers(asked)), strict=True):
            self._more_calls += answer.calls
            second, first = self._ballot(answer, claims), self.ballots[seat]
            if second.findings is None:
                continue
            said = {_words_of(one) for one in first.findings or ()}
            more = tuple(one for one in second.findings if _words_of(one) not in said)
            self.ballots[seat] = replace(
                first, findings=(*(first.findings or ()), *more), dropped=(*first.dropped, *second.dropped)
            )
            for number, is_upheld in second.answers.items():
                if not is_upheld:
                    self.denied.setdefault(id(claims[number]), []).append(answer.model)

    @property
    def _raised(self) -> Ballots:
        return [ballot.raised for ballot in self.ballots]

    @property
    def decision(self) -> Decision:
        """What the panel decides. An open objection is held for a person and says who denies it."""
        known = {id(one): one for ballot in self.ballots for one in ballot.findings or ()}
        decided = decide(self._raised, is_minor=lambda one: is_minor(one) or "of_rule" in one.data)
        denied = {_words_of(one): self.denied.get(key, []) for key, one in known.items()}
        held = (
            replace(one, data={**one.data, HELD: True, "denied_by": denied.get(_words_of(one), [])})
            for one in decided.open
        )
        return replace(decided, open=tuple(held))

    def answered(self, findings: Sequence[Finding], decision: Decision) -> tuple[Finding, ...]:
        """The rules' findings with what the readers answered: upheld, dismissed, or not answered."""
        by_finding = {id(one): claim.number - 1 for claim in self.claims for one in claim.findings}
        majority = {one.data["of_rule"] for one in decision.errors if "of_rule" in one.data}
        return tuple(
            self._answered(finding, by_finding[id(finding)], majority) if id(finding) in by_finding else finding
            for finding in findings
        )

    def _answered(self, finding: Finding, number: int, majority: set[int]) -> Finding:
        said = {b.answer.model: b.answers[number] for b in self.ballots if number in b.answers}
        upheld = [model for model, is_upheld in said.items() if is_upheld]
        if not said:
            return replace(finding, data={**finding.data, "unanswered": True}) if finding.blocks else finding
        if not upheld:
            return dismissed_as(finding, list(said))
        severity = "error" if number in majority and not finding.blocks else finding.severity
        return replace(finding, severity=severity, data={**finding.data, "upheld_by": upheld, "asked": len(said)})

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        return tuple(dropped for ballot in self.ballots for dropped in ballot.dropped)

    @property
    def silent(self) -> tuple[str, ...]:
        return tuple(f"{b.answer.model}: {b.answer.failure}" for b in self.ballots if b.answer.failure)

    @property
    def calls(self) -> tuple[str, ...]:
        return (*(call for answer in self.answers for call in answer.calls), *self._more_calls)


def _words_of(finding: Finding) -> tuple[object, ...]:
    return (finding.source, finding.rule, finding.field, finding.quote, finding.message)


def _answers_by_number(given: Sequence[Any], asked: Sequence[Finding]) -> dict[int, bool]:
    """Index of a claim -> whether the reader upholds it. A claim is named by its number, or by its rule."""
    said: dict[int, bool] = {}
    for one in given:
        number = NUMBER.search(one.claim)
        places = [int(number[0]) - 1] if number else [n for n, claim in enumerate(asked) if claim.rule == one.claim]
        for place in places if len(places) == 1 else ():
            if 0 <= place < len(asked):
                said[place] = one.upheld
    return said


def _verified(unit: Unit, claimed: Sequence[Finding]) -> tuple[list[Finding], list[Dropped]]:
    """The objections that hold, with their places. Several `other` about one field are different objections."""
    held: dict[object, Finding] = {}
    dropped: list[Dropped] = []
    for claim in claimed:
        good, bad = verify(unit, [claim], rules={claim.rule})
        dropped += bad
        for one in good:
            words = (one.quote, one.message) if one.rule == requests.OTHER else None
            if held.setdefault((one.rule, one.field, words), one) is not one:
                dropped.append(Dropped(claim, "duplicate"))
    return list(held.values()), dropped


@dataclass(slots=True)
class Solving:
    """Blind solvers, one after the other, until no answer can change what is said about the key."""

    question: Question
    solvers: Sequence[str]
    is_optional: bool = False
    answers: list[Answer] = field(default_factory=list)
    asked: int = 0
    """How many of the solvers were asked."""

    def next_requests(self) -> list[ModelRequest]:
        """The requests to the next solver; none if there is nobody left, or nothing to find out."""
        if self.asked >= len(self.solvers):
            return []
        return [ModelRequest(ask, self.solvers[self.asked], self.is_optional) for ask in blind_asks(self.question)]

    def take(self, answers: Sequence[Answer]) -> None:
        self.answers += answers
        self.asked += 1

    def finish(self) -> Generator[Effect, Any, None]:
        while not self.check.is_settled(len(self.solvers) - self.asked, ENOUGH):
            asked = self.next_requests()
            if not asked:
                break
            self.take((yield from readable_answers(asked)))

    @property
    def check(self) -> BlindCheck:
        return BlindCheck.of(self.question, self.answers)

    @property
    def silent(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(f"{answer.model}: {answer.failure}" for answer in self.answers if answer.failure))

    @property
    def calls(self) -> tuple[str, ...]:
        return tuple(call for answer in self.answers for call in answer.calls)


def readable_answers(requests: Sequence[ModelRequest]) -> Generator[Effect, Any, list[Answer]]:
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
    """The verified objections of one judge; None if its answer was unreadable."""

    answer: Answer
    findings: tuple[Finding, ...] | None
    dropped: tuple[Dropped, ...]
    answers: dict[int, bool] = field(default_factory=dict)
    """Index of a claim that the judge was asked about -> whether it upholds it."""

    @property
    def unplaced(self) -> tuple[Dropped, ...]:
        """Objections whose quoted words are not in the question."""
        return tuple(one for one in self.dropped if not is_minor(one.finding) and one.reason in UNPLACED)

    def counting_unplaced(self) -> Ballot:
        """The same ballot with the unplaced objections among its findings, so that a person sees them."""
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

    @property
    def raised(self) -> tuple[Finding, ...] | None:
        """What the judge objects to; None if it abstains.

        A judge abstains if none of its objections could be verified: it found no fault, but did not approve either.
        """
        lost = [dropped for dropped in self.dropped if dropped.reason != "duplicate"]
        return None if lost and not self.findings else self.findings
