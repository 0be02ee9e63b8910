"""A SEED as a person looks at it: why it waits, the cut that is kept, what is proposed, the editor.

Where no attempt got it right, the cut of the built-in extractor is proposed if that passes: it costs nothing and keeps
every rule, so a person who agrees with it decides with one key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from burnish.app.course_text import DIMENSIONS
from burnish.app.labels import reason_of
from burnish.app.run_reader import RunReader
from burnish.core.attempts import findings_of
from burnish.core.findings import SEVERITIES, Finding, Severity
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
from burnish.web.kinds.generic import kept_attempt
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

QUOTED = re.compile(r"""(?<!\w)(?P<mark>['"])(?P<words>.+?)(?P=mark)(?!\w)""", re.DOTALL)
"""Words of a course in a sentence of ours."""
CURLED = r"“\g<words>”"
NOTE = "Cut by the built-in extractor."
"""What is written down beside the decision of who takes it."""
MORE = 2
"""Empty fields behind those of the LEGOs: for who cuts finer."""
HELP = "Two lines: the source half and the target half, exactly as in the sentences. Leave it empty to drop the LEGO."


def editor(story: UnitStory) -> Editor:
    """The LEGOs of the draft that stands."""
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
    """What the fields of the form are called."""
    return [f"L{position}" for position in range(1, len(seed.legos) + MORE + 1)]


def kept_seed(story: UnitStory) -> Seed:
    """The SEED with the LEGOs that are kept."""
    kept = kept_attempt(story)
    return seed_of_attempt(kept) if kept is not None and kept.content is not None else seed_of(story.source)


def text_of(values: list[str]) -> str:
    """What was written as a person's cut is read: a LEGO a line, a bar between its halves."""
    found: list[str] = []
    for value in values:
        lines = [line.strip() for line in value.splitlines() if line.strip()]
        # Several LEGOs with bars in them, or both halves of one on lines of their own.
        found += lines if all(BAR.strip() in line for line in lines) else [BAR.join(lines)]
    return "\n".join(found)


@dataclass(frozen=True)
class SeedReview:
    """A SEED as a person is asked about it."""

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
        """The cut that an acceptance keeps."""
        return kept_seed(self.story)

    @property
    def made(self) -> SeedAttempt | None:
        """The attempt that made it, with its review; None: nobody has looked at it yet."""
        return next((one for one in self.attempts if one.is_kept and one.attempt is not None), None)

    @property
    def kept(self) -> SeedAttempt | None:
        """The same, be it of an earlier run."""
        return next((one for one in self.attempts if one.is_kept), None)

    @property
    def is_proposed(self) -> bool:
        """Whether an acceptance puts something else into the course than it holds."""
        return bool(self.draft.legos) and not is_same_cut(self.source, self.draft)

    @property
    def findings(self) -> Sequence[Finding]:
        """What speaks against the cut that stands, worst first. A broken guarantee says once more what a rule says."""
        found = findings_of(self.made.attempt) if self.made is not None and self.made.attempt is not None else []
        return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.rule == BROKEN))

    @property
    def is_sound(self) -> bool:
        """Whether nothing that blocks speaks against the cut that stands."""
        return bool(self.draft.legos) and not any(finding.blocks for finding in self.findings)

    def field_names(self) -> list[str]:
        """The fields of the form in which a person cuts it."""
        return field_names(self.draft)

    def now(self) -> Drawing | None:
        """The cut that the course holds; where it holds none or that one stands, the one that stands."""
        if self.is_proposed:
            return drawing(self.source, self.terms, label="Now") if self.source.legos else None
        return drawing(self.draft, self.terms, label="Now", made=self.made) if self.draft.legos else None

    def proposed(self) -> Drawing | None:
        if not self.is_proposed:
            return None
        label = "Proposed" if self.is_sound else "The best cut"
        return drawing(self.draft, self.terms, label=label, made=self.made, proposed=self.is_sound)

    def changes(self) -> tuple[Drawn, ...]:
        """What the proposal changes, where there is something to change."""
        return changes(self.source, self.draft) if self.is_proposed and self.source.legos else ()

    def effect(self) -> Drawn:
        """What an acceptance brings."""
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
        """The cut that stands, listed."""
        return drawing(self.draft, self.terms, label="Cut", made=self.made)

    def drawn(self, tried: SeedAttempt) -> Drawing | None:
        """The cut of an attempt, with what its review says against it; None where it is not kept any more."""
        if tried.seed is None or not tried.seed.legos:
            return None
        return drawing(tried.seed, self.terms, label="Cut", made=tried)

    def dimensions(self, tried: SeedAttempt) -> list[tuple[str, float]]:
        """Label and score of each dimension."""
        return [(DIMENSIONS[name], float(tried.dimensions[name])) for name in DIMENSIONS]

    def told(self, tried: SeedAttempt) -> list[Told]:
        """Everything that an attempt's review says against it, worst first."""
        said = [
            Told(
                SEVERITY_OF[one.severity],
                one.description,
                one.concern_id,
                "" if one.source == "rule" else said_by(one.source),
            )
            for one in tried.concerns
        ]
        said += [Told("error", str(text), BROKEN) for text in tried.measured.get("broken", ())]
        return sorted(said, key=lambda one: SEVERITIES.index(one.severity))

    def others(self) -> tuple[SeedAttempt, ...]:
        """The tries of this run that were not kept."""
        return tuple(one for one in self.attempts if not one.is_kept and one.attempt is not None)


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that a review says against a cut."""

    severity: Severity
    text: str
    rule: str = ""
    who: str = ""
    """Who says so, where it is not a rule."""


def reason_words(kind: Kind, review: SeedReview) -> Iterator[Words]:
    """Why it waits: the worst that is said of the cut, or else the reason for which it rests."""
    worst = worst_of(review)
    if worst is None:
        yield from _told(kind, review)
        return
    # The LEGO that a finding is about: `S44L2`.
    place = (worst.field or "").partition(".")[0].removeprefix("L")
    name = review.source.provenance(int(place)) if place.isdecimal() else ""
    yield from ([Words(f"{name}: ")] if name and not worst.message.startswith(name) else [])
    yield from marked_words(worst.message, worst.severity, review.languages.source)


def worst_of(review: SeedReview) -> Finding | None:
    """The finding that the reason tells of: only one that blocks is a reason by itself."""
    return next((finding for finding in review.findings if finding.blocks), None)


def _told(kind: Kind, review: SeedReview) -> Iterator[Words]:
    """What the run wrote down for people; it says more than the name of the reason does."""
    made, best = (
        review.made,
        max((one for one in review.attempts if one.attempt is not None), key=lambda one: one.score, default=None),
    )
    said = [str(text) for text in made.measured.get("reasons", ())] if made is not None else []
    against = review.told(best) if best is not None and made is None else []
    if said:
        yield from marked_words(said[0], "warning", review.languages.source)
    elif best is not None and against:
        yield Words(f"The best of this run, attempt {best.number}: ")
        yield from marked_words(against[0].text, against[0].severity, review.languages.source)
    elif best is None and (earlier := review.source.record.get("review_reasons")):
        # The general reason stands first, what it is about last.
        yield from marked_words(str(earlier[-1]), "warning", review.languages.source)
    else:
        yield Words(reason_of(kind, review.story.row))


def marked_words(message: str, severity: Severity, lang: str | None) -> Iterator[Words]:
    """A sentence of ours with the last words that it quotes marked: those are what it is about."""
    quotes = list(QUOTED.finditer(message))
    if not quotes:
        yield Words(message)
        return
    last = quotes[-1]
    yield Words(f"{QUOTED.sub(CURLED, message[: last.start()])}“")
    yield Words(last["words"], severity, lang)
    yield Words(f"”{message[last.end() :]}")


def facts(kind: Kind, review: SeedReview) -> Iterator[str]:
    """What else there is to know in one line: the reason first, where the sentence above is not about it."""
    why = sentence(reason_of(kind, review.story.row))
    if why.rstrip(".") != "".join(part.text for part in reason_words(kind, review)).rstrip("."):
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
    """A cut that passes."""

    review: SeedReview
    seed: Seed
    score: float
    concerns: int
    """What still speaks against it, and keeps nobody from accepting it."""

    @property
    def note(self) -> str:
        return NOTE

    def drawing(self) -> Drawing:
        return drawing(self.seed, self.review.terms, label="Proposed", proposed=True)

    def changes(self) -> tuple[Drawn, ...]:
        """Beside the best cut so far."""
        return changes(self.review.draft, self.seed)

    def fields(self) -> dict[str, str]:
        """The fields of the editor with this cut in them: all of it in the first."""
        text = "\n".join(f"{lego.source}{BAR}{lego.target}" for lego in self.seed.legos)
        return {name: text if place == 0 else "" for place, name in enumerate(self.review.field_names())}


def ready_cut(run: RunReader, review: SeedReview) -> Proposal | None:
    """The proposal, where the cut that stands does not pass and the built-in extractor has one that does."""
    if review.is_sound or review.story.row.state != run.view.kind.states.waiting:
        return None
    facts = CourseFacts(orjson.loads(run.view.journal.get_meta(FACTS) or "{}"), review.terms)
    if not facts.evidence.links(review.source):
        return None
    made = facts.evidence.built_in_cut(review.source, review.terms.rule)
    looked = look(made, review.terms, facts.habits, facts.evidence)
    critical = any(concern.severity == "critical" for concern in looked.review.concerns)
    if looked.review.overall < ACCEPT or looked.broken or critical or is_same_cut(made, review.draft):
        return None
    return Proposal(review, made, looked.review.overall, len(looked.review.concerns))
