"""Phase D: rules, reviewing models and critics check the candidate; their rows become one verdict per paragraph.

Rules and their safe fixes cost nothing and come first. With models, a task is a long stretch of the candidate. Critics
that compare distant paragraphs read it as a whole; for close reading it is cut into windows, and the reviewer and the
other critics get exactly the same text: source and translation with line numbers. After a rework they see the changed
paragraphs and their neighbours.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any

from burnish.core.checks import Examination, apply_safe_fixes
from burnish.core.documents import Unit
from burnish.core.edits import receipt
from burnish.core.effects import Answer, Ask, Blocker, Effect, Keep, ModelRequest, Note, Outcome, Settled, Stop, Work
from burnish.core.records import Usage
from burnish.core.replies import CriticReply, TranslationReviewReply
from burnish.core.tasks import Item, Surroundings
from burnish.kinds.manuscripts.block_fit import placement
from burnish.kinds.manuscripts.document_facts import FOREIGN, dropped
from burnish.kinds.manuscripts.findings import examine, findings_of_issues
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.policy import ASSEMBLED, FAILED, IN_REVIEW, MANUAL, QUEUED, READY
from burnish.kinds.manuscripts.progress import Past, Phase, draft_of, is_better, paragraph_of, past_of
from burnish.kinds.manuscripts.requests import Shown, critic_ask, review_ask
from burnish.kinds.manuscripts.review_rows import (
    MODEL_REVIEWER,
    LineMap,
    Reviewed,
    ReviewIssue,
    ReviewRow,
    Unmapped,
    critic_named,
    row_of_findings,
    rows_of_critics,
    rows_of_review,
    unread_rows,
)
from burnish.kinds.manuscripts.reviews import Critic
from burnish.kinds.manuscripts.sheet import Sheet
from burnish.kinds.manuscripts.verdict import Decision, Verdict, aggregate, next_state

FEWEST = 2
"""Judges that are enough for a decision: of three, one may be unavailable."""
AT_ONCE = 50
"""Paragraphs that rules alone check in one transaction."""
FAR, FAR_ROOM = 60, 100_000
"""Paragraphs of a task, which some critics read as a whole; and the most characters of their source."""
ENOUGH, MOST_CLOSE = 6_000, 30
"""Characters of source, and paragraphs, of a window: the limits of close reading."""


@dataclass(slots=True)
class Seen:
    """One paragraph in review."""

    item: Item
    paragraph: Paragraph
    """The paragraph after safe fixes."""
    examination: Examination
    drafts: list[Keep]
    rows: list[ReviewRow] = field(default_factory=list)
    dropped: list[tuple[str, ReviewIssue]] = field(default_factory=list)
    """Dropped issues, each with the reason."""
    usage: Usage = field(default_factory=Usage)
    calls: list[str] = field(default_factory=list)
    away: dict[str, str] = field(default_factory=dict)
    """Judge -> why it was unavailable, if the others decided. Recorded with the first paragraph of a batch."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that reads windows: the reviewer, or all critics with windows of one length."""

    name: str
    model: str
    critics: tuple[Critic, ...] = ()
    """Empty: the reviewer."""
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A request to one reader about some paragraphs."""

    reader: Reader
    seen: Sequence[Seen]
    window: Sequence[Shown]
    """The shown paragraphs: these, and neighbours of those that were reviewed before."""
    request: ModelRequest

    @property
    def critics(self) -> list[str]:
        return [critic.name for critic in self.reader.critics]


class Reviewing(Phase):
    """The reviewers and the gate."""

    name = "review"
    takes = (ASSEMBLED, IN_REVIEW)
    room = FAR_ROOM

    @cached_property
    def _context(self) -> ManuscriptContext:
        facts, equipment = self.env.facts, self.equipment
        names, misplaced = facts.get("names", {}), facts.get("misplaced", {})
        return ManuscriptContext(equipment.glossary, names, equipment.lexicon, misplaced)

    def examine(self, unit: Unit) -> Examination:
        """The findings of the rules."""
        return examine(paragraph_of(unit), self.env.selection, self._context)

    @property
    def _reviewers(self) -> tuple[str, ...]:
        """The reviewing models: the judges, or the one reviewer."""
        single = self.env.roles.of("reviewer")
        return self.env.roles.judges or ((single,) if single else ())

    @property
    def _critic(self) -> str | None:
        return self.env.roles.of("critic")

    @property
    def pays(self) -> bool:
        return bool(self._reviewers or (self._critic and self.equipment.critics))

    @property
    def gathers(self) -> bool:
        """A rework by a model uses the sheet, which is made from accepted paragraphs."""
        return self.pays

    @property
    def enters(self) -> str | None:
        return IN_REVIEW if self.pays else None

    @property
    def size(self) -> int:
        return FAR if self.pays else AT_ONCE

    def weight(self, item: Item) -> int:
        return len(draft_of(item).text)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        seen = [self._by_rules(item) for item in items]
        unmapped: list[tuple[str, Unmapped]] = []
        if self.pays:
            yield from self._ask(seen, around, unmapped)
        return Outcome(
            tuple(self._settled(one) for one in seen),
            tuple(Blocker(key, "mapping_error", each.as_wire()) for key, each in unmapped),
        )

    def _by_rules(self, item: Item) -> Seen:
        """Apply the rules and their safe fixes; add the issues of other tools with the first candidate."""
        paragraph = draft_of(item)
        seen = Seen(item, paragraph, self.examine(paragraph), [])
        # A rendered text is not fixed: the fix would be lost when it is rendered again from the Latin text.
        fixes = apply_safe_fixes(paragraph, seen.examination, self.examine) if paragraph.latin is None else None
        if fixes is not None and fixes.settled:
            fixed = paragraph_of(fixes.unit)
            proof = receipt(paragraph, fixed, [finding.rule for finding in fixes.settled])
            edits = tuple(asdict(edit) for edit in fixes.edits)
            seen.drafts.append(Keep(fixed, "safe_fix", edits=edits, receipt=proof.as_record()))
            seen.paragraph, seen.examination = fixed, fixes.examination
        judged, rules_only = seen.examination, self.equipment.terms.rules_only
        seen.rows.append(row_of_findings(paragraph.id, judged.findings, judged.unjudged, rules_only=rules_only))
        # Issues that other tools found in exactly this text; after a change they may no longer hold.
        foreign = self.env.facts.get(FOREIGN, {}).get(paragraph.id)
        if foreign is not None and foreign["content_hash"] == paragraph.content_hash:
            seen.rows += map(ReviewRow.from_wire, foreign["rows"])
        return seen

    # -- models

    def _ask(
        self, seen: Sequence[Seen], around: Surroundings, unmapped: list[tuple[str, Unmapped]]
    ) -> Generator[Effect, Any, None]:
        """Ask all readers at once. A request that is refused because of its content is split in halves, until the
        refused paragraph is alone."""
        near, far = self._readers()
        windows = close_windows(seen)
        readings = [self._reading(reader, window, around) for window in windows for reader in near]
        readings += [self._reading(reader, seen, around) for reader in far]
        while readings:
            answers: tuple[Answer, ...] = yield Ask(tuple(one.request for one in readings))
            self._refuse_too_few(answers)
            again: list[Reading] = []
            for reading, answer in zip(readings, answers, strict=True):
                if answer.away:
                    seen[0].away[answer.model] = str(answer.failure)
                elif answer.refused and len(reading.seen) > 1:
                    half = len(reading.seen) // 2
                    parts = reading.seen[:half], reading.seen[half:]
                    again += [self._reading(reading.reader, part, around) for part in parts]
                else:
                    unmapped += self._heard(reading, answer, around)
            readings = again

    def _refuse_too_few(self, answers: Sequence[Answer]) -> None:
        """Raise the outage if too few judges answer: of three one may be unavailable, of two none."""
        away = {answer.model: answer for answer in answers if answer.away}
        if len({*self._reviewers} - away.keys()) < min(FEWEST, len(self._reviewers)):
            raise next(iter(away.values())).as_outage()

    def _readers(self) -> tuple[list[Reader], list[Reader]]:
        """The readers of close windows, and those of the whole stretch."""
        several, can_miss = len(self._reviewers) > 1, len(self._reviewers) > FEWEST
        near = [
            Reader(f"{MODEL_REVIEWER}:{model}" if several else MODEL_REVIEWER, model, is_optional=can_miss)
            for model in self._reviewers
        ]
        far: list[Reader] = []
        for readers, reads_far in ((near, False), (far, True)):
            critics = tuple(critic for critic in self.equipment.critics if critic.reads_far == reads_far)
            if self._critic and critics:
                readers.append(Reader("far_critics" if reads_far else "critics", self._critic, critics))
        return near, far

    def _reading(self, reader: Reader, seen: Sequence[Seen], around: Surroundings) -> Reading:
        window, commission = self._window(seen, around), self.equipment.commission
        if reader.critics:
            languages = commission.languages().values()
            instructions = {critic.name: critic.instructions(*languages) for critic in reader.critics}
            ask = critic_ask(instructions, window, commission, self._sheet)
        else:
            ask = review_ask(window, commission, self._sheet)
        return Reading(reader, seen, window, ModelRequest(ask, reader.model, reader.is_optional))

    def _window(self, seen: Sequence[Seen], around: Surroundings) -> list[Shown]:
        """The paragraphs to show, in order: these, and the neighbours of those that were reviewed before. Line numbers
        show the gaps."""
        shown = {one.paragraph.index: self._shown(one.paragraph) for one in seen}
        for one in seen:
            before, after = around.drafts_around(one.item.row, 1, 1) if past_of(one.item).reviews else ([], [])
            for paragraph in map(paragraph_of, (*before, *after)):
                beside = self._shown(paragraph, is_context=True)
                if beside.place is not None:
                    shown.setdefault(paragraph.index, beside)
        return [one for _, one in sorted(shown.items())]

    @cached_property
    def _sheet(self) -> Sheet:
        """The sheet that translators see; for a text in another script only the names."""
        facts = self.env.facts
        return Sheet.of({"names": facts.get("names", {})} if self.equipment.terms.renders else facts)

    def _shown(self, paragraph: Paragraph, *, is_context: bool = False) -> Shown:
        return Shown(paragraph, placement(paragraph, self.env.facts), is_context)

    def _heard(self, reading: Reading, answer: Answer, around: Surroundings) -> Iterator[tuple[str, Unmapped]]:
        """Add the rows of a reader's answer to their paragraphs; yield the issues without a paragraph."""
        first = reading.seen[0]
        reviewed = self._read(reading, answer)
        by_id = {one.paragraph.id: one for one in reading.seen}
        for row in reviewed.rows:
            if row.paragraph_id in by_id:
                by_id[row.paragraph_id].rows.append(row)
                by_id[row.paragraph_id].calls += answer.calls
        first.usage += answer.usage
        first.dropped += [("self_refuting", issue) for issue in reviewed.dropped]
        place = f"{first.item.row.position:08}:{first.item.row.attempts:04}:{reading.reader.name}"
        yield from ((f"{place}:{at:04}", one) for at, one in enumerate(reviewed.unmapped))
        yield from self._beside(reviewed, reading.seen, around)

    def _read(self, reading: Reading, answer: Answer) -> Reviewed:
        paragraphs = [one.paragraph for one in reading.seen]
        ids = [paragraph.id for paragraph in paragraphs]
        match answer.reply:
            case CriticReply() as reply if reading.critics:
                lines = LineMap(one.place for one in reading.window if one.place is not None)
                texts = {paragraph.id: paragraph.translation for paragraph in paragraphs}
                return rows_of_critics(reply, lines, texts, reading.critics)
            case TranslationReviewReply() as reply if not reading.critics:
                beside = {one.paragraph.id for one in reading.window if one.is_context}
                asked = tuple(part for part in reply.paragraphs if part.paragraph_id not in beside)
                return rows_of_review(reply.model_copy(update={"paragraphs": asked}), paragraphs, reading.reader.name)
        reviewers = [critic_named(name) for name in reading.critics] or [reading.reader.name]
        return Reviewed(tuple(row for name in reviewers for row in unread_rows(ids, name, str(answer.failure))))

    def _beside(self, reviewed: Reviewed, seen: Sequence[Seen], around: Surroundings) -> Iterator[tuple[str, Unmapped]]:
        """Issues of critics with neighbours. A neighbour in progress has its own review. An issue that would block one
        that has passed goes to a person, because the paragraph is not sent back automatically."""
        ours = {one.paragraph.id for one in seen}
        for row in reviewed.rows:
            for issue in row.issues if row.paragraph_id not in ours else ():
                if issue.blocks and around.is_settled(row.paragraph_id):
                    key = f"beside:{row.paragraph_id}:{issue.category}:{issue.quote or issue.line or ''}"
                    yield key, Unmapped(issue, f"It is about {row.paragraph_id}, which has passed its own review.")
                else:
                    seen[0].dropped.append(("about_neighbour", issue))

    # -- the gate

    def _settled(self, one: Seen) -> Settled:
        past = past_of(one.item)
        verdict, best = aggregate(one.rows), past.best
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
            # This draft is kept, unless an earlier failed one was better.
            best=None if verdict.passed or best is None or is_better(verdict, best) else best.number,
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


def _stops(verdict: Verdict, decision: Decision, *, entered: bool) -> tuple[Stop, ...]:
    begun = () if entered else (Stop(IN_REVIEW),)
    if decision.state == READY:
        return (*begun, Stop(READY, "passed"))
    why = ", ".join(verdict.reasons)
    last = Stop(MANUAL, decision.trigger) if decision.state == MANUAL else Stop(QUEUED, why)
    return (*begun, Stop(FAILED, why), last)


def close_windows(seen: Sequence[Seen]) -> list[Sequence[Seen]]:
    """Paragraphs in windows for close reading, all of similar length, so that each is worth the cost of its prompt."""
    lengths = [len(one.paragraph.text) for one in seen]
    total = sum(lengths) or 1
    windows = max(1, round(total / ENOUGH), -(-len(seen) // MOST_CLOSE))
    middles = (end - length / 2 for end, length in zip(accumulate(lengths), lengths, strict=True))
    places = [min(int(windows * middle / total), windows - 1) for middle in middles]
    return [[one for one, _ in same] for _, same in groupby(zip(seen, places, strict=True), key=lambda pair: pair[1])]
