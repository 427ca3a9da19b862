"""A tournament's end at every instant of random play: a table counts as it stood then, and no otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.events import Event, RoundEnded
from services.match.domain.rivals.evolve import evolve
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.match.domain.rivals.sequence import match_end, table_stage
from services.match.domain.rivals.settle import cut, settle
from services.match.domain.rivals.stage import TournamentStage
from services.match.domain.rivals.state import Countdown, Over, Playing, State
from services.match.domain.rivals.terms import EndReason
from tests.support.rounds import SIGNAL_MS, Table, apart, at, dealt, fold

ACCOUNTS = tuple(UUID(int=number) for number in (0xA, 0xB, 0xC, 0xD))
FACES = "1m 1m 2m 2m 3m 3m 4m 4m"
TILES = 8
LIMIT_MS = 60_000
NEVER_MS = 10_000_000
GAPS_MS = (1, 250, 1_000, 4_000, 19_999, 20_000)


@dataclass(frozen=True)
class Order:
    """What a seat does at an instant."""

    ms: int
    seat: int
    what: str
    tile: int


def _orders(rng: Random, seats: int) -> list[Order]:
    orders, now = [], 0
    for _ in range(rng.randrange(1, 24)):
        now += rng.choice(GAPS_MS)
        what = rng.choices(("pair", "touch", "joker", "leave"), (12, 4, 2, 1))[0]
        orders.append(Order(now, rng.randrange(seats), what, rng.randrange(TILES)))
    return orders


def _table(seats: int, ends_ms: int) -> Table:
    laid_down = TournamentStage(UUID(int=9), 1, timedelta(milliseconds=LIMIT_MS), at(ends_ms))
    first = dealt(apart(TILES), FACES, ACCOUNTS[:seats], table_stage(laid_down))
    return Table([first], fold([first]))


def _obey(table: Table, order: Order) -> None:
    table.until(order.ms)
    if not isinstance(table.state, Playing):
        return
    seat, ms = order.seat, order.ms
    present = table.player(seat).board.position.present
    pairs = [tile for tile in range(0, TILES, 2) if present >> tile & 1]
    if order.what == "leave":
        table.leave(seat, ms)
    elif order.what == "touch" or not pairs:
        table.touch(seat, order.tile, ms)
    else:
        first = pairs[0]
        if table.player(seat).board.lifted != first:
            table.touch(seat, first, ms)
        if order.what == "pair":
            table.touch(seat, first + 1, ms, crucial=bool(order.tile % 2))
        elif isinstance(asked := table.use_joker(seat, ms), list) and asked:
            table.joker_spent(seat, table.player(seat).jokers_requested, ms)


def _played(seats: int, orders: list[Order], ends_ms: int, outages: tuple[Outage, ...] = ()) -> Table:
    table = _table(seats, ends_ms)
    table.outages = outages
    for order in orders:
        _obey(table, order)
    table.until(NEVER_MS if ends_ms < NEVER_MS else 5 * LIMIT_MS)
    return table


def _end(table: Table) -> TournamentMatchEnded:
    assert isinstance(table.state, Over)
    end = match_end(table.state)
    assert isinstance(end, TournamentMatchEnded)
    return end


def _standing(events: list[Event], before: datetime) -> State:
    """The state after what had happened before an instant."""
    return fold([event for event in events if event.occurred_at < before])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_a_table_that_is_cut_counts_as_it_stood(seed: int, seats: int) -> None:
    """At every instant at which anything happens, just before and just after it.

    What ends by itself before is not cut and ends as it would have ended; else the scores are those that
    stood, nobody has cleared, and nothing that came at the instant or later counts.
    """
    orders = _orders(Random(seed), seats)
    uncut = _played(seats, orders, NEVER_MS)
    whole = _end(uncut)
    instants = {(event.occurred_at - at(0)) // timedelta(milliseconds=1) for event in uncut.events}
    for ends_ms in sorted({ms + shift for ms in instants for shift in (-1, 0, 1)}):
        end = _end(_played(seats, orders, ends_ms))
        if not end.cut:
            assert end == whole
            assert whole.occurred_at <= at(ends_ms)
            continue
        before = _standing(uncut.events, at(ends_ms)) if ends_ms > -SIGNAL_MS else None
        assert end.occurred_at == at(max(ends_ms, -SIGNAL_MS))
        assert whole.occurred_at >= end.occurred_at
        assert not any(seat.cleared for seat in end.ends)
        if isinstance(before, Playing):
            assert [seat.round_score for seat in end.ends] == [each.score for each in before.players]
            assert end.acted == tuple(each.board.touches > 0 for each in before.players)
        else:
            assert end.acted == (False,) * seats
            assert all((seat.round_score, seat.place) == (0, 1) for seat in end.ends)


def _is_cleared(state: State) -> bool:
    return isinstance(state, Playing) and any(player.cleared for player in state.players)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_a_cut_never_gives_the_row_of_a_cleared_board(seed: int, seats: int) -> None:
    """By its end or by an operator, at any instant: cut and cleared exclude each other."""
    rng = Random(seed)
    orders = _orders(rng, seats)
    ends = [_end(_played(seats, orders, rng.randrange(-SIGNAL_MS, LIMIT_MS))) for _ in range(4)]
    uncut = _played(seats, orders, NEVER_MS)
    for length in range(1, len(uncut.events) + 1):
        state = fold(uncut.events[:length])
        if not isinstance(state, Countdown | Playing) or _is_cleared(state):
            continue  # the last pair and the end are one command
        after: State = state
        for event in cut(state, state.last_at + timedelta(milliseconds=rng.randrange(3_000))):
            after = evolve(after, event)
        assert isinstance(after, Over)
        end = match_end(after)
        assert isinstance(end, TournamentMatchEnded)
        ends.append(end)
    for end in ends:
        assert not (end.cut and any(seat.cleared for seat in end.ends))
        assert sum(seat.cleared for seat in end.ends) <= 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 40_000), st.integers(1, 40_000))
def test_an_outage_moves_clocks_and_no_end_of_a_tournament(seed: int, since_ms: int, long_ms: int) -> None:
    """Whatever was out and when: the table is over by the end, and settling again is idle."""
    rng = Random(seed)
    orders = [order for order in _orders(rng, 3) if not since_ms <= order.ms < since_ms + long_ms]
    ends_ms = rng.randrange(1, 80_000)
    outages = (Outage(at(since_ms), at(since_ms + long_ms)),)
    table = _played(3, orders, ends_ms, outages)
    [ended] = [event for event in table.events if isinstance(event, RoundEnded)]
    times = [event.occurred_at for event in table.events]

    assert ended.occurred_at <= at(ends_ms)
    assert (ended.reason is EndReason.CUT) == _end(table).cut
    assert times == sorted(times)
    assert settle(table.state, at(NEVER_MS), outages) == []
