"""Deals that play themselves out, told as the client of one seat is told them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from libs.client.deal_views import DealView
from libs.client.deal_wire import deal_of
from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.autoplay import act_of
from services.mcr.domain.deal.legal import seats_to_act
from services.mcr.domain.deal.state import Ended
from services.mcr.domain.deal.terms import Ai, AiLevel, Limits, Occupant, Person
from services.mcr.domain.deal.view import DealView as Seen
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.players.baseline import fastest
from services.mcr.wire.views import view_message
from tests.support.mcr_deals import PLAYERS, DealPlay, after


@dataclass(frozen=True)
class Moment:
    """A deal between two actions, as the service knows it and as the client is told it."""

    seen: Seen
    told: DealView


def moments(number: int, seat: int = 0) -> Iterator[Moment]:
    """A deal of a person and three AI players, all as fast as they can; what the person's seat is told."""
    wall = lay_wall(bytes([number]) * 32, bytes(32), 1)
    occupants: list[Occupant] = [Ai(AiLevel.MIDDLE)] * SEATS
    occupants[seat] = Person(PLAYERS[0])
    play = DealPlay(wall, occupants, Limits(hold=timedelta()))
    while True:
        seen = view_for(play.deal, seat)
        yield Moment(seen, deal_of(view_message(seen)))
        if isinstance(play.deal, Ended):
            return
        actor = seats_to_act(play.state)[0]
        act = act_of(play.deal, actor, fastest, after(0))
        play.act(actor, act.action)
