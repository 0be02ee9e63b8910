"""The script pass against real Tamazight: no Latin letter is left, and what can come back comes back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from burnish.languages.scripts import RANGES
from burnish.languages.tamazight import LOST, Orthography
from burnish.text.transliteration import normalise, render

FOLDER = Path("tamazight")
IN_LATIN: dict[str, Orthography] = {"common_voice_kab_dev.txt": "kabyle", "udhr_tzm.txt": "kabyle"}
IN_TIFINAGH = ("common_voice_zgh_dev.txt", "udhr_zgh.txt")
LATIN_LETTER = re.compile(f"[{RANGES['Latin']}]")
TIFINAGH_LETTER = re.compile(f"[{RANGES['Tifinagh']}]")


@dataclass
class Counts:
    """What became of the lines of one file."""

    lines: int = 0
    left: int = 0
    """Lines with a letter of the old script in them."""
    back: int = 0
    """Lines that came back to the letter, capitals aside."""
    unaccounted: int = 0
    """Lines that came back otherwise, and not as what the orthography loses explains."""
    notes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Reason and letter -> how often."""


def missing(data: Path) -> Iterator[Path]:
    """Files that are not there."""
    yield from (FOLDER / name for name in (*IN_LATIN, *IN_TIFINAGH) if not (data / FOLDER / name).is_file())


def expected_back(line: str, orthography: Orthography) -> tuple[str, str]:
    """What should come back: to the letter; and with what the orthography loses lost."""
    exact = normalise(line, format="text").text.lower()
    lossy = exact
    for letter, instead in LOST[orthography].items():
        lossy = lossy.replace(letter, instead)
    return exact, lossy


def from_latin(lines: Sequence[str], orthography: Orthography) -> Counts:
    """Latin to Tifinagh and back."""
    counts = Counts()
    for line in lines:
        there = render(line, "tifinagh", orthography, format="text")
        back = render(there.text, "latin", orthography, format="text").text
        exact, lossy = expected_back(line, orthography)
        foreign = any(note.reason == "foreign_letter" for note in there.notes)
        counts.lines += 1
        counts.left += LATIN_LETTER.search(there.text) is not None
        counts.back += back == exact
        counts.unaccounted += back not in (exact, lossy) and not foreign
        counts.notes.update((note.reason, note.found) for note in there.notes)
    return counts


def from_tifinagh(lines: Sequence[str], orthography: Orthography) -> Counts:
    """Tifinagh to Latin and back."""
    counts = Counts()
    for line in lines:
        there = render(line, "latin", orthography, format="text")
        back = render(there.text, "tifinagh", orthography, format="text").text
        counts.lines += 1
        counts.left += TIFINAGH_LETTER.search(there.text) is not None
        counts.back += back == line
        counts.unaccounted += back != line
        counts.notes.update((note.reason, note.found) for note in there.notes)
    return counts


def measured(data: Path) -> Iterator[tuple[str, str, Counts]]:
    """File, way and counts; Latin files in the other orthography too, which shows what that one loses."""
    for name, own in IN_LATIN.items():
        lines = _lines(data, name)
        for orthography in (own, "ircam"):
            yield name, f"{orthography}, to Tifinagh", from_latin(lines, orthography)
    for name in IN_TIFINAGH:
        yield name, "ircam, to Latin", from_tifinagh(_lines(data, name), "ircam")


def _lines(data: Path, name: str) -> list[str]:
    return [line for line in (data / FOLDER / name).read_text(encoding="utf-8").splitlines() if line.strip()]


NOTES = (
    "Reading the figures:",
    "- left: lines with a letter of the old script in them; none may be. No name is marked in these files:",
    "  names are rendered like everything else.",
    "- back: lines that come back to the letter after look-alikes were made right. Capitals are aside: Tifinagh has",
    "  none.",
    "- unaccounted: lines that come back otherwise though they hold no letter that the orthography lacks; none may be.",
    "  The Moroccan standard writes č as tc, ǧ as dj and o as u; French letters (é, î, ç) lose their marks in both.",
    "- udhr_tzm spells in the French way (gh, ch, kh, dj, â). Each letter is rendered as it stands, for nothing in a",
    "  line tells gh from g and h; write such a text with ɣ, c, x, ǧ, ɛ first.",
)


def report(data: Path) -> tuple[list[str], bool]:
    """The table, and whether every limit is kept."""
    head = f"  {'file':<26} {'way':<22} {'lines':>6} {'left':>6} {'back':>14} {'unaccounted':>12}  verdict"
    lines, kept = ["Limits: left 0, unaccounted 0.", head], True
    seen: Counter[tuple[str, str]] = Counter()
    for name, way, counts in measured(data):
        good = not counts.left and not counts.unaccounted
        kept = kept and good
        share = f"{counts.back} ({counts.back / max(1, counts.lines):.1%})"
        lines.append(
            f"  {name:<26} {way:<22} {counts.lines:>6} {counts.left:>6} {share:>14} {counts.unaccounted:>12}  "
            f"{'ok' if good else 'OVER'}"
        )
        if way != "ircam, to Tifinagh":
            seen.update(counts.notes)
    lines.append(
        "  letters noted: " + ", ".join(f"{letter} {reason} {n}" for (reason, letter), n in seen.most_common())
    )
    return [*lines, "", *NOTES], kept
