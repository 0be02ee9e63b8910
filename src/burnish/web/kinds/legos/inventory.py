"""What a learner of a course meets, for the workbench: reuse, the course as a picture, its LEGOs, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from burnish.app.course_reuse import CUTS, ROWS
from burnish.core.errors import BurnishError
from burnish.kinds.legos.reports import TEACHING_ORDER
from burnish.kinds.legos.reports.inventory import inventory
from burnish.kinds.legos.reports.shapes import OrderedSeed, Reuse, TeachingOrder
from burnish.store.paths import document_path
from burnish.web import Drawn
from burnish.web.formatting import count, plural
from burnish.web.rendering import run_link

LARGEST = 64 << 20
"""Bytes of a teaching order: that of 10,000 SEEDs has a few million."""
A_PAGE = 50
COLUMNS = 60
"""Of the picture, at most."""
HEIGHT = 84
"""Pixels of its tallest column."""
TAB = "legos"


def read_order(folder: Path) -> TeachingOrder | str:
    """The teaching order of a course, or why it cannot be shown."""
    try:
        path = document_path(folder, TEACHING_ORDER)
        if path.stat().st_size > LARGEST:
            return "The teaching order of the course is too large."
        return TeachingOrder.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return "The course has no teaching order yet. It is written when the run stops."
    except (OSError, ValidationError):
        return "The teaching order of the course cannot be read. `burnish legos report` writes it again."
    except BurnishError as error:
        return error.message


def legos_part(run: str, folder: Path, reuse: Reuse | None, query: Mapping[str, str]) -> dict[str, Any]:
    """The tab: all LEGOs that can be taught, or the one that is asked for."""
    found = read_order(folder)
    if isinstance(found, str):
        return {"message": found}
    order = found.model_dump()
    rows = inventory(order)
    one = next((row for row in rows if row["uuid"] == query.get("lego")), None)
    if one is not None:
        return {"lego": one, "opens": set(one["opens"]), "back": run_link(run, tab=TAB), "run": run}
    find = query.get("find", "")
    matching = [row for row in rows if any(find.casefold() in row[half].casefold() for half in ("source", "target"))]
    start = int(given) if (given := query.get("from", "0")).isdecimal() and len(given) < 8 else 0
    return {
        "figures": _figures(reuse) if reuse is not None else (),
        "cuts": tuple(CUTS.values()),
        "picture": _picture(found.seeds),
        "order": found.order,
        "rows": matching[start : start + A_PAGE],
        "find": find,
        "shown": f"{count(len(matching))} of {plural(len(rows), 'LEGO')}" if find else plural(len(rows), "LEGO"),
        "previous": _page(run, find, start - A_PAGE) if start > 0 else None,
        "next": _page(run, find, start + A_PAGE) if start + A_PAGE < len(matching) else None,
        "run": run,
    }


def _page(run: str, find: str, start: int) -> str:
    return run_link(run, tab=TAB, find=find or None, **{"from": max(0, start)})


def _figures(reuse: Reuse) -> tuple[tuple[str, tuple[str, ...]], ...]:
    figures = reuse.model_dump()
    if not figures["course"]["distinct"]:
        return ()
    return tuple((label, tuple(cell(figures[name]) for name in CUTS)) for label, cell in ROWS.items())


def _picture(seeds: Sequence[OrderedSeed]) -> Drawn | None:
    if not seeds:
        return None
    number = min(COLUMNS, len(seeds))
    bounds = [len(seeds) * place // number for place in range(number + 1)]
    means = [
        (
            sum(len(seed.new_legos) for seed in seeds[start:end]) / (end - start),
            sum(len(seed.known_legos) for seed in seeds[start:end]) / (end - start),
        )
        for start, end in pairwise(bounds)
    ]
    most = max(new + known for new, known in means)
    columns = []
    for place, (new, known) in enumerate(means):
        high, low = HEIGHT * new / most, HEIGHT * known / most
        x, width = round(place * 100 / number, 3), round(86 / number, 3)
        columns.append(
            Drawn(
                x=x,
                width=width,
                new_y=round(HEIGHT - high, 1),
                new_height=round(high, 1),
                known_y=round(HEIGHT - high - low, 1),
                known_height=round(low, 1),
            )
        )
    first, last = means[0], means[-1]
    label = (
        f"LEGOs a SEED, in the order of teaching: {first[0]:.1f} new and {first[1]:.1f} known at the start, "
        f"{last[0]:.1f} new and {last[1]:.1f} known at the end"
    )
    return Drawn(columns=tuple(columns), most=f"{most:.1f}", label=label)
