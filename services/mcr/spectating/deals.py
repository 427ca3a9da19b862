"""A deal as a game that can be watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias
from uuid import UUID

from libs.spectating.game import Game
from libs.spectating.hub import Seen, SpectateHub
from services.mcr.domain.deal.events import DealDealt, Event
from services.mcr.domain.deal.state import State
from services.mcr.domain.deal.terms import Person
from services.mcr.tables.play import DEAL_KIND
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.spectating import SeenTable, SeenUpdate, seen_deal, seen_update

TableHub: TypeAlias = SpectateHub[SeenTable, SeenUpdate]
TableSeen: TypeAlias = Seen[SeenTable, SeenUpdate]


def _seats_taken(event: Event) -> Sequence[UUID]:
    if not isinstance(event, DealDealt):
        return ()
    return [each.account_id for each in event.terms.occupants if isinstance(each, Person)]


DEAL: Final[Game[State, Event, SeenTable, SeenUpdate]] = Game(
    DEAL_KIND,
    DealCodec(),
    seen_deal,
    seen_update,
    lambda _state, _at: 0,  # a deal has no clock of its own
    _seats_taken,
)
