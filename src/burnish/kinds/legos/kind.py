"""The LEGOs kind, as the engine, the commands and the pages use it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, cast

from burnish.core.checks import Check, Examination, Selection
from burnish.core.damage import Damage
from burnish.core.documents import Material, Part, Unit
from burnish.core.effects import Effect, Stop, Work
from burnish.core.errors import UsageError
from burnish.core.findings import Finding
from burnish.core.forecasts import Forecast, Rehearsal, phase_forecasts
from burnish.core.gate import Count, GatePolicy
from burnish.core.kinds import Issue, Kind, Overview
from burnish.core.presentation import (
    Artifact,
    Contract,
    Illustration,
    KindWords,
    RunFacts,
)
from burnish.core.records import AttemptRecord
from burnish.core.tasks import Environment, Gathered, Stage, Task
from burnish.kinds.legos import policy, publish, requests, text_format
from burnish.kinds.legos.attempt_history import earlier, is_taken
from burnish.kinds.legos.evidence import Habits
from burnish.kinds.legos.extraction import Aligning, Extracting, pretended, pretended_failure, seed_of
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.policy import RULES
from burnish.kinds.legos.resources import Terms, gathered
from burnish.kinds.legos.review import Reviewing
from burnish.kinds.legos.rule_review import examination, look
from burnish.kinds.legos.text_format import cut_by_person, shown

_RECORDS = "burnish.kinds.legos.records"
_REPORTS = "burnish.kinds.legos.reports.shapes"
_EVOLUTION = "burnish.kinds.legos.evolution.overlay"

CONTRACTS: Mapping[str, Contract] = {
    "translation_amino_acid": Contract(
        "A SEED: a file in amino_acids/translations.", _RECORDS, "TranslationAminoAcid", alias="translation"
    ),
    "lego_amino_acid": Contract("A LEGO: a file in amino_acids/legos.", _RECORDS, "LegoAminoAcid", alias="lego"),
    "archived_attempts": Contract("A file in amino_acids/archive.", _RECORDS, "ArchivedAttempts"),
    "extraction_attempt": Contract("One extraction of a SEED and its review.", _RECORDS, "ExtractionAttempt"),
    "quality_score": Contract("The scores of an extraction.", _RECORDS, "QualityScore"),
    "concern": Contract("A fault of an extraction.", _RECORDS, "Concern"),
    "suggestion": Contract("A change proposed for the extraction prompt.", _RECORDS, "Suggestion"),
    "quality_report": Contract("quality_reports/quality_report.json of a course.", _REPORTS, "QualityReport"),
    "flagged_seeds": Contract("quality_reports/flagged_seeds.json.", _REPORTS, "FlaggedSeeds"),
    "failed_seeds": Contract("quality_reports/failed_seeds.json.", _REPORTS, "FailedSeeds"),
    "retry_queue": Contract("quality_reports/retry_queue.json.", _REPORTS, "RetryQueue"),
    "human_review_queue": Contract("quality_reports/human_review_queue.json.", _REPORTS, "HumanReviewQueue"),
    "teaching_order": Contract("teaching_order.json of a course.", _REPORTS, "TeachingOrder"),
    "prompt_overlay": Contract("prompts/overlay.json of a course.", _EVOLUTION, "OverlayFile"),
    "prompt_ledger_row": Contract("A line of prompts/ledger.jsonl.", _EVOLUTION, "LedgerRow"),
}
"""The published schemas, by name."""


NOT_A_FILE = "A course is a folder of records, and its SEEDs are cut by `burnish legos extract DIR`."


@dataclass(frozen=True)
class LegosKind(Kind):
    """A language course and the phrases cut from it."""

    terms: Terms = field(default_factory=Terms)
    name: str = "legos"
    noun: str = "SEED"
    merged: str = policy.WRITTEN
    out_of_scope: str = policy.SETTLED
    final_name: str = publish.FINAL
    is_phased = True
    checks = ()
    """None that run alone: faults of a cut are found by the review as a whole."""
    document_rules = RULES
    """The concerns of a review. They see all LEGOs of a SEED, and some of them the whole course."""
    contracts = CONTRACTS
    profiles = policy.PROFILES
    states = policy.STATES
    prompts = tuple(requests.prompt(name) for name in requests.NAMES)
    words = KindWords(
        "LEGOs",
        "course",
        doing="Cutting",
        command="legos extract",
        done="cut",
        ready="accepted",
        repaired="Cut anew",
        causes={
            "review": "reviewed",
            "model": "cut by a model",
            "machine": "cut without a model",
            "person": "cut by a person",
        },
        highest_score=10.0,
    )

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> LegosKind:
        return replace(self, terms=Terms.of(options))

    # -- documents

    @property
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        return {text_format.FORMAT: (text_format.ENDING,)}

    def recognise(self, path: str, head: bytes) -> str | None:
        return text_format.FORMAT if path.endswith(text_format.ENDING) else None

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        return text_format.read(stream, path)

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        raise UsageError(NOT_A_FILE, hint="Cuts made by hand are scored by `burnish legos score FILE`.")

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> Habits | None:
        """Return None: the run gathers the facts about the whole course."""
        return None

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        raise UsageError(NOT_A_FILE, hint="`burnish legos report DIR` shows the state of a course.")

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], Unit | None],
        target: BinaryIO,
    ) -> None:
        """Write the SEEDs with their current LEGOs. Their records, with every attempt, are in the course itself."""
        for seed in text_format.read(source, path):
            target.write(text_format.seed_line(seed_of(changed(seed.id) or seed)))

    # -- display

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        raise UsageError(f"{check.id} is not a rule of LEGOs.")

    # -- judging

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        seed = seed_of(unit)
        return examination(seed, look(seed, self.terms, cast(Habits | None, context)))

    def gate(self, judges: int) -> GatePolicy:
        return policy.gate()

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        scores: Mapping[str, object] = examination.measured["scores"]
        return scores

    # -- proving

    @property
    def damages(self) -> tuple[Damage, ...]:
        from burnish.kinds.legos.damage import DAMAGES

        return DAMAGES

    def rule_findings(self, changed: Sequence[Unit], env: Environment) -> list[Finding]:
        from burnish.kinds.legos.damage import rule_findings

        return rule_findings(self.terms, changed, env)

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        from burnish.kinds.legos.damage import judge_findings

        return judge_findings(self, changed, env)

    # -- stages

    @property
    def phases(self) -> tuple[str, ...]:
        return ("align", "extract", "review")

    @property
    def rework_phases(self) -> tuple[str, ...]:
        return ("extract", "review")

    def work(self, task: Task, env: Environment) -> Work:
        assert env.around is not None, "a batch has a document"
        return self.stage(task.phase, env).work(task.units, env.around)

    def stage(self, name: str, env: Environment) -> Stage:
        stages: Mapping[str, Callable[[], Stage]] = {
            "align": Aligning,
            "extract": lambda: Extracting(self.terms, env),
            "review": lambda: Reviewing(self.terms, env),
        }
        return stages[name]()

    def admitted(self, unit: Unit) -> Stop:
        """SEEDs accepted in an earlier run are left unchanged, and those that wait for a person keep waiting, unless
        they are to be cut again."""
        seed = seed_of(unit)
        if self.terms.leaves_alone(seed):
            return Stop(policy.SETTLED, "not_asked_for")
        if not earlier(seed) or self.terms.begins_anew(seed):
            return Stop(policy.PENDING)
        if seed.record.get("human_review_requested"):
            return Stop(policy.WAITING, policy.WAITED)
        accepted = seed.record.get("quality_status") == "accepted" or is_taken(seed)
        return Stop(policy.SETTLED, "accepted_before") if accepted else Stop(policy.PENDING)

    def why_incomplete(self, unit: Unit) -> str | None:
        return None if seed_of(unit).legos else "There is no LEGO in it yet."

    @property
    def most_attempts(self) -> int:
        return self.terms.max_attempts

    def pretended(self, unit: Unit) -> Seed:
        """A cut by rules: about as long as a model's cut."""
        seed = seed_of(unit)
        return seed if seed.legos else pretended(seed, self.terms)

    def pretended_failure(self, draft: Unit) -> AttemptRecord:
        return pretended_failure(seed_of(draft))

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        return phase_forecasts(self, run)

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered:
        return gathered((seed_of(unit) for unit in units), self.terms, env.facts)

    def artifacts(self, *, published: bool) -> Mapping[str, Artifact]:
        return publish.artifacts(self.terms)

    def summaries(self, run: RunFacts) -> Mapping[str, Mapping[str, Any]]:
        return {"manifest.json": publish.manifest(run, self.terms)}

    # -- storage and display

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        return seed_of(unit).as_record()

    def from_record(self, record: Mapping[str, Any]) -> Seed:
        return Seed.from_record(record)

    def from_person(self, unit: Unit, text: str) -> Seed:
        return cut_by_person(seed_of(unit), text, self.terms)

    def shown(self, unit: Unit) -> str:
        return shown(seed_of(unit))

    @property
    def reasons(self) -> Mapping[str, str]:
        return policy.REASONS


KIND: Kind = LegosKind()
"""The instance that commands and pages load."""
