"""What models are asked about a manuscript: some paragraphs at a time, and no more around them than is needed.

Content goes into the fence as one JSON object a line. Inside a JSON string it can begin no line and close no object,
so no paragraph can pass for another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from burnish.core.effects import Request
from burnish.kinds.manuscripts.memory import Suggestion
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import DIMENSIONS
from burnish.kinds.manuscripts.review_rows import Placement, ReviewIssue
from burnish.kinds.manuscripts.sheet import NO_SHEET, Sheet
from burnish.kinds.manuscripts.terminology import TermIndex
from burnish.kinds.manuscripts.verdict import (
    BELOW,
    MOST_ISSUES,
    asked_by,
    failing_dimensions,
    issue_line,
    pressing_issues,
)
from burnish.languages.detection import language_name
from burnish.languages.scripts import scripts_of

PROMPTS = "burnish.kinds.manuscripts.prompts"
NAMES = ("translate", "rework_edit", "rework_paragraph", "review", "critic")
SHIPPED_CRITICS = ("consistency", "cultural", "readability", "typography")
"""Names of the critics in `prompts/critics`, which run where the operator brings none."""

TRANSLATOR = "translator"
REWORKER = "reworker"
REVIEWER = "reviewer"
CRITIC = "critic"
ROLES = (TRANSLATOR, REWORKER, REVIEWER, CRITIC)

NEIGHBOURING = 240
"""Characters of what stands before and after a batch."""
ADJOINING = 100
"""Characters of what stands before and after a single paragraph: enough to go on in the same manner."""
MOST_TERMS = 40
"""Terms of the glossary in one request."""
NEEDS_SOURCE: frozenset[str] = frozenset({"vocabulary", "voice", "semantic_fidelity"})
"""Dimensions whose issues can only be mended beside the source."""


@dataclass(frozen=True)
class Commission:
    """What holds for the whole book."""

    source: str
    """The source's language as a tag; `und` where nobody knows."""
    target: str
    script: str = ""
    """In which script and orthography to write, where the language has several; our words."""
    style: str = ""
    """The rules of the operator's style sheet: words with authority."""
    samples: str = ""
    """Paragraphs that show the voice. They are somebody's text, and have none."""
    terms: TermIndex = field(default_factory=lambda: TermIndex(()))
    read_back: Callable[[str], str] | None = None
    """Renders words of the published script as models write them, where the two differ: issues quote what readers
    get, edits are made to what it is rendered from."""

    def languages(self) -> dict[str, str]:
        return {"source": language_name(self.source), "target": language_name(self.target)}

    def manner(self) -> str:
        """Lines at the end of the instructions to whoever writes; empty where nothing is asked for."""
        return (f"\n\n{self.script}" if self.script else "") + self.style_sheet()

    def style_sheet(self) -> str:
        return f"\n\nThe style sheet of this book:\n{self.style.strip()}" if self.style.strip() else ""


@dataclass(frozen=True)
class Rework:
    """A paragraph that has to be mended, and why."""

    paragraph: Paragraph
    issues: Sequence[ReviewIssue]
    """All of the review that failed; what passed is left out of the request."""
    reasons: Sequence[str] = ()
    """Why the review failed."""
    note: str | None = None
    """What a person said who sent it back."""
    before: str = ""
    """The translation of the paragraph before it, and after it; shown where the whole is written again."""
    after: str = ""
    tries: int = 1
    """Drafts that models have written of it: a further one must not be asked for in the very same words."""

    @property
    def pressing(self) -> list[ReviewIssue]:
        return pressing_issues(self.issues, self.reasons)[:MOST_ISSUES]

    @property
    def unexplained(self) -> list[str]:
        """What was scored too low without an issue that says why."""
        missing = failing_dimensions(self.reasons) - {issue.dimension for issue in self.pressing}
        return [asked_by(f"{name}{BELOW}") for name in DIMENSIONS if name in missing]

    @property
    def needs_source(self) -> bool:
        """Whether it cannot be mended without the source: grammar and typography are the translation's own."""
        dimensions = {*failing_dimensions(self.reasons), *(issue.dimension for issue in self.pressing)}
        return self.note is not None or not dimensions or not NEEDS_SOURCE.isdisjoint(dimensions)


