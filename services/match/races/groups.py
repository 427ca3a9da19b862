"""What people order of their groups: join by invitation, choose, start, ask for another game."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import EventStore, Request, RequestReused, Transaction
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.wake import Wake
from libs.queueing.replies import reply_of
from libs.runtime.errors import Refused
from services.match.domain.race import group as domain
from services.match.domain.race.group import Group, GroupRefusal, Member, Plan
from services.match.races import store as rows
from services.match.races.begin import BeginRaces, Entrant
from services.match.races.refusals import group_refused
from services.match.watching import live
from services.match.wire.race_groups import group_message
from services.match.wire.race_views import group_name

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Nothing that is easily taken for another."""
CODE_LETTERS: Final = 8
LOOK_EVERY_S: Final = 0.25
SIGN_OF_LIFE_S: Final = 15.0
RETRY_AFTER_MS: Final = 1_000


class Groups:
    """The groups of all players. Every method raises Refused; replies are messages as they are kept."""

    def __init__(
        self, store: EventStore, begin: BeginRaces, randomness: Callable[[int], bytes], wake: Wake
    ) -> None:
        """Begin races with `begin`."""
        self._store = store
        self._begin = begin
        self._randomness = randomness
        self._wake = wake
        self._draining = False

    async def create(self, account_id: UUID, plan: Plan, request: Request, now: datetime) -> bytes:
        """A group of the caller alone."""
        group_id = uuid7(now, self._randomness(RANDOM_BYTES))
        code = "".join(LETTERS[byte % len(LETTERS)] for byte in self._randomness(CODE_LETTERS))
        made = Group(group_id, code, account_id, (Member(account_id),), plan, version=1)

        async def create(_transaction: Transaction) -> Group | GroupRefusal:
            return made

        return await self._write(request, now, create)

    async def join(self, account_id: UUID, code: str, request: Request, now: datetime) -> bytes:
        """Join by an invitation."""

        async def join(transaction: Transaction) -> Group | GroupRefusal:
            group_id = await rows.group_by_code(transaction.connection, code)
            found = group_id and await rows.load_group(transaction.connection, group_id, lock=True)
            return domain.join(found, account_id) if found else GroupRefusal.NOT_FOUND

        return await self._write(request, now, join)

    async def leave(self, account_id: UUID, group_id: UUID | None, request: Request, now: datetime) -> bytes:
        """Leave for good."""
        return await self._change(
            account_id, group_id, request, now, lambda group: domain.leave(group, account_id)
        )

    async def change(
        self, account_id: UUID, group_id: UUID | None, plan: Plan, request: Request, now: datetime
    ) -> bytes:
        """Choose what is played from now on."""
        return await self._change(
            account_id, group_id, request, now, lambda group: domain.change(group, account_id, plan)
        )

    async def ask(self, account_id: UUID, group_id: UUID | None, request: Request, now: datetime) -> bytes:
        """Ask for another game."""
        return await self._change(
            account_id, group_id, request, now, lambda group: domain.ask(group, account_id)
        )

    async def start(self, account_id: UUID, group_id: UUID | None, request: Request, now: datetime) -> bytes:
        """Deal a race to the persons present: those who play elsewhere are not."""

        async def start(transaction: Transaction) -> Group | GroupRefusal:
            group = await self._own(transaction, account_id, group_id)
            if isinstance(group, GroupRefusal):
                return group
            race_id = uuid7(now, self._randomness(RANDOM_BYTES))
            started = domain.start(group, account_id, race_id)
            if isinstance(started, GroupRefusal):
                return started
            accounts = [member.account_id for member in group.members]
            seated = await rows.take_seats(transaction.connection, race_id, accounts)
            if account_id not in seated:
                return GroupRefusal.ALREADY_SEATED
            entrants = [
                Entrant(member.account_id, domain.difficulty_of(group, member))
                for member in group.members
                if member.account_id in seated
            ]
            await self._begin.begin(transaction, race_id, group.group_id, group.plan, entrants, now)
            await live.invite(transaction.connection, race_id, group.code)
            return started

        reply = await self._write(request, now, start)
        await self._wake.nudge()
        return reply

    async def read(self, account_id: UUID, group_id: UUID | None) -> Group:
        """A group of the caller's."""
        with unavailable_is_told():
            async with self._store.transaction() as transaction:
                found = await self._own(transaction, account_id, group_id, lock=False)
        if isinstance(found, GroupRefusal):
            raise group_refused(found, "" if group_id is None else group_name(group_id))
        return found

    async def follow(self, account_id: UUID, group_id: UUID | None) -> AsyncGenerator[Group, None]:
        """A group of the caller's: now, whenever it changes, and as a sign of life."""
        group = await self.read(account_id, group_id)
        silent_s = 0.0
        yield group
        while not self._draining:
            await asyncio.sleep(LOOK_EVERY_S)
            silent_s += LOOK_EVERY_S
            async with self._store.transaction() as transaction:
                versions = await rows.versions_of(transaction.connection, [group.group_id])
            if versions.get(group.group_id) != group.version or silent_s >= SIGN_OF_LIFE_S:
                group, silent_s = await self.read(account_id, group.group_id), 0.0
                yield group
        raise Refused("DRAINING", "this server is stopping", retry_after_ms=RETRY_AFTER_MS)

    async def drain(self) -> None:
        """End every stream."""
        self._draining = True

    async def _own(
        self, transaction: Transaction, account_id: UUID, group_id: UUID | None, *, lock: bool = True
    ) -> Group | GroupRefusal:
        connection = transaction.connection
        asked = await rows.group_of(connection, account_id) if group_id is None else group_id
        found = None if asked is None else await rows.load_group(connection, asked, lock=lock)
        if found is None:
            return GroupRefusal.NOT_FOUND
        return found if found.has(account_id) else GroupRefusal.NOT_YOURS

    async def _change(
        self,
        account_id: UUID,
        group_id: UUID | None,
        request: Request,
        now: datetime,
        change: Callable[[Group], Group | GroupRefusal],
    ) -> bytes:
        async def changed(transaction: Transaction) -> Group | GroupRefusal:
            group = await self._own(transaction, account_id, group_id)
            return group if isinstance(group, GroupRefusal) else change(group)

        return await self._write(request, now, changed)

    async def _write(
        self,
        request: Request,
        now: datetime,
        act: Callable[[Transaction], Awaitable[Group | GroupRefusal]],
    ) -> bytes:
        """Act, save and keep the reply; a repeat gets the first one."""
        with unavailable_is_told():
            earlier = await self._store.find_request(request.caller, request.request_id)
        if earlier is not None:
            return reply_of(earlier if earlier.sha256 == request.sha256 else RequestReused())
        async with self._store.transaction() as transaction:
            group = await act(transaction)
            if isinstance(group, GroupRefusal):
                await transaction.rollback()
                raise group_refused(group)
            if not await rows.save_group(transaction.connection, group):
                await transaction.rollback()
                raise group_refused(GroupRefusal.IN_ANOTHER_GROUP)
            reply = group_message(group).SerializeToString(deterministic=True)
            repeated = await transaction.keep_reply(request, reply, at=now)
            if repeated is not None:
                await transaction.rollback()
                return reply_of(repeated)
        return reply
