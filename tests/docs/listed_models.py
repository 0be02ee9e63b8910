"""Which models of the guide's table the installed libraries no longer list, or price otherwise. No test: a note.

python -m tests.docs.listed_models
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from burnish.models.budget import MILLION, listed_price, table_version
from burnish.models.calls import TokenCount

GUIDE = (Path(__file__).parents[2] / "docs/guides/models.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z]+):([^`]+)`.*\| \$([\d.]+) / \$([\d.]+) \|", re.MULTILINE)
NAMED_BY_THE_LIBRARY = ("openai", "anthropic", "google")


def differences() -> Iterator[str]:
    from pydantic_ai.models import KnownModelName

    known = get_args(KnownModelName.__value__)
    for provider, name, inside, outside in ROW.findall(GUIDE):
        model = f"{provider}:{name}"
        if provider in NAMED_BY_THE_LIBRARY and model not in known:
            yield f"{model} is not among the names of pydantic-ai"
        price = listed_price(model)
        if price is None:
            yield f"{model} has no price in {table_version()}"
            continue
        costs = [price.of(TokenCount(1_000, 0)), price.of(TokenCount(0, 1_000))]
        now = [f"{cost * MILLION / 1_000:.2f}" for cost in costs]
        if now != [inside, outside]:
            yield f"{model} costs ${now[0]} / ${now[1]}, and the guide says ${inside} / ${outside}"


if __name__ == "__main__":
    print("\n".join(differences()) or "The guide's table of models is what the libraries say.")