def prompt(name: str) -> str:
    return f"{PROMPTS}:{name}"


def translate_ask(
    paragraphs: Sequence[Paragraph],
    commission: Commission,
    *,
    before: str = "",
    after: str = "",
    translated: Sequence[str] = (),
    suggestions: Mapping[str, Suggestion] | None = None,
    sheet: Sheet = NO_SHEET,
) -> Request:
    """A batch of paragraphs to translate; `before` and `after` are the source around it, `translated` the translations
    before it."""
    texts = [paragraph.text for paragraph in paragraphs]
    work = [
        *_guides(texts, commission, sheet),
        *([{"translated": list(translated)}] if translated else _context("before", before[-NEIGHBOURING:])),
    ]
    for paragraph in paragraphs:
        near = suggestions.get(paragraph.id) if suggestions else None
        suggestion = {"suggestion": {"source": near.source, "translation": near.target}} if near is not None else {}
        work.append({"paragraph_id": paragraph.id, **_block(paragraph), "text": paragraph.text, **suggestion})
    work += _context("after", after[:NEIGHBOURING])
    return _writer_ask(TRANSLATOR, "translate", paragraphs, commission, work, room=_room(texts, commission))


def _block(paragraph: Paragraph) -> dict[str, object]:
    """What sort of block it is, where that is not plain."""
    return {} if paragraph.block == "paragraph" else {"block": paragraph.block}


def rework_edit_ask(reworks: Sequence[Rework], commission: Commission) -> Request:
    """The smallest edits to several drafts. The source is shown only where an issue cannot be mended without it."""
    work = [
        {
            "unit": rework.paragraph.id,
            **({"source": rework.paragraph.text} if rework.needs_source else {}),
            "draft": rework.paragraph.draft,
            "issues": _told(rework, commission),
        }
        for rework in reworks
    ]
    paragraphs = [rework.paragraph for rework in reworks]
    room = 300 + 250 * len(reworks) + sum(len(paragraph.draft) for paragraph in paragraphs) // 2
    return _writer_ask(REWORKER, "rework_edit", paragraphs, commission, work, room=room)


def rework_paragraph_ask(reworks: Sequence[Rework], commission: Commission, sheet: Sheet = NO_SHEET) -> Request:
    """Whole paragraphs again, where edits did not help."""
    paragraphs = [rework.paragraph for rework in reworks]
    texts = [paragraph.text for paragraph in paragraphs]
    work = [*_guides(texts, commission, sheet)]
    for rework, paragraph in zip(reworks, paragraphs, strict=True):
        around = {"before": rework.before[-ADJOINING:], "after": rework.after[:ADJOINING]}
        work.append(
            {
                "paragraph_id": paragraph.id,
                **_block(paragraph),
                "text": paragraph.text,
                "draft": paragraph.draft,
                "issues": _told(rework, commission),
                **({"attempt": rework.tries + 1} if rework.tries > 1 else {}),
                **{name: text for name, text in around.items() if text},
            }
        )
    return _writer_ask(REWORKER, "rework_paragraph", paragraphs, commission, work, room=_room(texts, commission))


def _told(rework: Rework, commission: Commission) -> list[str]:
    """What has to be settled, in the letters of the draft."""
    lines = [*rework.unexplained, *(issue_line(issue) for issue in rework.pressing)]
    if rework.paragraph.latin is not None and commission.read_back is not None:
        lines = [commission.read_back(line) for line in lines]
    return [rework.note, *lines] if rework.note else lines


class Shown(NamedTuple):
    """A paragraph in front of a reader."""

    paragraph: Paragraph
    place: Placement | None
    """Where it stands in the candidate, if it does."""
    is_context: bool = False
    """It was reviewed before, and shows what stands around."""

    def as_wire(self) -> dict[str, object]:
        paragraph, place = self.paragraph, self.place
        lines: dict[str, object] = {} if place is None else {"line": place.start_line}
        if place is not None and place.end_line > place.start_line:
            lines = {"start_line": place.start_line, "end_line": place.end_line}
        return {
            "paragraph_id": paragraph.id,
            **lines,
            **({"context": True} if self.is_context else {}),
            **_block(paragraph),
            "source": paragraph.text,
            "translation": paragraph.translation,
        }


