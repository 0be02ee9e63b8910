"""Numbers, times and names as the workbench writes them. Pure functions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo

from burnish.app.kinds import kind_named
from burnish.app.terminal import UNSAFE, visible

NO_BREAK = "\u00a0"
MINUS = "\u2212"
NEAR = 0.03
"""How close to its threshold a score gets a third decimal."""
FEW = 20
"""Below this number of cases a share says little, so the count is shown first."""
_LINE_MARKS = frozenset("\n\t")
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_HASH_ENDS = 4


def clean(text: str) -> str:
    """Text with invisible and bidirectional control characters shown as codes. Line ends and tabs stay."""
    return UNSAFE.sub(lambda found: found.group() if found.group() in _LINE_MARKS else visible(found.group()), text)


def count(number: int) -> str:
    """`1,842,906`."""
    return f"{number:,}"


def roughly(number: int) -> str:
    """A count in a sentence: `2.37 M` from a million up."""
    if number < 1_000_000:
        return count(number)
    return f"{number / 1_000_000:.2f}".rstrip("0").rstrip(".") + f"{NO_BREAK}M"


def filesize(number: int) -> str:
    """`412 kB`."""
    if number < 1_000:
        return f"{number} bytes"
    return f"{number / 1_000:,.0f} kB" if number < 1_000_000 else f"{number / 1_000_000:,.1f} MB"


def thousands(number: float) -> str:
    """A count on the axis of a chart: `300 k`, `1.5 M`."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:g}{NO_BREAK}{letter}"
    return f"{number:g}"


def plural(number: int, noun: str, several: str | None = None) -> str:
    """`1 paragraph`, `1,204 paragraphs`."""
    return f"{count(number)} {noun if number == 1 else several or f'{noun}s'}"


def score(value: float, line: float | None = None, kind: str | None = None) -> str:
    """`.85`; three decimals near the threshold (`.877`); LEGOs `8.9`. A score below the threshold is never rounded up
    to it."""
    if _is_of_ten(kind):
        return _signed(value, _decimals(value, line, 1), zero=True)
    near = line is not None and value != line and abs(value - line) < NEAR and round(value, 2) != round(value, 4)
    return _signed(value, _decimals(value, line, 3 if near else 2))


def _is_of_ten(kind: str | None) -> bool:
    """Whether a kind's scores go up to 10, and so keep the figure before the point."""
    return bool(kind) and kind_named(str(kind)).words.highest_score > 1


def _decimals(value: float, line: float | None, places: int) -> str:
    shown = f"{abs(value):.{places}f}"
    if line is not None and value < line <= float(shown):
        step = 10**places
        return f"{math.floor(value * step) / step:.{places}f}"
    return shown


def _signed(value: float, shown: str, *, zero: bool = False) -> str:
    bare = shown if zero else re.sub(r"^0(?=\.)", "", shown)
    return f"{MINUS}{bare}" if value < 0 and float(shown) else bare


def delta(value: float, kind: str | None = None) -> str:
    """`+.053`, `−.07`; `0` for no change."""
    places = 1 if _is_of_ten(kind) else 3
    size = f"{abs(value):.{places}f}"
    if not float(size):
        return "0"
    bare = size if _is_of_ten(kind) else size.removesuffix("0").removeprefix("0")
    return f"{'+' if value > 0 else MINUS}{bare}"


def money(amount: float | None) -> str:
    """`$0.91`; under a cent `$0.0006`, so that no payment reads as zero."""
    if amount is None:
        return "no price known"
    if amount == 0:
        return "$0"
    if amount >= 0.01:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.0001 else "under $0.0001"


def percent(value: float) -> str:
    """`96 %`. Only exactly none or all reads as `0 %` or `100 %`."""
    whole = round(value * 100)
    if 0 < value < 1:
        whole = min(max(whole, 1), 99)
    return f"{whole}{NO_BREAK}%"


def share(right: int, of: int, low: float | None = None, high: float | None = None) -> str:
    """`48 of 50 (96 %, 87 to 99 %)`: a share always comes with its count and its interval."""
    if not of:
        return "0 of 0"
    sure = "" if low is None or high is None else f", {round(low * 100)} to {round(high * 100)}{NO_BREAK}%"
    return f"{count(right)} of {count(of)} ({round(right / of * 100)}{NO_BREAK}%{sure})"


def moment(at: str) -> datetime | None:
    """A recorded time; None if none was recorded."""
    if not at:
        return None
    read = datetime.fromisoformat(at)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def age(at: str, now: datetime) -> str:
    """How long ago: `40 s`, `18 min`, `5 h`, `2 d`."""
    then = moment(at)
    return lasting((now - then).total_seconds()) if then else ""


def lasting(seconds: float) -> str:
    """A duration: `1.7 s`, `40 s`, `18 min`, `5 h`, `2 d`."""
    if seconds < 10 and seconds != round(seconds):
        return f"{max(seconds, 0.1):.1f} s"
    whole = max(0, int(seconds))
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"


def clock(at: str, zone: tzinfo | None = None) -> str:
    """`12:03:24`, in the server's time zone unless one is given."""
    then = moment(at)
    return then.astimezone(zone).strftime("%H:%M:%S") if then else ""


def exact(at: str) -> str:
    """A time for a tooltip: `2026-11-15 10:00:24 UTC`."""
    then = moment(at)
    return then.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if then else ""


def short_hash(digest: str) -> str:
    """`4be1…90c7`; the name of the method before it is kept."""
    method, colon, value = digest.rpartition(":")
    if len(value) <= 2 * _HASH_ENDS + 1:
        return digest
    return f"{method}{colon}{value[:_HASH_ENDS]}…{value[-_HASH_ENDS:]}"


def in_words(name: str) -> str:
    """A name of the journal as words: `needs_manual_review` -> `needs manual review`."""
    return name.replace("_", " ")


STAR_BEFORE_KEY = re.compile(r"(?:^| )\* (?=[A-Z]\. )")
"""The star before the key, in a question on one line."""


def keyed(text: str) -> str:
    """A question on one line, its key marked with a tick instead of a star."""
    return STAR_BEFORE_KEY.sub(f" ✓{NO_BREAK}", text).strip()


def sentence(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def listed(things: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = list(things) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def did_it(said: str) -> str:
    """A decision as the end of a sentence: `accepted it`, `sent it back`."""
    return "sent it back" if said == "sent back" else f"{said} it"


LONGEST_ID = 28
"""Characters of an id that are shown: some tools write question ids of eighty."""


def short_id(id: str) -> str:
    """`text2qti_question_d88feefb…56ed` -> `text2qti_question_…1156ed`."""
    return id if len(id) <= LONGEST_ID else f"{id[:18]}…{id[-6:]}"


def initials(name: str) -> str:
    """A person's initials, for the round badge: `Lila Benali` -> `LB`."""
    words = [word for word in re.split(r"[\s._-]+", clean(name)) if word]
    letters = [words[0][0], words[-1][0]] if len(words) > 1 else list(words[0][:2]) if words else ["?"]
    return "".join(letters).upper()
