"""Tables on the wire as bystanders see them: the one place where something leaves for spectators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias
from uuid import UUID

from libs.pb.sparrow.mcr.v1 import deal_view_pb2
from libs.pb.sparrow.mcr.v1 import table_pb2 as pb
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.happenings import happening
from services.mcr.domain.deal.state import NotDealt, State
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.session.state import Opened
from services.mcr.wire.tables import happening_message, reveal_message, summary_of
from services.mcr.wire.views import view_message

SeenTable: TypeAlias = pb.TableView
SeenUpdate: TypeAlias = pb.TableUpdate
BYSTANDER: Final = None
"""The seat of whoever has none."""


def seen_deal(_table_id: UUID, state: State) -> SeenTable:
    """A deal as it stands, without the table around it."""
    assert not isinstance(state, NotDealt), "the deal comes first"
    return pb.TableView(deal=view_message(view_for(state, BYSTANDER)), reveal=reveal_message(state))


def seen_update(_table_id: UUID, events: Sequence[Event], state: State) -> SeenUpdate | None:
    """What a command changed, without the table around it; None where nobody but a seat learns of it."""
    assert not isinstance(state, NotDealt), "the deal comes first"
    told = [happening(event, BYSTANDER) for event in events]
    if not any(told):
        return None
    return pb.TableUpdate(
        happenings=[happening_message(each) for each in told if each is not None],
        deal=view_message(view_for(state, BYSTANDER)),
        reveal=reveal_message(state),
    )


def is_over(deal: deal_view_pb2.DealView) -> bool:
    """Whether a deal as it is shown has ended."""
    return deal.phase == deal_view_pb2.DEAL_PHASE_OVER


def summary_at(opened: Opened, deal: deal_view_pb2.DealView) -> pb.TableSummary:
    """The table as it was while one of its deals was as it is shown: it may have gone on since."""
    return summary_of(opened, deal.number - (not is_over(deal)))
