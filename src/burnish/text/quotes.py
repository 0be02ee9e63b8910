"""Find the words that a model quotes: one matcher for judges, reviewers, claims and patchers.

Models misquote: they join lines, straighten or curl quotation marks, drop emphasis and links, change dashes and omit
words with an ellipsis. So a quote is searched for verbatim, then in one canonical spelling, then without any of those
marks, then piece by piece around its ellipses. The first of these with a match decides, and the place is given in exact
characters of the text. All of it takes time linear in the text.
"""

from __future__ import annotations

import html
import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from burnish.core.documents import Field, Unit
from burnish.core.edits import Edit
from burnish.core.findings import Finding

Place = tuple[int, int]
"""Start and end of the quoted words in the text, in characters."""

SHORTEST_PIECE = 8
"""The fewest letters and digits of a piece next to an ellipsis: shorter ones occur almost anywhere."""
WIDEST_GAP = 2000
"""The most characters that an ellipsis may replace."""
REMEMBERED = 64
"""Texts whose folded forms are cached: a panel quotes the same few texts again and again."""

SINGLE_MARKS, DOUBLE_MARKS = "'‘’‚‛′´`＇", '"“”„‟″«»‹›〝〞＂「」『』'
DASHES = "-‐‑‒–—―−﹘﹣－"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
CANONICAL = (
    {ord(mark): "'" for mark in SINGLE_MARKS.replace("`", "")}
    | {ord(mark): '"' for mark in DOUBLE_MARKS}
    | {ord(dash): "-" for dash in DASHES}
    | {ord("…"): "..."}
    | dict.fromkeys(map(ord, INVISIBLE), "")
)

# Characters with several spellings: white space, a letter with combining marks, and everything in the table above.
_SPELLED = regex.compile(rf"\s+|\w\p{{M}}+|[{regex.escape(''.join(map(chr, CANONICAL)))}]")
# Characters that readers do not see or copy: marks of Markdown, entities, quotation marks, dashes.
_UNSEEN = regex.compile(
    rf"""
    \]\([^()\s]*+(?:\s"[^"\n]*+")?\)                            # the target of a link
  | \]\[[^\]\[\n]*+\]
  | (?m:^)[ \t]*+(?:>[ \t]?+|\#{{1,6}}[ \t]++|[-+*][ \t]++)++   # quotation, heading, item of a list
  | &(?:[A-Za-z]{{2,8}}|\#\d{{1,7}}|\#[xX][\dA-Fa-f]{{1,6}});   # an entity
  | \w\p{{M}}++
  | \\(?=[!-/:-@\[-`{{-~])                                      # an escape
  | \.\.++ | …
  | [\s*_~`\[\]{regex.escape(SINGLE_MARKS + DOUBLE_MARKS + DASHES + INVISIBLE)}]++
    """,
    regex.VERBOSE,
)
_ELLIPSIS = regex.compile(r"\s*(?:[\[(]\s*)?(?:…|\.{3,})(?:\s*[\])])?\s*")


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text in a form for comparison, with the place of each of its characters in the original."""

    text: str
    starts: array[int]
    ends: array[int]

    def places(self, words: str, most: int) -> list[Place]:
        found: list[Place] = []
        at = self.text.find(words) if words else -1
        while at >= 0 and len(found) < most:
            found.append((self.starts[at], self.ends[at + len(words) - 1]))
            at = self.text.find(words, at + 1)
        return found


def places(text: str, quote: str, *, loosely: bool = True, most: int = 2) -> list[Place]:
    """Return up to `most` places that a quote may mean: none if its words are nowhere, one if it is unambiguous.

    `loosely`: ignore quotation marks, dashes and emphasis, and let an ellipsis stand for words. Otherwise ignore only
    the spelling of these marks, which is what an edit can rely on.
    """
    if not quote.strip():
        return []
    found = (
        _verbatim(text, quote, most)
        or _verbatim(text, quote.strip(), most)
        or _spelled(text).places(_spelled(quote).text.strip(), most)
    )
    if found or not loosely:
        return found
    return _unmarked_form(text).places(_unmarked_form(quote).text, most) or _around_ellipses(text, quote, most)


def find_quote(text: str, quote: str, *, loosely: bool = True) -> Place | None:
    """Return the one place of the quoted words; None if there is none, or several."""
    found = places(text, quote, loosely=loosely)
    return found[0] if len(found) == 1 else None


def holds(text: str, quote: str) -> bool:
    """Return whether the quoted words are anywhere in the text."""
    return bool(places(text, quote, most=1))


def exact_quote(texts: Iterable[str], quote: str) -> str | None:
    """Return the quote in the exact characters of the first text that holds it; None if none of them does."""
    readable = tuple(texts)
    if any(quote in text for text in readable):
        return quote
    for text in readable:
        for place in places(text, quote, most=1):
            return text[slice(*place)]
    return None


def exact_edits(unit: Unit, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits, with `find` in the exact characters of its field if only the spelling of marks differs.

    An edit without exactly one place is not changed: applying it reports why it is refused.
    """
    texts = unit.texts()
    found = []
    for edit in edits:
        text = texts.get(edit.field, "")
        place = None if edit.find in text else find_quote(text, edit.find, loosely=False)
        found.append(edit if place is None else replace(edit, find=text[slice(*place)]))
    return found


