"""Jokers in a round: three named errors, one effect, two at most."""

from __future__ import annotations

from services.match.commands import GiveUpReason
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.events import JokerGivenUp, JokerRequested, JokerUsed, RoundEnded
from services.match.domain.rivals.terms import EndReason
from tests.support.attempts import ROW, STACKS
from tests.support.rounds import Table, apart, at

PAIRS = "1m 1m 2m 2m 3m 3m 4m 4m"


def table() -> Table:
    """Eight tiles apart, in pairs of neighbours."""
    return Table.begun(apart(8), PAIRS)


def test_a_joker_needs_a_lifted_tile() -> None:
    """Else it is refused by name, and nothing is asked of the ledger."""
    assert table().use_joker(0, 10) is Refusal.NOTHING_LIFTED


def test_a_joker_is_asked_for_and_then_used() -> None:
    """The request names both tiles; the use removes them."""
    played = table()
    played.touch(0, 0, 10)

    assert played.use_joker(0, 20) == [JokerRequested(0, 1, 0, 1, at(20))]
    assert played.player(0).board.position.tiles_left == 8
    assert played.joker_spent(0, 1, 30) == [JokerUsed(0, 1, 0, 1, 100, 100, at(30))]
    assert played.player(0).board.position.tiles_left == 6


def test_a_joker_takes_a_partner_that_is_hidden() -> None:
    """Tile 0 lies under tile 1."""
    played = Table.begun(STACKS, "1m 2m 2m 1m")
    played.touch(0, 3, 10)
    played.use_joker(0, 20)
    played.joker_spent(0, 1, 30)

    assert played.player(0).board.position.present == 0b0110


def test_a_joker_takes_a_partner_that_is_blocked() -> None:
    """Tile 2 is closed on both sides."""
    played = Table.begun(ROW, "1m 2m 1m 2m")
    played.touch(0, 0, 10)
    played.use_joker(0, 20)

    assert isinstance(played.joker_spent(0, 1, 30), list)
    assert played.player(0).board.position.present == 0b1010


def test_of_several_partners_a_solver_chooses() -> None:
    """The request holds its choice."""
    played = Table.begun(apart(6), "1m 1m 1m 1m 2m 2m")
    played.touch(0, 0, 10)

    assert played.use_joker(0, 20, partner=3) == [JokerRequested(0, 1, 0, 3, at(20))]


def test_a_joker_can_clear_the_board() -> None:
    """That ends the round like any last pair."""
    played = Table.begun(apart(2), "1m 1m")
    played.touch(0, 0, 10)
    played.use_joker(0, 20)
    played.joker_spent(0, 1, 30)
    end = played.told[1]

    assert isinstance(end, RoundEnded)
    assert end.reason is EndReason.CLEARED


def test_a_seat_has_two_jokers_a_round() -> None:
    """The third is refused by name; the other seat has its own two."""
    played = table()
    for number in (1, 2):
        played.touch(0, 2 * number, 10 * number)
        played.use_joker(0, 10 * number)
        played.joker_spent(0, number, 10 * number)
    played.touch(0, 0, 50)
    played.touch(1, 0, 50)

    assert played.use_joker(0, 60) is Refusal.JOKERS_USED_UP
    assert isinstance(played.use_joker(1, 60), list)


def test_while_a_joker_is_open_the_seat_waits() -> None:
    """Nothing may change what it was asked for; leaving is still possible."""
    played = table()
    played.touch(0, 0, 10)
    played.use_joker(0, 20)

    assert played.touch(0, 1, 30) is Refusal.JOKER_PENDING
    assert played.put_back(0, 30) is Refusal.JOKER_PENDING
    assert played.use_joker(0, 30) is Refusal.JOKER_PENDING
    assert isinstance(played.leave(0, 30), list)


def test_a_joker_that_was_given_up_does_not_count() -> None:
    """None was owned: the tile stays lifted, the next request has a number of its own."""
    played = table()
    played.touch(0, 0, 10)
    played.use_joker(0, 20)

    assert played.joker_lost(0, 1, 30) == [JokerGivenUp(0, 1, GiveUpReason.NONE_OWNED, at(30))]
    assert (played.player(0).jokers_used, played.player(0).board.lifted) == (0, 0)
    assert played.player(0).given_up == (1,)
    assert played.use_joker(0, 40) == [JokerRequested(0, 2, 0, 1, at(40))]


def test_a_joker_works_once() -> None:
    """Told again that it was spent, or after it was given up: nothing more happens."""
    played = table()
    played.touch(0, 0, 10)
    played.use_joker(0, 20)
    played.joker_spent(0, 1, 30)

    assert played.joker_spent(0, 1, 40) == []
    assert played.joker_lost(0, 1, 40) == []
    assert played.player(0).given_up == ()


def test_a_joker_that_is_open_at_the_end_comes_to_nothing() -> None:
    """The round was over first: what the ledger took is to be given back."""
    played = table()
    played.touch(0, 0, 10)
    played.use_joker(0, 20)
    for pair in range(4):
        played.pair(1, 2 * pair, 2 * pair + 1, 30)

    assert played.joker_spent(0, 1, 40) == []
    assert played.player(0).given_up == (1,)
    assert played.player(0).board.position.tiles_left == 8


def test_a_joker_that_is_open_when_its_seat_leaves_comes_to_nothing() -> None:
    """Leaving is first, whatever the ledger says later."""
    played = table()
    played.touch(0, 0, 10)
    played.use_joker(0, 20)
    played.leave(0, 30)

    assert played.joker_spent(0, 1, 40) == []
    assert played.player(0).given_up == (1,)
