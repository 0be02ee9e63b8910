"""A desk with a book on it, and a server behind which the models of a small world answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.app.desk import Desk, Said, SharedDesk
from tests.loopback import Answer, Asked, LoopbackModel
from tests.manuscripts_model import BookWorld, Slip

TITLE = "The Sea"
CALM = "The sea is calm and the boat with 12 men is at rest."
MARKET = "He did not go to the market on Monday."
BREAD = "The first thing is bread."
WINE = "The second thing is wine."
WELL = "All is well in the house."
CODE = "```\ncode here\n```"

BOOK = f"# {TITLE}\n\n{CALM}\n\n\n{MARKET}\n\n{CODE}\n\n- {BREAD}\n- {WINE}\n\n> {WELL}\n"
"""p_0001 is the title, p_0004 the code. Three line ends before the third paragraph: only the final text has them."""
SPANISH = {
    TITLE: "El mar",
    CALM: "El mar está en calma y la barca con 12 hombres descansa.",
    MARKET: "Él no fue al mercado el lunes.",
    BREAD: "Lo primero es el pan.",
    WINE: "Lo segundo es el vino.",
    WELL: "Todo va bien en la casa.",
}
TAMAZIGHT = {
    TITLE: "Ilel",
    CALM: "Ilel yers, taflukt s 12 yergazen tersa.",
    MARKET: "Ur iddi ara ɣer ssuq ass n letniyen.",
    BREAD: "Amezwaru d aɣrum.",
    WINE: "Wis sin d ccrab.",
    WELL: "Kullec igerrez deg uxxam.",
}
TYPO = Slip("Él no fue al mercado el lune.", "grammar", "lune.", "lunes.")
"""A slip that one edit mends."""
VAGUE = Slip("Él no fue al mercado ese día de la semana.", "style", dimension="style")
"""A slip that no edit mends: only the paragraph as a whole."""
HOPELESS = Slip("Él no fue al mercado el lune.", "grammar", "lune.", "lunes.", stubborn=True)
ASTRAY = Slip(
    "Él no fue al mercado el lunes con 40 amigos suyos.", "meaning_change", score=0.3, dimension="semantic_fidelity"
)

Interference = Callable[[Asked], Answer | None]
"""What the server does in place of the world's answer; None: nothing."""


def final(translations: Mapping[str, str] = SPANISH, book: str = BOOK) -> str:
    """The book with its translations in it."""
    for source, target in translations.items():
        book = book.replace(source, target)
    return book


def spanish(**given: Any) -> BookWorld:
    return BookWorld(dict(SPANISH), **given)


def slipping(slip: Slip = TYPO, source: str = MARKET, **given: Any) -> BookWorld:
    return spanish(slips={source: slip}, **given)


@contextmanager
def serving(world: BookWorld, interfere: Interference = lambda asked: None) -> Iterator[LoopbackModel]:
    """The world over HTTP."""

    def answer(asked: Asked) -> Any:
        instead = interfere(asked)
        return Answer(world.reply(asked.reply_name, asked.user)) if instead is None else instead

    with LoopbackModel(answer) as server:
        yield server


def away(*replies: str) -> Interference:
    """The model does not answer these."""
    return lambda asked: Answer(status=401) if asked.reply_name in replies else None


def put(home: Path, text: str = BOOK, name: str = "book.md") -> Path:
    path = home / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def translate(
    desk: Desk | SharedDesk,
    world: BookWorld,
    *more: object,
    book: str | None = BOOK,
    to: str | None = "es",
    id: str = "tx",
    interfere: Interference = lambda asked: None,
    asked: list[Asked] | None = None,
) -> Said:
    """`burnish translate` of the book against the world."""
    named = () if book is None else ("--source", put(desk.home, book))
    into = ("--to", to) if to is not None else ()
    with serving(world, interfere) as server:
        said = desk(
            "translate", "--run-id", id, *named, *into, "--model", "openai:m", "--base-url", server.base_url, *more
        )
        if asked is not None:
            asked += server.requests
    return said


def go_on(
    desk: Desk,
    world: BookWorld,
    *more: object,
    id: str = "tx",
    interfere: Interference = lambda asked: None,
    asked: list[Asked] | None = None,
) -> Said:
    """`burnish resume`."""
    with serving(world, interfere) as server:
        said = desk("resume", id, "--base-url", server.base_url, *more)
        if asked is not None:
            asked += server.requests
    return said


def lines(desk: Desk, name: str, id: str = "tx") -> list[Any]:
    text = (desk.run(id).root / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def exported(desk: Desk, name: str, id: str = "tx") -> Any:
    return json.loads((desk.run(id).root / name).read_text(encoding="utf-8"))


def published(desk: Desk, id: str = "tx") -> str:
    return (desk.run(id).root / "final/final.md").read_text(encoding="utf-8")


def is_published(desk: Desk, id: str = "tx") -> bool:
    return (desk.run(id).root / "final/final.md").exists()


def state(desk: Desk, paragraph: str, id: str = "tx") -> Any:
    """The paragraph's line in the state file."""
    [found] = [row for row in lines(desk, "state/paragraph_state.jsonl", id) if row["paragraph_id"] == paragraph]
    return found


def statuses(desk: Desk, id: str = "tx") -> dict[str, str]:
    return {row["paragraph_id"]: row["status"] for row in lines(desk, "state/paragraph_state.jsonl", id)}


def gate(desk: Desk, id: str = "tx") -> Any:
    return exported(desk, "gate/gate_report.json", id)


def blockers(desk: Desk, id: str = "tx") -> dict[str, str]:
    """Name -> reason, of everything the gate names."""
    return {one["id"]: one["reason"] for one in gate(desk, id)["blockers"]}


def files(desk: Desk, id: str = "tx") -> set[str]:
    """Every file of the run but the journal's own and hidden ones."""
    root = desk.run(id).root
    found = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    return {name for name in found if not name.startswith((".", "journal.sqlite"))}
