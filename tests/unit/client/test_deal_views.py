"""The client tells a deal as the service sees it for the player's seat."""

from __future__ import annotations

import pytest

from libs.client.deal_views import ActedBy, Action, ActionKind, Drawn, What, Won
from libs.client.deal_wire import action_message, happening_of
from libs.pb.sparrow.mcr.v1 import deal_pb2, table_pb2
from libs.rules.mcr.tiles import EAST
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import tiles_of
from services.mcr.domain.deal.terms import Won as WonThere
from services.mcr.wire.views import action_from
from tests.support.mcr_client_play import moments

DEALS = 6
TILES_NAMED = {
    ActionKind.WIN: 0,
    ActionKind.PASS: 0,
    ActionKind.DISCARD: 1,
    ActionKind.ADDED_KONG: 1,
    ActionKind.PUNG: 2,
    ActionKind.CHOW: 2,
    ActionKind.KONG: 3,
    ActionKind.CONCEALED_KONG: 4,
}


@pytest.mark.parametrize("number", range(DEALS))
def test_every_moment_of_a_deal_is_told_whole(number: int) -> None:
    """Hands, melds, discards, clocks, what may be done: nothing is lost and nothing is added."""
    for moment in moments(number, seat=number % 4):
        seen, told = moment.seen, moment.told
        assert (told.number, told.seat, told.dealer) == (1, seen.seat, seen.dealer)
        assert (told.phase.value, told.decision) == (seen.phase.value, seen.decision)
        assert (told.turn, told.drawn, told.offered) == (seen.turn, seen.drawn, seen.offered)
        assert (told.decision, told.wall_left, told.deadline) == (
            seen.decision,
            seen.wall_left,
            seen.deadline,
        )
        assert (told.commitment, told.source) == (seen.commitment.hex(), seen.source)
        actions = () if seen.open is None else seen.open.actions
        assert [one.tiles for one in told.actions] == [tiles_of(one) for one in actions]
        for seat, right in zip(told.seats, seen.seats, strict=True):
            assert (seat.hand, seat.concealed) == (right.hand or (), right.concealed_tiles)
            assert (seat.flowers, seat.discards, seat.wind) == (
                right.flowers,
                right.discards,
                right.wind - EAST,
            )
            assert [(one.kind.value, one.tiles, one.claimed, one.from_seat) for one in seat.melds] == [
                (one.kind.value, one.tiles, one.claimed, one.from_seat) for one in right.melds
            ]


def test_how_a_deal_ended_is_told_whole() -> None:
    """Who won from whom, with which fans, for how much; or that nobody did."""
    ends = [list(moments(number))[-1] for number in range(DEALS)]
    won = [(end.told.outcome, end.seen.outcome) for end in ends if isinstance(end.told.outcome, Won)]

    assert {type(end.told.outcome) for end in ends} <= {Won, Drawn}
    assert won
    for told, right in won:
        assert isinstance(right, WonThere)
        assert (told.winner, told.payer, told.payments) == (right.winner, right.payer, right.payments)
        assert [(fan.number, fan.times, fan.points) for fan in told.fans] == [
            (fan.number, fan.times, fan.points) for fan in right.score.fans
        ]


@pytest.mark.parametrize("kind", ActionKind)
def test_every_action_is_understood_by_the_service(kind: ActionKind) -> None:
    """With its tiles."""
    wanted = {
        ActionKind.DISCARD: 1,
        ActionKind.ADDED_KONG: 1,
        ActionKind.KONG: 3,
        ActionKind.CONCEALED_KONG: 4,
    }
    count = 0 if kind in {ActionKind.WIN, ActionKind.PASS} else wanted.get(kind, 2)
    action = Action(kind, tuple(map(TileId, range(count))))

    assert tiles_of(action_from("action", action_message(action))) == action.tiles


def test_a_happening_is_told_with_what_applies() -> None:
    """The rest is None or empty."""
    told = happening_of(
        table_pb2.Happening(
            kind=table_pb2.HAPPENING_KIND_CLAIMED,
            seat=0,
            claim=deal_pb2.Claim(kind=deal_pb2.CLAIM_KIND_CHOW, tiles=[4, 8]),
            by=deal_pb2.ACTED_BY_AI,
        )
    )

    assert (told.what, told.seat, told.by) == (What.CLAIMED, 0, ActedBy.AI)
    assert told.claim == Action(ActionKind.CHOW, (TileId(4), TileId(8)))
    assert (told.tile, told.replacement, told.source, told.kong) == (None, None, None, ())


@pytest.mark.parametrize("kind", [kind for kind in table_pb2.HappeningKind.values() if kind])
def test_every_kind_of_happening_is_known(kind: table_pb2.HappeningKind.ValueType) -> None:
    """None ends the client."""
    assert happening_of(table_pb2.Happening(kind=kind)).what in What
