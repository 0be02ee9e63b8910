"""The stages that align and cut: the course is read, its words are aligned, and every SEED is cut.

An estimate uses a simulated cut and a simulated failed review, without calling a model.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from burnish.core.attempts import rejections_in
from burnish.core.edits import receipt
from burnish.core.effects import Answer, Ask, Effect, Keep, ModelRequest, Note, Outcome, Request, Settled, Stop, Work
from burnish.core.errors import EditRefused
from burnish.core.records import AttemptRecord, Usage
from burnish.core.replies import EditReply, LegoReply
from burnish.core.tasks import Environment, Item, Surroundings
from burnish.kinds.legos.attempt_history import attempts_made, best, earlier_tries, reviewed, seed_of_attempt
from burnish.kinds.legos.cutter import CourseCutter, with_cut
from burnish.kinds.legos.model import DIMENSIONS, OVERALL, Seed, words_of
from burnish.kinds.legos.phrases import AlignedSeed
from burnish.kinds.legos.placement import with_uncovered
from burnish.kinds.legos.policy import (
    ACCEPTED,
    ALIGNED,
    EXHAUSTED,
    EXTRACTED,
    PENDING,
    RETRY,
    WAITING,
    Concern,
    Suggestion,
    by_priority,
    main_concern,
)
from burnish.kinds.legos.replies import located, mended
from burnish.kinds.legos.requests import Retry, extract_again_ask, extract_ask, mend_ask
from burnish.kinds.legos.resources import CourseFacts, Terms


def seed_of(unit: object) -> Seed:
    """The unit as a SEED. Another type is a mistake of the caller, not of the content."""
    assert isinstance(unit, Seed), f"not a SEED: {unit!r}"
    return unit


def source_of(item: Item) -> Seed:
    return seed_of(item.source)


AT_ONCE = 100
"""SEEDs that are cut without a model in one transaction."""
ASKED_AT_ONCE = 4


@dataclass(slots=True)
class Cut:
    """The result for one SEED."""

    item: Item
    seed: Seed | None = None
    """None: no cut yet."""
    refused: list[str] = field(default_factory=list)
    """Why LEGOs of the answer were not used, in words."""
    unused: list[str] = field(default_factory=list)
    """Why whole answers were not used."""
    edits: tuple[dict[str, Any], ...] = ()
    receipt: dict[str, Any] | None = None
    """Proves that edits changed only what they should; None if LEGOs were added or removed."""
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()

    def heard(self, answer: Answer) -> None:
        self.usage, self.calls = self.usage + answer.usage, (*self.calls, *answer.calls)


@dataclass(frozen=True)
class SeedStage:
    """What cutting and reviewing have in common: a model works on a few SEEDs at once, rules on many."""

    terms: Terms
    env: Environment
    name: str = ""
    takes: tuple[str, ...] = ()
    enters: str | None = None
    gathers: bool = False
    moves: tuple[str, ...] = ()
    room: int = 1 << 30

    @property
    def model(self) -> str | None:
        """The model that is asked; None: rules alone."""
        raise NotImplementedError

    @property
    def pays(self) -> bool:
        return self.model is not None

    @property
    def size(self) -> int:
        return ASKED_AT_ONCE if self.pays else AT_ONCE

    def weight(self, item: Item) -> int:
        return len(source_of(item).source)


@dataclass(frozen=True)
class Extracting(SeedStage):
    """The cutter."""

    name: str = "extract"
    takes: tuple[str, ...] = (ALIGNED, RETRY)
    gathers: bool = True

    @property
    def model(self) -> str | None:
        return self.env.roles.of("extractor") if self.terms.extractor == "model" else None

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        facts = CourseFacts(self.env.facts, self.terms)
        open = [Cut(item) for item in items if not self._is_exhausted(item)]
        if self.model is None:
            for one in open:
                self._by_rules(one, facts)
        else:
            yield from self._by_model(self.model, open, facts)
        exhausted = [Settled(item.source.id, (Stop(WAITING, EXHAUSTED),)) for item in items if self._is_exhausted(item)]
        return Outcome((*exhausted, *(self._settled(one) for one in open)))

    def _is_exhausted(self, item: Item) -> bool:
        """Whether the limit of attempts is reached. A person who rejects a SEED allows one more."""
        seed = source_of(item)
        made = attempts_made(seed, item.counted_attempts, anew=self.terms.begins_anew(seed))
        return made >= self.terms.max_attempts + len(rejections_in(item.decisions))

    # -- without a model

    def _by_rules(self, one: Cut, facts: CourseFacts) -> None:
        """Use the cut that fits the course best. There is only one: if it is not good enough, a person decides."""
        seed = source_of(one.item)
        seen = {_halves(seed_of_attempt(attempt)) for attempt in reviewed(one.item.counted_attempts)}
        if self._earlier(one.item):
            seen.add(_halves(seed))
        made = facts.evidence.built_in_cut(seed, self.terms.rule)
        one.seed = made if _halves(made) not in seen else None

    # -- by a model

    def _by_model(self, model: str, open: Sequence[Cut], facts: CourseFacts) -> Generator[Effect, Any, None]:
        mending = [one for one in open if self._is_mended(one.item)]
        yield from self._mend(model, mending, facts)
        rest = [one for one in open if one.seed is None]
        if not rest:
            return
        requests = tuple(ModelRequest(self._ask(one, facts), model) for one in rest)
        answers: tuple[Answer, ...] = yield Ask(requests)
        for one, answer in zip(rest, answers, strict=True):
            one.heard(answer)
            self._read_cut(one, answer, facts)

    def _is_mended(self, item: Item) -> bool:
        """Whether to try edits first: there are LEGOs, and the last attempt was not made by edits."""
        tried = reviewed(item.counted_attempts)
        drafted = [attempt for attempt in item.attempts if attempt.cause == "model"]
        return bool(tried) and bool(seed_of_attempt(tried[-1]).legos) and not (drafted and drafted[-1].edits)

    def _mend(self, model: str, mending: Sequence[Cut], facts: CourseFacts) -> Generator[Effect, Any, None]:
        if not mending:
            return
        mender = self.env.roles.of("mender") or model
        commission = self.terms.commission
        answers: tuple[Answer, ...] = yield Ask(
            tuple(ModelRequest(mend_ask(self._retry(one.item), commission), mender) for one in mending)
        )
        for one, answer in zip(mending, answers, strict=True):
            one.heard(answer)
            if isinstance(answer.reply, EditReply):
                self._read_edits(one, answer.reply.about(source_of(one.item).id), facts)
            else:
                one.unused.append(str(answer.failure))

    def _read_edits(self, one: Cut, reply: EditReply, facts: CourseFacts) -> None:
        last = seed_of_attempt(reviewed(one.item.counted_attempts)[-1])
        try:
            made = mended(reply, last, facts.evidence.links(last))
        except EditRefused as refusal:
            one.unused.append(f"{refusal.reason}: {refusal}")
            return
        if _halves(made) == _halves(last):
            one.unused.append("the edits change nothing")
            return
        one.seed = self._held(made, facts)
        one.edits = tuple(part.model_dump() for part in reply.edits)
        if len(one.seed.legos) == len(last.legos):
            one.receipt = receipt(last, one.seed, _concern_ids(one.item)).as_record()

    def _read_cut(self, one: Cut, answer: Answer, facts: CourseFacts) -> None:
        seed = source_of(one.item)
        if isinstance(answer.reply, LegoReply):
            found = located(answer.reply.legos, seed, facts.evidence.links(seed))
            one.refused += [refused.message for refused in found.refused]
            one.seed = self._held(found.seed, facts)
        else:
            # An unreadable answer counts as an attempt without a result.
            one.unused.append(str(answer.failure))
            one.seed = replace(seed, legos=(), uncovered=())

    def _held(self, seed: Seed, facts: CourseFacts) -> Seed:
        """The SEED with its uncovered words and the confidence of each LEGO."""
        return with_uncovered(facts.evidence.with_confidence(seed), self.terms.profile, self.terms.rule)

    def _ask(self, one: Cut, facts: CourseFacts) -> Request:
        seed, commission = source_of(one.item), self.terms.commission
        known = facts.evidence.fitting(seed)
        if not (reviewed(one.item.counted_attempts) or one.item.effective_decisions or self._earlier(one.item)):
            return extract_ask(seed, commission, known)
        return extract_again_ask(self._retry(one.item), commission, known)

    def _earlier(self, item: Item) -> list[Mapping[str, Any]]:
        """The attempts of earlier runs."""
        seed = source_of(item)
        return earlier_tries(seed, anew=self.terms.begins_anew(seed))

    def _retry(self, item: Item) -> Retry:
        """The faults of the last attempt, also of an earlier run, and a person's note."""
        tried, before = reviewed(item.counted_attempts), self._earlier(item)
        tries = len(before) + len(tried)
        said = item.effective_decisions
        note = str(said[-1].data.get("note") or "") if rejections_in(said) else None
        if not tried:
            return Retry(source_of(item), *_wrong(before[-1] if before else {}), note=note, tries=tries)
        last = tried[-1]
        measured = last.checked["measured"]
        return Retry(seed_of_attempt(last), *_wrong(measured), _broken(item, measured), note, tries)

    # -- results

    def _settled(self, one: Cut) -> Settled:
        seed = source_of(one.item)
        notes = tuple(Note("lego_refused", seed.id, {"reason": reason}) for reason in (*one.unused, *one.refused))
        if one.seed is None:
            return self._without_another(one.item, notes)
        draft = Keep(
            one.seed,
            "model" if self.pays else "machine",
            edits=one.edits,
            receipt=one.receipt,
            usage=one.usage,
            calls=one.calls,
            checked={"refused": one.refused} if one.refused else {},
        )
        return Settled(seed.id, (Stop(EXTRACTED, draft.cause),), (draft,), notes)

    def _without_another(self, item: Item, notes: tuple[Note, ...]) -> Settled:
        """Settle a SEED without another cut. The best attempt is accepted if it passed, unless a person rejected it."""
        stop = Stop(WAITING, "no_better_cut")
        if not reviewed(item.counted_attempts):
            return Settled(item.source.id, (stop,), notes=notes)
        kept = best(item.counted_attempts, item.decisions)
        if kept.passed and not rejections_in(item.decisions):
            why = str(kept.checked["measured"].get("person", ""))
            stop = Stop(WAITING, why) if why else Stop(ACCEPTED, "accepted")
        return Settled(item.source.id, (stop,), notes=notes, best=kept.number)


