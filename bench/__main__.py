"""`python -m bench [NAME...] [--full]`: every benchmark in turn, one table each, a verdict where there is a limit.

Ratios against a limit or a peer, both measured in the same run. Nothing here is a test: a busy machine gives worse
figures and breaks nothing. Exit code 1 where a figure is over its limit.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from datetime import UTC, datetime
from typing import Any

from bench.banks import RESULTS
from bench.lines import Line, table
from burnish.core.json_bytes import dumps

NAMES = (
    "house",
    "breaks",
    "startup",
    "installation",
    "check_scaling",
    "duplicates",
    "formats",
    "estimates",
    "request_shares",
    "correction_tokens",
    "journal",
    "throughput",
    "lesson_checks",
    "lessons_repair",
    "lessons_cost",
    "manuscript_scaling",
    "rework_tokens",
    "manuscript_cost",
    "memory_lookup",
    "prompt_trials",
    "lego_scaling",
    "question_tokens",
    "replay",
    "settled",
    "meaning_speed",
    "read_model",
    "deciding",
    "three_people",
    "web_crowd",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Speed and memory, against limits and peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(NAMES)}. Default: all")
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 questions: about half an hour")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}. There are: {', '.join(NAMES)}")
    machine = _machine()
    print(_described(machine), flush=True)
    results = {name: _run(name, options.full) for name in options.names or NAMES}
    _keep(machine, options.full, results)
    return _conclude(results)


def _run(name: str, full: bool) -> list[Line]:
    module = importlib.import_module(f"bench.{name}")
    print(f"\n{name}: {module.TITLE}", flush=True)
    started = time.perf_counter()
    lines: list[Line] = module.run(full)
    if lines:
        print(table(lines))
    print(f"({time.perf_counter() - started:.0f} s)", flush=True)
    return lines


def _machine() -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "system": platform.system(),
        "load_before": os.getloadavg()[0],
    }


def _described(machine: dict[str, Any]) -> str:
    cores, load = machine["cores"], machine["load_before"]
    busy = " (busy: the figures will suffer)" if load > cores / 2 else ""
    return (
        f"{cores} cores ({machine['processor']}), Python {machine['python']}, {machine['system']}; "
        f"load before: {load:.1f}{busy}"
    )


def _keep(machine: dict[str, Any], full: bool, results: dict[str, list[Line]]) -> None:
    record = {
        "machine": machine,
        "full": full,
        "benchmarks": {name: [line.as_record() for line in lines] for name, lines in results.items()},
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{machine['at'].replace(':', '')}.json"
    path.write_bytes(dumps(record, indent=2))
    print(f"\nKept in {path.relative_to(RESULTS.parents[1])}.")


def _conclude(results: dict[str, list[Line]]) -> int:
    over = [
        f"{name}: {line.what.strip()}" for name, lines in results.items() for line in lines if line.verdict == "over"
    ]
    held = sum(line.verdict == "ok" for lines in results.values() for line in lines)
    print(f"{held} within their limits, {len(over)} over.")
    for line in over:
        print(f"  over: {line}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
