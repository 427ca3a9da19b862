"""Facts folded into the state of a table."""

from __future__ import annotations

from dataclasses import replace

from services.mcr.domain.session.events import DealFinished, DealStarted, Event, TableClosed, TableOpened
from services.mcr.domain.session.state import Between, Closed, NotOpened, Playing, State, Table


def initial() -> State:
    """The state before the first fact."""
    return NotOpened()


def evolve(state: State, event: Event) -> State:
    """The state after a fact. Never refuses."""
    if isinstance(event, TableOpened):
        return Between(Table(event.terms, None, (), event.occurred_at))
    assert not isinstance(state, NotOpened), "it is opened first"
    table = replace(state.table, last_at=max(state.table.last_at, event.occurred_at))
    match event:
        case DealStarted(deal_id=deal_id, dealer=dealer):
            first = dealer if table.first_dealer is None else table.first_dealer
            return Playing(replace(table, first_dealer=first), deal_id, dealer)
        case DealFinished(row=row):
            return Between(replace(table, rows=(*table.rows, row)))
        case TableClosed(reason=reason):
            return Closed(table, reason)
