"""Why an order to a tournament or a series changes nothing, as it is told to whoever called."""

from __future__ import annotations

from typing import Final

from libs.runtime.errors import Refused
from services.tournament.domain.series.decide import Refusal as SeriesRefusal
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints

NEVER_MS: Final = 24 * 60 * 60 * 1_000
"""Limits carry a pause; this one does not end within the tournament."""
TEXTS: Final = {
    Refusal.NOT_FOUND: "there is no such tournament",
    Refusal.TOURNAMENT_CANCELLED: "the tournament is cancelled",
    Refusal.TOURNAMENT_OVER: "the tournament has ended",
    Refusal.TOURNAMENT_NOT_RUNNING: "the tournament has not started: it can be cancelled, not ended",
    Refusal.REGISTRATION_NOT_OPEN: "registration opens later",
    Refusal.REGISTRATION_CLOSED: "registration closed with the start",
    Refusal.NOT_REGISTERED: "the player is not registered",
    Refusal.TOURNAMENT_FULL: "as many as may are registered",
    Refusal.REGISTRATION_LIMIT: "too many registrations and withdrawals",
    Refusal.RESULT_UNKNOWN: "there is no such round or table, or the player did not sit there",
    Refusal.RESULT_PENDING: "the table is still played: only all of it can be voided",
}


def refused(refusal: Refusal | TooFewPrizePoints, field_path: str = "tournament") -> Refused:
    """The refusal on its way to the caller; `field_path` is what a field that is not valid is called there.

    ENTRY_CONDITION goes with what the player has, `points`, and what it takes, `min`.
    """
    if isinstance(refusal, TooFewPrizePoints):
        told = {"points": str(refusal.points), "min": str(refusal.needed)}
        words = f"{refusal.points} points of tournament prizes in this week, {refusal.needed} are needed"
        return Refused("ENTRY_CONDITION", words, told)
    if refusal is Refusal.FIELD_INVALID:
        words = f"{field_path}: not possible"
        return Refused(str(refusal), words, {"field": field_path}, field_path=field_path)
    retry_after_ms = NEVER_MS if refusal is Refusal.REGISTRATION_LIMIT else None
    return Refused(str(refusal), TEXTS[refusal], retry_after_ms=retry_after_ms)


def series_refused(refusal: SeriesRefusal, field_path: str = "series") -> Refused:
    """The refusal of an order to a series on its way to the caller."""
    if refusal is SeriesRefusal.FIELD_INVALID:
        return refused(Refusal.FIELD_INVALID, field_path)
    return Refused(str(refusal), "there is no such series")


def request_id_reused() -> Refused:
    """The error of a request_id that came with another body before."""
    return Refused("REQUEST_ID_REUSED", "this request_id was used before, with another request")


def stream_conflict() -> Refused:
    """The error of a command that lost against others too often."""
    return Refused("STREAM_CONFLICT", "others changed the tournament at the same time: look again")
