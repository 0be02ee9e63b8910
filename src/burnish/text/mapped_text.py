"""Text with the place of each part in its source, so that edits of the readable text change only that part of the file.

A `Layer` is a text with, for each stretch of it, the place in its source. Layers can be stacked: the plain text of an
HTML fragment is over the HTML, which is over its escaped form in XML. `rewritten` compares the text with a new one and
returns the few splices of the lowest source that produce it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, chain, starmap
from typing import Literal, NamedTuple

import regex

from burnish.languages.words import common_length

WORDS = regex.compile(r"\w+|\s|[^\w\s]")
COMPARABLE = 40_000
"""Words are compared one by one if their numbers in both texts multiply to at most this; otherwise one stretch is
replaced."""


class Stretch(NamedTuple):
    """A change: text[start:end] becomes new[new_start:new_end]."""

    start: int
    end: int
    new_start: int
    new_end: int


def differing_words(old: str, new: str) -> list[Stretch]:
    """Return the words that differ, without their common letters at the ends."""
    if old == new:
        return []
    before, after = WORDS.findall(old), WORDS.findall(new)
    head = common_length(before, after)
    tail = common_length(before[head:][::-1], after[head:][::-1])
    middle, changed = before[head : len(before) - tail], after[head : len(after) - tail]
    at = sum(map(len, before[:head]))
    if len(middle) * len(changed) > COMPARABLE:
        stretches = [Stretch(at, at + sum(map(len, middle)), at, at + sum(map(len, changed)))]
    else:
        stretches = _between(middle, changed, at)
    found: list[Stretch] = []
    for start, end, new_start, new_end in stretches:
        one, other = old[start:end], new[new_start:new_end]
        head = common_length(one, other)
        tail = common_length(one[head:][::-1], other[head:][::-1])
        found.append(Stretch(start + head, end - tail, new_start + head, new_end - tail))
    return found


def differing_parts(old: str, new: str) -> list[Stretch]:
    """Return the words that differ within differing lines, so that distant changes in a long text stay separate."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    head = common_length(before, after)
    tail = common_length(before[head:][::-1], after[head:][::-1])
    middle, changed = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(middle) * len(changed) > COMPARABLE:
        return differing_words(old, new)
    start = sum(map(len, before[:head]))
    found: list[Stretch] = []
    for stretch in _between(middle, changed, start):
        a, b, c, d = stretch
        for at, end, new_at, new_end in differing_words(old[a:b], new[c:d]):
            found.append(Stretch(at + a, end + a, new_at + c, new_end + c))
    return found


def differing_lines(old: str, new: str) -> list[Stretch]:
    """Return one stretch of whole lines, from the first line that differs to the last."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    most = min(len(old_lines), len(new_lines)) - 1
    head = min(most, common_length(old_lines, new_lines))
    tail = min(most - head, common_length(old_lines[::-1], new_lines[::-1]))
    start = sum(len(line) + 1 for line in old_lines[:head])
    kept = sum(len(line) + 1 for line in old_lines[len(old_lines) - tail :])
    return [Stretch(start, len(old) - kept, start, len(new) - kept)]


def whole(old: str, new: str) -> list[Stretch]:
    """Return one stretch for the whole text."""
    return [Stretch(0, len(old), 0, len(new))]


def _between(middle: Sequence[str], changed: Sequence[str], start: int) -> list[Stretch]:
    """Return the stretches that differ between two lists of parts that both begin at `start`."""
    old_at = list(accumulate(map(len, middle), initial=start))
    new_at = list(accumulate(map(len, changed), initial=start))
    codes = SequenceMatcher(None, middle, changed, autojunk=False).get_opcodes()
    return [Stretch(old_at[a], old_at[b], new_at[c], new_at[d]) for tag, a, b, c, d in codes if tag != "equal"]


def words_with_blanks(old: str, new: str) -> list[Stretch]:
    """Return the words that differ with adjacent blanks: where blanks collapse, they depend on their neighbours."""
    found: list[Stretch] = []
    for start, end, new_start, new_end in differing_words(old, new):
        while start > 0 and new_start > 0 and old[start - 1] == new[new_start - 1] and old[start - 1] in " \t\n\r\f":
            start, new_start = start - 1, new_start - 1
        while end < len(old) and new_end < len(new) and old[end] == new[new_end] and old[end] in " \t\n\r\f":
            end, new_end = end + 1, new_end + 1
        if found and start <= found[-1].end:
            found[-1] = found[-1]._replace(end=end, new_end=new_end)
        else:
            found.append(Stretch(start, end, new_start, new_end))
    return found


class Splice(NamedTuple):
    """Replaces text[start:end] with `new`."""

    start: int
    end: int
    new: str


class Coded(NamedTuple):
    """The encoding of a text in a file."""

    units: regex.Pattern[str]
    """Finds the sequences that encode exactly one character with several."""
    decode: Callable[[str], str]
    encode: Callable[[str], str]


def spliced(raw: str, new: str, coded: Coded) -> str:
    """Change as little of `raw` as possible so that it reads `new`; the rest keeps its encoding."""
    place_of = _places(raw, coded.units)
    pieces: list[str] = []
    done = 0
    for start, end, new_start, new_end in differing_parts(coded.decode(raw), new):
        pieces += (raw[done : place_of(start)], coded.encode(new[new_start:new_end]))
        done = place_of(end)
    return "".join((*pieces, raw[done:]))


def _places(raw: str, units: regex.Pattern[str]) -> Callable[[int], int]:
    """Return a function from positions in the decoded text to positions in `raw`."""
    after: list[int] = []
    shifts: list[int] = []
    shift = 0
    for match in units.finditer(raw):
        shift += match.end() - match.start() - 1
        after.append(match.end() - shift)
        shifts.append(shift)

    def place_of(position: int) -> int:
        index = bisect_right(after, position) - 1
        return position + (shifts[index] if index >= 0 else 0)

    return place_of


def applied(text: str, splices: Sequence[Splice]) -> str:
    """Return the text after all splices, which must not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))


