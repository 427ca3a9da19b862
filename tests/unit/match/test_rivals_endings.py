"""How rounds end, who comes where, what a quick match pays."""

from __future__ import annotations

from uuid import UUID

import pytest

from services.match.commands import Leave, Touch
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.events import DealRevealed, RoundEnded, SeatRemovedPair, SeatWentOut
from services.match.domain.rivals.placing import quick_match_points
from services.match.domain.rivals.state import Over
from services.match.domain.rivals.terms import EndReason, OutReason, SeatEnd
from tests.support.attempts import ANA, ROW
from tests.support.rounds import NONCE, SEED, Table, apart, at, fold

FOUR = "1m 1m 2m 2m"


def cleared() -> Table:
    """Ana clears the board, Ben has more points by then."""
    table = Table.begun(apart(4), FOUR)
    table.pair(1, 0, 1, 500, crucial=True)
    table.pair(0, 0, 1, 1_000)
    table.pair(0, 2, 3, 9_000)
    return table


def ended(table: Table) -> RoundEnded:
    """How it ended."""
    assert isinstance(table.state, Over)
    return table.state.ended


def test_the_first_clear_ends_the_round_for_everybody() -> None:
    """In the same command as the last pair, and the deal is revealed with it."""
    table = cleared()
    pair, end, reveal = table.told

    assert isinstance(pair, SeatRemovedPair)
    assert isinstance(end, RoundEnded)
    assert end.reason is EndReason.CLEARED
    assert reveal == DealRevealed(1, "apart", 4, SEED, NONCE, at(9_000))
    assert table.touch(1, 2, 9_000) is Refusal.MATCH_ENDED


def test_whoever_cleared_comes_first_whatever_the_score() -> None:
    """Ben's 300 are more than Ana's 200, and second."""
    seats = ended(cleared()).seats

    assert [(seat.place, seat.round_score, seat.cleared) for seat in seats] == [
        (1, 200, True),
        (2, 300, False),
    ]


def test_otherwise_the_round_score_places() -> None:
    """More is better."""
    table = Table.begun(apart(4), FOUR)
    table.pair(1, 0, 1, 500)
    table.until(60_000)

    assert [seat.place for seat in ended(table).seats] == [2, 1]


def test_equal_scores_are_a_tie() -> None:
    """Both are first."""
    table = Table.begun(apart(4), FOUR)
    table.pair(0, 0, 1, 500)
    table.pair(1, 0, 1, 700)
    table.until(60_000)

    assert [seat.place for seat in ended(table).seats] == [1, 1]


def test_leaving_puts_the_seat_out_and_keeps_its_score() -> None:
    """The other goes on, and may still end behind."""
    table = Table.begun(apart(4), FOUR)
    table.pair(0, 0, 1, 500, crucial=True)
    assert table.leave(0, 600) == [SeatWentOut(0, OutReason.LEFT, at(600))]
    table.pair(1, 0, 1, 700)
    table.until(60_000)

    assert [(s.place, s.round_score) for s in ended(table).seats] == [(1, 300), (2, 100)]


def test_a_seat_that_is_out_can_do_nothing_more() -> None:
    """Neither touch nor put back, use a joker or leave again."""
    table = Table.begun(apart(4), FOUR)
    table.leave(0, 600)
    orders = (table.touch(0, 0, 700), table.put_back(0, 700), table.use_joker(0, 700), table.leave(0, 700))

    assert set(orders) == {Refusal.SEAT_OUT}


def test_the_round_ends_when_the_last_player_leaves() -> None:
    """At once."""
    table = Table.begun(apart(4), FOUR)
    table.leave(0, 600)
    table.leave(1, 900)

    assert (ended(table).reason, ended(table).occurred_at) == (EndReason.ALL_OUT, at(900))


def test_after_the_end_every_command_is_refused() -> None:
    """By name."""
    table = cleared()
    orders = (
        table.touch(1, 2, 9_100),
        table.put_back(1, 9_100),
        table.use_joker(1, 9_100),
        table.leave(1, 9_100),
    )

    assert set(orders) == {Refusal.MATCH_ENDED}


def test_a_blocked_player_goes_out_when_the_20_seconds_end() -> None:
    """No pair is left on this board; only a joker could help."""
    table = Table.begun(ROW, "1m 1m 2m 2m")
    table.pair(1, 0, 1, 15_000)

    assert table.until(20_000) == [SeatWentOut(0, OutReason.IDLE, at(20_000))]


def seat(place: int, score: int, *, cleared: bool = False) -> SeatEnd:
    """One seat's end."""
    return SeatEnd(place, score, cleared, 0 if cleared else 8)


@pytest.mark.parametrize(
    ("seats", "points"),
    [
        ((seat(1, 200, cleared=True), seat(2, 300)), (20, 0)),
        ((seat(2, 100), seat(1, 300)), (0, 15)),
        ((seat(1, 300), seat(1, 300)), (0, 0)),
        ((seat(1, 0), seat(1, 0)), (0, 0)),
        ((seat(1, 100), seat(2, 0)), (15, 0)),
    ],
)
def test_a_quick_match_pays_only_its_winner(seats: tuple[SeatEnd, ...], points: tuple[int, ...]) -> None:
    """20 with a clear, else 15; nothing for losing, tying, or where every score is 0."""
    assert quick_match_points(seats) == points


def test_a_round_replays_to_the_same_state() -> None:
    """From its events alone, bit for bit."""
    table = cleared()

    assert fold(table.events) == table.state


def test_strangers_are_refused() -> None:
    """Whoever has no seat, whatever the order."""
    stranger = UUID(int=0x99)
    table = Table.begun(apart(4), FOUR)

    assert table.order(Leave(stranger, at(1))) is Refusal.NOT_YOURS
    assert table.order(Touch(stranger, 77, 9, at(1))) is Refusal.NOT_YOURS


def test_a_tile_that_the_layout_does_not_have_is_refused() -> None:
    """On the board that the caller looks at; of another board, it is told first that it is another one."""
    laid, begun = Table.laid(apart(4), FOUR), Table.begun(apart(4), FOUR)

    assert begun.order(Touch(ANA, 4, 0, at(1))) is Refusal.TILE_OUT_OF_RANGE
    assert begun.order(Touch(ANA, 4, 1, at(1))) is Refusal.STALE_BOARD_VERSION
    assert laid.order(Touch(ANA, 4, 0, at(-1))) is Refusal.NOT_STARTED


def test_a_command_on_another_board_version_is_stale() -> None:
    """Each seat counts its own accepted commands."""
    table = Table.begun(apart(4), FOUR)
    table.touch(1, 0, 5)

    assert table.order(Touch(ANA, 0, 1, at(10))) is Refusal.STALE_BOARD_VERSION
    assert isinstance(table.order(Touch(ANA, 0, 0, at(10))), list)
