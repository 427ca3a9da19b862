"""Games of the pool on the wire: what one seat may see. Of another seat: score, pairs left, how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.following import Change, End, Heartbeat, Seen, Snapshot
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import pool_pb2 as pb
from libs.pb.sparrow.match.v1 import pool_service_pb2 as service_pb
from libs.rules.solitaire.bitset import bits
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import layout_name, match_name, player_name
from services.match.domain.pool import events as ev
from services.match.domain.pool.dealing import DISTINCT_FACES
from services.match.domain.pool.state import Dealt, Seat, State, seat_of
from services.match.domain.pool.terms import MILLISECOND, Phase, Stake
from services.match.domain.pool.values import charge
from services.match.domain.rematch_offers import after_pool
from services.match.wire.boards import timestamp
from services.match.wire.layouts import layout_to_wire
from services.match.wire.pool_codec import ENDINGS, SEAT_ENDINGS, STAKE_REFUSALS, pair
from services.match.wire.rematches import offer_message

STATES: Final = {
    Phase.STAKING: pb.POOL_STATE_STAKING,
    Phase.COUNTDOWN: pb.POOL_STATE_COUNTDOWN,
    Phase.RUNNING: pb.POOL_STATE_RUNNING,
    Phase.OVER: pb.POOL_STATE_OVER,
}
_OF_A_BOARD: Final = (
    ev.PoolPairRemoved,
    ev.PoolPairUndone,
    ev.PoolShuffled,
    ev.PoolShuffleImpossible,
    ev.PoolHintGiven,
)


def game_message(game_id: UUID, state: Dealt, account_id: UUID, at: datetime) -> pb.PoolGame:
    """The game as the seat of an account sees it; the clock is read at `at`."""
    number, deal = _seat(state, account_id), state.deal
    seat = state.seats[number]
    return pb.PoolGame(
        name=match_name(game_id),
        training=state.terms.is_training,
        state=STATES[state.phase],
        own_seat=_seat_message(seat),
        opponents=_opponents(state, number),
        uses=_uses(seat),
        layout=layout_to_wire(deal.layout, deal.layout_title),
        board=_board(state, seat),
        start_time=_start_time(state),
        elapsed_ms=state.clock_ms(at),
        limit_ms=state.terms.limit // MILLISECOND,
        stake=state.terms.stake,
        pot=state.pot,
        commitment=deal.commitment,
        result=_own_result(game_id, state, seat),
    )


def update_message(
    game_id: UUID, events: Sequence[ev.Event], state: Dealt, account_id: UUID
) -> pb.PoolUpdate | None:
    """What the events of one command changed for a seat; None when it sees nothing of it.

    `state` is the state right after them.
    """
    number = _seat(state, account_id)
    if not any(_concerns(event, number) for event in events):
        return None
    seat = state.seats[number]
    message = pb.PoolUpdate(
        time=timestamp(events[-1].occurred_at),
        state=STATES[state.phase],
        own_seat=_seat_message(seat),
        opponents=_opponents(state, number),
        uses=_uses(seat),
        pot=state.pot,
        result=_own_result(game_id, state, seat),
    )
    for event in events:
        if isinstance(event, ev.CountdownBegun | ev.PoolStarted | ev.ClockPaused):
            message.start_time.CopyFrom(timestamp(state.signal_at))
        own = isinstance(event, _OF_A_BOARD) and event.seat == number
        if own or isinstance(event, ev.PoolStarted | ev.PoolDealt):
            message.board.CopyFrom(_board(state, seat))
        if isinstance(event, _OF_A_BOARD) and event.seat == number:
            message.time.CopyFrom(timestamp(event.occurred_at))
            _tell(message, event)
    return message


def stream_message(
    game_id: UUID, account_id: UUID, seen: Seen[State, ev.Event], resume_token: str, now: datetime
) -> service_pb.WatchPoolGameResponse | None:
    """One message to the seat of an account; None when it sees nothing of a change."""
    message = service_pb.WatchPoolGameResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            assert isinstance(state, Dealt), "the deal comes first"
            message.snapshot.CopyFrom(game_message(game_id, state, account_id, now))
        case Change(events=events, state=state):
            assert isinstance(state, Dealt), "the deal comes first"
            update = update_message(game_id, events, state, account_id)
            if update is None:
                return None
            message.update.CopyFrom(update)
        case Heartbeat():
            message.heartbeat.time.CopyFrom(timestamp(now))
        case End(reason=reason):
            message.end.reason, message.end.text = reason, ending_text(reason)
    return message


def _concerns(event: ev.Event, number: int) -> bool:
    """Whether a seat sees anything of the event: of others what changes their score or their end."""
    return not isinstance(event, ev.PoolShuffleImpossible) or event.seat == number


def _seat(state: Dealt, account_id: UUID) -> int:
    number = seat_of(state, account_id)
    assert number is not None, "whoever is answered has a seat"
    return number


def _seat_message(seat: Seat) -> pb.PoolSeat:
    return pb.PoolSeat(
        player=player_name(seat.account_id),
        score=seat.score,
        pairs_left=seat.board.pairs_left,
        ending=pb.POOL_SEAT_ENDING_UNSPECIFIED if seat.ending is None else SEAT_ENDINGS[seat.ending],
        stake_paid=seat.stake is Stake.PAID,
        stake_refusal=pb.POOL_STAKE_REFUSAL_UNSPECIFIED
        if seat.stake_refusal is None
        else STAKE_REFUSALS[seat.stake_refusal],
    )


def _opponents(state: Dealt, own: int) -> list[pb.PoolSeat]:
    return [_seat_message(seat) for number, seat in enumerate(state.seats) if number != own]


def _uses(seat: Seat) -> pb.PoolUses:
    return pb.PoolUses(
        undos=seat.undos,
        shuffles=seat.shuffles,
        hints=seat.hints,
        next_charge=charge(seat.board.pairs_left),
        pairs_taken=len(seat.taken),
    )


def _board(state: Dealt, seat: Seat) -> pb.PoolBoard:
    """The board as its player may see it: the one place where faces leave for a client."""
    board = seat.board
    if state.phase in {Phase.STAKING, Phase.COUNTDOWN} or not seat.plays:
        return pb.PoolBoard(present=bits(board.present), pair_available=True)
    seen = board.present if state.terms.is_training else board.uncovered
    return pb.PoolBoard(
        present=bits(board.present),
        faces=[match_pb2.VisibleFace(tile=tile, face=board.faces[tile]) for tile in bits(seen)],
        free_tiles=bits(board.free),
        pair_available=board.pair_available,
        board_version=seat.board_version,
    )


def _start_time(state: Dealt) -> Timestamp | None:
    return None if state.phase is Phase.STAKING else timestamp(state.signal_at)


def _tell(message: pb.PoolUpdate, event: ev.BoardFact) -> None:
    match event:
        case ev.PoolPairRemoved(first=first, second=second, worth=worth):
            message.outcome, message.worth = pb.POOL_OUTCOME_PAIRED, worth
            message.pair.CopyFrom(pair(first, second))
        case ev.PoolPairUndone(first=first, second=second, charge=cost):
            message.outcome, message.charge = pb.POOL_OUTCOME_UNDONE, cost
            message.pair.CopyFrom(pair(first, second))
        case ev.PoolHintGiven(first=first, second=second, charge=cost):
            message.outcome, message.charge = pb.POOL_OUTCOME_HINTED, cost
            message.pair.CopyFrom(pair(first, second))
        case ev.PoolShuffled(charge=cost):
            message.outcome, message.charge = pb.POOL_OUTCOME_SHUFFLED, cost
        case ev.PoolShuffleImpossible():
            message.outcome = pb.POOL_OUTCOME_SHUFFLE_IMPOSSIBLE


def _own_result(game_id: UUID, state: Dealt, seat: Seat) -> pb.PoolResult | None:
    """The result as a seat sees it: with the offer of a rematch, if it has paid its stake."""
    result, offer = result_message(state), offer_message(after_pool(game_id, state))
    if result is not None and offer is not None and seat.plays:
        result.rematch_offer.CopyFrom(offer)
    return result


def result_message(state: Dealt) -> pb.PoolResult | None:
    """How the game ended, and the deal laid open; None while it goes on."""
    ended, deal = state.ended, state.deal
    if ended is None:
        return None
    return pb.PoolResult(
        ending=ENDINGS[ended.ending],
        seats=[
            pb.PoolSeatResult(
                player=player_name(seat.account_id),
                place=result.place,
                score=result.score,
                ending=SEAT_ENDINGS[result.ending],
                end_time=timestamp(result.ended_at),
                pairs_left=result.pairs_left,
                payout=result.payout,
            )
            for seat, result in zip(state.seats, ended.seats, strict=True)
        ],
        reveal=pb.PoolReveal(
            seed=deal.seed,
            nonce=deal.nonce,
            catalogue_version=deal.catalogue_version,
            layout=layout_name(deal.layout.name),
            distinct_faces=DISTINCT_FACES,
        ),
        next_game="" if ended.next_game_id is None else match_name(ended.next_game_id),
    )
