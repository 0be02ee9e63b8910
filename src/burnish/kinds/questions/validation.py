"""All rules on one question: sets taken apart, ignores honoured, warnings that pile up raised."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from burnish.core.checks import Check, Examination, Selection, run_checks_on_all
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.model import Question, revised
from burnish.kinds.questions.policy import UNFIT, UNJUDGED
from burnish.languages.detection import detect

ESCALATION = 3
"""A field that collects this many warnings has them raised to errors."""
RAISED = f"(An error here, because the field has {ESCALATION} warnings or more.)"


@dataclass(frozen=True, slots=True)
class Part:
    """One item of a set, seen as a question of its own."""

    question: Question
    places: Mapping[str, str]
    """Field of the view -> field of the whole question; what is not named keeps its name."""

    def place(self, field: Field) -> Field:
        if field is None:
            return None
        head, dot, rest = field.partition(".")
        return f"{self.places.get(head, head)}{dot}{rest}"

    def placed(self, finding: Finding) -> Finding:
        """The finding, and its fix, where they stand in the whole question."""
        fix = replace(finding.fix, field=self.place(finding.fix.field)) if finding.fix else None
        return replace(finding, field=self.place(finding.field), fix=fix)


def examine_all(questions: Sequence[Question], selection: Selection, context: BankContext) -> list[Examination]:
    """All rules on many questions. Those for which the same rules speak are looked at together, which is faster."""
    places: defaultdict[Alike, list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        places[alike(question, context)].append(place)
    examinations: dict[int, Examination] = {}
    for common, together in places.items():
        rules = Rules.of(common, selection)
        views = {place: parts(questions[place]) for place in together}
        every = [part.question for each in views.values() for part in each]
        found = iter(run_checks_on_all(selection, rules.checks, every, context))
        for place, each in views.items():
            examinations[place] = rules.examination(questions[place], each, islice(found, len(each)))
    return [examinations[place] for place in range(len(questions))]


Alike = tuple[str | None, frozenset[str]]
"""What questions have in common for which the same rules speak: the language, and the rules that do not fit them."""


def alike(question: Question, context: BankContext) -> Alike:
    """The language is told by that of the bank where the question does not say it itself."""
    if not question.language and context.language:
        shown = detect(question.words_shown, document=context.language).language
        question.__dict__["language_shown"] = shown  # where a cached property keeps its value
    return question.language_shown, UNFIT.get(question.type, frozenset())


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that speak for some questions."""

    checks: Sequence[Check]
    skipped: tuple[str, ...]
    """Those that cannot judge the language."""
    language: str | None

    @classmethod
    def of(cls, common: Alike, selection: Selection) -> Rules:
        language, unfit = common
        able, unable = selection.for_language(language)
        checks = [check for check in able if check.id not in unfit] if unfit else able
        return cls(checks, tuple(id for id in unable if id not in unfit), language)

    def examination(self, question: Question, parts: Sequence[Part], found: Iterable[list[Finding]]) -> Examination:
        """What was found in the parts of a question, with what was ignored, skipped and escalated."""
        raised: dict[object, Finding] = {}
        for part, noticed in zip(parts, found, strict=True):
            for finding in noticed:
                placed = part.placed(finding)
                # A finding on the shared option list of a set shows up once for each item: it is one finding.
                raised.setdefault((*placed.key, placed.message), placed)
        ignores = question.burnish_ignore
        kept = [finding for finding in raised.values() if finding.rule not in ignores]
        ignored = tuple(finding for finding in raised.values() if finding.rule in ignores)
        findings, escalated = escalate(kept)
        return Examination(
            findings, ignored, self.skipped, len(self.checks), escalated, self.language, unjudged=UNJUDGED
        )


def escalate(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Raise the warnings of every field that has collected ESCALATION of them."""
    listed = list(findings)
    if len(listed) < ESCALATION:
        return tuple(listed), ()
    warnings = Counter(f.field for f in listed if f.severity == "warning" and f.field is not None)
    full = tuple(field for field, count in warnings.items() if count >= ESCALATION)
    return tuple(
        replace(f, severity="error", message=f"{f.message} {RAISED}")
        if f.severity == "warning" and f.field in full
        else f
        for f in listed
    ), full


def parts(question: Question) -> list[Part]:
    """The questions inside a question: itself, or each item of a set."""
    if not question.items:
        return [Part(question, {})]
    found = []
    for index, item in enumerate(question.items):
        here = f"items.{index}"
        own = ["correct_answer", "rationale"]
        texts: dict[str, object] = {"correct_answer": item.correct_answer, "rationale": item.rationale, "items": None}
        if item.options is not None:
            # A sequential set: one vignette, then items that each ask and answer for themselves.
            own += ["stem", "options"]
            texts |= {"stem": item.stem, "options": item.options}
            stem = "stem"
        else:
            # Extended matching: the item tells a case, the set's stem asks about it and its options answer.
            stem = "vignette" if question.stem else "stem"
            texts[stem] = item.stem
        places = {name: f"{here}.{name}" for name in own} | {stem: f"{here}.stem"}
        found.append(Part(revised(question, **texts), places))
    return found
