"""The budget: reservations for calls, what they cost, and the refusal of a call that could exceed the ceiling; and
prices, from the operator's settings or from the library `genai-prices`, which works offline.

A call reserves the most that it can cost before it is made: its prompt by our estimate, plus `max_tokens` or the
longest reply in its role so far. Afterwards it is charged what it did cost. A call that does not fit because of calls
in flight waits for them. So only a model that ignores `max_tokens` can exceed the ceiling, by at most one call for
each worker.

The charge is the largest of the provider's report, its total and our own count of the visible text: hidden thinking is
paid too. Our count for a charge is fair, not high like that for a reservation, and a report a little below it is
accepted, because tokenisers differ (docs/design/README.md, "Whose count is charged").

Scripted models, Ollama's models and those at an address marked as free cost nothing. A model with a known price has
that price wherever it is served.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from burnish.core.errors import LimitReached, UsageError
from burnish.core.json_bytes import dumps
from burnish.core.records import Usage
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from burnish.models.profiles import OPENAI_NAMES

Weights = tuple[float, float, float, float]
"""Tokens for each character, by the length of its UTF-8 form."""
HIGH: Weights = (0.34, 0.75, 1.5, 2.5)
FAIR: Weights = (0.25, 0.3, 0.4, 1.0)
"""Slightly high, but no higher than tokenisers count ordinary text."""
CREDIBLE = 0.85
"""A report below this share of the fair count is not accepted: the fair count is charged."""
MESSAGE_OVERHEAD = 24
"""Role markers and separators that a chat format adds around two messages."""

SPELLED_OUT = re.compile("[\u2d30-\u2d7f]")
"""Letters that tokenisers encode byte by byte, measured with cl100k and o200k: Tifinagh."""
BLANKS = re.compile(r"\s+")


def estimate_tokens(text: str, weights: Weights = HIGH) -> int:
    """Estimate how many tokens `text` is, without a tokeniser; rather too many than too few.

    Tokenisers make one token of about four characters of English, two or three of Cyrillic or Greek, one of Chinese,
    Japanese or Korean. So a character's weight follows from the length of its UTF-8 form. Rare scripts are encoded byte
    by byte: three tokens for a letter of Tifinagh.
    """
    ascii_weight, two_byte_weight, three_byte_weight, four_byte_weight = weights
    if text.isascii():
        return round(len(text) * ascii_weight) + 1
    size = len(text)
    ascii_count = len(text.encode("ascii", "ignore"))
    # The lengths of the encodings give the number of characters of each width without a loop.
    utf8 = len(text.encode("utf-8", "surrogatepass"))
    four_byte = len(text.encode("utf-16-le", "surrogatepass")) // 2 - size
    wide = size - ascii_count - four_byte
    three_byte = utf8 - ascii_count - 4 * four_byte - 2 * wide
    two_byte = wide - three_byte
    weight = (
        ascii_count * ascii_weight
        + two_byte * two_byte_weight
        + three_byte * three_byte_weight
        + four_byte * four_byte_weight
        + (len(SPELLED_OUT.findall(text)) * (3 - three_byte_weight) if three_byte else 0)
    )
    return round(weight) + 1


MILLION = 1_000_000
LARGEST_COUNT = 1_000_000_000
"""The most tokens that one call is charged, so that the sums of a journal stay bounded."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """The price of prompt tokens read from the provider's cache; None: the input price."""
    written: float | None = None
    """The price of prompt tokens written to the cache; None: the input price. Anthropic charges a quarter more."""
    share: float = 1.0
    """The share that is charged: half in a batch."""

    def of(self, tokens: TokenCount) -> float:
        return self.share * self._full(tokens)

    def most(self, tokens: TokenCount) -> float:
        """Return the highest price: the whole prompt may be written to the cache."""
        return self.share * max(self._full(tokens), self._full(replace(tokens, written=tokens.prompt)))

    def _full(self, tokens: TokenCount) -> float:
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        fresh = (tokens.prompt - tokens.cached - tokens.written) * self.input + tokens.completion * self.output
        return (fresh + tokens.cached * cached + tokens.written * written) / MILLION


@dataclass(frozen=True, slots=True)
class Reservation:
    """Budget reserved for a call in flight."""

    role: str
    tokens: int
    cost: float


def most_tokens(call: Call) -> TokenCount:
    """Return the most tokens that one try of `call` can use, by our estimate."""
    return TokenCount(_prompt_estimate(call), call.max_tokens)


def charged_for_reply(call: Call, reply: RawReply) -> TokenCount:
    """Return the tokens charged for a try that was answered."""
    return _believed(call, reply.usage, reply.text)


