"""The overlay and the ledger as pydantic models: what others may rely on. Fields that we do not know are kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.core.experiments import P_BELOW, Reason, lacking
from burnish.kinds.legos.evolving.rules import LONGEST, SHORTEST

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
