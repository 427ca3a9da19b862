"""Small boards and a given/when/then for races, without any server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.shuffle import Moved, shuffle_race
from libs.rules.tiles import Face
from services.match.domain.pauses import Outage
from services.match.domain.race.commands import (
    By,
    ComeBack,
    Command,
    GiveUp,
    GoAway,
    Hint,
    RemovePair,
    Shuffle,
    TouchTile,
)
from services.match.domain.race.dealing import PAIRING
from services.match.domain.race.decide import (
    NeedsShuffle,
    NewArrangement,
    Outside,
    Paused,
    Unsettled,
    decide,
)
from services.match.domain.race.events import Event, RaceDealt, RaceEnded
from services.match.domain.race.evolve import evolve, initial
from services.match.domain.race.rating import Rating
from services.match.domain.race.refusal import RaceRefusal
from services.match.domain.race.settings import DEFAULTS, Difficulty, Settings
from services.match.domain.race.settle import settle
from services.match.domain.race.state import Over, Racer, Racing, State
from services.match.domain.race.terms import CpuLevel, RaceDeal, RaceSeat
from tests.support.attempts import after

RACE, GROUP = UUID(int=0x77), UUID(int=0x78)
SIGNAL_MS = 3_000

APART = Layout.parse("apart", [(4 * tile, 0, 0) for tile in range(6)])
"""Six tiles far from each other: all are free, always."""
PILE = Layout.parse("pile", [(0, 0, 0), (0, 0, 1), (4, 0, 0), (4, 0, 1)])
"""Two stacks of two: 1 lies on 0, and 3 on 2."""


def race_deal(
    layout: Layout,
    faces: str,
    certificate: Sequence[tuple[int, int]],
    difficulty: Difficulty = Difficulty.EASY,
) -> RaceDeal:
    """A deal with these faces, separated by blanks."""
    shown = tuple(Face(face) for face in faces.split())
    assert len(shown) == layout.size, "a face for every tile"
    return RaceDeal(
        difficulty,
        1,
        layout,
        layout.name.title(),
        3,
        shown,
        tuple(certificate),
        bytes(32),
        bytes(32),
        bytes(32),
    )


SIX = race_deal(APART, "1m 1m 2m 2m 3m 3m", [(0, 1), (2, 3), (4, 5)])
BLOCKED = race_deal(PILE, "1m 2m 1m 3m", [(1, 3), (0, 2)])
"""Blocked at once, with faces that a test may choose: only 1 and 3 are free, and they do not match."""


@dataclass
class RaceTable:
    """A race that is played; instants are milliseconds after the signal."""

    events: list[Event]
    state: State
    outages: tuple[Outage, ...] = ()
    ratings: Mapping[UUID, Rating] = field(default_factory=dict)

    @classmethod
    def laid(
        cls,
        accounts: Sequence[UUID],
        deal: RaceDeal = SIX,
        cpu: Sequence[CpuLevel] = (),
        *,
        rated: bool = False,
        deals: Sequence[RaceDeal] = (),
        **settings: Any,
    ) -> RaceTable:
        """A race whose countdown runs; with `deals` each seat has its own."""
        own = bool(deals)
        seats = [RaceSeat(account, None, n if own else 0) for n, account in enumerate(accounts)]
        seats += [RaceSeat(None, level, 0) for level in cpu]
        chosen: Settings = replace(DEFAULTS, **settings)
        first = RaceDealt(
            RACE, GROUP, chosen, rated, tuple(seats), tuple(deals) or (deal,), bytes(32), after(0)
        )
        return cls([first], evolve(initial(), first))

    @classmethod
    def begun(cls, accounts: Sequence[UUID], deal: RaceDeal = SIX, **rest: Any) -> RaceTable:
        """A race whose signal was just given."""
        table = cls.laid(accounts, deal, **rest)
        table.until(0)
        return table

    def at(self, ms: int) -> datetime:
        """The instant so many milliseconds after the signal."""
        return after(SIGNAL_MS + ms)

    def until(self, ms: int) -> RaceTable:
        """Let time pass."""
        self._take(settle(self.state, self.at(ms), self.outages, self.ratings))
        return self

    def order(self, command: Command) -> list[Event] | RaceRefusal | Paused:
        """Carry an order out."""
        outside = Outside(self.outages, ratings=self.ratings)
        while True:
            decided = decide(command, self.state, outside)
            if isinstance(decided, Unsettled):
                self._take(settle(self.state, command.at, self.outages, self.ratings))
            elif isinstance(decided, NeedsShuffle):
                board = decided.board
                found = shuffle_race(
                    board.layout,
                    board.faces,
                    board.present,
                    board.matching,
                    PAIRING,
                    decided.certificate,
                    bytes(32),
                )
                moved = isinstance(found, Moved)
                present = found.present if isinstance(found, Moved) else board.present
                outside = replace(outside, arrangement=NewArrangement(board, found.faces, present, moved))
            else:
                if isinstance(decided, list):
                    self._take(decided)
                return decided

    def remove(self, ms: int, by: By, first: int, second: int) -> list[Event] | RaceRefusal | Paused:
        """Take two tiles."""
        return self.order(RemovePair(by, first, second, self._version(by), self.at(ms)))

    def touch(self, ms: int, by: By, tile: int) -> list[Event] | RaceRefusal | Paused:
        """Touch a tile."""
        return self.order(TouchTile(by, tile, self._version(by), self.at(ms)))

    def shuffle(self, ms: int, by: By) -> list[Event] | RaceRefusal | Paused:
        """Shuffle."""
        return self.order(Shuffle(by, self._version(by), self.at(ms)))

    def hint(self, ms: int, by: By) -> list[Event] | RaceRefusal | Paused:
        """Take a hint."""
        return self.order(Hint(by, self._version(by), self.at(ms)))

    def give_up(self, ms: int, by: UUID) -> list[Event] | RaceRefusal | Paused:
        """Give up."""
        return self.order(GiveUp(by, self.at(ms)))

    def leave(self, ms: int, by: UUID) -> list[Event] | RaceRefusal | Paused:
        """Go away."""
        return self.order(GoAway(by, self.at(ms)))

    def come_back(self, ms: int, by: UUID) -> list[Event] | RaceRefusal | Paused:
        """Take the seat again."""
        return self.order(ComeBack(by, self.at(ms)))

    def clear(self, ms: int, by: By) -> None:
        """Take all six tiles."""
        for pair in SIX.certificate:
            assert isinstance(self.remove(ms, by, *pair), list)

    def racer(self, seat: int) -> Racer:
        """A seat."""
        assert isinstance(self.state, Racing | Over)
        return self.state.racers[seat]

    @property
    def ended(self) -> RaceEnded:
        """The end."""
        assert isinstance(self.state, Over)
        return self.state.ended

    @property
    def places(self) -> list[int]:
        """Places at the end, by seat."""
        return [end.place for end in self.ended.ends]

    def _version(self, by: By) -> int:
        if not isinstance(self.state, Racing | Over):
            return 0
        seat = self.state.race.seat_of(by) if isinstance(by, UUID) else by.seat
        return 0 if seat is None else self.state.racers[seat].board_version

    def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            self.state = evolve(self.state, event)
            self.events.append(event)
