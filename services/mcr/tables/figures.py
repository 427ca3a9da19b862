"""What deals show of themselves: how they ended, decisions that nobody took, how long the AI takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from libs.telemetry.meter import Meter
from services.mcr.domain.deal.events import ClaimAnswered, DealEnded, Event, TileDiscarded
from services.mcr.domain.deal.state import Dealt
from services.mcr.domain.deal.terms import Aborted, AiLevel, By, Drawn

MISSED: Final = "Turns and claims whose time ran out, by whose they were."
PLAYED: Final = "Deals that ended, by how."


class DealFigures:
    """The figures of one process."""

    def __init__(self, meter: Meter) -> None:
        """Show them there."""
        missed, played = "sparrow_mcr_missed_decisions_total", "sparrow_mcr_deals_total"
        self._missed = {
            is_ai: meter.counter(missed, MISSED, of="ai" if is_ai else "person") for is_ai in (0, 1)
        }
        self._ended = {how: meter.counter(played, PLAYED, ending=how) for how in ("won", "drawn", "aborted")}
        self.thinking = {
            level: meter.histogram(
                "sparrow_mcr_ai_decision_seconds", "How long an AI player takes to choose.", level=level.value
            )
            for level in AiLevel
        }

    def count(self, deal: Dealt, events: Sequence[Event]) -> None:
        """Count what the facts of a command show."""
        for event in events:
            match event:
                case TileDiscarded(seat=seat, by=By.TIME) | ClaimAnswered(seat=seat, by=By.TIME):
                    self._missed[deal.table.is_played_by_ai(seat)].inc()
                case DealEnded(outcome=Aborted()):
                    self._ended["aborted"].inc()
                case DealEnded(outcome=Drawn()):
                    self._ended["drawn"].inc()
                case DealEnded():
                    self._ended["won"].inc()
                case _:
                    pass
