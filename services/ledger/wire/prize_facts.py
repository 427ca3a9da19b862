"""Facts of the tournament service, as far as the ledger reads them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.ids import EPOCH
from libs.pb.sparrow.tournament.v1 import tournament_event_pb2, tournament_pb2
from services.ledger.assets import (
    AMOUNT_MAX,
    CUP_KIND,
    HOUSE_CUPS,
    HOUSE_JOKERS,
    HOUSE_POINTS,
    Asset,
    player_account,
)
from services.ledger.commands import PostTransfer, PrizeStep, TakeBack

PRIZES_AWARDED: Final = "sparrow.tournament.prizes_awarded.v1"
PRIZES_REVOKED: Final = "sparrow.tournament.prizes_revoked.v1"
PRIZE_REASON: Final = "TOURNAMENT_PRIZE"
_HOUSES: Final = {Asset.POINTS: HOUSE_POINTS, Asset.JOKER: HOUSE_JOKERS, Asset.CUP: HOUSE_CUPS}


def steps_of_prize_fact(recorded: RecordedEvent, source: str) -> tuple[PrizeStep, ...]:
    """Return what a fact pays or takes back: for each award a transfer of points, of jokers and of its cup.

    They occurred as the tournament finished, whenever that was recorded. Raises ValueError when the fact
    makes no sense.
    """
    told = _told(recorded)
    finished_at = told.finish_time.ToDatetime(UTC)
    numbers = [award.number for award in told.awards]
    if finished_at <= EPOCH or len(set(numbers)) != len(numbers):
        raise ValueError(f"awards {numbers} of a tournament that finished at {finished_at}")
    orders = [order for award in told.awards for order in _orders(recorded, source, award, finished_at)]
    return tuple(orders) if recorded.type == PRIZES_AWARDED else tuple(map(TakeBack, orders))


def _told(
    recorded: RecordedEvent,
) -> tournament_event_pb2.PrizesAwarded | tournament_event_pb2.PrizesRevoked:
    is_award = recorded.type == PRIZES_AWARDED
    message = tournament_event_pb2.PrizesAwarded if is_award else tournament_event_pb2.PrizesRevoked
    try:
        return message.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no {message.__name__}: {error}") from error


def _orders(
    recorded: RecordedEvent, source: str, award: tournament_pb2.PrizeAward, finished_at: datetime
) -> Iterator[PostTransfer]:
    account, prize = UUID(award.account_id), award.prize
    is_sound = award.number >= 1 and all(0 <= each <= AMOUNT_MAX for each in (prize.points, prize.jokers))
    if not is_sound or (prize.cup_kind and CUP_KIND.fullmatch(prize.cup_kind) is None):
        raise ValueError(f"award {award.number} of {prize.points} points, {prize.jokers} jokers")
    goods = (
        (Asset.POINTS, prize.points),
        (Asset.JOKER, prize.jokers),
        (Asset.CUP, int(bool(prize.cup_kind))),
    )
    for asset, amount in goods:
        if amount:
            yield PostTransfer(
                key=f"tournament/{recorded.stream_id}/prize/{award.number}/{asset}",
                asset=asset,
                debit=_HOUSES[asset],
                credit=player_account(account),
                amount=amount,
                reason=PRIZE_REASON,
                occurred_at=finished_at,
                recorded_at=recorded.recorded_at,
                cause=f"{source}:{recorded.id}",
                cup_kind=prize.cup_kind if asset is Asset.CUP else "",
                is_caught_up=True,
            )
