"""Claims: what a witness says is wrong, how far it is believed, and what people and readers answered to it.

A finding is a claim. What a rule claims has a standing: `proven` (code can show it), `trusted` (labelled findings on
published text say so) or `doubtful`. A reader can contradict what is not proven, a person can dismiss all of it.
No code reads a message: a claim is known by its rule, its place and its words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from burnish.core.findings import CRASHED_RULE, DENIED, RULE_SOURCES, SEVERITIES, UPHELD, Finding, Standing

TRUSTED_SHARE, FEWEST_LABELS = 0.95, 50
"""What makes a rule trusted in a language: so large a share of true findings, among at least so many."""
DISMISSALS_TO_INFORM = 3
"""After so many dismissals in one document, none upheld, a rule only informs there."""
SAME_WORDS = 0.5
"""Two quotes are about one fault if they share at least this much of the longer one."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Labelled findings of one rule in one language, on text that people published."""

    right: int
    of: int

    @property
    def standing(self) -> Standing:
        return "trusted" if self.of >= FEWEST_LABELS and self.right >= TRUSTED_SHARE * self.of else "doubtful"

    @property
    def low(self) -> float:
        """The lower end of Wilson's 95 % interval: the precision, corrected for how little was seen."""
        return wilson(self.right, self.of)[0]


NOTHING_SEEN = Evidence(0, 0)
_Z = 1.959963984540054
"""The z value of a 95 % interval."""


