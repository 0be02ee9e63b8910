"""`burnish prove`: put known damage into copies of sound documents, and count what rules and judges find.

Copies are made in memory, always the same ones for the same documents and seed. Rules check every original and every
copy. Judges read, through the ordinary gateway and journal, what the rules let pass. Their findings are recorded, so a
proof that was killed resumes without paying twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final, Literal

from burnish.app.proof_copies import Case, SoundDocument, Subject, cases_of, chosen
from burnish.app.run_sessions import kept_settings, opened
from burnish.app.settings import Loaded, Settings
from burnish.core.checks import Examination, apply_safe_fixes
from burnish.core.damage import Damage
from burnish.core.documents import Unit
from burnish.core.effects import ModelRoles
from burnish.core.errors import CallDeferred, LimitReached, ModelAway, Submitted
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.forecasts import Charge, Forecast, requests_of
from burnish.core.kinds import Kind
from burnish.core.records import Totals, event
from burnish.engine.client import Client
from burnish.engine.estimate import Estimate
from burnish.engine.interpreters import InMemory
from burnish.engine.plan import Plan, begin
from burnish.engine.runner import RunResources, client_of
from burnish.models.budget import Price
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run

FOLDER = "proofs"
"""The folder of proofs with models, in the folder of runs."""
JUDGED: Final = "proof_judged"
Outcome = Literal["none", "mended", "hidden"]
"""The effect of safe fixes on a damage: none, the sound words again, or a text that only looks sound."""


@dataclass(slots=True)
class Seen:
    """The findings on one case."""

    case: Case
    findings: list[Finding] = field(default_factory=list)
    """Findings that the original does not have, the worst first."""
    fix: Outcome = "none"
    judged: bool = False

    @property
    def detectors(self) -> list[str]:
        return list(dict.fromkeys(map(detector_of, self.findings)))


@dataclass(frozen=True, slots=True)
class Alarm:
    """A finding on an original, or a safe fix of it."""

    document: str
    finding: Finding
    before: str = ""
    after: str = ""


@dataclass(slots=True)
class Proof:
    """All results of a proof."""

    kind: Kind
    documents: list[SoundDocument]
    damages: list[Damage]
    seen: list[Seen]
    alarms: list[Alarm]
    warnings: int
    fixes: list[Alarm]
    rules: int
    skipped: int = 0
    """Units in which the rules already find an error: they are not damaged."""
    judges: tuple[str, ...] = ()
    unheard: int = 0
    """Copies that judges did not read because the proof was stopped."""
    totals: Totals | None = None
    stopped: str = "done"
    message: str | None = None

    @property
    def units(self) -> int:
        return sum(len(document.units) for document in self.documents)


def detector_of(finding: Finding) -> str:
    """The rule, or the model: the rule names that judges make up differ every time."""
    return (
        finding.rule if finding.source in ("rule", "document") else model_label(finding.source.removeprefix("model:"))
    )


def model_label(model: str) -> str:
    """A model's name without the folder of a script."""
    provider, _, name = model.partition(":")
    return f"{provider}:{PurePath(name).name}" if provider == "scripted" else model


# -- rules


