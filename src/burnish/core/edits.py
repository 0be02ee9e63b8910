"""Edits: the smallest change that settles a finding, the proof that nothing else changed, and what no edit may touch:
code, LaTeX, addresses, tags and placeholders.

Protected text is found in one pass: a closing mark that is missing is searched for once, not once for each opening.
Content is hostile, and a pattern that restarted at every fence would take time quadratic in the length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from burnish.core.documents import Field, Unit, digest
from burnish.core.errors import EditRefused

PartKind = Literal["code", "formula", "address", "tag", "placeholder"]


FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<after>.*)$", re.MULTILINE)
LINE = re.compile(r"[^\n]+")
INDENT = re.compile(r"[ \t]*")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
TICKS = re.compile(r"`+|\n")
OPENING = re.compile(
    r"""
    (?P<ticks>`+)
  | (?P<display>\$\$|\\\[|\\\()
  | (?P<environment>\\begin\{[^{}\n]{1,60}\})
  | (?P<tag><(?=[A-Za-z/!?]))
  | (?P<formula>\$(?=\S)[^$\n]{1,400}(?<=\S)\$(?!\d))       # $x$, but not the prices in "$5 or $6"
  | (?P<address>
        ^[ ]{0,3}\[(?!\^)[^\]\n]{1,999}\]:[ \t]*\n?[ \t]*[^\s]+  # [label]: target "title"
        (?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$
      | (?<=\]\()\s*+(?:<[^<>\n]*>|(?:[^()\s]++|\((?:[^()\s]++|\([^()\s]*+\))*+\))++)
        (?:\s+(?:"[^"\n]*"|'[^'\n]*'))?(?=\s*+\))           # the target of a Markdown link
      | (?:https?|ftp)://[^\s<>\])"'`]*[^\s<>\])"'`.,;:!?]  # an address as it is
    )
  | (?P<token>⟦[^⟦⟧\n]{1,400}⟧)                              # a picture or formula, as formats of questions name it
  | (?P<placeholder>\{[A-Za-z_][\w.]*\} | %\([A-Za-z_]\w*\)[sdfr] | %[sdfr]\b)
    """,
    re.VERBOSE | re.MULTILINE,
)
CLOSING = {"$$": "$$", r"\[": r"\]", r"\(": r"\)"}
ENVIRONMENT = re.compile(r"\\(begin|end)\{([^{}\n]{1,60})\}")
TAG_MARK = re.compile(r"""[<>"']""")
ROUGH_TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")
"""A tag with an unpaired quotation mark."""
AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>")
VERBATIM = re.compile(r"<(code|pre|kbd|samp|script|style|textarea|svg|math)\b", re.IGNORECASE)
"""Tags whose content is protected with them."""


class Part(NamedTuple):
    """A protected part of a text."""

    kind: PartKind
    text: str
    start: int


def protected_parts(text: str) -> list[str]:
    """Return every protected part of the text, in order."""
    return [part.text for part in parts(text)]


def outward_parts(text: str) -> set[str]:
    """Return addresses, tags and comments: parts that lead readers away or run in their browser."""
    return {_bare(part.text) for part in parts(text) if part.kind in ("address", "tag")}


def _bare(part: str) -> str:
    """Return an address without its delimiters: it is the same in a link and in a line of text."""
    return part.strip("<> \t\n") if AUTOLINK.fullmatch(part) else part.strip()


def parts(text: str) -> list[Part]:
    """Return every protected part with its kind, in order."""
    found: list[Part] = []
    at = 0
    for start, end in _code_blocks(text):
        found += _Walk(text[at:start], at).parts()
        found.append(Part("code", text[start:end], start))
        at = end
    found += _Walk(text[at:], at).parts()
    return found


def _code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield fenced code, and indented code between fences. A single line has no indented code."""
    if "\n" not in text.strip():
        return
    at = 0
    for start, end in _fenced(text):
        yield from _indented(text, at, start)
        yield start, end
        at = end
    yield from _indented(text, at, len(text))


def _indented(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield lines indented by four or more after a blank line; in a list, by four more than its text."""
    needed, after_blank = 4, True
    begins = ends = -1
    last = start
    for line in LINE.finditer(text, start, stop):
        blank = not line.group().strip()
        after_blank = after_blank or blank or line.start() - last > 1
        last = line.end()
        if blank:
            continue
        indent = _indent(line.group())
        if indent >= needed and (begins >= 0 or after_blank):
            begins, ends = (line.start() if begins < 0 else begins), line.end()
        else:
            if begins >= 0:
                yield begins, ends
                begins = -1
            needed = _needed(line.group(), indent, needed, after_blank=after_blank)
        after_blank = False
    if begins >= 0:
        yield begins, ends


def _indent(line: str) -> int:
    space = INDENT.match(line)
    return len(space.group().expandtabs(4)) if space is not None else 0


