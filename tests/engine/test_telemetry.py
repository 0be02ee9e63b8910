"""Spans of OpenTelemetry: their names, who is inside whom, and figures that agree with the journal."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from burnish.models.calls import TokenCount
from burnish.models.scripted import Fault, Rule, ScriptedModel
from tests.engine.questions_bench import biased, receipt, run, sound, write_bank

NO_EDITS = {"reasoning": "no idea", "edits": []}
FINE = {"reasoning": "fine", "violations": []}


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Where spans are kept; the provider stands for this test only."""
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr("opentelemetry.trace.get_tracer_provider", lambda: provider)
    return kept


def total(spans: list[ReadableSpan], name: str) -> int:
    return sum(int(str((span.attributes or {}).get(name, 0))) for span in spans)


def polished(tmp_path: Path) -> Any:
    """A run with a busy provider, thinking, cached prompts, and a reply that is cut off. The three questions are one
    request: each counts as one for the rules."""
    model = ScriptedModel(
        [
            Rule(nth=1, fault=Fault(status=503)),
            Rule(nth=4, fault=Fault(kind="truncated")),
            Rule(reply_name="edit_reply", reply=NO_EDITS, usage=TokenCount(900, 80, 50, 20, 300)),
            Rule(reply=FINE, usage=TokenCount(800, 40, 10, 512)),
        ]
    )
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(1), biased(2)]), tmp_path / "runs", model)
    return folder


def test_figures_agree_with_the_journal_to_the_token(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    folder = polished(tmp_path)
    spans = list(exporter.get_finished_spans())
    calls = [span for span in spans if span.name.startswith("chat ")]
    with contextlib.closing(sqlite3.connect(folder.journal)) as journal:
        count, *journalled = journal.execute(
            "SELECT COUNT(*), SUM(prompt_tokens), SUM(completion_tokens), SUM(reasoning_tokens), SUM(cached_tokens),"
            " SUM(cache_write_tokens) FROM calls"
        ).fetchone()
    names = ("input_tokens", "output_tokens", "reasoning.output_tokens")
    names += ("cache_read.input_tokens", "cache_creation.input_tokens")
    assert [total(calls, f"gen_ai.usage.{name}") for name in names] == journalled
    assert len(calls) == count >= 4
    assert all(journalled)
    told = receipt(folder)["totals"]
    assert [told["prompt_tokens"], told["completion_tokens"]] == journalled[:2]


def test_calls_are_inside_tasks_and_tasks_inside_the_run(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    polished(tmp_path)
    spans = exporter.get_finished_spans()
    by_id = {span.context.span_id: span for span in spans if span.context is not None}
    (whole,) = [span for span in spans if span.name == "burnish.run"]
    assert whole.attributes == {"burnish.run": "r1", "burnish.kind": "questions"}
    for span in spans:
        if span.name.startswith("chat "):
            assert span.kind is SpanKind.CLIENT
            assert span.parent is not None
            assert by_id[span.parent.span_id].name == "burnish.task"
            attributes = span.attributes or {}
            assert (attributes["gen_ai.operation.name"], attributes["gen_ai.provider.name"]) == ("chat", "scripted")
            assert attributes["gen_ai.request.model"] == "m"
        elif span.name == "burnish.task":
            assert span.parent is not None
            assert by_id[span.parent.span_id] is whole


def test_a_call_that_fails_says_why_and_carries_no_words(tmp_path: Path, exporter: InMemorySpanExporter) -> None:
    polished(tmp_path)
    failed = [span for span in exporter.get_finished_spans() if span.status.status_code is StatusCode.ERROR]
    assert failed
    for span in failed:
        assert not span.events
        assert span.status.description is None
    assert any((span.attributes or {}).get("burnish.fault") == "truncated" for span in failed)


def test_without_opentelemetry_nothing_is_loaded_and_nothing_happens() -> None:
    code = (
        "import sys\n"
        "from burnish.models.calls import span\n"
        "import burnish.engine.session, burnish.models.gateway\n"
        "with span('x', {}) as current: print(current)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("None\n[]\n", "")
