"""A SEED under review: why it waits, the kept cut, the proposal, and the editor.

If no attempt passed, the cut of the built-in extractor is proposed if it passes: it costs nothing and breaks no rule,
so a reviewer can accept it with one key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from burnish.app.course_text import DIMENSIONS
from burnish.app.labels import reason_of
from burnish.app.run_reader import RunReader
from burnish.core.attempts import findings_of
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.json_bytes import loads
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import Usage
from burnish.engine.batches import FACTS
from burnish.kinds.legos.attempt_history import seed_of_attempt
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.model import Course, Seed
from burnish.kinds.legos.policy import ACCEPT
from burnish.kinds.legos.policy import SEVERITIES as SEVERITY_OF
from burnish.kinds.legos.resources import CourseFacts, Terms
from burnish.kinds.legos.rule_review import BROKEN, look
from burnish.kinds.legos.text_format import BAR
from burnish.web import Drawn
from burnish.web.formatting import plural, sentence
from burnish.web.kinds import EditField, Editor, Words
from burnish.web.kinds.generic import kept_attempt, reason_words
from burnish.web.kinds.legos.cuts import (
    CourseLanguages,
    Drawing,
    SeedAttempt,
    attempts_of,
    changes,
    drawing,
    is_same_cut,
)
from burnish.web.labels import said_by

NOTE = "Cut by the built-in extractor."
"""The note on the decision of a reviewer who accepts the proposal."""
MORE = 2
"""Empty fields after those of the LEGOs, for a finer cut."""
HELP = "Two lines: the source half and the target half, exactly as in the sentences. Leave it empty to drop the LEGO."


def editor(story: UnitStory) -> Editor:
    """The editor with the LEGOs of the kept draft."""
    seed = kept_seed(story)
    languages = CourseLanguages.of(Course.of(seed.course_code))
    both = f"{languages.source_name} and {languages.target_name}"
    halves = [f"{lego.source}\n{lego.target}" for lego in seed.legos] + [""] * MORE
    fields = [
        EditField(
            name=name,
            label=f"{seed.provenance(position)}, {both}",
            value=value,
            rows=2,
            help=HELP if position == 1 else None,
        )
        for position, (name, value) in enumerate(zip(field_names(seed), halves, strict=True), start=1)
    ]
    return Editor(fields=fields, text_of=lambda values: text_of([values.get(one.name, "") for one in fields]))


def field_names(seed: Seed) -> list[str]:
    """The names of the form fields."""
    return [f"L{position}" for position in range(1, len(seed.legos) + MORE + 1)]


def kept_seed(story: UnitStory) -> Seed:
    """The SEED with the kept LEGOs."""
    kept = kept_attempt(story)
    return seed_of_attempt(kept) if kept is not None and kept.content is not None else seed_of(story.source)


def text_of(values: list[str]) -> str:
    """The form values in the format of a person's cut: one LEGO per line, a bar between its halves."""
    found: list[str] = []
    for value in values:
        lines = [line.strip() for line in value.splitlines() if line.strip()]
        # Either several LEGOs, each with a bar, or the two halves of one LEGO on separate lines.
        found += lines if all(BAR.strip() in line for line in lines) else [BAR.join(lines)]
    return "\n".join(found)


