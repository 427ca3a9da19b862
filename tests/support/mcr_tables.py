"""Whole MCR tables, played without a service: the facts of the table and those of its deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from libs.eventsourcing.ids import uuid7
from services.mcr.domain.deal import events as deal_ev
from services.mcr.domain.deal.legal import seats_to_act
from services.mcr.domain.deal.state import Ended
from services.mcr.domain.deal.terms import Occupant
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.players.baseline import fastest
from services.mcr.domain.session import events as ev
from services.mcr.domain.session.commands import Command, FinishDeal, OpenTable, StartDeal
from services.mcr.domain.session.decide import decide, next_deal
from services.mcr.domain.session.evolve import evolve, initial
from services.mcr.domain.session.state import Closed, NotOpened, State
from services.mcr.domain.session.terms import TableTerms
from tests.support.mcr_deals import START, DealPlay

TABLE = uuid7(START, bytes(10))


@dataclass
class PlayedTable:
    """A table from its opening to its closing."""

    terms: TableTerms
    facts: list[ev.Event] = field(default_factory=list)
    deals: dict[UUID, list[deal_ev.Event]] = field(default_factory=dict)
    state: State = field(default_factory=initial)

    def order(self, command: Command) -> None:
        """Carry a command out."""
        decided = decide(command, self.state)
        assert isinstance(decided, list)
        for fact in decided:
            self.facts.append(fact)
            self.state = evolve(self.state, fact)


def played_table(
    occupants: Sequence[Occupant],
    deals: int = 1,
    *,
    private: bool = False,
    seed: int = 1,
    table_id: UUID = TABLE,
) -> PlayedTable:
    """A table that all seats play as the fastest AI does; the walls follow from the seed."""
    table = PlayedTable(TableTerms(table_id, tuple(occupants), deals, private=private))
    table.order(OpenTable(table.terms, START))
    while not isinstance(table.state, Closed):
        assert not isinstance(table.state, NotOpened), "it was opened"
        deal = next_deal(table.state.table)
        number, first = deal.number, table.state.table.first_dealer
        wall = lay_wall(bytes([seed, number] * 16), bytes([number]) * 32, number, first)
        deal_id = uuid7(START, bytes([*[0] * 8, seed, number]))
        table.order(StartDeal(deal_id, wall.dealer, START))
        play = DealPlay(wall, occupants, number=number, pause=deal.pause, table_id=table_id)
        play_out(play)
        table.deals[deal_id] = play.events
        table.order(FinishDeal(deal_id, play.shape(Ended).outcome, frozenset(), play.table.last_at))
    return table


def play_out(play: DealPlay) -> None:
    """Let every seat do what the fastest AI would, a tenth of a second after the one before."""
    while not isinstance(play.state, Ended):
        to_act = seats_to_act(play.state)
        if not to_act:
            play.wait(1_000)
            continue
        play.act(to_act[0], fastest(view_for(play.deal, to_act[0])), play.now_ms + 100)
