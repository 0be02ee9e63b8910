"""LEGOs as people read and write them: a line each, the two halves with a bar between them."""

from __future__ import annotations

from burnish.core.errors import InputError
from burnish.core.replies import LegoPart
from burnish.kinds.legos.answers import located
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.guarantees import with_uncovered
from burnish.kinds.legos.model import Seed

BAR = " | "
HINT = 'Give a LEGO a line: "I want to speak | Сакам да зборувам", each half as it stands in its sentence.'


def shown(seed: Seed) -> str:
    """The SEED and its LEGOs."""
    lines = [seed.source, seed.target, *(f"{lego.source}{BAR}{lego.target}" for lego in seed.legos)]
    return "\n".join(lines) + (f"\n(in no LEGO: {', '.join(seed.uncovered)})" if seed.uncovered else "")


def cut_by_person(seed: Seed, text: str, terms: Terms) -> Seed:
    """The SEED as a person cut it. The two sentences may stand above the LEGOs, as they are shown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line not in (seed.source, seed.target)]
    parts = [_part(number, line) for number, line in rows if not line.startswith("(in no LEGO:")]
    if not parts:
        raise InputError("There is no LEGO in the edited text.", hint=HINT)
    found = located(parts, seed)
    if found.refused:
        raise InputError(found.refused[0].told, hint=HINT)
    return with_uncovered(found.seed, terms.tongue, terms.rule)


def _part(number: int, line: str) -> LegoPart:
    source, bar, target = line.partition("\t") if "\t" in line else line.partition("|")
    if not bar or not source.strip() or not target.strip():
        raise InputError("A LEGO has two halves.", line=number, hint=HINT)
    return LegoPart(source=source.strip(), target=target.strip())
