"""Phase D: rules, model reviewers and critics look at the candidate; their rows become one verdict a paragraph.

Rules cost nothing and come first, their safe fixes too. Where models are configured, two reviewers and the critics look
at the same paragraphs together: critics see the candidate with its line numbers, after a rework only what changed and
its neighbours.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from burnish.core.checks import Examination
from burnish.core.edits import receipt
from burnish.core.effects import Ask, Blocker, Effect, Keep, ModelRequest, Note, Outcome, Settled, Stop, Work
from burnish.core.records import Usage
from burnish.core.replies import CriticReply, TranslationReviewReply
from burnish.core.requests import Answer
from burnish.core.safe_fixes import apply_safe_fixes
from burnish.core.tasks import Environment, Item, Surroundings
from burnish.kinds.manuscripts.block_fit import placement
from burnish.kinds.manuscripts.document_facts import FOREIGN, dropped
from burnish.kinds.manuscripts.findings import Examine, findings_of_issues
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import ASSEMBLED, FAILED, IN_REVIEW, MANUAL, QUEUED, READY
from burnish.kinds.manuscripts.progress import ROOM, Past, draft_of, is_better, paragraph_of, past_of
from burnish.kinds.manuscripts.requests import critic_ask, review_ask
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import (
    FIDELITY_REVIEWER,
    GRAMMAR_REVIEWER,
    LineMap,
    Placement,
    Reviewed,
    ReviewIssue,
    ReviewRow,
    Unmapped,
    critic_named,
    row_of_findings,
    rows_of_critic,
    rows_of_review,
    unread_rows,
)
from burnish.kinds.manuscripts.verdict import Decision, Verdict, aggregate, next_state

FEWEST = 2
"""Judges that decide without another: where more are named, one that is away can be done without."""
AT_ONCE = 50
"""Paragraphs that rules alone look at in one transaction."""


@dataclass(slots=True)
class Seen:
    """One paragraph while it is reviewed."""

    item: Item
    paragraph: Paragraph
    """As it stands after safe fixes."""
    examination: Examination
    drafts: list[Keep]
    rows: list[ReviewRow] = field(default_factory=list)
    dropped: list[tuple[str, ReviewIssue]] = field(default_factory=list)
    """What nobody acts on, each with the reason."""
    usage: Usage = field(default_factory=Usage)
    calls: list[str] = field(default_factory=list)
    away: dict[str, str] = field(default_factory=dict)
    """Judge -> why it gave no answer, where the others did without it. Note with the first paragraph of a batch."""


@dataclass(frozen=True, slots=True)
class Question:
    """What one reviewer or critic is asked about a batch."""

    reviewer: str
    named: str
    """The same with its model, where several judge."""
    window: Sequence[Placement]
    """What a critic is shown; empty for a reviewer."""
    request: ModelRequest

    @property
    def key(self) -> tuple[str, str]:
        return self.reviewer, self.request.model


@dataclass(frozen=True)
class Reviewing:
    """The reviewers and the gate."""

    equipment: Equipment
    env: Environment
    examine: Examine
    name: str = "review"
    takes: tuple[str, ...] = (ASSEMBLED, IN_REVIEW)
    gathers: bool = False
    moves: tuple[str, ...] = ()
    room: int = ROOM

    @property
    def _reviewers(self) -> tuple[str, ...]:
        """The models that review: the judges, or the one model that there is."""
        single = self.env.roles.of("reviewer")
        return self.env.roles.judges or ((single,) if single else ())

    @property
    def _critic(self) -> str | None:
        return self.env.roles.of("critic")

    @property
    def pays(self) -> bool:
        return bool(self._reviewers or (self._critic and self.equipment.critics))

    @property
    def enters(self) -> str | None:
        return IN_REVIEW if self.pays else None

    @property
    def size(self) -> int:
        return self.equipment.terms.batch if self.pays else AT_ONCE

    def weight(self, item: Item) -> int:
        return len(draft_of(item).text)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        seen = [self._looked_at(item) for item in items]
        unmapped: list[tuple[str, Unmapped]] = []
        if self.pays:
            yield from self._ask(seen, around, unmapped)
        return Outcome(
            tuple(self._settled(one) for one in seen),
            tuple(_blocker(key, each) for key, each in unmapped),
        )

    def _looked_at(self, item: Item) -> Seen:
        """What the rules say, after their safe fixes; and what other tools said of the very first candidate."""
        paragraph = draft_of(item)
        seen = Seen(item, paragraph, self.examine(paragraph), [])
        # What readers get is rendered from the Latin text: a fix of the one alone would be lost with the next.
        if paragraph.latin is None:
            self._mend(seen)
        judged, rules_only = seen.examination, self.equipment.terms.rules_only
        seen.rows.append(row_of_findings(paragraph.id, judged.findings, judged.unjudged, rules_only=rules_only))
        seen.rows += self._foreign(draft_of(item))
        return seen

    def _mend(self, seen: Seen) -> None:
        mending = apply_safe_fixes(seen.paragraph, seen.examination, self.examine)
        if not mending.settled:
            return
        fixed = paragraph_of(mending.unit)
        proof = receipt(seen.paragraph, fixed, [finding.rule for finding in mending.settled])
        edits = tuple(asdict(edit) for edit in mending.edits)
        seen.drafts.append(Keep(fixed, "safe_fix", edits=edits, receipt=proof.as_record()))
        seen.paragraph, seen.examination = fixed, mending.examination

    def _foreign(self, paragraph: Paragraph) -> list[ReviewRow]:
        """What other tools found in this very text. Once it is another one, that is settled, or for them to say."""
        found = self.env.facts.get(FOREIGN, {}).get(paragraph.id)
        if found is None or found["content_hash"] != paragraph.content_hash:
            return []
        return [ReviewRow.from_wire(wire) for wire in found["rows"]]

    # -- models

    def _ask(
        self, seen: Sequence[Seen], around: Surroundings, unmapped: list[tuple[str, Unmapped]]
    ) -> Generator[Effect, Any, None]:
        """All reviewers and critics at once; whoever is refused an answer over what one paragraph holds is asked about
        each of them alone."""
        refused: set[tuple[str, str]] = set()
        yield from self._heard(seen, self._questions(seen, around), around, unmapped, refused)
        for one in seen if refused else ():
            alone = [each for each in self._questions([one], around) if each.key in refused]
            yield from self._heard([one], alone, around, unmapped, set())

    def _heard(
        self,
        seen: Sequence[Seen],
        questions: Sequence[Question],
        around: Surroundings,
        unmapped: list[tuple[str, Unmapped]],
        refused: set[tuple[str, str]],
    ) -> Generator[Effect, Any, None]:
        answers: tuple[Answer, ...] = yield Ask(tuple(each.request for each in questions))
        self._refuse_too_few(questions, answers)
        for question, answer in zip(questions, answers, strict=True):
            if answer.away:
                seen[0].away[answer.model] = str(answer.failure)
                continue
            if answer.refused and len(seen) > 1:
                refused.add(question.key)
                continue
            told = self._read(question, answer, [one.paragraph for one in seen])
            self._file(told, seen, answer)
            place = f"{seen[0].item.row.position:08}:{seen[0].item.row.attempts:04}:{question.named}"
            unmapped += [(f"{place}:{at:04}", one) for at, one in enumerate(told.unmapped)]
            unmapped += self._beside(told, seen, around)

    def _refuse_too_few(self, questions: Sequence[Question], answers: Sequence[Answer]) -> None:
        """A third judge can do without one that is away; fewer than two decide nothing."""
        away = {answer.model: answer for answer in answers if answer.away}
        if len({*self._reviewers} - away.keys()) < min(FEWEST, len(self._reviewers)):
            raise next(iter(away.values())).as_outage()

    def _questions(self, seen: Sequence[Seen], around: Surroundings) -> list[Question]:
        paragraphs = [one.paragraph for one in seen]
        several = len(self._reviewers) > 1
        found = [
            Question(
                reviewer,
                f"{reviewer}:{model}" if several else reviewer,
                (),
                ModelRequest(
                    review_ask(paragraphs, self.equipment.commission, reviewer), model, len(self._reviewers) > FEWEST
                ),
            )
            for model in self._reviewers
            for reviewer in (GRAMMAR_REVIEWER, FIDELITY_REVIEWER)
        ]
        window = self._window(seen, around) if self._critic else []
        if window:
            found += [Question(critic_named(n), critic_named(n), window, asked) for n, asked in self._critics(window)]
        return found

    def _critics(self, window: Sequence[Placement]) -> Iterable[tuple[str, ModelRequest]]:
        commission = self.equipment.commission
        assert self._critic is not None
        for critic in self.equipment.critics:
            instructions = critic.instructions(*commission.languages().values())
            yield critic.name, ModelRequest(critic_ask(critic.name, instructions, window, commission), self._critic)

    def _window(self, seen: Sequence[Seen], around: Surroundings) -> list[Placement]:
        """The candidate as critics see it: the paragraphs of the batch, and the neighbours of those that were reviewed
        before. One window for all: each would be paid with the instructions of every critic. Lines that are left out
        show by their numbers."""
        shown: dict[int, Placement] = {}
        for one in seen:
            before, after = around.beside(one.item.row, 1, 1) if past_of(one.item).reviews else ([], [])
            for unit in (*before, *after, one.paragraph):
                place = placement(paragraph_of(unit), self.env.facts)
                if place is not None:
                    shown[place.start_line] = place
        return [place for _, place in sorted(shown.items())]

    def _read(self, question: Question, answer: Answer, paragraphs: Sequence[Paragraph]) -> Reviewed:
        reply, window = answer.reply, question.window
        if window:
            texts = {paragraph.id: paragraph.translation for paragraph in paragraphs}
            if isinstance(reply, CriticReply):
                return rows_of_critic(reply, LineMap(window), texts, question.named)
            ids = [place.paragraph_id for place in window]
            return Reviewed(unread_rows(ids, question.named, str(answer.failure)))
        if isinstance(reply, TranslationReviewReply):
            told = rows_of_review(reply, paragraphs, question.reviewer)
        else:
            ids = [paragraph.id for paragraph in paragraphs]
            told = Reviewed(unread_rows(ids, question.reviewer, str(answer.failure)))
        return told if question.named == question.reviewer else _renamed(told, question.named)

    def _file(self, told: Reviewed, seen: Sequence[Seen], answer: Answer) -> None:
        by_id = {one.paragraph.id: one for one in seen}
        for row in told.rows:
            if row.paragraph_id in by_id:
                by_id[row.paragraph_id].rows.append(row)
                by_id[row.paragraph_id].calls += answer.calls
        seen[0].usage += answer.usage
        seen[0].dropped += [("self_refuting", issue) for issue in told.dropped]

    def _beside(self, told: Reviewed, seen: Sequence[Seen], around: Surroundings) -> Iterator[tuple[str, Unmapped]]:
        """What critics say about neighbours. One that is still under way has a review of its own. What would block one
        that has passed is a person's: nobody sends it back unasked, and nobody forgets it."""
        ours = {one.paragraph.id for one in seen}
        for row in told.rows:
            for issue in row.issues if row.paragraph_id not in ours else ():
                if issue.blocks and around.is_settled(row.paragraph_id):
                    key = f"beside:{row.paragraph_id}:{issue.category}:{issue.quote or issue.line or ''}"
                    yield key, Unmapped(issue, f"It is about {row.paragraph_id}, which has passed its own review.")
                else:
                    seen[0].dropped.append(("about_neighbour", issue))

    # -- the gate

    def _settled(self, one: Seen) -> Settled:
        past = past_of(one.item)
        verdict = aggregate(one.rows)
        decision = next_state(
            verdict,
            past.hard_reasons,
            attempt=past.attempt,
            max_attempts=self.equipment.terms.max_attempts,
            stale_source=one.paragraph.source_hash != one.item.row.content_hash,
            missing_artifact=verdict.only_missing,
        )
        return Settled(
            one.paragraph.id,
            _stops(verdict, decision, entered=self.pays),
            (*one.drafts, self._review(one, verdict, past)),
            (
                *(Note("finding_dropped", one.paragraph.id, dropped(why, issue)) for why, issue in one.dropped),
                *(Note("model_degraded", one.paragraph.id, {"silent": [f"{j}: {why}"]}) for j, why in one.away.items()),
            ),
            stands=self._stands(one, verdict, past),
        )

    def _review(self, one: Seen, verdict: Verdict, past: Past) -> Keep:
        findings = (*one.examination.findings, *findings_of_issues(one.paragraph, verdict.issues))
        return Keep(
            one.paragraph,
            "review",
            scores=verdict.scores,
            findings=findings,
            passed=verdict.passed,
            receipt={
                "attempt": past.attempt,
                "reasons": list(verdict.reasons),
                "hard_reasons": list(verdict.hard_reasons),
                "rows": [row.as_wire() for row in one.rows],
            },
            usage=one.usage,
            calls=tuple(dict.fromkeys(one.calls)),
            checked=one.examination.as_record(),
        )

    def _stands(self, one: Seen, verdict: Verdict, past: Past) -> int | None:
        """The attempt that counts: this one, unless an earlier one that failed too was better."""
        if verdict.passed or past.best is None or is_better(verdict, past.best):
            return None
        return past.best.number


def _stops(verdict: Verdict, decision: Decision, *, entered: bool) -> tuple[Stop, ...]:
    begun = () if entered else (Stop(IN_REVIEW),)
    if decision.state == READY:
        return (*begun, Stop(READY, "passed"))
    why = ", ".join(verdict.reasons)
    last = Stop(MANUAL, decision.trigger) if decision.state == MANUAL else Stop(QUEUED, why)
    return (*begun, Stop(FAILED, why), last)


def _renamed(told: Reviewed, name: str) -> Reviewed:
    rows = tuple(
        replace(row, reviewer=name, issues=tuple(replace(issue, reviewer=name) for issue in row.issues))
        for row in told.rows
    )
    return replace(told, rows=rows)


def _blocker(key: str, unmapped: Unmapped) -> Blocker:
    return Blocker(key, "mapping_error", unmapped.as_wire())
