"""What a seat of a race is told, and what it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from libs.pb.sparrow.match.v1 import race_pb2 as pb
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.state import Countdown, Over, Racing
from services.match.races import closing
from services.match.wire.race_views import race_message, race_update
from tests.support.attempts import ANA, BEN
from tests.support.race_table import BLOCKED, RaceTable

ACCOUNTS = [UUID(int=0xA0 + n) for n in range(5)]
DEAL = deal_race(DEFAULTS, Difficulty.START, bytes([4] * 32), bytes(32))


def _race(table: RaceTable, account: UUID, ms: int = 0) -> pb.Race:
    assert isinstance(table.state, Countdown | Racing | Over)
    return race_message(table.state, account, table.at(ms))


def test_everybody_sees_the_first_three_and_who_is_fourth_or_lower_the_own_line_too() -> None:
    """By the live order, with whole percent."""
    table = RaceTable.begun(ACCOUNTS)
    for ms, account in enumerate(ACCOUNTS[:3], 1):
        table.remove(ms, account, 0, 1)
    first, fourth, fifth = (_race(table, account) for account in (ACCOUNTS[0], ACCOUNTS[3], ACCOUNTS[4]))

    assert [line.seat for line in first.lines] == [0, 1, 2]
    assert [line.seat for line in fourth.lines] == [0, 1, 2, 3]
    assert [line.seat for line in fifth.lines] == [0, 1, 2, 4]
    assert [line.progress_percent for line in fifth.lines] == [33, 33, 33, 0]


def test_faces_of_covered_tiles_are_never_sent_and_before_the_signal_none_is() -> None:
    """What is told is what lies open, with the tiles that are free."""
    table = RaceTable.laid([ANA], DEAL)
    assert not _race(table, ANA).board.faces
    table.until(0)
    board, told = table.racer(0).board, _race(table, ANA).board

    assert {shown.tile for shown in told.faces} == {t for t in range(34) if board.uncovered >> t & 1}
    assert len(told.faces) < 34
    assert {*told.free_tiles} == {t for t in range(34) if board.free >> t & 1}
    assert told.pair_available


def test_another_players_board_is_never_sent_only_the_progress() -> None:
    """Others' pairs move the lines; what they touch, light or shuffle tells nobody anything."""
    table = RaceTable.begun([ANA, BEN], DEAL)
    first, second = DEAL.certificate[0]
    pair: Any = table.remove(1, ANA, first, second)
    assert isinstance(table.state, Racing)
    update = race_update(pair, table.state, BEN)
    hint: Any = table.hint(2, ANA)
    touch: Any = table.touch(3, ANA, table.state.racers[0].board.free.bit_length() - 1)

    assert update is not None and not update.race.HasField("board") and not update.HasField("pair")
    assert [line.progress_percent for line in update.race.lines] == [5, 0]
    assert race_update(hint, table.state, BEN) is None
    assert race_update(touch, table.state, BEN) is None


def test_a_state_carries_elapsed_time_limit_and_excess() -> None:
    """The clock runs on past the limit."""
    table = RaceTable.begun([ANA], time_limit_min=1)
    before, after = _race(table, ANA, 59_000), _race(table, ANA, 61_500)

    assert (before.elapsed_ms, before.limit_ms, before.excess_ms) == (59_000, 60_000, 0)
    assert (after.elapsed_ms, after.limit_ms, after.excess_ms) == (61_500, 60_000, 1_500)


def test_a_stuck_seat_is_told_so_with_what_it_has_left() -> None:
    """Only giving up remains."""
    table = RaceTable.begun([ANA, BEN], BLOCKED, shuffles=1, hints=None)
    open_still = _race(table, ANA).own
    stuck = _race(RaceTable.laid([ANA, BEN], BLOCKED, shuffles=0).until(0), ANA)

    assert (open_still.shuffles_left, open_still.HasField("hints_left"), open_still.stuck) == (
        1,
        False,
        False,
    )
    assert stuck.own.stuck
    assert not stuck.board.pair_available


async def test_a_board_on_which_the_cpu_played_is_no_personal_best() -> None:
    """Nothing is written: there is no connection here."""
    nowhere: Any = None
    table = RaceTable.begun([ANA, BEN])
    table.clear(5, ANA)
    assert isinstance(table.state, Racing)

    played = replace(table.racer(0), cpu_pairs=1)
    await closing.enter_best(nowhere, table.state.race, 0, played)
    await closing.enter_best(nowhere, table.state.race, 1, table.racer(1))
