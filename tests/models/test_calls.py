"""Calls: the key is a hash of everything that shapes the reply, and of nothing else."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import UsageError
from burnish.models.calls import OF_ENDPOINT, FaultKind, ProviderFault
from tests.models.fixtures import a_call


@pytest.mark.parametrize(
    "change",
    [
        {"model": "scripted:other"},
        {"system": "x"},
        {"user": "x"},
        {"reply_name": "section_reply"},
        {"schema": {"type": "object"}},
        {"max_tokens": 201},
        {"temperature": 0.0},
        {"seed": 1},
        {"extra": {"top_p": 0.5}},
        {"sample": 1},
    ],
)
def test_what_shapes_the_reply_changes_the_key(change: dict[str, object]) -> None:
    assert a_call(**change).key != a_call().key


@pytest.mark.parametrize("change", [{"unit": "q2"}, {"role": "reviewer"}])
def test_what_is_not_sent_does_not_change_the_key(change: dict[str, object]) -> None:
    assert a_call(**change).key == a_call().key


def test_the_key_is_the_same_on_every_machine() -> None:
    call = a_call(schema={"b": 1, "a": 2})
    assert call.key == a_call(schema={"a": 2, "b": 1}).key
    assert call.key == "sha256:" + call.key[7:]
    assert len(call.key) == 71


def test_a_call_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        a_call().user = "x"  # type: ignore[misc]


def test_model_strings_are_provider_and_model() -> None:
    call = a_call(model="ollama:llama3:8b")
    assert (call.provider, call.model_name) == ("ollama", "llama3:8b")
    with pytest.raises(UsageError, match="not a model"):
        a_call(model="gpt-5")


def test_max_tokens_is_at_least_one() -> None:
    with pytest.raises(UsageError, match="max_tokens"):
        a_call(max_tokens=0)


def test_the_request_holds_what_is_sent() -> None:
    request = a_call(temperature=0.2, seed=7).request()
    assert (request["temperature"], request["seed"], request["max_tokens"]) == (0.2, 7, 200)
    assert set(request) == {
        "system", "user", "reply_name", "schema", "max_tokens", "temperature", "seed", "extra", "sample",
    }  # fmt: skip


def test_a_fault_carries_what_the_retry_loop_needs() -> None:
    fault = ProviderFault("rate_limited", "slow down", status=429, retry_after=5.0, body="{}")
    assert (fault.kind, fault.status, fault.retry_after, fault.body, str(fault)) == (
        "rate_limited", 429, 5.0, "{}", "slow down",
    )  # fmt: skip


@pytest.mark.parametrize("status", [400, 405, 413, 415, 422])
def test_a_refusal_of_what_a_request_holds_does_not_speak_of_the_endpoint(status: int) -> None:
    assert not ProviderFault("rejected", "no", status=status).of_endpoint


@pytest.mark.parametrize("status", [401, 403, 404, 429])
def test_a_refusal_of_whoever_asks_speaks_of_the_endpoint(status: int) -> None:
    assert ProviderFault("rejected", "no", status=status).of_endpoint


@given(st.integers(500, 599))
def test_a_server_that_fails_speaks_of_the_endpoint(status: int) -> None:
    assert ProviderFault("server", "no", status=status).of_endpoint


@pytest.mark.parametrize("kind", ["timeout", "connection", "malformed", "truncated", "refused", "crashed"])
def test_without_a_status_the_kind_of_fault_decides(kind: FaultKind) -> None:
    assert ProviderFault(kind, "no").of_endpoint == (kind in OF_ENDPOINT)
    assert ProviderFault(kind, "no").of_endpoint == (kind in ("timeout", "connection", "malformed"))