class NotCarried(Exception):
    """A file cannot hold a change at this place. Raised and caught inside the formats."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text and its place in the source."""

    text: str
    start: int
    end: int
    kind: Literal["plain", "coded", "fixed", "opaque"] = "plain"
    """plain: character by character; coded: only as a whole, as `&amp;`; fixed: shown, but not in the source;
    opaque: the name of a picture or formula, which no edit can change."""
    style: str = ""
    """How new text is encoded here, such as `cdata`."""


class Setting(NamedTuple):
    """The context of new text: the text before and after it, and the style of its place."""

    before: str
    after: str
    style: str


NOWHERE = Setting("", "", "")

Encode = Callable[[str, Setting], str]
"""Encodes new text for the source."""


class Layer:
    """A text and its source."""

    def __init__(self, runs: Iterable[Run], encode: Encode, home: int = 0, *, collapses: bool = False) -> None:
        self.runs = list(runs)
        self.encode = encode
        self.home = home
        """Where text is inserted if there is none yet."""
        self.collapses = collapses
        """Whether adjacent blanks of the source collapse into one."""
        self._starts = list(accumulate((len(run.text) for run in self.runs), initial=0))
        self.text = "".join(run.text for run in self.runs)

    def splices(self, start: int, end: int, new: str) -> Iterator[Splice]:
        """Yield the source's splices that replace text[start:end] with `new`."""
        touched = [(run, at) for run, at in self._between(start, end) if run.kind != "fixed"]
        if not touched:
            place, style = self._insertion(start)
            yield Splice(place, place, self._encoded(start, end, new, style))
            return
        if any(run.kind == "opaque" for run, _ in touched):
            raise NotCarried("text", "a picture or formula stands there.")
        first, last = touched[0], touched[-1]
        if first[0].kind == "coded":
            new, start = first[0].text[: max(0, start - first[1])] + new, min(start, first[1])
        if last[0].kind == "coded":
            past = last[1] + len(last[0].text)
            new, end = (
                new + last[0].text[max(0, len(last[0].text) - (past - end)) :] if past > end else new,
                max(end, past),
            )
        encoded = self._encoded(start, end, new, first[0].style)
        for run, at in touched:
            yield Splice(*_stretch(run, at, start, end), encoded)
            encoded = ""

    def _encoded(self, start: int, end: int, new: str, style: str) -> str:
        return self.encode(new, Setting(self.text[:start], self.text[end:], style))

    def _between(self, start: int, end: int) -> Iterator[tuple[Run, int]]:
        """Yield the runs that share a character with text[start:end], or contain the insertion point."""
        index = max(0, bisect_right(self._starts, start) - 1)
        while index < len(self.runs) and self._starts[index] < max(end, start + 1):
            run, at = self.runs[index], self._starts[index]
            inside = at < start < at + len(run.text) if start == end else at < end and at + len(run.text) > start
            if inside:
                yield run, at
            index += 1

    def _insertion(self, position: int) -> tuple[int, str]:
        """Return the place for inserted text: after the text before it, otherwise before the text after it."""
        before = [run for run, at in zip(self.runs, self._starts, strict=False) if at + len(run.text) <= position]
        real = next((run for run in reversed(before) if run.kind != "fixed"), None)
        if real is not None:
            return real.end, real.style
        after = next((run for run in self.runs if run.kind != "fixed"), None)
        return (after.start, after.style) if after is not None else (self.home, "")


