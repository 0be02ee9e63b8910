"""`burnish schema`: the JSON Schema of every contract."""

from __future__ import annotations

import sys
from typing import Annotated

import orjson
import typer

from burnish.app.schemas import contracts, schema_of
from burnish.app.terminal import Screen


def schema(
    name: Annotated[str | None, typer.Argument(help="Which contract. Without a name, all of them are listed.")] = None,
) -> None:
    """Print the JSON Schema of a contract.

    The contracts are what Burnish reads, writes and asks of models. Without NAME they are listed.
    """
    if name is not None:
        sys.stdout.write(orjson.dumps(schema_of(name), option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    screen = Screen(sys.stdout)
    width = max(len(known) for known in contracts())
    for known, what in contracts().items():
        screen.line(("strong", f"{known:<{width}}"), f"  {what}")
