"""One trace from a player's touch to the boards: over gRPC, the log, NATS, the ledger and its own feed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib import import_module

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from prometheus_client import generate_latest
from pydantic import SecretStr

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.runtime import process
from libs.runtime.config import SERVICES, Settings
from libs.runtime.embedded.ports import free_port
from libs.runtime.health_probe import is_serving
from libs.telemetry.prometheus import PrometheusMeter
from libs.telemetry.telemetry import Telemetry
from libs.telemetry.traces import Tracer
from tests.support.edge import keys_for_tests
from tests.support.playing import clear
from tests.support.servers import NatsServer
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)

TOUCH = "sparrow.match.v1.MatchService/Touch"
CHAIN = [
    ("fold boards", SpanKind.CONSUMER),
    ("append ledger", SpanKind.INTERNAL),
    ("process sparrow.evt.match.facts", SpanKind.CONSUMER),
    ("publish sparrow.evt.match.facts", SpanKind.PRODUCER),
    ("append match", SpanKind.INTERNAL),
    (TOUCH, SpanKind.SERVER),
    ("an evening", SpanKind.INTERNAL),
]


@pytest.fixture
def own_nats() -> Iterator[NatsServer]:
    """A server without the streams of other tests."""
    server = NatsServer()
    server.start()
    yield server
    server.remove()


@asynccontextmanager
async def sparrow(
    monkeypatch: pytest.MonkeyPatch, database_url: str, nats_url: str, telemetry: Telemetry
) -> AsyncIterator[str]:
    """Run a whole process of all services that is watched by `telemetry`; give its endpoint."""
    monkeypatch.setattr(process, "open_telemetry", lambda *_: telemetry)
    settings = Settings(
        port=free_port(secrets.token_hex(4)),
        database_url=SecretStr(database_url),
        nats_url=SecretStr(nats_url),
    )
    running = process.Process(settings, keys_for_tests(), "both")
    binds = {name: import_module(f"services.{name}.servicer").bind for name in SERVICES}
    task = asyncio.create_task(running.run(binds))
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(is_serving, settings.endpoint):
            assert not task.done(), task.exception()
            await asyncio.sleep(0.1)
    try:
        yield settings.endpoint
    finally:
        running._stop.set()
        await task


def chain_of(last: ReadableSpan, spans: list[ReadableSpan]) -> list[ReadableSpan]:
    """Return a span and all above it."""
    by_id = {span.context.span_id: span for span in spans}
    chain = [last]
    while chain[-1].parent is not None and (above := by_id.get(chain[-1].parent.span_id)) is not None:
        chain.append(above)
    return chain


async def test_one_trace_leads_from_a_touch_to_the_boards(
    monkeypatch: pytest.MonkeyPatch, database_url: str, own_nats: NatsServer
) -> None:
    """The client's own span is at its top, the fold of the boards at its end, and no id of a player in it."""
    ended = InMemorySpanExporter()
    telemetry = Telemetry(PrometheusMeter(), Tracer("test", 1.0, [SimpleSpanProcessor(ended)]))
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(ended))

    def folds() -> list[ReadableSpan]:
        """Folds of what a match paid; a new player's chips are folded as well."""
        spans = list(ended.get_finished_spans())
        return [
            span
            for span in spans
            if span.name == "fold boards"
            and any("match.facts" in above.name for above in chain_of(span, spans))
        ]

    async with (
        sparrow(monkeypatch, database_url, own_nats.url, telemetry) as endpoint,
        await SparrowClient.connect(endpoint) as client,
    ):
        with provider.get_tracer("a program").start_as_current_span("an evening"):
            game = await clear(await client.start_level(2))
        with pytest.raises(RefusedError):
            await game.touch(0)
        assert game.result is not None
        await until(lambda: bool(folds()), 30)
        player = client.profile.name.removeprefix("players/")

    spans = list(ended.get_finished_spans())
    chain = chain_of(folds()[0], spans)
    assert [(span.name, span.kind) for span in chain] == CHAIN
    assert len({span.context.trace_id for span in chain}) == 1
    assert chain[2].links[0].context.span_id == chain[3].context.span_id
    assert (chain[5].attributes or {})["rpc.response.status_code"] == "OK"
    codes = {(span.attributes or {})["rpc.response.status_code"] for span in spans if span.name == TOUCH}
    assert codes == {"OK", "FAILED_PRECONDITION"}
    assert not any(player in span.to_json() for span in spans)


async def test_figures_tell_of_moves_and_loops(
    monkeypatch: pytest.MonkeyPatch, database_url: str, own_nats: NatsServer
) -> None:
    """Every promised figure is there after a game, and none names a player or a match."""
    meter = PrometheusMeter()
    async with (
        sparrow(monkeypatch, database_url, own_nats.url, Telemetry(meter)) as endpoint,
        await SparrowClient.connect(endpoint) as client,
    ):
        game = await clear(await client.start_level(2))
        with pytest.raises(RefusedError):
            await game.touch(0)
        await until(lambda: value(meter, LAST_BOARDS) is not None, 30)
        await client.queue()
        wait = 'sparrow_queue_oldest_wait_seconds{service="match"}'
        await until(lambda: (value(meter, wait) or 0) > 0, 30)
        text = generate_latest(meter.registry).decode()
        names = [client.profile.name, game.name]

    assert value_in(text, f'rpc_server_call_duration_seconds_count{{rpc_method="{TOUCH}"', "OK") >= 4
    assert value_in(text, f'rpc_server_call_duration_seconds_count{{rpc_method="{TOUCH}"', "FAILED_PRE") == 1
    assert value_in(text, 'sparrow_move_commit_seconds_count{service="match"') >= 4
    assert value_in(text, 'sparrow_appended_events_total{part="facts",service="ledger"') >= 1
    assert value_in(text, 'sparrow_projection_lag_events{projection="ledger-intake"') == 0
    assert (
        value_in(text, 'sparrow_projection_last_event_timestamp_seconds{projection="ledger-intake"') > 1.7e9
    )
    assert value_in(text, 'sparrow_leases_held{service="match"') >= 4
    assert value_in(text, "sparrow_ledger_duplicates_total") == 0
    assert value_in(text, "sparrow_event_loop_lag_seconds_count") > 0
    assert value_in(text, "sparrow_bus_connected") == 1
    for name in ("sparrow_watch_streams_open", "sparrow_sequencer_lag_events", "sparrow_relay_lag_events",
                 "sparrow_consumer_recreated_total", "sparrow_database_connections",
                 "process_resident_memory_bytes"):  # fmt: skip
        assert value_in(text, name) >= 0
    assert not any(name.partition("/")[2] in text for name in names)


LAST_BOARDS = 'sparrow_projection_last_event_timestamp_seconds{projection="boards"'


def value(meter: PrometheusMeter, start: str) -> float | None:
    """Return the first figure whose line begins so; none where there is none yet."""
    text = generate_latest(meter.registry).decode()
    return next(
        (float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(start)), None
    )


def value_in(text: str, start: str, containing: str = "") -> float:
    """Return the first figure whose line begins so."""
    return next(
        float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line.startswith(start) and containing in line
    )
