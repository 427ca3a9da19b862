"""Troubles that pass by themselves: a database, a bus or another service that is away for a moment."""

from __future__ import annotations

import asyncpg
import grpc
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from libs.bus.port import BusUnavailable
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.errors import is_unavailable

_PASSING_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed in a moment, nothing here being broken."""
    if isinstance(error, grpc.aio.AioRpcError):
        return error.code() in _PASSING_CODES
    if isinstance(error, StoreUnavailable | BusUnavailable):
        return True
    from_database = (DBAPIError, PoolTimeout, asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError)
    return isinstance(error, from_database) and is_unavailable(error)
