"""Traces and metrics of debates for OpenTelemetry: which span and which metric each entry of a record becomes.

It reads entries, as everything else that looks at a debate does, by the names of OpenTelemetry's conventions for
generative AI (semantic conventions 1.41: ``invoke_workflow`` a debate, ``invoke_agent`` a question, ``chat`` a try of a
model call, ``execute_tool`` a use of a tool). What anybody says stands in the record alone, never in a trace.
Without an SDK nothing is made of it: the extra ``otel``, and ``OTEL_EXPORTER_OTLP_ENDPOINT`` in the environment.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from folkmoot.app.plan.settings import wants_telemetry
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.core.event import (
    TOOL,
    Asked,
    Attempted,
    Called,
    Closed,
    Entry,
    Erred,
    Failed,
    Interjected,
    Opened,
    Paused,
    Replied,
    Ruled,
)
from folkmoot.core.packages import missing_library

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

NAME = "folkmoot"
PROVIDERS: Mapping[str, str] = {"google": "gcp.gemini", "bedrock": "aws.bedrock", "azure": "azure.ai.openai"}
"""Providers that the conventions call otherwise than Folkmoot."""

TOKENS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The bounds of the histograms, as the conventions advise."""


@dataclass(slots=True)
class Telemetry:
    """Makes spans and numbers of one debate's entries, in their order.

    Attributes:
        debate: its id.
        tracer: makes the spans.
        meter: takes the numbers.
    """

    debate: str
    tracer: "Tracer"
    meter: "Meter"
    _root: "Span | None" = None
    _name: str = ""
    _asks: "dict[str, Span]" = field(default_factory=dict[str, "Span"])
    _tries: "dict[tuple[str, str], Span]" = field(default_factory=dict[tuple[str, str], "Span"])

    def take(self, entry: Entry) -> None:
        """Take the next entry in."""
        at, event = _time(entry.at), entry.event
        if isinstance(event, Opened):
            self._name = event.name
        if self._root is None:
            attributes = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": self._name or "debate"}
            self._root = self._span(f"invoke_workflow {self._name}".rstrip(), None, at, attributes)
        match event:
            case Asked(ask=ask):
                attributes = {
                    "gen_ai.operation.name": "invoke_agent",
                    "gen_ai.agent.name": ask.to,
                    "folkmoot.act": ask.act,
                }
                attributes["folkmoot.key"] = ask.key
                self._asks[ask.key] = self._span(f"invoke_agent {ask.to}", self._root, at, attributes)
            case Attempted():
                self._begin(event, at)
            case Called():
                self._end(event, at)
            case Erred(key=key, call=call, kind=kind):
                self._fail(self._tries.pop((key, call), None), kind, at)
            case Failed(key=key, kind=kind):
                self._fail(self._asks.pop(key, None), kind, at)
            case Replied(key=key):
                if span := self._asks.pop(key, None):
                    span.end(at)
            case Interjected():
                self._root.add_event("folkmoot.interjected", timestamp=at)
            case Ruled(decision=decision):
                decided = {
                    "folkmoot.rule": decision.rule,
                    "folkmoot.status": decision.status,
                    "folkmoot.share": decision.share,
                }
                self._root.add_event("folkmoot.ruled", decided, timestamp=at)
            case Paused(kind=kind):
                self._close(f"paused: {kind or 'stopped'}", at)
            case Closed(status=status):
                self._close(status, at)
            case _:
                pass

    def _span(self, name: str, under: "Span | None", at: int, attributes: Mapping[str, str]) -> "Span":
        from opentelemetry.trace import SpanKind, set_span_in_context

        kind = SpanKind.CLIENT if name.startswith("chat ") else SpanKind.INTERNAL
        known = {"gen_ai.conversation.id": self.debate, **attributes}
        return self.tracer.start_span(name, set_span_in_context(under) if under else None, kind, known, start_time=at)

    def _begin(self, event: Attempted, at: int) -> None:
        provider, _, model = event.model.partition(":")
        under = self._asks.get(event.key, self._root)
        if event.model.startswith(TOOL):
            attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": model}
            name = f"execute_tool {model}"
        else:
            attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
            attributes["gen_ai.provider.name"] = PROVIDERS.get(provider, provider)
            name = f"chat {model}"
        attributes["folkmoot.try"] = str(event.n)
        self._tries[event.key, event.call] = self._span(name, under, at, attributes)

    def _end(self, event: Called, at: int) -> None:
        span = self._tries.pop((event.key, event.call), None)
        if span is None:
            return
        provider, _, model = event.model.partition(":")
        tool, usage = event.model.startswith(TOOL), event.usage
        if not tool:
            answered: dict[str, AttributeValue | None] = {
                "gen_ai.response.model": event.served or model,
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
                "gen_ai.response.finish_reasons": (event.finish,) if event.finish else None,
                "folkmoot.cost": usage.cost,
                "folkmoot.estimated": usage.estimated or None,
            }
            span.set_attributes({name: value for name, value in answered.items() if value is not None})
        span.end(at)
        labels = {"gen_ai.operation.name": "execute_tool" if tool else "chat", "gen_ai.request.model": model}
        labels["gen_ai.provider.name"] = NAME if tool else PROVIDERS.get(provider, provider)
        seconds = self.meter.create_histogram(
            "gen_ai.client.operation.duration", "s", explicit_bucket_boundaries_advisory=SECONDS
        )
        seconds.record(event.seconds, labels)
        if not tool:
            tokens = self.meter.create_histogram(
                "gen_ai.client.token.usage", "{token}", explicit_bucket_boundaries_advisory=TOKENS
            )
            tokens.record(usage.input_tokens, {**labels, "gen_ai.token.type": "input"})
            tokens.record(usage.output_tokens, {**labels, "gen_ai.token.type": "output"})

    def _fail(self, span: "Span | None", kind: str, at: int) -> None:
        if span is not None:
            from opentelemetry.trace import Status, StatusCode

            span.set_attribute("error.type", kind)
            span.set_status(Status(StatusCode.ERROR, kind))
            span.end(at)

    def _close(self, status: str, at: int) -> None:
        """End everything; a debate that is resumed begins a trace of its own."""
        for span in (*self._tries.values(), *self._asks.values()):
            span.set_attribute("folkmoot.open", True)
            span.end(at)
        if self._root:
            self._root.set_attribute("folkmoot.status", status)
            self._root.end(at)
        self._tries, self._asks, self._root = {}, {}, None
        self.meter.create_counter("folkmoot.debates", "{debate}").add(1, {"folkmoot.status": status})