def _wrong(review: Mapping[str, Any]) -> tuple[str, str]:
    """The most frequent concern of a review, and its most urgent suggestion; empty if there is none."""
    concern = main_concern(review) if review else None
    suggestions = by_priority(review.get("suggestions", ()))
    said = f"{concern['description']} {concern['suggested_fix']}" if concern is not None else ""
    return said, str(suggestions[0]["suggested_change"]) if suggestions else ""


def _broken(item: Item, measured: Mapping[str, Any]) -> tuple[str, ...]:
    """The guarantees that the last attempt broke, and which of its LEGOs were not used."""
    drafts = [attempt for attempt in item.attempts if attempt.cause == "model"]
    refused = drafts[-1].checked.get("refused", ()) if drafts else ()
    return (*measured.get("broken", ()), *refused)


def _concern_ids(item: Item) -> list[str]:
    """The concerns of the last attempt."""
    concerns = reviewed(item.counted_attempts)[-1].checked["measured"]["concerns"]
    return sorted({str(one["concern_id"]) for one in concerns})


def _halves(seed: Seed) -> tuple[tuple[str, str, int], ...]:
    return tuple((lego.source, lego.target, lego.start) for lego in seed.legos)


@dataclass(frozen=True)
class Aligning:
    """The stage that waits until every SEED is read, so that facts about the whole course can be computed."""

    name: str = "align"
    takes: tuple[str, ...] = (PENDING,)
    moves: tuple[str, ...] = (ALIGNED,)
    size: int = 500
    pays: bool = False
    enters: str | None = None
    gathers: bool = True
    room: int = 0

    def weight(self, item: Item) -> int:
        return 0

    def work(self, items: Sequence[Item], around: Surroundings) -> Generator[Effect, Any, Outcome]:
        raise AssertionError("a stage that only moves its units does no work on them")


