"""A desk with a lesson on it, and a server behind which the models of a small world answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from burnish.models.calls import Call
from burnish.models.scripted import Fault, ScriptedModel
from tests.lessons_model import SOURCE, SPEC, Down, World, as_text
from tests.loopback import Answer, Asked, LoopbackModel

DIRTY = (
    "The sun warms the surface of seas and lakes. Where it is **warm enough, the water turns into vapour and rises.\n\n"
    "Certainly! Here is the rest of the section:\n\n"
    "Wind carries the vapour away, and a wet shirt on a line shows [the same thing](https://seatide.org/shirt within "
    "an hour."
)
"""Three things that code can mend: a mark without its partner, a chatbot's words, a link that is never closed."""
CLEAN = (
    "The sun warms the surface of seas and lakes. Where it is warm enough, the water turns into vapour and rises.\n\n"
    "Wind carries the vapour away, and a wet shirt on a line shows [the same thing](https://seatide.org/shirt) within "
    "an hour."
)


def put(home: Path, lesson: Mapping[str, Any], name: str = "water.json") -> Path:
    """The lesson in a file, with its spec and its source beside it."""
    (home / "spec.json").write_text(json.dumps(SPEC), encoding="utf-8")
    (home / "source.md").write_text(SOURCE, encoding="utf-8")
    path = home / name
    path.write_text(as_text(lesson), encoding="utf-8")
    return path


@contextmanager
def serving(world: World) -> Iterator[LoopbackModel]:
    """The world over HTTP."""

    def answer(asked: Asked) -> Any:
        try:
            return Answer(world.reply(asked.reply_name, asked.model, asked.user))
        except Down:
            return Answer(status=500, headers={"Retry-After": "0"})

    with LoopbackModel(answer) as server:
        yield server


def scripted(world: World) -> ScriptedModel:
    """The world as an object with `send`."""

    def answer(call: Call) -> object:
        try:
            return world.reply(call.reply_name, call.model, call.user)
        except Down:
            return Fault(status=400)

    return ScriptedModel(answer)
