"""Rigged walls and a given/when/then for MCR deals; instants are milliseconds after the dealing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID

from libs.rules.mcr.claims import Tiles
from libs.rules.mcr.tiles import COPIES, NOTATION, tile
from libs.rules.mcr.wall import DEALT, SEATS, TILES, TileId, dealt, is_bonus, kind_of
from libs.rules.tiles import BONUS
from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.commands import Act, Actor, ByAccount, ByAi, Command, Leave, Return
from services.mcr.domain.deal.decide import Decision, Unsettled, decide
from services.mcr.domain.deal.drawing import begun
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.legal import legal_actions
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.scoring import Scorer
from services.mcr.domain.deal.settle import settle
from services.mcr.domain.deal.state import Dealt, Ended, NotDealt, State, Table
from services.mcr.domain.deal.terms import Ai, AwayReason, DealTerms, Limits, Person, Wall, Won
from services.mcr.domain.deal.view import DealView, view_for
from services.mcr.domain.pauses import Outage

S = TypeVar("S")
START = datetime(2026, 3, 28, 12, 0, 0, tzinfo=UTC)
PLAYERS = tuple(UUID(int=0xA0 + seat) for seat in range(SEATS))
TABLE_ID = UUID(int=0x7AB1E)
FOUR_PERSONS = tuple(map(Person, PLAYERS))
FOUR_AI = (Ai(),) * SEATS
_BONUS_NAMES = {str(face): COPIES * len(NOTATION) + number for number, face in enumerate(BONUS)}

JUNK = (
    "1m 4m 7m 2p 5p 9p 2s 6s 9s E S W N",
    "1m 4m 7m 2p 5p 9p 2s 6s 9s C F P E",
    "1m 4m 7m 2p 5p 9p 2s 6s 9s S W N C",
    "2m 5m 8m 3p 6p 2s 5s 8s F P S W N",
)
"""By seat, hands that are far from everything; what a test names takes the place of one of them."""


def after(ms: int) -> datetime:
    """The instant so many milliseconds after the dealing."""
    return START + timedelta(milliseconds=ms)


def named(tile_id: TileId) -> str:
    """The notation of a tile: a face of the hand's notation, or of a flower."""
    if is_bonus(tile_id):
        return str(BONUS[tile_id - COPIES * len(NOTATION)])
    return str(NOTATION[kind_of(tile_id)])


def notation(tiles: Iterable[TileId]) -> str:
    """Tiles in words, in their order."""
    return " ".join(map(named, tiles))


@dataclass
class Box:
    """The 144 tiles from which tests take the ones they name."""

    left: list[TileId] = field(default_factory=lambda: [TileId(number) for number in range(TILES)])

    def take(self, text: str) -> list[TileId]:
        """The lowest tiles that are left of these faces."""
        return [self._one(name) for name in text.split()]

    def _one(self, name: str) -> TileId:
        wanted = (
            [_BONUS_NAMES[name]]
            if name in _BONUS_NAMES
            else range(COPIES * tile(name), COPIES * tile(name) + COPIES)
        )
        found = next(each for each in self.left if each in wanted)
        self.left.remove(found)
        return found


def rigged(hands: Sequence[str] = JUNK, draws: str = "", ends: str = "", dealer: int = 0) -> Wall:
    """A wall that deals these hands by seat, then these tiles from its beginning and those from its end.

    The dealer's 14th tile is the first of `draws`. What is not named lies behind in the middle, flowers last.
    """
    box = Box()
    held = [box.take(hand) for hand in hands]
    drawn, replaced = box.take(draws), box.take(ends)
    rest = box.left
    if not drawn:
        drawn = [rest.pop(0)]
    held[dealer].append(drawn.pop(0))
    assert [len(hand) for hand in held] == [13 + (seat == dealer) for seat in range(SEATS)]
    tiles: list[TileId] = [TileId(-1)] * DEALT
    places = dealt(tuple(TileId(number) for number in range(TILES)), dealer)
    for seat, hand in enumerate(held):
        for place, one in zip(places[seat], hand, strict=True):
            tiles[place] = one
    wall = (*tiles, *drawn, *rest, *reversed(replaced))
    assert sorted(wall) == list(range(TILES)), "every tile once"
    return Wall(wall, dealer, bytes(32), bytes(32), bytes(32))


