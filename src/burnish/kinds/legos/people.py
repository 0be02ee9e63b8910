"""LEGOs as people read and write them: a line each, the two halves with a bar between them."""

from __future__ import annotations

from burnish.core.errors import InputError
from burnish.core.replies import LegoPart
from burnish.kinds.legos.answers import located
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.guarantees import with_uncovered
from burnish.kinds.legos.model import Seed

BAR = " | "
NOTE = "(in no LEGO:"
HINT = 'Give a LEGO a line: "I want to speak | Сакам да зборувам", each half as it stands in its sentence.'


def shown(seed: Seed) -> str:
    """The SEED and its LEGOs."""
    lines = [seed.source, seed.target, *(f"{lego.source}{BAR}{lego.target}" for lego in seed.legos)]
    return "\n".join(lines) + (f"\n{NOTE} {', '.join(seed.uncovered)})" if seed.uncovered else "")


def cut_by_person(seed: Seed, text: str, terms: Terms) -> Seed:
    """The SEED as a person cut it. The two sentences may stand above the LEGOs, as they are shown."""
    above = {line.strip() for sentence in (seed.source, seed.target) for line in sentence.splitlines()}
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    rows = [(number, line) for number, line in lines if line and line not in above]
    parts = [_part(number, line, seed) for number, line in rows if not line.startswith(NOTE)]
    if not parts:
        raise InputError("There is no LEGO in the edited text.", hint=HINT)
    found = located(parts, seed)
    if found.refused:
        raise InputError(found.refused[0].told, hint=HINT)
    return with_uncovered(found.seed, terms.tongue, terms.rule)


def _part(number: int, line: str, seed: Seed) -> LegoPart:
    """The two halves of a line. Where there are bars in them too, the one between them is that with a half of either
    sentence at its sides."""
    mark = "\t" if "\t" in line else "|"
    bars = [place for place, letter in enumerate(line) if letter == mark]
    halves = [(line[:place].strip(), line[place + 1 :].strip()) for place in bars]
    whole = [(source, target) for source, target in halves if source and target]
    if not whole:
        raise InputError("A LEGO has two halves.", line=number, hint=HINT)
    source, target = next((one for one in whole if one[0] in seed.source and one[1] in seed.target), whole[0])
    # Not held to the length of a model's answer: what counts is that both halves stand in their sentences.
    return LegoPart.model_construct(source=source, target=target)
