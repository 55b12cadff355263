"""Traces and metrics: which spans a debate becomes, and that nothing that was said is in them."""

import json
import logging
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import run
from threading import Thread

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from folkmoot.app.export.telemetry import Telemetry, TelemetryWatcher
from folkmoot.app.plan.settings import wants_telemetry
from folkmoot.core.ask import Reply, Usage
from folkmoot.core.decision import Decision
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entry,
    Erred,
    Failed,
    Interjected,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from tests.analysis.courses import table
from tests.cli.commands import EXAMPLES, settle
from tests.report.reports import BEGAN, Diary, ask

CANARY = "canary-5e1f"
SECRET = "the yard is haunted"
USED = Usage(input_tokens=120, output_tokens=30, cached_tokens=100, cost=0.5)
FIRST, SECOND = ask("/debate/draft#1", "Ann", "draft"), ask("/debate/draft#2", "Ben", "draft")


class Sink:
    """Keeps what telemetry sends."""

    def __init__(self) -> None:
        self.spans, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self.spans))
        meter = MeterProvider([self.reader]).get_meter("folkmoot")
        self.telemetry = Telemetry("d-1", traces.get_tracer("folkmoot"), meter)

    def take(self, entries: Sequence[Entry]) -> "Sink":
        for entry in entries:
            self.telemetry.take(entry)
        return self

    def span(self, name: str) -> ReadableSpan:
        return next(span for span in self.spans.get_finished_spans() if span.name == name)

    def numbers(self, name: str) -> list[tuple[dict[str, object], float]]:
        metrics_data = self.reader.get_metrics_data()
        assert metrics_data is not None
        data = json.loads(metrics_data.to_json())
        metrics = [item for item in data["resource_metrics"][0]["scope_metrics"][0]["metrics"] if item["name"] == name]
        points = metrics[0]["data"]["data_points"]
        return [(point["attributes"], point.get("sum", point.get("value"))) for point in points]


def below(span: ReadableSpan, other: ReadableSpan) -> bool:
    return bool(span.parent and other.context and span.parent.span_id == other.context.span_id)


def debated() -> Diary:
    answer = Called(
        key=FIRST.key,
        call="answer",
        text=SECRET,
        model="openai:gpt-x",
        served="gpt-x-1",
        usage=USED,
        seconds=2.5,
        finish="stop",
    )
    looked = Called(key=FIRST.key, call="tool-1", text=SECRET, model="tool:search", seconds=0.5)
    return table().add(
        Asked(ask=FIRST),
        Asked(ask=SECOND),
        Attempted(key=FIRST.key, call="answer", n=1, model="openai:gpt-x"),
        Erred(key=FIRST.key, call="answer", n=1, kind="timeout", reason=SECRET),
        Attempted(key=FIRST.key, call="answer", n=2, model="openai:gpt-x"),
        answer,
        Attempted(key=FIRST.key, call="tool-1", n=1, model="tool:search"),
        looked,
        Replied(key=FIRST.key, reply=Reply(text=SECRET)),
        Failed(key=SECOND.key, kind="refused", reason=SECRET),
        Interjected(by="Owner", text=SECRET),
        Ruled(decision=Decision(status="decided", rule="majority", share=0.75, text=SECRET)),
        Closed(status="decided", reason=SECRET),
    )


def test_a_debate_is_a_trace_by_the_conventions() -> None:
    sink = Sink().take(debated().entries)
    root, agent = sink.span("invoke_workflow arena"), sink.span("invoke_agent Ann")
    tries = [span for span in sink.spans.get_finished_spans() if span.name == "chat gpt-x"]
    assert root.attributes is not None
    assert root.attributes["gen_ai.conversation.id"] == "d-1"
    assert root.attributes["folkmoot.status"] == "decided"
    assert (root.start_time, root.end_time) == (int(BEGAN * 1e9), int((BEGAN + 13) * 1e9))
    assert [event.name for event in root.events] == ["folkmoot.interjected", "folkmoot.ruled"]
    assert below(agent, root)
    assert [span.attributes.get("error.type") for span in tries if span.attributes] == ["timeout", None]
    done = tries[1].attributes
    assert done is not None
    assert done["gen_ai.provider.name"] == "openai"
    assert done["gen_ai.response.model"] == "gpt-x-1"
    assert (done["gen_ai.usage.input_tokens"], done["gen_ai.usage.output_tokens"]) == (120, 30)
    assert done["gen_ai.response.finish_reasons"] == ("stop",)
    assert below(tries[1], agent)
    tool = sink.span("execute_tool search").attributes
    assert tool is not None
    assert tool["gen_ai.tool.name"] == "search"
    failed = sink.span("invoke_agent Ben")
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "refused"
    assert not failed.status.is_ok


def test_tokens_and_times_are_counted() -> None:
    sink = Sink().take(debated().entries)
    tokens = {str(labels["gen_ai.token.type"]): count for labels, count in sink.numbers("gen_ai.client.token.usage")}
    assert tokens == {"input": 120, "output": 30}
    seconds = {
        str(values["gen_ai.operation.name"]): n for values, n in sink.numbers("gen_ai.client.operation.duration")
    }
    assert seconds == {"chat": 2.5, "execute_tool": 0.5}
    assert sink.numbers("folkmoot.debates") == [({"folkmoot.status": "decided"}, 1)]


