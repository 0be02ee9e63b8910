"""Edits: the smallest change that settles a finding, and the proof that nothing else moved."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from burnish.core.documents import Field, Unit, digest
from burnish.core.errors import EditRefused
from burnish.core.protected import protected_parts

REFUSALS = {
    "other_unit": "the edit names another unit",
    "unknown_field": "the unit has no such field",
    "outside_flagged_fields": "the field was not flagged",
    "not_found": "the words to find do not occur in the field",
    "not_unique": "the words to find occur more than once in the field",
    "fill_not_empty": "an empty `find` only fills an empty field",
    "no_change": "the edit changes nothing",
    "shrinks": "the edit removes more than two fifths of the unit",
    "drops_heading": "the edit drops a heading",
    "protected": "the edit touches code, LaTeX, a link, a tag or a placeholder, or brings one in",
    "control_character": "the edit brings in a control character",
    "drops_negation": "the edit only takes the negation away, and the key answers the negative question",
    "replaces_key": "the edit puts another answer in the key's place while the key stays",
}
"""Every reason for which an edit is refused."""

SMALLEST_REMAINDER = 0.6
"""A unit may not shrink below this share of its length: repairs mend, they do not delete."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that steer a terminal, a file or the direction of writing; tab and line feed are text."""
HEADING = re.compile(r"^#{1,6}[ \t]+\S.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """Exchange `find`, which stands exactly once in the field, for `replace`."""

    unit: str
    field: Field
    find: str
    replace: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a set of edits changed in one unit, and the proof that it changed nothing else there.

    That every other unit of the document is untouched is proven when the document is written and read again.
    """

    unit: str
    before: str
    """The unit's content hash before the edits."""
    after: str
    changed_fields: tuple[Field, ...]
    untouched: str
    """One digest over all other fields of the unit; the same before and after."""
    rules: tuple[str, ...]
    """The rules whose findings the edits answer."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def receipt(before: Unit, after: Unit, rules: Iterable[str]) -> Receipt:
    """The receipt for a change that has been made."""
    changed = changed_fields(before, after)
    untouched = [_untouched(unit, changed) for unit in (before, after)]
    if untouched[0] != untouched[1]:
        raise EditRefused("unknown_field", f"The edits added or removed a field of {before.id}.")
    return Receipt(before.id, before.content_hash, after.content_hash, changed, untouched[0], tuple(sorted(set(rules))))


def _untouched(unit: Unit, changed: Collection[Field]) -> str:
    return digest([[field, text] for field, text in unit.texts().items() if field not in changed])


UnitT = TypeVar("UnitT", bound=Unit)


def apply_edits(
    unit: UnitT,
    edits: Sequence[Edit],
    *,
    allowed: Collection[Field] | None = None,
    smallest_remainder: float = SMALLEST_REMAINDER,
) -> UnitT:
    """The unit after all `edits`, or EditRefused and no change at all.

    `allowed` are the fields that may change; None allows every field.
    """
    if not edits:
        raise EditRefused("no_change", "The reply holds no edit.")
    edited = unit
    for edit in edits:
        if edit.unit != edited.id:
            raise _refusal("other_unit", edit, f"it names {edit.unit!r}")
        texts = edited.texts()
        if edit.field not in texts:
            raise _refusal("unknown_field", edit)
        if allowed is not None and edit.field not in allowed:
            raise _refusal("outside_flagged_fields", edit)
        text = texts[edit.field]
        if edit.find == edit.replace:
            raise _refusal("no_change", edit)
        edited = edited.with_text(edit.field, _exchange(text, edit))
    _refuse_if_worse(unit, edited, smallest_remainder)
    return edited


def _exchange(text: str, edit: Edit) -> str:
    if not edit.find:
        if text.strip():
            raise _refusal("fill_not_empty", edit)
        return edit.replace
    first = text.find(edit.find)
    if first < 0:
        raise _refusal("not_found", edit)
    if text.find(edit.find, first + 1) >= 0:
        raise _refusal("not_unique", edit)
    return text[:first] + edit.replace + text[first + len(edit.find) :]


def _refuse_if_worse(before: Unit, after: Unit, smallest_remainder: float) -> None:
    old, new = before.texts(), after.texts()
    if all(old[field] == new.get(field) for field in old):
        raise EditRefused("no_change", "The edits cancel each other out.")
    old_length, new_length = _length(old.values()), _length(new.values())
    if new_length < smallest_remainder * old_length:
        raise EditRefused("shrinks", f"{old_length} characters would become {new_length}.")
    for field in changed_fields(before, after):
        text = old[field]
        if not set(HEADING.findall(text)) <= set(HEADING.findall(new[field])):
            raise EditRefused("drops_heading", f"A heading of {field or 'the text'} would be lost.")
        if not _keeps(protected_parts(text), protected_parts(new[field]), text):
            raise EditRefused("protected", f"Protected text of {field or 'the unit'} would change.")
        if new_controls(text, new[field]):
            raise EditRefused("control_character", f"A control character would stand in {field or 'the text'}.")


def new_controls(before: str, after: str) -> set[str]:
    """Control characters that the text did not hold."""
    return set(CONTROL.findall(after)) - set(CONTROL.findall(before))


def _keeps(before: list[str], after: list[str], text: str) -> bool:
    """Whether every protected part is still there, in order; a new one is only what stood in the text unprotected.

    A link whose brackets are mended gets a target that way; nobody can bring code or an address in.
    """
    kept = iter(before)
    expected = next(kept, None)
    new: list[str] = []
    for part in after:
        if part == expected:
            expected = next(kept, None)
        else:
            new.append(part)
    return expected is None and _stand_in_order(new, text)


def _stand_in_order(parts: list[str], text: str) -> bool:
    """One walk through the text, however many parts there are."""
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _length(texts: Iterable[str]) -> int:
    return sum(len(text) for text in texts)


def _refusal(reason: str, edit: Edit, detail: str = "") -> EditRefused:
    place = edit.field or "the text"
    return EditRefused(reason, f"{place}: {REFUSALS[reason]}{f' ({detail})' if detail else ''}.")


def changed_fields(before: Unit, after: Unit) -> tuple[Field, ...]:
    """The fields whose text differs, in reading order."""
    new: Mapping[Field, str] = after.texts()
    return tuple(field for field, text in before.texts().items() if new.get(field) != text)
