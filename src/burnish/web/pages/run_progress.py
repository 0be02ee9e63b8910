"""The progress part of a run's overview: a strip of its units, the latest changes, the cost by role, and downloads."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from burnish.api.runs import exported_files
from burnish.api.workplace import Here
from burnish.app.run_card import RunCard, sorts_of
from burnish.app.run_reader import RunReader
from burnish.core.errors import NotFound
from burnish.core.presentation import UnitStory
from burnish.engine.publish import DocumentWriter
from burnish.store.unit_queries import strip_of
from burnish.web import Drawn
from burnish.web.charts import Part, Stack, stack
from burnish.web.formatting import count, in_words, money, plural, sentence
from burnish.web.labels import Fill, look_of, model_name, nth
from burnish.web.pages.new import near
from burnish.web.pieces import Piece, diff_fields
from burnish.web.rendering import export_link, queue_link, rule_titles, run_link, unit_link

router = APIRouter()
CELLS = 96
"""Most cells of the strip. With more units, a cell stands for several."""
STRIP: tuple[Fill, ...] = ("person", "fail", "rework", "idle", "f2", "work", "ok", "ok pale", "none")
"""Colours in order of precedence: a cell of several units has the first that applies."""
MOST_CHANGES = 7
EVENTS_SEARCHED = 600
"""Latest events that are searched for changes."""
EXPORTS = {
    "receipt.json": ("Receipt", "What was changed, by whom, what it cost, and proof that the rest is the same"),
    "manifest.json": ("Settings of the run", "Models, rules, prompts and limits as recorded at the start"),
    "report.json": ("Findings and scores", "Every unit with its state, findings and scores, for programs"),
    "corrections.jsonl": ("Changes", "One line a change: before, after, rule"),
    "validation.jsonl": ("Validation", "Each question with what the rules said before and after"),
    "review_queue.jsonl": ("Waiting for a person", "One line for each unit that waits, with the reason"),
    "refinement_display.json": ("Refinement", "The plan, its iterations and what each edit did"),
    "panel_votes.json": ("Votes of the judges", "Each criterion, each judge, each round"),
    "course.jsonl": ("Course", "Every SEED with its LEGOs, one a line"),
    "refinements.jsonl": ("Edits", "One line an edit of the lesson, with its verdict"),
    "final/candidate.md": ("Translation so far", "The book with every paragraph in its best version so far"),
    "final/candidate_map.jsonl": ("Source and translation", "Paragraph by paragraph, with line numbers"),
    "gate/gate_report.json": ("Gate report", "What keeps the book from being published, for programs"),
    "judgements.jsonl": ("Judgements", "What each judge said of each version"),
}
"""Export -> its title, and one line on what it is."""
FOR_PEOPLE = frozenset(
    {
        "receipt.json",
        "corrections.jsonl",
        "refinements.jsonl",
        "review_queue.jsonl",
        "course.jsonl",
        "final/candidate.md",
    }
)
"""Exports for people; the others are for programs."""


def progress_shown(run: RunReader, card: RunCard) -> Drawn:
    said = f"{count(card.ready)} of {plural(card.requested, card.noun)} {'is' if card.requested == 1 else 'are'} ready"
    wait = f"{count(card.waiting)} {'waits' if card.waiting == 1 else 'wait'} for you"
    cells, legend = strip_shown(run, card)
    journal = run.view.journal
    models = {usage.role: usage.model for usage in journal.usage_by_model()}
    found = []
    for bill in journal.totals_by_role():
        known = bill.unpriced_calls < bill.calls
        cost = money(bill.usage.cost) if known else "no price known"
        name = sentence(in_words(bill.role))
        found.append(
            Drawn(
                role=name,
                model=model_name(models.get(bill.role, "")),
                calls=bill.calls,
                tokens=bill.usage.total_tokens,
                cost=cost,
            )
        )
    return Drawn(
        heading=f"{said}; {wait}" if card.waiting else said,
        cells=cells,
        legend=legend,  # what the colours of the cells mean
        changes=changes_of(run, card),
        bills=found,
        bar=spent_bar(card),
        downloads=downloads_of(run, card),
    )


def strip_shown(run: RunReader, card: RunCard) -> tuple[list[Drawn], Stack]:
    """The cells of all units in document order, and the legend. A cell of several units has the colour of the worst."""
    kind = run.view.kind
    sorts = sorts_of(kind)
    at_once = "passed at the first attempt" if kind.is_phased else "no change needed"
    parts = {
        "person": Part(0, "needs a person", "person", run_link(card.id, tab="units", state=kind.states.waiting)),
        "repaired": Part(0, kind.words.repaired.lower(), "work", run_link(card.id, tab="units", repaired="1")),
        "ready": Part(0, at_once, "ok pale"),
    }
    numbers: Counter[str] = Counter()
    cells = []
    for group in run.view.journal.ask(lambda connection: strip_of(connection, CELLS)):
        found: dict[str, str] = {}
        for id, state, repaired in group:
            sort = sorts.get(state, "work")
            name = {"person": "person", "ready": "repaired" if repaired else "ready"}.get(sort, state)
            if name not in parts:
                look = look_of(state, sort)
                # Repaired units have the colour `work` here, so unfinished ones get another.
                fill: Fill = "rework" if look.fill == "work" else look.fill
                parts[name] = Part(0, look.words, fill, run_link(card.id, tab="units", state=state))
            numbers[name] += 1
            found.setdefault(name, id)
        worst = min(found, key=lambda name: STRIP.index(parts[name].fill))
        first, last, shown = group[0][0], group[-1][0], parts[worst]
        words = f"{first if first == last else f'{first} to {last}'}: {shown.words}"
        href = queue_link(run=card.id, unit=found[worst]) if worst == "person" else None
        cells.append(Drawn(fill=shown.fill, words=words, href=href))
    return cells, stack(replace(part, count=numbers[name]) for name, part in parts.items())


def changes_of(run: RunReader, card: RunCard) -> list[Drawn]:
    """The latest units that became ready, merged or waiting, newest first."""
    after = max(0, card.event - EVENTS_SEARCHED)
    events = list(run.view.journal.events(after=after, types=("state_changed",)))
    states = run.view.kind.states
    seen: dict[str, str] = {}
    for event in reversed(events):
        if event.unit and event.data.get("to") in (states.ready, states.waiting, run.view.kind.merged):
            seen.setdefault(event.unit, event.at)
    changed = (change for unit, at in seen.items() if (change := _change(run, card, unit, at)) is not None)
    return list(islice(changed, MOST_CHANGES))


def _change(run: RunReader, card: RunCard, unit: str, at: str) -> Drawn | None:
    line = run.line(unit)
    if line is None:
        return None
    story = run.story(unit)
    pieces = _pieces(run, story)
    waits = line.state == run.view.kind.states.waiting
    if not pieces and not waits:
        return None
    first = story.attempts[0].findings if story.attempts else ()
    rules = line.rules[:1] or [str(finding["rule"]) for finding in first[:1]]
    title = rule_titles().get(rules[0]) or sentence(in_words(rules[0])) if rules else ""
    look = look_of(line.state, line.sort)
    more = sentence(line.text or "").rstrip(".") if waits else plural(line.attempts, nth(card.kind))
    decide = queue_link(run=card.id, unit=unit) if waits else None
    return Drawn(
        at=at,
        unit=unit,
        href=unit_link(card.id, unit),
        rule=title,
        look=look,
        label=look.words,
        pieces=pieces,
        more=more,
        waits=decide,
    )


def _pieces(run: RunReader, story: UnitStory) -> tuple[Piece, ...]:
    best = story.row.best_attempt
    if run.view.kind.is_phased or best < 2 or best > len(story.attempts):
        return ()
    content = story.attempts[best - 1].content
    if content is None:
        return ()
    draft = run.view.kind.from_record(content)
    changes = diff_fields(story.source.texts(), draft.texts())
    return next((near(change.pieces) for change in changes if change.is_changed), ())


def spent_bar(card: RunCard) -> Drawn | None:
    """The bar of money spent; None without a ceiling."""
    ceiling = card.ceilings.get("max_cost")
    if not ceiling or card.cost is None:
        return None
    spent = round(min(100.0, 100 * card.cost / ceiling), 2)
    label = f"{money(card.cost)} spent, ceiling {money(ceiling)}"
    return Drawn(
        low=0, high=0, low_words="", high_words="", end_words=money(ceiling), has_ceiling=True, label=label, spent=spent
    )


def _download(name: str, href: str | None, what: str, bytes: int | None = None, is_minor: bool = False) -> Drawn:
    """A download; without an address, one that does not exist yet. `is_minor`: for programs."""
    return Drawn(name=name, href=href, what=what, bytes=bytes, is_minor=is_minor)


def downloads_of(run: RunReader, card: RunCard) -> list[Drawn]:
    """The files that can be downloaded now."""
    if card.task:
        return []
    files = exported_files(run.view)
    root = run.view.folder.root
    published = [file.name for file in files.values() if file.sort == "published"]
    what = f"The {run.view.kind.words.document} as published"
    found = [_download(Path(name).name, export_link(card.id, name), what, _size(root / name)) for name in published]
    if not published:
        words = f"{count(card.ready)} of {plural(card.requested, card.noun)} ready; the rest as it is now"
        found += [
            _download(f"{document.name}, so far", run_link(card.id, f"so-far/{at}"), words)
            for at, document in enumerate(run.view.plan.documents)
            if not run.view.kind.is_phased and card.requested
        ]
        found.append(_download("Published file", None, "when everything is decided"))
    found.append(_download("Report", run_link(card.id, "report.html", download="1"), "One page to print or send"))
    for name, file in files.items():
        if file.sort == "export" and (size := _size(root / name)) is not None:
            title, what = EXPORTS.get(name, (name, "An export of the run"))
            found.append(_download(title, export_link(card.id, name), what, size, name not in FOR_PEOPLE))
    return found


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:  # deleted from outside: it is not offered
        return None


@router.get("/runs/{run}/so-far/{number}")
def so_far(here: Here, run: str, number: int) -> Response:
    """Download a document with each unit in its best version so far. This publishes nothing."""
    view = here.index.open(run).view
    if not 0 <= number < len(view.plan.documents):
        raise NotFound("There is no such document.", hint="The page of the run lists its downloads.")
    document = view.plan.documents[number]
    folder = Path(tempfile.mkdtemp(prefix="burnish-"))
    after = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        DocumentWriter(view.plan, view.kind, view.journal).compose(document, folder / "candidate")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    saved = f"attachment; filename*=UTF-8''{quote('so-far-' + Path(document.name).name, safe='')}"
    headers = {"content-disposition": saved}
    return FileResponse(folder / "candidate", media_type="application/octet-stream", headers=headers, background=after)


@router.post("/runs/{run}/delete")
def delete_run(here: Here, run: str) -> Response:
    here.delete_run(run)
    return RedirectResponse("/runs", 303)
