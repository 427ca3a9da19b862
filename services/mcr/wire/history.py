"""Closed tables in lists and told again, to protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.mcr.v1 import table_history_pb2 as pb
from libs.pb.sparrow.mcr.v1 import table_pb2
from services.mcr.domain.deal import events as deal_events
from services.mcr.domain.deal.terms import Person
from services.mcr.domain.history import Step
from services.mcr.domain.session.evolve import evolve, initial
from services.mcr.domain.session.state import Closed, State
from services.mcr.wire.table_codec import TableCodec
from services.mcr.wire.tables import happening_message, summary_of
from services.mcr.wire.views import view_message
from services.mcr.wire.words import timestamp


def listed_by(recorded: Sequence[RecordedEvent]) -> dict[UUID, bytes]:
    """What the list of each person who sat at a closed table says, as bytes of a PlayedTable."""
    codec = TableCodec()
    state: State = initial()
    for event in recorded:
        state = evolve(state, codec.decode(event))
    assert isinstance(state, Closed), "only what has closed is listed"
    told = pb.PlayedTable(
        summary=summary_of(state),
        start_time=timestamp(recorded[0].occurred_at),
        end_time=timestamp(recorded[-1].occurred_at),
    )
    by_account = {}
    for seat, occupant in enumerate(state.table.terms.occupants):
        if isinstance(occupant, Person):
            told.own_seat = seat
            by_account[occupant.account_id] = told.SerializeToString(deterministic=True)
    return by_account


def played_table(told: bytes) -> pb.PlayedTable:
    """What was entered."""
    return pb.PlayedTable.FromString(told)


def replay_message(table: Closed, number: int, events: Sequence[deal_events.Event]) -> pb.TableReplay:
    """A deal of a closed table, without its steps. Every deal ends with the wall that is laid open."""
    dealt, revealed = events[0], events[-1]
    assert isinstance(dealt, deal_events.DealDealt), "a deal begins with its dealing"
    assert isinstance(revealed, deal_events.WallRevealed), "it is over"
    return pb.TableReplay(
        summary=summary_of(table),
        deal_number=number,
        start_time=timestamp(dealt.occurred_at),
        end_time=timestamp(revealed.occurred_at),
        wall_tiles=dealt.wall.tiles,
        reveal=table_pb2.WallReveal(
            wall_version=revealed.wall_version, seed=revealed.seed, nonce=revealed.nonce
        ),
    )


def step_message(step: Step) -> pb.TableStep:
    """What happened, and the deal after it."""
    return pb.TableStep(happening=happening_message(step.happening), deal=view_message(step.view))
