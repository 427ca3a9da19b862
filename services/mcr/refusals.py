"""Why a command of MCR changes nothing, as it is told to whoever called."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from libs.runtime.errors import Refused
from libs.runtime.names import table_name
from services.mcr.domain.deal.refusal import Refusal, UnderEight

NEVER_MS: Final = 24 * 60 * 60 * 1_000
"""Limits carry a pause; this one does not end within the deal."""
TEXTS: Final = {
    Refusal.NOT_FOUND: "there is no such deal",
    Refusal.NOT_YOURS: "this seat is another player's",
    Refusal.NOT_STARTED: "the first turn has not begun",
    Refusal.MATCH_ENDED: "the deal is over",
    Refusal.SEAT_AWAY: "return to the table first",
    Refusal.RETURN_LIMIT: "the seat has returned as often as it may in a deal",
    Refusal.STALE_DECISION: "this answers another decision than the present one",
    Refusal.NOT_YOUR_TURN: "another seat is to act",
    Refusal.ALREADY_ANSWERED: "the seat has answered, and an answer is final",
    Refusal.NOTHING_TO_CLAIM: "no tile is offered that the seat could claim so",
    Refusal.DISCARD_FIRST: "after a chow or a pung a discard comes first",
    Refusal.NO_REPLACEMENT: "the wall has no replacement tile left for a kong",
    Refusal.LAST_TILE: "after the last wall tile a discard is claimed for a win only",
    Refusal.NOT_NEXT: "only the next player may claim a chow",
    Refusal.NO_SUCH_TILE: "the hand does not hold a tile that was named",
    Refusal.NOT_A_SET: "the tiles do not make this set",
    Refusal.NOT_WINNING: "the hand is not complete",
}


def refused(refusal: Refusal | UnderEight, field_path: str = "action") -> Refused:
    """The refusal on its way to the client; a score below 8 goes with it.

    `fans` in the metadata is the breakdown, "number*times=points" for each fan that counts, blanks between.
    """
    if isinstance(refusal, UnderEight):
        score = refusal.score
        fans = " ".join(f"{fan.number}*{fan.times}={fan.points}" for fan in score.fans)
        told = {"points": str(score.points), "flowers": str(score.flowers), "fans": fans}
        return Refused("UNDER_EIGHT", f"the hand counts {score.points} points without flowers", told)
    if refusal is Refusal.ACTION_INVALID:
        return Refused(
            str(refusal), f"{field_path}: no such tiles", {"field": field_path}, field_path=field_path
        )
    retry_after_ms = NEVER_MS if refusal is Refusal.RETURN_LIMIT else None
    return Refused(str(refusal), TEXTS[refusal], retry_after_ms=retry_after_ms)


def request_id_reused() -> Refused:
    """The error of a request_id that came with another body before."""
    return Refused("REQUEST_ID_REUSED", "this request_id was used before, with another request")


def stream_conflict() -> Refused:
    """The error of a command that lost against others too often."""
    return Refused("STREAM_CONFLICT", "others changed the table at the same time: look again")


def already_seated(table_id: UUID) -> Refused:
    """The error of an account that wants a seat and has one."""
    return Refused("ALREADY_SEATED", "you sit at a table already", {"name": table_name(table_id)})


def too_many_left(retry_after_ms: int) -> Refused:
    """The error of an account that opens tables faster than the AI plays out those that it left."""
    text = "tables that you left are still played: call again when one has ended"
    return Refused("RATE_LIMIT", text, retry_after_ms=retry_after_ms)
