"""What a client meets at the edge of a server, whatever the service."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import grpc
import jwt
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2

from libs.pb.sparrow.solitaire.v1 import solitaire_pb2, solitaire_service_pb2
from libs.pb.sparrow.solitaire.v1.solitaire_service_pb2_grpc import SolitaireServiceStub
from libs.runtime.errors import Refused
from libs.runtime.tokens import access_token
from services.solitaire.servicer import SolitaireServicer
from services.solitaire.servicer import bind as bind_solitaire
from tests.support.edge import Edge, bearer, refused, serving
from tests.support.mcr_scoring import bind_scoring

DEAL = "/sparrow.solitaire.v1.SolitaireService/DealLevel"


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    """A server with the stateless services."""
    async with serving([bind_solitaire, bind_scoring]) as edge:
        yield edge


def deal(edge: Edge, metadata: Any = None, level: int = 1) -> Any:
    """Call a method for services and operators."""
    request = solitaire_service_pb2.DealLevelRequest(level=level)
    return SolitaireServiceStub(edge.channel).DealLevel(request, metadata=metadata)


def call_raw(edge: Edge, path: str, raw: bytes, metadata: Any = None) -> Any:
    """Call a method with bytes of the test's choice."""
    unary: Any = edge.channel.unary_unary(path)
    return unary(raw, metadata=metadata, timeout=20)


async def test_services_and_operators_may_call_what_is_theirs(edge: Edge) -> None:
    """A method for SERVICE and OPERATOR serves both."""
    assert (await deal(edge, edge.as_service())).level == 1
    assert (await deal(edge, edge.as_operator())).level == 1


async def test_a_player_may_not_call_a_method_of_services(edge: Edge) -> None:
    """The wrong kind of caller is PERMISSION_DENIED, whatever the request holds."""
    refusal = await refused(deal(edge, edge.as_player(), level=0))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "AUDIENCE")


async def test_a_call_without_token_is_unauthenticated(edge: Edge) -> None:
    """No token on a method that is not PUBLIC."""
    refusal = await refused(deal(edge))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_MISSING")


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer x", "Basic abc", "Bearer a.b.c", "Bearer " + "a" * 3_000]
)
async def test_garbage_in_place_of_a_token_is_unauthenticated(edge: Edge, header: str) -> None:
    """Whatever is no token of ours is refused, also on a PUBLIC method."""
    metadata = [("authorization", header)]
    request = solitaire_service_pb2.ListLayoutsRequest()

    for call in (
        deal(edge, metadata),
        SolitaireServiceStub(edge.channel).ListLayouts(request, metadata=metadata),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")


async def test_a_token_expires_to_the_second(edge: Edge) -> None:
    """A service token is refused 60 s after it was made, though it was accepted (and cached) before."""
    metadata = edge.as_service()
    await deal(edge, metadata)
    edge.clock.advance(timedelta(seconds=60))

    refusal = await refused(deal(edge, metadata))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")


async def test_unsigned_and_borrowed_signatures_are_refused(edge: Edge) -> None:
    """alg=none, a symmetric algorithm, and a player's key under the service's key id all fail."""
    now = int(edge.clock.now().timestamp())
    claims = {"iss": "service", "aud": "sparrow", "sub": "match", "iat": now, "exp": now + 60}
    kid, _ = edge.keys.private["service"]
    _, account_key = edge.keys.private["account"]

    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    unsigned = f"{part({'alg': 'none', 'kid': kid})}.{part(claims)}."
    symmetric = jwt.encode(claims, "a secret of thirty-two characters", "HS256", headers={"kid": kid})
    borrowed = jwt.encode(claims, account_key, "EdDSA", headers={"kid": kid})
    for token in (unsigned, symmetric, borrowed):
        refusal = await refused(deal(edge, bearer(token)))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID")


async def test_a_key_signs_for_its_own_kind_only(edge: Edge) -> None:
    """A token of the account key that calls itself a service's is refused."""
    now = int(edge.clock.now().timestamp())
    kid, key = edge.keys.private["account"]
    claims = {"iss": "service", "aud": "sparrow", "sub": "match", "iat": now, "exp": now + 60}

    refusal = await refused(deal(edge, bearer(jwt.encode(claims, key, "EdDSA", headers={"kid": kid}))))

    assert refusal.reason == "TOKEN_INVALID"


async def test_a_revoked_session_is_refused_before_its_token_expires(edge: Edge) -> None:
    """A player's token counts for nothing once its session was revoked; other sessions go on."""
    session, account = uuid4(), uuid4()
    token, _ = access_token(edge.keys, account, session, edge.clock.now())
    list_layouts = SolitaireServiceStub(edge.channel).ListLayouts
    edge.runtime.revocations.revoke([session], edge.clock.now())

    refusal = await refused(list_layouts(solitaire_service_pb2.ListLayoutsRequest(), metadata=bearer(token)))
    await list_layouts(solitaire_service_pb2.ListLayoutsRequest(), metadata=edge.as_player(account))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "SESSION_REVOKED")


