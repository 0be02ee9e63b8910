"""The kind of manuscripts, as the engine and the doors use it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from typing import Any, BinaryIO, cast

from burnish.core.checks import Check, Examination, Selection, discover
from burnish.core.damage import Damage
from burnish.core.documents import Material, Part, Unit
from burnish.core.effects import Effect, Stop, Work
from burnish.core.errors import InputError, UsageError
from burnish.core.findings import Finding
from burnish.core.forecasts import Forecast, Rehearsal, phase_forecasts
from burnish.core.gate import Count, GatePolicy
from burnish.core.kinds import Issue, Kind, Overview
from burnish.core.presentation import (
    Artifact,
    Contract,
    Illustration,
    KindWords,
    Remark,
    RunFacts,
    Table,
)
from burnish.core.records import AttemptRecord
from burnish.core.tasks import Environment, Gathered, Stage, Task
from burnish.kinds.manuscripts import checks, policy, requests
from burnish.kinds.manuscripts.block_fit import final_pieces, pairs, reads_back_as
from burnish.kinds.manuscripts.document_facts import ManuscriptOverview, gathered, prepared
from burnish.kinds.manuscripts.findings import RECORDED_AS, RunIssue, describe, examine, illustration, shown
from burnish.kinds.manuscripts.formats import ENDINGS, BookFormat, format_of, read_manuscript, source_text
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.pairing import Neighbours
from burnish.kinds.manuscripts.policy import rule_scores
from burnish.kinds.manuscripts.progress import Assembling, Rendering, in_script, paragraph_of
from burnish.kinds.manuscripts.publish import FINAL, artifacts, summaries
from burnish.kinds.manuscripts.resources import Equipment, equipped
from burnish.kinds.manuscripts.review import Reviewing
from burnish.kinds.manuscripts.translation import Reworking, Translating
from burnish.text.docx import Docx, is_docx, written_back

_FILES = "burnish.kinds.manuscripts.bundle"

CONTRACTS: Mapping[str, Contract] = {
    "paragraph_state": Contract("A line of state/paragraph_state.jsonl.", _FILES, "ParagraphState"),
    "paragraph_scores": Contract("A line of state/paragraph_scores.jsonl.", _FILES, "ParagraphScores"),
    "rework_packet": Contract("A line of state/rework_queue.jsonl.", _FILES, "ReworkPacketRow"),
    "review_row": Contract("A line of review/normalized/*.jsonl.", _FILES, "NormalizedReviewRow"),
    "candidate_map_row": Contract("A line of final/candidate_map.jsonl.", _FILES, "CandidateMapRow"),
    "gate_report": Contract("gate/gate_report.json.", _FILES, "GateReport"),
    "manuscript_manifest": Contract("What manifest.json of a manuscript holds.", _FILES, "ManuscriptManifest"),
    "paragraph_row": Contract("A line of */paragraphs.jsonl.", _FILES, "ParagraphRow"),
    "sentence_row": Contract("A line of */sentences.jsonl.", _FILES, "SentenceRow"),
    "word_row": Contract("A line of */words.jsonl.", _FILES, "WordRow"),
    "manuscript_tokens": Contract("*/manuscript_tokens.json.", _FILES, "ManuscriptTokens"),
}
"""The contracts of the kind's files, by name."""


STAGES: Mapping[str, Callable[[Equipment, Environment], Stage]] = {
    stage.name: stage for stage in (Translating, Rendering, Assembling, Reviewing, Reworking)
}


