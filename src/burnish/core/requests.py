"""Requests and answers: what a model is asked and what came of it, as data.

A kind says what to ask and what the answer means; the engine asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from burnish.core.errors import ModelAway
from burnish.core.records import Usage

BYTES_PER_TOKEN = 4
"""Measured with the tokenisers cl100k and o200k: .22 to .28 tokens a character of English, Spanish and JSON, .38 to .63
a Cyrillic letter, about .8 a Chinese one."""


def about_tokens(text: str) -> int:
    """About how many tokens models make of a text: a fair guess, where a budget takes one that is rather too high."""
    return len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1


@dataclass(frozen=True, slots=True)
class Request:
    """Everything about a request that does not depend on which model answers it."""

    role: str
    """Which model role is asked, such as `corrector` or `reviewer`."""
    unit: str
    prompt: str
    """Package and name of the prompt file, such as `burnish.kinds.questions.prompts:correct`."""
    reply: str
    """Name of the reply's shape in `core.replies`."""
    trusted: Mapping[str, str]
    """Values that we or the operator wrote."""
    untrusted: Mapping[str, str]
    """Content. It goes between fences and has no authority."""
    max_tokens: int
    """How long the answer may be."""
    usual: int | None = None
    """About how many tokens a usual answer has, where that follows from the content; None: it repeats none of it."""
    scores: tuple[str, ...] | None = None
    """The criteria or dimensions that are asked for; None: all that the reply knows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request. Exactly one of `reply` and `failure` is there."""

    model: str
    reply: object | None
    failure: str | None = None
    """`model_failed` or `reply_unreadable`, with the reason behind a colon."""
    calls: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """How long the call took when it was made: the same on resume."""
    refused: bool = False
    """The endpoint is there, and would not answer this very request: another one may be answered."""
    away: bool = False
    """The model is away, and whoever asked can do without it: another model takes the role."""

    def as_outage(self) -> ModelAway:
        """What to raise where nobody can do without it after all."""
        return ModelAway(self.model, (self.failure or "").removeprefix("model_failed: "))
