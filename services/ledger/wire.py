"""Protobuf <-> the ledger's orders, facts and answers; and match facts, as far as the ledger reads them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from uuid import UUID

from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.envelope import NewEvent, Part, RecordedEvent
from libs.pb.sparrow.ledger.v1 import (
    ledger_event_pb2,
    ledger_operations_service_pb2,
    ledger_pb2,
    ledger_service_pb2,
)
from libs.pb.sparrow.match.v1 import match_event_pb2, race_event_pb2
from services.ledger.assets import (
    HOUSE_CHIPS,
    HOUSE_JOKERS,
    HOUSE_POINTS,
    HOUSE_RATINGS,
    Asset,
    player_account,
)
from services.ledger.commands import PostTransfer
from services.ledger.domain.bonus import Standing
from services.ledger.domain.calendar import ZONE_NAME, day_end
from services.ledger.domain.ranks import Entry
from services.ledger.domain.standing_days import StandingDay
from services.ledger.domain.windows import Board, Window
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferCancelled, TransferPosted

TRANSFER_POSTED = "sparrow.ledger.transfer_posted.v1"
TRANSFER_CANCELLED = "sparrow.ledger.transfer_cancelled.v1"
LEDGER_DAY_CLOSED = "sparrow.ledger.ledger_day_closed.v1"
ATTEMPT_CLEARED = "sparrow.match.attempt_cleared.v1"
QUICK_MATCH_ENDED = "sparrow.match.quick_match_ended.v1"
QUICK_MATCH_POINTS = frozenset({0, 15, 20})
ARENA_ENDED = "sparrow.match.arena_ended.v1"
ARENA_PRIZES = (80, 40, 20, 0)
RACE_ENDED = "sparrow.match.race_ended.v1"

ASSET_TO_WIRE = {
    Asset.POINTS: ledger_pb2.ASSET_POINTS,
    Asset.JOKER: ledger_pb2.ASSET_JOKER,
    Asset.CHIP: ledger_pb2.ASSET_CHIP,
    Asset.CUP: ledger_pb2.ASSET_CUP,
    Asset.RATING: ledger_pb2.ASSET_RATING,
}
ASSET_FROM_WIRE = {wire: asset for asset, wire in ASSET_TO_WIRE.items()}

BOARD_TO_WIRE = {
    Board.AMR: ledger_pb2.BOARD_AMR,
    Board.WEEKLY: ledger_pb2.BOARD_WEEKLY,
    Board.DAILY: ledger_pb2.BOARD_DAILY,
    Board.MCR_YEAR: ledger_pb2.BOARD_MCR_YEAR,
    Board.MCR_WEEKLY: ledger_pb2.BOARD_MCR_WEEKLY,
    Board.MCR_DAILY: ledger_pb2.BOARD_MCR_DAILY,
    Board.RACE_RATING: ledger_pb2.BOARD_RACE_RATING,
}
BOARD_FROM_WIRE = {wire: board for board, wire in BOARD_TO_WIRE.items()}

_COLLECTIONS = {"match": "matches", "level": "levels"}
"""What the first part of a key names, as part of a resource's name."""

posted_message = ledger_event_pb2.TransferPosted.FromString
"""Stored bytes of a posted transfer -> its message: all that a fold of millions has time for."""


def encode(event: LedgerEvent, occurred_at: datetime) -> NewEvent:
    """Return a fact as it is stored."""
    match event:
        case TransferPosted():
            message = ledger_event_pb2.TransferPosted(
                key=event.key,
                asset=ASSET_TO_WIRE[event.asset],
                debit=event.debit,
                credit=event.credit,
                amount=event.amount,
                reason=event.reason,
                day=event.day.isoformat(),
                time_zone_data=event.time_zone_data,
                cause=event.cause,
                reverses=event.reverses,
                cup_kind=event.cup_kind,
            )
            return _fact(TRANSFER_POSTED, occurred_at, message)
        case TransferCancelled(key):
            return _fact(TRANSFER_CANCELLED, occurred_at, ledger_event_pb2.TransferCancelled(key=key))
        case LedgerDayClosed(day):
            closed = ledger_event_pb2.LedgerDayClosed(day=day.isoformat())
            return _fact(LEDGER_DAY_CLOSED, occurred_at, closed)


