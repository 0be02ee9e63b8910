"""Visitors of a workbench, in a process of their own: people who browse, and streams that are watched.

`python -m bench.visitors ADDRESS TOKEN RUN PEOPLE STREAMS` browses until its input ends, then prints what it saw.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field

import httpx2

from burnish.core.json_bytes import dumps

THINKING = 1.0
"""Seconds that a person looks at a page."""
SETTLING = 2.0
"""Seconds before pages are counted: the first ones load the kinds."""


@dataclass(slots=True)
class Seen:
    """What all visitors together saw."""

    pages: dict[str, list[float]] = field(default_factory=dict)
    events: int = 0
    streams: int = 0
    failures: list[str] = field(default_factory=list)

    def as_record(self) -> dict[str, object]:
        return {"pages": self.pages, "events": self.events, "streams": self.streams, "failures": self.failures[:5]}


async def browse(client: httpx2.AsyncClient, run: str, seen: Seen, since: float) -> None:
    """One person: the list, the run, its units, one of them, the queue."""
    walk = {
        "runs": "/runs",
        "run": f"/runs/{run}",
        "units": f"/runs/{run}?tab=units",
        "unit": f"/runs/{run}/units/{{unit}}",
        "queue": "/queue",
    }
    unit = ""
    while True:
        for name, path in walk.items():
            if name == "unit" and not unit:
                unit = await _some_unit(client, run)
                continue
            started = time.perf_counter()
            answer = await client.get(path.format(unit=unit))
            if answer.status_code != 200:
                seen.failures.append(f"{path}: {answer.status_code}")
            if started - since > SETTLING:
                seen.pages.setdefault(name, []).append(time.perf_counter() - started)
            await asyncio.sleep(THINKING)


async def _some_unit(client: httpx2.AsyncClient, run: str) -> str:
    found = (await client.get(f"/api/v1/runs/{run}/units?limit=1")).json()
    units = found.get("units") or []
    return str(units[0]["id"]) if units else ""


async def watch(client: httpx2.AsyncClient, run: str, seen: Seen) -> None:
    async with client.stream(
        "GET", f"/api/v1/runs/{run}/events?follow=true", headers={"Accept": "text/event-stream"}
    ) as stream:
        if stream.status_code != 200:
            seen.failures.append(f"stream: {stream.status_code}")
            return
        seen.streams += 1
        async for line in stream.aiter_lines():
            seen.events += line.startswith("id: ")


async def main(address: str, token: str, run: str, people: int, streams: int) -> None:
    seen, limits = Seen(), httpx2.Limits(max_connections=people + streams + 10)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=30, limits=limits) as client:
        began = time.perf_counter()
        tasks = [asyncio.create_task(watch(client, run, seen)) for _ in range(streams)]
        tasks += [asyncio.create_task(browse(client, run, seen, began)) for _ in range(people)]
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        seen.failures += [repr(end) for end in ends if isinstance(end, Exception)]
    sys.stdout.write(dumps(seen.as_record()).decode())


if __name__ == "__main__":
    address, token, run, people, streams = sys.argv[1:]
    asyncio.run(main(address, token, run, int(people), int(streams)))
