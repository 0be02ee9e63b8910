"""The rules that a course has learnt: text, version, and the files that store them with their evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from burnish.core.documents import text_digest
from burnish.core.errors import InputError
from burnish.core.experiments import P_BELOW, Evidence, Reason, lacking
from burnish.core.json_bytes import dumps, loads
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
        """From `3`, `3.1` or `3.1.0`; ValueError for anything else."""
        found = _SHAPE.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is not a version such as 3.1.0")
        return cls(*(int(number or 0) for number in found.groups()))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def after_change(self) -> Version:
        """The version after a rule is adopted or withdrawn."""
        return Version(self.major, self.minor + 1)


LONGEST = 300
"""The most characters of a rule."""
SHORTEST = 12
"""The fewest characters of a rule: a shorter one tells a model nothing."""

_LEAD_IN = re.compile(r"(?:please\s+)?(?:add|include|insert|state)\b[^:'\"“‘]{0,60}:\s*", re.IGNORECASE)
"""`Add explicit rule: '...'`: the introduction is not part of the rule."""
_QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "„": "“"}
_MARKUP = re.compile(r"[<>`{}\\|#*_\[\]]|---|://")
_PLAIN = ("L", "M", "N", "P", "S", "Zs")
"""Letters, marks, numbers, punctuation, symbols, blanks: no control, invisible or private-use characters."""


class RuleRefused(ValueError):
    """Raised for a suggestion that cannot become a rule; the message gives the reason."""


def rule_text(change: str) -> str:
    """The rule in a suggestion. Raise RuleRefused if it is unfit."""
    text = _unquoted(_LEAD_IN.sub("", " ".join(change.split()), count=1))
    if len(text) > LONGEST:
        raise RuleRefused(f"it has more than {LONGEST} characters")
    if len(text) < SHORTEST or not rule_words(text):
        raise RuleRefused("it is too short")
    if _MARKUP.search(text) or not all(unicodedata.category(letter).startswith(_PLAIN) for letter in text):
        raise RuleRefused("it is not plain text: it has markup, a link or invisible characters")
    return text


def rule_words(text: str) -> str:
    """The words of a rule without case and punctuation: rules with the same words are the same rule."""
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def rule_id(suggestion: str, text: str) -> str:
    """The id of a rule: `r_preserve_phrasal_verbs_1a2b3c4d`."""
    return f"r_{suggestion.removeprefix('s_')}_{text_digest(rule_words(text)).removeprefix('sha256:')[:8]}"


def _unquoted(text: str) -> str:
    """The text without quotation marks around the whole."""
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
    """A part of a file. Fields added by later versions are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class TrialEvidence(Part):
    """The result of a trial: the SEEDs before the change and after it."""

    pairs: Count
    score_before: Points
    score_after: Points
    gain: Annotated[float, Field(ge=-10.0, le=10.0)]
    p: Annotated[float, Field(ge=0.0, le=1.0)]
    """One-sided, from the exact sign-flip test."""
    p_below: Annotated[float, Field(gt=0.0, le=P_BELOW)] = P_BELOW
    """The significance level: .05, divided among the trials of the same kind in the run."""
    effect: Annotated[float, Field(ge=-10.0, le=10.0)]
    """Cohen's d of the paired differences."""
    held_out: Count
    concerns_before: Rate
    concerns_after: Rate
    """Concerns per SEED on the held-out part."""

    @property
    def lacks(self) -> tuple[Reason, ...]:
        """The reasons why it does not convince; empty if it does."""
        return lacking(
            self.pairs,
            self.gain,
            p=self.p,
            p_below=self.p_below,
            effect=self.effect,
            concerns=(self.concerns_before, self.concerns_after),
        )


class OverlayRule(Part):
    """A rule of this course's overlay."""

    id: str
    text: RuleText
    suggestion_id: str
    adopted_in: VersionText
    """The prompt version that the rule's adoption created."""
    adopted_at: str
    trial: str
    evidence: TrialEvidence


class FormerRule(OverlayRule):
    """A rule that was withdrawn because it lowered scores."""

    taken_back_in: VersionText
    taken_back_at: str
    taken_back_trial: str
    taken_back_evidence: TrialEvidence


