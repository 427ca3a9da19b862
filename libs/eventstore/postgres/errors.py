"""What PostgreSQL and its drivers raise, sorted: a conflict, an unreachable database, or our own mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import asyncpg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from libs.eventstore.port import StoreUnavailable

HEAD_ELSEWHERE = "SP001"  # raised by the SQL function `append`
# Two transactions that locked crosswise, or a serialisation failure: the loser may simply try again.
LOST_RACES = frozenset({"40P01", "40001"})

_UNAVAILABLE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shut down, crashed, terminated, cannot connect now
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    # What asyncpg says of a connection that the server has ended and whose socket is not closed yet.
    asyncpg.InternalClientError,
)


def driver_error(error: BaseException) -> BaseException:
    """Return asyncpg's own error from below SQLAlchemy's, or the error itself."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig
    return error


def conflict_stream(error: BaseException, first_stream: UUID) -> UUID | None:
    """Return the stream that an append lost, or None when the error is something else."""
    cause = driver_error(error)
    if not isinstance(cause, asyncpg.PostgresError):
        return None
    if cause.sqlstate == HEAD_ELSEWHERE:
        return UUID(cause.detail)
    return first_stream if cause.sqlstate in LOST_RACES else None


@contextmanager
def unavailable_is_told(*, but_not: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Turn whatever means "the database does not answer now" into `StoreUnavailable`."""
    try:
        yield
    except Exception as error:
        if is_unavailable(error) and not isinstance(error, but_not):
            raise StoreUnavailable(str(error)) from error
        raise


def is_unavailable(error: BaseException) -> bool:
    """Whether the database could not be reached or cut the connection."""
    cause = driver_error(error)
    if isinstance(cause, asyncpg.InterfaceError):  # the driver's word for a connection that went away
        return "connection" in str(cause) and ("closed" in str(cause) or "lost" in str(cause))
    invalidated = isinstance(error, DBAPIError) and error.connection_invalidated
    return invalidated or isinstance(cause, (*_UNAVAILABLE, PoolTimeout))
