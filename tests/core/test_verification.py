"""Claims of models are verified before anyone acts on them."""

from dataclasses import replace

import pytest

from burnish.core.verification import verify
from tests.core.units import PlainUnit, finding

UNIT = PlainUnit.of(stem="The first drug is given at once.")


def verdict(**claim: object) -> str | None:
    values: dict[str, object] = {"rule": "r", "quote": "first drug", **claim}
    message = values.pop("message", "Two options can be right.")
    _, dropped = verify(UNIT, [replace(finding(**values), message=str(message))], rules={"r"})  # type: ignore[arg-type]
    return dropped[0].reason if dropped else None


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({}, None),
        ({"rule": "other"}, "unknown_rule"),
        ({"field": "rationale"}, "unknown_field"),
        ({"quote": None}, "no_quote"),
        ({"quote": "  "}, "no_quote"),
        ({"quote": "second drug"}, "quote_not_found"),
        ({"message": "Option A may be right. On reflection this is actually fine."}, "self_refuting"),
        ({"message": "No violation found in this field."}, "self_refuting"),
        ({"message": "This does not violate the rule."}, "self_refuting"),
        ({"message": "Option B is correct as well, so there are two keys."}, None),
        ({"message": "Two options are right: A, and B, which is correct in the foetus."}, None),
    ],
)
def test_why_a_claim_is_dropped(claim: dict[str, object], reason: str | None) -> None:
    assert verdict(**claim) == reason


def test_a_claim_that_holds_gets_its_place_and_doubles_are_merged() -> None:
    claims = [finding("r", quote="first drug"), finding("r", quote="given")]
    held, dropped = verify(UNIT, claims, rules={"r"})
    assert [(f.quote, f.start, f.end) for f in held] == [("first drug", 4, 14)]
    assert [d.reason for d in dropped] == ["duplicate"]
