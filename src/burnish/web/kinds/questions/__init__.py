"""Questions in the workbench: each question as a learner sees it, its correction, and the facts about the bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from burnish.app.run_card import format_words
from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.json_bytes import loads
from burnish.core.presentation import Remark, Table, UnitStory
from burnish.kinds.questions.bank import balance_words
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import ALIKE
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.kinds import Fact, FocusParts, Panel, RunParts, Tab, UnitParts, Words
from burnish.web.kinds.generic import filled_tabs, kept_attempt, kept_findings, unit_list
from burnish.web.kinds.questions.items import marked_item
from burnish.web.kinds.questions.review import QuestionReview, draft_of, editor, facts, why_it_waits
from burnish.web.labels import lang_tag, look_of
from burnish.web.pieces import Piece, diff
from burnish.web.rendering import unit_link

MOST_BANKS = 12
"""Most documents whose facts are shown on one page."""
MOST_ROWS = 60
ITEMS_A_PAGE = 16
MOST_ALIKE = 20
LEVELS = ("remember", "understand", "apply", "analyze", "evaluate", "create")
"""Bloom's levels, from the lowest to the highest."""


def banks(run: RunReader) -> Iterator[Drawn]:
    """The facts about each document of the run."""
    for document in run.view.plan.documents[:MOST_BANKS]:
        stored = run.view.journal.get_meta(f"overview:{document.name}")
        facts: Mapping[str, Any] = loads(stored) if stored else {}
        yield bank_view(document.name, facts, run.view.kind.describe(facts))


def bank_view(name: str, facts: Mapping[str, Any], shown: Sequence[Remark | Table]) -> Drawn:
    tables = [part for part in shown if isinstance(part, Table)]
    short = tuple(Table(one.label, one.heads, one.rows[:MOST_ROWS], one.names) for one in tables)
    balances = tuple(_balance(group) for group in facts.get("key_balance", ()))
    levels = tuple(_levels(facts.get("blueprint", ())))
    # The key balance has a chart and near-duplicates have a list, which leaves out those that authors ignore.
    charted = {"keys"} if facts.get("near_duplicates_ignored") else {"keys", "duplicates"}
    remarks = tuple(part for part in shown if isinstance(part, Remark) and part.label not in charted)
    return Drawn(
        name=name,
        balances=balances,
        levels=levels,
        tables=short,
        remarks=remarks,
        is_silent=not (balances or levels or short or remarks),
        left_out=sum(len(one.rows) for one in tables) - sum(len(one.rows) for one in short),
        alike=int(facts.get("near_duplicates", 0)),
    )


def _balance(group: Mapping[str, Any]) -> Drawn:
    counts: Sequence[int] = group["positions"]
    most = max(counts, default=0) or 1
    balanced = group["balanced"]
    return Drawn(
        options=int(group["options"]),
        questions=int(group["questions"]),
        positions=tuple(
            Drawn(letter=chr(ord("A") + place), count=count, width=round(count / most * 100, 1))
            for place, count in enumerate(counts)
        ),
        expected=round(sum(counts) / max(len(counts), 1) / most * 100, 1),
        verdict=balance_words(balanced, group["p_value"]),
        alarming=balanced is False,
    )


def _levels(cells: Sequence[Mapping[str, Any]]) -> Iterator[Drawn]:
    """The levels with their counts, lowest first; unknown names come last."""
    counts: Counter[str] = Counter()
    for cell in cells:
        if cell["bloom_level"]:
            counts[str(cell["bloom_level"])] += int(cell["questions"])
    most = max(counts.values(), default=1)
    order = {level: place for place, level in enumerate(LEVELS)}
    for name in sorted(counts, key=lambda name: (order.get(name.casefold(), len(order)), name)):
        yield Drawn(name=name, count=counts[name], width=round(counts[name] / most * 100, 1))


def alike(run: RunReader) -> Sequence[UnitLine]:
    """The first MOST_ALIKE questions with a near-duplicate."""
    return run.units(UnitFilter(rule=ALIKE.id), limit=MOST_ALIKE).lines


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The overview, a page of questions, and the facts about the bank."""
    tabs = filled_tabs(
        query,
        # The overview of every run, which is open by default.
        (Tab("overview", "Overview", "run_overview.html"), dict),
        (Tab("items", "Items", "kinds/questions/items.html"), lambda: items_part(run, query)),
        (
            Tab("bank", "Bank", "kinds/questions/bank.html"),
            lambda: {"banks": list(banks(run)), "alike": alike(run), "card": run.card},
        ),
    )
    return RunParts(tabs, tuple(facts_of(run)))


def items_part(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of questions as a learner sees them, with their findings."""
    shown = unit_list(run, query, "question", tab="items", limit=ITEMS_A_PAGE)
    return {"items": [_card(run, line) for line in shown.page.lines], "list": shown, "card": run.card}


