"""What a translator is shown: fixed by the place of a batch, and what stands before it in the words of the book."""

import json
from collections.abc import Sequence
from typing import Any

from burnish.core.checks import Selection
from burnish.core.effects import Answer, Ask, ModelRequest, ModelRoles
from burnish.core.forecasts import Pretended
from burnish.core.records import UnitRow
from burnish.core.replies import TranslationReply
from burnish.core.tasks import Environment, Item
from burnish.kinds.manuscripts.model import Frame, Paragraph
from burnish.kinds.manuscripts.resources import Equipment, Terms
from burnish.kinds.manuscripts.translation import BEFORE_ROOM, MOST_BEFORE, Translating


def book(*chapters: int, length: int = 40) -> list[Paragraph]:
    """Chapters of so many paragraphs, each with its heading."""
    blocks = [block for count in chapters for block in ["heading", *["paragraph"] * count]]
    return [
        Paragraph(
            f"p_{n:04}",
            n,
            block,  # type: ignore[arg-type]
            f"Here is number {n}. " + "x" * length,
            frame=Frame("# ") if block == "heading" else Frame(),
        )
        for n, block in enumerate(blocks, 1)
    ]


def steps(paragraphs: Sequence[Paragraph], *, in_batches: bool = False) -> list[list[ModelRequest]]:
    """What a task asks for, step by step, of a translator who answers everything."""
    terms = Terms("en", "es", in_batches=in_batches)
    stage = Translating(Equipment(terms), Environment(Selection(()), ModelRoles((), {"translator": "m"})))
    items = [Item(UnitRow(p.id, "", p.index - 1, p.content_hash, "", None, 1, 1), p, p, ()) for p in paragraphs]
    work = stage.work(items, Pretended(list(paragraphs)))
    found: list[list[ModelRequest]] = []
    sent: object = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration:
            return found
        assert isinstance(effect, Ask)
        found.append(list(effect.requests))
        sent = tuple(Answer("m", _translated(request)) for request in effect.requests)


def _translated(request: ModelRequest) -> TranslationReply:
    texts = [
        {"paragraph_id": one["paragraph_id"], "text": one["text"].replace("Here is number", "Aquí está el")}
        for one in shown(request)
        if "paragraph_id" in one
    ]
    return TranslationReply.model_validate({"translations": texts})


def shown(request: ModelRequest) -> list[dict[str, Any]]:
    return [json.loads(line) for line in request.ask.untrusted["work"].split("\n")]


def before(request: ModelRequest) -> list[str]:
    return next((one["translated"] for one in shown(request) if "translated" in one), [])


def test_batches_of_a_stretch_follow_each_other_and_stretches_go_side_by_side() -> None:
    asked = steps(book(14, 24))
    assert [[request.ask.unit for request in step] for step in asked] == [
        ["p_0001", "p_0016"],
        ["p_0011", "p_0026"],
        ["p_0036"],
    ]
    assert [request.goes_on for step in asked for request in step] == [False, False, True, True, True]


def test_a_batch_is_shown_the_translations_before_it_in_its_stretch() -> None:
    first, second, _ = steps(book(14, 24))
    assert not any(before(request) for request in first), "nothing of another chapter"
    texts = [text.split(".")[0] for text in before(second[1])]
    assert texts == [f"Aquí está el {n}" for n in range(16, 26)] and len(texts) == MOST_BEFORE
    assert [one for one in shown(second[1]) if "before" in one] == [], "not the source as well"


def test_no_more_of_them_than_there_is_room_for() -> None:
    _, second = steps(book(14, length=600))
    assert len(before(second[0])) == 3 and sum(map(len, before(second[0]))) <= BEFORE_ROOM


def test_at_batch_prices_nothing_waits_for_another_answer() -> None:
    [only] = steps(book(14, 24), in_batches=True)
    assert len(only) == 5 and not any(before(request) for request in only)
    assert any("before" in one for one in shown(only[1])), "the source around it"


def test_short_chapters_share_a_request() -> None:
    asked = steps(book(2, 3, 3, 1, 9))
    assert [[request.ask.unit for request in step] for step in asked] == [["p_0001", "p_0012"], ["p_0011", "p_0022"]]