@dataclass(slots=True)
class Prover:
    """Checks originals and copies."""

    subject: Subject
    on_progress: Callable[[int, int, Totals | None], None] = lambda done, of, totals: None
    """Called with the number of copies that are done, of how many."""
    _known: dict[tuple[str, str], list[Finding]] = field(default_factory=dict)

    def by_rules(self) -> Proof:
        """Check everything with the rules."""
        subject, order = self.subject, self.subject.order
        damages = chosen(subject.kind, order.damages)
        proof = Proof(subject.kind, subject.documents, damages, [], [], 0, [], len(subject.wants.selection.checks))
        places = [place for document in subject.documents for place in self._sound_places(document, proof)]
        cases = [case for damage in damages for case in cases_of(damage, places, order.n, order.seed)]
        for number, case in enumerate(cases, start=1):
            proof.seen.append(self._seen(case))
            self.on_progress(number, len(cases), None)
        return proof

    def _sound_places(self, document: SoundDocument, proof: Proof) -> Iterator[tuple[SoundDocument, int]]:
        """The places for damage; on the way, the findings on the originals are counted."""
        for at, unit in enumerate(document.units):
            found = self._original(document, unit)
            errors = [finding for finding in found if finding.blocks]
            proof.alarms += [Alarm(document.name, finding) for finding in errors]
            proof.warnings += sum(finding.severity == "warning" for finding in found)
            # Every change that code would make in a sound text is wrong.
            fixes = [(one, one.fix) for one in found if one.fix is not None]
            proof.fixes += [Alarm(document.name, one, fix.find, fix.replace) for one, fix in fixes]
            if errors:
                proof.skipped += 1
            else:
                yield document, at

    def _original(self, document: SoundDocument, unit: Unit) -> list[Finding]:
        key = document.name, unit.id
        if key not in self._known:
            self._known[key] = self.subject.kind.rule_findings([unit], document.env)
        return self._known[key]

    def _seen(self, case: Case) -> Seen:
        before = [one for unit in case.originals for one in self._original(case.document, unit)]
        after = self.subject.kind.rule_findings(case.damaged.units, case.document.env)
        found = new_findings(before, after, case, "info")
        least = SEVERITIES.index(self.subject.order.severity)
        fix = self._fixed(case, after, found) if any(finding.fix for finding in found) else "none"
        return Seen(case, [one for one in found if SEVERITIES.index(one.severity) <= least], fix)

    def _fixed(self, case: Case, after: Sequence[Finding], found: Sequence[Finding]) -> Outcome:
        """Whether the fixes of new findings restore the sound words, or hide that they are missing."""
        env, kind = case.document.env, self.subject.kind
        only_new = tuple(one if one in found else replace(one, fix=None) for one in after)
        unit = case.damaged.units[0]
        fixed = apply_safe_fixes(
            unit, Examination(only_new), lambda unit: Examination(tuple(kind.rule_findings([unit], env)))
        )
        original = next(one for one in case.originals if one.id == unit.id)
        if not fixed.settled:
            return "none"
        if _words(fixed.unit) in (_words(original), _words(case.damaged.sound or original)):
            return "mended"
        left = new_findings(self._original(case.document, original), fixed.examination.findings, case, "warning")
        return "none" if left else "hidden"

    # -- judges

    def jobs(self, proof: Proof) -> dict[str, tuple[SoundDocument, tuple[Unit, ...]]]:
        """What judges read: the copies that the rules let pass, and their originals."""
        found: dict[str, tuple[SoundDocument, tuple[Unit, ...]]] = {}
        for seen in proof.seen:
            if not any(finding.blocks for finding in seen.findings):
                found[_original_key(seen.case)] = seen.case.document, tuple(seen.case.originals)
                found[seen.case.key] = seen.case.document, seen.case.damaged.units
        return found

    async def by_judges(self, proof: Proof, plan: Plan, client: Client, journal: Journal, workers: int) -> None:
        """Ask the judges, and count their findings. Stops at a limit, or if a model is unavailable."""
        recorded = ((e.data["key"], e.data["findings"]) for e in journal.events(types=(JUDGED,)))
        heard = {key: [Finding.from_record(record) for record in records] for key, records in recorded}
        jobs = self.jobs(proof)
        turns = asyncio.Semaphore(workers)

        async def look(key: str, document: SoundDocument, units: tuple[Unit, ...]) -> None:
            env = replace(document.env, roles=ModelRoles(plan.judges, plan.roles, *plan.rooms(self.subject.kind)))
            async with turns:
                found = await _answered(client, lambda: self.subject.kind.judge_findings(units, env))
            heard[key] = list(found)
            records = [finding.as_record() for finding in found]
            await journal.write(event(JUDGED, dedupe=key, data={"key": key, "findings": records}))
            self.on_progress(len(heard), len(jobs), journal.totals())

        todo = [look(key, *job) for key, job in jobs.items() if key not in heard]
        for end in await asyncio.gather(*todo, return_exceptions=True):
            if isinstance(end, LimitReached | ModelAway):
                away = "submitted" if isinstance(end, Submitted) else "limit"
                proof.stopped = "model_away" if isinstance(end, ModelAway) else away
                proof.message = str(end)
            elif isinstance(end, BaseException):
                raise end
        self._count_judged(proof, heard)
        proof.judges, proof.totals = plan.models, journal.totals()

    def _count_judged(self, proof: Proof, heard: dict[str, list[Finding]]) -> None:
        alarmed: set[str] = set()
        for seen in proof.seen:
            original, copy = heard.get(_original_key(seen.case)), heard.get(seen.case.key)
            if original is None or copy is None:
                proof.unheard += not any(finding.blocks for finding in seen.findings)
                continue
            seen.judged = True
            seen.findings += new_findings(original, copy, seen.case, self.subject.order.severity)
            if _original_key(seen.case) not in alarmed:
                alarmed.add(_original_key(seen.case))
                ids = {unit.id for unit in seen.case.originals}
                proof.alarms += [Alarm(seen.case.document.name, f) for f in original if f.blocks and f.unit in ids]


