"""Rounds of review and rework: who is asked what, how often, and what becomes of refused requests and neighbours."""

from __future__ import annotations

from typing import Any

from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.app.book_desk import Desk, blockers, go_on, state, translate
from tests.loopback import Answer, Asked
from tests.manuscripts_model import BookWorld, Slip

SOURCES = [f"The old man number {n} walked slowly to the harbour in the morning." for n in range(1, 13)]
TARGETS = [f"El viejo número {n} caminó despacio hasta el puerto por la mañana." for n in range(1, 13)]
BOOK = "\n\n".join(SOURCES) + "\n"
SMALL = ("--paragraphs", "5", "--workers", "1")


def world(**given: Any) -> BookWorld:
    return BookWorld(dict(zip(SOURCES, TARGETS, strict=True)), **given)


def moves(desk: Desk, unit: str) -> list[str]:
    journal = open_journal(desk.run("tx").journal, clock=system_clock, read_only=True)
    try:
        return [str(e.data["to"]) for e in journal.events(unit=unit, types=("state_changed",))]
    finally:
        journal.close()


def test_a_request_that_is_refused_over_one_paragraph_keeps_no_other_waiting(desk: Desk) -> None:
    def refuse(asked: Asked) -> Answer | None:
        return Answer(status=400) if asked.reply_name == "translation_reply" and "number 7 " in asked.user else None

    said = translate(desk, world(), *SMALL, "--approve", book=BOOK, interfere=refuse)
    assert said.code == 3, said.out + said.err
    assert blockers(desk) == {"p_0007": "not_translated"}
    assert state(desk, "p_0006")["status"] == "ready_to_merge"


def test_a_review_that_is_refused_over_one_paragraph_is_asked_for_one_by_one(desk: Desk) -> None:
    def refuse(asked: Asked) -> Answer | None:
        return (
            Answer(status=400) if asked.reply_name == "translation_review_reply" and "number 7 " in asked.user else None
        )

    said = translate(desk, world(), *SMALL, "--approve", book=BOOK, interfere=refuse)
    assert said.code == 3, said.out + said.err
    assert blockers(desk) == {"p_0007": "missing_artifact"}


def test_every_rework_is_another_request(desk: Desk) -> None:
    """Each comes back worse than the draft that stands, which stays the same."""
    dull = Slip(TARGETS[2], "voice", "", "", severity="warning", score=0.7, dimension="voice", stubborn=True)
    asked: list[Asked] = []
    said = translate(desk, world(slips={SOURCES[2]: dull}), *SMALL, "--approve", book=BOOK, asked=asked)
    assert said.code == 3
    assert blockers(desk) == {"p_0003": "attempts_exhausted"}
    rewrites = [one.user for one in asked if one.reply_name == "translation_reply" and '"draft"' in one.user]
    assert len(rewrites) == len(set(rewrites)) == 3
    assert state(desk, "p_0003")["attempt"] == 4


def test_a_neighbour_that_is_under_way_is_not_blamed_a_second_time(desk: Desk) -> None:
    slips = {
        source: Slip(target.replace("puerto", "puertos"), "grammar", "puertos", "puerto", severity="error")
        for source, target in zip(SOURCES[:10], TARGETS[:10], strict=True)
    }
    half = TARGETS[5].replace("puerto", "puerto viejos")
    slips[SOURCES[5]] = Slip(TARGETS[5].replace("puerto", "puertos"), "grammar", "puertos", "puerto viejos")
    slips["half"] = Slip(half, "vocabulary", "puerto viejos", "puerto")

    def critics(lines: str) -> list[dict[str, Any]]:
        wrong = [int(line.split(":")[0]) for line in lines.split("\n") if "puerto viejos" in line]
        return [
            {"category": "meaning_change", "severity": "critical", "line": line, "description": "Wrong word."}
            for line in wrong
        ]

    said = translate(desk, world(slips=slips, critics=critics), "--paragraphs", "5", "--approve", book=BOOK)
    assert said.code == 0, said.out + said.err
    assert blockers(desk) == {}


def test_rework_only_brings_nothing_else_further(desk: Desk) -> None:
    short = ("--max-tokens", "2000")
    assert translate(desk, world(), *SMALL, *short, book=BOOK).code == 6
    before = desk("status", "tx", "--json").json["states"]
    asked: list[Asked] = []
    more = ("--mode", "rework-only", "--max-tokens", "1000000")
    said = translate(desk, world(), *more, book=None, to=None, asked=asked)
    assert said.code == 3, said.out + said.err
    assert asked == []
    assert desk("status", "tx", "--json").json["states"] == before


