"""The rules that a course has learnt: their text, their version, and the files that hold them with the evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from burnish.core.documents import text_digest
from burnish.core.errors import InputError
from burnish.core.experiments import P_BELOW, Evidence, Reason, lacking
from burnish.kinds.legos.evolution import OVERLAY
from burnish.kinds.legos.policy import MOST_RULES

_SHAPE = re.compile(r"(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?", re.ASCII)


class Version(NamedTuple):
    """`3.1.0`. A later version is the larger one."""

    major: int
    minor: int = 0
    patch: int = 0

    @classmethod
    def of(cls, text: str) -> Self:
        """From `3`, `3.1` or `3.1.0`; ValueError where it is none of these."""
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no version such as 3.1.0")
        return cls(*(int(number or 0) for number in found.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def after_change(self) -> Version:
        """The version once a rule was adopted or taken back."""
        return Version(self.major, self.minor + 1)


LONGEST = 300
"""Characters of a rule."""
SHORTEST = 12
"""What is shorter says nothing that a model could keep to."""

_LEAD_IN = re.compile(r"(?:please\s+)?(?:add|include|insert|state)\b[^:'\"“‘]{0,60}:\s*", re.IGNORECASE)
"""`Add explicit rule: '...'`: what is said about the rule is not the rule."""
_QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "„": "“"}
_MARKUP = re.compile(r"[<>`{}\\|#*_\[\]]|---|://")
_PLAIN = ("L", "M", "N", "P", "S", "Zs")
"""Letters, marks, numbers, punctuation, symbols, blanks: no control characters, nothing invisible, no private use."""


class RuleRefused(ValueError):
    """A suggestion that cannot become a rule; the message says why."""


def rule_text(change: str) -> str:
    """The rule that a suggestion proposes, or RuleRefused."""
    text = _unquoted(_LEAD_IN.sub("", " ".join(change.split()), count=1))
    if len(text) > LONGEST:
        raise RuleRefused(f"it has more than {LONGEST} characters")
    if len(text) < SHORTEST or not rule_words(text):
        raise RuleRefused("it says too little")
    if _MARKUP.search(text) or not all(unicodedata.category(letter).startswith(_PLAIN) for letter in text):
        raise RuleRefused("it is more than plain words: marks of a markup, a link, or characters that nobody sees")
    return text


def rule_words(text: str) -> str:
    """What a rule says, whatever its case and punctuation: the same words are the same rule, whoever suggests it."""
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def rule_id(suggestion: str, text: str) -> str:
    """The name of a rule: `r_preserve_phrasal_verbs_1a2b3c4d`."""
    return f"r_{suggestion.removeprefix('s_')}_{text_digest(rule_words(text)).removeprefix('sha256:')[:8]}"


def _unquoted(text: str) -> str:
    """Without the quotation marks around the whole."""
    end = _QUOTES.get(text[:1])
    inner = text[1:-1]
    around = end is not None and len(text) > 2 and text.endswith(end) and end not in inner.strip(end)
    return inner.strip() if around else text


SCHEMA_VERSION: Literal[1] = 1
VersionText = Annotated[str, Field(pattern=r"^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}$")]
SeedId = Annotated[str, Field(pattern=r"^C[0-9]{4}$")]
RuleText = Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]
Points = Annotated[float, Field(ge=0.0, le=10.0, allow_inf_nan=False)]
Rate = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Action = Literal["adopt", "take_back"]
Decision = Literal["adopted", "rejected", "taken_back", "kept"]


class Part(BaseModel):
    """A part of a file. What a later version adds to it survives."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class TrialEvidence(Part):
    """What a trial showed: the SEEDs before the change and after it."""

    pairs: Count
    score_before: Points
    score_after: Points
    gain: Annotated[float, Field(ge=-10.0, le=10.0)]
    p: Annotated[float, Field(ge=0.0, le=1.0)]
    """One-sided, of the exact sign-flip test."""
    p_below: Annotated[float, Field(gt=0.0, le=P_BELOW)] = P_BELOW
    """The line that p was held against: .05, shared out over the trials of the run that are of the same kind."""
    effect: Annotated[float, Field(ge=-10.0, le=10.0)]
    """Cohen's d of the paired differences."""
    held_out: Count
    concerns_before: Rate
    concerns_after: Rate
    """Concerns a SEED on the part that was held out."""

    @property
    def lacks(self) -> tuple[Reason, ...]:
        """What it lacks to convince; nothing: it does."""
        return lacking(
            self.pairs,
            self.gain,
            p=self.p,
            p_below=self.p_below,
            effect=self.effect,
            concerns=(self.concerns_before, self.concerns_after),
        )


class OverlayRule(Part):
    """A rule that this course has learnt."""

    id: str
    text: RuleText
    suggestion_id: str
    adopted_in: VersionText
    """The version of the prompt that it made."""
    adopted_at: str
    trial: str
    evidence: TrialEvidence


class FormerRule(OverlayRule):
    """A rule that lowered scores later on."""

    taken_back_in: VersionText
    taken_back_at: str
    taken_back_trial: str
    taken_back_evidence: TrialEvidence


class OverlayFile(Part):
    """prompts/overlay.json: the rules that are added to the prompts we ship, in the order of their adoption."""

    schema_version: Literal[1] = SCHEMA_VERSION
    version: VersionText
    rules: tuple[OverlayRule, ...] = ()
    taken_back: tuple[FormerRule, ...] = ()