class TelemetryWatcher:
    """A watcher that makes spans and metrics of every debate; after an error with one it leaves that one alone.

    Attributes:
        observed: what takes the entries of each debate in; None after a fault.
    """

    def __init__(self) -> None:
        self.observed: dict[str, Telemetry | None] = {}

    def make(self, debate: str) -> Telemetry:
        """What takes a debate's entries in from now on, for whatever SDK the process has set up."""
        from opentelemetry import metrics, trace

        return Telemetry(debate, trace.get_tracer(NAME), metrics.get_meter(NAME))

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Take in what has just been stored."""
        try:
            if debate not in self.observed:
                self.observed[debate] = self.make(debate)
            if observer := self.observed[debate]:
                for entry in entries:
                    observer.take(entry)
        except Exception as error:  # noqa: BLE001 # an SDK's code runs here, and no debate may feel it
            self.observed[debate] = None
            logging.getLogger(__name__).warning("%s is no longer observed: %s", debate, type(error).__name__)

    def end(self, debate: str) -> None:
        """Forget a debate that runs no longer."""
        self.observed.pop(debate, None)


def attach_telemetry(workspace: Workspace) -> None:
    """Send traces and metrics of every debate that runs in a workspace, where the environment asks for them.

    Raises:
        BriefError: it does, and the SDK is not installed.
    """
    if wants_telemetry():
        start()
        workspace.watchers.each.append(TelemetryWatcher())


PATIENCE = 3
"""Seconds for a collector that does not answer, unless OpenTelemetry's own variable says otherwise.

The end of a command waits for it.
"""


def start() -> None:
    """Send traces and metrics to where the environment says, by OpenTelemetry's own variables.

    Raises:
        BriefError: the SDK is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        what = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but sending traces and metrics"
        raise BriefError(missing_library(what, "otel"), code="no_library") from error
    from opentelemetry import metrics, trace

    resource = Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME", NAME)})
    traces = TracerProvider(resource=resource)
    timeout = None if os.environ.get("OTEL_EXPORTER_OTLP_TIMEOUT") else PATIENCE
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=timeout)))
    trace.set_tracer_provider(traces)
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=timeout))
    metrics.set_meter_provider(MeterProvider([reader], resource=resource))


def _time(at: float) -> int:
    """Nanoseconds since 1970."""
    return int(at * 1e9)
