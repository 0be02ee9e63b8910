"""A process that translates a long book from a memory, for F19: it is killed near the end, or tells how it goes on.

    python -m tests.faults.novelist HOME KILL_AT    # 0: it is left alone

It prints `working` when the first batch is settled, and at its end how it ended and its peak memory in MB.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sys
from pathlib import Path

from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, again, new_plan, record_plan, recorded
from burnish.core.faultpoints import install
from burnish.store.paths import RunFolder
from burnish.store.processes import look_for_cycles_seldom
from tests.engine.questions_bench import Quiet


def write_book(home: Path, units: int) -> None:
    """A book of so many paragraphs, and a memory that knows every one of them."""
    pairs = [
        (
            f"The house number {number} stands by the sea, and its door is not open on Monday.",
            f"La casa número {number} está junto al mar, y su puerta no está abierta el lunes.",
        )
        for number in range(1, units + 1)
    ]
    (home / "book.md").write_text("\n\n".join(source for source, _ in pairs) + "\n", encoding="utf-8")
    with (home / "memory.jsonl").open("w", encoding="utf-8") as memory:
        memory.writelines(json.dumps({"source": source, "target": target}) + "\n" for source, target in pairs)


def main(home: Path, kill_at: int) -> None:
    batches = 0

    def hook(point: str) -> None:
        nonlocal batches
        if point == "engine.task.settled":
            batches += 1
            if batches == 1:
                print("working", flush=True)
            if batches == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    install(hook)
    look_for_cycles_seldom()
    folder = RunFolder.at(home / "runs", "tx")
    loaded = load(start=home, environ={}, flags={})
    order = TranslationOrder(
        "tx",
        source=str(home / "book.md"),
        to="es",
        source_language="en",
        translator="memory",
        memories=(str(home / "memory.jsonl"),),
        rules_only=True,
    )
    known = recorded(folder)
    plan = new_plan(order, loaded) if known is None else again(known, order, loaded)
    sitting = start_run(
        folder,
        plan,
        resources_of(loaded.settings, ()),
        Quiet(),
        approve=lambda _: {"by": "Ada"},
        record=record_plan,
    )
    result = asyncio.run(sitting)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"stopped": result.outcome.stopped, "batches": batches, "peak_mb": round(peak)}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
