"""A translated and reviewed book of 2,000 paragraphs: calls and tokens a paragraph, what readers share, what they find.

Damage of three sorts is sown into the first translation: a wrong word (whoever has source and translation sees it), a
turn of phrase that is carried over word by word (whoever reads the translation sees it), and a term that is rendered
otherwise than in the paragraphs around (only a reader who has another paragraph with that term in front of him sees
it). The loopback model looks for it in the text that it was sent, and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from bench.lesson_defects import tokens_of
from bench.lines import Line, above, below, beside
from bench.manuscripts_corpus import GOODS, Pair, generate
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, new_plan, record_plan
from burnish.core.records import CallRecord
from burnish.engine.session import Watcher
from burnish.models.budget import MESSAGE_OVERHEAD
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.loopback import Answer, Asked, LoopbackModel
from tests.manuscripts_model import FENCED, is_asked_about

TITLE = "a book of 2,000 paragraphs, translated, reviewed and mended, against a loopback model over HTTP"
PARAGRAPHS = 2_000
MODEL = "openai:loopback"
BEFORE_CALLS, MOST_CALLS = 0.70, 0.35
"""Calls a paragraph when every score and every critic had a call of its own, and the goal."""
BEFORE_TOKENS, BEFORE_RECALL = 1_264, 68 / 73
"""Tokens a paragraph then, and the share of the damage that was mended, by this very benchmark."""
FEWER = 0.75
SHARED, FLOOR = 0.60, 1_024
"""What the readers of a window share at least, and the tokens from which on providers cache."""
SCORES = dict.fromkeys(("grammar", "vocabulary", "style", "voice", "semantic_fidelity"), 0.95)
WORDS = {"mesa": "cama", "viento": "humo", "carta": "nota", "recuerdo": "ruido", "hombres": "niños", "velas": "sillas"}
CARRIED_OVER = "esto hace sentido para ellos"
OTHERWISE = {"pan": "bollo", "leche fresca": "leche nueva", "café": "cafeto", "sal": "salmuera", "miel": "melaza"}
Sort = Literal["word", "phrase", "term"]


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing wrong with the translation of a paragraph."""

    sort: Sort
    source: str
    wrong: str
    """The words as they stand in the first translation."""
    right: str
    term: str = ""
    """What the source calls it, and the usual rendering: of a term that is rendered otherwise here."""
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Book:
    """The right translations, and what is wrong with the first ones."""

    pairs: Sequence[Pair]
    right: Mapping[str, str]
    damage: Mapping[str, Damage]

    def first(self, source: str) -> str:
        """The first translation of a paragraph."""
        right, one = self.right[source], self.damage.get(source)
        return right.replace(one.right, one.wrong, 1) if one else right


def book(size: int) -> Book:
    chance = random.Random(7)
    pairs = list(islice(generate((1, 5)), size))
    sown: dict[str, Damage] = {}
    seen: set[str] = set()
    for at, pair in enumerate(pairs):
        if at % 25 == 10 and not pair.mark and pair.source not in seen:
            fits = [one for one in _possible(pair) if pair.target.count(one.right) == 1]
            fits = [one for one in fits if one.wrong not in pair.target]
            sown |= {pair.source: chance.choice(fits)} if fits else {}
        seen.add(pair.source)
    return Book(pairs, {pair.source: pair.target for pair in pairs}, sown)


def _possible(pair: Pair) -> Iterator[Damage]:
    for right, wrong in WORDS.items():
        if re.search(rf" {right}\b", pair.target):
            yield Damage("word", pair.source, wrong, right)
    end = pair.target.split()[-1]
    yield Damage("phrase", pair.source, f"{end[:-1]}, y {CARRIED_OVER}.", end)
    for term, usual in GOODS:
        if f" {usual} " in pair.target and f" {term} " in pair.source:
            yield Damage("term", pair.source, f" {OTHERWISE[usual]} ", f" {usual} ", f" {term} ", f" {usual} ")


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that knows the right translations, and of its prompt only what stands in it."""

    book: Book

    def answer(self, asked: Asked) -> Answer:
        work = [json.loads(line) for line in _fenced(asked.user, "work").split("\n") if line.strip()]
        reply = json.dumps(self._reply(asked, work), ensure_ascii=False)
        prompt = tokens_of(_schema(asked)) + tokens_of(asked.system) + tokens_of(asked.user) + MESSAGE_OVERHEAD
        return Answer(reply, usage=(prompt, tokens_of(reply)))

    def _reply(self, asked: Asked, work: Sequence[dict[str, Any]]) -> object:
        match asked.reply_name:
            case "translation_reply":
                return {"translations": [self._translated(one) for one in work if "paragraph_id" in one]}
            case "edit_reply":
                return {
                    "reasoning": "The quoted words are wrong.",
                    "edits": [e for one in work for e in self._edit(one)],
                }
            case "translation_review_reply":
                mine = [one for one in work if is_asked_about(one)]
                return {"reasoning": "Read in both directions.", "paragraphs": [self._judged(one) for one in mine]}
        texts = [one["translation"] for one in work if "translation" in one]
        return {"reasoning": "Read line by line.", "issues": list(self._noticed(texts, asked)), "scores": {}}

    def _translated(self, one: Mapping[str, Any]) -> dict[str, str]:
        right = self.book.right[one["text"]]
        text = right if "draft" in one else self.book.first(one["text"])
        return {"paragraph_id": one["paragraph_id"], "text": text}

    def _edit(self, one: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for damage in self.book.damage.values():
            if one["draft"] == self.book.first(damage.source):
                yield {"unit": one["unit"], "field": None, "find": damage.wrong, "replace": damage.right}

    def _judged(self, one: Mapping[str, Any]) -> dict[str, Any]:
        damage = self.book.damage.get(one["source"])
        is_wrong = damage is not None and damage.sort == "word" and damage.wrong in one["translation"]
        issues = [_issue("wording", damage)] if damage is not None and is_wrong else []
        scores = {**SCORES, "semantic_fidelity": 0.7} if is_wrong else SCORES
        return {"paragraph_id": one["paragraph_id"], "issues": issues, "scores": scores}

    def _noticed(self, texts: Sequence[str], asked: Asked) -> Iterator[dict[str, Any]]:
        """What a critic sees in these lines of the translation, if what it is asked to look for is that."""
        everything = asked.system + asked.user
        for damage in self.book.damage.values():
            bad = self.book.first(damage.source)
            held = [text for text in texts if bad in text]
            if not held:
                continue
            if damage.sort == "phrase" and "carried over word by word" in everything:
                yield {"lens": "readability", **_issue("readability", damage)}
            elsewhere = any(damage.usual in text for text in texts if bad not in text)
            if damage.sort == "term" and elsewhere and "rendered in two ways" in everything:
                yield {"lens": "consistency", **_issue("consistency", damage), "quote": bad}


def _issue(category: str, damage: Damage) -> dict[str, Any]:
    return {
        "category": category,
        "severity": "major",
        "quote": damage.wrong,
        "description": "It does not say what stands there, or not as it is said elsewhere.",
        "suggested_fix": damage.right,
    }


def _schema(asked: Asked) -> str:
    return json.dumps(asked.body["response_format"]["json_schema"]["schema"])


def _fenced(prompt: str, name: str) -> str:
    return next((text for _, named, text in FENCED.findall(prompt) if named == name), "")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the book cost, and what became of the damage."""

    calls: Sequence[CallRecord]
    requests: Sequence[Asked]
    mended: Mapping[Sort, tuple[int, int]]
    """Sort of damage -> how much was mended, of how much."""


