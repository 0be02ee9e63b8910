"""A process in which somebody decides. Orders come on standard input, one JSON object a line; so do the answers.

runs     the folder of the runs, with the first order
moment   of the monotonic clock, at which to decide
unit, verdict, by, note, text, seen     what is decided in the run `r1`
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from burnish.app.labels import AlreadyDecided
from burnish.app.reviews import ReviewService
from burnish.app.settings import Settings
from burnish.core.errors import BurnishError


def main() -> None:
    runs = Path(json.loads(sys.stdin.readline())["runs"])
    service = ReviewService(runs, Settings())
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(decided(service, json.loads(line))), flush=True)


def decided(service: ReviewService, order: dict[str, Any]) -> dict[str, Any]:
    """What came of it: whether the decision was taken in, or who was quicker."""
    moment, unit, verdict = order.pop("moment"), order.pop("unit"), order.pop("verdict")
    while time.monotonic() < moment:
        pass  # both start in the same instant
    try:
        result = service.record("r1", unit, verdict, **order)
    except AlreadyDecided as told:
        return {"told": told.result.by, "verdict": told.result.verdict}
    except BurnishError as failure:
        return {"failed": f"{failure.code}: {failure}"}
    return {"won": result.by, "in_effect": result.in_effect}


if __name__ == "__main__":
    main()