@dataclass(frozen=True)
class SeedReview:
    """A SEED under review."""

    terms: Terms
    story: UnitStory
    attempts: tuple[SeedAttempt, ...]

    @classmethod
    def of(cls, story: UnitStory, terms: Terms) -> SeedReview:
        return cls(terms, story, attempts_of(story, terms))

    @property
    def languages(self) -> CourseLanguages:
        return CourseLanguages.of(self.terms.course)

    @property
    def source(self) -> Seed:
        return seed_of(self.story.source)

    @property
    def draft(self) -> Seed:
        """The cut that accepting keeps."""
        return kept_seed(self.story)

    @property
    def made(self) -> SeedAttempt | None:
        """The attempt of this run that made the kept cut; None if it was not reviewed yet."""
        return next((one for one in self.attempts if one.is_kept and one.attempt is not None), None)

    @property
    def kept(self) -> SeedAttempt | None:
        """The attempt that made the kept cut, possibly in an earlier run."""
        return next((one for one in self.attempts if one.is_kept), None)

    @property
    def is_proposed(self) -> bool:
        """Whether accepting changes the cut in the course."""
        return bool(self.draft.legos) and not is_same_cut(self.source, self.draft)

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings on the kept cut, worst first. A broken guarantee comes last, because it repeats a rule."""
        found = findings_of(self.made.attempt) if self.made is not None and self.made.attempt is not None else []
        return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.rule == BROKEN))

    @property
    def is_sound(self) -> bool:
        """Whether the kept cut has no blocking finding."""
        return bool(self.draft.legos) and not any(finding.blocks for finding in self.findings)

    def field_names(self) -> list[str]:
        """The form fields of the editor."""
        return field_names(self.draft)

    def now(self) -> Drawing | None:
        """The cut in the course if another one is proposed; otherwise the kept one."""
        if self.is_proposed:
            return drawing(self.source, self.terms, label="Now") if self.source.legos else None
        return drawing(self.draft, self.terms, label="Now", made=self.made) if self.draft.legos else None

    def proposed(self) -> Drawing | None:
        if not self.is_proposed:
            return None
        label = "Proposed" if self.is_sound else "The best cut"
        return drawing(self.draft, self.terms, label=label, made=self.made, proposed=self.is_sound)

    def changes(self) -> tuple[Drawn, ...]:
        """The changes of the proposal to the cut in the course, if there is one."""
        return changes(self.source, self.draft) if self.is_proposed and self.source.legos else ()

    def effect(self) -> Drawn:
        """The effect of accepting."""
        past = [one for one in self.attempts if one.is_earlier and one.seed is not None]
        made = self.kept
        return Drawn(
            open=tuple(dict.fromkeys(finding.rule for finding in self.findings)),
            before=past[-1].score if past and self.is_proposed else None,
            score=made.score if made is not None else None,
            uncovered=self.draft.uncovered,
            usage=sum((one.usage for one in self.attempts), Usage()),
            looked_at=self.made is not None,
        )

    def shown(self) -> Drawing:
        """The drawing of the kept cut for the list."""
        return drawing(self.draft, self.terms, label="Cut", made=self.made)

    def drawn(self, tried: SeedAttempt) -> Drawing | None:
        """The cut of an attempt with the concerns of its review; None if the cut is no longer recorded."""
        if tried.seed is None or not tried.seed.legos:
            return None
        return drawing(tried.seed, self.terms, label="Cut", made=tried)

    def dimensions(self, tried: SeedAttempt) -> list[tuple[str, float]]:
        """The label and score of each dimension."""
        return [(DIMENSIONS[name], float(tried.dimensions[name])) for name in DIMENSIONS]

    def shown_concerns(self, tried: SeedAttempt) -> list[ShownConcern]:
        """All concerns in the review of an attempt, worst first."""
        concerns = [
            ShownConcern(
                SEVERITY_OF[one.severity],
                one.description,
                one.concern_id,
                "" if one.source == "rule" else said_by(one.source),
            )
            for one in tried.concerns
        ]
        concerns += [ShownConcern("error", str(text), BROKEN) for text in tried.measured.get("broken", ())]
        return sorted(concerns, key=lambda one: SEVERITIES.index(one.severity))

    def others(self) -> tuple[SeedAttempt, ...]:
        """The attempts of this run that were not kept."""
        return tuple(one for one in self.attempts if not one.is_kept and one.attempt is not None)


@dataclass(frozen=True, slots=True)
class ShownConcern:
    """One concern of a review about a cut."""

    severity: Severity
    text: str
    rule: str = ""
    who: str = ""
    """The source, if it is not a rule."""


def why_it_waits(kind: Kind, review: SeedReview) -> Iterator[Words]:
    """Why the SEED waits: the worst blocking finding on the cut, or else the recorded reason."""
    worst = worst_of(review)
    if worst is None:
        yield from _recorded_reason(kind, review)
        return
    # The LEGO that a finding is about: `S44L2`.
    place = (worst.field or "").partition(".")[0].removeprefix("L")
    name = review.source.provenance(int(place)) if place.isdecimal() else ""
    yield from [Words(f"{name}: ")] if name else []
    yield from reason_words(worst, review.draft.texts(), review.languages.source)


def worst_of(review: SeedReview) -> Finding | None:
    """The worst finding that blocks; others are not a reason to wait."""
    return next((finding for finding in review.findings if finding.blocks), None)


def _recorded_reason(kind: Kind, review: SeedReview) -> Iterator[Words]:
    """The reason that the run recorded in words; it has more detail than the name of the reason."""
    made, best = (
        review.made,
        max((one for one in review.attempts if one.attempt is not None), key=lambda one: one.score, default=None),
    )
    reasons = [str(text) for text in made.measured.get("reasons", ())] if made is not None else []
    against = review.shown_concerns(best) if best is not None and made is None else []
    if reasons:
        yield Words(reasons[0])
    elif best is not None and against:
        yield Words(f"The best of this run, attempt {best.number}: {against[0].text}")
    elif best is None and (earlier := review.source.record.get("review_reasons")):
        # The general reason is first, the details are last.
        yield Words(str(earlier[-1]))
    else:
        yield Words(reason_of(kind, review.story.row))


def facts(kind: Kind, review: SeedReview) -> Iterator[str]:
    """The facts in the line under the sentence: the reason first, unless the sentence states it."""
    why = sentence(reason_of(kind, review.story.row))
    if why.rstrip(".") != "".join(part.text for part in why_it_waits(kind, review)).rstrip("."):
        yield why
    mine = [one for one in review.attempts if one.attempt is not None]
    if mine and not any(one.attempt.passed for one in mine if one.attempt is not None):
        best = max(mine, key=lambda one: one.score)
        short = "but a blocking rule is broken" if best.score >= ACCEPT else f"threshold {ACCEPT:.1f}"
        yield f"Not accepted after {plural(len(mine), 'attempt')}: best {best.score:.1f}, {short}"
    elif review.kept is not None:
        yield f"Score {review.kept.score:.1f}, threshold {ACCEPT:.1f}"
    if review.source.legos and not review.is_proposed and review.others():
        yield "The cut of an earlier run is kept: none of this run is better"
    prompts = sorted({one.prompt for one in mine if one.prompt})
    if prompts:
        yield f"Prompt {', '.join(prompts)}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed cut that passes."""

    review: SeedReview
    seed: Seed
    score: float
    concerns: int
    """The number of concerns that do not block it."""

    @property
    def note(self) -> str:
        return NOTE

    def drawing(self) -> Drawing:
        return drawing(self.seed, self.review.terms, label="Proposed", proposed=True)

    def changes(self) -> tuple[Drawn, ...]:
        """The changes to the best cut so far."""
        return changes(self.review.draft, self.seed)

    def fields(self) -> dict[str, str]:
        """The values of the editor fields for this cut: all LEGOs in the first field."""
        text = "\n".join(f"{lego.source}{BAR}{lego.target}" for lego in self.seed.legos)
        return {name: text if place == 0 else "" for place, name in enumerate(self.review.field_names())}


def ready_cut(run: RunReader, review: SeedReview) -> Proposal | None:
    """The cut of the built-in extractor, if it passes and the kept cut does not."""
    if review.is_sound or review.story.row.state != run.view.kind.states.waiting:
        return None
    facts = CourseFacts(loads(run.view.journal.get_meta(FACTS) or "{}"), review.terms)
    if not facts.evidence.links(review.source):
        return None
    made = facts.evidence.built_in_cut(review.source, review.terms.rule)
    looked = look(made, review.terms, facts.habits, facts.evidence)
    critical = any(concern.severity == "critical" for concern in looked.review.concerns)
    if looked.review.overall < ACCEPT or looked.broken or critical or is_same_cut(made, review.draft):
        return None
    return Proposal(review, made, looked.review.overall, len(looked.review.concerns))
