"""`sparrow matches` on races and the pool: what was done, what it cost or brought, how it was placed."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

import pytest
from rich.console import Console

from libs.cli.matches.telling import brought, document, placing_lines, replay_table
from libs.cli.matches.viewing import Viewer, frames
from libs.client.board_view import Place
from libs.client.pools import PoolEnd
from libs.client.race_views import CpuLevel, Difficulty
from libs.client.replays import (
    BlockedTouch,
    DealtBoard,
    Finish,
    FreeTouch,
    LitPair,
    PlayedGame,
    PlayedPool,
    PlayedRace,
    PoolPlacing,
    RaceNews,
    RacePlacing,
    Replay,
    SeatReplay,
    Shuffled,
    Step,
    TakenPair,
    UndonePair,
    What,
)
from libs.client.rounds import Mode
from tests.support.attempts import after

ANA, BEN = "players/a", "players/b"
NAMES = {ANA: "Ana", BEN: "Ben"}
BOARD = DealtBoard(
    "four", tuple(Place(2 * tile, 0, 0) for tile in range(4)), {0: "1m", 1: "2s", 2: "2s", 3: "1m"}
)


def _pair(tiles: tuple[int, int], face: str, worth: int = 0, value: int = 0, pairs: int = 0) -> TakenPair:
    return TakenPair(tiles, (face, face), None, worth, 2_000, None, None, False, value, pairs)


def _race_step(ms: int, what: What, left: int, percent: int, *, seat: int = 0, by_cpu: bool = False) -> Step:
    return Step((ANA, BEN, "")[seat], ms, what, 0, left, seat, by_cpu, percent)


RACE = Replay(
    "matches/r",
    Mode.RACE,
    1,
    1,
    (BOARD,),
    (
        SeatReplay(
            ANA, (), False, 0, RacePlacing(None, 1, Finish.WITHIN_LIMIT, 8_000, 100, False, 1500, 1530)
        ),
        SeatReplay(BEN, (), False, 0, RacePlacing(None, 3, Finish.GIVEN_UP, None, 50, True, 0, 1470)),
        SeatReplay(
            "", (), False, 0, RacePlacing(CpuLevel.HARD, 2, Finish.OVER_LIMIT, 9_000, 100, False, None, None)
        ),
    ),
    (
        _race_step(1_000, BlockedTouch(2, (), (1,), (3,), 0), 4, 0),
        _race_step(1_200, FreeTouch(0, not_same=True), 4, 0),
        _race_step(2_000, _pair((0, 3), "1m"), 2, 50),
        _race_step(2_500, Shuffled({1: "5p", 2: "5p"}, True, False, 0, 2), 2, 50, seat=1),
        _race_step(3_000, LitPair((1, 2), ("2s", "2s"), 0, None), 2, 50),
        _race_step(4_000, _pair((1, 2), "5p"), 0, 100, seat=1, by_cpu=True),
        _race_step(5_000, RaceNews.GAVE_UP_STUCK, 2, 50, seat=1),
        _race_step(8_000, _pair((1, 2), "2s"), 0, 100),
    ),
)
POOL = Replay(
    "matches/p",
    Mode.POOL,
    1,
    1,
    (BOARD,),
    (
        SeatReplay(ANA, (), False, 0, PoolPlacing(1, 189, PoolEnd.CLEARED, 0, 200)),
        SeatReplay(BEN, (), False, 0, PoolPlacing(0, 0, PoolEnd.NOT_PLAYED, 72, 0)),
    ),
    (
        Step(ANA, 1_000, _pair((1, 2), "2s", 216, 3, 72), 216, 142),
        Step(ANA, 2_000, UndonePair((1, 2), {0: "1m", 1: "2s", 2: "2s", 3: "1m"}, 355, 216, 4), -355, 144),
        Step(ANA, 3_000, Shuffled({0: "2s", 1: "1m", 2: "1m", 3: "2s"}, False, False, 360, 1), -715, 144),
        Step(ANA, 4_000, LitPair((1, 2), ("1m", "1m"), 360, 4), -1_075, 144),
        Step(ANA, 4_500, Shuffled({}, False, True, 0, 1), -1_075, 144),
        Step(ANA, 5_000, PoolEnd.CLEARED, -1_075, 0),
    ),
    100,
)


def _lines(told: Replay) -> list[str]:
    console = Console(width=140, highlight=False)
    with console.capture() as captured:
        console.print(replay_table(told, NAMES, None))
    return [" ".join(line.split()) for line in captured.get().splitlines()]


def test_a_race_is_told_with_progress_shuffles_hints_and_what_the_cpu_did() -> None:
    """Touches are free and say why."""
    assert _lines(RACE) == [
        "at player what took worth progress left why",
        "1.000 s Ana blocked 2 0 % 4 between 1 and 3",
        "1.200 s Ana touched 0 0 % 4 does not match",
        "2.000 s Ana 1m 0–3 2.000 s 50 % 2",  # noqa: RUF001 a range
        "2.500 s Ben shuffle 50 % 2 tiles took other places, 2 shuffles left",
        "3.000 s Ana hint 2s 1–2 50 % 2",  # noqa: RUF001
        "4.000 s Ben 5p 1–2 2.000 s 100 % 0 by the CPU",  # noqa: RUF001
        "5.000 s Ben gave up 50 % 2 blocked, and no shuffle was left",
        "8.000 s Ana 2s 1–2 2.000 s 100 % 0",  # noqa: RUF001
    ]


def test_the_seats_of_a_race_are_told_by_place_with_their_classes() -> None:
    """Time or progress, ratings, the mark of whoever was not back."""
    assert list(placing_lines(RACE, NAMES)) == [
        "1. Ana: cleared within the limit in 8.000 s, rating 1500 → 1530",
        "2. CPU 3: cleared over the limit in 9.000 s",
        "3. Ben: given up at 50 %, played on by the CPU, rating 1470",
    ]


def test_the_pool_is_told_with_values_times_pairs_and_what_help_cost() -> None:
    """An undo takes back what the pair brought, and is charged."""
    assert _lines(POOL) == [
        "at player what took worth score left why",
        "1.000 s Ana 2s 1–2 2.000 s 216 216 142 bamboos 3 × 72 pairs",  # noqa: RUF001
        "2.000 s Ana undo 1–2 -571 -355 144 back go 216, 5 × 71 pairs, 4 undos left",  # noqa: RUF001
        "3.000 s Ana shuffle -360 -715 144 5 × 72 pairs, 1 shuffle left",  # noqa: RUF001
        "4.000 s Ana hint 1m 1–2 -360 -1,075 144 5 × 72 pairs, 4 hints left",  # noqa: RUF001
        "4.500 s Ana shuffle 0 -1,075 144 no arrangement has a pair: nothing is charged",
        "5.000 s Ana cleared the board -1,075 0",
    ]
    assert list(placing_lines(POOL, NAMES)) == [
        "1. Ana: 189 points, cleared the board with 0 pairs left, 200 chips",
        "– Ben: did not play",  # noqa: RUF001 a dash
    ]


def test_lists_say_what_races_and_games_of_the_pool_came_to() -> None:
    """Also as documents for programs."""
    placing = RACE.seats[0].placing
    assert isinstance(placing, RacePlacing)
    race = PlayedGame(
        "matches/r", Mode.RACE, after(0), after(1), PlayedRace(placing, 3, Difficulty.EASY, True)
    )
    own = PoolPlacing(1, 189, PoolEnd.LEFT, 7, 0)
    training = PlayedGame("matches/p", Mode.POOL, after(0), None, PlayedPool(own, 1, 0, False))
    void = PlayedGame("matches/v", Mode.POOL, after(0), None, PlayedPool(own, 2, 100, True))

    assert [brought(each) for each in (race, training, void)] == [
        "easy, place 1 of 3: cleared within the limit in 8.000 s, rating 1500 → 1530",
        "training: 189 points, left with 7 pairs left",
        "void: stakes went back",
    ]
    assert document(race)["own"]["finish"] == "within_limit"
    assert document(training)["end_time"] is None


class Typed:
    """What is typed, and then nothing more."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)

    async def next(self) -> str | None:
        """The next line."""
        return self.lines.pop(0) if self.lines else None