def test_nothing_that_was_said_is_in_a_trace_or_a_number() -> None:
    sink = Sink().take(debated().entries)
    text = "".join(span.to_json() for span in sink.spans.get_finished_spans())
    metrics_data = sink.reader.get_metrics_data()
    assert metrics_data is not None
    assert SECRET not in text + metrics_data.to_json()


def test_a_pause_ends_the_trace_and_what_comes_then_has_one_of_its_own() -> None:
    diary = table().add(Asked(ask=FIRST), Attempted(key=FIRST.key, call="answer", n=1, model="x:y"))
    diary.add(Paused(reason="stop"), Resumed(), Called(key=FIRST.key, call="answer", text="", model="x:y"))
    diary.add(Replied(key=FIRST.key, reply=Reply(text="")), Failed(key=SECOND.key, kind="x", reason=""))
    diary.add(Closed(status="no_decision"))
    sink = Sink().take(diary.entries)
    roots = [span for span in sink.spans.get_finished_spans() if span.name.startswith("invoke_workflow")]
    assert [dict(span.attributes or {})["folkmoot.status"] for span in roots] == ["paused: stopped", "no_decision"]
    assert sink.span("chat y").attributes is not None
    assert dict(sink.span("chat y").attributes or {})["folkmoot.open"] is True


def test_instruments_may_be_asked_for_again(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        Sink().take(debated().entries).take(debated().entries)
    assert not caplog.records


def test_without_an_sdk_nothing_is_made_of_it() -> None:
    quiet = TelemetryWatcher().make("d-1")
    for entry in debated().entries:
        quiet.take(entry)


def test_who_wants_it_says_so_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert not wants_telemetry()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    assert wants_telemetry()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not wants_telemetry()


class Collector(BaseHTTPRequestHandler):
    """Takes what is sent by OTLP over HTTP."""

    got: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        self.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


SENDING = """
from folkmoot.app.export.telemetry import TelemetryWatcher, start
from opentelemetry import metrics, trace
from tests.app.export.test_telemetry import debated
start()
taken = TelemetryWatcher().make("d-1")
for entry in debated().entries:
    taken.take(entry)
trace.get_tracer_provider().shutdown()
metrics.get_meter_provider().shutdown()
"""


@contextmanager
def collecting() -> Generator[tuple[str, Sequence[tuple[str, bytes]]]]:
    """A collector's address, and what it got."""
    handler = type("Handler", (Collector,), {"got": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.system
def test_a_real_collector_gets_both() -> None:
    with collecting() as (address, got):
        values = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": address, "PYTHONPATH": os.pathsep.join(sys.path)}
        run([sys.executable, "-c", SENDING], env=values, check=True, timeout=120)
    assert sorted({path for path, _ in got}) == ["/v1/metrics", "/v1/traces"]


def hold(folder: Path, address: str) -> str:
    """Hold a debate as somebody at a terminal does; what was said on the error output."""
    command = [sys.executable, "-m", "folkmoot", "run", str(EXAMPLES / "canteen.md"), "-m", "builtin:quotes", "--quiet"]
    path = os.pathsep.join(sys.path)
    values = {**os.environ, **settle(folder), "OTEL_EXPORTER_OTLP_ENDPOINT": address, "PYTHONPATH": path}
    values["OTEL_EXPORTER_OTLP_TIMEOUT"] = "1"
    values["OTEL_EXPORTER_OTLP_HEADERS"] = f"authorization={CANARY}"
    return run(command, env=values, cwd=folder, check=True, timeout=120, capture_output=True, text=True).stderr


@pytest.mark.system
def test_a_debate_that_is_run_sends_its_trace_where_the_environment_wants_it(tmp_path: Path) -> None:
    with collecting() as (address, got):
        text = hold(tmp_path, address)
    traces = b"".join(body for path, body in got if path == "/v1/traces")
    for number in (b"invoke_workflow", b"invoke_agent", b"folkmoot.status", b"no_decision"):
        assert number in traces
    assert CANARY.encode() not in traces
    assert CANARY not in text


@pytest.mark.system
def test_a_collector_that_is_dead_costs_no_debate(tmp_path: Path) -> None:
    assert CANARY not in hold(tmp_path, "http://127.0.0.1:9")


class Broken(TelemetryWatcher):
    """Its SDK fails."""

    def make(self, debate: str) -> Telemetry:
        raise RuntimeError(CANARY)


def test_a_fault_in_an_exporter_ends_its_own_work_alone(caplog: pytest.LogCaptureFixture) -> None:
    broken = Broken()
    broken.take("d-1", debated().entries)
    broken.take("d-1", debated().entries)
    assert [record.getMessage() for record in caplog.records] == ["d-1 is no longer observed: RuntimeError"]
    broken.end("d-1")
    assert not broken.observed
