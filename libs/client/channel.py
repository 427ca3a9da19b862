"""One gRPC channel to Sparrow: how fast it notices a dead connection, and how soon it dials again."""

from __future__ import annotations

import asyncio

import grpc

from libs.client.errors import UnreachableError

KEEPALIVE_MS = 30_000
"""Servers allow no ping more often than every 20 s."""
_OPTIONS: tuple[tuple[str, int | str], ...] = (
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.http2.max_pings_without_data", 0),
    # A server that was killed is back within seconds: dial often, so that the next retry succeeds.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # Retries are ours (see calls): gRPC's own would hide how often they happened.
    ("grpc.enable_retries", 0),
    ("grpc.primary_user_agent", "sparrow-python"),
)


async def require_answer(target: str, within_s: float = 1.5) -> None:
    """Return once something at `host:port` speaks gRPC; raise UnreachableError when nothing does in time."""
    async with open_channel(target) as channel:
        try:
            await asyncio.wait_for(channel.channel_ready(), within_s)
        except TimeoutError:
            raise UnreachableError("NO_ANSWER", grpc.StatusCode.UNAVAILABLE, target) from None


def open_channel(
    target: str, tls: grpc.ChannelCredentials | None = None, *, own_connection: bool = False
) -> grpc.aio.Channel:
    """Return a channel to `host:port`; dialled by the first call. Without `tls` it is plain text.

    Channels of one process to one target share a connection, unless they are to have their own.
    """
    options = list(_OPTIONS)
    if own_connection:
        options.append(("grpc.use_local_subchannel_pool", 1))
    if tls is not None:
        return grpc.aio.secure_channel(target, tls, options=options)
    return grpc.aio.insecure_channel(target, options=options)
