"""The readers of a candidate: few calls, one text for all who read a window, and no paragraph that nobody sees."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import Answer, Ask, ModelRequest, ModelRoles, Outcome
from burnish.core.forecasts import Pretended
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.replies import CriticReply, TranslationReviewReply, reply_schema
from burnish.core.tasks import Environment, Item
from burnish.engine.client import rendered
from burnish.kinds.manuscripts.document_facts import gathered
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import DIMENSIONS
from burnish.kinds.manuscripts.resources import Equipment, Terms, equipped
from burnish.kinds.manuscripts.review import FAR, Reviewing

WORDS = "The ferry crosses the strait six times a day, and nobody on board speaks about the weather any more. "
LINE = "El transbordador cruza el estrecho seis veces al día, y a bordo nadie habla ya del tiempo. "


def paragraphs(count: int, times: int = 4) -> list[Paragraph]:
    return [
        Paragraph(
            f"p_{n:04}",
            n,
            "paragraph",
            f"Number {n}. {WORDS * times}".strip(),
            f"Número {n}. {LINE * times}".strip(),
            source_language="en",
            target_language="es",
        )
        for n in range(1, count + 1)
    ]


def stage(book: Sequence[Paragraph], roles: dict[str, str], judges: tuple[str, ...] = ()) -> Reviewing:
    equipment = replace(equipped({}, {}), terms=Terms("en", "es"))
    assert isinstance(equipment, Equipment)
    env = Environment(Selection(()), ModelRoles(judges, roles))
    env = replace(env, facts=gathered(book, equipment, env.facts, lambda id: False).facts)
    return Reviewing(equipment, env)


def item(paragraph: Paragraph, *, reviewed: bool = False) -> Item:
    first = AttemptRecord(paragraph.id, 1, "source", None, paragraph.content_hash, {}, (), passed=False)
    attempts = (first, replace(first, number=2, cause="review")) if reviewed else (first,)
    row = UnitRow(paragraph.id, "", paragraph.index - 1, paragraph.source_hash, "", None, 1, 1)
    return Item(row, paragraph, paragraph, attempts)


MODELS = {"reviewer": "m", "critic": "m"}


def asked(
    book: Sequence[Paragraph], answer: Any = None, only: Sequence[int] | None = None, **more: Any
) -> tuple[list[list[ModelRequest]], Outcome]:
    """What one task asks for, step by step, and what becomes of its paragraphs."""
    items = [item(one, reviewed=only is not None) for one in book if only is None or one.index in only]
    work = stage(book, MODELS, **more).work(items, Pretended(list(book)))
    steps: list[list[ModelRequest]] = []
    sent: object = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            return steps, end.value
        assert isinstance(effect, Ask)
        steps.append(list(effect.requests))
        sent = tuple((answer or fine)(request) for request in effect.requests)


def work_of(request: ModelRequest) -> list[dict[str, Any]]:
    return [json.loads(line) for line in request.ask.untrusted["work"].split("\n")]


def fine(request: ModelRequest) -> Answer:
    if request.ask.reply == "critic_reply":
        return Answer("m", CriticReply(reasoning="", issues=()))
    judged = [
        {"paragraph_id": one["paragraph_id"], "issues": [], "scores": dict.fromkeys(DIMENSIONS, 0.95)}
        for one in work_of(request)
        if "paragraph_id" in one
    ]
    return Answer("m", TranslationReviewReply.model_validate({"reasoning": "", "paragraphs": judged}))


def readers(requests: Sequence[ModelRequest]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for request in requests:
        is_far = "## consistency" in request.ask.trusted.get("critics", "")
        yield "far" if is_far else request.ask.role, work_of(request)


def test_every_paragraph_is_seen_once_by_every_reader_with_its_source() -> None:
    book = paragraphs(FAR)
    [requests], outcome = asked(book)
    for reader in ("reviewer", "critic", "far"):
        seen = [one for name, work in readers(requests) if name == reader for one in work]
        assert [(one["source"], one["translation"]) for one in seen] == [(p.text, p.translation) for p in book]
    assert [name for name, _ in readers(requests)].count("far") == 1, "what departs from the rest shows only beside it"
    assert len(requests) / len(book) <= 0.25, "with .1 for the translation, .35 calls a paragraph"
    assert len(outcome.units_in("ready_to_merge")) == len(book)


def test_one_call_for_all_critics_of_a_window() -> None:
    [requests], _ = asked(paragraphs(10))
    critics = [request.ask.trusted["critics"] for request in requests if request.ask.role == "critic"]
    names = [[line for line in told.split("\n") if line.startswith("## ")] for told in critics]
    assert names == [["## cultural", "## readability", "## typography"], ["## consistency"]]


def common_beginning(texts: Sequence[str]) -> str:
    at = next((at for at, letters in enumerate(zip(*texts, strict=False)) if len({*letters}) > 1), None)
    return texts[0][:at]


def test_the_readers_of_a_window_share_most_of_their_prompts() -> None:
    [requests], _ = asked(paragraphs(60))
    windows: dict[str, list[str]] = {}
    for request in requests:
        text = rendered(request.ask, nonce="n")
        whole = json.dumps(reply_schema(request.ask.reply)) + text.system + text.user
        windows.setdefault(request.ask.untrusted["work"], []).append(whole)
    shared = [(common_beginning(both), both) for both in windows.values() if len(both) > 1]
    assert len(shared) == 4
    for common, both in shared:
        assert len(common) >= 0.6 * max(map(len, both)) and len(common) / 4 >= 1_024


def test_short_paragraphs_are_read_in_larger_windows() -> None:
    [requests], _ = asked(paragraphs(60, times=1))
    sizes = [len(work) for name, work in readers(requests) if name == "reviewer"]
    assert sizes == [30, 30]
    [requests], _ = asked(paragraphs(13))
    sizes = [len(work) for name, work in readers(requests) if name == "reviewer"]
    assert sizes == [13], "a short rest is no window of its own"


def test_whoever_is_refused_over_one_paragraph_is_asked_about_halves() -> None:
    def refuse(request: ModelRequest) -> Answer:
        holds = request.ask.reply == "translation_review_reply" and "Number 7." in request.ask.untrusted["work"]
        return Answer("m", None, "model_failed: no", refused=True) if holds else fine(request)

    steps, outcome = asked(paragraphs(10), refuse)
    assert [len(step) for step in steps] == [3, 2, 2, 2]
    assert outcome.units_in("manual_review_required") == ["p_0007"]


def test_after_a_rework_neighbours_are_shown_and_not_judged() -> None:
    [requests], outcome = asked(paragraphs(5), only=[3])
    for name, work in readers(requests):
        assert [(one["paragraph_id"], "context" in one) for one in work] == [
            ("p_0002", True),
            ("p_0003", False),
            ("p_0004", True),
        ], name
    assert not outcome.blockers, "a reviewer that judges a neighbour all the same is not heard about it"
    assert outcome.units_in("ready_to_merge") == ["p_0003"]


@pytest.mark.parametrize("role", ["reviewer", "critic"])
def test_an_answer_that_cannot_be_read_fails_closed(role: str) -> None:
    def garbled(request: ModelRequest) -> Answer:
        return Answer("m", None, "reply_unreadable: no JSON") if request.ask.role == role else fine(request)

    _, outcome = asked(paragraphs(2), garbled)
    assert len(outcome.units_in("manual_review_required")) == 2


def test_readers_see_how_names_are_rendered_in_the_book() -> None:
    book = [
        replace(one, text=f"{one.text} They met Ana Vidal.", translation=f"{one.translation} Vieron a Ana Vidal.")
        for one in paragraphs(4)
    ]
    [requests], _ = asked(book)
    assert all({"sheet": {"Ana Vidal": "Ana Vidal"}} in work_of(request) for request in requests)


def test_judges_share_a_window_too() -> None:
    [requests], outcome = asked(paragraphs(3), judges=("a", "b"))
    reviews = [request for request in requests if request.ask.role == "reviewer"]
    assert [request.model for request in reviews] == ["a", "b"] and reviews[0].ask == reviews[1].ask
    [review] = [draft for draft in outcome.units[0].drafts if draft.cause == "review"]
    assert {row["reviewer"] for row in (review.receipt or {})["rows"]} >= {"review:a", "review:b"}
