"""The writes of the account service, each one transaction: first contact, sessions, names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import Appended, Repeated, Request, RequestReused, StreamAppend, Transaction
from libs.eventstore.postgres.database import Database
from services.account import store
from services.account.domain.display_names import DisplayName, default_name
from services.account.domain.profiles import Profile
from services.account.domain.sessions import Opened, Refusal, Session, check_open, open_session, refresh
from services.account.events import ProfileCreated
from services.account.wire import encode

NAME_ATTEMPTS_MAX = 20


class NameTaken:
    """Another player has this name, or one that looks like it."""


class Registry:
    """Accounts in their database. Time and randomness come in from outside."""

    def __init__(self, database: Database, randomness: Callable[[int], bytes]) -> None:
        self._database = database
        self._randomness = randomness

    async def sign_in(
        self, device_key: bytes, request_id: str, now: datetime
    ) -> tuple[Opened, Profile] | Refusal:
        """Open a session; the first contact of a device makes its account, once however often it asks."""
        device = hashlib.sha256(device_key).digest()
        async with self._database.store.transaction() as transaction:
            await transaction.lock(f"device/{device.hex()}")
            connection = transaction.connection
            opened = await store.find_opened(connection, device, request_id)
            if opened is None:
                account_id = await store.find_device(connection, device)
                created = account_id is None
                if account_id is None:
                    account_id = await self._create_account(transaction, device, now)
                session_id = uuid7(now, self._randomness(RANDOM_BYTES))
                opened = Opened(open_session(session_id, account_id, now), created)
                await store.insert_session(connection, opened, device, request_id)
            elif (over := check_open(opened.session, now)) is not None:
                return over
            account_id = opened.session.account_id
            return opened, (await store.find_profiles(connection, [account_id]))[account_id]

    async def refresh(
        self, session_id: UUID, generation: int, request_id: str, now: datetime
    ) -> tuple[Session | Refusal | None, list[UUID]]:
        """Trade a refresh token; None for an unknown session. Also return the sessions that this ended."""
        async with self._database.store.transaction() as transaction:
            connection = transaction.connection
            session = await store.lock_session(connection, session_id)
            if session is None:
                return None, []
            outcome = refresh(session, generation, request_id, now)
            if outcome is Refusal.REUSED:
                return outcome, await store.revoke_session(connection, session_id, now)
            if isinstance(outcome, Session) and outcome is not session:
                await store.save_refreshed(connection, outcome)
            return outcome, []

    async def sign_out(
        self, request: Request, account_id: UUID, session_id: UUID, *, everywhere: bool, now: datetime
    ) -> list[UUID] | Refusal | RequestReused:
        """End the session, or all of the account; return the sessions that this ended, none for a repeat."""
        async with self._database.store.transaction() as transaction:
            connection = transaction.connection
            await transaction.lock(
                f"sessions/{account_id}"
            )  # else two that end all could wait for each other
            session = await store.lock_session(connection, session_id)
            earlier = await transaction.keep_reply(request, b"", at=now)
            if isinstance(earlier, Repeated):
                return []
            if isinstance(earlier, RequestReused):
                return earlier
            if session is None or session.revoked_at is not None:
                await transaction.rollback()
                return Refusal.REVOKED
            if everywhere:
                return await store.revoke_all(connection, account_id, now)
            return await store.revoke_session(connection, session_id, now)

    async def rename(
        self,
        request: Request,
        account_id: UUID,
        name: DisplayName,
        reply_of: Callable[[Profile], bytes],
        now: datetime,
    ) -> bytes | NameTaken | RequestReused | None:
        """Rename the account; return the reply, the first one for a repeat; None when there is no account."""
        async with self._database.store.transaction() as transaction:
            connection = transaction.connection
            await transaction.lock(f"name/{name.key}")
            profile = (await store.find_profiles(connection, [account_id])).get(account_id)
            if profile is None:
                return None
            reply = reply_of(Profile(account_id, name.text, profile.created_at))
            earlier = await transaction.keep_reply(request, reply, at=now)
            if isinstance(earlier, Repeated):
                return earlier.reply or b""
            if isinstance(earlier, RequestReused):
                return earlier
            if not await store.rename(connection, account_id, name):
                await transaction.rollback()  # refusals are not remembered
                return NameTaken()
            return reply

    async def profiles(self, account_ids: list[UUID]) -> dict[UUID, Profile]:
        """Return the profiles that exist, by account."""
        async with self._database.engine.connect() as connection:
            return await store.find_profiles(connection, account_ids)

    async def revoked_since(self, since: datetime) -> list[UUID]:
        """Return the sessions revoked since then, the latest first.

        Asked over the pool that sign-ins do not use: a flood of them must not keep this from being known.
        """
        return await store.revoked_since(self._database.pool, since)

    async def delete_expired(self, before: datetime) -> int:
        """Delete sessions that expired before then; return how many."""
        async with self._database.engine.begin() as connection:
            return await store.delete_expired(connection, before)

    async def _create_account(self, transaction: Transaction, device: bytes, now: datetime) -> UUID:
        """Make profile, device and stream of a new account; the device is locked."""
        account_id = uuid7(now, self._randomness(RANDOM_BYTES))
        for attempt in range(NAME_ATTEMPTS_MAX):
            name = default_name(account_id, attempt)
            if await store.insert_profile(transaction.connection, account_id, name, now) is not None:
                break
        else:
            raise RuntimeError(f"{NAME_ATTEMPTS_MAX} generated names in a row were taken")
        await store.insert_device(transaction.connection, device, account_id, now)
        appended = await transaction.append(
            [StreamAppend(account_id, 0, (encode(ProfileCreated(account_id), now),))],
            recorded_at=now,
            caller=account_id,
        )
        assert isinstance(appended, Appended), "the stream of a new id is new"
        return account_id
