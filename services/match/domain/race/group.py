"""Groups that race game after game: who is in, who is the host, what is played, who won in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from services.match.domain.race.settings import DEFAULTS, SEATS_MAX, Difficulty, Settings
from services.match.domain.race.terms import CpuLevel, SeatEnd


class GroupRefusal(StrEnum):
    """Reasons of the error table."""

    NOT_FOUND = "NOT_FOUND"
    """No such group, or nobody in it any more."""
    NOT_YOURS = "NOT_YOURS"
    """A group that the caller is not in."""
    IN_ANOTHER_GROUP = "IN_ANOTHER_GROUP"
    """One group at a time."""
    HOST_ONLY = "HOST_ONLY"
    """What only the host may do."""
    RACE_RUNNING = "RACE_RUNNING"
    """What may be done between games only."""
    GROUP_FULL = "GROUP_FULL"
    """Persons and CPU players would be more than 20."""
    ALREADY_SEATED = "ALREADY_SEATED"
    """The host plays elsewhere."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a group plays."""

    settings: Settings = DEFAULTS
    cpu_players: tuple[CpuLevel, ...] = ()
    rated: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A person in a group."""

    account_id: UUID
    wins: int = 0
    """Races won in a row."""
    asks: bool = False
    """For another game."""


@dataclass(frozen=True, slots=True)
class Group:
    """People who race each other; members in the order of joining."""

    group_id: UUID
    code: str
    host: UUID
    members: tuple[Member, ...]
    plan: Plan = Plan()
    race_id: UUID | None = None
    playing: bool = False
    version: int = 0

    def has(self, account_id: UUID) -> bool:
        """Whether an account is in."""
        return any(member.account_id == account_id for member in self.members)


def join(group: Group, account_id: UUID) -> Group | GroupRefusal:
    """The group with one more; who is in already stays."""
    if group.has(account_id):
        return group
    if len(group.members) + len(group.plan.cpu_players) >= SEATS_MAX:
        return GroupRefusal.GROUP_FULL
    return _changed(group, members=(*group.members, Member(account_id)))


def leave(group: Group, account_id: UUID) -> Group | GroupRefusal:
    """The group without one; the host is followed by who has been there longest."""
    if not group.has(account_id):
        return GroupRefusal.NOT_YOURS
    left = tuple(member for member in group.members if member.account_id != account_id)
    host = left[0].account_id if left and group.host == account_id else group.host
    return _changed(group, members=left, host=host)


def change(group: Group, account_id: UUID, plan: Plan) -> Group | GroupRefusal:
    """The group with another plan: the host's, between games."""
    refusal = _host_between_games(group, account_id)
    if refusal is not None:
        return refusal
    if len(group.members) + len(plan.cpu_players) > SEATS_MAX:
        return GroupRefusal.GROUP_FULL
    return _changed(group, plan=plan)


def ask(group: Group, account_id: UUID) -> Group | GroupRefusal:
    """The group in which one more asks for another game."""
    if not group.has(account_id):
        return GroupRefusal.NOT_YOURS
    members = tuple(
        replace(member, asks=True) if member.account_id == account_id else member for member in group.members
    )
    return _changed(group, members=members)


def start(group: Group, account_id: UUID, race_id: UUID) -> Group | GroupRefusal:
    """The group playing a race: the host's to begin."""
    refusal = _host_between_games(group, account_id)
    if refusal is not None:
        return refusal
    members = tuple(replace(member, asks=False) for member in group.members)
    return _changed(group, members=members, race_id=race_id, playing=True)


def difficulty_of(group: Group, member: Member) -> Difficulty:
    """What a member plays: under the handicap each win in a row is one difficulty up."""
    settings = group.plan.settings
    return settings.difficulty.raised(member.wins if settings.winner_handicap else 0)


def race_over(group: Group, race_id: UUID, accounts: Sequence[UUID | None], ends: Sequence[SeatEnd]) -> Group:
    """The group after its race. Tied winners all count; where a CPU player is first every run ends."""
    first = {account for account, end in zip(accounts, ends, strict=True) if end.place == 1}
    winners = set() if None in first else first
    members = tuple(
        replace(member, wins=member.wins + 1 if member.account_id in winners else 0)
        for member in group.members
    )
    if group.race_id != race_id:
        return group
    return _changed(group, members=members, playing=False)


def _host_between_games(group: Group, account_id: UUID) -> GroupRefusal | None:
    if not group.has(account_id):
        return GroupRefusal.NOT_YOURS
    if group.host != account_id:
        return GroupRefusal.HOST_ONLY
    return GroupRefusal.RACE_RUNNING if group.playing else None


def _changed(group: Group, **changes: object) -> Group:
    return replace(group, version=group.version + 1, **changes)  # type: ignore[arg-type]