async def _answered(client: Client, work: Callable[[], Any]) -> Sequence[Finding]:
    """The findings of the judges; calls in batches are repeated until all answers are collected."""
    while True:
        try:
            found: Sequence[Finding] = await InMemory(client).result(work())
            return found
        except CallDeferred:
            await client.exchange()


def _original_key(case: Case) -> str:
    return f"original:{case.document.name}:{','.join(unit.id for unit in case.originals)}"


def _words(unit: Unit) -> list[str]:
    """The letters and digits of each text of a unit."""
    return ["".join(sign for sign in text if sign.isalnum()) for text in unit.texts().values()]


def new_findings(before: Sequence[Finding], after: Sequence[Finding], case: Case, least: Severity) -> list[Finding]:
    """Findings in the damaged units, at least as severe as `least`, that the original does not have."""
    known = Counter(_finding_key(finding) for finding in before)
    ids = {unit.id for unit in case.damaged.units}
    found: list[Finding] = []
    for finding in sorted(after, key=lambda one: SEVERITIES.index(one.severity)):
        if known[_finding_key(finding)] > 0:
            known[_finding_key(finding)] -= 1
        elif finding.unit in ids and SEVERITIES.index(finding.severity) <= SEVERITIES.index(least):
            found.append(finding)
    return found


def _finding_key(finding: Finding) -> tuple[object, ...]:
    """The key by which a finding is recognised again; for models it has no message, which differs every time."""
    if finding.source not in ("rule", "document"):
        return finding.source, finding.unit, finding.rule, finding.quote
    return finding.rule, finding.unit, finding.field, finding.quote


# -- with models


def plan_of(subject: Subject, loaded: Loaded, run_id: str) -> Plan:
    """Everything that shapes a proof with models."""
    settings, order, wants, kind = loaded.settings, subject.order, subject.wants, subject.kind
    # Besides the judges only the reviewer reads: nothing is repaired.
    reviewer = settings.models.reviewer or settings.models.model
    roles = {"reviewer": reviewer} if reviewer is not None and (kind.is_whole or kind.is_phased) else {}
    judges = settings.models.judges if kind.is_phased else settings.models.panel()
    asked = [*judges, *roles.values()]
    return Plan(
        run_id=run_id,
        kind=kind.name,
        documents=subject.files,
        arguments={
            "task": "prove",
            "options": {"damage": list(order.damages), "n": order.n, "seed": order.seed},
            **kept_settings(settings, asked),
        },
        judges=judges,
        roles=roles,
        materials=order.materials.plans(),
        **wants.planned(kind),
    )


def estimate_of(prover: Prover, proof: Proof, plan: Plan, prices: Mapping[str, Price]) -> Estimate:
    """The cost of the judges. No call is made."""
    bill = Estimate(units=proof.units, unpriced=tuple(m for m in plan.models if m not in prices))
    charges: list[Charge] = []
    for document, units in prover.jobs(proof).values():
        env = replace(document.env, roles=ModelRoles(plan.judges, plan.roles, *plan.rooms(prover.subject.kind)))
        steps = requests_of(prover.subject.kind.judge_findings(units, env), lambda _: None)
        for place, requests in enumerate(steps):
            charges += [Charge(one, 1.0 if place == 0 or one.goes_on else 0.0, 1) for one in requests]
    bill.add([Forecast(charges=charges, is_unique=True)], prices, plan.nonce, plan.call_settings)
    return bill


async def prove_run(prover: Prover, proof: Proof, plan: Plan, resources: RunResources, folder: RunFolder) -> None:
    """One session on a new or resumed proof with models."""
    async with opened(resources, plan.models) as ready:
        with own_run(folder, system_clock, redactor=resources.redactor, began_by="prove") as owned:
            current = begin(owned.journal, plan)
            client = client_of(ready, current, owned.journal)
            assert client is not None, "models are named"
            await prover.by_judges(proof, current, client, owned.journal, resources.workers)
            owned.journal.write_now(event("run_stopped", data={"reason": proof.stopped, "message": proof.message}))


def folder_of(settings: Settings, run_id: str) -> RunFolder:
    return RunFolder.at(Path(settings.runs) / FOLDER, run_id)