def test_a_decision_is_a_move_like_any_other(desk: Desk) -> None:
    stuck = Slip(TARGETS[2].replace("puerto", "puertos"), "grammar", stubborn=True)
    assert translate(desk, world(slips={SOURCES[2]: stuck}), *SMALL, book=BOOK).code == 3
    assert desk("decide", "tx", "p_0003", "accept", "--by", "Ada").code == 0
    assert moves(desk, "p_0003")[-2:] == ["manual_review_required", "ready_to_merge"]
    assert go_on(desk, world(), "--approve").code == 0
    assert moves(desk, "p_0003")[-1] == "merged"


def test_reviews_that_were_paid_are_not_paid_again(desk: Desk) -> None:
    def down(asked: Asked) -> Answer | None:
        return Answer(status=401) if asked.reply_name == "critic_reply" and "número 3 " in asked.user else None

    first: list[Asked] = []
    assert translate(desk, world(), *SMALL, "--approve", book=BOOK, interfere=down, asked=first).code == 6
    second: list[Asked] = []
    assert go_on(desk, world(), "--approve", asked=second).code == 0
    paid = {one.user for one in first if one.reply_name == "translation_review_reply"}
    assert paid and not paid & {one.user for one in second}


def test_an_editor_may_take_a_paragraph_that_is_ready(desk: Desk) -> None:
    assert translate(desk, world(), *SMALL, book=BOOK).code == 3
    (desk.home / "new.txt").write_text(TARGETS[3].replace("despacio", "muy despacio"), encoding="utf-8")
    assert desk("decide", "tx", "p_0004", "edit", "--by", "Ada", "--text-file", "new.txt").code == 0
    assert moves(desk, "p_0004")[-2:] == ["manual_review_required", "ready_to_merge"]
    assert desk("decide", "tx", "p_0004", "accept", "--by", "Ada").code == 2, "it is ready already"
    assert go_on(desk, world(), "--approve").code == 0
    assert "muy despacio" in (desk.run("tx").root / "final/final.md").read_text(encoding="utf-8")
    assert desk("decide", "tx", "p_0004", "reject", "--by", "Ada", "--note", "x").code == 2, "it is published"


def nobody_reworks(desk: Desk) -> None:
    """A draft with a wrong number, and no model."""
    wrong = "\n\n".join([*TARGETS[:2], TARGETS[2].replace("3", "340"), *TARGETS[3:]])
    (desk.home / "draft.md").write_text(wrong, encoding="utf-8")
    (desk.home / "book.md").write_text(BOOK, encoding="utf-8")
    start = ("translate", "--run-id", "tx", "--source", "book.md", "--to", "es", "--draft", "draft.md")
    assert desk(*start).code == 3
    assert blockers(desk) == {"p_0003": "no_model"}, "nobody but a person can rework it"


def test_an_editor_may_take_a_paragraph_that_nobody_reworks(desk: Desk) -> None:
    nobody_reworks(desk)
    assert state(desk, "p_0003")["status"] == "manual_review_required"
    (desk.home / "new.txt").write_text(TARGETS[2], encoding="utf-8")
    assert desk("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt").code == 0
    assert desk("resume", "tx", "--approve").code == 0


def test_a_model_that_is_named_later_reworks_what_waits_for_one(desk: Desk) -> None:
    nobody_reworks(desk)
    assert go_on(desk, world(), "--model", "openai:m", "--approve").code == 0
    assert moves(desk, "p_0003")[-1] == "merged"
    assert TARGETS[2] in (desk.run("tx").root / "final/final.md").read_text(encoding="utf-8")


def test_languages_that_cannot_all_be_meant_are_refused(desk: Desk) -> None:
    (desk.home / "book.md").write_text(BOOK, encoding="utf-8")
    said = desk("translate", "--run-id", "tx", "--source", "book.md", "--to", "en", "--model", "openai:m")
    assert said.code == 2, said.out
    assert not desk.run("tx").journal.exists()


def test_a_draft_that_looks_like_another_language_is_told_and_read(desk: Desk) -> None:
    """It was refused, although the language of a draft is a guess."""
    (desk.home / "book.md").write_text(BOOK, encoding="utf-8")
    (desk.home / "draft.md").write_text("\n\n".join(TARGETS), encoding="utf-8")
    said = desk("translate", "--run-id", "tx", "--source", "book.md", "--to", "de", "--draft", "draft.md")
    assert said.code == 3, said.out
    assert "The draft looks like 'es', not like 'de'." in " ".join(said.err.split())
    assert desk.run("tx").journal.exists()