def _verbatim(text: str, quote: str, most: int) -> list[Place]:
    found: list[Place] = []
    at = text.find(quote)
    while at >= 0 and len(found) < most:
        found.append((at, at + len(quote)))
        at = text.find(quote, at + 1)
    return found


def _around_ellipses(text: str, quote: str, most: int) -> list[Place]:
    """Match from the first piece to the last of a quote with ellipses; the pieces must follow each other closely."""
    pieces = [_unmarked_form(piece).text for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2 or any(sum(map(str.isalnum, piece)) < SHORTEST_PIECE for piece in pieces):
        return []
    folded = _unmarked_form(text)
    next_at = [-1] * len(pieces)
    """The last match of each piece. Starts only grow, so nothing is searched twice."""
    found: list[Place] = []
    start = folded.text.find(pieces[0])
    while start >= 0 and len(found) < most:
        end, close = start + len(pieces[0]), True
        for number, piece in enumerate(pieces[1:], start=1):
            if next_at[number] < end:
                next_at[number] = folded.text.find(piece, end)
            if next_at[number] < 0:
                return found
            close = close and next_at[number] - end <= WIDEST_GAP
            end = next_at[number] + len(piece)
        if close:
            found.append((folded.starts[start], folded.ends[end - 1]))
        start = folded.text.find(pieces[0], start + 1)
    return found


@lru_cache(maxsize=REMEMBERED)
def _spelled(text: str) -> _Folded:
    """Fold to single blanks, plain quotation marks, hyphens for dashes, and composed letters."""
    return _fold(text, _SPELLED, _one_spelling)


@lru_cache(maxsize=REMEMBERED)
def _unmarked_form(text: str) -> _Folded:
    """Fold to letters, digits and plain punctuation, without marks."""
    return _fold(text, _UNSEEN, _unmarked)


def _one_spelling(found: str) -> str:
    if found.isspace():
        return " "
    return found.translate(CANONICAL) if len(found) == 1 else unicodedata.normalize("NFC", found)


def _unmarked(found: str) -> str:
    if found[0] == "&":
        return _unmarked_form(html.unescape(found)).text if html.unescape(found) != found else found
    return unicodedata.normalize("NFC", found) if found[0].isalnum() else ""


def _fold(text: str, signs: regex.Pattern[str], spelled: Callable[[str], str]) -> _Folded:
    pieces: list[str] = []
    starts, ends = array("I"), array("I")
    done = 0
    for match in signs.finditer(text):
        start, end = match.span()
        pieces.append(text[done:start])
        starts.extend(range(done, start))
        ends.extend(range(done + 1, start + 1))
        written = spelled(match.group())
        pieces.append(written)
        starts.extend([start] * len(written))
        ends.extend([end] * len(written))
        done = end
    pieces.append(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return _Folded("".join(pieces), starts, ends)


# Model reviewers refute about one finding in ten themselves, and list it anyway. The last clause decides: "a false
# positive" or "no change is needed" may also be the subject of the question, or the text of an option. Text after a
# colon, a bracket or "B says" is mostly a quotation, unless the words before it announce a verdict.
SAYS = r"(?:says?|said|states?|stated|reads?|claims?|claimed|answers?|asks?|tells?|writes?|means?|option|answer|choice)"
ANNOUNCES = r"""
    (?:conclusion|verdict|result|summary|assessment|judge?ment|decision|overall|reflection|review|second\ thoughts?
     | consideration|note|edit|correction|update|finding)"""
CLAUSE_BEGINS = rf"""
    (?:\A | [.;!?)] | \b{ANNOUNCES}:
     | (?<!\b{SAYS}(?:\ \w)?\ ?) (?P<joined>, | \ ?[–—] | \ -+) | \ (?=(?:so|but|thus|therefore|hence|however)\b))\ ?\(?
    (?P<turn>(?: so | but | thus | therefore | hence | however | actually | overall | again | still
         | (?:up)?on\ (?:reflection|review|second\ thoughts?) | in\ (?:fact|the\ end|conclusion|summary)
         | I\ (?:think|conclude|find)(?:\ that)? ),?\ ){{0,4}}"""
FLAW = r"(?:issue|problem|violation|error|flaw)"
TAKEN_BACK = rf"""(?:
    (?:this|it|that)\ (?:is|was|seems|appears|looks)\ (?:to\ be\ )?(?:\w+ly\ |in\ fact\ |still\ |quite\ ){{0,2}}
        (?:fine|ok(?:ay)?|acceptable|not\ an?\ (?:\w+\ )?{FLAW})
  | (?:there\ (?:is|are|was|were)\ )?(?:\w+ly\ )?no\ (?:real\ |actual\ )?
        (?:{FLAW}s?|changes?|corrections?|edits?|actions?|fix(?:es)?)
        (?:\ (?:is|are|was|were))?(?:\ (?:here|found|needed|necessary|required|exists?|detected|present))?
  | (?:this|it|that|which)\ (?:does|do|is|are)(?:\ not|n['’]t)\ (?:\w+ly\ )?
        (?:(?:violate|break)(?:\ (?:the|this|any)\ rules?)?|an?\ (?:\w+\ )?{FLAW})
  | (?:this|it|that)\ (?:passes|complies|conforms)
  | (?:(?:this|it|that)\ (?:is|was|seems|looks\ like)\ )?(?:\w+ly\ )?(?:an?\ )?false\ (?:alarm|positive)
)"""
MESSAGE_ENDS = r"""
    (?:\ (?: here | at\ all | after\ all | either | now | then | overall
           | (?:in|of|with)\ (?:this|the|that)\ (?:case|field|item|options?|question|rationale|rules?|stem|text)
        )){0,2}
    [\ .!)]*\Z"""
SELF_REFUTING = regex.compile(CLAUSE_BEGINS + TAKEN_BACK + MESSAGE_ENDS, regex.VERBOSE | regex.IGNORECASE)
# "The dose is dangerous, no correction needed" still asserts a fault: without a turn ("so", "but", "actually") the
# second half retracts nothing. "It may be misleading, no change needed" asserts no fault.
ASSERTS_FAULT = regex.compile(
    r"\b(?:false|wrong(?:ly)?|incorrect(?:ly)?|inaccurate|untrue|mistaken|erroneous|dangerous|harmful|unsafe|misleading"
    r"|contradict(?:s|ed|ing|ory)|invalid|fabricated|nonsense)\b",
    regex.IGNORECASE,
)
DOUBTS_FAULT = regex.compile(
    r"\b(?:not|no|nor|never|nothing|neither|hardly|may|might|could|would|if|whether|seem(?:s|ed)?|appears?|looks?|sounds?"
    r"|false (?:alarm|positive))\b|n['’]t\b",
    regex.IGNORECASE,
)
LONGEST_REFUTATION = 200
"""Characters at the end of a message that are searched for its last clause, so that long messages cost nothing."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A rejected claim and the reason. Kept in the journal."""

    finding: Finding
    reason: str
    """`unknown_rule`, `unknown_field`, `no_quote`, `quote_not_found`, `self_refuting`, `duplicate` or `outvoted`."""


def verify(unit: Unit, claims: Iterable[Finding], *, rules: Collection[str]) -> tuple[list[Finding], list[Dropped]]:
    """Return the claims that hold, with their places filled in, and the rejected ones."""
    held: dict[object, Finding] = {}
    dropped: list[Dropped] = []
    for claim in claims:
        try:
            placed = _placed(unit, _sound(claim, rules))
        except _Doubt as doubt:
            dropped.append(Dropped(claim, str(doubt)))
        else:
            # Two claims under one rule about one field are the same issue, even if they quote different words.
            if held.setdefault((placed.rule, placed.field), placed) is not placed:
                dropped.append(Dropped(claim, "duplicate"))
    return list(held.values()), dropped


class _Doubt(Exception):
    """A claim does not hold. The message is a `Dropped.reason`."""


def _sound(claim: Finding, rules: Collection[str]) -> Finding:
    if claim.rule not in rules:
        raise _Doubt("unknown_rule")
    if not (claim.quote or "").strip():
        raise _Doubt("no_quote")
    if refutes_itself(claim.message):
        raise _Doubt("self_refuting")
    return claim


def refutes_itself(message: str) -> bool:
    """Return whether the message retracts its claim at the end."""
    end = " ".join(message.split())[-LONGEST_REFUTATION:]
    found = SELF_REFUTING.search(end)
    if found is None:
        return False
    return found["joined"] is None or found["turn"] is not None or not _asserts_fault(end[: found.start()])


def _asserts_fault(text: str) -> bool:
    """Return whether the last sentence of the text clearly says that something is wrong."""
    clauses = regex.split(r"[.;!?]", text)[-1].split(",")
    return any(ASSERTS_FAULT.search(clause) and not DOUBTS_FAULT.search(clause) for clause in clauses)


def _placed(unit: Unit, claim: Finding) -> Finding:
    quote, texts = claim.quote or "", unit.texts()
    field = _field(texts, claim.field, quote)
    # A finding about a whole list quotes words of several of its fields, so it has no single place.
    held = places(texts[field], quote, most=1) if field in texts else []
    start, end = held[0] if held else (None, None)
    words = texts[field][start:end] if held else exact_quote(texts.values(), quote)
    return replace(claim, unit=unit.id, field=field, quote=words, start=start, end=end, fix=None)


def _field(texts: Mapping[Field, str], named: Field, quote: str) -> Field:
    """Find the field of a claim. Judges name fields loosely (`options`, `B`, none at all), so the quote decides."""
    holding = [field for field, text in texts.items() if quote in text]
    holding = holding or [field for field, text in texts.items() if holds(text, quote)]
    if named in holding:
        return named
    below = [field for field in holding if _is_below(field, named)]
    for fields in (holding, below, [field for field in holding if (field or "").endswith(f".{named}")]):
        if len(fields) == 1:
            return fields[0]
    if below:
        return named
    known = named in texts or any(_is_below(field, named) for field in texts)
    raise _Doubt("quote_not_found" if known else "unknown_field")


def _is_below(field: Field, named: Field) -> bool:
    """Return whether the field is part of the named list, or of the unit if there is no name."""
    return named is None or (field or "").startswith(f"{named}.")