def run(full: bool, paragraphs: int | None = None) -> list[Line]:
    size = paragraphs or PARAGRAPHS
    spent = translated(book(size))
    tokens = sum(call.usage.total_tokens for call in spent.calls) / size
    mended, sown = (sum(pair[at] for pair in spent.mended.values()) for at in (0, 1))
    shares = list(shared_prompts(spent.requests))
    over = 100 * sum(count >= FLOOR for _, count in shares) / len(shares)
    return [
        below("calls a paragraph", len(spent.calls) / size, f"(before: {BEFORE_CALLS:.2f})", MOST_CALLS),
        beside("tokens a paragraph", tokens, "tokens", "before", BEFORE_TOKENS, at_most=FEWER),
        *(
            Line(f"  {role}", count, "calls", f"{used / size:,.0f} tokens a paragraph")
            for role, count, used in _by_role(spent)
        ),
        above("shared by the readers of a window, at least", min(shares)[0], "of a prompt", SHARED),
        above("  over the providers' floor of 1,024 tokens", over, "% of windows", 100),
        beside("damage that was found and mended", mended / sown, "of all", "before", BEFORE_RECALL, at_least=1.0),
        *(Line(f"  {sort}", of[0], f"of {of[1]}") for sort, of in spent.mended.items()),
    ]


def _by_role(spent: Spent) -> Iterator[tuple[str, int, int]]:
    for role in dict.fromkeys(call.role for call in spent.calls):
        used = [call.usage.total_tokens for call in spent.calls if call.role == role]
        yield role, len(used), sum(used)


def shared_prompts(requests: Sequence[Asked]) -> Iterator[tuple[float, int]]:
    """For every window of the first review with several readers: the share of the longest prompt that all of them begin
    with, and its tokens. A prompt is the schema, the system part and the user's."""
    windows: dict[str, list[str]] = {}
    for asked in requests:
        if asked.reply_name in ("translation_review_reply", "critic_reply") and '"context":true' not in asked.user:
            windows.setdefault(_fenced(asked.user, "work"), []).append(_schema(asked) + asked.system + asked.user)
    for prompts in windows.values():
        if len(prompts) > 1:
            common = os.path.commonprefix(prompts)  # noqa: RUF071
            yield len(common) / max(map(len, prompts)), tokens_of(common)


def translated(order: Book) -> Spent:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, LoopbackModel(Reader(order).answer) as server:
        folder = Path(place)
        source = folder / "book.md"
        source.write_text("\n\n".join(f"{p.mark}{p.source}" for p in order.pairs) + "\n", encoding="utf-8")
        flags = {"models.model": ("bench", MODEL), "models.base_url": ("bench", server.base_url)}
        loaded = load(start=folder, environ={"OPENAI_API_KEY": "none"}, flags=flags)
        plan = new_plan(
            TranslationOrder("bench", source=str(source), to="es", source_language="en", auto_merge=True), loaded
        )
        run = RunFolder.at(folder / "runs", "bench")
        result = asyncio.run(
            start_run(run, plan, resources_of(loaded.settings, plan.models), Watcher(), record=record_plan)
        )
        if not result.published:
            raise RuntimeError(f"the book was not published: {result.outcome.counts}")
        final = Path(result.published[0].path).read_text(encoding="utf-8")
        with closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
            return Spent(tuple(journal.calls()), tuple(server.requests), _mended(order, final))


def _mended(order: Book, final: str) -> dict[Sort, tuple[int, int]]:
    blocks = final.rstrip("\n").split("\n\n")
    right = {p.source: f"{p.mark}{p.target}" == block for p, block in zip(order.pairs, blocks, strict=True)}
    found: dict[Sort, tuple[int, int]] = {}
    for damage in order.damage.values():
        mended, sown = found.get(damage.sort, (0, 0))
        found[damage.sort] = mended + right[damage.source], sown + 1
    return found