@dataclass(frozen=True)
class ManuscriptsKind(Kind):
    """A book and its translation."""

    equipment: Equipment = field(default_factory=Equipment)
    original: Material | None = None
    """The source, if an existing translation is checked; None: the source itself is read."""
    name: str = "manuscripts"
    noun: str = "paragraph"
    merged: str = policy.MERGED
    out_of_scope: str = policy.EXCLUDED
    final_name: str = FINAL
    is_phased = True
    work_version = "2"
    contracts = CONTRACTS
    profiles = policy.PROFILES
    states = policy.STATES
    prompts = tuple(requests.prompt(name) for name in requests.NAMES)
    words = KindWords(
        "Manuscripts",
        "translated book",
        doing="Translating",
        command="translate",
        done="translated",
        causes={"review": "reviewed", "model": "translated by a model"},
    )

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> ManuscriptsKind:
        return replace(self, equipment=equipped(materials, options))

    def with_original(
        self, original: Material, materials: Mapping[str, Sequence[Material]], languages: Mapping[str, str]
    ) -> ManuscriptsKind:
        """The kind for a check of an existing translation. `languages`: `source` and `target`, if named."""
        return replace(self, original=original, equipment=equipped(materials, languages))

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return discover(checks)

    # -- documents

    @property
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        return {str(name): endings for name, endings in ENDINGS.items()}

    def recognise(self, path: str, head: bytes) -> str | None:
        return format_of(path)

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        data = stream.read()
        if self.original is not None:
            formats = format_of(self.original.path) or "text", cast(BookFormat, format)
            paths, named = (self.original.path, path), (self.equipment.terms.source, self.equipment.terms.target)
            yield from pairs(self.original.data, data, paths, formats, named, self.equipment.lexicon)
            return
        terms, exclusions = self.equipment.terms, self.equipment.exclusions
        for part in read_manuscript(data, path, cast(BookFormat, format)):
            if isinstance(part, Paragraph):
                excluded = part.excluded or (exclusions.excluded(part) if exclusions is not None else None)
                part = replace(part, source_language=terms.source, target_language=terms.target, excluded=excluded)
            yield part

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """The misplaced translations of a pair of files."""
        if self.original is None:
            raise UsageError(
                "A manuscript is checked beside its source.",
                hint="Use `burnish check --bitext SOURCE TARGET`, or `burnish translate`.",
            )
        neighbours = Neighbours(self.equipment.lexicon)
        for part in self.read(stream, path, format):
            if isinstance(part, Paragraph):
                neighbours.add(part)
        return neighbours.misplaced()

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> ManuscriptContext:
        misplaced = {id: other for found in surveys for id, other in cast(Mapping[str, str], found).items()}
        return ManuscriptContext(self.equipment.glossary, lexicon=self.equipment.lexicon, misplaced=misplaced)

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        return ManuscriptOverview(self.equipment.lexicon)

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], Unit | None],
        target: BinaryIO,
    ) -> None:
        """The source with a translation for every paragraph; paragraphs without a change are kept."""
        if self.original is not None:
            raise UsageError(
                "A pair of files is checked, not fixed.", hint="Use `burnish translate --draft` to have it repaired."
            )
        data = source.read()
        if data.startswith(b"\xef\xbb\xbf"):
            target.write(b"\xef\xbb\xbf")
        read = (part for part in self.read(BytesIO(data), path, format) if isinstance(part, Paragraph))
        units = (changed(part.id) or replace(part, translation=part.text) for part in read)
        pieces = final_pieces(source_text(data, path), (paragraph_of(unit) for unit in units))
        if is_docx(path):
            target.write(written_back(Docx(data, path), "".join(pieces)))
            return
        for piece in pieces:
            target.write(piece.encode("utf-8", "surrogatepass"))

    def output_format(self, path: str, like: str) -> str:
        return format_of(path) or like

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        raise UsageError("A manuscript is published in its own format.", hint="Leave --out-format out.")

    # -- as doors show it

    def describe(self, facts: Mapping[str, Any]) -> list[Remark | Table]:
        return describe(facts)

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        return illustration(check, partial)

    def ignoring(self, rule: str) -> str:
        return f'`ignore = ["{rule}"]` in the settings, or --ignore {rule}'

    # -- judging

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        if isinstance(unit, RunIssue):
            return Examination(())
        examination = examine(paragraph_of(unit), selection, cast(ManuscriptContext, context))
        if self.original is None:
            return examination
        # A pair of files is only checked, so no finding may offer a fix.
        return replace(examination, findings=tuple(replace(each, fix=None) for each in examination.findings))

    def gate(self, judges: int) -> GatePolicy:
        return policy.gate()

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        return dict(rule_scores(examination.findings, examination.unjudged))

    # -- proving

    @property
    def damages(self) -> tuple[Damage, ...]:
        from burnish.kinds.manuscripts.damage import damages

        return damages()

    def rule_findings(self, changed: Sequence[Unit], env: Environment) -> list[Finding]:
        from burnish.kinds.manuscripts.damage import rule_findings

        return rule_findings(self, changed, env)

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        from burnish.kinds.manuscripts.damage import judge_findings

        return judge_findings(self, changed, env)

    # -- stages

    @property
    def phases(self) -> tuple[str, ...]:
        passes = ("translate", "render") if self.equipment.terms.renders else ("translate",)
        return (*passes, "assemble", "review", "rework")

    @property
    def rework_phases(self) -> tuple[str, ...]:
        return ("rework", "assemble", "review")

    def work(self, task: Task, env: Environment) -> Work:
        assert env.around is not None, "batches are worked on in their document"
        return self.stage(task.phase, env).work(task.units, env.around)

    def stage(self, name: str, env: Environment) -> Stage:
        return STAGES[name](self.equipment, env)

    def admitted(self, unit: Unit) -> Stop:
        why = paragraph_of(unit).excluded
        return Stop(policy.INGESTED) if why is None else Stop(policy.EXCLUDED, why)

    def readmitted(self, draft: Unit, read: Unit) -> Paragraph:
        return replace(paragraph_of(draft), excluded=paragraph_of(read).excluded)

    def why_incomplete(self, unit: Unit) -> str | None:
        complete = isinstance(unit, RunIssue) or bool(paragraph_of(unit).translation)
        return None if complete else "There is no translation of it yet."

    @property
    def most_attempts(self) -> int:
        return self.equipment.terms.max_attempts

    def pretended(self, unit: Unit) -> Paragraph:
        """The source text as its translation: of similar length in most languages."""
        paragraph = paragraph_of(unit)
        latin = paragraph.text if self.equipment.terms.renders else None
        return replace(paragraph, translation=paragraph.text, latin=latin)

    def pretended_failure(self, draft: Unit) -> AttemptRecord:
        receipt = {"attempt": 1, "reasons": [], "hard_reasons": [], "rows": []}
        return AttemptRecord(draft.id, 2, "review", None, draft.content_hash, {}, (), passed=False, receipt=receipt)

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        return phase_forecasts(self, run)

    def prepared(self, units: Iterable[Unit], env: Environment) -> Gathered:
        """The first sheet, if there is a model to use it."""
        return prepared(map(paragraph_of, units), self.equipment) if env.roles.all else Gathered({})

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered:
        is_accepted = env.around.is_settled if env.around is not None else lambda id: False
        return gathered(map(paragraph_of, units), self.equipment, env.facts, is_accepted)

    def blocker(self, id: str, record: Mapping[str, Any]) -> RunIssue:
        return RunIssue.from_record({"id": id, **record})

    def is_blocker(self, unit: Unit) -> bool:
        return isinstance(unit, RunIssue)

    def is_published_as(self, wanted: Unit, found: Unit) -> bool:
        return reads_back_as(paragraph_of(wanted), paragraph_of(found))

    def artifacts(self, *, published: bool) -> Mapping[str, Artifact]:
        return artifacts(self.equipment, published=published)

    def summaries(self, run: RunFacts) -> Mapping[str, Mapping[str, Any]]:
        return summaries(run, self.equipment)

    # -- remembering and showing

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        return unit.as_record() if isinstance(unit, RunIssue) else paragraph_of(unit).as_record()

    def from_record(self, record: Mapping[str, Any]) -> Paragraph | RunIssue:
        return RunIssue.from_record(record) if RECORDED_AS in record else Paragraph.from_record(record)

    def from_person(self, unit: Unit, text: str) -> Paragraph:
        """A person's edit as the new translation, in the published script or in the Latin letters before it."""
        if isinstance(unit, RunIssue):
            raise UsageError("An issue has no text to edit.", hint="Accept it, or edit the paragraph that it is about.")
        new = text.replace("\r\n", "\n").strip()
        if not new:
            raise InputError("The edited text is empty.", hint="Give the whole translation of the paragraph.")
        misfit = self.equipment.misfit(new, paragraph_of(unit))
        if misfit is not None:
            raise InputError(f"The edited text would not be one block: {misfit}.", hint="Give one paragraph.")
        paragraph = paragraph_of(unit)
        if not self.equipment.terms.renders:
            return replace(paragraph, translation=new)
        if any("\u2d30" <= letter <= "\u2d7f" for letter in new):  # Tifinagh
            return replace(paragraph, translation=new, latin=self.equipment.in_latin(new))
        return in_script(replace(paragraph, latin=new), self.equipment)

    def shown(self, unit: Unit) -> str:
        return unit.shown() if isinstance(unit, RunIssue) else shown(paragraph_of(unit))

    @property
    def reasons(self) -> Mapping[str, str]:
        return policy.REASONS


KIND: Kind = ManuscriptsKind()
"""The instance that doors load."""
