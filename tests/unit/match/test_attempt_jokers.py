"""Jokers in an attempt at a level: asked for, used once, two at most, and able to clear the level."""

from __future__ import annotations

from libs.rules.solitaire.layouts import Layout
from services.match.commands import GiveUpJoker, GiveUpReason, TakeJoker, UseJoker
from services.match.domain.decide import LastPair, decide
from services.match.domain.partner import NeedsPartner, Partner
from services.match.domain.points import Award, Standing
from services.match.domain.refusal import Refusal
from services.match.domain.state import Ended, HeldJokers, OpenJoker
from services.match.events import (
    AttemptCleared,
    AttemptLeft,
    Event,
    JokerGivenUp,
    JokerRequested,
    JokerUsed,
    PairRemoved,
    TileLifted,
)
from tests.support.attempts import (
    ANA,
    BEN,
    LEVEL,
    ROW,
    STACKS,
    after,
    begun,
    folded,
    given,
    leave,
    put_back,
    started,
    touch,
)

LIFTED: tuple[Event, ...] = (started(ROW, "1m 2m 1m 2m"), TileLifted(0, None, after(10)))
ASKED = (*LIFTED, JokerRequested(0, 1, 0, 2, after(20)))


def use(version: int, ms: int = 20) -> UseJoker:
    """Ana asks for a joker."""
    return UseJoker(ANA, version, after(ms))


def test_a_joker_needs_a_lifted_tile() -> None:
    """Nothing lifted: refused by name."""
    given(started(ROW, "1m 2m 1m 2m")).when(use(0)).refuses(Refusal.NOTHING_LIFTED)


def test_a_joker_is_asked_for_with_its_partner() -> None:
    """Even a blocked one: tile 2 is closed on both sides."""
    given(*LIFTED).when(use(1)).then(JokerRequested(0, 1, 0, 2, after(20)))


def test_of_several_partners_a_solver_chooses() -> None:
    """Its choice is taken only for the position that it judged."""
    state = folded([started(STACKS, "1m 1m 1m 1m"), TileLifted(1, None, after(10))])
    asked = decide(use(1), state)

    assert isinstance(asked, NeedsPartner)
    assert (asked.first, asked.candidates) == (1, (0, 2, 3))
    assert decide(use(1), state, partner=Partner(0b1111, 1, 3)) == [JokerRequested(0, 1, 1, 3, after(20))]
    assert isinstance(decide(use(1), state, partner=Partner(0b0111, 1, 3)), NeedsPartner)


def test_a_spent_joker_removes_the_pair_and_counts_as_one_command() -> None:
    """It is no touch."""
    given(*ASKED).when(TakeJoker(ANA, 1, after(30))).then(JokerUsed(0, 1, 0, 2, 0, 0, after(30)))
    seat = begun([*ASKED, JokerUsed(0, 1, 0, 2, 0, 0, after(30))]).seat

    assert seat.position.present == 0b1010
    assert (seat.board_version, seat.touches, seat.lifted) == (2, 1, None)


def test_while_a_joker_is_open_the_board_waits() -> None:
    """Touch, put back and another joker are refused; leaving is possible, and the joker comes to nothing."""
    for command in (touch(3, 1), put_back(1), use(1)):
        given(*ASKED).when(command).refuses(Refusal.JOKER_PENDING)
    left = begun([*ASKED, AttemptLeft(ANA, LEVEL, after(1_000))])

    assert isinstance(decide(leave(), folded(ASKED)), list)
    assert isinstance(left, Ended)
    assert left.jokers == HeldJokers(requested=1, given_up=(1,))
    assert decide(TakeJoker(ANA, 1, after(2_000)), left) == []


def test_a_request_that_is_dropped_does_not_count() -> None:
    """The tile stays lifted, and the next request has a number of its own."""
    lost = JokerGivenUp(0, 1, GiveUpReason.NONE_OWNED, after(30))
    given(*ASKED).when(GiveUpJoker(ANA, 1, GiveUpReason.NONE_OWNED, after(30))).then(lost)
    state = begun([*ASKED, lost])

    assert (state.jokers, state.seat.lifted) == (HeldJokers(requested=1, given_up=(1,)), 0)
    given(*ASKED, lost).when(use(1, 40)).then(JokerRequested(0, 2, 0, 2, after(40)))


def test_a_joker_works_once() -> None:
    """Told twice, or another number: nothing happens."""
    used = [*ASKED, JokerUsed(0, 1, 0, 2, 0, 0, after(30))]

    assert begun(ASKED).jokers == HeldJokers(requested=1, pending=OpenJoker(1, 0, 2, after(20)))
    given(*used).when(TakeJoker(ANA, 1, after(40))).then()
    given(*ASKED).when(TakeJoker(ANA, 2, after(40))).then()


def test_an_attempt_has_two_jokers() -> None:
    """The third request is refused by name."""
    six = Layout.parse("six", [(4 * tile, 0, 0) for tile in range(6)])
    past: list[Event] = [started(six, "1m 1m 2m 2m 3m 3m")]
    for number, tile in ((1, 0), (2, 2)):
        past += [
            TileLifted(tile, None, after(number)),
            JokerRequested(0, number, tile, tile + 1, after(number)),
            JokerUsed(0, number, tile, tile + 1, 0, 0, after(number)),
        ]
    past.append(TileLifted(4, None, after(3)))

    given(*past).when(use(5)).refuses(Refusal.JOKERS_USED_UP)


def test_a_joker_can_clear_the_level() -> None:
    """The last pair asks for the level's table, like any last pair."""
    past = (
        started(ROW, "1m 2m 2m 1m"),
        TileLifted(0, None, after(10)),
        PairRemoved(0, 3, after(20)),
        TileLifted(1, None, after(30)),
        JokerRequested(0, 1, 1, 2, after(40)),
    )
    take = TakeJoker(ANA, 1, after(50))

    assert decide(take, folded(past)) == LastPair(LEVEL, 50)
    given(*past).when(take, Standing(0, Award())).then(
        JokerUsed(0, 1, 1, 2, 0, 0, after(50)), AttemptCleared(ANA, LEVEL, 1, 50, 1, 10, 10, after(50))
    )


def test_another_players_jokers_are_out_of_reach() -> None:
    """Only the attempt's own account may ask."""
    given(*LIFTED).when(UseJoker(BEN, 1, after(20))).refuses(Refusal.NOT_YOURS)