def wilson(right: float, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share: valid also for few cases, and for none or all of them."""
    if of <= 0:
        return 0.0, 1.0
    share, spread = right / of, _Z * _Z / of
    middle = share + spread / 2
    reach = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    # Rounding must not push the ends out of 0 to 1, nor past the share itself.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


@dataclass(frozen=True, slots=True)
class Standings:
    """The standing table: what labelled findings say of each rule of a kind, by language."""

    evidence: Mapping[tuple[str, str], Evidence] = field(default_factory=dict)
    """(rule, language) -> labelled findings."""

    def of(self, rule: str, language: str | None) -> Evidence:
        return self.evidence.get((rule, language or ""), NOTHING_SEEN)

    def placed(self, findings: Iterable[Finding], language: str | None) -> Iterator[Finding]:
        """Yield the findings of rules with their standing. A rule itself says what is proven."""
        for finding in findings:
            keeps = finding.standing is not None or not is_of_rule(finding)
            yield finding if keeps else replace(finding, standing=self.of(finding.rule, language).standing)


def is_of_rule(finding: Finding) -> bool:
    """Whether code claims it: about the unit alone (`rule`), or by comparison with others (`document`)."""
    return finding.source in RULE_SOURCES


def witness(finding: Finding) -> str:
    """Return who claims it: the rule's id, `model:NAME` or `person:NAME`."""
    return finding.rule if is_of_rule(finding) else finding.source


def claim_id(finding: Finding) -> str:
    """Return the name of a claim in its unit."""
    return finding.claim


@dataclass(frozen=True, slots=True)
class Claim:
    """One fault, told once: the finding that says most, and others about the same words."""

    number: int
    """Its number in the list that a reader gets, from 1."""
    finding: Finding
    others: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (self.finding, *self.others)

    @property
    def id(self) -> str:
        return claim_id(self.finding)

    def dismissals(self, by: str, note: str | None = None) -> tuple[Dismissal, ...]:
        """Return what its dismissal records: one for each witness, because it counts against each of them."""
        return tuple(Dismissal(one.rule, by, one.unit, claim_id(one), note) for one in self.findings)


def claims_of(findings: Iterable[Finding]) -> tuple[Claim, ...]:
    """Return the claims of one unit, in the order of the findings: what is about the same words is one claim."""
    told: list[list[Finding]] = []
    for finding in findings:
        same = next((group for group in told if any(is_same_fault(finding, one) for one in group)), None)
        if same is None:
            told.append([finding])
        else:
            same.append(finding)
    ordered = (sorted(group, key=_rank) for group in told)
    return tuple(Claim(number, first, tuple(others)) for number, (first, *others) in enumerate(ordered, 1))


def is_same_fault(one: Finding, other: Finding) -> bool:
    """Whether two findings are about the same words of one field, so that an author mends them together."""
    if (one.unit, one.field) != (other.unit, other.field) or one.quote is None or other.quote is None:
        return False
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return one.quote == other.quote
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > 0 and shared >= SAME_WORDS * max(one.end - one.start, other.end - other.start)


def _rank(finding: Finding) -> tuple[int, bool]:
    return SEVERITIES.index(finding.severity), finding.standing != "proven"


def is_contestable(finding: Finding) -> bool:
    """Whether a reader of the unit is asked about it: a rule's error that code cannot show. Without a standing it is
    doubtful. A claim about other units, too, is not asked: who reads one unit cannot answer it."""
    is_open = finding.blocks and finding.rule != CRASHED_RULE and not finding.related
    return is_open and is_of_rule(finding) and finding.standing != "proven"


def contestable(findings: Iterable[Finding], dismissals: Dismissals | None = None) -> tuple[Claim, ...]:
    """Return the numbered claims that the next reader of a unit answers: upheld or not."""
    settled = dismissals or NO_DISMISSALS
    return claims_of(one for one in findings if is_contestable(one) and not settled.cover(one))


def answered(claims: Sequence[Claim], answers: Sequence[Mapping[int, bool]]) -> tuple[list[Claim], list[Claim]]:
    """Return the claims that readers upheld, and those that every reader who answered denies.

    `answers`: for each reader, claim number -> upheld. A claim that nobody answered is in neither list: it stays open.
    """
    votes = [(claim, [said[claim.number] for said in answers if claim.number in said]) for claim in claims]
    upheld = [claim for claim, said in votes if any(said)]
    return upheld, [claim for claim, said in votes if said and not any(said)]


@dataclass(frozen=True, slots=True)
class Dismissal:
    """Somebody says that a claim is not true: one claim, or all claims of a rule in a run."""

    rule: str
    by: str
    """`person:NAME`, or `model:NAME` of the reader."""
    unit: str | None = None
    """None: all units of the run."""
    claim: str | None = None
    """The claim's id; None: all claims of the rule."""
    note: str | None = None

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def answers_in(findings: Iterable[Finding]) -> tuple[list[Dismissal], list[Dismissal]]:
    """Return the claims of rules that readers denied, and those that they upheld, from the data of findings."""
    asked = [one for one in findings if is_of_rule(one)]
    denied, upheld = ([one for one in asked if name in one.data] for name in (DENIED, UPHELD))
    return [_answer(one, DENIED) for one in denied], [_answer(one, UPHELD) for one in upheld]


def _answer(finding: Finding, name: str) -> Dismissal:
    return Dismissal(finding.rule, ", ".join(map(str, finding.data[name])), finding.unit, finding.claim)


@dataclass(frozen=True, slots=True)
class Dismissals:
    """The dismissals in effect in one run. They settle claims of rules only, never a judge's or a person's."""

    claims: frozenset[tuple[str | None, str | None]] = frozenset()
    """(unit, claim id)."""
    rules: frozenset[str] = frozenset()
    informing: frozenset[str] = frozenset()
    """Rules that were dismissed so often in the document that they only inform."""

    @classmethod
    def of(
        cls, dismissals: Iterable[Dismissal], denied: Iterable[Dismissal] = (), upheld: Iterable[Dismissal] = ()
    ) -> Self:
        """Return what follows from what people dismissed in one document, and what readers denied and upheld there.

        What readers denied is lowered where it is denied, by the kind; here it only says how far a rule is trusted.
        """
        every = tuple(dismissals)
        claims = {(one.unit, one.claim): one.rule for one in every if one.claim is not None}
        against = claims | {(one.unit, one.claim): one.rule for one in denied}
        rules = frozenset(one.rule for one in every if one.claim is None)
        informing = rules_that_inform(against.values(), (one.rule for one in upheld))
        return cls(frozenset(claims), rules, informing)

    def with_claims(self, dismissals: Iterable[Dismissal]) -> Dismissals:
        return replace(
            self, claims=self.claims | {(one.unit, one.claim) for one in dismissals if one.claim is not None}
        )

    def cover(self, finding: Finding) -> bool:
        """Whether a finding is dismissed. A crashed rule claims nothing: its finding cannot be dismissed."""
        if not is_of_rule(finding) or finding.rule == CRASHED_RULE:
            return False
        return finding.rule in self.rules or (bool(self.claims) and (finding.unit, claim_id(finding)) in self.claims)

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the open findings, those of rules that only inform as information, and the dismissed ones."""
        every = tuple(findings)
        if self == NO_DISMISSALS:
            return every, ()
        still = tuple(one for one in every if not self.cover(one))
        return informed(still, self.informing), tuple(one for one in every if self.cover(one))


NO_DISMISSALS = Dismissals()


def rules_that_inform(dismissed: Iterable[str], upheld: Iterable[str]) -> frozenset[str]:
    """Return the rules that only inform in a document, from the rules of its dismissed and of its upheld claims."""
    often, held = Counter(dismissed), frozenset(upheld)
    return frozenset(rule for rule, times in often.items() if times >= DISMISSALS_TO_INFORM and rule not in held)


def informed(findings: Iterable[Finding], rules: frozenset[str]) -> tuple[Finding, ...]:
    """Return the findings, those of `rules` as information. What is proven is no matter of trust, and keeps its
    severity."""
    return tuple(
        replace(one, severity="info") if one.rule in rules and is_of_rule(one) and one.standing != "proven" else one
        for one in findings
    )
