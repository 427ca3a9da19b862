"""Random play of MCR deals that watches what must always hold; told as a fault, with what can repeat it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from random import Random
from typing import Final

from libs.rules.mcr.claims import Tiles, pungs
from libs.rules.mcr.wall import SEATS, TILES, TileId
from services.mcr.domain.deal.actions import (
    Action,
    AddedKong,
    Chow,
    ConcealedKong,
    Discard,
    Kong,
    Pass,
    Pung,
    Win,
)
from services.mcr.domain.deal.commands import Act
from services.mcr.domain.deal.decide import decide
from services.mcr.domain.deal.events import TileDrawn
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.legal import legal_actions, seats_to_act
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import AfterDraw, Dealt, DiscardWindow, Ended, RobbingWindow, State
from services.mcr.domain.deal.terms import Ai, Limits, Person, Won, payments_of
from services.mcr.domain.deal.verifying import play_differences
from services.mcr.domain.deal.walls import lay_wall
from tests.support.mcr_deals import PLAYERS, DealPlay, after
from tests.support.mcr_walls import robbable, stacked

WORKED_OUT_ANEW = 0.1
"""The share of deals whose facts are held against the rules once more."""
STEPS_MAX = 3_000
"""No deal takes as many actions: 92 turns, and answers of three seats to each discard."""


@dataclass
class Tally:
    """What a campaign has tried."""

    actions: int = 0
    deals: int = 0
    refused: int = 0
    """Candidates that were refused, and were not on the list of legal actions."""
    kinds: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)


@dataclass
class RandomDeal:
    """One deal that a seed plays out."""

    seed: int
    tally: Tally
    is_rigged: bool = True
    """Whether it may have a wall on which rare things happen."""

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)
        number = self.rng.randrange(1, 17)
        wall = lay_wall(self.rng.randbytes(32), self.rng.randbytes(32), number)
        rig = self.rng.choice((None, stacked, robbable, robbable))
        wall = rig(wall, self.rng) if rig is not None and self.is_rigged else wall
        persons = self.rng.randrange(SEATS + 1)
        occupants = tuple(Person(PLAYERS[seat]) if seat < persons else Ai() for seat in range(SEATS))
        hold = timedelta(milliseconds=self.rng.choice((0, 1_000)))
        self.keepers = {seat for seat in range(SEATS) if self.rng.random() < 0.5}
        self.play = DealPlay(wall, occupants, Limits(hold=hold), number=number)

    def run(self) -> None:
        """Play to the end; an AssertionError names what did not hold."""
        for _ in range(STEPS_MAX):
            if isinstance(self.play.state, Ended):
                break
            self.step()
            check_tiles(self.play.deal)
        assert isinstance(self.play.state, Ended), "every deal ends"
        outcome = self.play.state.outcome
        assert sum(payments_of(outcome)) == 0, "what is paid is won"
        state: State = initial()
        for event in self.play.events:
            state = evolve(state, event)
        assert state == self.play.state, "the facts give the state again"
        if self.rng.random() < WORKED_OUT_ANEW:
            assert play_differences(self.play.events, self.play.scorer) == [], (
                "the rules give the facts again"
            )
        self.tally.deals += 1
        self.tally.endings[outcome.kind if isinstance(outcome, Won) else type(outcome).__name__] += 1

    def step(self) -> None:
        """One action, or some time, or somebody who leaves or comes back."""
        rng, play = self.rng, self.play
        if rng.random() < 0.02:
            self._attend()
            return
        to_act = seats_to_act(play.state)
        if not to_act or rng.random() < 0.01:
            play.wait(rng.choice((1_000, 8_000, 20_000)))
            return
        if rng.random() < 0.3:
            self._try_any()
        seat = rng.choice(to_act)
        action = self._choice(seat, legal_actions(play.state, seat))
        now_ms = play.now_ms + rng.choice((0, 0, 300))
        decided = play.act(seat, action, now_ms, play.table.decision)
        self.tally.kinds[type(action).__name__] += 1
        if decided is Refusal.STALE_DECISION or decided is Refusal.MATCH_ENDED:
            return  # time has decided meanwhile
        assert isinstance(decided, list), f"{action} of {seat} is on the list and was refused: {decided}"
        self.tally.actions += 1
        drawn = sum(isinstance(event, TileDrawn) for event in decided)
        assert drawn <= 1, "one tile at a time"

    def _choice(self, seat: int, legal: tuple[Action, ...]) -> Action:
        """Some of each kind, so that kongs and claims are no rarities beside discards.

        Keepers discard what they draw and claim no chow and no pung; others like to discard what somebody can
        make a pung of.
        """
        state = self.play.state
        kinds = sorted({type(action).__name__ for action in legal})
        if seat in self.keepers:
            if kinds == ["Discard"] and isinstance(state, AfterDraw):
                return Discard(state.drawn)
            kinds = [kind for kind in kinds if kind not in {"Chow", "Pung"}]
        wanted = [one for one in legal if isinstance(one, Discard) and self._is_wanted(seat, one.tile)]
        if kinds == ["Discard"] and wanted and self.rng.random() < 0.5:
            return self.rng.choice(wanted)
        kind = self.rng.choice(kinds)
        return self.rng.choice([action for action in legal if type(action).__name__ == kind])

    def _is_wanted(self, seat: int, tile: TileId) -> bool:
        """Whether another seat could make a pung of it."""
        hands = self.play.table.hands
        return any(pungs(tile, hands[other]) for other in range(SEATS) if other != seat)

    def _attend(self) -> None:
        """Somebody leaves or comes back."""
        seat = self.rng.randrange(SEATS)
        if isinstance(self.play.occupants[seat], Person):
            if seat in self.play.table.away:
                self.play.come_back(seat)
            else:
                self.play.leave(seat)

    def _try_any(self) -> None:
        """A candidate of any kind, of any seat, is accepted exactly where it is on the list."""
        play, seat = self.play, self.rng.randrange(SEATS)
        action = self._candidate(seat)
        command = Act(play.actor(seat), action, play.table.decision, after(play.now_ms))
        decided = decide(command, play.state, play.scorer, play.outages)
        is_listed = action in legal_actions(play.state, seat)
        assert isinstance(decided, list) == is_listed, f"{action} of {seat}: {decided}"
        self.tally.refused += not is_listed

    def _candidate(self, seat: int) -> Action:
        """Mostly of tiles that the seat holds, or of the offered tile's neighbours."""
        rng, state = self.rng, self.play.deal
        pool = list(self.play.table.hands[seat])
        if isinstance(state, DiscardWindow | RobbingWindow) and rng.random() < 0.7:
            pool = [tile for tile in pool if abs(tile - state.tile) < 12] or pool
        if rng.random() < 0.1 or len(pool) < 4:
            pool = [TileId(tile) for tile in range(TILES)]
        if rng.random() < 0.5 and len(pool) > 4:
            start = rng.randrange(len(pool) - 3)
            pool = sorted(pool)[start : start + 4]
        return rng.choice(CANDIDATES)(tuple(rng.sample(pool, 4)))