def _needed(line: str, indent: int, needed: int, *, after_blank: bool) -> int:
    """Return how far code must be indented after this line: a list continues until a line is to the left of it."""
    item = ITEM.match(line)
    if item is not None:
        return len(item.group().expandtabs(4)) + 4
    return 4 if after_blank and indent < needed - 4 else needed


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield fenced code, from the opening line to the closing one. A fence that never closes is not code."""
    lines = list(FENCE.finditer(text))
    closable = _longest_closing(lines)
    opening: re.Match[str] | None = None
    for line, longest_after in zip(lines, closable, strict=True):
        mark = line["mark"]
        if opening is None:
            is_closed = longest_after.get(mark[0], 0) >= len(mark)
            opening = line if is_closed and not (line["mark"][0] == "`" and "`" in line["after"]) else None
        elif _closes(line) and mark.startswith(opening["mark"]):
            yield opening.start(), line.end()
            opening = None


def _longest_closing(lines: list[re.Match[str]]) -> list[dict[str, int]]:
    """Return, for each fence line, the longest closing fence of either sort on a later line."""
    longest: dict[str, int] = {}
    after: list[dict[str, int]] = []
    for line in reversed(lines):
        after.append(longest)
        mark = line["mark"]
        if _closes(line) and len(mark) > longest.get(mark[0], 0):
            longest = {**longest, mark[0]: len(mark)}
    return after[::-1]


def _closes(line: re.Match[str]) -> bool:
    return not line["after"].strip()


class _Walk:
    """Walks once through text without code blocks, which begins at `offset`.

    A closing mark that was not found once does not occur later either: it is `hopeless`.
    """

    def __init__(self, text: str, offset: int) -> None:
        self.text, self.offset = text, offset
        ends: dict[int, int] = {}
        latest: dict[int, int] = {}
        for run in TICKS.finditer(text):
            if run.group() == "\n":
                latest.clear()
                continue
            length = run.end() - run.start()
            if length in latest:
                ends[latest[length]] = run.end()
            latest[length] = run.start()
        self.code_ends = ends
        self.environment_ends = environment_ends(text)
        self.hopeless: set[str] = set()
        self.tag_ends: dict[int, int | None] = {}

    def parts(self) -> Iterator[Part]:
        at = 0
        while match := OPENING.search(self.text, at):
            kind, end = self._read(match)
            if end is None:
                # Of two dollars that open nothing, the second may still open a formula with the third.
                at = match.start() + 1 if match["display"] == "$$" else match.end()
            else:
                yield Part(kind, self.text[match.start() : end], self.offset + match.start())
                at = end

    def _read(self, match: re.Match[str]) -> tuple[PartKind, int | None]:
        """Return the kind of part that begins here, and its end; None if it never ends."""
        if match["ticks"]:
            return "code", self.code_ends.get(match.start())
        if match["display"]:
            return "formula", self._closed(re.escape(CLOSING[match.group()]), match.end() + 1)
        if match["environment"]:
            return "formula", self.environment_ends.get(match.start())
        if match["tag"]:
            return self._tag(match.start())
        return ("address" if match["address"] else "formula" if match["formula"] else "placeholder"), match.end()

    def _tag(self, start: int) -> tuple[PartKind, int | None]:
        """Read a tag, an address in angle brackets or a comment; an unclosed comment hides everything after it."""
        if self.text.startswith("<!--", start):
            return "tag", self._closed("-->", start + 4) or start + 4
        if (link := AUTOLINK.match(self.text, start)) is not None:
            return "address", link.end()
        end = self._tag_end(start + 1)
        if end is None:
            rough = ROUGH_TAG.match(self.text, start)
            end = rough.end() if rough is not None else None
        if end is None:
            return "tag", None
        # Verbatim content belongs to its tag; otherwise the opening and closing tags are separate parts.
        verbatim = VERBATIM.match(self.text, start)
        return "tag", (self._closed(f"</{verbatim[1].lower()}[^<>]*>", end) if verbatim else None) or end

    def _tag_end(self, at: int) -> int | None:
        """Return where the tag ends that is open at this place, outside of its quotes; None if it never ends.

        What follows a quotation mark is the same for every tag that reaches it, so each mark is followed once.
        """
        followed: list[int] = []
        end: int | None = None
        while (mark := TAG_MARK.search(self.text, at)) is not None:
            if mark.group() in "<>":
                end = mark.end() if mark.group() == ">" else None
                break
            if mark.start() in self.tag_ends:
                end = self.tag_ends[mark.start()]
                break
            followed.append(mark.start())
            closing = self.text.find(mark.group(), mark.end())
            if closing < 0:
                break
            at = closing + 1
        self.tag_ends.update(dict.fromkeys(followed, end))
        return end

    def _closed(self, closing: str, start: int) -> int | None:
        """Return the end of a closing mark, however far away; None if there is none."""
        found = None if closing in self.hopeless else re.compile(closing, re.IGNORECASE).search(self.text, start)
        if found is None:
            self.hopeless.add(closing)
        return found.end() if found else None


def environment_ends(text: str) -> dict[int, int]:
    """Map the start of each LaTeX environment to its end, including nested ones of the same name."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for mark in ENVIRONMENT.finditer(text):
        places = opened.setdefault(mark[2], [])
        if mark[1] == "begin":
            places.append(mark.start())
        elif places:
            ends[places.pop()] = mark.end()
    return ends


