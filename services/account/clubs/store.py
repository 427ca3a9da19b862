"""Rows of clubs. Every function works inside the caller's transaction; `look` locks the club's row first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.errors import conflict_stream
from services.account.domain.clubs import Bond, Club, ClubRefusal, JoinPolicy, Seen, Tie
from services.account.domain.display_names import DisplayName
from services.account.events import (
    ClubCreated,
    ClubDisbanded,
    ClubEvent,
    ClubInvitationEnded,
    ClubJoinRequested,
    ClubJoinRequestEnded,
    ClubMemberJoined,
    ClubMemberLeft,
    ClubPlayerInvited,
    ClubRole,
    ClubRoleChanged,
)

LOCK_CLUB: Final = text("SELECT * FROM club WHERE club_id = :club FOR UPDATE")
LOOK: Final = text(
    """
    SELECT (SELECT role FROM club_member WHERE account_id = :actor AND club_id = :club) AS actor_role,
           EXISTS (SELECT FROM profile WHERE account_id = :subject) AS is_player,
           m.club_id AS in_club, m.role, m.joined_at, w.bond, w.since,
           (SELECT count(*) FROM club_waiting WHERE club_id = :club AND bond = 'requested') AS requests,
           (SELECT count(*) FROM club_waiting WHERE club_id = :club AND bond = 'invited') AS invitations,
           (SELECT count(*) FROM club_waiting WHERE account_id = :subject AND bond = 'requested')
               AS own_requests
    FROM (SELECT) AS one
    LEFT JOIN club_member m ON m.account_id = :subject
    LEFT JOIN club_waiting w ON w.account_id = :subject AND w.club_id = :club
    """
)
EVERYBODY: Final = text(
    "SELECT account_id FROM club_member WHERE club_id = :club ORDER BY joined_at, account_id"
)
INSERT_CLUB: Final = text(
    "INSERT INTO club VALUES (:club, :name, :key, :description, :policy, :limit, 0, :at, :at)"
    " ON CONFLICT (name_key) DO NOTHING"
)
EDIT_CLUB: Final = text(
    "UPDATE club SET display_name = :name, name_key = :key, description = :description, policy = :policy,"
    " member_limit = :limit WHERE club_id = :club"
)
WAIT: Final = text("INSERT INTO club_waiting VALUES (:club, :account, :bond, :inviter, :at)")
WAIT_NO_MORE: Final = text("DELETE FROM club_waiting WHERE club_id = :club AND account_id = :account")
ENTER: Final = text(
    "INSERT INTO club_member VALUES (:account, :club, :role, :at) ON CONFLICT (account_id) DO NOTHING"
)
SET_ROLE: Final = text("UPDATE club_member SET role = :role WHERE club_id = :club AND account_id = :account")
LEAVE: Final = text("DELETE FROM club_member WHERE club_id = :club AND account_id = :account")
COUNT: Final = text("UPDATE club SET members = members + :more, changed_at = :at WHERE club_id = :club")
DISBAND: Final = text("DELETE FROM club WHERE club_id = :club")

CLUBS: Final = text("SELECT * FROM club WHERE club_id = ANY(CAST(:clubs AS uuid[]))")
PAGE_OF_CLUBS: Final = text(
    "SELECT * FROM club WHERE name_key > :after AND name_key >= :first AND name_key < :end"
    " ORDER BY name_key LIMIT :limit"
)
PAGE_OF_MEMBERS: Final = text(
    "SELECT * FROM club_member WHERE club_id = :club AND (joined_at, account_id) > (:at, :account)"
    " ORDER BY joined_at, account_id LIMIT :limit"
)
MEMBER: Final = text("SELECT * FROM club_member WHERE account_id = :account")
WAITING_AT_CLUB: Final = text(
    "SELECT * FROM club_waiting WHERE club_id = :of AND bond = :bond AND (since, account_id) > (:at, :other)"
    " ORDER BY since, account_id LIMIT :limit"
)
WAITING_PLAYER: Final = text(
    "SELECT * FROM club_waiting WHERE account_id = :of AND bond = :bond AND (since, club_id) > (:at, :other)"
    " ORDER BY since, club_id LIMIT :limit"
)
KEYS_END: Final = "\U0010ffff"
"""Sorts behind whatever continues a key."""


class RacedError(Exception):
    """Another transaction did something that this one did not see, or waited for this one: look again."""


@dataclass(frozen=True, slots=True)
class View:
    """What a command sees: the club under its lock, and what is decided on."""

    club: Club
    seen: Seen
    since: datetime | None  # when the subject came in, or began to wait
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """A player in a club."""

    club_id: UUID
    account_id: UUID
    role: ClubRole
    joined_at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request, or an invitation with who invited."""

    club_id: UUID
    account_id: UUID
    inviter: UUID | None
    since: datetime