def charged_for_fault(call: Call, fault: ProviderFault) -> TokenCount:
    """Return the tokens charged for a try that failed.

    A refusal with a status costs nothing, and neither does an unreachable server. If the request was sent and the
    answer was lost, the provider has read the prompt and will bill it. An answer that cannot be used (cut off, refused,
    not in the protocol) is charged like any other.
    """
    if not fault.sent:
        return TokenCount(0, 0)
    if fault.usage is not None or fault.kind in ("truncated", "refused", "malformed"):
        return _believed(call, fault.usage, fault.body)
    if fault.kind in ("timeout", "connection", "crashed"):
        return TokenCount(_prompt_estimate(call), estimate_tokens(fault.body) if fault.body else 0)
    return TokenCount(0, 0)


def _prompt_estimate(call: Call) -> int:
    texts = (call.system, call.user, _schema(call))
    return sum(estimate_tokens(text) for text in texts) + MESSAGE_OVERHEAD


def _schema(call: Call) -> str:
    return dumps(dict(call.schema)).decode()


def _believed(call: Call, reported: TokenCount | None, text: str) -> TokenCount:
    if reported is None:
        return TokenCount(_prompt_estimate(call), estimate_tokens(text))
    prompt = _at_least_fair(reported.prompt, call.system + call.user, also_sent=_schema(call))
    completion = _at_least_fair(reported.completion, text)
    reasoning, cached = max(0, min(reported.reasoning, completion)), max(0, min(reported.cached, prompt))
    written = max(0, min(reported.written, prompt - cached))
    return TokenCount(prompt, completion, reasoning, cached, written)


def _at_least_fair(reported: int, text: str, also_sent: str = "") -> int:
    """Return the count reported for `text`, or a fair count if the report is too low to be true. The fair count
    includes what was sent with the text (`also_sent`), which not every provider counts."""
    if reported < CREDIBLE * _fair(text):
        return _fair(text + also_sent)
    return min(reported, LARGEST_COUNT)


def _fair(text: str) -> int:
    """Estimate what tokenisers count: a run of blanks is few tokens, however long it is."""
    return max(1, estimate_tokens(BLANKS.sub(" ", text), FAIR) - 1) if text else 0


class Budget:
    """Ceilings on tokens and money for one run, shared by all its workers."""

    def __init__(
        self,
        *,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Mapping[str, Price] | None = None,
        spent: Usage | None = None,
        lost_tokens: int = 0,
        lost_cost: float = 0.0,
    ) -> None:
        """`lost_tokens`, `lost_cost`: the most that calls can have cost whose outcome a kill left unknown."""
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.spent = spent or Usage()
        """Everything charged so far, including earlier sessions of a resumed run."""
        self._lost_tokens = lost_tokens
        self._lost_cost = lost_cost
        self._money = (self.spent.cost or 0.0) + lost_cost
        self._prices = dict(prices or {})
        self._reserved_tokens = 0
        self._reserved_cost = 0.0
        self._under_way = 0
        self._settled = asyncio.Event()
        self._longest: dict[str, int] = {}
        """Role -> the most tokens that one of its calls has written so far."""

    def usage(self, model: str, tokens: TokenCount) -> Usage:
        """Return `tokens` with their price; its cost is None if the model has no known price."""
        price = self._prices.get(model)
        cost = None if price is None else price.of(tokens)
        return Usage(tokens.prompt, tokens.completion, cost, tokens.reasoning, tokens.cached, tokens.written)

    async def reserve(self, model: str, most: TokenCount, role: str = "") -> Reservation:
        """Reserve budget for one try. Raise LimitReached if it could exceed a ceiling."""
        while (reservation := self.reserve_now(model, most, role)) is None:
            self._settled.clear()
            await self._settled.wait()
        return reservation

    def reserve_now(self, model: str, most: TokenCount, role: str = "") -> Reservation | None:
        """Reserve budget without waiting. Return None if it fits only after calls in flight have finished."""
        room = TokenCount(most.prompt, max(most.completion, self._longest.get(role, 0)))
        needed = Reservation(role, room.prompt + room.completion, self._cost_or_refusal(model, room))
        self._refuse_if_crossing(needed)
        tokens = self._tokens + self._reserved_tokens + needed.tokens
        cost = self._money + self._reserved_cost + needed.cost
        fits = (self.max_tokens is None or tokens <= self.max_tokens) and (
            self.max_cost is None or cost <= self.max_cost
        )
        if self._under_way and not fits:
            return None
        self._reserved_tokens += needed.tokens
        self._reserved_cost += needed.cost
        self._under_way += 1
        return needed

    def settle(self, reservation: Reservation, model: str, used: TokenCount) -> Usage:
        """Release a reservation and charge what was used."""
        self._reserved_tokens -= reservation.tokens
        self._reserved_cost -= reservation.cost
        self._under_way -= 1
        self._longest[reservation.role] = max(used.completion, self._longest.get(reservation.role, 0))
        self._settled.set()
        return self.charge(model, used)

    def charge(self, model: str, used: TokenCount) -> Usage:
        """Charge a call whose budget was reserved in an earlier session."""
        usage = self.usage(model, used)
        self.spent = self.spent + usage
        # One call without a price makes the sum unknown, but the known part still counts against the ceiling.
        self._money += usage.cost or 0.0
        return usage

    @property
    def _tokens(self) -> int:
        return self.spent.total_tokens + self._lost_tokens

    def _cost_or_refusal(self, model: str, most: TokenCount) -> float:
        price = self._prices.get(model)
        if price is not None:
            return price.most(most)
        if self.max_cost is None:
            return 0.0
        raise UsageError(
            f"The cost ceiling cannot be kept: the price of {model} is not known.",
            hint="Give its price in the settings, or limit tokens instead (--max-tokens).",
        )

    def _refuse_if_crossing(self, needed: Reservation) -> None:
        if self.max_tokens is not None and self._tokens + needed.tokens > self.max_tokens:
            perhaps = f", {self._lost_tokens:,} of them possibly, by calls that were lost" if self._lost_tokens else ""
            raise LimitReached(
                f"The next call may use up to {needed.tokens:,} tokens; {self._tokens:,} of "
                f"{self.max_tokens:,} are spent{perhaps}.",
                hint="Resume the run with a higher --max-tokens.",
            )
        if self.max_cost is not None and self._money + needed.cost > self.max_cost:
            perhaps = f", ${self._lost_cost:.4f} of them possibly, by calls that were lost" if self._lost_cost else ""
            raise LimitReached(
                f"The next call may cost up to ${needed.cost:.4f}; ${self._money:.4f} of ${self.max_cost:.4f} "
                f"are spent{perhaps}.",
                hint="Resume the run with a higher --max-cost.",
            )


