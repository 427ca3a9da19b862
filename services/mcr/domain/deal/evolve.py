"""Facts folded into the state of a deal. Never refuses, never asks the scorer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.wall import DEALT, SEATS, TileId, dealt, kind_of
from services.mcr.domain.deal.actions import Chow, Kong, Pung
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
from services.mcr.domain.deal.state import (
    AfterClaim,
    AfterDraw,
    Dealing,
    Dealt,
    DiscardWindow,
    Ended,
    NotDealt,
    RobbingWindow,
    State,
    Table,
    Window,
    at_seat,
    sorted_without,
    with_hand,
    with_meld,
)
from services.mcr.domain.deal.terms import Meld, MeldKind, Source, WinKind, Won, added
from services.mcr.domain.pauses import Outage, moved_on

NO_ANSWERS: Final = (None,) * SEATS
Move = FlowerReplaced | PlayBegan | TileDrawn | TileDiscarded | TileClaimed | KongDeclared | KongAdded
"""What all can see."""
MELDED: Final = {Chow: MeldKind.CHOW, Pung: MeldKind.PUNG, Kong: MeldKind.BIG_KONG}


def initial() -> State:
    """The state before the first fact."""
    return NotDealt()


def evolve(state: State, event: Event) -> State:
    """The state after a fact."""
    if isinstance(event, DealDealt):
        return _dealt(event)
    assert not isinstance(state, NotDealt), "the deal comes first"
    at = max(state.table.last_at, event.occurred_at)
    if isinstance(event, Move):
        # What all can see opens another decision, whose clock begins.
        table = state.table._replace(last_at=at, since=at, decision=state.table.decision + 1)
        return _played(state, table, event)
    table = state.table._replace(last_at=at)
    match event:
        case SeatLeft() | SeatReturned() | ClockPaused():
            return replace(state, table=_attended(table, event))
        case WallRevealed():
            return replace(state, table=table)
        case DealEnded():
            return _ended(state, table, event)
        case ClaimAnswered(seat=seat, answer=answer):
            assert isinstance(state, DiscardWindow | RobbingWindow), "answers answer a window"
            return replace(state, table=table, answers=at_seat(state.answers, seat, answer))


def _dealt(event: DealDealt) -> Dealing:
    wall, at = event.wall, event.occurred_at
    hands = dealt(wall.tiles, wall.dealer)
    none: tuple[Tiles, ...] = ((),) * SEATS
    table = Table(
        terms=event.terms,
        wall=wall,
        front=DEALT,
        back=0,
        hands=tuple(tuple(sorted(hand)) for hand in hands),
        melds=((),) * SEATS,
        flowers=none,
        discards=none,
        away=event.terms.away,
        returns=(0,) * SEATS,
        decision=0,
        since=at,
        paused_until=at,
        last_at=at,
    )
    return Dealing(table, hands[wall.dealer][-1])


def _attended(table: Table, event: SeatLeft | SeatReturned | ClockPaused) -> Table:
    match event:
        case SeatLeft(seat=seat):
            return table._replace(away=table.away | {seat})
        case SeatReturned(seat=seat):
            returns = at_seat(table.returns, seat, table.returns[seat] + 1)
            return table._replace(away=table.away - {seat}, returns=returns)
        case ClockPaused(since=since, until=until):
            moved = moved_on(table.since, Outage(since, until))
            return table._replace(since=moved, paused_until=until)


def _played(state: Dealt, table: Table, event: Move) -> State:
    """The state after a move; `table` is that of the state with its clock begun anew."""
    match event:
        case FlowerReplaced():
            return _flower(state, table, event)
        case PlayBegan(may_win=may_win):
            assert isinstance(state, Dealing), "play begins once"
            return AfterDraw(table, table.wall.dealer, state.drawn, Source.WALL, may_win)
        case TileDrawn():
            return _drawn(state, table, event)
        case TileDiscarded(seat=seat, tile=tile):
            hand = sorted_without(table.hands[seat], tile)
            discards = at_seat(table.discards, seat, (*table.discards[seat], tile))
            table = table._replace(hands=at_seat(table.hands, seat, hand), discards=discards)
            return DiscardWindow(table, seat, tile, event.may_win, NO_ANSWERS, table.hold)
        case TileClaimed():
            assert isinstance(state, DiscardWindow), "discards are claimed"
            return _claimed(state, table, event)
        case KongDeclared(seat=seat, tiles=tiles):
            table = with_hand(table, seat, sorted_without(table.hands[seat], *tiles))
            table = with_meld(table, seat, Meld(MeldKind.CONCEALED_KONG, tiles))
            return AfterClaim(table, seat)  # until the replacement tile, which is drawn at once
        case KongAdded(seat=seat, tile=tile):
            table = with_hand(table, seat, sorted_without(table.hands[seat], tile))
            return RobbingWindow(table, seat, tile, event.may_win, NO_ANSWERS, table.hold)


def _flower(state: Dealt, table: Table, event: FlowerReplaced) -> State:
    assert isinstance(state, Dealing | AfterDraw), "flowers are replaced at once"
    seat = event.seat
    hand = sorted_without(table.hands[seat], event.flower)
    flowers = at_seat(table.flowers, seat, (*table.flowers[seat], event.flower))
    if event.tile is None:
        return replace(state, table=with_hand(table, seat, hand)._replace(flowers=flowers))
    assert event.tile == table.next_replacement, "flowers are replaced from the end"
    table = with_hand(table, seat, (*hand, event.tile))
    table = table._replace(flowers=flowers, back=table.back + 1)
    drawn = event.tile if state.drawn == event.flower else state.drawn
    if isinstance(state, Dealing):
        return Dealing(table, drawn)
    return AfterDraw(table, seat, drawn, Source.FLOWER, event.may_win)


def _drawn(state: Dealt, table: Table, event: TileDrawn) -> AfterDraw:
    seat = event.seat
    if isinstance(state, RobbingWindow):
        table = _kong_stands(state, table)
    if event.source is Source.WALL:
        assert event.tile == table.next_tile, "tiles are drawn from the beginning"
        table = table._replace(front=table.front + 1)
    else:
        assert event.tile == table.next_replacement, "kongs are replaced from the end"
        table = table._replace(back=table.back + 1)
    table = with_hand(table, seat, (*table.hands[seat], event.tile))
    return AfterDraw(table, seat, event.tile, event.source, event.may_win)


def _kong_stands(window: RobbingWindow, table: Table) -> Table:
    """Nobody robbed it: the pung becomes a kong."""
    seat, tile = window.seat, window.tile
    melds = tuple(added(meld, tile) if _takes(meld, tile) else meld for meld in table.melds[seat])
    return table._replace(melds=at_seat(table.melds, seat, melds))


def _takes(meld: Meld, tile: TileId) -> bool:
    return meld.kind is MeldKind.PUNG and kind_of(meld.tiles[0]) == kind_of(tile)


def _claimed(window: DiscardWindow, table: Table, event: TileClaimed) -> AfterClaim:
    seat, own, tile = event.seat, event.claim.tiles, window.tile
    kind = MELDED[type(event.claim)]
    table = _without_offered(window, table)
    table = with_hand(table, seat, sorted_without(table.hands[seat], *own))
    meld = Meld(kind, tuple(sorted((*own, tile))), claimed=tile, from_seat=window.seat)
    return AfterClaim(with_meld(table, seat, meld), seat)  # a kong draws its replacement at once


def _without_offered(window: Window, table: Table) -> Table:
    """The table without the tile of a window: it goes to whoever claimed it."""
    if isinstance(window, RobbingWindow):
        return table  # it lies on no pile
    discards = sorted_without(table.discards[window.seat], window.tile)
    return table._replace(discards=at_seat(table.discards, window.seat, discards))


def _ended(state: Dealt, table: Table, event: DealEnded) -> Ended:
    outcome = event.outcome
    if isinstance(outcome, Won) and outcome.kind is not WinKind.SELF_DRAWN:
        assert isinstance(state, DiscardWindow | RobbingWindow), "the tile of a window"
        table = _without_offered(state, table)
        table = with_hand(table, outcome.winner, (*table.hands[outcome.winner], outcome.tile))
    elif isinstance(state, RobbingWindow):
        table = with_hand(table, state.seat, (*table.hands[state.seat], state.tile))  # an aborted deal
    return Ended(table, outcome)