def _stretch(run: Run, at: int, start: int, end: int) -> tuple[int, int]:
    if run.kind == "coded":
        return run.start, run.end
    return run.start + max(0, start - at), run.start + min(len(run.text), end - at)


@dataclass(frozen=True, slots=True)
class FieldText:
    """One field of a question inside its item's source text."""

    name: str
    start: int
    end: int
    layers: tuple[Layer, ...]
    """Lowest first: the last one holds the readable text."""
    build: Callable[[str], Sequence[Layer]]
    """Builds the layers from source[start:end]."""

    @property
    def text(self) -> str:
        return self.layers[-1].text

    def rewritten(self, source: str, new: str) -> list[Splice]:
        """Return the smallest splices of `source` after which this field reads `new`."""
        before = source[self.start : self.end]
        # A picture cannot be typed, so the new text must name each as often as the old one.
        for run in self.layers[-1].runs:
            if run.kind == "opaque" and self.text.count(run.text) != new.count(run.text):
                raise NotCarried(self.name, f"{run.text} must stay where it is.")
        beside = [words_with_blanks] if self.layers[-1].collapses else []
        for differing in (differing_words, *beside, differing_lines, whole):
            splices = [Splice(s.start, s.end, new[s.new_start : s.new_end]) for s in differing(self.text, new)]
            for layer in reversed(self.layers):
                splices = list(chain.from_iterable(starmap(layer.splices, splices)))
            splices = sorted(splices, key=lambda splice: splice[:2])
            if reads_as(self.build(applied(before, splices))[-1].text, new):
                return [Splice(splice.start + self.start, splice.end + self.start, splice.new) for splice in splices]
        raise NotCarried(self.name, "the format cannot hold this text here.")


def field_text(name: str, source: str, start: int, end: int, build: Callable[[str], Sequence[Layer]]) -> FieldText:
    """Return the field in source[start:end]."""
    return FieldText(name, start, end, tuple(build(source[start:end])), build)


def reads_as(text: str, wanted: str) -> bool:
    """Return whether the texts are equal except for line ends and blanks at both ends, which some formats trim."""
    return text == wanted or _bare(text) == _bare(wanted)


def _bare(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def trimmed(runs: Sequence[Run], blanks: str = " \t\n\r\x00\x0b") -> list[Run]:
    """Return the runs without blanks at both ends of the text."""
    first, last = 0, len(runs)
    while first < last - 1 and _is_blank(runs[first], blanks):
        first += 1
    while last > first + 1 and _is_blank(runs[last - 1], blanks):
        last -= 1
    kept = list(runs[first:last])
    if kept and kept[0].kind == "plain" and kept[0].text.lstrip(blanks) != kept[0].text:
        run = kept[0]
        text = run.text.lstrip(blanks)
        kept[0] = replace(run, text=text, start=run.end - len(text))
    if kept and kept[-1].kind == "plain" and kept[-1].text.rstrip(blanks) != kept[-1].text:
        run = kept[-1]
        text = run.text.rstrip(blanks)
        kept[-1] = replace(run, text=text, end=run.start + len(text))
    if len(kept) == 1 and kept[0].kind == "coded" and _is_blank(kept[0], blanks):
        kept[0] = replace(kept[0], text="")
    return kept


def _is_blank(run: Run, blanks: str) -> bool:
    return run.kind != "fixed" and not run.text.strip(blanks)


def merged(runs: Iterable[Run]) -> list[Run]:
    """Join adjacent plain runs."""
    groups: list[list[Run]] = []
    for run in runs:
        last = groups[-1][-1] if groups else None
        if last and last.kind == run.kind == "plain" and last.end == run.start and last.style == run.style:
            groups[-1].append(run)
        else:
            groups.append([run])
    return [group[0] if len(group) == 1 else _joined(group) for group in groups]


def _joined(runs: Sequence[Run]) -> Run:
    return Run("".join(run.text for run in runs), runs[0].start, runs[-1].end, "plain", runs[0].style)
