"""What a refusal of a club's command says to a person or a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from libs.runtime.errors import Refused
from libs.runtime.names import club_name, player_name
from services.account.domain.clubs import ClubRefusal

WAITING_RETRY_MS: Final = 60 * 60 * 1_000

_MESSAGES: Final[Mapping[ClubRefusal, str]] = {
    ClubRefusal.NAME_TAKEN: "another club has this name, or one that looks like it",
    ClubRefusal.ROLE_TOO_LOW: "this takes a higher role in the club",
    ClubRefusal.NOT_A_MEMBER: "the player is not in this club",
    ClubRefusal.ALREADY_A_MEMBER: "the player is in this club",
    ClubRefusal.ALREADY_REQUESTED: "the player has asked to join this club: the request waits",
    ClubRefusal.ALREADY_INVITED: "the player is invited to this club: the invitation waits",
    ClubRefusal.NO_JOIN_REQUEST: "no request of this player waits at this club",
    ClubRefusal.NO_INVITATION: "no invitation of this club waits for this player",
    ClubRefusal.IN_ANOTHER_CLUB: "a player is in one club at a time: leave the other one first",
    ClubRefusal.JOIN_POLICY: "this club lets players in another way: see its join policy",
    ClubRefusal.CLUB_FULL: "the club has as many members as it allows",
    ClubRefusal.OWNER_STAYS: "the owner hands the club over before leaving",
    ClubRefusal.CLUB_NOT_EMPTY: "a club with other members is not disbanded: hand it over, or remove them",
    ClubRefusal.TOO_MANY_WAITING: "too many requests or invitations wait: some must be answered first",
}


def refused(refusal: ClubRefusal, club_id: UUID | None, player: UUID) -> Refused:
    """Return the error of a refusal, with what it is about."""
    club = {"club": club_name(club_id)} if club_id is not None else {}
    match refusal:
        case ClubRefusal.CLUB_UNKNOWN:
            return Refused("NOT_FOUND", f"there is no club {club['club']}", {"name": club["club"]})
        case ClubRefusal.PLAYER_UNKNOWN:
            name = player_name(player)
            return Refused("NOT_FOUND", f"there is no player {name}", {"name": name})
        case ClubRefusal.TOO_MANY_WAITING:
            return Refused(
                refusal.value, _MESSAGES[refusal], {**club, "player": player_name(player)},
                retry_after_ms=WAITING_RETRY_MS,
            )  # fmt: skip
    return Refused(refusal.value, _MESSAGES[refusal], {**club, "player": player_name(player)})
