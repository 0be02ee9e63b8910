"""A SEED that waits: why, in one sentence with the words marked, what stands there now, and what is proposed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from burnish.app.legos.course_text import DIMENSIONS
from burnish.app.reports.reasons import reason_of
from burnish.core.attempts import findings_of
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.kinds import PublishedKind, UnitStory
from burnish.core.records import AttemptRecord, Usage
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.examining import BROKEN
from burnish.kinds.legos.flagging import ACCEPT
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.past import seed_of_attempt
from burnish.kinds.legos.rulebook import SEVERITIES as SEVERITY_OF
from burnish.kinds.legos.stages.tools import seed_of
from burnish.web.kinds import Words
from burnish.web.kinds.legos.drawing import Drawing, LegoChange, Tongues, changes, drawing, is_same_cut
from burnish.web.kinds.legos.editing import field_names
from burnish.web.kinds.legos.tries import Try, tries_of
from burnish.web.speaking import said_by
from burnish.web.wording import sentence

QUOTED = re.compile(r"""(?<!\w)(?P<mark>['"])(?P<words>.+?)(?P=mark)(?!\w)""", re.DOTALL)
"""Words of a course in a sentence of ours."""
CURLED = r"“\g<words>”"


@dataclass(frozen=True)
class Waiting:
    """A SEED as a person is asked about it."""

    terms: Terms
    story: UnitStory
    tries: tuple[Try, ...]

    @classmethod
    def of(cls, story: UnitStory, terms: Terms) -> Waiting:
        return cls(terms, story, tries_of(story, terms))

    @property
    def tongues(self) -> Tongues:
        return Tongues.of(self.terms.course)

    @property
    def source(self) -> Seed:
        return seed_of(self.story.source)

    @property
    def draft(self) -> AttemptRecord | None:
        """The attempt of this run whose draft stands."""
        number = self.story.row.best_attempt
        return self.story.attempts[number - 1] if 0 < number <= len(self.story.attempts) else None

    @property
    def stands(self) -> Seed:
        """The cut that an acceptance keeps."""
        draft = self.draft
        return seed_of_attempt(draft) if draft is not None and draft.content is not None else self.source

    @property
    def made(self) -> Try | None:
        """The attempt that made it, with its review; None: nobody has looked at it yet."""
        return next((one for one in self.tries if one.is_kept and one.attempt is not None), None)

    @property
    def kept(self) -> Try | None:
        """The same, be it of an earlier run."""
        return next((one for one in self.tries if one.is_kept), None)

    @property
    def is_proposed(self) -> bool:
        """Whether an acceptance puts something else into the course than it holds."""
        return bool(self.stands.legos) and not is_same_cut(self.source, self.stands)

    @property
    def findings(self) -> Sequence[Finding]:
        """What speaks against the cut that stands, worst first. A broken guarantee says once more what a rule says."""
        found = findings_of(self.made.attempt) if self.made is not None and self.made.attempt is not None else []
        return sorted(found, key=lambda one: (SEVERITIES.index(one.severity), one.rule == BROKEN))

    @property
    def is_sound(self) -> bool:
        """Whether nothing that blocks speaks against the cut that stands."""
        return bool(self.stands.legos) and not any(finding.blocks for finding in self.findings)

    def field_names(self) -> list[str]:
        """The fields of the form in which a person cuts it."""
        return field_names(self.stands)

    def now(self) -> Drawing | None:
        """The cut that the course holds; where it holds none or that one stands, the one that stands."""
        if self.is_proposed:
            return drawing(self.source, self.terms, label="Now") if self.source.legos else None
        return drawing(self.stands, self.terms, label="Now", made=self.made) if self.stands.legos else None

    def proposed(self) -> Drawing | None:
        if not self.is_proposed:
            return None
        label = "Proposed" if self.is_sound else "The best cut"
        return drawing(self.stands, self.terms, label=label, made=self.made, proposed=self.is_sound)

    def changes(self) -> tuple[LegoChange, ...]:
        """What the proposal changes, where there is something to change."""
        return changes(self.source, self.stands) if self.is_proposed and self.source.legos else ()

    def effect(self) -> Effect:
        """What an acceptance brings."""
        past = [one for one in self.tries if one.is_earlier and one.seed is not None]
        made = self.kept
        return Effect(
            open=tuple(dict.fromkeys(finding.rule for finding in self.findings)),
            before=past[-1].score if past and self.is_proposed else None,
            score=made.score if made is not None else None,
            uncovered=self.stands.uncovered,
            usage=sum((one.usage for one in self.tries), Usage()),
            looked_at=self.made is not None,
        )

    def shown(self) -> Drawing:
        """The cut that stands, listed."""
        return drawing(self.stands, self.terms, label="Cut", made=self.made)

    def drawn(self, tried: Try) -> Drawing | None:
        """The cut of an attempt, with what its review says against it; None where it is not kept any more."""
        if tried.seed is None or not tried.seed.legos:
            return None
        return drawing(tried.seed, self.terms, label="Cut", made=tried)

    def dimensions(self, tried: Try) -> list[tuple[str, float]]:
        """Label and score of each dimension."""
        return [(DIMENSIONS[name], float(tried.dimensions[name])) for name in DIMENSIONS]

    def told(self, tried: Try) -> list[Told]:
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
        said += [Told("warning", str(text)) for text in tried.measured.get("doubts", ())]
        return sorted(said, key=lambda one: SEVERITIES.index(one.severity))

    def others(self) -> tuple[Try, ...]:
        """The tries of this run that were not kept."""
        return tuple(one for one in self.tries if not one.is_kept and one.attempt is not None)


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that a review says against a cut."""

    severity: Severity
    text: str
    rule: str = ""
    who: str = ""
    """Who says so, where it is not a rule."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What comes of an acceptance, in numbers."""

    open: tuple[str, ...]
    """Rules that still speak against the cut."""
    before: float | None
    score: float | None
    uncovered: tuple[str, ...]
    usage: Usage
    looked_at: bool
    """Whether this run reviewed the cut."""

    @property
    def accepts(self) -> bool:
        """Whether the score alone would do."""
        return self.score is not None and self.score >= ACCEPT


def _who(source: str) -> str:
    return "" if source == "rule" else said_by(source)


def reason_words(kind: PublishedKind, waiting: Waiting) -> Iterator[Words]:
    """Why it waits: the worst that is said of the cut, or else the reason for which it rests."""
    worst = worst_of(waiting)
    if worst is None:
        yield from _told(kind, waiting)
        return
    name = _lego(waiting.source, worst)
    yield from ([Words(f"{name}: ")] if name and not worst.message.startswith(name) else [])
    yield from marked_words(worst.message, worst.severity, waiting.tongues.source)


def worst_of(waiting: Waiting) -> Finding | None:
    """The finding that the reason tells of: only one that blocks is a reason by itself."""
    return next((finding for finding in waiting.findings if finding.blocks), None)


def _told(kind: PublishedKind, waiting: Waiting) -> Iterator[Words]:
    """What the run wrote down for people; it says more than the name of the reason does."""
    made, best = waiting.made, best_of(waiting)
    said = [str(text) for text in made.measured.get("reasons", ())] if made is not None else []
    against = waiting.told(best) if best is not None and made is None else []
    if said:
        yield from marked_words(said[0], "warning", waiting.tongues.source)
    elif best is not None and against:
        yield Words(f"The best of this run, try {best.number}: ")
        yield from marked_words(against[0].text, against[0].severity, waiting.tongues.source)
    elif best is None and (earlier := waiting.source.record.get("review_reasons")):
        # The general reason stands first, what it is about last.
        yield from marked_words(str(earlier[-1]), "warning", waiting.tongues.source)
    else:
        yield Words(reason_of(kind, waiting.story.row))


def best_of(waiting: Waiting) -> Try | None:
    """The best try of this run; None where there was none."""
    return max((one for one in waiting.tries if one.attempt is not None), key=lambda one: one.score, default=None)


def _lego(seed: Seed, finding: Finding) -> str:
    """The LEGO that a finding is about: `S44L2`."""
    place = (finding.field or "").partition(".")[0].removeprefix("L")
    return seed.provenance(int(place)) if place.isdecimal() else ""


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


def facts(kind: PublishedKind, waiting: Waiting) -> Iterator[str]:
    """What else there is to know in one line: the reason first, where the sentence above is not about it."""
    why = sentence(reason_of(kind, waiting.story.row))
    if why.rstrip(".") != "".join(part.text for part in reason_words(kind, waiting)).rstrip("."):
        yield why
    mine = [one for one in waiting.tries if one.attempt is not None]
    if mine and not any(one.attempt.passed for one in mine if one.attempt is not None):
        best = max(mine, key=lambda one: one.score)
        times = "1 try" if len(mine) == 1 else f"{len(mine)} tries"
        short = "with a rule broken that no score makes up for" if best.score >= ACCEPT else f"line {ACCEPT:.1f}"
        yield f"Not accepted after {times}: best {best.score:.1f}, {short}"
    elif waiting.kept is not None:
        yield f"Score {waiting.kept.score:.1f}, line {ACCEPT:.1f}"
    if waiting.source.legos and not waiting.is_proposed and waiting.others():
        yield "The cut of an earlier run is kept: none of this run is better"
    prompts = sorted({one.prompt for one in mine if one.prompt})
    if prompts:
        yield f"Prompt {', '.join(prompts)}"
