"""Rows of accounts: profiles, devices, sessions. Everything personal is here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.store import Pool
from services.account.domain.display_names import DisplayName
from services.account.domain.profiles import Profile
from services.account.domain.sessions import Opened, Session

SESSION_COLUMNS = "session_id, account_id, generation, refreshed_by, expires_at, revoked_at"
REVOKED_MAX = 100_000
"""Sessions named as lately revoked at most, the latest first."""


async def find_device(connection: AsyncConnection, key_sha256: bytes) -> UUID | None:
    """Return the account of a device."""
    query = text("SELECT account_id FROM device WHERE key_sha256 = :key")
    account_id: UUID | None = (await connection.execute(query, {"key": key_sha256})).scalar()
    return account_id


async def insert_profile(
    connection: AsyncConnection, account_id: UUID, name: DisplayName, created_at: datetime
) -> Profile | None:
    """Enter a profile; None when its name, or one that looks like it, is taken."""
    query = text(
        "INSERT INTO profile (account_id, display_name, name_key, created_at)"
        " VALUES (:account_id, :name, :key, :at) ON CONFLICT (name_key) DO NOTHING RETURNING account_id"
    )
    values = {"account_id": account_id, "name": name.text, "key": name.key, "at": created_at}
    inserted = (await connection.execute(query, values)).scalar()
    return None if inserted is None else Profile(account_id, name.text, created_at)


async def insert_device(
    connection: AsyncConnection, key_sha256: bytes, account_id: UUID, at: datetime
) -> None:
    """Enter a device of an account."""
    query = text("INSERT INTO device (key_sha256, account_id, created_at) VALUES (:key, :account_id, :at)")
    await connection.execute(query, {"key": key_sha256, "account_id": account_id, "at": at})


async def find_profiles(connection: AsyncConnection, account_ids: Sequence[UUID]) -> dict[UUID, Profile]:
    """Return the profiles that exist, by account."""
    query = text("SELECT account_id, display_name, created_at FROM profile WHERE account_id = ANY(:ids)")
    rows = await connection.execute(query, {"ids": list(account_ids)})
    return {row.account_id: Profile(row.account_id, row.display_name, row.created_at) for row in rows}


async def rename(connection: AsyncConnection, account_id: UUID, name: DisplayName) -> bool:
    """Give a profile another name; False when it is taken, and then the transaction is to be rolled back."""
    query = text(
        "UPDATE profile SET display_name = :name, name_key = :key WHERE account_id = :account_id"
        " AND NOT EXISTS (SELECT FROM profile WHERE name_key = :key AND account_id <> :account_id)"
    )
    values = {"account_id": account_id, "name": name.text, "key": name.key}
    try:
        return (await connection.execute(query, values)).rowcount == 1
    except IntegrityError:  # taken at the same moment
        return False


async def find_opened(connection: AsyncConnection, device_sha256: bytes, opened_by: str) -> Opened | None:
    """Return the session that a device opened with this request."""
    query = text(
        f"SELECT {SESSION_COLUMNS}, created_account FROM session"  # noqa: S608 our names
        " WHERE device_sha256 = :device AND opened_by = :opened_by"
    )
    values = {"device": device_sha256, "opened_by": opened_by}
    row = (await connection.execute(query, values)).one_or_none()
    return None if row is None else Opened(_session(row), row.created_account)


async def insert_session(
    connection: AsyncConnection, opened: Opened, device_sha256: bytes, opened_by: str
) -> None:
    """Enter a new session."""
    session = opened.session
    query = text(
        "INSERT INTO session"
        " (session_id, account_id, device_sha256, opened_by, created_account, generation, expires_at)"
        " VALUES (:session_id, :account_id, :device, :opened_by, :created, :generation, :expires_at)"
    )
    values = {
        "session_id": session.session_id,
        "account_id": session.account_id,
        "device": device_sha256,
        "opened_by": opened_by,
        "created": opened.created_account,
        "generation": session.generation,
        "expires_at": session.expires_at,
    }
    await connection.execute(query, values)


async def lock_session(connection: AsyncConnection, session_id: UUID) -> Session | None:
    """Return a session that nobody else changes until the transaction ends."""
    query = text(f"SELECT {SESSION_COLUMNS} FROM session WHERE session_id = :id FOR UPDATE")  # noqa: S608 our names
    row = (await connection.execute(query, {"id": session_id})).one_or_none()
    return None if row is None else _session(row)


async def save_refreshed(connection: AsyncConnection, session: Session) -> None:
    """Store the new generation of a locked session."""
    query = text(
        "UPDATE session SET generation = :generation, refreshed_by = :refreshed_by, expires_at = :expires_at"
        " WHERE session_id = :id"
    )
    values = {
        "id": session.session_id,
        "generation": session.generation,
        "refreshed_by": session.refreshed_by,
        "expires_at": session.expires_at,
    }
    await connection.execute(query, values)


async def revoke_session(connection: AsyncConnection, session_id: UUID, at: datetime) -> list[UUID]:
    """End one session; return the sessions that this ended."""
    query = text(
        "UPDATE session SET revoked_at = :at"
        " WHERE session_id = :id AND revoked_at IS NULL RETURNING session_id"
    )
    return list((await connection.execute(query, {"id": session_id, "at": at})).scalars())


async def revoke_all(connection: AsyncConnection, account_id: UUID, at: datetime) -> list[UUID]:
    """End all sessions of an account; return the sessions that this ended."""
    query = text(
        "UPDATE session SET revoked_at = :at"
        " WHERE account_id = :id AND revoked_at IS NULL RETURNING session_id"
    )
    return list((await connection.execute(query, {"id": account_id, "at": at})).scalars())


async def revoked_since(pool: Pool, since: datetime) -> list[UUID]:
    """Return the sessions revoked since then, the latest first."""
    query = "SELECT session_id FROM session WHERE revoked_at >= $1 ORDER BY revoked_at DESC LIMIT $2"
    return [row[0] for row in await pool.fetch(query, since, REVOKED_MAX)]


async def delete_expired(connection: AsyncConnection, before: datetime) -> int:
    """Delete sessions that expired before then; return how many."""
    query = text("DELETE FROM session WHERE expires_at < :before")
    return (await connection.execute(query, {"before": before})).rowcount


def _session(row: Row[tuple[object, ...]]) -> Session:
    return Session(
        row.session_id, row.account_id, row.generation, row.refreshed_by, row.expires_at, row.revoked_at
    )
