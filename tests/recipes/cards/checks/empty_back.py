"""empty_back: a card without an answer.

What it looks for: a back without text.
Why it matters: there is nothing to learn.
Fix: needs an author.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from tests.recipes.cards.model import Card


@check(
    id="empty_back",
    title="Empty back",
    severity="error",
    bad=({"back": ""}, {"back": " "}),
    good=({"back": "Paris"}, {"front": "Italy", "back": "Rome"}),
)
def empty_back(card: Card) -> Iterator[Finding]:
    if not card.back.strip():
        yield Finding.at(card, field="back", message="The back is empty.", suggestion="Write the answer.")
