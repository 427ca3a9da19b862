"""Asks a gRPC server whether it serves; as a program, the server of the settings, for container engines."""

from __future__ import annotations

import socket
import sys


def is_serving(endpoint: str, timeout_s: float = 0.5, service: str = "") -> bool:
    """Whether the server at `host:port` says SERVING, of one service or all; an unreachable one does not."""
    if not _listens(endpoint, timeout_s):
        return False
    # Late: the foreground process asks while its children need the processor to import this themselves.
    import grpc
    from grpc_health.v1 import health_pb2

    # A pool of its own: a shared one would remember the last failure and wait before it dials again.
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(endpoint, options=options) as channel:
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            reply = check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
        except grpc.RpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def _listens(endpoint: str, timeout_s: float) -> bool:
    host, _, port = endpoint.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout_s).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    from libs.runtime.config import read_settings

    sys.exit(0 if is_serving(read_settings().endpoint, timeout_s=3.0) else 1)