def test_the_board_lies_after_each_step_as_it_lay_then() -> None:
    """Pairs leave it, shuffles lay it anew, an undo brings it back."""
    boards = [sorted(frame.board.faces.items()) for frame in frames(POOL, 0, NAMES)]

    assert boards[0] == [(0, "1m"), (1, "2s"), (2, "2s"), (3, "1m")]
    assert boards[1] == [(0, "1m"), (3, "1m")]
    assert boards[2] == boards[0]
    assert boards[3] == boards[5] == [(0, "2s"), (1, "1m"), (2, "1m"), (3, "2s")]
    assert frames(POOL, 0, NAMES)[0].board.free == {0, 3}


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        (["", "", "b", "q"], ["0/5", "1/5", "2/5", "1/5"]),
        (["4", "", "", ""], ["0/5", "4/5", "5/5"]),
        (["what?", "99", "b"], ["0/5", "0/5", "5/5", "4/5"]),
    ],
)
async def test_keys_lead_through_the_steps_of_one_seat(typed: list[str], seen: list[str]) -> None:
    """On, back, to a number, out; past the end it is told how all were placed."""
    out = StringIO()
    console = Console(file=out, width=100, highlight=False)

    await Viewer(RACE, 0, NAMES, console).by_keys(Typed(typed))

    told = out.getvalue()
    assert [line.split()[0] for line in told.splitlines() if "/5 " in line[:5]] == seen
    assert ("CPU 3: cleared over" in told) == (typed[0] == "4")


async def test_it_goes_on_by_itself_as_fast_as_it_is_told() -> None:
    """Ten times as fast as it was played."""
    waits: list[float] = []
    out = StringIO()

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds, 3))

    await Viewer(RACE, 0, NAMES, Console(file=out, width=100, highlight=False)).by_itself(10, sleep)

    assert waits == [0, 0.1, 0.02, 0.08, 0.1, 0.5]
    assert "0/5 Ana's board as it was dealt" in out.getvalue()
    assert "5/5 8.000 s Ana: 2s 1–2 100 %" in out.getvalue()  # noqa: RUF001
