"""`sparrow replay` on races and the pool: each comes out as it was, and what was changed is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.replay.pools import rerun_pool
from libs.cli.replay.races import rerun_race
from services.match.domain.pauses import Outage
from services.match.domain.pool import events as pool
from services.match.domain.pool.commands import RefuseStake, TakeStake
from services.match.domain.pool.dealing import certificate_of, deal_pool
from services.match.domain.pool.terms import PoolEnding, SeatEnding, StakeRefusal
from services.match.domain.race import events as ev
from services.match.domain.race.clocks import cpu_due, next_deadline
from services.match.domain.race.cpu_orders import cpu_order
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.state import Racing
from services.match.domain.race.terms import CpuLevel, RaceDeal
from tests.support.attempts import ANA, BEN, after
from tests.support.pools import CARL, PoolTable
from tests.support.race_table import RaceTable

SEED, NONCE = bytes(range(32)), bytes(range(3, 35))
HOUR = 3_600_000


def _deal() -> RaceDeal:
    return deal_race(DEFAULTS, Difficulty.EASY, SEED, NONCE)


def _let_the_cpu_play(table: RaceTable, until_ms: int) -> None:
    """Every move of the CPU that is due by then, one after the other."""
    while isinstance(table.state, Racing):
        state = table.state
        due = [(cpu_due(state.race, seat, racer), seat) for seat, racer in enumerate(state.racers)]
        at, seat = min(((at, seat) for at, seat in due if at is not None), default=(table.at(HOUR), 0))
        if at > table.at(until_ms) or at >= (next_deadline(state) or at):
            break
        command = cpu_order(state, seat, at)
        if command is None:
            break
        assert isinstance(table.order(command), list)
    table.until(until_ms)


def _until_blocked(table: RaceTable, seat: int, by: UUID, ms: int) -> None:
    while pairs := table.racer(seat).board.pairs():
        ms += 10
        table.remove(ms, by, *pairs[0])


@pytest.fixture(scope="module")
def race() -> RaceTable:
    """Ana clears, Ben blocks, shuffles and leaves to the CPU, a CPU player plays on; an outage between."""
    deal = _deal()
    table = RaceTable.begun([ANA, BEN], deal, cpu=[CpuLevel.EASY])
    kinds = [tile for tile in range(68) if table.racer(0).board.free >> tile & 1]
    other = next(tile for tile in kinds if deal.faces[tile] != deal.faces[kinds[0]])
    table.remove(50, ANA, kinds[0], other)
    table.touch(100, BEN, deal.certificate[-1][0])
    table.hint(200, BEN)
    _until_blocked(table, 1, BEN, 1_000)
    table.shuffle(5_000, BEN)
    table.outages = (Outage(table.at(10_000), table.at(40_000)),)
    _let_the_cpu_play(table, 41_000)
    table.come_back(41_500, ANA)
    for number, pair in enumerate(deal.certificate[:-1]):
        table.remove(42_000 + 100 * number, ANA, *pair)
    table.remove(50_000, BEN, *table.racer(1).board.pairs()[0])
    table.leave(51_000, BEN)
    _let_the_cpu_play(table, 120_000)
    table.remove(120_500, ANA, *deal.certificate[-1])
    _let_the_cpu_play(table, HOUR + 60_000)
    return table


def _rated() -> RaceTable:
    deal = _deal()
    table = RaceTable.begun([ANA, BEN], deal, rated=True)
    table.ratings = {BEN: Rating(27.0, 5.0, 3)}
    for number, pair in enumerate(deal.certificate):
        table.remove(1_000 * number, ANA, *pair)
    table.give_up(100_000, BEN)
    return table


def test_a_race_comes_out_as_it_was(race: RaceTable) -> None:
    """People, CPU players and the CPU in a person's place; touches, a hint, a shuffle, an outage, returns."""
    kinds = {type(event) for event in race.events}
    stood_in = [event for event in race.events if getattr(event, "by_cpu", False)]
    by_cpu_player = [event for event in race.events if getattr(event, "seat", None) == 2]

    assert rerun_race(race.events, {}) is None
    assert kinds == {
        ev.RaceDealt,
        ev.RaceStarted,
        ev.ClockPaused,
        ev.RacePairRemoved,
        ev.RaceTileTouched,
        ev.RaceBoardShuffled,
        ev.RaceHintShown,
        ev.RaceSeatAway,
        ev.RaceSeatBack,
        ev.RaceEnded,
    }
    assert stood_in
    assert by_cpu_player


def test_ratings_come_out_of_those_before_the_race() -> None:
    """With other ones ahead of it, the end comes otherwise."""
    table = _rated()

    assert table.ended.ends[1].rating is not None
    assert rerun_race(table.events, table.ratings) is None
    assert "RaceEnded" in (rerun_race(table.events, {}) or "")


def _changed(events: Sequence[Any], kind: type[Any], change: Callable[[Any], Any]) -> list[Any]:
    """The events with the last one of a kind changed."""
    place = max(at for at, event in enumerate(events) if isinstance(event, kind))
    return [*events[:place], change(events[place]), *events[place + 1 :]]