def _fact(type_: str, occurred_at: datetime, message: Message) -> NewEvent:
    return NewEvent(Part.FACTS, type_, 1, occurred_at, message.SerializeToString(deterministic=True))


def decode(recorded: RecordedEvent) -> LedgerEvent | None:
    """Return a stored fact of the ledger; None for a type that the boards do not declare."""
    if recorded.type not in {TRANSFER_POSTED, TRANSFER_CANCELLED, LEDGER_DAY_CLOSED}:
        return None
    assert recorded.schema_version == 1, f"{recorded.id} has schema version {recorded.schema_version}"
    if recorded.type == TRANSFER_POSTED:
        return transfer_of(recorded.data, recorded.occurred_at)
    if recorded.type == TRANSFER_CANCELLED:
        cancelled = ledger_event_pb2.TransferCancelled.FromString(recorded.data)
        return TransferCancelled(cancelled.key, recorded.occurred_at)
    return LedgerDayClosed(closed_day(recorded.data))


def transfer_of(data: bytes, occurred_at: datetime) -> TransferPosted:
    """Return a posted transfer from its stored bytes."""
    message = posted_message(data)
    return TransferPosted(
        key=message.key,
        asset=ASSET_FROM_WIRE[message.asset],
        debit=message.debit,
        credit=message.credit,
        amount=message.amount,
        reason=message.reason,
        occurred_at=occurred_at,
        day=date.fromisoformat(message.day),
        time_zone_data=message.time_zone_data,
        cause=message.cause,
        reverses=message.reverses,
        cup_kind=message.cup_kind,
    )


def closed_day(data: bytes) -> date:
    """Return the day that a stored closing ends."""
    return date.fromisoformat(ledger_event_pb2.LedgerDayClosed.FromString(data).day)


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


def order_of_grant(
    request: ledger_service_pb2.GrantAssetRequest, granter: UUID, now: datetime
) -> PostTransfer:
    """Return the order in a grant whose fields were checked; its key is the operator's request."""
    asset = ASSET_FROM_WIRE[request.asset]
    return PostTransfer(
        key=f"grant/{granter}/{request.request_id}",
        asset=asset,
        debit=HOUSE_JOKERS if asset is Asset.JOKER else HOUSE_CHIPS,
        credit=request.player,
        amount=request.amount,
        reason=request.reason,
        occurred_at=now,
        recorded_at=now,
        cause="",
    )


def order_of_request(request: ledger_service_pb2.PostTransferRequest, recorded_at: datetime) -> PostTransfer:
    """Return the order in a request whose fields were checked."""
    return PostTransfer(
        key=request.key,
        asset=ASSET_FROM_WIRE[request.asset],
        debit=request.debit,
        credit=request.credit,
        amount=request.amount,
        reason=request.reason,
        occurred_at=request.occurred_time.ToDatetime(UTC),
        recorded_at=recorded_at,
        cause="",
        cup_kind=request.cup_kind,
    )


def transfer_message(transfer: TransferPosted, posted_at: datetime) -> ledger_pb2.Transfer:
    """Return a transfer as clients see it."""
    return ledger_pb2.Transfer(
        key=transfer.key,
        asset=ASSET_TO_WIRE[transfer.asset],
        debit=transfer.debit,
        credit=transfer.credit,
        amount=transfer.amount,
        reason=transfer.reason,
        occurred_time=timestamp(transfer.occurred_at),
        day=transfer.day.isoformat(),
        posted_time=timestamp(posted_at),
        reverses=transfer.reverses,
        cup_kind=transfer.cup_kind,
    )


def balance_messages(held: Mapping[Asset, int]) -> list[ledger_pb2.Balance]:
    """Return jokers and chips, in this order; what never moved is 0."""
    return [
        ledger_pb2.Balance(asset=ASSET_TO_WIRE[asset], amount=held.get(asset, 0))
        for asset in (Asset.JOKER, Asset.CHIP)
    ]


