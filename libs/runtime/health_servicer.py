"""The health of services as gRPC's own protocol tells it: one entry per service, and "" for all of them.

The servicer that comes with gRPC holds a lock while it writes to a watcher: one that reads nothing would keep
the server from changing its health, and from draining.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime.errors import Refused

Response = health_pb2.HealthCheckResponse
Context = grpc.aio.ServicerContext[Any, Any]


class Health(health_pb2_grpc.HealthServicer):
    """What is serving; nothing until told."""

    def __init__(self) -> None:
        self._serving = {"": False}
        self._changed = asyncio.Event()
        self._leaving = False

    def tell(self, name: str, *, serving: bool) -> None:
        """Enter whether a service serves; after `leave` nobody does."""
        serving = serving and not self._leaving
        if self._serving.get(name) != serving:
            self._serving[name] = serving
            self._changed.set()
            self._changed = asyncio.Event()

    def leave(self) -> None:
        """Say from now on that nothing is serving."""
        self._leaving = True
        for name in self._serving:
            self.tell(name, serving=False)

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Context) -> Response:
        """Tell how it is now. Raises Refused NOT_FOUND."""
        if request.service not in self._serving:
            raise Refused("NOT_FOUND", "there is no service of this name")
        return Response(status=self._status(request.service))

    async def Watch(
        self, request: health_pb2.HealthCheckRequest, context: Context
    ) -> AsyncIterator[Response]:
        """Tell how it is, and again after each change; of an unknown service, that it is unknown."""
        told = None
        while True:
            changed, status = self._changed, self._status(request.service)
            if status != told:
                told = status
                yield Response(status=status)
            else:
                await changed.wait()

    def _status(self, name: str) -> Any:
        if name not in self._serving:
            return Response.SERVICE_UNKNOWN
        return Response.SERVING if self._serving[name] else Response.NOT_SERVING
