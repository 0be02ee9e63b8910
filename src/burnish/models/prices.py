"""What models cost: by the operator's settings, else by the table of the library `genai-prices`, which works offline.

Free are scripted models, Ollama's, and those at an address that the operator marks as free. A name with a known price
has it wherever it is served.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from burnish.models.budget import MILLION, Price
from burnish.models.calls import TokenCount
from burnish.models.profiles import OPENAI_NAMES

FREE = Price(0.0, 0.0)
FREE_PROVIDERS = frozenset({"scripted", "ollama"})
NOT_LISTED = FREE_PROVIDERS | {"given"}
TABLE = "genai-prices"
BATCH_SHARE = 0.5
"""What OpenAI and Anthropic charge for a call in a batch."""


@dataclass(frozen=True, slots=True)
class ListedPrice(Price):
    """A price that steps with the length of the prompt or changes with the hour, so that the library is asked at each
    call."""

    model: Any = None

    def _full(self, tokens: TokenCount) -> float:
        return _price(self.model.get_prices(now()), tokens)


def now() -> datetime:
    """The time of a call."""
    return datetime.now(UTC)


def prices_of(
    models: Iterable[str], given: Mapping[str, Price] | None = None, free: Collection[str] = ()
) -> dict[str, Price]:
    """The price of every model that has one; `given` goes before all others, `free` are providers that cost nothing."""
    prices = dict(given or {})
    for model in models:
        provider = model.partition(":")[0]
        found = FREE if provider in FREE_PROVIDERS or provider in free else listed_price(model)
        if found is not None:
            prices.setdefault(model, found)
    return prices


def batch_prices(prices: Mapping[str, Price]) -> dict[str, Price]:
    """The same in a batch: half of what is not free."""
    return {model: price if price == FREE else replace(price, share=BATCH_SHARE) for model, price in prices.items()}


def table_version() -> str:
    """Which table prices that nobody set are taken from."""
    return f"{TABLE} {version(TABLE)}"


@cache
def listed_price(model: str) -> Price | None:
    """The price of a `provider:model` in the library's table; None where it has none."""
    # Two thirds of a second to load, and only needed where models are paid.
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
    """Model -> how many tokens it holds, of those that the library's table knows."""
    listed = {model: _listed(model) for model in models if model.partition(":")[0] not in NOT_LISTED}
    return {
        model: found.model.context_window for model, found in listed.items() if found and found.model.context_window
    }


@cache
def _listed(model: str) -> Any:
    """What the library's table says of a `provider:model`; None where it does not have it."""
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
