"""One sitting on the extraction of a course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import orjson

from burnish.app.legos.extraction_orders import TAKEN_IN
from burnish.app.materials import kind_of
from burnish.app.polishing import opened
from burnish.app.seating import seated
from burnish.app.settling import settle_first
from burnish.core.documents import Problem
from burnish.core.errors import UsageError
from burnish.core.events import event
from burnish.core.stages import StagedKind
from burnish.engine.means import Means
from burnish.engine.plan import Plan
from burnish.engine.publishing import problem_event
from burnish.engine.running import Watcher
from burnish.engine.session import Result, begin, recorded_plan
from burnish.store.clock import Clock, system_clock
from burnish.store.journal import Journal
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder


async def extract_run(
    folder: RunFolder,
    plan: Plan,
    means: Means,
    watcher: Watcher,
    *,
    left_out: Sequence[Problem] = (),
    clock: Clock = system_clock,
) -> Result:
    """Work on a course that is begun, or taken up where it stands. `left_out`: records that were not taken in."""
    kind = kind_of(plan)
    assert isinstance(kind, StagedKind), "SEEDs move through stages"
    async with opened(means, plan.models) as ready:
        with own_run(folder, clock, redactor=means.redactor) as owned:
            settle_first(folder, owned.journal, means.redactor)
            # Before the plan: whoever finds one finds them told.
            owned.journal.write_now(*(problem_event(TAKEN_IN, problem) for problem in left_out))
            current = _begun(owned.journal, plan)
            return await seated(folder, owned.journal, current, kind, ready).work(watcher)


def _begun(journal: Journal, plan: Plan) -> Plan:
    """The plan, written down: that of a new run, or that of one that goes on with other models."""
    known = recorded_plan(journal)
    if known is None:
        return begin(journal, plan)
    if known.input_digest != plan.input_digest:
        raise UsageError(f"The run {plan.run_id} exists and is about other input.", hint="Choose another --run-id.")
    now = replace(plan, nonce=known.nonce)
    journal.set_meta("plan", orjson.dumps(now.as_record()).decode())
    journal.write_now(event("run_resumed", data={"version": plan.version}))
    return now