def bonus_message(standing: Standing, day: date, *, needs_receipt: bool) -> ledger_pb2.DailyBonus:
    """Return where a daily bonus stands on a day."""
    return ledger_pb2.DailyBonus(
        streak_day=standing.streak,
        claimed=standing.is_claimed,
        doubled=standing.is_doubled,
        next_points=standing.next_points,
        next_joker=standing.next_joker,
        doubling_points=standing.doubling_points,
        doubling_needs_receipt=needs_receipt,
        day=day.isoformat(),
        end_time=timestamp(day_end(day)),
        time_zone=ZONE_NAME,
    )


@lru_cache(maxsize=256)
def window_message(board: Board, window: Window | None) -> ledger_pb2.BoardWindow:
    """Return what a board counts, with the instants of its ends and the zone that sets them.

    It is one message for all who ask: to be copied into theirs, and not changed.
    """
    if window is None:
        return ledger_pb2.BoardWindow(board=BOARD_TO_WIRE[board])
    return ledger_pb2.BoardWindow(
        board=BOARD_TO_WIRE[board],
        first_day=window.first_day.isoformat(),
        last_day=window.last_day.isoformat(),
        start_time=timestamp(window.start),
        end_time=timestamp(window.end),
        time_zone=ZONE_NAME,
    )


def entry_message(entry: Entry, previous_rank: int = 0) -> ledger_pb2.BoardEntry:
    """Return one row of a board."""
    return ledger_pb2.BoardEntry(
        rank=entry.rank,
        player=player_account(entry.account),
        points=entry.points,
        previous_rank=previous_rank,
    )


def standing_message(
    board: Board, window: Window | None, entry: Entry | None, player_count: int
) -> ledger_pb2.Standing:
    """Return a player's row on one board; without an entry when the player is not listed."""
    listed = entry_message(entry) if entry is not None else None
    return ledger_pb2.Standing(window=window_message(board, window), entry=listed, player_count=player_count)


def contribution_message(
    transfer: TransferPosted, posted_at: datetime, points: int
) -> ledger_pb2.Contribution:
    """Return a transfer that counts in a standing, with what its key and its cause say it was earned in."""
    return ledger_pb2.Contribution(
        transfer=transfer_message(transfer, posted_at),
        points=points,
        cause=transfer.cause,
        subject=subject_of(transfer.reverses or transfer.key),
    )


def subject_of(key: str) -> str:
    """Return the name of the match or the level that a key is about; empty for any other key."""
    kind, _, rest = key.partition("/")
    subject = rest.partition("/")[0]
    collection = _COLLECTIONS.get(kind)
    return f"{collection}/{subject}" if collection and subject else ""


def standing_day_message(day: StandingDay, rank: int) -> ledger_service_pb2.StandingDay:
    """Return one day of a player."""
    return ledger_service_pb2.StandingDay(
        day=day.day.isoformat(), points=day.points, amr_points=day.year_points, amr_rank=rank
    )


def timestamp(instant: datetime) -> Timestamp:
    """Return an instant as protobuf has it."""
    message = Timestamp()
    message.FromDatetime(instant)
    return message


def generation_message(
    generation: int, *, active: bool, seq: int, as_of_day: date | None, digest: bytes, at: datetime | None
) -> ledger_operations_service_pb2.BoardGeneration:
    """Return where a generation of boards stands."""
    return ledger_operations_service_pb2.BoardGeneration(
        generation=generation,
        active=active,
        sequence=seq,
        as_of_day="" if as_of_day is None else as_of_day.isoformat(),
        digest=digest.hex(),
        as_of_time=None if at is None else timestamp(at),
    )


def board_row_message(
    board: Board, day: date, account: str, points: int
) -> ledger_operations_service_pb2.BoardRow:
    """Return one row of a generation."""
    return ledger_operations_service_pb2.BoardRow(
        board=BOARD_TO_WIRE[board], day=day.isoformat(), player=player_account(account), points=points
    )
