"""When a deal is to be looked at again: for a deadline, or for an AI player that is to act."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from services.mcr.domain.deal.legal import seats_to_act
from services.mcr.domain.deal.settle import next_deadline
from services.mcr.domain.deal.state import Dealing, Dealt, DiscardWindow, Ended, RobbingWindow
from services.mcr.domain.deal.terms import Person
from services.mcr.domain.deal.windows import is_certain

GRACE: Final = timedelta(milliseconds=50)
"""How long a timer waits after a deadline that cuts commands off: one received in time may be under way."""


def ai_to_act(deal: Dealt) -> tuple[int, ...]:
    """The seats for which the AI is to act now, ascending."""
    return tuple(seat for seat in seats_to_act(deal) if deal.table.is_played_by_ai(seat))


def ai_due(deal: Dealt, pause: timedelta) -> datetime | None:
    """When the AI acts; None where it has nothing to do now.

    A pause after the decision opened where persons sit, be they there or away: within the time for which a
    tile is held. At once where AI players are alone.
    """
    if not ai_to_act(deal):
        return None
    if not any(isinstance(each, Person) for each in deal.table.terms.occupants):
        return deal.table.since
    held = deal.hold if isinstance(deal, DiscardWindow | RobbingWindow) else pause
    return deal.table.since + min(pause, held)


def wake_at(deal: Dealt, pause: timedelta) -> datetime | None:
    """When something is due in a deal as it stands; None once it is over."""
    deadline = next_deadline(deal)
    if deadline is None:
        return None
    ai = ai_due(deal, pause)
    settled = deadline + GRACE if _cuts_off(deal) else deadline
    return settled if ai is None else min(ai, settled)


def _cuts_off(deal: Dealt) -> bool:
    """Whether a command could come too late for the next deadline."""
    if isinstance(deal, DiscardWindow | RobbingWindow):
        return not is_certain(deal)
    return not isinstance(deal, Dealing | Ended)
