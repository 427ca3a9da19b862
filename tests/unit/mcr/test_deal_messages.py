"""Views and actions of deals as they are sent."""

from __future__ import annotations

import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2, deal_view_pb2
from libs.runtime.errors import Refused
from services.mcr.domain.deal.actions import Discard, Kong, Pass, Pung
from services.mcr.wire.views import action_from, view_message
from tests.support.mcr_deals import PLAYERS, DealPlay, after, rigged
from tests.unit.mcr.test_claims import chow_and_pung


def test_the_view_of_the_seat_on_turn() -> None:
    """Hand, drawn tile, what it can do until when; seats with their winds and players."""
    play = DealPlay(rigged(draws="9m"))
    message = view_message(play.view(0))

    assert tuple(message.seats[0].hand) == play.table.hands[0]
    assert message.drawn_tile == play.held(0, "9m")[0]
    assert message.phase == deal_view_pb2.DEAL_PHASE_TURN
    assert message.source == deal_pb2.TILE_SOURCE_WALL
    assert len(message.open_decision.actions) == len(play.legal(0))
    assert message.open_decision.deadline_time.ToMilliseconds() == int(after(20_000).timestamp() * 1_000)
    assert [seat.wind for seat in message.seats] == [0, 1, 2, 3]
    assert message.seats[3].player == f"players/{PLAYERS[3]}"
    assert message.limits.turn.seconds == 20


def test_the_view_in_a_window_and_of_a_bystander() -> None:
    """What is offered, one's own answer; a bystander has no seat and no hand."""
    play = chow_and_pung()
    play.act(0, Discard(play.held(0, "5m")[0]))
    play.act(3, Pung(play.held(3, "5m 5m")))
    own, bystander = view_message(play.view(3)), view_message(play.view(None))

    assert own.answer.kind == deal_view_pb2.ACTION_KIND_PUNG
    assert own.offered_tile == bystander.offered_tile == play.table.discards[0][0]
    assert not own.HasField("open_decision")
    assert not bystander.HasField("seat")
    assert not bystander.HasField("answer")
    assert [len(seat.hand) for seat in bystander.seats] == [0, 0, 0, 0]
    assert [seat.concealed_tile_count for seat in bystander.seats] == [13, 13, 13, 13]


def test_concealed_kongs_and_melds_are_sent_as_they_are_seen() -> None:
    """A claimed tile, and whose it was; at the end what nobody saw."""
    play = chow_and_pung(ends="2m")
    play.act(0, Discard(play.held(0, "5m")[0]))
    play.act(1, Pass())
    play.act(3, Kong(play.held(3, "5m 5m 5m")), 1_000)
    (meld,) = view_message(play.view(1)).seats[3].melds

    assert meld.kind == deal_view_pb2.MELD_KIND_BIG_KONG
    assert (len(meld.tiles), meld.from_seat, meld.claimed_tile) == (4, 0, meld.tiles[0])
    play.wait_until(10_000_000)
    over = view_message(play.view(None))
    assert over.outcome.WhichOneof("outcome") == "drawn"
    assert [tuple(seat.hand) for seat in over.seats] == list(play.table.hands)


@pytest.mark.parametrize(
    "message",
    [
        deal_view_pb2.Action(),
        deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_DISCARD),
        deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_ADDED_KONG, tiles=[1, 2]),
        deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_PUNG, tiles=range(5)),
    ],
)
def test_an_action_without_a_kind_or_with_other_numbers_of_tiles_is_invalid(
    message: deal_view_pb2.Action,
) -> None:
    """FIELD_INVALID; the field is named."""
    with pytest.raises(Refused) as error:
        action_from("action", message)

    assert error.value.reason == "FIELD_INVALID"
    assert (error.value.field_path or "").startswith("action.")
