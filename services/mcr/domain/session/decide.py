"""Orders to a table judged, and what a deal of it is dealt by."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.terms import Aborted, DealTerms, Person
from services.mcr.domain.session.commands import Command, FinishDeal, OpenTable, StartDeal
from services.mcr.domain.session.events import DealFinished, DealStarted, Event, TableClosed, TableOpened
from services.mcr.domain.session.state import Between, Closed, NotOpened, Playing, State, Table
from services.mcr.domain.session.terms import Closing, DealRow, totals


class Refusal(StrEnum):
    """Reasons of the error table, in order of precedence."""

    NOT_FOUND = "NOT_FOUND"
    """No such table."""
    TERMS_INVALID = "FIELD_INVALID"
    """Not four seats, somebody twice, or not 1 to 16 deals."""
    MATCH_ENDED = "MATCH_ENDED"
    """The table is closed."""


def decide(command: Command, state: State) -> list[Event] | Refusal:
    """The facts that an order brings about; none for one that has been carried out already."""
    if isinstance(command, OpenTable):
        assert isinstance(state, NotOpened), "a new table has a stream of its own"
        is_possible = command.terms.is_possible
        return [TableOpened(command.terms, command.at)] if is_possible else Refusal.TERMS_INVALID
    if isinstance(state, NotOpened):
        return Refusal.NOT_FOUND
    match command:
        case StartDeal():
            return _start(command, state)
        case FinishDeal():
            return _finish(command, state)


def next_deal(table: Table, away: frozenset[int] = frozenset()) -> DealTerms:
    """What is laid down for the deal that follows; those who were away stay away until they return."""
    number = table.next_number
    return DealTerms(
        table_id=table.terms.table_id,
        number=number,
        occupants=table.terms.occupants,
        away=away,
        limits=table.terms.limits,
        pause=table.terms.pause if number > 1 else timedelta(),
    )


def _start(command: StartDeal, state: Between | Playing | Closed) -> list[Event] | Refusal:
    if isinstance(state, Closed):
        return Refusal.MATCH_ENDED
    if isinstance(state, Playing):
        return []
    table = state.table
    assert table.dealer_of(table.next_number) in {None, command.dealer}, "the dealer moves on every deal"
    at = max(command.at, table.last_at)
    return [DealStarted(table.next_number, command.deal_id, command.dealer, at)]


def _finish(command: FinishDeal, state: Between | Playing | Closed) -> list[Event]:
    if not isinstance(state, Playing) or state.deal_id != command.deal_id:
        return []  # told before
    table, at = state.table, max(command.at, state.table.last_at)
    row = DealRow(table.next_number, command.deal_id, state.dealer, command.outcome)
    summed = totals((*table.rows, row))
    finished = DealFinished(row, summed, table.terms.accounts, at)
    reason = _closing(table, command)
    return [finished] if reason is None else [finished, TableClosed(reason, summed, at)]


def _closing(table: Table, command: FinishDeal) -> Closing | None:
    """Why the table closes with this deal; None where another one follows."""
    if isinstance(command.outcome, Aborted):
        return Closing.ABORTED
    if table.next_number == table.terms.deals:
        return Closing.PLAYED
    persons = {seat for seat in range(SEATS) if isinstance(table.terms.occupants[seat], Person)}
    return Closing.ABANDONED if persons and persons <= command.away else None
