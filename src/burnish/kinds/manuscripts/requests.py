"""Requests to models about a manuscript: some paragraphs at a time, with as little context as needed.

Content goes into the fence as one JSON object per line. Inside a JSON string it cannot begin a line or close an
object, so no paragraph can pass for another.
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
"""Names of the critics in `prompts/critics`, which run if the operator gives none."""

TRANSLATOR = "translator"
REWORKER = "reworker"
REVIEWER = "reviewer"
CRITIC = "critic"
ROLES = (TRANSLATOR, REWORKER, REVIEWER, CRITIC)

NEIGHBOURING = 240
"""Characters of the source shown before and after a batch."""
ADJOINING = 100
"""Characters shown before and after a single paragraph: enough to match the style."""
MOST_TERMS = 40
"""Terms of the glossary in one request."""
NEEDS_SOURCE: frozenset[str] = frozenset({"vocabulary", "voice", "semantic_fidelity"})
"""Dimensions whose issues can be repaired only with the source."""


@dataclass(frozen=True)
class Commission:
    """The instructions for the whole book."""

    source: str
    """The tag of the source's language; `und` if unknown."""
    target: str
    script: str = ""
    """The script and orthography to write, if the language has several; our words."""
    style: str = ""
    """The rules of the operator's style sheet: trusted instructions."""
    samples: str = ""
    """Paragraphs that show the voice: untrusted content."""
    terms: TermIndex = field(default_factory=lambda: TermIndex(()))
    read_back: Callable[[str], str] | None = None
    """Renders words of the published script in that of the models, if they differ: issues quote the published text,
    edits change the text from which it is rendered."""

    def languages(self) -> dict[str, str]:
        return {"source": language_name(self.source), "target": language_name(self.target)}

    def manner(self) -> str:
        """Lines at the end of a writer's instructions; empty if there are none."""
        return (f"\n\n{self.script}" if self.script else "") + self.style_sheet()

    def style_sheet(self) -> str:
        return f"\n\nThe style sheet of this book:\n{self.style.strip()}" if self.style.strip() else ""


@dataclass(frozen=True)
class Rework:
    """A paragraph to repair, and why."""

    paragraph: Paragraph
    issues: Sequence[ReviewIssue]
    """All issues of the failed review; those of passed dimensions are left out of the request."""
    reasons: Sequence[str] = ()
    """Why the review failed."""
    note: str | None = None
    """The note of the person who sent it back."""
    before: str = ""
    """The translations of the paragraphs before and after it; shown if the whole is rewritten."""
    after: str = ""
    tries: int = 1
    """Drafts that models have written of it: the next request must differ, or the answer would be the same."""

    @property
    def pressing(self) -> list[ReviewIssue]:
        return pressing_issues(self.issues, self.reasons)[:MOST_ISSUES]

    @property
    def unexplained(self) -> list[str]:
        """Requests to raise the dimensions that scored too low without an issue."""
        missing = failing_dimensions(self.reasons) - {issue.dimension for issue in self.pressing}
        return [asked_by(f"{name}{BELOW}") for name in DIMENSIONS if name in missing]

    @property
    def needs_source(self) -> bool:
        """Whether its repair needs the source: grammar and typography do not."""
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
    """A request to translate a batch of paragraphs; `before` and `after` are the source around it, `translated` the
    translations before it."""
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
    """The kind of block, if it is not a paragraph."""
    return {} if paragraph.block == "paragraph" else {"block": paragraph.block}


def rework_edit_ask(reworks: Sequence[Rework], commission: Commission) -> Request:
    """A request for the smallest edits to several drafts. The source is shown only if a repair needs it."""
    work = [
        {
            "unit": rework.paragraph.id,
            **({"source": rework.paragraph.text} if rework.needs_source else {}),
            "draft": rework.paragraph.draft,
            "issues": _issue_lines(rework, commission),
        }
        for rework in reworks
    ]
    paragraphs = [rework.paragraph for rework in reworks]
    room = 300 + 250 * len(reworks) + sum(len(paragraph.draft) for paragraph in paragraphs) // 2
    return _writer_ask(REWORKER, "rework_edit", paragraphs, commission, work, room=room)


def rework_paragraph_ask(reworks: Sequence[Rework], commission: Commission, sheet: Sheet = NO_SHEET) -> Request:
    """A request to rewrite whole paragraphs, if edits did not help."""
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
                "issues": _issue_lines(rework, commission),
                **({"attempt": rework.tries + 1} if rework.tries > 1 else {}),
                **{name: text for name, text in around.items() if text},
            }
        )
    return _writer_ask(REWORKER, "rework_paragraph", paragraphs, commission, work, room=_room(texts, commission))


def _issue_lines(rework: Rework, commission: Commission) -> list[str]:
    """What to repair, in the script of the draft."""
    lines = [*rework.unexplained, *(issue_line(issue) for issue in rework.pressing)]
    if rework.paragraph.latin is not None and commission.read_back is not None:
        lines = [commission.read_back(line) for line in lines]
    return [rework.note, *lines] if rework.note else lines


class Shown(NamedTuple):
    """A paragraph as it is shown to a reviewer."""

    paragraph: Paragraph
    place: Placement | None
    """Its place in the candidate, if it has one."""
    is_context: bool = False
    """Whether it is only context, and was reviewed before."""

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
    """A request to the reviewer, who gives all five scores: the translations with their sources."""
    judged = sum(not one.is_context for one in window)
    ask = _read_ask(REVIEWER, "review", "translation_review_reply", window, commission, sheet, room=600 + 350 * judged)
    return replace(ask, usual=70 + 45 * judged)


def critic_ask(
    critics: Mapping[str, str],
    window: Sequence[Shown],
    commission: Commission,
    sheet: Sheet = NO_SHEET,
) -> Request:
    """The same for critics: all that read windows of this length in one call. `critics`: name -> instructions, of the
    operator or of Burnish."""
    joined = "\n\n".join(f"## {name}\n\n{instructions}" for name, instructions in critics.items())
    room = 1_000 + 500 * len(critics) + 50 * len(window)
    return _read_ask(CRITIC, "critic", "critic_reply", window, commission, sheet, room=room, critics=joined)


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
    """A request to a reviewer of a window: identical up to the task, which comes last, so that it can be cached."""
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
    """The terms of the glossary and the entries of the book's sheet that occur in a batch, address and samples."""
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
    """Tokens for these texts in the target language: in scripts other than Latin nearly every letter is a token. A
    usual answer takes a quarter of them."""
    wide = not commission.script and "Latin" not in scripts_of(commission.target)
    return 300 + sum(60 + len(text.encode("utf-8", "surrogatepass")) * (2 if wide else 1) for text in texts)


def _lines(work: Iterable[Mapping[str, object]]) -> str:
    return "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in work)
