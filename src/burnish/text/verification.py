"""Findings of models are claims. They are verified in code before anyone acts on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import regex

from burnish.core.documents import Field, Unit
from burnish.core.findings import Finding
from burnish.text.quotes import exact_quote, holds, places

# Model reviewers talk themselves out of about one finding in ten, and list it all the same. The last clause decides:
# "a false positive" or "no change is needed" may as well be what the question is about, or what an option says.
# What follows a colon, a bracket or "B says" is mostly a quotation, unless the words before it announce a verdict.
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
# "The dose is dangerous, no correction needed" asserts a fault in the same breath: without a turn ("so", "but",
# "actually") the second half takes nothing back. "It may be misleading, no change needed" asserts none.
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
"""Characters at the end of a message in which its last clause is looked for: hostile lengths cost nothing."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A claim that nobody acts on, and why. Kept in the journal."""

    finding: Finding
    reason: str
    """`unknown_rule`, `unknown_field`, `no_quote`, `quote_not_found`, `self_refuting`, `duplicate` or `outvoted`."""


def verify(unit: Unit, claims: Iterable[Finding], *, rules: Collection[str]) -> tuple[list[Finding], list[Dropped]]:
    """The claims that hold, with their places filled in, and those that do not."""
    held: dict[object, Finding] = {}
    dropped: list[Dropped] = []
    for claim in claims:
        try:
            placed = _placed(unit, _sound(claim, rules))
        except _Doubt as doubt:
            dropped.append(Dropped(claim, str(doubt)))
        else:
            if held.setdefault(_issue(placed), placed) is not placed:
                dropped.append(Dropped(claim, "duplicate"))
    return list(held.values()), dropped


class _Doubt(Exception):
    """Why a claim does not hold, in the words of `Dropped.reason`."""


def _sound(claim: Finding, rules: Collection[str]) -> Finding:
    if claim.rule not in rules:
        raise _Doubt("unknown_rule")
    if not (claim.quote or "").strip():
        raise _Doubt("no_quote")
    if refutes_itself(claim.message):
        raise _Doubt("self_refuting")
    return claim


def refutes_itself(message: str) -> bool:
    """Whether the message ends by taking back what it says."""
    end = " ".join(message.split())[-LONGEST_REFUTATION:]
    found = SELF_REFUTING.search(end)
    if found is None:
        return False
    return found["joined"] is None or found["turn"] is not None or not _asserts_fault(end[: found.start()])


def _asserts_fault(text: str) -> bool:
    """Whether the last sentence of the text says plainly that something is wrong."""
    clauses = regex.split(r"[.;!?]", text)[-1].split(",")
    return any(ASSERTS_FAULT.search(clause) and not DOUBTS_FAULT.search(clause) for clause in clauses)


def _issue(claim: Finding) -> tuple[str, str | None]:
    """Two claims under one rule about one field are the same issue, whichever words they quote."""
    return (claim.rule, claim.field)


def _placed(unit: Unit, claim: Finding) -> Finding:
    quote, texts = claim.quote or "", unit.texts()
    field = _field(texts, claim.field, quote)
    # A finding about a whole list quotes words of several of its fields: they have no one place.
    held = places(texts[field], quote, most=1) if field in texts else []
    start, end = held[0] if held else (None, None)
    words = texts[field][start:end] if held else exact_quote(texts.values(), quote)
    return replace(claim, unit=unit.id, field=field, quote=words, start=start, end=end, fix=None)


def _field(texts: Mapping[Field, str], named: Field, quote: str) -> Field:
    """The field that a claim is about. Judges name fields loosely (`options`, `B`, none at all): the quote decides."""
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
    """Whether the name is that of a list (or of the unit) which the field is a part of."""
    return named is None or (field or "").startswith(f"{named}.")