CANDIDATES: Final[tuple[Callable[[Tiles], Action], ...]] = (
    lambda _: Win(),
    lambda _: Pass(),
    lambda four: Discard(four[0]),
    lambda four: AddedKong(four[0]),
    lambda four: ConcealedKong(tuple(sorted(four))),
    lambda four: Pung(tuple(sorted(four[:2]))),
    lambda four: Kong(tuple(sorted(four[:3]))),
    lambda four: Chow(tuple(sorted(four[:2]))),
)
"""Actions of every kind, with tiles out of four."""


def check_tiles(state: Dealt) -> None:
    """All 144 tiles are there, each in one place, and every seat has as many as its melds leave it."""
    table = state.table
    wall = table.wall.tiles[table.front : len(table.wall.tiles) - table.back]
    melded = [tile for melds in table.melds for meld in melds for tile in meld.tiles]
    floating = [state.tile] if isinstance(state, RobbingWindow) else []
    everywhere = [
        *wall,
        *chain(*table.hands),
        *melded,
        *chain(*table.flowers),
        *chain(*table.discards),
        *floating,
    ]
    assert len(everywhere) == TILES, "tiles are neither made nor lost"
    assert len(set(everywhere)) == TILES, "a tile has one place"
    winner = state.outcome.winner if isinstance(state, Ended) and isinstance(state.outcome, Won) else None
    for seat in range(SEATS):
        size = len(table.hands[seat]) + 3 * len(table.melds[seat])
        has_drawn = getattr(state, "seat", None) == seat and not isinstance(
            state, DiscardWindow | RobbingWindow
        )
        assert size == 13 + (has_drawn or seat == winner) or isinstance(state, Ended), (
            f"seat {seat} has {size}"
        )
