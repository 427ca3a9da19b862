"""What a seat's order brings about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from libs.rules.solitaire.touch import BlockedTouch, Lifted, NotSame, Paired, touch
from libs.rules.solitaire.touch import PutBack as TouchedLifted
from services.match.commands import Leave, PutBack, Touch
from services.match.domain.partner import JOKERS_MAX, NeedsPartner, Partner, partner_of
from services.match.domain.position import Position
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import MILLISECOND, Outage
from services.match.domain.rivals.commands import Command, GiveUpJoker, TakeJoker, UseJoker
from services.match.domain.rivals.events import (
    Event,
    JokerGivenUp,
    JokerRequested,
    JokerUsed,
    SeatLiftedTile,
    SeatPutTileBack,
    SeatRemovedPair,
    SeatTouchedBlocked,
    SeatTouchedNotSame,
    SeatWentOut,
)
from services.match.domain.rivals.evolve import evolve
from services.match.domain.rivals.scoring import (
    JOKER_WORTH,
    after_blocked,
    pair_kind,
    record_after,
    worth_of,
)
from services.match.domain.rivals.settle import all_out, due_at, ending
from services.match.domain.rivals.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    Player,
    Playing,
    State,
    seat_of,
)
from services.match.domain.rivals.terms import EndReason, Judged, OutReason, Verdict

TOUCHES_MAX: Final = 1_200
"""Touches and put-backs of one seat in one round."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Deadlines have passed. Settle the round first, then decide again."""

    due: datetime


@dataclass(frozen=True, slots=True)
class NeedsVerdict:
    """The touch makes a pair. Ask a solver which pair of this position is crucial, and decide again."""

    position: Position


@dataclass(frozen=True, slots=True)
class Outside:
    """What was found out between two judgements of the same command."""

    outages: tuple[Outage, ...] = ()
    judged: Judged | None = None
    partner: Partner | None = None


Question = Unsettled | NeedsVerdict | NeedsPartner
Decision = list[Event] | Refusal | Question


def decide(command: Command, state: State, outside: Outside = Outside()) -> Decision:
    """The facts that an order brings about, why it changes nothing, or what must be found out first."""
    if isinstance(state, NotDealt):
        return Refusal.NOT_FOUND
    seat = seat_of(state, command.account_id)
    if seat is None:
        return Refusal.NOT_YOURS
    due = due_at(state, command.at, outside.outages)
    if due is not None:
        return Unsettled(due)
    if isinstance(command, TakeJoker | GiveUpJoker):
        return _joker_outcome(command, state, seat)
    if isinstance(command, Leave):
        return _leave(command, state, seat)
    playing = _admit(command, state, seat)
    if isinstance(playing, Refusal):
        return playing
    at, player = max(command.at, playing.last_at), playing.players[seat]
    match command:
        case PutBack():
            lifted = player.board.lifted
            return Refusal.NOTHING_LIFTED if lifted is None else [SeatPutTileBack(seat, lifted, at)]
        case Touch(tile=tile):
            return _touch(playing, seat, tile, at, outside.judged)
        case UseJoker():
            return _request_joker(player, seat, at, outside.partner)


def _leave(command: Leave, state: Dealt, seat: int) -> Decision:
    """The seat plays no further. Of several rounds one leaves in a break too, and when out in this one."""
    stage = state.round.stage
    if isinstance(state, Over):
        return Refusal.MATCH_ENDED
    at = max(command.at, state.last_at)
    if isinstance(state, Countdown):
        if stage.number == 1:
            return Refusal.NOT_STARTED
        return Refusal.SEAT_OUT if seat in state.left else [SeatWentOut(seat, OutReason.LEFT, at)]
    out = state.players[seat].out
    if out is OutReason.LEFT or (out is not None and not stage.is_of_several):
        return Refusal.SEAT_OUT
    return _and_end(state, SeatWentOut(seat, OutReason.LEFT, at))


