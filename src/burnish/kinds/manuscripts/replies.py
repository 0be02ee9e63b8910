"""Read the replies of models about paragraphs: each paragraph is checked separately, and used or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from burnish.core.edits import CONTROL, REFUSALS, Edit, apply_edits, new_controls, protected_parts
from burnish.core.errors import EditRefused
from burnish.core.replies import EditReply, TranslationReply
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.detection import UNKNOWN_LANGUAGE
from burnish.languages.words import WORD
from burnish.text.quotes import exact_edits

Fits = Callable[[str, Paragraph], str | None]
"""Why a text cannot replace a paragraph; None if it can."""

TRANSLATION_REFUSALS = {
    "missing": "the answer leaves the paragraph out",
    "duplicate": "the answer has the paragraph more than once",
    "empty": "the answer is empty for the paragraph",
    "echo": "the answer is the source itself",
    "control_character": "the answer adds a control character",
    "not_one_block": "the answer would not be one block",
}
"""Every reason to refuse a translated paragraph. Edits are refused for those of `core.edits` and some of these."""

SHOWN_AS = "draft"
"""The name of the edited text in the request. A model may give it as the field, although the text is in no field."""
PLAIN_WORDS = 4
"""An unchanged text with this many lower-case words is no name, title or number common to all languages."""
PLAIN_LETTERS = 8
"""The same for scripts without capitals, in letters."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer about several paragraphs."""

    usable: Mapping[str, str] = field(default_factory=dict)
    """Paragraph id -> its new draft."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Paragraph id -> why there is none: the code of the reason, a colon and its meaning."""
    invented: tuple[str, ...] = ()
    """Ids that were not in the request."""


def translations_of(reply: TranslationReply, paragraphs: Sequence[Paragraph], fits: Fits) -> Answered:
    """The usable translations. A fault in one paragraph does not affect the others."""
    given: dict[str, list[str]] = {}
    only = paragraphs[0].id if len(paragraphs) == 1 else ""
    for part in reply.translations:
        # Blanks around the text and the kind of line ends do not matter.
        text = part.text.replace("\r\n", "\n").replace("\r", "\n").strip()
        given.setdefault(part.paragraph_id or only, []).append(text)
    usable: dict[str, str] = {}
    refused: dict[str, str] = {}
    for paragraph in paragraphs:
        texts = given.pop(paragraph.id, [])
        reason = _refusal(paragraph, texts, fits)
        if reason is None:
            usable[paragraph.id] = texts[0]
        else:
            refused[paragraph.id] = reason
    return Answered(usable, refused, tuple(given))


def _refusal(paragraph: Paragraph, texts: Sequence[str], fits: Fits) -> str | None:
    if len(texts) != 1:
        return _reason("duplicate" if texts else "missing")
    [text] = texts
    if not text:
        return _reason("empty")
    if set(CONTROL.findall(text)) - set(CONTROL.findall(paragraph.text)):
        return _reason("control_character")
    if is_echo(paragraph, text):
        return _reason("echo")
    why = fits(text, paragraph)
    return None if why is None else f"not_one_block: {why}"


def _reason(name: str) -> str:
    return f"{name}: {TRANSLATION_REFUSALS[name]}"


def is_echo(paragraph: Paragraph, text: str) -> bool:
    """Whether the text is the unchanged source, although it holds words that differ between languages."""
    if paragraph.source_language == paragraph.target_language != UNKNOWN_LANGUAGE:
        return False
    return text.split() == paragraph.text.split() and _is_plain(paragraph.text)


def _is_plain(text: str) -> bool:
    for part in protected_parts(text):
        text = text.replace(part, " ", 1)
    found = WORD.findall(text)
    plain = [word for word in found if word[0].islower()]
    uncased = sum(len(word) for word in found if word.upper() == word.lower())
    return len(plain) >= PLAIN_WORDS or uncased >= PLAIN_LETTERS


def edits_of(reply: EditReply, paragraphs: Sequence[Paragraph], fits: Fits) -> Answered:
    """The drafts with their edits applied: for each paragraph all of its edits or none."""
    edits: dict[str, list[Edit]] = {}
    for part in reply.edits:
        field = None if part.field == SHOWN_AS else part.field
        edits.setdefault(part.unit, []).append(Edit(part.unit, field, part.find, part.replace))
    usable: dict[str, str] = {}
    refused: dict[str, str] = {}
    for paragraph in paragraphs:
        try:
            usable[paragraph.id] = _edited(paragraph, edits.pop(paragraph.id, []), fits)
        except EditRefused as refusal:
            refused[paragraph.id] = f"{refusal.reason}: {refusal.message}"
    return Answered(usable, refused, tuple(edits))


def _edited(paragraph: Paragraph, edits: Sequence[Edit], fits: Fits) -> str:
    # Edits change the text that models write, before it is rendered in another script.
    draft = replace(paragraph, translation=paragraph.draft, latin=None)
    edits = exact_edits(draft, edits)
    try:
        text = apply_edits(draft, edits).translation
    except EditRefused as refusal:
        if refusal.reason != "protected":
            raise
        # Everything else about these edits was checked before.
        text = draft.translation
        for edit in edits:
            text = text.replace(edit.find, edit.replace, 1)
    # Links, code and placeholders must be those of the source. An edit may restore what a translator broke, but neither
    # add nor remove anything else.
    if not _nearer(draft.text, draft.translation, text):
        raise EditRefused("protected", f"{REFUSALS['protected']}, and not as the source has it.")
    if new_controls(draft.translation, text):
        raise EditRefused("control_character", f"{REFUSALS['control_character']}.")
    if (why := fits(text, paragraph)) is not None:
        raise EditRefused("not_one_block", why)
    return text


def _nearer(source: str, before: str, after: str) -> bool:
    """Whether the count of no protected part moved away from that in the source. Order may differ by language."""
    wanted, had, has = (Counter(protected_parts(text)) for text in (source, before, after))
    return all(abs(has[part] - wanted[part]) <= abs(had[part] - wanted[part]) for part in {*had, *has})
