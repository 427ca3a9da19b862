"""What may be done on a board of a race, and what it brings about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.rules.solitaire.board import Covered
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.solver import Solved, solve
from libs.rules.tiles import Face
from services.match.domain.race.commands import Cpu, Hint, RemovePair
from services.match.domain.race.dealing import PAIRING
from services.match.domain.race.decide import Paused
from services.match.domain.race.events import (
    RaceBoardShuffled,
    RaceHintShown,
    RacePairRemoved,
    RaceTileTouched,
)
from services.match.domain.race.refusal import RaceRefusal
from services.match.domain.race.state import Countdown, Over, Racing, is_stuck
from services.match.domain.race.terms import TOUCHES_MAX
from tests.support.attempts import ANA, BEN
from tests.support.race_table import BLOCKED, PILE, SIX, RaceTable, race_deal

OTHERS = race_deal(PILE, "1m 2m 1m 2m", [(1, 3), (0, 2)])


def test_nothing_can_be_done_before_the_signal() -> None:
    """The countdown takes three seconds."""
    table = RaceTable.laid([ANA, BEN])

    assert table.remove(-1, ANA, 0, 1) is RaceRefusal.NOT_STARTED
    assert table.give_up(-1, ANA) is RaceRefusal.NOT_STARTED
    assert isinstance(table.state, Countdown)
    assert isinstance(table.until(0).state, Racing)


def test_touching_a_blocked_tile_is_free_and_tells_what_blocks_it() -> None:
    """By itself or as one of a pair; the board stays as it is."""
    table = RaceTable.begun([ANA, BEN], OTHERS)
    alone = table.touch(1, ANA, 0)
    as_pair = table.remove(2, ANA, 1, 2)
    free = table.touch(3, ANA, 1)

    assert alone == [RaceTileTouched(0, 0, Covered((1,)), False, table.at(1))]
    assert as_pair == [RaceTileTouched(0, 2, Covered((3,)), False, table.at(2))]
    assert free == [RaceTileTouched(0, 1, None, False, table.at(3))]
    assert table.racer(0).tiles_left == 4


def test_two_free_tiles_that_do_not_match_stay() -> None:
    """It says so, and costs nothing."""
    table = RaceTable.begun([ANA, BEN])

    assert table.remove(1, ANA, 0, 2) == [RaceTileTouched(0, 2, None, True, table.at(1))]


def test_any_flower_matches_any_flower_and_any_season_any_season() -> None:
    """With flowers and seasons on; a flower and a season do not match."""
    flowers = replace(SIX, faces=tuple(map(Face, ["Fl1", "Fl3", "Se1", "Se4", "3m", "3m"])))
    table = RaceTable.begun([ANA], flowers, flowers_and_seasons=True)

    assert isinstance(table.remove(1, ANA, 0, 2), list)
    assert table.racer(0).tiles_left == 6
    assert table.remove(2, ANA, 0, 1) == [RacePairRemoved(0, 0, 1, False, table.at(2))]
    assert table.remove(3, ANA, 2, 3) == [RacePairRemoved(0, 2, 3, False, table.at(3))]


@pytest.mark.parametrize(("first", "second"), [(-1, 0), (0, 6), (2, 2)])
def test_a_pair_is_two_tiles_of_the_layout(first: int, second: int) -> None:
    """Refused by field."""
    assert RaceTable.begun([ANA]).remove(1, ANA, first, second) is RaceRefusal.TILE_OUT_OF_RANGE


def test_a_stale_board_version_and_a_tile_that_has_gone_are_refused() -> None:
    """Nothing changes."""
    table = RaceTable.begun([ANA])
    table.remove(1, ANA, 0, 1)

    assert table.order(RemovePair(ANA, 2, 3, 0, table.at(2))) is RaceRefusal.STALE_BOARD_VERSION
    assert table.remove(2, ANA, 0, 2) is RaceRefusal.TILE_GONE
    assert table.remove(2, BEN, 0, 2) is RaceRefusal.NOT_YOURS


def test_a_shuffle_is_refused_while_a_pair_is_available_and_uses_nothing() -> None:
    """Only a blocked board is shuffled."""
    table = RaceTable.begun([ANA])

    assert table.shuffle(1, ANA) is RaceRefusal.NOT_BLOCKED
    assert table.racer(0).shuffles_used == 0


def test_after_a_shuffle_the_tiles_that_are_left_can_be_cleared() -> None:
    """A blocked board of four, whose faces come in twos."""
    crossed = race_deal(PILE, "1m 1m 2m 2m", [(1, 3), (0, 2)])
    table = RaceTable.begun([ANA], crossed)
    shuffled = table.shuffle(1, ANA)
    board = table.racer(0).board

    assert isinstance(shuffled, list) and isinstance(shuffled[0], RaceBoardShuffled)
    assert not shuffled[0].moved
    assert isinstance(solve(board.layout, board.faces, board.present, board.matching, PAIRING), Solved)
    assert table.racer(0).shuffles_used == 1


def test_where_no_arrangement_can_be_cleared_the_tiles_move_to_the_last_places_of_the_certificate() -> None:
    """Two tiles on each other, of a kind: no faces help, other places do."""
    deal = race_deal(PILE, "2m 2m 1m 1m", [(1, 3), (0, 2)])
    table = RaceTable.begun([ANA], deal)
    racing = table.state
    assert isinstance(racing, Racing)
    stacked = replace(racing.racers[0].board, present=0b0011)
    table.state = replace(racing, racers=(replace(racing.racers[0], board=stacked),))
    shuffled = table.shuffle(1, ANA)
    board = table.racer(0).board

    assert isinstance(shuffled, list) and isinstance(shuffled[0], RaceBoardShuffled)
    assert shuffled[0].moved
    assert board.present == 0b0101
    assert replay(PILE, board.faces, board.present, [(0, 2)], board.matching, PAIRING)


def test_after_a_shuffle_touches_are_refused_with_the_time_left() -> None:
    """For the shuffle pause, and only that player's."""
    crossed = race_deal(PILE, "1m 1m 2m 2m", [(1, 3), (0, 2)])
    table = RaceTable.begun([ANA, BEN], crossed, shuffle_pause_s=10)
    table.shuffle(0, ANA)

    assert table.remove(2_500, ANA, 1, 3) == Paused(7_500)
    assert isinstance(table.touch(2_500, BEN, 1), list)
    assert isinstance(table.remove(10_000, ANA, 1, 3), list)


