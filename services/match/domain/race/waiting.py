"""The queue of races: 2 to 8 strangers, 10 seconds after the second came, or at once with eight."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from libs.rules.pairing.choosing import Met, may_meet
from services.match.domain.queueing import Ticket

SEATS_MIN: Final = 2
SEATS_MAX: Final = 8
GATHERING: Final = timedelta(seconds=10)


def choose_races(
    waiting: Sequence[Ticket], met: Met, now: datetime, *, all_are_here: bool
) -> list[tuple[Ticket, ...]]:
    """Who races now, of tickets in the order of arrival; the rest goes on waiting.

    Where not all tickets there are are seen (`all_are_here`), the last ones wait for those behind them.
    """
    left, tables = list(waiting), []
    while len(left) >= SEATS_MAX or all_are_here:
        table = choose_race(left, met, now)
        if not table:
            break
        seated = {ticket.ticket_id for ticket in table}
        left = [ticket for ticket in left if ticket.ticket_id not in seated]
        tables.append(table)
    return tables


def choose_race(waiting: Sequence[Ticket], met: Met, now: datetime) -> tuple[Ticket, ...]:
    """Who races now, of tickets in the order of arrival; empty: nobody yet.

    The one who waits longest sits with those behind in their order, last opponents of anybody at the table
    left for later while others wait; with nobody else they do race again.
    """
    if len(waiting) < SEATS_MIN:
        return ()
    if len(waiting) < SEATS_MAX and now < waiting[1].created_at + GATHERING:
        return ()
    table = [waiting[0]]
    for ticket in waiting[1:]:
        if len(table) < SEATS_MAX and all(may_meet(seated, ticket, met) for seated in table):
            table.append(ticket)
    return tuple(table) if len(table) >= SEATS_MIN else tuple(waiting[:SEATS_MAX])
