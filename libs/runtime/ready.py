"""Answers that are bytes already: a handler gives them out as a message, the edge sends them as they are."""

from __future__ import annotations

from typing import TypeVar, cast

from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


def ready(kind: type[M], answer: bytes) -> M:
    """Return the serialised `answer` in place of a message: for calls of one answer, behind the edge."""
    del kind
    return cast("M", answer)
