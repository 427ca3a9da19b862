"""How games of the pool end, what becomes of the pot, and what is refused when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from services.match.domain.pauses import Outage
from services.match.domain.pool.commands import RefuseStake, RemovePair, TakeStake, Undo
from services.match.domain.pool.decide import decide
from services.match.domain.pool.events import CountdownBegun, PoolDealRevealed, PoolStarted
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.terms import (
    Phase,
    PoolEnding,
    SeatEnding,
    Stake,
    StakeRefusal,
)
from tests.support.attempts import ANA, BEN, after
from tests.support.pools import (
    CARL,
    DORA,
    LIMIT_MS,
    NEXT,
    SIGNAL_MS,
    PoolTable,
    match_of,
    pool_deal,
    row,
    stacked,
    training,
)

FACES = "Dr Dr 1s 1s 1m 1m"


def test_the_game_ends_when_the_board_is_cleared() -> None:
    """Training: for its one player."""
    table = training(row(2), "1m 1m")
    table.pair(0, 1)
    assert table.seat().ending is SeatEnding.CLEARED
    assert (table.game.phase, table.ended.ending) == (Phase.OVER, PoolEnding.PLAYED)


def test_the_game_ends_when_nothing_can_be_done_any_more() -> None:
    """No pair, no usable shuffle (no permutation has a pair), and the undos used up."""
    table = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    for _ in range(5):
        table.pair(2, 3)
        assert table.seat().ending is None, "an undo is left"
        table.undo()
    table.pair(2, 3)
    assert table.seat().ending is SeatEnding.BLOCKED


def test_a_blocked_player_with_a_usable_shuffle_or_undo_goes_on() -> None:
    """Only the last of the three ways ends the game."""
    table = training(row(4), "1m 1m 2m 2m")
    table.take([])
    blocked = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    blocked.pair(2, 3)
    assert not blocked.seat().board.pair_available
    assert blocked.seat().ending is None
    assert table.seat().ending is None


def test_the_game_ends_when_time_is_up_after_ten_minutes_by_default() -> None:
    """A command received at the deadline is too late."""
    table = training(row(4), "1m 1m 2m 2m")
    assert isinstance(table.pair(0, 1, ms=LIMIT_MS - 1), list)
    assert table.pair(2, 3, ms=LIMIT_MS) is PoolRefusal.MATCH_ENDED
    assert LIMIT_MS == 600_000
    assert table.seat().ending is SeatEnding.TIME
    assert table.seat().ended_at == after(LIMIT_MS)


def test_an_outage_is_taken_out_of_the_clock() -> None:
    """A minute in which nobody could play."""
    table = training(row(4), "1m 1m 2m 2m")
    table.outages = (Outage(after(60_000), after(120_000)),)
    assert isinstance(table.pair(0, 1, ms=LIMIT_MS + 59_999), list)
    assert table.pair(2, 3, ms=LIMIT_MS + 60_000) is PoolRefusal.MATCH_ENDED


def test_end_game_keeps_the_score_and_is_refused_while_a_shuffle_is_left() -> None:
    """After the fifth shuffle it is allowed."""
    table = training(row(6), FACES)
    table.pair(0, 1)
    assert table.end() is PoolRefusal.SHUFFLE_LEFT
    for _ in range(5):
        table.shuffle()
    score = table.seat().score
    assert isinstance(table.end(), list)
    assert (table.seat().ending, table.ended.seats[0].score) == (SeatEnding.ENDED, score)


def test_end_game_is_allowed_where_the_last_shuffle_was_found_impossible() -> None:
    """It has to be tried; after an undo the board is another one."""
    table = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    table.pair(2, 3)
    assert table.end() is PoolRefusal.SHUFFLE_LEFT
    table.shuffle()
    table.undo()
    assert table.end() is PoolRefusal.SHUFFLE_LEFT
    table.pair(2, 3)
    table.shuffle()
    assert isinstance(table.end(), list)


def test_training_can_be_restarted_at_any_time() -> None:
    """The game that takes its place is named; its deal is laid open."""
    table = training(row(6), FACES)
    table.pair(0, 1)
    events = table.restart()
    assert isinstance(events, list)
    assert (table.ended.ending, table.ended.next_game_id) == (PoolEnding.RESTARTED, NEXT)
    assert isinstance(events[-1], PoolDealRevealed)


def test_leave_is_for_matches_and_restart_for_training() -> None:
    """Refused by name."""
    assert training(row(6), FACES).leave() is PoolRefusal.NOT_IN_MODE
    assert match_of(row(6), FACES).restart() is PoolRefusal.NOT_IN_MODE


def test_a_match_begins_with_a_countdown_of_three_seconds_after_the_stakes() -> None:
    """Nothing can be done before the signal."""
    table = PoolTable(pool_deal(row(6), FACES), (ANA, BEN))
    table.order(TakeStake(ANA, after(0)))
    assert table.game.phase is Phase.STAKING
    assert table.pair(0, 1, ms=100) is PoolRefusal.NOT_STARTED
    events = table.order(TakeStake(BEN, after(400)))
    assert isinstance(events, list)
    assert isinstance(events[-1], CountdownBegun)
    assert table.pair(0, 1, ms=3_399) is PoolRefusal.NOT_STARTED
    assert isinstance(table.pair(0, 1, ms=3_400), list)
    assert any(isinstance(event, PoolStarted) for event in table.events)
    assert table.game.signal_at == after(3_400)


def test_the_highest_score_takes_the_pot() -> None:
    """Every stake; the others get nothing."""
    table = match_of(row(6), FACES, ANA, BEN, CARL)
    table.pair(0, 1, 1)
    table.pair(2, 3, 0)
    table.pair(4, 5, 2)
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    assert table.payouts == [0, 300, 0]
    assert [seat.place for seat in table.ended.seats] == [2, 1, 3]


def test_equal_highest_scores_share_in_whole_chips_the_rest_to_whose_game_ended_first() -> None:
    """Three stakes of 101 between two: Ben left first, so he gets the odd chip."""
    table = match_of(row(6), FACES, ANA, BEN, CARL, stake=101)
    table.pair(0, 1, 0)
    table.pair(0, 1, 1)
    table.leave(1, ms=SIGNAL_MS + 5)
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    assert table.payouts == [151, 152, 0]
    assert [seat.place for seat in table.ended.seats] == [1, 1, 3]


def test_the_rest_goes_by_seat_where_games_ended_at_the_same_time() -> None:
    """Time was up for both at once."""
    table = match_of(row(6), FACES, ANA, BEN, CARL, stake=101)
    table.pair(0, 1, 2)
    table.pair(0, 1, 1)
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    assert table.payouts == [0, 152, 151]


def test_leaving_keeps_the_score_and_can_win() -> None:
    """The others play on."""
    table = match_of(row(6), FACES)
    table.pair(0, 1, 0)
    table.pair(4, 5, 1)
    table.leave(0)
    assert table.game.phase is Phase.RUNNING
    assert table.pair(2, 3, 0) is PoolRefusal.SEAT_OUT
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    assert table.payouts == [200, 0]
    assert table.ended.seats[0].ending is SeatEnding.LEFT


def test_the_match_ends_when_the_own_games_of_all_have_ended() -> None:
    """Not before, and not at the first clear."""
    table = match_of(row(4), "Dr Dr 1m 1m")
    table.pair(0, 1, 0)
    table.pair(2, 3, 0)
    assert (table.seat(0).ending, table.game.phase) == (SeatEnding.CLEARED, Phase.RUNNING)
    table.pair(2, 3, 1)
    table.leave(1)
    assert table.ended.ending is PoolEnding.PLAYED
    assert table.payouts == [200, 0]


@pytest.mark.parametrize("movers", [0, 1])
def test_a_match_in_which_fewer_than_two_made_a_move_is_void_and_stakes_are_returned(movers: int) -> None:
    """To everybody."""
    table = match_of(row(6), FACES)
    for seat in range(movers):
        table.pair(0, 1, seat)
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    assert table.ended.ending is PoolEnding.VOID_MOVES
    assert table.payouts == [100, 100]


def test_who_cannot_pay_is_left_out_and_the_others_play() -> None:
    """Two of three can: they get a countdown, and the pot is theirs alone."""
    table = PoolTable(pool_deal(row(6), FACES), (ANA, BEN, CARL))
    table.order(TakeStake(ANA, after(0)))
    table.order(RefuseStake(BEN, StakeRefusal.TOO_FEW_CHIPS, after(0)))
    table.order(TakeStake(CARL, after(0)))
    table.wait_until(SIGNAL_MS)
    table.pair(0, 1, 2)
    table.pair(2, 3, 0)
    refusal = decide(RemovePair(BEN, 0, 1, 0, after(SIGNAL_MS)), table.state)
    table.wait_until(SIGNAL_MS + LIMIT_MS)

    assert refusal is PoolRefusal.SEAT_OUT
    assert table.payouts == [0, 0, 200]
    assert table.ended.seats[1].ending is SeatEnding.NOT_PLAYED
    assert table.ended.seats[1].place == 0


def test_with_fewer_than_two_stakes_the_match_is_void_before_it_begins() -> None:
    """What was paid is returned; no face was shown."""
    table = PoolTable(pool_deal(row(6), FACES), (ANA, BEN))
    table.order(TakeStake(ANA, after(0)))
    table.order(RefuseStake(BEN, StakeRefusal.TOO_FEW_CHIPS, after(0)))
    assert table.ended.ending is PoolEnding.VOID_STAKES
    assert table.payouts == [100, 0]


def test_a_stake_that_is_not_paid_within_five_seconds_is_too_late() -> None:
    """The ledger's word that comes afterwards changes nothing."""
    table = PoolTable(pool_deal(row(6), FACES), (ANA, BEN, CARL))
    table.order(TakeStake(ANA, after(0)))
    table.order(TakeStake(CARL, after(4_999)))
    assert table.order(TakeStake(BEN, after(5_000))) == []
    assert [seat.stake for seat in table.game.seats] == [Stake.PAID, Stake.REFUSED, Stake.PAID]
    assert table.game.phase is Phase.COUNTDOWN


