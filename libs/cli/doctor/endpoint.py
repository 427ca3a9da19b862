"""The gRPC endpoint: whether it answers, and what each service says of its health."""

from __future__ import annotations

import grpc
from grpc_health.v1 import health_pb2

from libs.cli.doctor.verdict import Finding
from libs.client.channel import open_channel
from libs.client.errors import error_of

SERVICES = (
    "sparrow.account.v1.AccountService",
    "sparrow.match.v1.MatchService",
    "sparrow.ledger.v1.LedgerService",
    "sparrow.solitaire.v1.SolitaireService",
    "sparrow.mcr.v1.McrService",
    "sparrow.tournament.v1.TournamentService",
)
_TIMEOUT_S = 2.0
_STATUS = health_pb2.HealthCheckResponse.ServingStatus


async def check_endpoint(endpoint: str) -> list[Finding]:
    """Ask for the health of the whole and of each service."""
    async with open_channel(endpoint) as channel:
        whole = await _ask(channel, "endpoint", "", endpoint)
        if whole.figures["status"] == "UNREACHABLE":
            return [whole]
        return [whole, *[await _ask(channel, _short(name), name, name) for name in SERVICES]]


async def _ask(channel: grpc.aio.Channel, name: str, service: str, shown: str) -> Finding:
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    try:
        reply = await check(health_pb2.HealthCheckRequest(service=service), timeout=_TIMEOUT_S)
    except grpc.aio.AioRpcError as failure:
        status = error_of(failure).reason
        if failure.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
            return Finding(
                name, ok=False, detail=f"{shown} does not answer", figures={"status": "UNREACHABLE"}
            )
        return Finding(name, ok=False, detail=f"{shown}: {status}", figures={"status": status})
    status = _STATUS.Name(reply.status)
    return Finding(name, status == "SERVING", f"{shown} is {status}", {"status": status})


def _short(service: str) -> str:
    return f"service {service.split('.')[1]}"
