"""How long things take at the tables of this installation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from libs.runtime.config import Settings
from services.mcr.domain.deal.terms import LIMITS, Limits
from services.mcr.domain.session.terms import PAUSE, TableTerms

MILLISECOND: Final = timedelta(milliseconds=1)
SEEN_OF: Final = 10
"""A process vouches for the streams it holds for this fraction of the time after which a seat is lost."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What settings say of time."""

    limits: Limits = LIMITS
    countdown: timedelta = timedelta(seconds=3)
    """Before the first turn of a table's first deal, where persons sit there."""
    deal_pause: timedelta = PAUSE
    """Between two deals of a table where persons sit."""
    ai_pause: timedelta = timedelta(milliseconds=700)
    """After which an AI player answers where persons sit."""
    lost_after: timedelta = timedelta(seconds=30)
    """For so long a seat may be without a stream before the AI plays for it."""

    @property
    def seen_for(self) -> timedelta:
        """For how long a process vouches for the streams it holds, each time anew."""
        return self.lost_after / SEEN_OF

    def of(self, terms: TableTerms) -> TableTerms:
        """The terms, with the pause between deals: there is none where nobody needs to read."""
        pause = self.deal_pause if terms.persons else timedelta()
        return TableTerms(terms.table_id, terms.occupants, terms.deals, self.limits, pause, terms.private)


def pace_of(settings: Settings) -> Pace:
    """The pace that settings say."""
    turn, claim = settings.mcr_turn_ms, settings.mcr_claim_ms
    hold = min(settings.mcr_hold_ms, claim)
    return Pace(
        limits=Limits(turn * MILLISECOND, claim * MILLISECOND, hold * MILLISECOND),
        countdown=settings.mcr_countdown_ms * MILLISECOND,
        deal_pause=settings.mcr_deal_pause_ms * MILLISECOND,
        ai_pause=settings.mcr_ai_pause_ms * MILLISECOND,
        lost_after=settings.mcr_lost_after_ms * MILLISECOND,
    )