def test_the_same_deal_for_all_on_one_clock() -> None:
    """Faces, places, signal and limit."""
    table = match_of(row(6), FACES, ANA, BEN, CARL, DORA)
    assert len({seat.board for seat in table.game.seats}) == 1
    assert table.game.ends_at == after(SIGNAL_MS) + timedelta(minutes=10)


def test_a_shuffle_is_the_same_for_equal_boards() -> None:
    """Chance does not decide between players."""
    table = match_of(row(6), FACES)
    table.shuffle(0)
    table.shuffle(1)
    assert table.seat(0).board == table.seat(1).board


def test_a_command_on_a_stale_board_changes_nothing() -> None:
    """The board_version counts the seat's own accepted commands."""
    table = match_of(row(6), FACES)
    table.pair(0, 1, 1)
    table.pair(0, 1, 0)
    assert decide(Undo(ANA, 0, after(SIGNAL_MS)), table.state) is PoolRefusal.STALE_BOARD_VERSION
    assert table.seat(0).board_version == 1


def test_what_names_no_tiles_of_the_board_is_refused() -> None:
    """Out of range, twice the same, gone."""
    table = training(row(6), FACES)
    assert table.pair(0, 6) is PoolRefusal.TILE_OUT_OF_RANGE
    assert table.pair(-1, 0) is PoolRefusal.TILE_OUT_OF_RANGE
    assert table.pair(2, 2) is PoolRefusal.TILE_OUT_OF_RANGE
    table.pair(0, 1)
    assert table.pair(0, 1) is PoolRefusal.TILE_GONE


def test_commands_of_a_seat_are_limited_to_1200() -> None:
    """A shuffle that is impossible costs nothing, and can be asked for so often only."""
    table = PoolTable(pool_deal(stacked(), "1m 1m 2m 2m"))
    table.pair(2, 3)
    for _ in range(1_199):
        assert isinstance(table.shuffle(), list)
    assert table.shuffle() is PoolRefusal.TOUCH_LIMIT
