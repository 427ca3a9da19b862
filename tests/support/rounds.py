"""Small boards and a given/when/then for Rivals rounds of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from services.match.commands import GiveUpReason, Leave, PutBack, Touch
from services.match.domain.partner import NeedsPartner, Partner
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.commands import Command, GiveUpJoker, TakeJoker, UseJoker
from services.match.domain.rivals.decide import NeedsVerdict, Outside, Unsettled, decide
from services.match.domain.rivals.events import Event, RoundDealt
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.settle import settle
from services.match.domain.rivals.stage import ONLY_ROUND, Stage
from services.match.domain.rivals.state import Over, Player, Playing, State
from services.match.domain.rivals.terms import Judged, RoundDeal
from tests.support.attempts import ANA, BEN, after

MATCH = UUID(int=0x77)
SIGNAL_MS = 3_000
SEED, NONCE, COMMITMENT = bytes(range(32)), bytes(range(32, 64)), bytes(32)


def apart(tiles: int) -> Layout:
    """So many tiles far from each other: all are free, always."""
    return Layout.parse("apart", [(4 * (tile % 15), 4 * (tile // 15), 0) for tile in range(tiles)])


def round_deal(layout: Layout, faces: str) -> RoundDeal:
    """A deal with these faces, separated by blanks."""
    shown = tuple(Face(face) for face in faces.split())
    assert len(shown) == layout.size, "a face for every tile"
    return RoundDeal(7, 1, layout, layout.name.title(), 4, shown, SEED, NONCE, COMMITMENT)


def dealt(
    layout: Layout, faces: str, accounts: Sequence[UUID] = (ANA, BEN), stage: Stage = ONLY_ROUND
) -> RoundDealt:
    """Ana and Ben sit down."""
    return RoundDealt(MATCH, tuple(accounts), round_deal(layout, faces), after(0), stage)


def fold(events: Sequence[Event]) -> State:
    """The state after events from the beginning."""
    state = initial()
    for event in events:
        state = evolve(state, event)
    return state


@dataclass
class Table:
    """A round that is played; instants are milliseconds after the signal."""

    events: list[Event]
    state: State
    outages: tuple[Outage, ...] = ()
    told: list[Event] = field(default_factory=list)
    """What the last step brought about."""

    @classmethod
    def laid(cls, layout: Layout, faces: str, accounts: Sequence[UUID] = (ANA, BEN)) -> Table:
        """A round whose countdown runs."""
        first = dealt(layout, faces, accounts)
        return cls([first], fold([first]))

    @classmethod
    def begun(cls, layout: Layout, faces: str, accounts: Sequence[UUID] = (ANA, BEN)) -> Table:
        """A round whose signal was just given."""
        table = cls.laid(layout, faces, accounts)
        table.until(0)
        return table

    def until(self, ms: int) -> list[Event]:
        """Settle whatever is due by then."""
        return self._add(settle(self.state, at(ms), self.outages))

    def player(self, seat: int) -> Player:
        """One seat."""
        assert isinstance(self.state, Playing | Over)
        return self.state.players[seat]

    def scores(self) -> tuple[int, ...]:
        """The round scores."""
        assert isinstance(self.state, Playing | Over)
        return tuple(player.score for player in self.state.players)

    def touch(self, seat: int, tile: int, ms: int, *, crucial: bool = False) -> list[Event] | Refusal:
        """Touch a tile; a pair is crucial if the test says so."""
        return self.order(Touch(self._account(seat), tile, self._version(seat), at(ms)), crucial=crucial)

    def pair(self, seat: int, first: int, second: int, ms: int, *, crucial: bool = False) -> list[Event]:
        """Lift one tile and touch the other at that instant."""
        assert isinstance(self.touch(seat, first, ms), list)
        found = self.touch(seat, second, ms, crucial=crucial)
        assert isinstance(found, list)
        return found

    def put_back(self, seat: int, ms: int) -> list[Event] | Refusal:
        """Put the lifted tile back."""
        return self.order(PutBack(self._account(seat), self._version(seat), at(ms)))

    def leave(self, seat: int, ms: int) -> list[Event] | Refusal:
        """Leave."""
        return self.order(Leave(self._account(seat), at(ms)))

    def use_joker(self, seat: int, ms: int, partner: int | None = None) -> list[Event] | Refusal:
        """Ask for a joker; of several partners this one is chosen."""
        return self.order(UseJoker(self._account(seat), self._version(seat), at(ms)), partner=partner)

    def joker_spent(self, seat: int, number: int, ms: int) -> list[Event] | Refusal:
        """The ledger took it."""
        return self.order(TakeJoker(self._account(seat), number, at(ms)))

    def joker_lost(
        self, seat: int, number: int, ms: int, reason: GiveUpReason = GiveUpReason.NONE_OWNED
    ) -> list[Event] | Refusal:
        """It is not to be had."""
        return self.order(GiveUpJoker(self._account(seat), number, reason, at(ms)))

    def order(
        self, command: Command, *, crucial: bool = False, partner: int | None = None
    ) -> list[Event] | Refusal:
        """Judge a command, settling and answering questions on the way."""
        outside = Outside(self.outages)
        while True:
            decided = decide(command, self.state, outside)
            match decided:
                case Refusal():
                    return decided
                case Unsettled():
                    self._add(settle(self.state, command.at, self.outages))
                case NeedsVerdict(position=position):
                    assert isinstance(command, Touch)
                    lifted = self.player(self._seat(command.account_id)).board.lifted
                    assert lifted is not None
                    both = (min(lifted, command.tile), max(lifted, command.tile))
                    judged = Judged(position.present, both if crucial else None, False, 1, "test")
                    outside = Outside(self.outages, judged)
                case NeedsPartner(position=position, first=first, candidates=candidates):
                    chosen = candidates[0] if partner is None else partner
                    outside = Outside(self.outages, partner=Partner(position.present, first, chosen))
                case _:
                    return self._add(decided)

    def _add(self, events: list[Event]) -> list[Event]:
        for event in events:
            assert event.occurred_at >= self.events[-1].occurred_at, "time never falls"
            self.state = evolve(self.state, event)
            self.events.append(event)
        self.told = events
        return events

    def _account(self, seat: int) -> UUID:
        first = self.events[0]
        assert isinstance(first, RoundDealt)
        return first.accounts[seat]

    def _seat(self, account_id: UUID) -> int:
        first = self.events[0]
        assert isinstance(first, RoundDealt)
        return first.accounts.index(account_id)

    def _version(self, seat: int) -> int:
        if not isinstance(self.state, Playing | Over):
            return 0
        return self.state.players[seat].board.board_version


def at(ms: int) -> datetime:
    """The instant so many milliseconds after the signal."""
    return after(SIGNAL_MS + ms)
