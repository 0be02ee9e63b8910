"""Findings of models are claims. They are verified in code before anyone acts on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import regex

from burnish.core.documents import Unit
from burnish.core.findings import Finding

# Model reviewers talk themselves out of about one finding in ten, and list it all the same. The last clause decides:
# "a false positive" or "no change is needed" may as well be what the question is about, or what an option says.
CLAUSE_BEGINS = r"""
    (?:\A | [.;:!?,()] | \ ?[–—] | \ -+ | \ (?=(?:so|but|thus|therefore|hence|however)\b))\ ?
    (?:(?: so | but | thus | therefore | hence | however | actually | overall | again | still
         | (?:up)?on\ (?:reflection|review|second\ thoughts?) | in\ (?:fact|the\ end|conclusion|summary)
         | I\ (?:think|conclude|find)(?:\ that)? ),?\ ){0,4}"""
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
    return "self_refuting" if refutes_itself(claim.message) else None


def refutes_itself(message: str) -> bool:
    """Whether the message ends by taking back what it says."""
    return SELF_REFUTING.search(" ".join(message.split())[-LONGEST_REFUTATION:]) is not None


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