class LedgerRow(Part):
    """A line of prompts/ledger.jsonl: one trial and what became of it."""

    schema_version: Literal[1] = SCHEMA_VERSION
    trial: str
    """Its name: the same trial is written down once, however often a run was killed."""
    at: str
    run_id: str
    model: str
    seed: int
    """What the SEEDs were drawn with."""
    action: Action
    rule: str
    text: RuleText
    suggestion_id: str
    proposed_by: Count
    """SEEDs whose attempts suggest it; 0 where an adopted rule was tried again."""
    tested: tuple[SeedId, ...]
    held_out: tuple[SeedId, ...]
    version_before: VersionText
    version_after: VersionText
    evidence: TrialEvidence
    decision: Decision
    reasons: tuple[Reason, ...]
    """What the evidence lacks; empty where the change was made."""
    why: str
    """The same for people."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that may become part of the overlay."""

    id: str
    text: str
    suggestion_id: str
    proposed_by: int = 0
    """SEEDs whose attempts suggest it."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rules of a course. A change makes a new overlay."""

    version: Version
    """Of the prompt with these rules: never below that of the prompt we ship."""
    rules: tuple[OverlayRule, ...] = ()
    taken_back: tuple[FormerRule, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the file that we do not know. They stay in it."""

    @classmethod
    def of(cls, data: bytes | None, base: str, path: str = OVERLAY) -> Overlay:
        """The overlay in the bytes of its file, or an empty one; `base` is the version of the prompt we ship."""
        shipped = Version.of(base)
        if data is None:
            return cls(shipped)
        file = _read(data, path)
        for rule in file.rules:
            _refuse_unfit(rule, path)
        version = max(shipped, Version.of(file.version))
        return cls(version, file.rules, file.taken_back, file.model_extra or {})

    @property
    def texts(self) -> tuple[str, ...]:
        """What is added to the prompt."""
        return tuple(rule.text for rule in self.rules)

    @property
    def is_full(self) -> bool:
        return len(self.rules) >= MOST_RULES

    @property
    def words(self) -> frozenset[str]:
        """What the rules say, see `rule_words`."""
        return frozenset(rule_words(rule.text) for rule in self.rules)

    def without(self, id: str) -> tuple[str, ...]:
        """What would be added to the prompt if this rule were not there."""
        goes = self._saying_the_same(id)
        return tuple(rule.text for rule in self.rules if rule not in goes)

    def _saying_the_same(self, id: str) -> list[OverlayRule]:
        """The rule and all that say the same: an old overlay may hold it twice, or under two names."""
        words = {rule_words(rule.text) for rule in self.rules if rule.id == id}
        return [rule for rule in self.rules if rule_words(rule.text) in words]

    def adopting(self, rule: Rule, evidence: Evidence, *, trial: str, at: str) -> Overlay:
        version = self.version.after_change
        adopted = OverlayRule(
            id=rule.id,
            text=rule.text,
            suggestion_id=rule.suggestion_id,
            adopted_in=str(version),
            adopted_at=at,
            trial=trial,
            evidence=TrialEvidence(**evidence.as_record()),
        )
        return replace(self, version=version, rules=(*self.rules, adopted))

    def taking_back(self, id: str, evidence: Evidence, *, trial: str, at: str) -> Overlay:
        version = self.version.after_change
        goes = self._saying_the_same(id)
        former = (
            FormerRule(
                **rule.model_dump(exclude={"evidence"}),
                evidence=rule.evidence,
                taken_back_in=str(version),
                taken_back_at=at,
                taken_back_trial=trial,
                taken_back_evidence=TrialEvidence(**evidence.as_record()),
            )
            for rule in goes
        )
        kept = tuple(rule for rule in self.rules if rule not in goes)
        return replace(self, version=version, rules=kept, taken_back=(*self.taken_back, *former))

    def to_bytes(self) -> bytes:
        """The file: one and the same for one and the same overlay."""
        file = OverlayFile(version=str(self.version), rules=self.rules, taken_back=self.taken_back, **self.unknown)
        return orjson.dumps(file.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _read(data: bytes, path: str) -> OverlayFile:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as wrong:
        raise InputError(
            f"The overlay is no JSON: {wrong}.",
            path=path,
            code="bad_overlay",
            hint="Mend it, or put it aside: without it the prompts are those we ship.",
        ) from None
    found = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise InputError(
            "The overlay was written by a newer Burnish.",
            path=path,
            code="newer_schema",
            hint="Use that version, or put the overlay aside.",
        )
    try:
        # Strict about types, but lists are what JSON has for tuples.
        return OverlayFile.model_validate_json(data)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        raise InputError(
            f"The overlay is not as it should be: {first['msg']}.",
            path=path,
            field=".".join(map(str, first["loc"])),
            code="bad_overlay",
            hint="`burnish schema prompt_overlay` says how it should be.",
        ) from None


def _refuse_unfit(rule: OverlayRule, path: str) -> None:
    """Somebody may have edited the file: what goes into a prompt is looked at like any suggestion."""
    try:
        fit = rule_text(rule.text) == rule.text
    except RuleRefused as refused:
        raise InputError(
            f"The rule {rule.id} cannot stand in a prompt: {refused}.", path=path, code="bad_overlay"
        ) from None
    if not fit:
        raise InputError(
            f"The rule {rule.id} is not one plain line.",
            path=path,
            code="bad_overlay",
            hint="Write it without line breaks, doubled blanks and quotation marks around it.",
        )
