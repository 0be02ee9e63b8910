"""Mending one paragraph in twenty: what it costs beside the first translation of the book."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bench.lesson_defects import tokens_of
from bench.lines import Line, below, beside
from bench.manuscripts_corpus import Pair, generate
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, new_plan, record_plan
from burnish.core.json_bytes import dumps
from burnish.core.records import CallRecord
from burnish.engine.session import Watcher
from burnish.models.budget import MESSAGE_OVERHEAD
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.loopback import Answer, Asked, LoopbackModel
from tests.manuscripts_model import BookWorld, Slip

TITLE = "tokens to rework 5 % of a book's paragraphs beside its first translation, against a loopback model over HTTP"
PARAGRAPHS, FULL_PARAGRAPHS = 200, 1_000
EVERY = 20
"""One paragraph in so many is translated wrongly."""
LENGTH = (5, 7)
"""Sentences in a paragraph: about ninety words."""
MOST = 8.0
"""Percent of the first translation."""
MODEL = "openai:loopback"
WRONG = {
    "mesa": "cama",
    "ventana": "puerta",
    "viento": "humo",
    "carta": "nota",
    "recuerdo": "ruido",
    "sillas": "camas",
    "olor": "color",
    "luces": "voces",
    "hombres": "niños",
    "mañana": "noche",
    "anciana": "vecina",
    "mujer": "hija",
}
"""A word of the right translation -> what a careless one has in its place."""
DESCRIPTION = "The word does not say what the source says here; a reader would picture another thing altogether."
REASONING = "Each of these words was exchanged for the one that the source has in its place."


@dataclass(frozen=True, slots=True)
class Case:
    """Which mistakes a translator makes, and how they can be mended."""

    name: str
    dimension: str
    category: str
    whole: int = 0
    """One mistake in so many can only be mended with the whole paragraph; 0: none."""


CASES = (
    Case("edits, the draft is enough", "grammar", "grammar"),
    Case("edits beside the source", "semantic_fidelity", "meaning"),
    Case("edits, and one in ten as a whole paragraph", "semantic_fidelity", "meaning", whole=10),
    Case("edits, and one in five as a whole paragraph", "semantic_fidelity", "meaning", whole=5),
)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a translated book cost, by who was asked."""

    calls: tuple[CallRecord, ...]
    reworked: int

    def tokens(self, role: str, *replies: str) -> int:
        found = (call for call in self.calls if call.role == role and (not replies or call.reply_name in replies))
        return sum(call.usage.total_tokens for call in found)

    def count(self, role: str) -> int:
        return sum(call.role == role for call in self.calls)

    def again(self, role: str) -> int:
        """What a role cost after the first rework."""
        times = [call.at for call in self.calls if call.role == "reworker"]
        return sum(call.usage.total_tokens for call in self.calls if call.role == role and call.at > min(times))


def run(full: bool, paragraphs: int | None = None) -> list[Line]:
    size = paragraphs or (FULL_PARAGRAPHS if full else PARAGRAPHS)
    return [line for case in CASES for line in _lines(case, _translated(case, size), size)]


def _lines(case: Case, spent: Spent, size: int) -> list[Line]:
    first, rework = spent.tokens("translator"), spent.tokens("reworker")
    words = sum(len(pair.source.split()) for pair in _book(size)) / size
    return [
        below(f"{case.name}: rework, of the first translation", 100 * rework / first, "%", MOST),
        Line(
            "  first translation",
            first,
            "tokens",
            f"{size:,} paragraphs of {words:.0f} words, in {_calls(spent)} calls",
        ),
        Line("  rework", rework, "tokens", f"{spent.reworked} paragraphs, in {spent.count('reworker')} calls"),
        Line("    edits", spent.tokens("reworker", "edit_reply"), "tokens"),
        Line("    whole paragraphs", spent.tokens("reworker", "translation_reply"), "tokens"),
        beside("  a paragraph reworked", rework / spent.reworked, "tokens", "translated", first / size),
        Line("  reviewers and critics on what was reworked", spent.again("reviewer") + spent.again("critic"), "tokens"),
    ]


def _calls(spent: Spent) -> int:
    return spent.count("translator")


def _book(size: int) -> Iterable[Pair]:
    """Plain paragraphs only: headings would make the rework look dearer than it is, and are no paragraphs."""
    return islice((pair for pair in generate(LENGTH) if not pair.mark), size)


def _world(case: Case, size: int) -> BookWorld:
    pairs = list(_book(size))
    world = BookWorld({pair.source: pair.target for pair in pairs})
    for number, pair in enumerate(pairs[EVERY // 2 :: EVERY]):
        world.slips[pair.source] = _slip(case, pair, number)
    return world


def _slip(case: Case, pair: Pair, number: int) -> Slip:
    words = pair.target.split()
    place = next(at for at, word in enumerate(words) if word in WRONG and pair.target.count(f" {word} ") == 1)
    right = " ".join(words[place - 1 : place + 2])
    wrong = right.replace(words[place], WRONG[words[place]])
    slip = Slip(
        text=pair.target.replace(right, wrong, 1),
        category=case.category,
        find=wrong,
        replace=right,
        severity="error",
        score=0.75,
        dimension=case.dimension,
    )
    return replace(slip, find="", replace="") if case.whole and number % case.whole == 0 else slip


def _translated(case: Case, size: int) -> Spent:
    world = _world(case, size)
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, LoopbackModel(_answers(world)) as server:
        folder = Path(place)
        book = folder / "book.md"
        book.write_text("\n\n".join(pair.source for pair in _book(size)) + "\n", encoding="utf-8")
        flags = {"models.model": ("bench", MODEL), "models.base_url": ("bench", server.base_url)}
        loaded = load(start=folder, environ={"OPENAI_API_KEY": "none"}, flags=flags)
        order = TranslationOrder("bench", source=str(book), to="es", source_language="en", auto_merge=True)
        plan = new_plan(order, loaded)
        run = RunFolder.at(folder / "runs", "bench")
        resources = resources_of(loaded.settings, plan.models)
        result = asyncio.run(start_run(run, plan, resources, Watcher(), record=record_plan))
        if not result.published:
            raise RuntimeError(f"the book was not published: {result.outcome.counts}")
        _refuse_other_text(world, Path(result.published[0].path), size)
        with closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
            return Spent(tuple(journal.calls()), len(world.slips))


def _refuse_other_text(world: BookWorld, final: Path, size: int) -> None:
    """Every mistake has to be mended, and nothing else touched."""
    wanted = "\n\n".join(world.translations[pair.source] for pair in _book(size)) + "\n"
    if final.read_text(encoding="utf-8") != wanted:
        raise RuntimeError("the published book is not the right translation")


def _answers(world: BookWorld) -> Any:
    def answer(asked: Asked) -> Answer:
        reply = dumps(_in_words(world.reply(asked.reply_name, asked.user))).decode()
        prompt = tokens_of(asked.system) + tokens_of(asked.user) + MESSAGE_OVERHEAD
        return Answer(reply, usage=(prompt, tokens_of(reply)))

    return answer


def _in_words(reply: object) -> object:
    """Answers as long as those of real models: with a reason, and with issues that say what is wrong."""
    if not isinstance(reply, Mapping):
        return reply
    told = {**reply, **({"reasoning": REASONING} if "reasoning" in reply else {})}
    for paragraph in told.get("paragraphs", ()):
        for issue in paragraph["issues"]:
            issue["description"] = DESCRIPTION
    return told
