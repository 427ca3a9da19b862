"""Random feeds of the ledger: all families, late and early days, reversals, midnights, refused facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID

from libs.eventsourcing.ids import EPOCH
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.boards import DAY_POINTS_MAX
from services.ledger.domain.calendar import day_end, ledger_day
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferCancelled, TransferPosted
from services.ledger.projections.rebuilding.bulk import Fact
from services.ledger.wire.events import encode

FIRST_DAY = date(2026, 2, 20)
COUNTED = ("LEVEL_FIRST", "LEVEL_TIME", "QUICK_MATCH", "ARENA", "TOURNAMENT_PRIZE", "DAILY_BONUS")
POSTGRES_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def random_feed(random: Random, count: int, *, players: int = 6, refused: bool = True) -> list[LedgerEvent]:
    """Return so many facts: most of the day shown, some late by up to a year and a half, a few ahead."""
    facts: list[LedgerEvent] = []
    posted: list[TransferPosted] = []
    day = FIRST_DAY
    for number in range(count):
        match random.randrange(40):
            case 0 | 1:
                facts.append(LedgerDayClosed(day))
                day += timedelta(days=1)
            case 2:
                facts.append(LedgerDayClosed(day - timedelta(days=random.randrange(1, 9))))
            case 3:
                facts.append(TransferCancelled(f"never/{number}", day_end(day)))
            case 4 | 5 if posted:
                original = random.choice(posted)
                reversal = _reversed(original, number)
                facts.append(reversal)
            case _:
                transfer = _transfer(random, number, day, players, refused=refused)
                posted.append(transfer)
                facts.append(transfer)
    return facts


def stored(facts: Sequence[LedgerEvent]) -> Iterator[Fact]:
    """Yield facts as a bulk fold reads them."""
    for seq, fact in enumerate(facts, 1):
        event = encode(fact, occurred_at(fact))
        instant = (event.occurred_at - POSTGRES_EPOCH) // timedelta(microseconds=1)
        yield Fact(seq, event.type, event.schema_version, instant, event.data)


def occurred_at(fact: LedgerEvent) -> datetime:
    """Return when a fact occurred."""
    match fact:
        case TransferPosted():
            return fact.occurred_at
        case TransferCancelled(_, at):
            return at
        case LedgerDayClosed(day):
            return day_end(day)


def _transfer(random: Random, number: int, shown: date, players: int, *, refused: bool) -> TransferPosted:
    accounts = [player_account(UUID(int=1 + random.randrange(players))) for _ in range(2)]
    accounts[random.randrange(2)] = random.choice(
        (HOUSE_POINTS, HOUSE_POINTS, HOUSE_POINTS, "players/" + str(UUID(int=99)))
    )
    if accounts[0] == accounts[1]:
        accounts[0] = HOUSE_POINTS
    asset = random.choice((Asset.POINTS, Asset.POINTS, Asset.POINTS, Asset.RATING, Asset.JOKER, Asset.CUP))
    back = random.choice((0, 0, 0, 1, 7, 40, 364, 365, 500, -1, -2))
    noon = day_end(shown - timedelta(days=back)) - timedelta(hours=random.randrange(1, 20))
    amount = random.choice((1, 5, 15, 20, 20, 100, 255, 256))
    if refused and random.randrange(60) == 0:
        amount = DAY_POINTS_MAX
    return TransferPosted(
        key=f"match/{number}/quick/{accounts[1]}",
        asset=asset,
        debit=accounts[0],
        credit=accounts[1],
        amount=amount,
        reason=random.choice((*COUNTED, "MCR", "MCR_AI", "JOKER_PURCHASE", "RATED")),
        occurred_at=max(noon, EPOCH),
        day=ledger_day(noon),
        time_zone_data="2026.1",
        cause="",
        cup_kind="gold" if asset is Asset.CUP else "",
    )


def _reversed(original: TransferPosted, number: int) -> TransferPosted:
    return TransferPosted(
        key=f"reversal/{number}/{original.key}",
        asset=original.asset,
        debit=original.credit,
        credit=original.debit,
        amount=original.amount,
        reason=original.reason,
        occurred_at=original.occurred_at,
        day=original.day,
        time_zone_data=original.time_zone_data,
        cause="",
        reverses=original.key,
        cup_kind=original.cup_kind,
    )
