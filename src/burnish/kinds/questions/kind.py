"""The questions kind: its interface to the engine and the surfaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, BinaryIO, cast

from pydantic import ValidationError

from burnish.core.checks import Check, Examination, Selection, discover, run_checks_on_all
from burnish.core.damage import Damage
from burnish.core.documents import Material, Part, Placed, Unit
from burnish.core.effects import Effect, Work
from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.core.forecasts import Forecast, Rehearsal
from burnish.core.gate import Count, GatePolicy
from burnish.core.json_bytes import loads
from burnish.core.kinds import Issue, Kind, Overview
from burnish.core.presentation import ExportRow, Illustration, KindWords, Remark, Table
from burnish.core.tasks import CORRECTOR, USUAL_ATTEMPTS, Environment, Item, Task
from burnish.core.together import MOST_ITEMS, muted, together
from burnish.kinds.questions import checks, policy, requests
from burnish.kinds.questions.bank import BankContext, survey
from burnish.kinds.questions.formats import FORMATS, format_named, format_of, shows_questions, written_as
from burnish.kinds.questions.key_check import BLIND_PROMPT
from burnish.kinds.questions.model import Question, question_of, revised
from burnish.kinds.questions.policy import Rules, alike, examine_all, parts
from burnish.kinds.questions.progress import UnitProgress
from burnish.kinds.questions.schemas import CONTRACTS
from burnish.kinds.questions.views import (
    correction_row,
    describe,
    ignoring,
    illustration,
    queue_row,
    shown,
    validation_row,
)
from burnish.text.json_text import WHERE


@dataclass(frozen=True)
class QuestionsKind(Kind):
    """Exam questions: banks in, clean banks out."""

    name: str = "questions"
    noun: str = "question"
    max_attempts: int = USUAL_ATTEMPTS
    """Corrections of a question before a person has to decide."""
    states = policy.STATES
    profiles = policy.PROFILES
    document_rules = policy.DOCUMENT_RULES
    reasons = policy.REASONS
    contracts = CONTRACTS
    most_together = MOST_ITEMS
    words = KindWords(
        "Questions", "bank", ready="validated", repaired="Corrected", doubts={"the key": policy.ABOUT_THE_KEY}
    )
    prompts = (
        requests.CORRECTION_PROMPT,
        requests.REVIEW_PROMPT,
        BLIND_PROMPT,
        requests.ANSWER_PROMPT,
        requests.COMPARE_PROMPT,
    )

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> QuestionsKind:
        return replace(self, max_attempts=options.get("max_attempts", USUAL_ATTEMPTS))

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return discover(checks)

    @cached_property
    def fatal_rules(self) -> frozenset[str]:
        return frozenset(check.id for check in self.checks if check.fatal)

    # -- documents

    def recognise(self, path: str, head: bytes) -> str | None:
        found = format_of(path, head)
        return found.name if found else None

    def is_evident(self, path: str, head: bytes) -> bool:
        return shows_questions(head)

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        return cast(Iterator[Part], format_named(format).read(stream, path))

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        return survey(format_named(format), stream, path)

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> BankContext:
        facts = cast(list[dict[str, Any]], surveys)
        languages = {survey["language"] for survey in facts}
        required = demands.get("required_metadata")
        return BankContext(
            carried=frozenset(name for survey in facts for name in survey["carried"]),
            sparse=frozenset(name for survey in facts for name in survey.get("sparse", ())),
            surveyed=sum(survey.get("surveyed", 0) for survey in facts),
            keys_from_zero=any(survey.get("keys_from_zero", False) for survey in facts),
            required_metadata=None if required is None else tuple(required),
            concepts={id: tuple(words) for id, words in (demands.get("concepts") or {}).items()},
            language=languages.pop() if len(languages) == 1 else None,
        )

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        """`against`: an earlier bank to compare with, as (path, format)."""
        # Only one process builds the overview. The others use a fifth less memory without numpy and the index.
        from burnish.kinds.questions.duplicates import BankOverview

        return BankOverview(options.get("against"), off)

    def rewrite(
        self, source: BinaryIO, path: str, format: str, changed: Callable[[str], Unit | None], target: BinaryIO
    ) -> None:
        format_named(format).rewrite(source, path, cast(Callable[[str], Question | None], changed), target)

    def leave_out(self, source: BinaryIO, path: str, format: str, ids: Collection[str], target: BinaryIO) -> None:
        format_named(format).leave_out(source, path, ids, target)

    def why_not_left_out(self, path: str, format: str) -> str | None:
        return format_named(format).why_not_left_out(path)

    @cached_property
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        return {known.name: known.extensions for known in FORMATS}

    def output_format(self, path: str, like: str) -> str:
        return written_as(path, like)

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        return format_named(format).write(cast(Iterator[Question], units), target)

    # -- presentation

    def describe(self, facts: Mapping[str, Any]) -> list[Remark | Table]:
        return describe(facts)

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        return illustration(partial)

    def ignoring(self, rule: str) -> str:
        return ignoring(rule)

    # -- examination and gate

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        question, bank = question_of(unit), cast(BankContext, context)
        rules = Rules.of(alike(question, bank), selection)
        views = parts(question)
        found = run_checks_on_all(selection, rules.checks, [part.question for part in views], bank)
        return rules.examination(question, views, found)

    def examine_all(self, units: Sequence[Unit], selection: Selection, context: object) -> list[Examination]:
        return examine_all([question_of(unit) for unit in units], selection, cast(BankContext, context))

    def gate(self, judges: int) -> GatePolicy:
        return policy.gate(judges)

    def gate_of(self, item: Item, judges: int) -> GatePolicy:
        progress = UnitProgress.recalled(self, item.source, item.attempts, item.decisions)
        return policy.gate(judges, key_in_doubt=progress.key_in_doubt(item.unit))

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        return policy.scores(examination, objections)

    # -- proving

    @property
    def damages(self) -> tuple[Damage, ...]:
        from burnish.kinds.questions.damage import damages

        return damages()

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        from burnish.kinds.questions.damage import judge_findings

        return judge_findings(self, changed, env)

    # -- the work

    def work(self, task: Task, env: Environment) -> Work:
        from burnish.kinds.questions.review import Reviewer
        from burnish.kinds.questions.work import QuestionWork

        reviewer = Reviewer(
            self, env.selection, env.context, env.roles.judges, solves_all=policy.KEY_DOUBTFUL not in env.off
        )
        has_readers = bool(env.roles.judges)

        def work(item: Item) -> Work:
            return QuestionWork(
                kind=self,
                reviewer=reviewer,
                corrector=env.roles.of(CORRECTOR),
                progress=UnitProgress.recalled(
                    self,
                    item.source,
                    item.attempts,
                    item.decisions,
                    has_readers=has_readers,
                    max_attempts=self.max_attempts,
                ),
                name=item.row.id,
                neighbour_findings=item.neighbour_findings,
                examination=item.examination,
                state=item.row.state,
                accepts_by_rules=has_readers or bool(env.options.get("rules_only")),
            ).run()

        works = [muted(work(item)) if item.source.id in task.settled else work(item) for item in task.units]
        return together(works, requests.parted, env.roles)

    def obstacle(self, item: Item) -> tuple[str, tuple[str, ...]] | None:
        progress = UnitProgress.recalled(
            self, item.source, item.attempts, item.decisions, max_attempts=self.max_attempts
        )
        why = progress.obstacle(can_repair=True)
        return None if why is None else (why, tuple(sorted({finding.rule for finding in progress.errors})))

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        from burnish.kinds.questions.work import forecasts

        return forecasts(self, run, self.max_attempts)

    # -- records and edits

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        return question_of(unit).model_dump(mode="json", exclude_unset=True)

    def from_record(self, record: Mapping[str, Any]) -> Question:
        return Question.model_validate(record)

    def from_person(self, unit: Unit, text: str) -> Question:
        """A person's edit as JSON: the whole question, or only the fields that change. The id cannot change."""
        try:
            given = loads(text)
        except ValueError as wrong:
            place = WHERE.search(str(wrong))
            line = int(place[1]) if place else None
            raise InputError(f"The edited question is not JSON: {wrong}.", line=line, hint=EDIT_HINT) from wrong
        if not isinstance(given, dict):
            raise InputError("The edited question must be a JSON object.", hint=EDIT_HINT)
        question = question_of(unit)
        known = {*Question.model_fields, *(question.model_extra or {})}
        for name in given:
            if name not in known:
                raise InputError("A question has no such field.", field=name, hint=EDIT_HINT)
        if given.get("id", unit.id) != unit.id:
            raise InputError(f"The id cannot be changed: it is {unit.id!r}.", field="id", hint=EDIT_HINT)
        if "options" in given:
            given["options"] = _as_options(given["options"], question)
        try:
            return revised(question, **given)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise InputError(first["msg"].removeprefix("Value error, "), field=field, hint=EDIT_HINT) from wrong

    def repetitions(
        self, drafts: Iterable[Placed], others: Iterable[Placed], options: Mapping[str, Any], off: Collection[str]
    ) -> Iterator[tuple[str, Finding]]:
        from burnish.kinds.questions.duplicates import repetitions

        return iter(()) if policy.ALIKE.id in off else repetitions(drafts, others, options.get("against"))

    def shown(self, unit: Unit) -> str:
        return shown(question_of(unit))

    def exports(self) -> Mapping[str, ExportRow]:
        rows = partial(correction_row, max_attempts=self.max_attempts)
        return {"validation.jsonl": validation_row, "corrections.jsonl": rows, "review_queue.jsonl": queue_row}


def _as_options(given: object, question: Question) -> object:
    """Options from any shape that banks use: keyed objects, a list of texts, or a map from key to text."""
    if isinstance(given, dict):
        return [{"key": key, "text": text} for key, text in given.items()]
    if isinstance(given, list) and all(isinstance(text, str) for text in given):
        keys = [option.key for option in question.options]
        letters = keys if len(keys) == len(given) else [chr(ord("A") + place) for place in range(len(given))]
        return [{"key": key, "text": text} for key, text in zip(letters, given, strict=True)]
    return given


EDIT_HINT = 'Give the fields that change, such as {"stem": "...", "options": [{"key": "A", "text": "..."}, ...]}.'


KIND: Kind = QuestionsKind()
"""The instance that the surfaces load."""