class OverlayFile(Part):
    """prompts/overlay.json: the rules that are added to the shipped prompts, in the order of their adoption."""

    schema_version: Literal[1] = SCHEMA_VERSION
    version: VersionText
    rules: tuple[OverlayRule, ...] = ()
    taken_back: tuple[FormerRule, ...] = ()


class LedgerRow(Part):
    """A line of prompts/ledger.jsonl: one trial and its result."""

    schema_version: Literal[1] = SCHEMA_VERSION
    trial: str
    """Its id: a trial is recorded once, even if a run was killed and resumed."""
    at: str
    run_id: str
    model: str
    seed: int
    """The seed of the random draw of SEEDs."""
    action: Action
    rule: str
    text: RuleText
    suggestion_id: str
    proposed_by: Count
    """SEEDs whose attempts suggest it; 0 if an adopted rule was tested again."""
    tested: tuple[SeedId, ...]
    held_out: tuple[SeedId, ...]
    version_before: VersionText
    version_after: VersionText
    evidence: TrialEvidence
    decision: Decision
    reasons: tuple[Reason, ...]
    """The reasons against the change; empty if it was made."""
    why: str
    """The decision in words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that may be added to the overlay."""

    id: str
    text: str
    suggestion_id: str
    proposed_by: int = 0
    """SEEDs whose attempts suggest it."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rules of a course. A change returns a new overlay."""

    version: Version
    """The prompt version with these rules: at least that of the shipped prompt."""
    rules: tuple[OverlayRule, ...] = ()
    taken_back: tuple[FormerRule, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Unknown fields of the file, which are kept."""

    @classmethod
    def of(cls, data: bytes | None, base: str, path: str = OVERLAY) -> Overlay:
        """The overlay of a file, or an empty one; `base` is the version of the shipped prompt."""
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
        """The rules added to the prompt."""
        return tuple(rule.text for rule in self.rules)

    @property
    def is_full(self) -> bool:
        return len(self.rules) >= MOST_RULES

    @property
    def words(self) -> frozenset[str]:
        """The words of the rules, see `rule_words`."""
        return frozenset(rule_words(rule.text) for rule in self.rules)

    def without(self, id: str) -> tuple[str, ...]:
        """The rules added to the prompt, without this one."""
        goes = self._same_words(id)
        return tuple(rule.text for rule in self.rules if rule not in goes)

    def _same_words(self, id: str) -> list[OverlayRule]:
        """The rule and all with the same words: an old overlay may have it twice, or under two ids."""
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
        goes = self._same_words(id)
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
        """The file; equal overlays give equal bytes."""
        file = OverlayFile(version=str(self.version), rules=self.rules, taken_back=self.taken_back, **self.unknown)
        return dumps(file.model_dump(mode="json"), indent=2) + b"\n"


def _read(data: bytes, path: str) -> OverlayFile:
    try:
        value = loads(data)
    except ValueError as wrong:
        raise InputError(
            f"The overlay is not JSON: {wrong}.",
            path=path,
            code="bad_overlay",
            hint="Correct it, or move it away: without it the shipped prompts are used.",
        ) from None
    found = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise InputError(
            "The overlay was written by a newer Burnish.",
            path=path,
            code="newer_schema",
            hint="Use that version, or move the overlay away.",
        )
    try:
        # Strict, but JSON lists are accepted for tuples.
        return OverlayFile.model_validate_json(data)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        raise InputError(
            f"The overlay is invalid: {first['msg']}.",
            path=path,
            field=".".join(map(str, first["loc"])),
            code="bad_overlay",
            hint="`burnish schema prompt_overlay` shows its format.",
        ) from None


def _refuse_unfit(rule: OverlayRule, path: str) -> None:
    """Raise InputError for a rule that was edited in the file and is unfit for a prompt."""
    try:
        fit = rule_text(rule.text) == rule.text
    except RuleRefused as refused:
        raise InputError(
            f"The rule {rule.id} cannot be used in a prompt: {refused}.", path=path, code="bad_overlay"
        ) from None
    if not fit:
        raise InputError(
            f"The rule {rule.id} is not a single line.",
            path=path,
            code="bad_overlay",
            hint="Write it without line breaks, double blanks and quotation marks around it.",
        )