async def test_malformed_bytes_are_an_invalid_argument(edge: Edge) -> None:
    """Bytes that are no message are the client's fault; gRPC by itself would call them INTERNAL."""
    for raw in (b"\xff\xff\xff", b"\x0a\xff", b"\x08"):
        refusal = await refused(call_raw(edge, DEAL, raw, edge.as_service()))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_MALFORMED")


async def test_text_that_is_not_utf8_is_an_invalid_argument(edge: Edge) -> None:
    """Text fields hold UTF-8."""
    refusal = await refused(
        call_raw(edge, "/sparrow.solitaire.v1.SolitaireService/GetLayout", b"\x0a\x02\xc3\x28")
    )

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_MALFORMED")


async def test_text_with_a_nul_names_its_field(edge: Edge) -> None:
    """PostgreSQL stores no NUL, so none comes in."""
    request = solitaire_service_pb2.GetLayoutRequest(name="layouts/a\0b")

    refusal = await refused(SolitaireServiceStub(edge.channel).GetLayout(request))

    assert (refusal.code, refusal.reason, refusal.field) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "FIELD_INVALID",
        "name",
    )


async def test_an_empty_message_names_the_first_missing_field(edge: Edge) -> None:
    """REQUIRED fields are checked before any handler runs."""
    path = "/sparrow.solitaire.v1.SolitaireService/"
    for method, field in (("GetLayout", "name"), ("SolvePosition", "layout"), ("DealLevel", "level")):
        refusal = await refused(call_raw(edge, path + method, b"", edge.as_service()))
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, field)


@pytest.mark.parametrize("matching", [99, -1])
async def test_unknown_enum_values_are_refused_with_their_path(edge: Edge, matching: int) -> None:
    """A number that the enum does not hold is no silent default."""
    request = solitaire_service_pb2.SolvePositionRequest(
        layout=solitaire_pb2.Layout(name="x"),
        faces=["1m"],
        present=[0],
        rules=solitaire_pb2.Rules(matching=matching, pairing=solitaire_pb2.PAIRING_LIFT),  # type: ignore[arg-type]
    )

    refusal = await refused(
        SolitaireServiceStub(edge.channel).SolvePosition(request, metadata=edge.as_service())
    )

    assert (refusal.reason, refusal.field) == ("FIELD_INVALID", "rules.matching")


@pytest.mark.parametrize("size", [300_000, 600_000, 10_000_000])
@pytest.mark.parametrize("packing", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
async def test_too_large_messages_are_refused_and_the_server_lives(
    edge: Edge, size: int, packing: grpc.Compression
) -> None:
    """Up to 10 MB and more are refused with an ErrorInfo, packed or not; small calls go on."""
    unary: Any = edge.channel.unary_unary(DEAL)

    refusal = await refused(unary(b"a" * size, metadata=edge.as_service(), compression=packing, timeout=20))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
    assert (await deal(edge, edge.as_service())).level == 1


async def test_a_packed_message_is_not_unpacked_without_end(edge: Edge) -> None:
    """A hundred megabytes that fit into a hundred kilobytes are refused by gRPC itself."""
    unary: Any = edge.channel.unary_unary(DEAL)

    with pytest.raises(grpc.aio.AioRpcError) as unread:
        await unary(
            bytes(100_000_000), metadata=edge.as_service(), compression=grpc.Compression.Gzip, timeout=20
        )

    assert unread.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await deal(edge, edge.as_service())).level == 1


@pytest.mark.parametrize("path", ["/sparrow.solitaire.v1.SolitaireService/Nothing", "/no.such.Service/Call"])
async def test_an_unknown_method_is_unimplemented(edge: Edge, path: str) -> None:
    """Whatever is not there says so, in our own terms."""
    refusal = await refused(call_raw(edge, path, b""))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNIMPLEMENTED, "METHOD_UNKNOWN")


