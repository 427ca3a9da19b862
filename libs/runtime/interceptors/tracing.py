"""The span of a call, around everything else that is done for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from libs.runtime.interceptors.answers import code_name
from libs.runtime.interceptors.methods import Method
from libs.telemetry.traceparent import KEY

if TYPE_CHECKING:
    from libs.telemetry.traces import Tracer

Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")
Serve = Callable[[bytes, Context], Awaitable[T]]


def traced(tracer: Tracer, method: Method, serve: Serve[T]) -> Serve[T]:
    """Return `serve` within a server span below the one that the caller names in its metadata."""
    from opentelemetry.trace import SpanKind

    name = method.path.removeprefix("/")
    attributes = {"rpc.system.name": "grpc", "rpc.method": name}

    async def serve_traced(raw: bytes, context: Context) -> T:
        parent = next((value for key, value in context.invocation_metadata() or () if key == KEY), "")
        if isinstance(parent, bytes):
            parent = ""
        with tracer.span(name, SpanKind.SERVER, attributes, parent=parent) as span:
            try:
                return await serve(raw, context)
            finally:
                span.set_attribute("rpc.response.status_code", code_name(context))

    return serve_traced