FREE = Price(0.0, 0.0)
FREE_PROVIDERS = frozenset({"scripted", "ollama"})
NOT_LISTED = FREE_PROVIDERS | {"given"}
TABLE = "genai-prices"
BATCH_SHARE = 0.5
"""The share of the price that OpenAI and Anthropic charge in a batch."""


@dataclass(frozen=True, slots=True)
class ListedPrice(Price):
    """A price that depends on the length of the prompt or the time of day, so the library is asked at each call."""

    model: Any = None

    def _full(self, tokens: TokenCount) -> float:
        return _price(self.model.get_prices(now()), tokens)


def now() -> datetime:
    """Return the time of a call."""
    return datetime.now(UTC)


def prices_of(
    models: Iterable[str], given: Mapping[str, Price] | None = None, free: Collection[str] = ()
) -> dict[str, Price]:
    """Return the price of every model that has one. `given` overrides all others; `free` names free providers."""
    prices = dict(given or {})
    for model in models:
        provider = model.partition(":")[0]
        found = FREE if provider in FREE_PROVIDERS or provider in free else listed_price(model)
        if found is not None:
            prices.setdefault(model, found)
    return prices


def batch_prices(prices: Mapping[str, Price]) -> dict[str, Price]:
    """Return the prices in a batch: half, except for free models."""
    return {model: price if price == FREE else replace(price, share=BATCH_SHARE) for model, price in prices.items()}


def table_version() -> str:
    """Return the name and version of the table of prices."""
    return f"{TABLE} {version(TABLE)}"


@cache
def listed_price(model: str) -> Price | None:
    """Return the price of a `provider:model` in the library's table; None if it is not listed."""
    # Takes two thirds of a second to load, and is needed only for paid models.
    from genai_prices.types import ModelPrice, TieredPrices

    found = _listed(model)
    if found is None:
        return None
    table = found.model_price
    inside, outside = _price(table, TokenCount(1_000, 0)), _price(table, TokenCount(0, 1_000))
    cached = _price(table, TokenCount(1_000, 0, cached=1_000))
    written = _price(table, TokenCount(1_000, 0, written=1_000))
    rates = Price(*(cost * MILLION / 1_000 for cost in (inside, outside, cached, written)))
    has_steps = any(isinstance(rate, TieredPrices) for rate in vars(table).values())
    changes = not isinstance(found.model.prices, ModelPrice)
    if not (has_steps or changes):
        return rates
    return ListedPrice(rates.input, rates.output, rates.cached, rates.written, model=found.model)


def context_sizes(models: Iterable[str]) -> dict[str, int]:
    """Map each model in the library's table to the size of its context."""
    listed = {model: _listed(model) for model in models if model.partition(":")[0] not in NOT_LISTED}
    return {
        model: found.model.context_window for model, found in listed.items() if found and found.model.context_window
    }


@cache
def _listed(model: str) -> Any:
    """Return the library's entry for a `provider:model`; None if it has none."""
    from genai_prices import Usage, calc_price

    provider, _, name = model.partition(":")
    for place in ("openai" if provider in OPENAI_NAMES else provider, None):
        try:
            return calc_price(Usage(input_tokens=0, output_tokens=0), name, provider_id=place)
        except LookupError:
            continue
    return None


def _price(table: Any, tokens: TokenCount) -> float:
    from genai_prices import Usage

    usage = Usage(
        input_tokens=tokens.prompt,
        cache_read_tokens=tokens.cached,
        cache_write_tokens=tokens.written,
        output_tokens=tokens.completion,
    )
    return float(table.calc_price(usage)["total_price"])
