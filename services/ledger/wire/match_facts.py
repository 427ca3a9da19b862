"""Facts of the match service, as far as the ledger reads them."""

from __future__ import annotations

from uuid import UUID

from google.protobuf.message import DecodeError

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import match_event_pb2, race_event_pb2
from services.ledger.assets import (
    HOUSE_POINTS,
    HOUSE_RATINGS,
    Asset,
    player_account,
)
from services.ledger.commands import PostTransfer

ATTEMPT_CLEARED = "sparrow.match.attempt_cleared.v1"
QUICK_MATCH_ENDED = "sparrow.match.quick_match_ended.v1"
QUICK_MATCH_POINTS = frozenset({0, 15, 20})
ARENA_ENDED = "sparrow.match.arena_ended.v1"
ARENA_PRIZES = (80, 40, 20, 0)
RACE_ENDED = "sparrow.match.race_ended.v1"


def orders_of_match_fact(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return the transfers that a declared match fact earns. Raises ValueError when it makes no sense."""
    if recorded.type == QUICK_MATCH_ENDED:
        return orders_of_quick_match(recorded, source)
    if recorded.type == ARENA_ENDED:
        return orders_of_arena(recorded, source)
    if recorded.type == RACE_ENDED:
        return orders_of_race(recorded, source)
    return orders_of_cleared(recorded, source)


def orders_of_cleared(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return the transfers that a cleared attempt earns. Raises ValueError when the fact makes no sense."""
    try:
        cleared = match_event_pb2.AttemptCleared.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no AttemptCleared: {error}") from error
    account, level = UUID(cleared.account_id), cleared.level
    earned = []
    if cleared.first_completion_points:
        earned.append((f"level/{level}/first/{account}", cleared.first_completion_points, "LEVEL_FIRST"))
    if bonus := cleared.time_bonus_points:
        earned.append((f"level/{level}/time/{bonus}/{account}", bonus, "LEVEL_TIME"))
    if level < 1 or any(points < 0 for _, points, _ in earned):
        raise ValueError(f"level {level} with {earned}")
    return tuple(_earned(recorded, source, account, *order) for order in earned)


def orders_of_quick_match(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return the winner's transfer. Raises ValueError when the fact makes no sense."""
    try:
        ended = match_event_pb2.QuickMatchEnded.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no QuickMatchEnded: {error}") from error
    match_id = UUID(ended.match_id)
    seats = {UUID(seat.account_id): seat.points for seat in ended.seats}
    winners = {account: points for account, points in seats.items() if points}
    is_sound = len(seats) == len(ended.seats) and QUICK_MATCH_POINTS.issuperset(seats.values())
    if not is_sound or len(winners) > 1:
        raise ValueError(f"match {match_id} with {[seat.points for seat in ended.seats]} points")
    return tuple(
        _earned(recorded, source, account, f"match/{match_id}/quick/{account}", points, "QUICK_MATCH")
        for account, points in winners.items()
    )


def orders_of_arena(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return the transfers of the prizes. Raises ValueError when they are not those of the places."""
    try:
        ended = match_event_pb2.ArenaEnded.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no ArenaEnded: {error}") from error
    match_id = UUID(ended.match_id)
    places = [seat.place for seat in ended.seats]
    seats = {UUID(seat.account_id): seat.points for seat in ended.seats}
    if len(seats) != len(ARENA_PRIZES) or list(seats.values()) != [_share(places, each) for each in places]:
        raise ValueError(f"match {match_id} with {list(seats.values())} points for the places {places}")
    return tuple(
        _earned(recorded, source, account, f"match/{match_id}/arena/{account}", points, "ARENA")
        for account, points in seats.items()
        if points
    )


def orders_of_race(recorded: RecordedEvent, source: str) -> tuple[PostTransfer, ...]:
    """Return what a rated race moves of ratings: each up or down to its new number.

    Raises ValueError when the fact makes no sense.
    """
    try:
        ended = race_event_pb2.RaceEnded.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no RaceEnded: {error}") from error
    race_id = UUID(ended.race_id)
    if not ended.rated:
        return ()
    moves = {UUID(seat.account_id): seat.rating_after - seat.rating_before for seat in ended.seats}
    if len(moves) != len(ended.seats) or len(moves) < 2:
        raise ValueError(f"race {race_id} is rated with {len(moves)} players on {len(ended.seats)} seats")
    return tuple(
        _rated(recorded, source, account, f"match/{race_id}/race/{account}", move)
        for account, move in moves.items()
        if move
    )


def _rated(recorded: RecordedEvent, source: str, account: UUID, key: str, move: int) -> PostTransfer:
    """Return the transfer of a rating that rises or falls."""
    player = player_account(account)
    return PostTransfer(
        key=key,
        asset=Asset.RATING,
        debit=HOUSE_RATINGS if move > 0 else player,
        credit=player if move > 0 else HOUSE_RATINGS,
        amount=abs(move),
        reason="RACE_RATING",
        occurred_at=recorded.occurred_at,
        recorded_at=recorded.recorded_at,
        cause=f"{source}:{recorded.id}",
    )


def _share(places: list[int], place: int) -> int:
    """Return what a place of an arena gets: an equal share of the prizes of those who share it."""
    sharing = places.count(place)
    return sum(ARENA_PRIZES[max(0, place - 1) : place - 1 + sharing]) // sharing


def _earned(
    recorded: RecordedEvent, source: str, account: UUID, key: str, points: int, reason: str
) -> PostTransfer:
    return PostTransfer(
        key=key,
        asset=Asset.POINTS,
        debit=HOUSE_POINTS,
        credit=player_account(account),
        amount=points,
        reason=reason,
        occurred_at=recorded.occurred_at,
        recorded_at=recorded.recorded_at,
        cause=f"{source}:{recorded.id}",
    )
