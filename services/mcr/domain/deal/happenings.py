"""What a seat is told of a fact as it happens: no more than its view shows; a bystander, what all see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import Answer
from services.mcr.domain.deal.events import (
    ClaimAnswered,
    ClockPaused,
    DealDealt,
    DealEnded,
    Event,
    FlowerReplaced,
    KongAdded,
    KongDeclared,
    PlayBegan,
    SeatLeft,
    SeatReturned,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    WallRevealed,
)
from services.mcr.domain.deal.terms import By, Source


class What(StrEnum):
    """What happened."""

    DEALT = "dealt"
    FLOWER = "flower"
    """A flower was shown and replaced."""
    BEGAN = "began"
    DREW = "drew"
    DISCARDED = "discarded"
    ANSWERED = "answered"
    """Told to the one who answered alone."""
    CLAIMED = "claimed"
    CONCEALED_KONG = "concealed_kong"
    ADDED_KONG = "added_kong"
    ENDED = "ended"
    REVEALED = "revealed"
    LEFT = "left"
    RETURNED = "returned"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Happening:
    """A fact as somebody is told it; what is hidden or does not apply is None or empty."""

    what: What
    at: datetime
    seat: int | None = None
    """Whose it is."""
    tile: TileId | None = None
    """The tile that was drawn, shown, discarded or added."""
    replacement: TileId | None = None
    """What came for a flower."""
    kong: Tiles = ()
    """The tiles of a concealed kong."""
    answer: Answer | None = None
    """What was claimed, or answered: with which own tiles."""
    source: Source | None = None
    by: By | None = None


def happening(event: Event, viewer: int | None) -> Happening | None:  # noqa: C901, PLR0912 one case per event
    """A fact as a seat is told it, or a bystander (None); None where it learns nothing of it."""
    at = event.occurred_at
    match event:
        case DealDealt():
            return Happening(What.DEALT, at)
        case PlayBegan():
            return Happening(What.BEGAN, at)
        case FlowerReplaced(seat=seat, flower=flower, tile=tile):
            return Happening(What.FLOWER, at, seat, flower, tile if seat == viewer else None)
        case TileDrawn(seat=seat, tile=tile, source=source):
            return Happening(What.DREW, at, seat, tile if seat == viewer else None, source=source)
        case TileDiscarded(seat=seat, tile=tile, by=by):
            return Happening(What.DISCARDED, at, seat, tile, by=by)
        case ClaimAnswered(seat=seat, answer=answer, by=by):
            own = Happening(What.ANSWERED, at, seat, answer=answer, by=by)
            return own if seat == viewer else None
        case TileClaimed(seat=seat, claim=claim):
            return Happening(What.CLAIMED, at, seat, answer=claim)
        case KongDeclared(seat=seat, tiles=tiles, by=by):
            return Happening(What.CONCEALED_KONG, at, seat, kong=tiles if seat == viewer else (), by=by)
        case KongAdded(seat=seat, tile=tile, by=by):
            return Happening(What.ADDED_KONG, at, seat, tile, by=by)
        case DealEnded():
            return Happening(What.ENDED, at)
        case WallRevealed():
            return Happening(What.REVEALED, at)
        case SeatLeft(seat=seat):
            return Happening(What.LEFT, at, seat)
        case SeatReturned(seat=seat):
            return Happening(What.RETURNED, at, seat)
        case ClockPaused():
            return Happening(What.PAUSED, at)
