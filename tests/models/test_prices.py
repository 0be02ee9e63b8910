"""What models cost: settings first, then what is free, then the library's table; nothing over the network."""

import socket
from datetime import UTC, datetime

import pytest

from burnish.models import budget
from burnish.models.budget import FREE, Price, batch_prices, context_sizes, listed_price, prices_of, table_version
from burnish.models.calls import TokenCount

MILLION = TokenCount(1_000_000, 0)


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-5-mini",
        "openai-responses:gpt-5-mini",
        "anthropic:claude-sonnet-5",
        "google:gemini-2.5-flash",
        "openrouter:anthropic/claude-sonnet-4.5",
        "vllm:deepseek-r1",
    ],
)
def test_names_with_a_known_price(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_: object) -> None:
        raise AssertionError("prices need no network")

    monkeypatch.setattr(socket.socket, "connect", cut)
    listed_price.cache_clear()
    price = listed_price(model)
    assert price is not None
    assert 0 < price.of(MILLION) < price.of(TokenCount(0, 1_000_000)) < 1_000
    assert price.of(TokenCount(1_000_000, 0, cached=1_000_000)) <= price.of(MILLION)


@pytest.mark.parametrize("model", ["openai:m", "openai:judge-a", "anthropic:claude-x", "nosuch:x", "vllm:my-own-model"])
def test_names_without_one(model: str) -> None:
    assert listed_price(model) is None


def test_a_price_may_step_with_the_length_of_the_prompt() -> None:
    price = listed_price("google:gemini-2.5-pro")
    assert price is not None
    short, long = price.of(TokenCount(100_000, 0)), price.of(TokenCount(300_000, 0))
    assert long > 3 * short * 1.5


def test_a_price_by_the_hour_is_that_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    price = listed_price("deepseek:deepseek-chat")
    assert price is not None
    costs = []
    for hour in (12, 20):
        monkeypatch.setattr(budget, "now", lambda hour=hour: datetime(2026, 11, 16, hour, tzinfo=UTC))
        costs.append(price.of(TokenCount(1_000_000, 0)))
    assert costs[0] > costs[1], "a discount at night"


def test_what_comes_first() -> None:
    models = ["openai:gpt-5-mini", "openai:gpt-4o", "scripted:x", "ollama:qwen3", "vllm:deepseek-r1", "openai:m"]
    own = Price(1.0, 2.0)
    found = prices_of(models, {"openai:gpt-4o": own}, free={"vllm"})
    assert found["openai:gpt-4o"] == own
    assert found["scripted:x"] == found["ollama:qwen3"] == found["vllm:deepseek-r1"] == FREE
    assert found["openai:gpt-5-mini"] == listed_price("openai:gpt-5-mini")
    assert "openai:m" not in found


def test_cached_tokens_have_a_price_of_their_own() -> None:
    tokens = TokenCount(1_000, 100, cached=800)
    assert Price(10.0, 20.0).of(tokens) == pytest.approx(0.012)
    assert Price(10.0, 20.0, 1.0).of(tokens) == pytest.approx(0.002 + 0.0008 + 0.002)


def test_what_is_put_into_the_cache_has_a_price_of_its_own() -> None:
    tokens = TokenCount(1_000, 0, cached=200, written=500)
    assert Price(10.0, 20.0, 1.0).of(tokens) == pytest.approx(0.003 + 0.0002 + 0.005)
    assert Price(10.0, 20.0, 1.0, 12.5).of(tokens) == pytest.approx(0.003 + 0.0002 + 0.00625)
    claude = listed_price("anthropic:claude-sonnet-4-6")
    assert claude is not None
    fresh, written = claude.of(TokenCount(1_000, 0)), claude.of(TokenCount(1_000, 0, written=1_000))
    assert written == pytest.approx(1.25 * fresh)
    assert claude.most(TokenCount(1_000, 0)) == written, "a ceiling keeps room for it"
    assert Price(10.0, 20.0).most(MILLION) == Price(10.0, 20.0).of(MILLION)


def test_the_table_has_a_version() -> None:
    assert table_version().startswith("genai-prices 0.")


def test_how_much_a_model_holds_is_known_of_those_in_the_table() -> None:
    sizes = context_sizes(["openai:gpt-4o", "scripted:x.json", "vllm:my-own-model"])
    assert sizes == {"openai:gpt-4o": 128_000}


def test_without_prices_of_ones_own_there_are_the_listed_ones() -> None:
    found = prices_of(["openai:gpt-5-mini", "scripted:x"])
    assert found == {"openai:gpt-5-mini": listed_price("openai:gpt-5-mini"), "scripted:x": FREE}
    own = {"vllm:x": Price(1.0, 2.0)}
    assert prices_of([], own) == own
    prices_of(["scripted:x"], own)
    assert set(own) == {"vllm:x"}, "what was given stays as it is"


def test_a_batch_costs_half_but_for_what_is_free() -> None:
    found = batch_prices({"a:x": Price(2.0, 4.0), "scripted:x": FREE})
    assert found["a:x"].of(TokenCount(1_000_000, 1_000_000)) == 3.0
    assert found["a:x"].most(TokenCount(1_000_000, 1_000_000)) == 3.0
    assert found["scripted:x"] == FREE


def test_a_name_may_have_a_colon_in_it() -> None:
    assert listed_price("bedrock:amazon.nova-lite-v1:0") is not None


def test_all_parts_of_a_call_are_paid_at_their_own_price() -> None:
    price = Price(1.0, 10.0, cached=0.1, written=1.25)
    used = TokenCount(1_000_000, 100_000, cached=300_000, written=200_000)
    assert price.of(used) == pytest.approx(0.5 + 1.0 + 0.03 + 0.25)
    assert price.most(used) == pytest.approx(-0.3 + 1.0 + 0.03 + 1.25)
    plain = Price(1.0, 10.0)
    assert plain.of(used) == plain.most(used) == pytest.approx(2.0)