def _admit(command: Touch | PutBack | UseJoker, state: Dealt, seat: int) -> Playing | Refusal:
    """The round in which the seat may act, or the first reason why not."""
    if isinstance(state, Countdown):
        return Refusal.NOT_STARTED
    if isinstance(state, Over):
        return Refusal.MATCH_ENDED
    player = state.players[seat]
    if player.out is not None:
        return Refusal.SEAT_OUT
    if player.pending is not None:
        return Refusal.JOKER_PENDING
    if command.expected_board_version != player.board.board_version:
        return Refusal.STALE_BOARD_VERSION
    if isinstance(command, Touch) and not 0 <= command.tile < state.round.deal.layout.size:
        return Refusal.TILE_OUT_OF_RANGE
    if isinstance(command, Touch | PutBack) and player.board.touches >= TOUCHES_MAX:
        return Refusal.TOUCH_LIMIT
    return state


def _touch(playing: Playing, seat: int, tile: int, at: datetime, judged: Judged | None) -> Decision:
    player = playing.players[seat]
    board, position = player.board, player.board.position
    if not position.present >> tile & 1:
        return Refusal.TILE_GONE
    match touch(position.layout, position.faces, position.present, board.lifted, tile):
        case Lifted(tile=tile, replaced=replaced):
            return [SeatLiftedTile(seat, tile, replaced, at)]
        case TouchedLifted(tile=tile):
            return [SeatPutTileBack(seat, tile, at)]
        case NotSame(tile=tile):
            return [SeatTouchedNotSame(seat, tile, at)]
        case BlockedTouch(tile=tile, why=why):
            return [SeatTouchedBlocked(seat, tile, why, after_blocked(player.score), at)]
        case Paired(first=first, second=second):
            if judged is None or judged.present != position.present:
                return NeedsVerdict(position)
            return _and_end(playing, _pair(player, seat, first, second, at, judged))


def _pair(
    player: Player, seat: int, first: int, second: int, at: datetime, judged: Judged
) -> SeatRemovedPair:
    took_ms = max(0, (at - player.pace_since) // MILLISECOND)
    crucial = judged.crucial == (min(first, second), max(first, second))
    kind = pair_kind(took_ms, player.record_ms, crucial=crucial)
    return SeatRemovedPair(
        seat,
        first,
        second,
        kind=kind,
        worth=worth_of(kind),
        round_score=player.score + worth_of(kind),
        took_ms=took_ms,
        record_ms=record_after(took_ms, player.record_ms),
        verdict=Verdict(crucial, judged.undecided, judged.nodes, judged.kernel),
        occurred_at=at,
    )


def _and_end(playing: Playing, event: SeatRemovedPair | JokerUsed | SeatWentOut) -> list[Event]:
    """The fact, and the end of the round where it brings that about."""
    after = evolve(playing, event)
    assert isinstance(after, Playing)
    if after.players[event.seat].cleared:
        return [event, *ending(after, EndReason.CLEARED, event.occurred_at)]
    if all_out(after):
        return [event, *ending(after, EndReason.ALL_OUT, event.occurred_at)]
    return [event]


def _request_joker(player: Player, seat: int, at: datetime, partner: Partner | None) -> Decision:
    position, first = player.board.position, player.board.lifted
    if first is None:
        return Refusal.NOTHING_LIFTED
    if player.jokers_used >= JOKERS_MAX:
        return Refusal.JOKERS_USED_UP
    second = partner_of(position, first, partner)
    if isinstance(second, NeedsPartner):
        return second
    return [JokerRequested(seat, player.jokers_requested + 1, first, second, at)]


def _joker_outcome(command: TakeJoker | GiveUpJoker, state: State, seat: int) -> Decision:
    """What the ledger's answer brings: nothing where the request is no longer open."""
    if not isinstance(state, Playing):
        return []
    player, at = state.players[seat], max(command.at, state.last_at)
    if player.pending is None or player.pending.number != command.number:
        return []
    if isinstance(command, GiveUpJoker):
        return [JokerGivenUp(seat, command.number, command.reason, at)]
    used = JokerUsed(
        seat,
        command.number,
        player.pending.first,
        player.pending.second,
        worth=JOKER_WORTH,
        round_score=player.score + JOKER_WORTH,
        occurred_at=at,
    )
    return _and_end(state, used)
