"""Spans of calls: what they say of a call before and after it is made, and nothing of what is not known."""

from __future__ import annotations

import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from burnish.core.errors import UsageError
from burnish.core.records import CallRecord, Usage
from burnish.models.calls import call_span, span
from tests.models.fixtures import a_call


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
    return kept


def record(usage: Usage, error: str | None = None) -> CallRecord:
    status = "ok" if error is None else "failed"
    return CallRecord("k", "u", "judge", "m:a", "r", {}, status, "", usage, 2, 10, error)  # type: ignore[arg-type]


def told(exporter: InMemorySpanExporter, usage: Usage, error: str | None = None) -> dict[str, object]:
    call = a_call(model="google:gemini-x", temperature=None, seed=7, unit="q9")
    with call_span(call) as add_figures:
        add_figures(record(usage, error))
    [one] = exporter.get_finished_spans()
    assert (one.name, one.kind) == ("chat gemini-x", SpanKind.CLIENT)
    return dict(one.attributes or {})


def test_a_call_is_told_with_all_its_figures(exporter: InMemorySpanExporter) -> None:
    assert told(exporter, Usage(100, 20, 0.5, 5, 30, 7)) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-x",
        "gen_ai.request.max_tokens": 200,
        "gen_ai.request.seed": 7,
        "gen_ai.output.type": "json",
        "burnish.role": "corrector",
        "burnish.unit": "q9",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 30,
        "gen_ai.usage.cache_creation.input_tokens": 7,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "burnish.tries": 2,
        "burnish.status": "ok",
        "burnish.cost_usd": 0.5,
    }


def test_a_price_that_is_not_known_is_left_out_and_a_fault_is_named(exporter: InMemorySpanExporter) -> None:
    attributes = told(exporter, Usage(1, 2, None), "truncated: at 200 tokens")
    assert "burnish.cost_usd" not in attributes
    assert (attributes["burnish.fault"], attributes["burnish.status"]) == ("truncated", "failed")


def test_what_fails_is_marked_with_its_name_and_goes_on(exporter: InMemorySpanExporter) -> None:
    for error in (UsageError("no"), KeyError("no")):
        with pytest.raises(type(error)), span("step", {"a": 1, "b": None}):
            raise error
    first, second = exporter.get_finished_spans()
    assert dict(first.attributes or {}) == {"a": 1, "error.type": "usage"}
    assert dict(second.attributes or {}) == {"a": 1, "error.type": "KeyError"}
    assert {one.status.status_code for one in (first, second)} == {StatusCode.ERROR}
    assert first.kind == SpanKind.INTERNAL and not first.events


def test_without_opentelemetry_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    with span("step", {}) as current:
        assert current is None
    with call_span(a_call()) as add_figures:
        add_figures(record(Usage()))