def _other(**fields: Any) -> Callable[[Any], Any]:
    return lambda event: replace(event, **fields)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (ev.RaceDealt, _other(rated=True)),
        (ev.RaceDealt, lambda event: replace(event, deals=(replace(event.deals[0], nonce=bytes(32)),))),
        (ev.RaceStarted, lambda event: replace(event, occurred_at=event.occurred_at + timedelta(seconds=1))),
        (ev.RacePairRemoved, lambda event: replace(event, second=event.first)),
        (ev.RaceTileTouched, _other(seat=2)),
        (ev.RaceTileTouched, _other(not_same=True)),
        (ev.RaceHintShown, lambda event: replace(event, first=event.second, second=event.first)),
        (ev.RacePairRemoved, lambda event: replace(event, by_cpu=not event.by_cpu)),
        (ev.RaceBoardShuffled, lambda event: replace(event, faces=event.faces[:1] * 68)),
        (ev.RaceBoardShuffled, lambda event: replace(event, present=event.present & (event.present - 1))),
        (ev.RaceSeatBack, _other(seat=2)),
        (ev.RaceEnded, lambda event: replace(event, ends=event.ends[::-1])),
    ],
)
def test_a_changed_event_of_a_race_is_named(
    race: RaceTable, kind: type[Any], change: Callable[[Any], Any]
) -> None:
    """Deals, the signal, moves of people and of the CPU, the end."""
    difference = rerun_race(_changed(race.events, kind, change), {})

    assert difference is not None
    assert difference.startswith("event ")


def test_a_pair_of_the_cpu_that_was_not_available_is_named(race: RaceTable) -> None:
    """It plays by the rules of everybody."""
    place = max(at for at, event in enumerate(race.events) if getattr(event, "seat", None) == 2)
    event: Any = race.events[place]
    twisted = replace(event, second=(event.second + 1) % 68)

    assert f"event {place + 1}:" in (
        rerun_race([*race.events[:place], twisted, *race.events[place + 1 :]], {}) or ""
    )


def test_a_race_that_was_cut_off_does_not_end() -> None:
    """Its last event is missing."""
    assert "does not end" in (rerun_race(_rated().events[:-1], {}) or "")


def pot() -> PoolTable:
    """Ana and Ben play, Carl cannot pay; undo, shuffle, hint, an outage; Ben leaves, Ana plays to the end."""
    deal = deal_pool(SEED, NONCE)
    table = PoolTable(deal, (ANA, BEN, CARL))
    table.order(TakeStake(ANA, after(10)))
    table.order(RefuseStake(CARL, StakeRefusal.TOO_FEW_CHIPS, after(20)))
    table.order(TakeStake(BEN, after(30)))
    table.wait_until(3_030)
    pairs = list(certificate_of(SEED))
    table.pair(*pairs[0], seat=0, ms=4_000)
    table.pair(*pairs[0], seat=1, ms=4_100)
    table.undo(0, 4_200)
    table.pair(*pairs[0], seat=0, ms=4_300)
    table.shuffle(1, 4_400)
    table.hint(0, 4_500)
    table.outages = (Outage(after(5_000), after(15_000)),)
    table.wait_until(15_100)
    for number, pair in enumerate(pairs[1:]):
        table.pair(*pair, seat=0, ms=16_000 + 100 * number)
    table.leave(1, 40_000)
    return table


def _training(ending: SeatEnding) -> PoolTable:
    table = PoolTable(deal_pool(SEED, NONCE))
    table.pair(*certificate_of(SEED)[0])
    if ending is SeatEnding.LEFT:
        table.restart()
    elif ending is SeatEnding.TIME:
        table.wait_until(600_000)
    else:
        for _ in range(5):
            table.shuffle()
        table.end()
    return table


def test_a_game_of_the_pool_comes_out_as_it_was() -> None:
    """Stakes, pairs, undo, shuffle, hint, an outage, leaving, clearing, the pot."""
    table = pot()
    rerun = rerun_pool(table.events)

    assert table.ended.ending is PoolEnding.PLAYED
    assert sum(table.payouts) == 200
    assert rerun.difference is None
    assert rerun.state == table.game


@pytest.mark.parametrize("ending", [SeatEnding.LEFT, SeatEnding.TIME, SeatEnding.ENDED])
def test_training_comes_out_as_it_was(ending: SeatEnding) -> None:
    """Started again, out of time, ended after the last shuffle."""
    table = _training(ending)

    assert table.ended.seats[0].ending is ending
    assert rerun_pool(table.events).difference is None


def test_a_match_that_nobody_paid_for_comes_out_as_it_was() -> None:
    """It is void after five seconds."""
    table = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN))
    table.wait_until(6_000)

    assert table.ended.ending is PoolEnding.VOID_STAKES
    assert rerun_pool(table.events).difference is None


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (pool.PoolDealt, lambda event: replace(event, deal=replace(event.deal, nonce=bytes(32)))),
        (pool.StakePaid, _other(seat=2)),
        (pool.PoolStarted, _other(occurred_at=after(3_031))),
        (pool.PoolPairRemoved, lambda event: replace(event, worth=event.worth + 1)),
        (pool.PoolPairRemoved, lambda event: replace(event, second=event.first)),
        (pool.PoolPairUndone, _other(charge=0)),
        (pool.PoolShuffled, lambda event: replace(event, faces=event.faces[::-1])),
        (pool.PoolHintGiven, _other(second=0, first=1)),
        (pool.PoolHintGiven, lambda event: replace(event, score=event.score + 5)),
        (pool.PoolSeatEnded, _other(ending=SeatEnding.ENDED)),
        (pool.PoolEnded, lambda event: replace(event, seats=event.seats[::-1])),
        (pool.PoolDealRevealed, _other(seed=bytes(32))),
    ],
)
def test_a_changed_event_of_the_pool_is_named(kind: type[Any], change: Callable[[Any], Any]) -> None:
    """The deal, stakes, worths, charges, shuffles, hints, the pot."""
    difference = rerun_pool(_changed(pot().events, kind, change)).difference

    assert difference is not None
    assert difference.startswith("event ")