def shortened(wall: Wall, left: int) -> Wall:
    """The wall with so many tiles left to draw once all are dealt: those before its end are gone."""
    return Wall(wall.tiles[: DEALT + left], wall.dealer, wall.seed, wall.nonce, wall.commitment)


@dataclass
class DealPlay:
    """A deal under way. Every command answers the present decision unless told otherwise."""

    wall: Wall
    occupants: Sequence[Person | Ai] = FOUR_PERSONS
    limits: Limits = field(default_factory=Limits)
    number: int = 1
    pause: timedelta = timedelta()
    outages: tuple[Outage, ...] = ()
    scorer: Scorer = rule_book
    away: frozenset[int] = frozenset()
    table_id: UUID = TABLE_ID
    events: list[Event] = field(default_factory=list)
    state: State = field(default_factory=initial)
    now_ms: int = 0

    def __post_init__(self) -> None:
        occupants = tuple(self.occupants)
        terms = DealTerms(self.table_id, self.number, occupants, self.away, self.limits, self.pause)
        self.take(begun(terms, self.wall, after(0)))
        self.wait_until(0)

    @property
    def deal(self) -> Dealt:
        """The deal as it stands."""
        assert not isinstance(self.state, NotDealt)
        return self.state

    @property
    def table(self) -> Table:
        """What lies where."""
        return self.deal.table

    @property
    def won(self) -> Won:
        """How it was won."""
        outcome = self.shape(Ended).outcome
        assert isinstance(outcome, Won)
        return outcome

    def shape(self, kind: type[S]) -> S:
        """The state, which has this shape."""
        assert isinstance(self.state, kind), f"it is {type(self.state).__name__}"
        return self.state

    def take(self, events: Sequence[Event]) -> None:
        """Fold facts."""
        for event in events:
            self.events.append(event)
            self.state = evolve(self.state, event)

    def order(self, command: Command) -> Decision:
        """Carry a command out as the service does: deadlines first."""
        while True:
            decided = decide(command, self.state, self.scorer, self.outages)
            if isinstance(decided, Unsettled):
                self.take(settle(self.state, command.at, self.scorer, self.outages))
                continue
            if isinstance(decided, list):
                self.take(decided)
            return decided

    def act(self, seat: int, action: Action, ms: int | None = None, decision: int | None = None) -> Decision:
        """A seat acts, at an instant or at once."""
        self.now_ms = self.now_ms if ms is None else ms
        self.take(settle(self.state, after(self.now_ms), self.scorer, self.outages))
        number = self.table.decision if decision is None else decision
        return self.order(Act(self.actor(seat), action, number, after(self.now_ms)))

    def actor(self, seat: int) -> Actor:
        """Who acts for a seat now."""
        occupant = self.occupants[seat]
        if isinstance(occupant, Person) and seat not in self.table.away:
            return ByAccount(occupant.account_id)
        return ByAi(seat)

    def leave(self, seat: int, reason: AwayReason = AwayReason.LEFT) -> Decision:
        """A person leaves."""
        return self.order(Leave(PLAYERS[seat], reason, after(self.now_ms)))

    def come_back(self, seat: int) -> Decision:
        """A person returns."""
        return self.order(Return(PLAYERS[seat], after(self.now_ms)))

    def wait_until(self, ms: int) -> list[Event]:
        """Let time pass; what it brought."""
        self.now_ms = ms
        found = settle(self.state, after(ms), self.scorer, self.outages)
        self.take(found)
        return found

    def wait(self, ms: int) -> list[Event]:
        """Let so much time pass."""
        return self.wait_until(self.now_ms + ms)

    def legal(self, seat: int) -> tuple[Action, ...]:
        """What a seat can do."""
        return legal_actions(self.state, seat)

    def view(self, seat: int | None) -> DealView:
        """What a seat sees."""
        return view_for(self.deal, seat)

    def held(self, seat: int, text: str) -> Tiles:
        """The tiles of these faces in a hand, the lowest first."""
        hand, found = list(self.table.hands[seat]), []
        for name in text.split():
            one = next(each for each in hand if named(each) == name)
            hand.remove(one)
            found.append(one)
        return tuple(sorted(found))
