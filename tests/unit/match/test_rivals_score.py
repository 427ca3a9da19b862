"""What pairs, jokers and mistakes are worth in a round."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import Closed
from libs.rules.solitaire.layouts import Layout
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.decide import TOUCHES_MAX
from services.match.domain.rivals.events import (
    SeatLiftedTile,
    SeatPutTileBack,
    SeatRemovedPair,
    SeatTouchedBlocked,
    SeatTouchedNotSame,
)
from services.match.domain.rivals.terms import PairKind, Verdict
from tests.support.attempts import ROW
from tests.support.rounds import Table, apart, at

PAIRS = "1m 1m 2m 2m 3m 3m 4m 4m 5m 5m"
ROW_AND_PAIR = Layout.parse("row-and-pair", [*ROW.tiles, (20, 0, 0), (30, 0, 0)])


def table() -> Table:
    """Ten tiles apart, in pairs of neighbours."""
    return Table.begun(apart(10), PAIRS)


def removed(events: object) -> SeatRemovedPair:
    """The pair among the events."""
    assert isinstance(events, list)
    assert isinstance(events[0], SeatRemovedPair)
    return events[0]


def test_a_pair_is_worth_100() -> None:
    """The first one, taken without haste."""
    assert removed(table().pair(0, 0, 1, 4_000)).worth == 100


def test_the_first_pair_sets_the_record_and_earns_no_bonus() -> None:
    """However fast: its time counts from the signal."""
    first = removed(table().pair(0, 0, 1, 1))

    assert (first.kind, first.worth, first.took_ms, first.record_ms) == (PairKind.PLAIN, 100, 1, 1)


def test_a_pair_faster_than_the_record_is_worth_200_and_becomes_the_record() -> None:
    """Strictly shorter than the shortest time of this seat in this round."""
    played = table()
    played.pair(0, 0, 1, 4_000)
    faster = removed(played.pair(0, 2, 3, 4_000 + 3_999))

    assert (faster.kind, faster.worth, faster.record_ms) == (PairKind.PACE, 200, 3_999)


@pytest.mark.parametrize("took_ms", [4_000, 4_001])
def test_a_pair_as_fast_as_the_record_or_slower_is_worth_100(took_ms: int) -> None:
    """Equal is not shorter; the record stays."""
    played = table()
    played.pair(0, 0, 1, 4_000)
    slower = removed(played.pair(0, 2, 3, 4_000 + took_ms))

    assert (slower.kind, slower.worth, slower.record_ms) == (PairKind.PLAIN, 100, 4_000)


def test_a_part_of_a_millisecond_is_no_record() -> None:
    """Times are whole milliseconds."""
    played = table()
    played.pair(0, 0, 1, 10)

    assert removed(played.pair(0, 2, 3, 20)).kind is PairKind.PLAIN


def test_records_are_each_seats_own() -> None:
    """Ben's first pair sets Ben's record, whatever Ana's is."""
    played = table()
    played.pair(0, 0, 1, 4_000)

    assert removed(played.pair(1, 0, 1, 5_000)).kind is PairKind.PLAIN


def test_a_crucial_pair_is_worth_300_whatever_the_pace() -> None:
    """Slow, it is worth as much, and the record stays."""
    played = table()
    played.pair(0, 0, 1, 1_000)
    slow = removed(played.pair(0, 2, 3, 9_000, crucial=True))

    assert (slow.kind, slow.worth, slow.record_ms) == (PairKind.CRUCIAL, 300, 1_000)


def test_the_record_falls_to_a_crucial_pair_too() -> None:
    """300 and not 500, but the record is beaten."""
    played = table()
    played.pair(0, 0, 1, 4_000)
    fast = removed(played.pair(0, 2, 3, 5_000, crucial=True))

    assert (fast.kind, fast.worth, fast.record_ms) == (PairKind.CRUCIAL, 300, 1_000)


def test_a_crucial_first_pair_sets_the_record() -> None:
    """Its time from the signal."""
    first = removed(table().pair(0, 0, 1, 700, crucial=True))

    assert (first.worth, first.record_ms) == (300, 700)


def test_the_verdict_stands_in_the_event() -> None:
    """Crucial or not, undecided or not, nodes and kernel: a replay cannot differ."""
    assert removed(table().pair(0, 0, 1, 700, crucial=True)).verdict == Verdict(True, False, 1, "test")


def test_a_joker_pair_is_worth_100_flat() -> None:
    """However fast it came, and it is never crucial."""
    played = table()
    played.pair(0, 0, 1, 4_000)
    played.touch(0, 2, 4_010)
    played.use_joker(0, 4_020)
    played.joker_spent(0, 1, 4_030)

    assert played.scores() == (200, 0)


def test_a_joker_neither_sets_nor_beats_the_record() -> None:
    """The pair after a first joker pair is the first for the record; a fast joker leaves it alone."""
    played = table()
    played.touch(0, 2, 10)
    played.use_joker(0, 20)
    played.joker_spent(0, 1, 30)
    assert played.player(0).record_ms is None
    first = removed(played.pair(0, 0, 1, 4_030))
    assert (first.kind, first.took_ms, first.record_ms) == (PairKind.PLAIN, 4_000, 4_000)


def test_a_joker_resets_the_pace_clock() -> None:
    """The time of the next pair counts from the joker's."""
    played = table()
    played.pair(0, 0, 1, 4_000)
    played.touch(0, 2, 10_000)
    played.use_joker(0, 10_000)
    played.joker_spent(0, 1, 10_100)
    fast = removed(played.pair(0, 4, 5, 12_000))

    assert (fast.took_ms, fast.kind) == (1_900, PairKind.PACE)


def test_a_blocked_touch_costs_100_and_tells_why() -> None:
    """The inner tiles of a row are closed on both sides."""
    played = Table.begun(ROW_AND_PAIR, "1m 2m 2m 1m 3m 3m")
    played.pair(0, 4, 5, 1, crucial=True)

    assert played.touch(0, 1, 5) == [SeatTouchedBlocked(0, 1, Closed((0,), (2,)), 200, at(5))]
    assert played.scores() == (200, 0)


def test_the_round_score_never_drops_below_0() -> None:
    """100 less than 100 is 0, and so is 100 less than nothing."""
    played = Table.begun(ROW_AND_PAIR, "1m 2m 2m 1m 3m 3m")
    played.pair(0, 4, 5, 1)
    played.touch(0, 1, 10)
    assert played.scores() == (0, 0)
    played.touch(0, 2, 20)
    assert played.scores() == (0, 0)


def test_lifting_putting_back_and_not_same_are_free() -> None:
    """None of them changes the score."""
    played = Table.begun(ROW, "1m 2m 3m 1m")
    lifted = played.touch(0, 0, 10)
    not_same = played.touch(0, 1, 20)
    back = played.put_back(0, 30)

    assert lifted == [SeatLiftedTile(0, 0, None, at(10))]
    assert not_same == [SeatTouchedNotSame(0, 1, at(20))]
    assert back == [SeatPutTileBack(0, 0, at(30))]
    assert played.scores() == (0, 0)


def test_a_seat_has_1200_touches() -> None:
    """The next one is refused; leaving is still possible."""
    played = table()
    for n in range(TOUCHES_MAX // 2):
        played.touch(0, 0, n)
        played.put_back(0, n)

    assert played.touch(0, 0, 9_000) is Refusal.TOUCH_LIMIT
    assert played.put_back(0, 9_000) is Refusal.TOUCH_LIMIT
    assert isinstance(played.touch(1, 0, 9_000), list)
    assert isinstance(played.leave(0, 9_000), list)