async def test_what_we_got_wrong_tells_nothing(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of ours is INTERNAL with an ErrorInfo, and its text stays inside."""

    async def break_down(*_: Any) -> None:
        raise RuntimeError("the secret is swordfish")

    monkeypatch.setattr(asyncio, "to_thread", break_down)
    refusal = await refused(deal(edge, edge.as_service()))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "swordfish" not in refusal.message


async def test_a_handler_that_was_cancelled_from_inside_still_answers(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancellation that the client did not ask for ends in UNAVAILABLE, not in silence."""

    async def cancel(*_: Any) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(asyncio, "to_thread", cancel)
    refusal = await refused(deal(edge, edge.as_service()))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_READY")


async def test_health_has_one_entry_per_service_and_one_for_all(edge: Edge) -> None:
    """Each service and "" are SERVING; an unknown name is NOT_FOUND."""
    stub = health_pb2_grpc.HealthStub(edge.channel)

    for name in ("", "sparrow.solitaire.v1.SolitaireService", "sparrow.mcr.v1.McrService"):
        reply = await stub.Check(health_pb2.HealthCheckRequest(service=name))  # type: ignore[attr-defined]
        assert reply.status == health_pb2.HealthCheckResponse.SERVING
    refusal = await refused(stub.Check(health_pb2.HealthCheckRequest(service="nobody")))  # type: ignore[attr-defined]
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")


async def test_health_can_be_watched_through_the_drain(edge: Edge) -> None:
    """A watcher hears SERVING at once, and NOT_SERVING as soon as the server is told to stop."""
    stub = health_pb2_grpc.HealthStub(edge.channel)
    watch: Any = stub.Watch(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]

    first = await watch.read()
    draining = asyncio.create_task(edge.server.drain())
    second = await watch.read()
    await draining

    assert first.status == health_pb2.HealthCheckResponse.SERVING
    assert second.status == health_pb2.HealthCheckResponse.NOT_SERVING


async def test_reflection_lists_the_services_and_survives_nonsense(edge: Edge) -> None:
    """It answers several questions on one stream; bytes that are no question are the client's fault."""
    ask: Any = edge.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
    question = reflection_pb2.ServerReflectionRequest(list_services="*").SerializeToString()

    answers = [
        reflection_pb2.ServerReflectionResponse.FromString(raw) async for raw in ask(iter([question] * 2))
    ]
    refusal = await refused(ask(iter([b"\xff\xff"])).read())

    for answer in answers:
        names = {service.name for service in answer.list_services_response.service}
        assert {"sparrow.mcr.v1.McrService", "grpc.health.v1.Health"} <= names
    assert len(answers) == 2
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MESSAGE_MALFORMED")


async def test_draining_finishes_what_runs_and_refuses_what_is_new(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New calls get DRAINING with RetryInfo; what runs, and what services ask to finish it, is answered."""
    has_come, going_on = asyncio.Event(), asyncio.Event()
    original = SolitaireServicer.DealLevel

    async def slow(self: SolitaireServicer, request: Any, context: Any) -> Any:
        has_come.set()
        await going_on.wait()
        return await original(self, request, context)

    stub = health_pb2_grpc.HealthStub(edge.channel)
    async with serving([_binding(slow, monkeypatch)]) as slow_edge:
        stub = health_pb2_grpc.HealthStub(slow_edge.channel)
        running = asyncio.ensure_future(_await(deal(slow_edge, slow_edge.as_service())))
        await has_come.wait()
        draining = asyncio.create_task(slow_edge.server.drain())
        await asyncio.sleep(0.1)
        refusal = await refused(deal(slow_edge, slow_edge.as_operator()))
        inner = asyncio.ensure_future(_await(deal(slow_edge, slow_edge.as_service())))
        health = await stub.Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
        going_on.set()

        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert refusal.retry_after_ms is not None
        assert health.status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert (await running).level == (await inner).level == 1
        await draining


async def test_a_call_that_outlives_the_grace_gets_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopping does not wait for it, and nobody is left without an answer."""
    has_come = asyncio.Event()

    async def endless(self: SolitaireServicer, request: Any, context: Any) -> Any:
        has_come.set()
        await asyncio.sleep(3_600)

    async with serving([_binding(endless, monkeypatch)], drain_grace_ms=300) as edge:
        running = asyncio.ensure_future(_await(deal(edge, edge.as_service())))
        await has_come.wait()
        await asyncio.wait_for(edge.server.drain(), 30)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await running
    assert ended.value.code() == grpc.StatusCode.UNAVAILABLE


async def test_refusals_carry_what_the_table_says(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Metadata, field and retry time of a Refused reach the client."""

    async def refuse(*_: Any) -> None:
        raise Refused("TOUCH_LIMIT", "slow down", {"limit": "5"}, retry_after_ms=250)

    monkeypatch.setattr(asyncio, "to_thread", refuse)
    refusal = await refused(deal(edge, edge.as_service()))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOUCH_LIMIT")
    assert (refusal.metadata, refusal.retry_after_ms) == ({"limit": "5"}, 250)


def _binding(method: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(SolitaireServicer, "DealLevel", method)
    return bind_solitaire


async def _await(call: Any) -> Any:
    return await call
