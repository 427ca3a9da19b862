"""How an attempt begins, goes on and ends."""

from __future__ import annotations

from uuid import UUID

import pytest

from services.match.commands import Command
from services.match.domain.decide import TOUCHES_MAX, LastPair, decide, start_again
from services.match.domain.points import Award, Standing
from services.match.domain.refusal import Refusal
from services.match.domain.state import Cleared, Ended, Left, Restarted
from services.match.events import (
    AttemptCleared,
    AttemptLeft,
    AttemptRestarted,
    Event,
    PairRemoved,
    TileLifted,
    TilePutBack,
)
from tests.support.attempts import (
    ANA,
    BEN,
    LEVEL,
    NEXT,
    ROW,
    after,
    begun,
    folded,
    given,
    leave,
    put_back,
    restart,
    start,
    started,
    touch,
)

FACES = "1m 2m 2m 1m"
ALMOST: tuple[Event, ...] = (
    started(ROW, FACES),
    TileLifted(0, None, after(10)),
    PairRemoved(0, 3, after(20)),
    TileLifted(1, None, after(30)),
)
CLEARED = AttemptCleared(ANA, LEVEL, 1, 1_234, 1, 10, 10, after(1_234))
ENDINGS: dict[str, tuple[Event, ...]] = {
    "cleared": (*ALMOST, PairRemoved(1, 2, after(1_234)), CLEARED),
    "left": (started(ROW, FACES), AttemptLeft(ANA, LEVEL, after(5))),
    "restarted": (started(ROW, FACES), AttemptRestarted(ANA, LEVEL, NEXT, after(5))),
}
COMMANDS: tuple[Command, ...] = (touch(0, 0), put_back(0), leave(), restart())


def test_a_level_starts_with_its_deal() -> None:
    """The start holds places and faces: the attempt replays without the catalogue."""
    given().when(start(ROW, FACES)).then(started(ROW, FACES))


def test_the_last_pair_asks_for_the_levels_table() -> None:
    """Place and points are read at the moment of finishing, so the first judgement only names the time."""
    assert decide(touch(2, 3, ms=1_234), folded(ALMOST)) == LastPair(LEVEL, 1_234)


def test_the_last_pair_clears_the_level() -> None:
    """Time runs from the sending of the faces to the last pair; place and points stand in the fact."""
    given(*ALMOST).when(touch(2, 3, ms=1_234), Standing(0, Award())).then(
        PairRemoved(1, 2, after(1_234)), CLEARED
    )

    ended = begun(ENDINGS["cleared"])
    assert isinstance(ended, Ended)
    assert ended.ending == Cleared(1_234, 1, 10, 10)
    assert ended.seat.position.tiles_left == 0


def test_the_last_pair_and_the_clearing_are_one_command() -> None:
    """board_version counts commands, not events."""
    assert begun(ENDINGS["cleared"]).seat.board_version == 4


def test_leaving_ends_the_attempt() -> None:
    """Leave is always allowed while the attempt runs."""
    given(started(ROW, FACES)).when(leave(5)).then(ENDINGS["left"][1])

    ended = begun(ENDINGS["left"])
    assert isinstance(ended, Ended)
    assert ended.ending == Left()
    assert ended.seat.board_version == 1


def test_a_restart_ends_the_attempt_and_names_the_next() -> None:
    """A restart is a new attempt."""
    given(started(ROW, FACES)).when(restart(5)).then(ENDINGS["restarted"][1])

    ended = begun(ENDINGS["restarted"])
    assert isinstance(ended, Ended)
    assert ended.ending == Restarted(NEXT)


def test_the_attempt_after_a_restart_has_the_same_deal_and_a_clock_of_its_own() -> None:
    """Same places, same faces, time from now."""
    ended = begun(ENDINGS["restarted"])
    assert isinstance(ended, Ended)
    again = start_again(ended, ANA, after(900))

    assert again.deal == ended.attempt.deal
    assert begun([again]).attempt.started_at == after(900)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_happens_before_the_start(command: Command) -> None:
    """A stream without events is no attempt."""
    given().when(command).refuses(Refusal.NOT_FOUND)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_happens_after_the_end(ending: str, command: Command) -> None:
    """However it ended, every command is refused by name."""
    given(*ENDINGS[ending]).when(command).refuses(Refusal.MATCH_ENDED)


@pytest.mark.parametrize(
    "command", [touch(0, 0, account=BEN), put_back(0, account=BEN), leave(account=BEN), restart(account=BEN)]
)
def test_another_players_board_is_out_of_reach(command: Command) -> None:
    """Only the attempt's own account may change it."""
    given(started(ROW, FACES)).when(command).refuses(Refusal.NOT_YOURS)


@pytest.mark.parametrize("version", [-1, 0, 2, 99])
def test_a_command_on_another_board_version_is_stale(version: int) -> None:
    """Whether too low or too high: the caller has not decided on this board."""
    past = given(started(ROW, FACES), TileLifted(0, None, after(10)))

    past.when(touch(3, version)).refuses(Refusal.STALE_BOARD_VERSION)
    past.when(put_back(version)).refuses(Refusal.STALE_BOARD_VERSION)


def test_an_attempt_has_4800_touches() -> None:
    """The next one is refused; putting back counts as well, leaving is still possible."""
    events: list[Event] = [started(ROW, FACES)]
    for n in range(TOUCHES_MAX // 2):
        events += [TileLifted(0, None, after(n)), TilePutBack(0, after(n))]
    state = folded(events)

    assert decide(touch(0, TOUCHES_MAX, ms=9_999), state) is Refusal.TOUCH_LIMIT
    assert decide(put_back(TOUCHES_MAX, ms=9_999), state) is Refusal.TOUCH_LIMIT
    assert isinstance(decide(leave(9_999), state), list)


def test_time_never_runs_backwards_within_an_attempt() -> None:
    """A command that carries an earlier instant than the last fact occurred with that fact."""
    given(started(ROW, FACES), TileLifted(0, None, after(2_000))).when(touch(0, 1, ms=1_500)).then(
        TilePutBack(0, after(2_000))
    )


def test_elapsed_is_whole_milliseconds_rounded_down() -> None:
    """A part of a millisecond does not count."""
    late = touch(2, 3, ms=1_234)
    late = type(late)(ANA, 2, 3, late.at.replace(microsecond=late.at.microsecond + 999))

    assert decide(late, folded(ALMOST)) == LastPair(LEVEL, 1_234)


def test_refusals_have_one_order() -> None:
    """Where several reasons hold, whose board it is comes before what is wrong with the command."""
    ended = given(*ENDINGS["left"])

    ended.when(touch(99, 77, account=UUID(int=9))).refuses(Refusal.NOT_YOURS)
    ended.when(touch(99, 77)).refuses(Refusal.TILE_OUT_OF_RANGE)
    ended.when(touch(0, 77)).refuses(Refusal.MATCH_ENDED)