def review_ask(window: Sequence[Shown], commission: Commission, sheet: Sheet = NO_SHEET) -> Request:
    """What readers get, beside its source, for the reviewer who gives all five scores."""
    judged = sum(not one.is_context for one in window)
    ask = _read_ask(REVIEWER, "review", "translation_review_reply", window, commission, sheet, room=600 + 350 * judged)
    return replace(ask, usual=70 + 45 * judged)


def critic_ask(
    critics: Mapping[str, str],
    window: Sequence[Shown],
    commission: Commission,
    sheet: Sheet = NO_SHEET,
) -> Request:
    """The same for critics: all that read windows of this length in one call. Name -> instructions, which are the
    operator's, or ours."""
    told = "\n\n".join(f"## {name}\n\n{instructions}" for name, instructions in critics.items())
    room = 1_000 + 500 * len(critics) + 50 * len(window)
    return _read_ask(CRITIC, "critic", "critic_reply", window, commission, sheet, room=room, critics=told)


def _read_ask(
    role: str,
    name: str,
    reply: str,
    window: Sequence[Shown],
    commission: Commission,
    sheet: Sheet,
    *,
    room: int,
    **task: str,
) -> Request:
    """What every reader of a window is sent: the same until the task, which stands last, so that it can be cached."""
    guides = _guides([one.paragraph.text for one in window], commission, sheet)
    return Request(
        role=role,
        unit=next(one.paragraph.id for one in window if not one.is_context),
        prompt=prompt(name),
        reply=reply,
        trusted={**commission.languages(), "manner": commission.style_sheet(), **task},
        untrusted={"work": _lines([*guides, *(one.as_wire() for one in window)])},
        max_tokens=room,
    )


def _writer_ask(
    role: str,
    name: str,
    paragraphs: Sequence[Paragraph],
    commission: Commission,
    work: Iterable[Mapping[str, object]],
    *,
    room: int,
) -> Request:
    edits = name == "rework_edit"
    return Request(
        role=role,
        unit=paragraphs[0].id,
        prompt=prompt(name),
        reply="edit_reply" if edits else "translation_reply",
        trusted={**commission.languages(), "manner": commission.manner()},
        untrusted={"work": _lines(work)},
        max_tokens=room,
        usual=None if edits else room // 4,
    )


def _guides(texts: Sequence[str], commission: Commission, sheet: Sheet) -> Iterator[dict[str, object]]:
    """What is known about the words of a batch: only the terms, and the entries of the book's sheet, that occur in
    it."""
    terms = commission.terms.occurring(texts, MOST_TERMS)
    if kept := [term.source for term in terms if term.keep]:
        yield {"keep": kept}
    noted = ((term, f" ({term.note})" if term.note else "") for term in terms if not term.keep)
    if rendered := {term.source: f"{term.target}{note}" for term, note in noted}:
        yield {"terms": rendered}
    if entries := sheet.occurring(texts, MOST_TERMS):
        yield {"sheet": entries}
    if sheet.address:
        yield {"address": sheet.address}
    if commission.samples.strip():
        yield {"samples": commission.samples.strip()}


def _context(name: str, text: str) -> list[dict[str, object]]:
    return [{name: text}] if text.strip() else []


def _room(texts: Iterable[str], commission: Commission) -> int:
    """Tokens for these texts in the target language: models spell scripts other than Latin nearly letter by letter. A
    usual answer takes a quarter of them."""
    wide = not commission.script and "Latin" not in scripts_of(commission.target)
    return 300 + sum(60 + len(text.encode("utf-8", "surrogatepass")) * (2 if wide else 1) for text in texts)


def _lines(work: Iterable[Mapping[str, object]]) -> str:
    return "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in work)
