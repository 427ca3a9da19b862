"""`sparrow matches show`: each pair is annotated with why it was worth 100, 200 or 300."""

from __future__ import annotations

from rich.console import Console

from libs.cli.matches.telling import replay_table, unsolvable_lines
from libs.client.replays import BlockedTouch, Replay, SeatReplay, Step, TakenPair, Unsolvable
from libs.client.rounds import Mode, Out, PairKind

ANA, BEN = "players/a", "players/b"
NAMES = {ANA: "Ana", BEN: "Ben"}


def _pair(kind: PairKind, worth: int, took_ms: int, before_ms: int | None, after_ms: int) -> TakenPair:
    return TakenPair((3, 17), ("2m", "2m"), kind, worth, took_ms, before_ms, after_ms, undecided=False)


REPLAY = Replay(
    "matches/x",
    Mode.QUICK,
    1,
    1,
    (),
    (
        SeatReplay(ANA, (Unsolvable(2, 4, exact=True), Unsolvable(6, None, exact=False)), undecided=False),
        SeatReplay(BEN, (), undecided=True),
    ),
    (
        Step(ANA, 4_000, _pair(PairKind.PLAIN, 100, 4_000, None, 4_000), 100, 34),
        Step(ANA, 6_500, _pair(PairKind.PACE, 200, 2_500, 4_000, 2_500), 300, 32),
        Step(ANA, 8_500, _pair(PairKind.CRUCIAL, 300, 2_000, 2_500, 2_000), 600, 30),
        Step(BEN, 9_000, BlockedTouch(7, (), (6,), (8,), 100), 0, 36, seat=1),
        Step(ANA, 9_500, _pair(PairKind.JOKER, 100, 1_000, 2_000, 2_000), 700, 28),
        Step(BEN, 20_000, Out.IDLE, 0, 36, seat=1),
    ),
)


def _lines(only: str | None) -> list[str]:
    console = Console(width=140, highlight=False)
    with console.capture() as captured:
        console.print(replay_table(REPLAY, NAMES, only))
    return [" ".join(line.split()) for line in captured.get().splitlines()][1:]


def test_each_step_says_when_what_and_why() -> None:
    """The first pair, a record that was beaten, a crucial pair, a blocked touch, a joker, an end."""
    crucial = "crucial: the only pair that kept the board solvable"
    assert _lines(None) == [
        "4.000 s Ana 2m 3–17 4.000 s 100 100 34 the first sets the record",  # noqa: RUF001 a range
        "6.500 s Ana 2m 3–17 2.500 s 200 300 32 record 4.000 s → 2.500 s",  # noqa: RUF001
        f"8.500 s Ana 2m 3–17 2.000 s 300 600 30 {crucial}; record 2.500 s → 2.000 s",  # noqa: RUF001
        "9.000 s Ben blocked 7 -100 0 36 between 6 and 8",
        "9.500 s Ana 2m 3–17 1.000 s 100 700 28 by a joker",  # noqa: RUF001
        "20.000 s Ben out 0 36 20 s without a pair",
    ]


def test_the_own_steps_can_be_shown_alone() -> None:
    """Those of one player."""
    assert len(_lines(ANA)) == 4


def test_it_says_from_where_on_a_board_was_unsolvable() -> None:
    """Where that is not certain, it says so."""
    assert list(unsolvable_lines(REPLAY, NAMES)) == [
        "Ana's board was unsolvable after pair 2, until the joker that took pair 4.",
        "Ana's board was unsolvable after pair 6 at the latest.",
        "Whether Ben's board could be cleared at the end was too hard to tell.",
    ]
