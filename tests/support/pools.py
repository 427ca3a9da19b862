"""Small boards and a given/when/then for games of the pool; instants are milliseconds after the deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.domain.pauses import Outage
from services.match.domain.pool.commands import (
    Command,
    EndGame,
    Hint,
    LeavePool,
    RemovePair,
    RestartTraining,
    Shuffle,
    TakeStake,
    Undo,
)
from services.match.domain.pool.dealing import shuffle
from services.match.domain.pool.decide import (
    Hinted,
    Laid,
    NeedsHint,
    NeedsShuffle,
    Outside,
    Unsettled,
    decide,
)
from services.match.domain.pool.events import Event, PoolDealt, PoolEnded
from services.match.domain.pool.evolve import evolve, initial
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.settle import settle
from services.match.domain.pool.state import Dealt, Seat, State
from services.match.domain.pool.terms import LIMIT, PoolDeal, PoolTerms
from services.match.pools.thinking import best_pair
from tests.support.attempts import ANA, BEN, after

CARL, DORA = UUID(int=0xC), UUID(int=0xD)
NEXT = UUID(int=0x99)
STAKE = 100
SEED = bytes(range(32))
SIGNAL_MS = 3_000
LIMIT_MS = LIMIT // timedelta(milliseconds=1)


def row(tiles: int) -> Layout:
    """So many tiles far from each other: all are free, always."""
    return Layout.parse("row", [(4 * (tile % 15), 4 * (tile // 15), 0) for tile in range(tiles)])


def stacked() -> Layout:
    """Two tiles on each other beside two that are free."""
    return Layout.parse("stacked", [(0, 0, 0), (0, 0, 1), (6, 0, 0), (12, 0, 0)])


def pool_deal(layout: Layout, faces: str | Sequence[Face], seed: bytes = SEED) -> PoolDeal:
    """A deal with these faces, separated by blanks."""
    shown = tuple(Face(face) for face in (faces.split() if isinstance(faces, str) else faces))
    assert len(shown) == layout.size, "a face for every tile"
    return PoolDeal(1, layout, layout.name.title(), shown, seed, seed, bytes(32))


@dataclass
class PoolTable:
    """A game under way. Training with one account, else a match whose stakes are to be paid."""

    deal: PoolDeal
    accounts: tuple[UUID, ...] = (ANA,)
    stake: int = STAKE
    limit: timedelta = LIMIT
    outages: tuple[Outage, ...] = ()
    events: list[Event] = field(default_factory=list)
    state: State = field(default_factory=initial)

    def __post_init__(self) -> None:
        stake = self.stake if len(self.accounts) > 1 else 0
        self.take([PoolDealt(PoolTerms(self.accounts, stake, self.limit), self.deal, after(0))])

    @property
    def game(self) -> Dealt:
        """The game as it stands."""
        assert isinstance(self.state, Dealt)
        return self.state

    def seat(self, number: int = 0) -> Seat:
        """A seat as it stands."""
        return self.game.seats[number]

    @property
    def ended(self) -> PoolEnded:
        """How it ended."""
        assert self.game.ended is not None
        return self.game.ended

    @property
    def payouts(self) -> list[int]:
        """Chips by seat."""
        return [seat.payout for seat in self.ended.seats]

    def take(self, events: Sequence[Event]) -> None:
        """Fold facts."""
        for event in events:
            self.events.append(event)
            self.state = evolve(self.state, event)

    def order(self, command: Command) -> list[Event] | PoolRefusal:
        """Carry a command out as the service does."""
        outside = Outside(self.outages)
        while True:
            decided = decide(command, self.state, outside)
            match decided:
                case Unsettled():
                    self.take(settle(self.state, command.at, self.outages))
                case NeedsShuffle():
                    answer = shuffle(decided.board, decided.seed, decided.number)
                    outside = Outside(self.outages, laid=Laid(decided, answer))
                case NeedsHint():
                    hinted = Hinted(decided, best_pair(decided.board))
                    outside = Outside(self.outages, hinted=hinted)
                case PoolRefusal():
                    return decided
                case _:
                    self.take(decided)
                    return decided

    def started(self) -> PoolTable:
        """All stakes paid at once, and the signal given."""
        for account_id in self.accounts:
            self.order(TakeStake(account_id, after(0)))
        self.wait_until(SIGNAL_MS)
        return self

    def wait_until(self, ms: int) -> None:
        """Let time pass."""
        self.take(settle(self.state, after(ms), self.outages))

    def pair(self, first: int, second: int, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Take a pair."""
        version = self.seat(seat).board_version
        return self.order(RemovePair(self.accounts[seat], first, second, version, after(ms)))

    def undo(self, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Take the last pair back."""
        return self.order(Undo(self.accounts[seat], self.seat(seat).board_version, after(ms)))

    def shuffle(self, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Shuffle."""
        return self.order(Shuffle(self.accounts[seat], self.seat(seat).board_version, after(ms)))

    def hint(self, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Ask for a hint."""
        return self.order(Hint(self.accounts[seat], self.seat(seat).board_version, after(ms)))

    def end(self, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """End one's own game."""
        return self.order(EndGame(self.accounts[seat], after(ms)))

    def leave(self, seat: int = 0, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Leave."""
        return self.order(LeavePool(self.accounts[seat], after(ms)))

    def restart(self, ms: int = SIGNAL_MS) -> list[Event] | PoolRefusal:
        """Restart training."""
        return self.order(RestartTraining(self.accounts[0], NEXT, after(ms)))


def training(layout: Layout, faces: str) -> PoolTable:
    """Ana trains."""
    return PoolTable(pool_deal(layout, faces))


def match_of(layout: Layout, faces: str, *accounts: UUID, stake: int = STAKE) -> PoolTable:
    """A match that has been started; by default of Ana and Ben."""
    return PoolTable(pool_deal(layout, faces), accounts or (ANA, BEN), stake).started()
