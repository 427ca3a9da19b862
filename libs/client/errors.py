"""What a call may raise: one family, each with the machine-readable reason that the server gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo, LocalizedMessage, RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]

_DETAILS_KEY = "grpc-status-details-bin"
_NO_METADATA: Mapping[str, str] = MappingProxyType({})


class SparrowError(Exception):
    """A call that did not succeed, and why.

    `reason` is the server's ("TILE_GONE"), or the name of the status where the server named none; `metadata`
    are the facts beside it; `retry_after_ms` says when another try makes sense, where the server said so.
    `localized` is what a player is told, in the language `locale` that the client asked for, "" where the
    server did not say it; `message` is English, for developers.
    """

    def __init__(
        self,
        reason: str,
        status: grpc.StatusCode,
        message: str = "",
        metadata: Mapping[str, str] = _NO_METADATA,
        retry_after_ms: int | None = None,
        localized: str = "",
        locale: str = "",
    ) -> None:
        """Keep the parts; the text of the exception is `reason: message`."""
        super().__init__(f"{reason}: {message}" if message else reason)
        self.reason = reason
        self.status = status
        self.message = message
        self.metadata = metadata
        self.retry_after_ms = retry_after_ms
        self.localized = localized
        self.locale = locale

    @property
    def text(self) -> str:
        """What to show a person: the localized text, else what there is in its place.

        Of a field whose rule has no text of its own, the English text goes on with what the message says.
        """
        field = f"{self.metadata.get('field', '')}: "
        is_untold = self.reason == "FIELD_INVALID" and "rule" not in self.metadata
        if is_untold and self.locale.startswith("en") and self.message.startswith(field):
            return f"{self.localized.rstrip('.')}: {self.message.removeprefix(field)}."
        return self.localized or self.message or self.reason


class UnreachableError(SparrowError):
    """Nothing answered for as long as the client was allowed to try. A write may or may not have happened."""


class ConflictError(SparrowError):
    """The board moved on since the caller looked (ABORTED): look again, decide again. Nothing changed."""


class SignInError(SparrowError):
    """The server does not accept who is calling, even after signing in anew."""


class LimitError(SparrowError):
    """Too much, too often or too large: see `retry_after_ms`."""


class RefusedError(SparrowError):
    """Understood and refused: a rule, a malformed field, somebody else's match. Nothing changed."""


class ServerFaultError(SparrowError):
    """The server failed at its own task. A write may or may not have happened."""


_CLASS_OF_STATUS: Mapping[grpc.StatusCode, type[SparrowError]] = {
    grpc.StatusCode.UNAVAILABLE: UnreachableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: UnreachableError,
    grpc.StatusCode.ABORTED: ConflictError,
    grpc.StatusCode.UNAUTHENTICATED: SignInError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitError,
    grpc.StatusCode.INVALID_ARGUMENT: RefusedError,
    grpc.StatusCode.FAILED_PRECONDITION: RefusedError,
    grpc.StatusCode.NOT_FOUND: RefusedError,
    grpc.StatusCode.PERMISSION_DENIED: RefusedError,
    grpc.StatusCode.ALREADY_EXISTS: RefusedError,
    grpc.StatusCode.OUT_OF_RANGE: RefusedError,
}
_FROM_TRANSPORT = frozenset({grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED})
"""Without an ErrorInfo these are a torn connection's: Sparrow says why it fails."""


def error_of(failure: grpc.aio.AioRpcError) -> SparrowError:
    """Return the typed error for a failed call, read from its ErrorInfo, RetryInfo and LocalizedMessage."""
    told = _details(failure)
    info = told.info
    status = failure.code()
    kind = _CLASS_OF_STATUS.get(status, ServerFaultError)
    if info is None and status in _FROM_TRANSPORT:
        kind = UnreachableError
    reason = info.reason if info is not None and info.reason else status.name
    metadata = dict(info.metadata) if info is not None else _NO_METADATA
    return kind(
        reason, status, failure.details() or "", metadata, told.retry_after_ms, told.localized, told.locale
    )


@dataclass
class _Details:
    """What the trailing metadata carries beside the status."""

    info: ErrorInfo | None = None
    retry_after_ms: int | None = None
    localized: str = ""
    locale: str = ""


def _details(failure: grpc.aio.AioRpcError) -> _Details:
    told = _Details()
    for detail in _status(failure).details:
        if detail.Is(ErrorInfo.DESCRIPTOR):
            told.info = ErrorInfo()
            detail.Unpack(told.info)
        elif detail.Is(RetryInfo.DESCRIPTOR):
            retry = RetryInfo()
            detail.Unpack(retry)
            told.retry_after_ms = retry.retry_delay.ToMilliseconds()
        elif detail.Is(LocalizedMessage.DESCRIPTOR):
            localized = LocalizedMessage()
            detail.Unpack(localized)
            told.localized, told.locale = localized.message, localized.locale
    return told


def _status(failure: grpc.aio.AioRpcError) -> Status:
    """Return the rich status of a failure; an empty one where a proxy or the transport made the error."""
    status = Status()
    for key, value in failure.trailing_metadata() or ():
        if key == _DETAILS_KEY:
            try:
                status.ParseFromString(value if isinstance(value, bytes) else value.encode())
            except DecodeError:
                return Status()
    return status
