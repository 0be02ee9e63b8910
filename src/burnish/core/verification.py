"""Findings of models are claims. They are verified in code before anyone acts on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import regex

from burnish.core.documents import Unit
from burnish.core.findings import Finding

# Model reviewers talk themselves out of about one finding in ten, and list it all the same.
SELF_REFUTING = regex.compile(
    r"""\b(?:
        (?:this|it|that|which)\ (?:is|seems|appears)\ (?:actually|in\ fact|probably|technically)?\ ?
            (?:fine|ok(?:ay)?|not\ (?:a|an)\ (?:issue|problem|violation|error|flaw))
      | no\ (?:issues?|problems?|violations?|flaws?|changes?|corrections?|edits?|actions?)[ ]
            (?:here|found|needed|necessary|required|is\ needed|are\ needed|was\ found|were\ found|exists?)
      | (?:does|do|is|are)\ not\ (?:actually\ )?(?:violate|break|a\ violation|an?\ issue|a\ problem)
      | (?:so|therefore|thus)\ (?:it|this)\ (?:is\ fine|passes|complies|is\ acceptable)
      | (?:false\ alarm|on\ second\ thought|false\ positive)
    )\b""",
    regex.VERBOSE | regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A claim that nobody acts on, and why. Kept in the journal."""

    finding: Finding
    reason: str
    """`unknown_rule`, `unknown_field`, `no_quote`, `quote_not_found`, `self_refuting` or `duplicate`."""


def verify(unit: Unit, claims: Iterable[Finding], *, rules: Collection[str]) -> tuple[list[Finding], list[Dropped]]:
    """The claims that hold, with their places filled in, and those that do not."""
    held: dict[object, Finding] = {}
    dropped: list[Dropped] = []
    for claim in claims:
        reason = _doubt(unit, claim, rules) or ("duplicate" if _issue(claim) in held else None)
        if reason is not None:
            dropped.append(Dropped(claim, reason))
        else:
            held[_issue(claim)] = _placed(unit, claim)
    return list(held.values()), dropped


def _doubt(unit: Unit, claim: Finding, rules: Collection[str]) -> str | None:
    if claim.rule not in rules:
        return "unknown_rule"
    texts = unit.texts()
    if claim.field not in texts:
        return "unknown_field"
    if not (claim.quote or "").strip():
        return "no_quote"
    if (claim.quote or "") not in texts[claim.field]:
        return "quote_not_found"
    if SELF_REFUTING.search(claim.message):
        return "self_refuting"
    return None


def _issue(claim: Finding) -> tuple[str, str | None]:
    """Two claims under one rule about one field are the same issue, whichever words they quote."""
    return (claim.rule, claim.field)


def _placed(unit: Unit, claim: Finding) -> Finding:
    quote = claim.quote or ""
    start = unit.texts()[claim.field].index(quote)
    return Finding(
        claim.rule,
        claim.severity,
        unit.id,
        claim.field,
        claim.message,
        claim.suggestion,
        quote,
        start,
        start + len(quote),
        None,
        claim.source,
    )
