"""The one interceptor: it strings the stages together and sees to it that every call ends with a status.

Requests arrive here as raw bytes, so that malformed messages are answered by us (gRPC alone would call them
an internal error).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar

import grpc
import structlog
from google.protobuf.message import Message

from libs.runtime.call import DEADLINE, METHOD
from libs.runtime.caller import CALLER, Caller
from libs.runtime.errors import Refused
from libs.runtime.interceptors.answers import abort_with, code_name, internal_status, status_of
from libs.runtime.interceptors.authentication import Authenticator
from libs.runtime.interceptors.limits import StreamLimits
from libs.runtime.interceptors.methods import Method, method_of
from libs.runtime.interceptors.tracing import Serve, traced
from libs.runtime.interceptors.traffic import RETRY_AFTER_MS, Traffic
from libs.runtime.interceptors.validation import check_request, parse_request
from libs.runtime.languages.endings import LANGUAGE, ending_texts
from libs.runtime.languages.negotiation import Language, language_of
from libs.runtime.languages.reasons import INTERNAL_REASON, reason_texts
from libs.runtime.passing import is_passing
from libs.telemetry.telemetry import UNWATCHED, Telemetry

Handler = Any
"""grpc.RpcMethodHandler: its fields are a callable per shape and two (de)serialisers."""
Context = grpc.aio.ServicerContext[Any, Any]
T = TypeVar("T")

INFRASTRUCTURE_STREAMS_MAX = 256
"""Anybody may watch health and ask reflection; counted apart, so that the room of players stays theirs."""

log = structlog.get_logger()


class Edge(grpc.aio.ServerInterceptor):
    """Wraps every handler of a server."""

    def __init__(
        self,
        authenticator: Authenticator,
        limits: StreamLimits,
        traffic: Traffic,
        message_bytes_max: int,
        write_timeout_s: float,
        telemetry: Telemetry = UNWATCHED,
        default_language: Language = "en",
    ) -> None:
        reason_texts()  # read before the first refusal waits for them
        ending_texts()
        self._default_language = default_language
        self._authenticator = authenticator
        self._limits = limits
        self._infrastructure_limits = StreamLimits(INFRASTRUCTURE_STREAMS_MAX, INFRASTRUCTURE_STREAMS_MAX)
        self._traffic = traffic
        self._message_bytes_max = message_bytes_max
        self._write_timeout_s = write_timeout_s
        self._tracer = telemetry.tracer
        self._wrapped: dict[str, Handler] = {}  # by path, of the methods there are
        about = "Streams that players and services hold open."
        telemetry.meter.read("sparrow_watch_streams_open", about, lambda: [({}, limits.open_count)])

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Return the wrapped handler; for an unknown method one that says so."""
        path = handler_call_details.method or ""
        wrapped = self._wrapped.get(path)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                return grpc.stream_stream_rpc_method_handler(self._refuse_unknown_method)
            wrapped = self._wrapped[path] = self._wrap(path, handler)
        return wrapped

    def _wrap(self, path: str, handler: Handler) -> Handler:
        """Return the handler behind the stages; a server's methods stay the same while it runs."""
        method = method_of(path)
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(self._traced(method, self._unary(method, handler)))
        if handler.unary_stream is not None:
            return grpc.unary_stream_rpc_method_handler(
                self._traced(method, self._stream(method, handler)),
                response_serializer=handler.response_serializer,
            )
        assert method.infrastructure, f"{path}: streams of requests are no part of our contracts"
        return grpc.stream_stream_rpc_method_handler(
            self._conversation(method, handler), response_serializer=handler.response_serializer
        )

    def _traced(self, method: Method, serve: Serve[T]) -> Serve[T]:
        """Return `serve` in its span, or the very same where nothing is traced."""
        if self._tracer is None or method.infrastructure:
            return serve
        return traced(self._tracer, method, serve)

    def _unary(self, method: Method, handler: Handler) -> Callable[[bytes, Context], Awaitable[bytes]]:
        async def serve(raw: bytes, context: Context) -> bytes:
            with self._traffic.watch(method) as ended:
                try:
                    self._admit(method, context)
                    reply: Message | bytes = await handler.unary_unary(
                        self._parse(method, handler, raw), context
                    )
                    if isinstance(reply, bytes):  # see `libs.runtime.ready`
                        return reply
                    return bytes(handler.response_serializer(reply))
                except BaseException as error:
                    await self._answer(error, context, ended.by)
                    raise

        return serve

    def _stream(self, method: Method, handler: Handler) -> Callable[[bytes, Context], Awaitable[None]]:
        async def serve(raw: bytes, context: Context) -> None:
            def begin() -> Any:
                return handler.unary_stream(self._parse(method, handler, raw), context)

            await self._reply(method, context, begin)

        return serve

    def _conversation(
        self, method: Method, handler: Handler
    ) -> Callable[[AsyncIterator[bytes], Context], Awaitable[None]]:
        async def serve(raws: AsyncIterator[bytes], context: Context) -> None:
            def begin() -> Any:
                requests = (self._parse(method, handler, raw) async for raw in raws)
                return handler.stream_stream(requests, context)

            await self._reply(method, context, begin)

        return serve

    async def _reply(self, method: Method, context: Context, begin: Callable[[], Any]) -> None:
        """Send the replies that `begin` opens, one by one."""
        with self._traffic.watch(method) as ended:
            try:
                caller = self._admit(method, context)
                limits = self._infrastructure_limits if method.infrastructure else self._limits
                with limits.hold(caller):
                    async with aclosing(begin()) as replies:
                        async for reply in replies:
                            await self._write(context, reply)
            except BaseException as error:
                await self._answer(error, context, ended.by)
                if not _is_gone(error, context):
                    raise

    async def _write(self, context: Context, reply: Message) -> None:
        """Send one message of a stream. Raises Refused SLOW_READER when the client does not take it."""
        try:
            async with asyncio.timeout(self._write_timeout_s):
                await context.write(reply)
        except TimeoutError:
            raise Refused(
                "SLOW_READER", "messages are not read: resume when ready", retry_after_ms=0
            ) from None

    def _admit(self, method: Method, context: Context) -> Caller:
        """Return the caller of a call that may go on. Raises Refused."""
        METHOD.set(method.path)
        LANGUAGE.set(self._language(context))
        remaining_s = context.time_remaining()
        DEADLINE.set(None if remaining_s is None else asyncio.get_running_loop().time() + remaining_s)
        caller = self._authenticator.caller(method.path, context.invocation_metadata())
        CALLER.set(caller)
        if not method.infrastructure:
            self._traffic.check_admission(caller)
        method.check_audience(caller)
        return caller

    def _parse(self, method: Method, handler: Handler, raw: bytes) -> Message:
        """Return the request. Raises Refused for what no handler should see."""
        request = parse_request(handler.request_deserializer, raw, self._message_bytes_max)
        if not method.infrastructure:
            check_request(request)
        return request

    async def _answer(
        self, error: BaseException, context: Context, ended_by: Callable[[str, str], None]
    ) -> None:
        """End the call by what went wrong; return when the caller is gone or the answer was given already."""
        match error:
            case grpc.aio.AbortError():
                ended_by(code_name(context), "")
            case Refused():
                ended_by(error.status.name, error.reason)
                await self._refuse(context, error)
            case _ if _is_gone(error, context):
                ended_by("CANCELLED", "")
            case asyncio.CancelledError():
                reason = "DRAINING" if self._traffic.draining else "NOT_READY"
                ended_by("UNAVAILABLE", reason)
                await self._refuse(context, _call_again(reason, "ended by the server: call again"))
            case _ if is_passing(error):
                ended_by("UNAVAILABLE", "NOT_READY")
                text = f"{type(error).__name__}: {error}"[:300]
                log.warning("rpc.not_ready", method=METHOD.get(""), error=text)
                await self._refuse(context, _call_again("NOT_READY", "not just now: call again"))
            case _:
                ended_by("INTERNAL", INTERNAL_REASON)
                log.error("rpc.failed", method=METHOD.get(""), exc_info=error)
                await abort_with(context, internal_status(self._language(context)))

    async def _refuse(self, context: Context, refused: Refused) -> None:
        await abort_with(context, status_of(refused, self._language(context)))

    def _language(self, context: Context) -> Language:
        return language_of(context.invocation_metadata(), self._default_language)

    async def _refuse_unknown_method(self, _requests: AsyncIterator[bytes], context: Context) -> None:
        await self._refuse(context, Refused("METHOD_UNKNOWN", "there is no such method"))


def _is_gone(error: BaseException, context: Context) -> bool:
    """Whether nobody waits for the answer any more: the call was cancelled, or a write failed."""
    if isinstance(error, grpc.aio.InternalError):  # of a write; it comes before the news of the cancellation
        return True
    return isinstance(error, asyncio.CancelledError) and (context.done() or context.cancelled())


def _call_again(reason: str, message: str) -> Refused:
    return Refused(reason, message, retry_after_ms=RETRY_AFTER_MS)
