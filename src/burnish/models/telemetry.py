"""OpenTelemetry spans for runs, tasks and calls, named by its conventions for generative AI.

Nothing is imported here: where a program (or `opentelemetry-instrument`) has set OpenTelemetry up, its API is loaded
already; where it has not, every span is nothing. Spans carry names and figures, no content and no messages of errors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from burnish.core.records import CallRecord
from burnish.models.calls import Call

CONVENTIONAL = {
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "google-cloud": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "xai": "x_ai",
}
"""Provider -> its `gen_ai.provider.name`, where that is another."""


@contextmanager
def span(name: str, attributes: Mapping[str, Any], *, is_client: bool = False) -> Iterator[Any]:
    """A span of OpenTelemetry around what is done; None where nobody has loaded OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield None
        return
    kind = trace.SpanKind.CLIENT if is_client else trace.SpanKind.INTERNAL
    given = {key: value for key, value in attributes.items() if value is not None}
    with trace.get_tracer("burnish").start_as_current_span(
        name, kind=kind, attributes=given, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except BaseException as error:
            current.set_attribute("error.type", getattr(error, "code", None) or type(error).__name__)
            current.set_status(trace.StatusCode.ERROR)
            raise


@contextmanager
def call_span(call: Call) -> Iterator[Callable[[CallRecord], None]]:
    """A span around a call, with all its tries; what is yielded writes the figures of its record into it."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": CONVENTIONAL.get(call.provider, call.provider),
        "gen_ai.request.model": call.model_name,
        "gen_ai.request.max_tokens": call.max_tokens,
        "gen_ai.request.temperature": call.temperature,
        "gen_ai.request.seed": call.seed,
        "gen_ai.output.type": "json",
        "burnish.role": call.role,
        "burnish.unit": call.unit,
    }
    with span(f"chat {call.model_name}", attributes, is_client=True) as current:

        def tell(record: CallRecord) -> None:
            if current is not None:
                current.set_attributes(_figures(record))

        yield tell


def _figures(record: CallRecord) -> dict[str, Any]:
    usage = record.usage
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        "burnish.tries": record.tries,
        "burnish.status": record.status,
        **({} if usage.cost is None else {"burnish.cost_usd": usage.cost}),
        **({} if record.error is None else {"burnish.fault": record.error.partition(":")[0]}),
    }
