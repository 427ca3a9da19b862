"""How past facts change a round. Never refuses, never asks a solver."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from services.match import events as plain
from services.match.domain.evolve import touched
from services.match.domain.position import Position
from services.match.domain.rivals.clocks import Outage, moved_on
from services.match.domain.rivals.events import (
    ClockPaused,
    DealRevealed,
    Event,
    JokerGivenUp,
    JokerRequested,
    JokerUsed,
    RoundDealt,
    RoundEnded,
    RoundStarted,
    SeatLiftedTile,
    SeatPutTileBack,
    SeatRemovedPair,
    SeatTouchedBlocked,
    SeatTouchedNotSame,
    SeatWentOut,
)
from services.match.domain.rivals.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    PendingJoker,
    Player,
    Playing,
    Round,
    State,
)
from services.match.domain.rivals.terms import OutReason
from services.match.domain.state import Seat

_NO_TIME: Final = timedelta(0)


def initial() -> State:
    """A stream without events."""
    return NotDealt()


def evolve(state: State, event: Event) -> State:
    """The state after a past fact."""
    match event:
        case RoundDealt():
            assert isinstance(state, NotDealt), "a stream holds one round"
            at, stage = event.occurred_at, event.stage
            made = Round(event.match_id, event.accounts, event.deal, at, stage)
            return Countdown(made, since=at, last_at=at, paused_until=at, left=stage.left)
        case RoundStarted():
            assert isinstance(state, Countdown), "there is one signal"
            return begun(state, event.occurred_at)
        case ClockPaused():
            return _pause(state, event)
        case SeatWentOut(seat=seat) if isinstance(state, Countdown):
            left = tuple(sorted({*state.left, seat}))
            return replace(state, left=left, last_at=event.occurred_at)
        case JokerGivenUp() if isinstance(state, Over):
            return replace(state, last_at=event.occurred_at)
        case DealRevealed():
            assert isinstance(state, Over), "the deal stays secret until the end"
            return state
        case RoundEnded():
            playing = begun(state, event.occurred_at) if isinstance(state, Countdown) else _playing(state)
            players = tuple(_pending_lost(player) for player in playing.players)
            return Over(playing.round, players, playing.since, event.occurred_at, event)
        case _:
            playing = _playing(state)
            changed = _seat_changed(playing.players[event.seat], event)
            players = (*playing.players[: event.seat], changed, *playing.players[event.seat + 1 :])
            return replace(playing, players=players, last_at=event.occurred_at)


def _playing(state: State) -> Playing:
    assert isinstance(state, Playing), "only a round that has begun goes on"
    return state


def begun(state: Countdown, at: datetime) -> Playing:
    """The round as it begins at an instant; one that is cut before its signal ends as it would have begun."""
    deal = state.round.deal
    position = Position(deal.layout, deal.faces, deal.layout.full)
    seen = position.uncovered()
    stage = state.round.stage
    players = tuple(
        Player(
            account_id,
            Seat(position, None, known=seen, fresh=seen, board_version=stage.board_version(seat), touches=0),
            score=0,
            record_ms=None,
            pace_since=at,
            idle_since=at,
            jokers_requested=0,
            jokers_used=0,
            pending=None,
            given_up=(),
            out=OutReason.LEFT if seat in state.left else None,
        )
        for seat, account_id in enumerate(state.round.accounts)
    )
    return Playing(state.round, players, since=at, last_at=at, paused_until=state.paused_until)


def _pause(state: State, event: ClockPaused) -> Dealt:
    outage = Outage(event.since, event.until)
    match state:
        case Countdown():
            return replace(
                state,
                since=moved_on(state.since, outage),
                last_at=event.occurred_at,
                paused_until=event.until,
            )
        case Playing():
            players = tuple(
                replace(
                    player,
                    pace_since=moved_on(player.pace_since, outage),
                    idle_since=moved_on(player.idle_since, outage),
                    pending=_held(player.pending, outage),
                )
                for player in state.players
            )
            return replace(
                state,
                players=players,
                since=moved_on(state.since, outage),
                last_at=event.occurred_at,
                paused_until=event.until,
            )
        case _:
            raise AssertionError("only running clocks are paused")


def _held(pending: PendingJoker | None, outage: Outage) -> PendingJoker | None:
    return pending and replace(pending, held_since=moved_on(pending.held_since, outage))


def _pending_lost(player: Player) -> Player:
    """A joker that is still open when the seat's part is over comes to nothing."""
    if player.pending is None:
        return player
    return replace(player, pending=None, given_up=(*player.given_up, player.pending.number))


def _seat_changed(
    player: Player,
    event: SeatLiftedTile
    | SeatPutTileBack
    | SeatTouchedNotSame
    | SeatTouchedBlocked
    | SeatRemovedPair
    | JokerRequested
    | JokerUsed
    | JokerGivenUp
    | SeatWentOut,
) -> Player:
    at = event.occurred_at
    match event:
        case SeatLiftedTile(tile=tile, replaced=replaced):
            return replace(player, board=touched(player.board, plain.TileLifted(tile, replaced, at)))
        case SeatPutTileBack(tile=tile):
            return replace(player, board=touched(player.board, plain.TilePutBack(tile, at)))
        case SeatTouchedNotSame(tile=tile):
            return replace(player, board=touched(player.board, plain.TouchNotSame(tile, at)))
        case SeatTouchedBlocked(tile=tile, why=why, round_score=score):
            board = touched(player.board, plain.TouchBlocked(tile, why, at))
            return replace(player, board=board, score=score)
        case SeatRemovedPair(first=first, second=second):
            board = touched(player.board, plain.PairRemoved(first, second, at))
            return replace(
                player,
                board=board,
                score=event.round_score,
                record_ms=event.record_ms,
                pace_since=at,
                idle_since=at,
            )
        case JokerRequested(number=number, first=first, second=second):
            pending = PendingJoker(number, first, second, requested_at=at, held_since=at)
            return replace(player, pending=pending, jokers_requested=number)
        case JokerUsed(first=first, second=second):
            board = touched(player.board, plain.PairRemoved(first, second, at))
            return replace(
                player,
                board=replace(board, touches=player.board.touches),
                score=event.round_score,
                pace_since=at,
                idle_since=at,
                jokers_used=player.jokers_used + 1,
                pending=None,
            )
        case JokerGivenUp():
            assert player.pending is not None, "only what is open can be given up"
            held = max(_NO_TIME, at - max(player.pending.held_since, player.idle_since))
            return replace(_pending_lost(player), idle_since=player.idle_since + held)
        case SeatWentOut(reason=reason):
            board = replace(player.board, fresh=0, board_version=player.board.board_version + 1)
            return replace(_pending_lost(player), board=board, out=reason)
