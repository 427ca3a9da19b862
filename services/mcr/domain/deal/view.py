"""All that a seat may see of a deal, and nothing else.

Hidden are the others' concealed tiles, their concealed kongs until the deal ends, the wall, what others could
claim, whether and what they answered. A bystander (`seat` None) sees what all can see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.tiles import TileIndex
from libs.rules.mcr.wall import SEATS, TileId
from services.mcr.domain.deal.actions import Action, Answer
from services.mcr.domain.deal.legal import legal_actions
from services.mcr.domain.deal.state import (
    AfterClaim,
    AfterDraw,
    Dealing,
    Dealt,
    DiscardWindow,
    Ended,
    RobbingWindow,
    Table,
)
from services.mcr.domain.deal.terms import DealTerms, Meld, MeldKind, Occupant, Outcome, Source


class Phase(StrEnum):
    """What is going on."""

    DEALING = "dealing"
    TURN = "turn"
    """A seat has drawn."""
    DISCARD = "discard"
    """A seat has made a chow or a pung, and discards."""
    CLAIMS = "claims"
    """A discard may be claimed."""
    ROBBING = "robbing"
    """A kong may be robbed."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class MeldView:
    """A meld as somebody sees it."""

    kind: MeldKind
    tiles: Tiles
    """Empty: four tiles face down."""
    claimed: TileId | None
    from_seat: int | None


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as somebody sees it."""

    occupant: Occupant
    is_away: bool
    wind: TileIndex
    hand: Tiles | None
    """The concealed tiles, ascending; None where they are hidden."""
    concealed_tiles: int
    """How many they are."""
    melds: tuple[MeldView, ...]
    flowers: Tiles
    discards: Tiles
    """In their order, without those that were claimed."""


@dataclass(frozen=True, slots=True)
class OpenDecision:
    """What the viewer is asked."""

    actions: tuple[Action, ...]
    deadline: datetime
    """Without an answer by then the rules discard or pass."""


@dataclass(frozen=True, slots=True)
class DealView:
    """A deal as a seat sees it, or a bystander."""

    terms: DealTerms
    commitment: bytes
    seat: int | None
    dealer: int
    phase: Phase
    turn: int | None
    """Whose turn it is, or whose tile is offered; None before the first turn and after the end."""
    drawn: TileId | None
    """The tile that the viewer drew, on the own turn."""
    source: Source | None
    """Where the tile of the turn came from."""
    offered: TileId | None
    """The tile that may be claimed or robbed."""
    decision: int
    """What a command names as the decision it answers."""
    wall_left: int
    deadline: datetime | None
    """When the turn, or the time for claims, is over."""
    open: OpenDecision | None
    answer: Answer | None
    """What the viewer has answered in this window."""
    seats: tuple[SeatView, ...]
    outcome: Outcome | None


def view_for(state: Dealt, seat: int | None) -> DealView:
    """The deal as a seat sees it."""
    table, is_over = state.table, isinstance(state, Ended)
    deadline = shown_deadline(state)
    actions = () if seat is None else legal_actions(state, seat)
    return DealView(
        terms=table.terms,
        commitment=table.wall.commitment,
        seat=seat,
        dealer=table.wall.dealer,
        phase=_phase(state),
        turn=None if isinstance(state, Dealing | Ended) else state.seat,
        drawn=state.drawn if isinstance(state, AfterDraw) and state.seat == seat else None,
        source=state.source if isinstance(state, AfterDraw) else None,
        offered=state.tile if isinstance(state, DiscardWindow | RobbingWindow) else None,
        decision=table.decision,
        wall_left=table.wall_left,
        deadline=deadline,
        open=OpenDecision(actions, deadline) if actions and deadline is not None else None,
        answer=_answer(state, seat),
        seats=tuple(_seat(table, each, is_open=is_over or each == seat) for each in range(SEATS)),
        outcome=state.outcome if isinstance(state, Ended) else None,
    )


def open_view(state: Dealt, seat: int | None) -> DealView:
    """The same with all tiles face up: for looking back at a deal that has ended, never while it goes on."""
    seats = tuple(_seat(state.table, each, is_open=True) for each in range(SEATS))
    return replace(view_for(state, seat), seats=seats)


def shown_deadline(state: Dealt) -> datetime | None:
    """Until when the seats may take: the same whoever could act, and whatever has been answered."""
    limits, since = state.table.terms.limits, state.table.since
    match state:
        case Dealing():
            return since + state.table.terms.pause
        case AfterDraw() | AfterClaim():
            return since + limits.turn
        case DiscardWindow() | RobbingWindow():
            return since + limits.claim
        case Ended():
            return None


def _phase(state: Dealt) -> Phase:
    match state:
        case Dealing():
            return Phase.DEALING
        case AfterDraw():
            return Phase.TURN
        case AfterClaim():
            return Phase.DISCARD
        case DiscardWindow():
            return Phase.CLAIMS
        case RobbingWindow():
            return Phase.ROBBING
        case Ended():
            return Phase.OVER


def _answer(state: Dealt, seat: int | None) -> Answer | None:
    if seat is None or not isinstance(state, DiscardWindow | RobbingWindow):
        return None
    return state.answers[seat]


def _seat(table: Table, seat: int, *, is_open: bool) -> SeatView:
    hand = table.hands[seat]
    return SeatView(
        occupant=table.terms.occupants[seat],
        is_away=seat in table.away,
        wind=table.seat_wind(seat),
        hand=hand if is_open else None,
        concealed_tiles=len(hand),
        melds=tuple(_meld(meld, is_open=is_open) for meld in table.melds[seat]),
        flowers=table.flowers[seat],
        discards=table.discards[seat],
    )


def _meld(meld: Meld, *, is_open: bool) -> MeldView:
    tiles = meld.tiles if is_open or meld.is_exposed else ()
    return MeldView(meld.kind, tiles, meld.claimed, meld.from_seat)
