"""Random games against a naive second model that knows geometry by scanning all tiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.levels import level_deal
from services.match.commands import Command, Deal, PutBack, StartLevel, Touch
from services.match.domain.decide import LastPair, decide
from services.match.domain.evolve import evolve, initial
from services.match.domain.points import Award, Standing
from services.match.domain.refusal import Refusal
from services.match.domain.state import Ended, NotStarted, Running, State
from services.match.events import Event
from tests.support.attempts import ANA, after, folded

Said = Literal["lifted", "put_back", "paired", "not_same", "blocked", "gone", "nothing_lifted"]
LEVELS = st.sampled_from([1, 2, 9, 40, 333, 5_000])


@dataclass
class Naive:
    """A board as a set of tiles and a scan over all of them for every question."""

    layout: Layout
    faces: tuple[str, ...]
    present: set[int] = field(default_factory=set)
    lifted: int | None = None
    known: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.present = set(range(self.layout.size))
        self._look()

    def _there(self, without: int | None) -> list[tuple[int, int, int]]:
        return [self.layout.tiles[t] for t in self.present if t != without]

    def _covered(self, tile: int, without: int | None) -> bool:
        x, y, z = self.layout.tiles[tile]
        return any(h > z and abs(a - x) < 2 and abs(b - y) < 2 for a, b, h in self._there(without))

    def _free(self, tile: int, without: int | None) -> bool:
        x, y, z = self.layout.tiles[tile]
        side = [a - x for a, b, h in self._there(without) if h == z and abs(b - y) < 2]
        return not self._covered(tile, without) and not (-2 in side and 2 in side)

    def _look(self) -> None:
        self.known |= {t for t in self.present if not self._covered(t, self.lifted)}

    def touch(self, tile: int) -> Said:
        """What the touch comes to; the board and what is known change with it."""
        said = self._judge(tile)
        self._look()
        return said

    def _judge(self, tile: int) -> Said:
        if tile not in self.present:
            return "gone"
        if self.lifted == tile:
            self.lifted = None
            return "put_back"
        if not self._free(tile, self.lifted):
            return "blocked"
        if self.lifted is not None and self.faces[self.lifted] == self.faces[tile]:
            self.present -= {self.lifted, tile}
            self.lifted = None
            return "paired"
        if not self._free(tile, None):
            return "not_same"
        self.lifted = tile
        return "lifted"

    def put_back(self) -> Said:
        """What putting back comes to."""
        if self.lifted is None:
            return "nothing_lifted"
        self.lifted = None
        return "put_back"


NAMES: dict[str, Said] = {
    "TileLifted": "lifted",
    "TilePutBack": "put_back",
    "PairRemoved": "paired",
    "TouchNotSame": "not_same",
    "TouchBlocked": "blocked",
}


def _play(state: State, command: Command) -> tuple[State, list[Event], Said]:
    decided = decide(command, state)
    if isinstance(decided, LastPair):
        decided = decide(command, state, Standing(0, Award()))
    if isinstance(decided, Refusal):
        assert decided in {Refusal.TILE_GONE, Refusal.NOTHING_LIFTED}
        return state, [], "gone" if decided is Refusal.TILE_GONE else "nothing_lifted"
    assert isinstance(decided, list)
    for event in decided:
        state = evolve(state, event)
    return state, decided, NAMES[type(decided[0]).__name__]


@settings(max_examples=25, deadline=None)
@given(level=LEVELS, data=st.data())
def test_random_touches_agree_with_a_naive_board(level: int, data: st.DataObject) -> None:
    """Outcome, tiles left, lift, known faces and free tiles are those of the naive model after every step."""
    dealt = level_deal(level)
    naive = Naive(dealt.layout, dealt.faces)
    state, events = _begin(level)
    greedy = data.draw(st.booleans())
    for _ in range(data.draw(st.integers(1, 60))):
        assert isinstance(state, Running)
        tile = _choose(naive, greedy, data)
        command: Command = (
            PutBack(ANA, state.seat.board_version, after(1))
            if tile is None
            else Touch(ANA, tile, state.seat.board_version, after(1))
        )
        state, new, said = _play(state, command)
        events += new
        assert said == (naive.put_back() if tile is None else naive.touch(tile))
        _agree(state, naive)
        if not naive.present:
            break
    assert folded(events) == state
    assert isinstance(state, Ended) == (not naive.present)


def _begin(level: int) -> tuple[State, list[Event]]:
    dealt = level_deal(level)
    deal = Deal(level, dealt.catalogue_version, level % 10 == 0, dealt.layout, "", dealt.faces)
    start = decide(StartLevel(ANA, deal, after(0)), initial())
    assert isinstance(start, list)
    return evolve(initial(), start[0]), start


def _choose(naive: Naive, greedy: bool, data: st.DataObject) -> int | None:
    """Any tile, None to put back; when greedy rather one that moves the game on."""
    if greedy and data.draw(st.integers(0, 9)) < 8:
        free = [t for t in sorted(naive.present) if t != naive.lifted and naive._free(t, naive.lifted)]
        same = [t for t in free if naive.lifted is not None and naive.faces[t] == naive.faces[naive.lifted]]
        return data.draw(st.sampled_from(same or free)) if free else None
    return data.draw(st.one_of(st.none(), st.integers(0, naive.layout.size - 1)))


def _agree(state: State, naive: Naive) -> None:
    assert not isinstance(state, NotStarted)
    seat = state.seat
    assert {t for t in range(naive.layout.size) if seat.position.present >> t & 1} == naive.present
    assert seat.lifted == naive.lifted
    assert {t for t in naive.present if seat.known >> t & 1} == naive.known & naive.present
    free = {t for t in naive.present if t == naive.lifted or naive._free(t, naive.lifted)}
    assert {t for t in range(naive.layout.size) if seat.position.free(seat.lifted) >> t & 1} == free