def _card(run: RunReader, line: UnitLine) -> Drawn:
    review = QuestionReview(run.story(line.id))
    return Drawn(line=line, item=marked_item(review.after, review.open))


def facts_of(run: RunReader) -> Iterator[Fact]:
    """The facts under the title of the run."""
    plan = run.view.plan
    yield Fact(", ".join(sorted({format_words(document.format) for document in plan.documents})), "Format")
    yield Fact(str(plan.arguments.get("institution") or plan.arguments.get("profile") or "default"), "Profile")
    yield Fact(f"{len(plan.rules)} of {len(run.view.kind.checks)}", "Rules")


def twins_of(run: RunReader, story: UnitStory) -> Drawn | None:
    """The question and its near-duplicate; None if there is none in its bank."""
    found = next((one for one in kept_findings(story) if one.rule == ALIKE.id and one.related), None)
    if found is None:
        return None
    [name] = found.related
    other = run.story(run.view.plan.unit_id(story.row.document, name))
    ours, theirs = (draft_of(one, kept_attempt(one)) for one in (story, other))
    same = {option.text.strip().casefold() for option in ours.options}
    alike = same == {option.text.strip().casefold() for option in theirs.options}
    order = [option.text.strip() for option in ours.options] == [option.text.strip() for option in theirs.options]
    states = run.view.kind.states
    is_ready, is_gone = other.row.state == states.ready, other.row.state == states.dropped
    key = _key_text(ours) == _key_text(theirs)
    options = "The options are the same" + ("" if order else ", in another order") if alike else "The options differ"
    return Drawn(
        share=int(found.data["similarity"] * 100),
        mine=_twin(run, story, ours, theirs, is_mine=True),
        other=_twin(run, other, theirs, ours, is_mine=False),
        said=f"{options}; the key is {'the same text' if key else 'another'}.",
        row=other.row,
        is_gone=is_gone,
        suggests_drop=is_ready or (bool(theirs.rationale) and not ours.rationale and not is_gone),
        reason="" if is_gone else f"near-duplicate of {name}",
    )


def _twin(run: RunReader, story: UnitStory, own: Question, other: Question, *, is_mine: bool) -> Drawn:
    line = run.line(story.row.id)
    assert line is not None, "a unit with a story has a line"
    texts = {option.text.strip().casefold() for option in other.options}
    options = [
        Drawn(
            key=option.key,
            text=option.text,
            is_key=option in own.right,
            is_only=option.text.strip().casefold() not in texts,
        )
        for option in own.options
    ]
    return Drawn(
        id=story.row.id,
        href=unit_link(run.view.folder.id, story.row.id),
        look=look_of(line.state, line.sort),
        stem=_only(own.stem or "", other.stem or ""),
        options=options,
        rationale=_only(own.rationale or "", other.rationale or ""),
    )


def _only(own: str, other: str) -> tuple[Piece, ...]:
    """The text of this question; parts that the other one does not have are `ins`."""
    return tuple(piece for piece in diff(other, own) if piece.change != "del")


def _key_text(question: Question) -> str:
    return ", ".join(sorted(one.text.strip().casefold() for one in question.right))


KEY_REASONS = frozenset({"key_doubtful", "key_unchecked", "options_equal"})
"""Reasons of questions with a doubtful key: only a person can decide, so no decision is suggested."""

__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """The question and its correction, and the state of every finding in each draft."""
    review = QuestionReview(story, run.precision())
    return UnitParts(
        panels=[
            Panel("kinds/questions/item_panels.html", {"review": review}, id="diff"),
            Panel("kinds/questions/findings_panel.html", {"review": review}, id="findings"),
        ],
        lang=lang_tag(review.after.language_shown),
    )


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """Why the question waits, the original, and the correction that accepting would keep."""
    review = QuestionReview(story, run.precision())
    kind, worst = run.view.kind, review.worst
    twins = twins_of(run, story) if worst is not None and worst.finding.rule == ALIKE.id else None
    if twins is not None:
        title = "Both questions, differences marked"
        return FocusParts(
            reason=(Words(f"{twins.mine.id} is {twins.share} % like {twins.other.id}"),),
            severity=worst.mark.severity if worst is not None else None,
            rule=ALIKE.id,
            facts=tuple(facts(review, kind)),
            now=[Panel("kinds/questions/twins.html", {"twins": twins}, title)],
            other=twins.row,
            drop_reason=twins.reason,
            suggested="drop" if twins.suggests_drop else "accept" if twins.is_gone else "",
        )
    return FocusParts(
        reason=tuple(why_it_waits(review, kind)),
        severity=worst.mark.severity if worst is not None else None,
        rule=worst.finding.rule if worst is not None else None,
        facts=tuple(facts(review, kind)),
        suggested="" if story.row.reason in KEY_REASONS else "accept",
        now=[
            Panel("kinds/questions/pair.html", {"review": review}),
            Panel("kinds/questions/findings.html", {"review": review}),
        ],
    )