REFUSALS = {
    "other_unit": "the edit names another unit",
    "unknown_field": "the unit has no such field",
    "outside_flagged_fields": "the field was not flagged",
    "not_found": "the words to replace are not in this field",
    "not_unique": "the words to replace occur more than once in this field",
    "fill_not_empty": "an empty `find` only fills an empty field",
    "no_change": "the edit changes nothing",
    "shrinks": "the edit removes more than two fifths of the unit",
    "drops_heading": "the edit drops a heading",
    "protected": "the edit touches code, LaTeX, a link, a tag or a placeholder, or brings one in",
    "control_character": "the edit brings in a control character",
    "drops_negation": "the edit only takes the negation away, and the key answers the negative question",
    "replaces_key": "the edit puts another answer in the key's place while the key stays",
    "moves_key": "the edit only moves the key to another option, which no model may do",
    "several_right": "more than one option would be right by the logic of the item",
    "wrong_key": "the key would be an option that the item itself calls wrong",
    "other_rationale": "the edit changes a part of the rationale that explains no option that changed",
    "changes_meaning": "the edit changes what the text says beyond what was asked for",
}
"""Every reason for refusing an edit."""

SMALLEST_REMAINDER = 0.6
"""A unit must not shrink below this share of its length: repairs do not delete."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal, a file or the text direction; tab and line feed are text."""
HEADING = re.compile(r"^#{1,6}[ \t]+\S.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces `find`, which must occur exactly once in the field, with `replace`."""

    unit: str
    field: Field
    find: str
    replace: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The changes of a set of edits in one unit, and the proof that nothing else changed there.

    That all other units of the document are unchanged is proven when the document is written and read again.
    """

    unit: str
    before: str
    """The unit's content hash before the edits."""
    after: str
    changed_fields: tuple[Field, ...]
    untouched: str
    """One digest of all other fields of the unit; the same before and after."""
    rules: tuple[str, ...]
    """The rules whose findings the edits address."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def receipt(before: Unit, after: Unit, rules: Iterable[str]) -> Receipt:
    """Return the receipt for a change that was made."""
    changed = changed_fields(before, after)
    both = (before, after)
    others = [[[field, text] for field, text in unit.texts().items() if field not in changed] for unit in both]
    if others[0] != others[1]:
        raise EditRefused("unknown_field", f"The edits added or removed a field of {before.id}.")
    return Receipt(
        before.id, before.content_hash, after.content_hash, changed, digest(others[0]), tuple(sorted(set(rules)))
    )


UnitT = TypeVar("UnitT", bound=Unit)


def apply_edits(
    unit: UnitT,
    edits: Sequence[Edit],
    *,
    allowed: Collection[Field] | None = None,
    smallest_remainder: float = SMALLEST_REMAINDER,
) -> UnitT:
    """Apply all `edits`. Raise EditRefused without any change if one cannot be applied.

    `allowed`: the fields that may change; None allows every field.
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
        if not Counter(HEADING.findall(text)) <= Counter(HEADING.findall(new[field])):
            raise EditRefused("drops_heading", f"A heading of {field or 'the text'} would be lost.")
        if not _keeps(protected_parts(text), protected_parts(new[field]), text):
            raise EditRefused("protected", f"Protected text of {field or 'the unit'} would change.")
        if new_controls(text, new[field]):
            raise EditRefused("control_character", f"A control character would stand in {field or 'the text'}.")


def new_controls(before: str, after: str) -> set[str]:
    """Return the control characters that the text did not hold before."""
    return set(CONTROL.findall(after)) - set(CONTROL.findall(before))


def _keeps(before: list[str], after: list[str], text: str) -> bool:
    """Return whether all protected parts are still there, in order. New ones must occur in the text before.

    This allows repairing a link's brackets, which makes its target protected, and naming a code word of the text once
    more, but adding no other code or address.
    """
    kept = iter(before)
    expected = next(kept, None)
    new: list[str] = []
    for part in after:
        if part == expected:
            expected = next(kept, None)
        else:
            new.append(part)
    return expected is None and _occur_in_order(new, text)


def _occur_in_order(parts: list[str], text: str) -> bool:
    """Return whether the parts occur in the text in this order, in one pass."""
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
    """Return the fields whose text differs, in reading order."""
    new: Mapping[Field, str] = after.texts()
    return tuple(field for field, text in before.texts().items() if new.get(field) != text)