def test_without_shuffles_left_only_giving_up_remains() -> None:
    """The board is stuck: as far as it goes it counts by progress, Give up pressed or not."""
    table = RaceTable.begun([ANA, BEN], BLOCKED, shuffles=0)
    racing = table.state

    assert table.shuffle(1, ANA) is RaceRefusal.SHUFFLES_USED_UP
    assert isinstance(racing, Racing) and is_stuck(racing.race, racing.racers[0])
    assert isinstance(table.give_up(2, ANA), list)


def test_shuffles_and_hints_without_a_limit_never_run_out() -> None:
    """Unlimited is a setting."""
    table = RaceTable.begun([ANA], shuffles=None, hints=None)

    assert all(isinstance(table.hint(n, ANA), list) for n in range(20))


def test_a_hint_lights_an_available_pair_and_uses_one() -> None:
    """Three by default."""
    table = RaceTable.begun([ANA])
    shown = table.hint(1, ANA)
    table.hint(2, ANA)
    table.hint(3, ANA)

    assert shown == [RaceHintShown(0, 0, 1, False, table.at(1))]
    assert table.hint(4, ANA) is RaceRefusal.HINTS_USED_UP


def test_a_hint_on_a_blocked_board_says_so_and_uses_none() -> None:
    """There is no pair to light."""
    table = RaceTable.begun([ANA], BLOCKED)

    assert table.hint(1, ANA) is RaceRefusal.NO_PAIR
    assert table.racer(0).hints_used == 0


def test_hints_can_be_off() -> None:
    """Then every hint is refused by that name."""
    assert RaceTable.begun([ANA], hints=0).hint(1, ANA) is RaceRefusal.HINTS_OFF


def test_a_seat_has_twelve_hundred_touches() -> None:
    """Hints do not count."""
    table = RaceTable.begun([ANA])
    racing = table.state
    assert isinstance(racing, Racing)
    worn = replace(racing.racers[0], touches=TOUCHES_MAX)
    table.state = replace(racing, racers=(worn,))

    assert table.touch(1, ANA, 0) is RaceRefusal.TOUCH_LIMIT
    assert isinstance(table.hint(1, ANA), list)


def test_who_has_cleared_or_given_up_plays_no_further() -> None:
    """The seat's part is over; the race goes on for the others."""
    table = RaceTable.begun([ANA, BEN])
    table.clear(5, ANA)

    assert table.order(Hint(ANA, 3, table.at(6))) is RaceRefusal.SEAT_OUT
    assert table.give_up(6, ANA) is RaceRefusal.SEAT_OUT
    table.give_up(7, BEN)
    assert isinstance(table.state, Over)
    assert table.remove(8, BEN, 0, 1) is RaceRefusal.MATCH_ENDED


def test_the_cpu_gives_the_same_orders_as_people_and_they_are_marked_on_a_persons_board() -> None:
    """In a person's place."""
    table = RaceTable.begun([ANA, BEN])

    assert table.remove(1, Cpu(0), 0, 1) == [RacePairRemoved(0, 0, 1, True, table.at(1))]
