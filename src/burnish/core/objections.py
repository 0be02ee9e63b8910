"""What a panel objects to, and what follows from it: one decision for all kinds, pure, and closed where it is unsure.

A seat objects with findings, or abstains (None). Claims of several seats match if they are about the same words, the
same field or option, or the same rule. What more than half of all seats object to is an error, whatever its severity
was. What fewer object to is never outvoted: a person looks, or it stays as a doubt if it is minor. An abstention stays
in the denominator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from burnish.core.findings import Finding
from burnish.core.gate import is_majority

Ballots = Sequence[Sequence[Finding] | None]
"""One entry a seat: what it objects to; None if it abstains."""


@dataclass(frozen=True, slots=True)
class Objection:
    """Matched claims of one or more seats."""

    claims: tuple[tuple[int, Finding], ...]
    """Seat and claim, in the order in which they were raised."""

    @property
    def seats(self) -> frozenset[int]:
        return frozenset(seat for seat, _ in self.claims)

    @property
    def worded(self) -> tuple[Finding, ...]:
        """The claims that say different things: the first one of each rule, with a place if any of them has one."""
        first: dict[str, Finding] = {}
        for _, claim in sorted(self.claims, key=lambda raised: raised[1].quote is None):
            first.setdefault(claim.rule, claim)
        return tuple(first.values())

    @property
    def repeated(self) -> tuple[Finding, ...]:
        """The other wordings, which are kept with their reason."""
        return tuple(claim for _, claim in self.claims if not any(claim is one for one in self.worded))


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows from the ballots on one unit. Every claim is in one of the four lists."""

    errors: tuple[Finding, ...] = ()
    """What a majority of seats objects to."""
    open: tuple[Finding, ...] = ()
    """What fewer object to, and what nobody may outvote: a person looks."""
    doubts: tuple[Finding, ...] = ()
    """Minor objections of a few: they block nothing, and are listed wherever the unit is shown."""
    repeated: tuple[Finding, ...] = ()
    """Other words for an objection of the lists above."""
    content: int = 0
    """How many seats answered and object to nothing that is open or an error."""
    seats: int = 0

    @property
    def support(self) -> float:
        """The share of all seats that are content."""
        return self.content / self.seats if self.seats else 0.0


def objections(ballots: Ballots) -> tuple[Objection, ...]:
    """The claims of all seats, matched. A seat's claims are matched with other seats' only, never with each other."""
    groups: list[list[tuple[int, Finding]]] = []
    for seat, claims in enumerate(ballots):
        for claim in claims or ():
            # The same words tell more than the same field, and that more than the same rule.
            fitting = (
                group
                for matches in (_same_words, _same_field, _same_rule)
                for group in groups
                if any(other != seat and matches(claim, one) for other, one in group)
            )
            group = next(fitting, None)
            if group is None:
                groups.append([(seat, claim)])
            else:
                group.append((seat, claim))
    return tuple(Objection(tuple(group)) for group in groups)


def _same_words(one: Finding, other: Finding) -> bool:
    if one.field != other.field or None in (one.start, one.end, other.start, other.end):
        return False
    return max(one.start or 0, other.start or 0) < min(one.end or 0, other.end or 0)


def _same_field(one: Finding, other: Finding) -> bool:
    return one.field is not None and one.field == other.field


def _same_rule(one: Finding, other: Finding) -> bool:
    return one.rule == other.rule


def decide(ballots: Ballots, *, is_minor: Callable[[Finding], bool]) -> Decision:
    """What the objections of a panel lead to."""
    errors: list[Finding] = []
    still_open: list[Finding] = []
    doubts: list[Finding] = []
    repeated: list[Finding] = []
    grave: set[int] = set()
    for objection in objections(ballots):
        told = _told(objection, len(ballots))
        repeated += objection.repeated
        if is_majority(len(objection.seats), len(ballots)):
            errors += (replace(one, severity=one.severity if one.blocks else "error") for one in told)
        elif all(is_minor(claim) for _, claim in objection.claims):
            doubts += (replace(one, severity="warning" if one.blocks else one.severity) for one in told)
            continue
        else:
            still_open += (replace(one, severity="warning") for one in told)
        grave |= objection.seats
    content = sum(claims is not None and seat not in grave for seat, claims in enumerate(ballots))
    return Decision(
        tuple(errors), tuple(still_open), tuple(doubts), tuple(repeated), content=content, seats=len(ballots)
    )


def _told(objection: Objection, seats: int) -> Iterator[Finding]:
    """The wordings of an objection, each with who raised it and how many could have."""
    witnesses = list(dict.fromkeys(claim.source for _, claim in objection.claims))
    for claim in objection.worded:
        yield replace(claim, data={**claim.data, "raised_by": witnesses, "seats": seats})


def questions(ballots: Ballots, *, is_minor: Callable[[Finding], bool]) -> dict[int, tuple[Finding, ...]]:
    """Seat -> the claims of one other seat alone that it is asked about, because its answer can make a majority.

    A minor claim is not put to anybody, and a seat that abstained is not asked.
    """
    asked: dict[int, list[Finding]] = {}
    for objection in objections(ballots):
        alone = len(objection.seats) == 1 and not is_majority(1, len(ballots)) and is_majority(2, len(ballots))
        grave = tuple(claim for _, claim in objection.claims if not is_minor(claim))
        seat = next((n for n, claims in enumerate(ballots) if claims is not None and n not in objection.seats), None)
        if alone and grave and seat is not None:
            asked.setdefault(seat, []).extend(grave)
    return {seat: tuple(claims) for seat, claims in asked.items()}
