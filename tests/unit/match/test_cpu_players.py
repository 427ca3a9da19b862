"""CPU players of races: how fast and how well each level plays, and what it knows of the board."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import uncovered
from libs.rules.solitaire.prng import Prng
from services.match.domain.race.clocks import cpu_due
from services.match.domain.race.commands import Hint, RemovePair, Shuffle
from services.match.domain.race.cpu import AskHint, AskShuffle, Seen, Take, choose, pace
from services.match.domain.race.cpu_orders import cpu_order, seen_by
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.state import Racing
from services.match.domain.race.terms import CpuLevel, RaceDeal
from tests.support.attempts import ANA
from tests.support.race_table import BLOCKED, RaceTable

LEVELS = [CpuLevel.EASY, CpuLevel.MEDIUM, CpuLevel.HARD]
DEALS = 30
MOVES = 400
PATIENCE_MS = 10


def _deal(number: int) -> RaceDeal:
    return deal_race(DEFAULTS, Difficulty.EASY, bytes([number] * 32), bytes(32))


def _racing(table: RaceTable) -> Racing:
    assert isinstance(table.state, Racing)
    return table.state


def _play(table: RaceTable, seat: int) -> list[Seen]:
    """Let the CPU play its seat for as long as moves are due; return what it was told before each."""
    told: list[Seen] = []
    while isinstance(table.state, Racing) and cpu_due(table.state.race, seat, table.racer(seat)) is not None:
        told.append(seen_by(table.state.race, table.racer(seat)))
        order = cpu_order(table.state, seat, table.at(PATIENCE_MS * len(told)))
        assert order is not None, "a move is due where one can be made"
        assert isinstance(table.order(order), list), "the CPU never orders what is refused"
    return told


@cache
def _cleared() -> Counter[CpuLevel]:
    """How many of the boards each level clears without shuffles and hints."""
    cleared: Counter[CpuLevel] = Counter()
    for number in range(DEALS):
        table = RaceTable.begun([ANA], _deal(number), cpu=LEVELS, shuffles=0, hints=0)
        for seat, level in enumerate(LEVELS, 1):
            _play(table, seat)
            racer = table.racer(seat)
            cleared[level] += not racer.tiles_left
            assert not racer.tiles_left or not racer.board.pair_available
    return cleared


def _times_ms(level: CpuLevel) -> list[int]:
    chance = Prng(bytes(32))
    return sorted(pace(level, chance) // timedelta(milliseconds=1) for _ in range(MOVES))


def test_each_level_has_a_pace_of_its_own_like_a_persons() -> None:
    """A second and more for a pair, never the same twice running; the better one the faster."""
    times = {level: _times_ms(level) for level in LEVELS}
    medians = [times[level][MOVES // 2] for level in LEVELS]

    assert medians == sorted(medians, reverse=True)
    assert len(set(medians)) == len(LEVELS)
    for told in times.values():
        assert told[0] >= 1_000
        assert told[-1] <= 10_000
        assert len(set(told)) > MOVES // 4


def test_the_next_move_is_due_a_pace_after_the_last_one() -> None:
    """Of the signal at first; whoever asks is told the same."""
    table = RaceTable.begun([ANA], _deal(1), cpu=[CpuLevel.HARD])
    race, racer = _racing(table).race, table.racer(1)
    due = cpu_due(race, 1, racer)
    assert due is not None
    order = cpu_order(_racing(table), 1, due)
    assert order is not None
    table.order(order)
    following = cpu_due(race, 1, table.racer(1))

    assert table.at(1_600) <= due <= table.at(1_600 + 1_800)
    assert due == cpu_due(race, 1, racer)
    assert following is not None
    assert timedelta(milliseconds=1_600) <= following - due <= timedelta(milliseconds=1_600 + 1_800)


def test_the_better_level_clears_more_boards() -> None:
    """Of the same boards, without shuffles and hints."""
    cleared = _cleared()

    assert cleared[CpuLevel.EASY] < cleared[CpuLevel.MEDIUM] < cleared[CpuLevel.HARD]


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_finishes_some_boards_and_gets_stuck_on_others(level: CpuLevel) -> None:
    """As people do: none always wins."""
    assert 0 < _cleared()[level] < DEALS


@pytest.mark.parametrize("level", LEVELS)
def test_a_cpu_player_uses_no_more_shuffles_and_hints_than_the_settings_give(level: CpuLevel) -> None:
    """Stuck without shuffles it does nothing more."""
    for number in range(8):
        table = RaceTable.begun([ANA], _deal(number), cpu=[level], shuffles=1, hints=2)
        _play(table, 1)
        racer = table.racer(1)

        assert racer.shuffles_used <= 1
        assert racer.hints_used <= 2
        assert not racer.tiles_left or (not racer.board.pair_available and racer.shuffles_used == 1)


def test_a_cpu_player_on_a_blocked_board_shuffles_while_it_may() -> None:
    """Else it is stuck like anybody."""
    may = _racing(RaceTable.begun([ANA], BLOCKED, cpu=[CpuLevel.HARD], shuffles=1))
    may_not = _racing(RaceTable.begun([ANA], BLOCKED, cpu=[CpuLevel.HARD], shuffles=0))

    assert isinstance(cpu_order(may, 1, may.race.dealt.occurred_at), Shuffle)
    assert cpu_order(may_not, 1, may_not.race.dealt.occurred_at) is None


def test_the_weaker_levels_overlook_pairs_and_the_best_one_does_not() -> None:
    """Where they take a hint, a pair is there; without hints they take one."""
    table = RaceTable.begun([ANA], _deal(2), cpu=LEVELS)
    asked: Counter[CpuLevel] = Counter()
    for seat, level in enumerate(LEVELS, 1):
        seen = seen_by(_racing(table).race, table.racer(seat))
        for number in range(MOVES):
            chance = Prng(number.to_bytes(32, "big"))
            asked[level] += isinstance(choose(seen, level, chance), AskHint)
            chance = Prng(number.to_bytes(32, "big"))
            assert isinstance(choose(replace(seen, can_hint=False), level, chance), Take)

    assert asked[CpuLevel.EASY] > asked[CpuLevel.MEDIUM] > asked[CpuLevel.HARD] == 0


def test_a_cpu_player_is_told_uncovered_faces_only() -> None:
    """At every move of a game, as many as lie open: what it is given holds nothing else."""
    table = RaceTable.begun([ANA], _deal(3), cpu=[CpuLevel.MEDIUM])
    told = _play(table, 1)
    present = [set(bits(seen.present)) for seen in told]

    for seen in told:
        assert set(seen.faces) == set(uncovered(seen.layout, seen.present))
    assert any(set(seen.faces) < there for seen, there in zip(told, present, strict=True))


@pytest.mark.parametrize("level", LEVELS)
def test_what_lies_covered_changes_no_choice(level: CpuLevel) -> None:
    """Two boards that look the same to the seat are played the same, whatever lies below."""
    deal = _deal(4)
    first = RaceTable.begun([ANA], deal, cpu=[level])
    board = first.racer(1).board
    below = [tile for tile in bits(board.present) if not board.uncovered >> tile & 1]
    faces = list(deal.faces)
    for tile, face in zip(below, [faces[tile] for tile in reversed(below)], strict=True):
        faces[tile] = face
    other = RaceTable.begun([ANA], replace(deal, faces=tuple(faces)), cpu=[level])
    orders = [cpu_order(_racing(table), 1, table.at(5)) for table in (first, other)]

    assert tuple(faces) != deal.faces
    assert isinstance(orders[0], RemovePair | Hint)
    assert orders[0] == orders[1]


def test_nothing_in_sight_that_matches_asks_for_a_shuffle() -> None:
    """And where there is none left, for nothing."""
    board = RaceTable.begun([ANA], BLOCKED).racer(0).board
    seen = Seen(
        board.layout,
        board.present,
        board.free,
        {tile: board.faces[tile] for tile in bits(board.uncovered)},
        board.matching,
        can_shuffle=True,
        can_hint=True,
    )

    assert choose(seen, CpuLevel.EASY, Prng(bytes(32))) == AskShuffle()
    assert choose(replace(seen, can_shuffle=False), CpuLevel.EASY, Prng(bytes(32))) is None