LONG = "Every LEGO of it begins or ends with a preposition, so that hardly any of them can be taught. " * 4
"""As long as the words of a concern, or of a broken guarantee, may be."""


def pretended(seed: Seed, terms: Terms) -> Seed:
    """A simulated cut, as if words were translated one by one: about the size of a model's cut."""
    source, target = len(words_of(seed.source)), len(words_of(seed.target))
    across = {(place, place * target // source): 1.0 for place in range(source)} if target else {}
    aligned = AlignedSeed(seed.source, seed.target, across, terms.languages)
    [cut] = CourseCutter([aligned], terms.rule).cuts()
    return with_cut(seed, aligned, [((one.first, one.end), (one.low, one.high)) for one in cut], terms.rule)


def pretended_failure(seed: Seed) -> AttemptRecord:
    """A simulated failed review, with as many faults for the next attempt as are possible."""
    scores = dict.fromkeys(DIMENSIONS, 0.0)
    concern = Concern.of("c_iron_rule_violation", LONG, (), LONG)
    suggestion = Suggestion.of("s_extend_beyond_preposition", LONG, scores)
    broken = [f"{number}. {LONG}" for number in range(3)]
    measured = {"concerns": [concern.as_record()], "suggestions": [suggestion.as_record()], "broken": broken}
    return AttemptRecord(
        unit=seed.id,
        number=2,
        cause="review",
        content=seed.as_record(),
        content_hash=seed.content_hash,
        scores=dict.fromkeys((*DIMENSIONS, OVERALL), 0.0),
        findings=(),
        passed=False,
        checked={"measured": measured},
    )
