"""The writes of clubs, each one transaction: facts, rows, and the reply for repeats."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.ids import RANDOM_BYTES, birth_of, derived_id, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import Appended, Repeated, Request, RequestReused, StreamAppend, Transaction
from libs.eventstore.postgres.database import Database
from services.account.clubs import store
from services.account.clubs.store import Member, RacedError, View, Waiting
from services.account.clubs.wire import encode
from services.account.domain.clubs import (
    Action,
    Bond,
    Club,
    ClubRefusal,
    JoinPolicy,
    Tie,
    decide,
    may_edit,
    tie_after,
)
from services.account.domain.display_names import DisplayName
from services.account.events import ClubCreated, ClubDisbanded, ClubEvent, ClubMemberJoined, ClubRole
from services.account.store import find_profiles

RACES_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class After:
    """What an action came to, for the reply: the tie of the player concerned, and since when it is so."""

    club_id: UUID
    subject: UUID
    tie: Tie
    since: datetime


@dataclass(frozen=True, slots=True)
class Edit:
    """Texts and settings to change; none: as they are."""

    name: DisplayName | None = None
    description: str | None = None
    policy: JoinPolicy | None = None
    member_limit: int | None = None


Answer = bytes | ClubRefusal | RequestReused
Work = Callable[[Transaction], Awaitable[Answer]]


class Clubs:
    """Clubs in their database. Time and randomness come in from outside."""

    def __init__(self, database: Database, randomness: Callable[[int], bytes]) -> None:
        self._database = database
        self._randomness = randomness

    async def found(
        self,
        request: Request,
        founder: UUID,
        terms: tuple[DisplayName, str, JoinPolicy, int],
        reply_of: Callable[[Club], bytes],
        now: datetime,
    ) -> Answer:
        """Found a club by name, description, policy and limit; its founder is the owner."""
        club_id = uuid7(now, self._randomness(RANDOM_BYTES))
        events = (ClubCreated(club_id, founder), ClubMemberJoined(club_id, founder, ClubRole.OWNER))
        club = Club(club_id, *terms, members=0, created_at=now)

        async def work(transaction: Transaction) -> Answer:
            connection = transaction.connection
            if not await find_profiles(connection, [founder]):
                return ClubRefusal.PLAYER_UNKNOWN
            if await store.find_member(connection, founder) is not None:
                return ClubRefusal.IN_ANOTHER_CLUB
            if not await store.insert_club(connection, club):
                return ClubRefusal.NAME_TAKEN
            reply = reply_of(replace(club, members=1))
            return await self._record(transaction, events, founder, request, reply, now=now, at=now)

        return await self._once(request, work)

    async def act(
        self,
        request: Request,
        action: Action,
        club_id: UUID,
        actor: UUID | None,
        subject: UUID,
        reply_of: Callable[[After], bytes],
        now: datetime,
    ) -> Answer:
        """Do what somebody wants of a club; `actor` is none for an operator."""

        async def work(transaction: Transaction) -> Answer:
            disbands = action is Action.DISBAND
            view = await store.look(transaction.connection, club_id, actor, subject, everybody=disbands)
            if isinstance(view, ClubRefusal):
                return view
            events = decide(action, view.seen)
            if isinstance(events, ClubRefusal):
                return events
            at = max(now, view.changed_at)
            reply = reply_of(_after(view, events, at))
            return await self._record(transaction, events, actor, request, reply, now=now, at=at)

        return await self._once(request, work)

    async def edit(
        self,
        request: Request,
        club_id: UUID,
        actor: UUID,
        edit: Edit,
        reply_of: Callable[[Club], bytes],
        now: datetime,
    ) -> Answer:
        """Change a club's texts and settings. They are rows alone, and no facts."""

        async def work(transaction: Transaction) -> Answer:
            view = await store.look(transaction.connection, club_id, actor, actor)
            if isinstance(view, ClubRefusal):
                return view
            if not may_edit(view.seen.actor_role):
                return ClubRefusal.ROLE_TOO_LOW
            club = _edited(view.club, edit)
            if not await store.edit_club(transaction.connection, club):
                return ClubRefusal.NAME_TAKEN
            return await self._record(transaction, (), actor, request, reply_of(club), now=now, at=now)

        return await self._once(request, work)

    async def find(self, club_id: UUID) -> Club | None:
        """Return a club."""
        async with self._database.engine.connect() as connection:
            return (await store.find_clubs(connection, [club_id])).get(club_id)

    async def membership(self, account_id: UUID) -> tuple[Club, Member] | None:
        """Return the club that a player is in, and the player's place; None when in none."""
        async with self._database.engine.connect() as connection:
            member = await store.find_member(connection, account_id)
            if member is None:
                return None
            found = (await store.find_clubs(connection, [member.club_id])).get(member.club_id)
            return (found, member) if found is not None else None

    async def page(self, prefix: str, after: str, limit: int) -> list[Club]:
        """Return clubs by name, behind a place."""
        async with self._database.engine.connect() as connection:
            return await store.page_of_clubs(connection, prefix, after, limit)

    async def members(
        self, club_id: UUID, after: tuple[datetime, UUID], limit: int
    ) -> list[Member] | ClubRefusal:
        """Return members of a club, behind a place."""
        async with self._database.engine.connect() as connection:
            if not await store.find_clubs(connection, [club_id]):
                return ClubRefusal.CLUB_UNKNOWN
            return await store.page_of_members(connection, club_id, after, limit)

    async def waiting_at(
        self, club_id: UUID, actor: UUID, bond: Bond, after: tuple[datetime, UUID], limit: int
    ) -> list[Waiting] | ClubRefusal:
        """Return who waits at a club, for its owner and officers."""
        async with self._database.engine.connect() as connection:
            if not await store.find_clubs(connection, [club_id]):
                return ClubRefusal.CLUB_UNKNOWN
            member = await store.find_member(connection, actor)
            if member is None or member.club_id != club_id or not may_edit(member.role):
                return ClubRefusal.ROLE_TOO_LOW
            return await store.page_of_waiting(
                connection, club_id=club_id, bond=bond, after=after, limit=limit
            )

    async def invitations_of(
        self, account_id: UUID, after: tuple[datetime, UUID], limit: int
    ) -> list[Waiting]:
        """Return a player's invitations, behind a place."""
        async with self._database.engine.connect() as connection:
            return await store.page_of_waiting(
                connection, account_id=account_id, bond=Bond.INVITED, after=after, limit=limit
            )

    async def _once(self, request: Request, work: Work) -> Answer:
        """Run `work` in a transaction, unless the request was accepted before: then return its reply.

        Refusals are not remembered, and undo what was done.
        """
        for _ in range(RACES_MAX):
            if (earlier := await self._earlier(request)) is not None:
                return earlier
            try:
                async with self._database.store.transaction() as transaction:
                    answer = await work(transaction)
                    if isinstance(answer, ClubRefusal):
                        await transaction.rollback()
            except RacedError:
                continue
            if isinstance(answer, ClubRefusal):  # unless a copy of this request was accepted meanwhile
                return await self._earlier(request) or answer
            fault("club.committed")
            return answer
        raise RuntimeError(f"a club's command was overtaken {RACES_MAX} times in a row")

    async def _earlier(self, request: Request) -> bytes | RequestReused | None:
        earlier = await self._database.store.find_request(request.caller, request.request_id)
        if earlier is None:
            return None
        return RequestReused() if earlier.sha256 != request.sha256 else earlier.reply or b""

    async def _record(
        self,
        transaction: Transaction,
        events: Sequence[ClubEvent],
        actor: UUID | None,
        request: Request,
        reply: bytes,
        *,
        now: datetime,
        at: datetime,
    ) -> Answer:
        """Write rows, facts and reply. The club is locked, so that nobody moves its streams meanwhile."""
        for event in events:
            await store.apply(transaction.connection, event, actor, at)
        if not events:
            earlier = await transaction.keep_reply(request, reply, at=now)
        else:
            by_stream: dict[UUID, list[ClubEvent]] = {}
            for event in events:
                by_stream.setdefault(_stream_of(event), []).append(event)
            heads = await self._database.store.heads(list(by_stream))
            appends = [
                StreamAppend(stream_id, heads.get(stream_id, 0), tuple(encode(event, at) for event in of))
                for stream_id, of in by_stream.items()
            ]
            appended = await transaction.append(
                appends, recorded_at=now, caller=request.caller, request=request, reply=reply
            )
            if not isinstance(appended, Appended | Repeated | RequestReused):
                raise RacedError
            earlier = None if isinstance(appended, Appended) else appended
        if isinstance(earlier, Repeated):
            raise RacedError  # a copy of this request was first: its reply is found
        if earlier is not None:
            await transaction.rollback()
            return earlier
        fault("club.rows_in")
        return reply


def _stream_of(event: ClubEvent) -> UUID:
    """Return the stream of a fact: the club's own, or that of a player's tie with the club."""
    if isinstance(event, ClubCreated | ClubDisbanded):
        return event.club_id
    return derived_id(birth_of(event.club_id), "club tie", str(event.club_id), str(event.account_id))


def _after(view: View, events: Sequence[ClubEvent], at: datetime) -> After:
    seen = view.seen
    tie = tie_after(events, seen.subject, seen.tie)
    is_new = view.since is None or tie.bond is not seen.tie.bond
    return After(seen.club_id, seen.subject, tie, at if is_new or view.since is None else view.since)


def _edited(club: Club, edit: Edit) -> Club:
    return replace(
        club,
        name=edit.name or club.name,
        description=edit.description if edit.description is not None else club.description,
        policy=edit.policy or club.policy,
        member_limit=edit.member_limit or club.member_limit,
    )
