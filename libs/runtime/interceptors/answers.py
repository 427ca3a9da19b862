"""Refusals and failures as a gRPC status with exactly one ErrorInfo."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc import (  # type: ignore[import-untyped]
    code_pb2,
    error_details_pb2,
    status_pb2,
)
from grpc_status import rpc_status

from libs.runtime.errors import DOMAIN, Refused
from libs.runtime.languages.negotiation import Language
from libs.runtime.languages.reasons import INTERNAL_REASON, reason_text

_NAMES: dict[int, str] = {code.value[0]: code.name for code in grpc.StatusCode}


def status_of(refused: Refused, language: Language) -> status_pb2.Status:
    """Return the refusal as a status: ErrorInfo, a text for the player; where given BadRequest, RetryInfo.

    The message of the status, and the descriptions in BadRequest, are English for developers.
    """
    details: list[Message] = [_error_info(refused.reason, dict(refused.metadata))]
    if refused.field_path is not None:
        violation = error_details_pb2.BadRequest.FieldViolation(
            field=refused.field_path, description=refused.message
        )
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    if refused.retry_after_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(refused.retry_after_ms)
        details.append(retry)
    text = reason_text(refused.reason, language, refused.metadata, refused.retry_after_ms)
    details += _localized(text, language)
    return _status(refused.status, refused.message, details)


def internal_status(language: Language) -> status_pb2.Status:
    """Return the status of whatever we got wrong: it tells nothing about it."""
    message = "something went wrong on our side"
    localized = _localized(reason_text(INTERNAL_REASON, language), language)
    return _status(grpc.StatusCode.INTERNAL, message, [_error_info(INTERNAL_REASON, {}), *localized])


def code_name(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """Return the code that a call has ended with, "OK" unless another was set: gRPC keeps it as a number."""
    code: Any = context.code()
    if isinstance(code, grpc.StatusCode):
        return code.name
    return _NAMES.get(code or 0, "UNKNOWN")


async def abort_with(context: grpc.aio.ServicerContext[Any, Any], status: status_pb2.Status) -> NoReturn:
    """End the call with this status."""
    final = rpc_status.to_status(status)
    await context.abort(final.code, final.details or "", tuple(final.trailing_metadata or ()))
    raise AssertionError("abort does not return")


def _error_info(reason: str, metadata: dict[str, str]) -> Message:
    info: Message = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)
    return info


def _localized(text: str, language: Language) -> list[Message]:
    return [error_details_pb2.LocalizedMessage(locale=language, message=text)] if text else []


def _status(code: grpc.StatusCode, message: str, details: list[Message]) -> status_pb2.Status:
    packed = []
    for detail in details:
        anything = AnyMessage()
        anything.Pack(detail)
        packed.append(anything)
    number = code_pb2.Code.Value(code.name)
    return status_pb2.Status(code=number, message=message, details=packed)