async def look(
    connection: AsyncConnection, club_id: UUID, actor: UUID | None, subject: UUID, *, everybody: bool = False
) -> View | ClubRefusal:
    """Lock a club and return what a command needs to see; or that there is no such club or player."""
    locked = (await connection.execute(LOCK_CLUB, {"club": club_id})).one_or_none()
    if locked is None:
        return ClubRefusal.CLUB_UNKNOWN
    names = {"club": club_id, "actor": actor, "subject": subject}
    row = (await connection.execute(LOOK, names)).one()
    if not row.is_player and actor is not None:
        return ClubRefusal.PLAYER_UNKNOWN
    members = (await connection.execute(EVERYBODY, {"club": club_id})).scalars() if everybody else ()
    club = _club(locked)
    is_member = row.in_club == club_id
    tie = Tie(Bond.MEMBER, ClubRole(row.role)) if is_member else Tie(Bond(row.bond or Bond.STRANGER))
    seen = Seen(
        club_id=club_id,
        policy=club.policy,
        member_limit=club.member_limit,
        members=club.members,
        actor=actor,
        actor_role=ClubRole(row.actor_role) if row.actor_role is not None else None,
        subject=subject,
        tie=tie,
        is_elsewhere=row.in_club is not None and not is_member,
        requests=row.requests,
        invitations=row.invitations,
        own_requests=row.own_requests,
        everybody=tuple(members),
    )
    return View(club, seen, row.joined_at if is_member else row.since, locked.changed_at)


async def insert_club(connection: AsyncConnection, club: Club) -> bool:
    """Enter a new club without members; False when its name, or one that looks like it, is taken."""
    return (await connection.execute(INSERT_CLUB, {**_texts(club), "at": club.created_at})).rowcount == 1


async def edit_club(connection: AsyncConnection, club: Club) -> bool:
    """Give a locked club other texts and settings; False when its name is taken: roll back then.

    Raises RacedError where two clubs take each other's name.
    """
    try:
        return (await connection.execute(EDIT_CLUB, _texts(club))).rowcount == 1
    except IntegrityError:
        return False
    except DBAPIError as error:
        if conflict_stream(error, club.club_id) is None:
            raise
        raise RacedError from error


async def apply(connection: AsyncConnection, event: ClubEvent, actor: UUID | None, at: datetime) -> None:
    """Make the rows say what a fact says. Raises RacedError: leave the transaction."""
    run = connection.execute
    values: dict[str, Any] = {"club": event.club_id, "at": at}
    if isinstance(event, ClubCreated):
        return  # the row was there first: it took the name
    if isinstance(event, ClubDisbanded):
        await run(DISBAND, values)
        return
    values |= {"account": event.account_id, "more": 0}
    match event:
        case ClubJoinRequested():
            await run(WAIT, {**values, "bond": Bond.REQUESTED, "inviter": None})
        case ClubPlayerInvited():
            await run(WAIT, {**values, "bond": Bond.INVITED, "inviter": actor})
        case ClubJoinRequestEnded() | ClubInvitationEnded():
            await run(WAIT_NO_MORE, values)
        case ClubRoleChanged():
            await run(SET_ROLE, {**values, "role": event.role})
        case ClubMemberJoined():
            await run(WAIT_NO_MORE, values)
            entered = await run(ENTER, {**values, "role": event.role})
            if entered.rowcount != 1:
                raise RacedError
            values["more"] = 1
        case ClubMemberLeft():
            await run(LEAVE, values)
            values["more"] = -1
    await run(COUNT, values)


async def find_clubs(connection: AsyncConnection, club_ids: Sequence[UUID]) -> dict[UUID, Club]:
    """Return the clubs that exist, by id."""
    rows = await connection.execute(CLUBS, {"clubs": list(club_ids)})
    return {row.club_id: _club(row) for row in rows}


async def page_of_clubs(connection: AsyncConnection, prefix: str, after: str, limit: int) -> list[Club]:
    """Return clubs whose name's key begins with `prefix` and sorts behind `after`."""
    values = {"first": prefix, "end": prefix + KEYS_END, "after": after, "limit": limit}
    return [_club(row) for row in await connection.execute(PAGE_OF_CLUBS, values)]


async def page_of_members(
    connection: AsyncConnection, club_id: UUID, after: tuple[datetime, UUID], limit: int
) -> list[Member]:
    """Return members who came after a place in the order of joining."""
    values = {"club": club_id, "at": after[0], "account": after[1], "limit": limit}
    return [_member(row) for row in await connection.execute(PAGE_OF_MEMBERS, values)]


async def find_member(connection: AsyncConnection, account_id: UUID) -> Member | None:
    """Return a player's place in the one club that the player is in."""
    row = (await connection.execute(MEMBER, {"account": account_id})).one_or_none()
    return None if row is None else _member(row)


async def page_of_waiting(
    connection: AsyncConnection,
    *,
    club_id: UUID | None = None,
    account_id: UUID | None = None,
    bond: Bond,
    after: tuple[datetime, UUID],
    limit: int,
) -> list[Waiting]:
    """Return requests or invitations of a club, or of a player, behind a place in their order."""
    query, of = (WAITING_AT_CLUB, club_id) if club_id is not None else (WAITING_PLAYER, account_id)
    values = {"of": of, "bond": bond, "at": after[0], "other": after[1], "limit": limit}
    return [
        Waiting(row.club_id, row.account_id, row.inviter, row.since)
        for row in await connection.execute(query, values)
    ]


def _club(row: Row[Any]) -> Club:
    return Club(
        club_id=row.club_id,
        name=DisplayName(row.display_name, row.name_key),
        description=row.description,
        policy=JoinPolicy(row.policy),
        member_limit=row.member_limit,
        members=row.members,
        created_at=row.created_at,
    )


def _member(row: Row[Any]) -> Member:
    return Member(row.club_id, row.account_id, ClubRole(row.role), row.joined_at)


def _texts(club: Club) -> dict[str, Any]:
    return {
        "club": club.club_id,
        "name": club.name.text,
        "key": club.name.key,
        "description": club.description,
        "policy": club.policy,
        "limit": club.member_limit,
    }
