"""A tournament worked out anew from its facts: seatings, TP, places, standing and prizes from the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from services.tournament.domain.calendar.weeks import week_of
from services.tournament.domain.tournament.commands import (
    CancelTournament,
    Command,
    EndEarly,
    Register,
    ReportTable,
    ScheduleTournament,
    VoidResult,
    Withdraw,
)
from services.tournament.domain.tournament.decide import decide
from services.tournament.domain.tournament.entering import PrizePoints
from services.tournament.domain.tournament.events import (
    Event,
    PlayerRegistered,
    PlayerWithdrew,
    ResultVoided,
    TablePlayed,
    TournamentCancelled,
    TournamentClosing,
    TournamentScheduled,
    TournamentStarted,
)
from services.tournament.domain.tournament.evolve import evolve, initial
from services.tournament.domain.tournament.settle import settle
from services.tournament.domain.tournament.state import State
from services.tournament.domain.tournament.words import Cancelling, Ending


def differences(events: Sequence[Event]) -> list[str]:
    """What in the facts of a tournament is not what the rules make of it; empty where all is.

    Who entered and left when, what the ledger answered, how seats ended and what operators did is taken as
    it is told; all else follows from that. The first fact that differs is named, and nothing after it is
    looked at. Of a tournament that goes on, what there is so far is held to the rules.
    """
    state = initial()
    at = 0
    while at < len(events):
        expected = _next_facts(state, events[at])
        if not expected:
            return [f"fact {at + 1}: {type(events[at]).__name__} is nothing that the rules allow here"]
        told = events[at : at + len(expected)]
        for number, (fact, right) in enumerate(zip(told, expected, strict=False), at + 1):
            if fact != right:
                return [f"fact {number}: {_difference(fact, right)}"]
            state = evolve(state, fact)
        at += len(told)
    return []


def _next_facts(state: State, fact: Event) -> list[Event]:
    """What the rules say comes next, given the next fact as it is told; nothing where it cannot come."""
    seed = fact.seed if isinstance(fact, TournamentStarted) else bytes(32)
    due = settle(state, fact.occurred_at, seed)
    if due:
        return due
    command = _command(fact)
    if command is None:
        return []
    answer = None
    if isinstance(fact, PlayerRegistered) and fact.prize_points is not None:
        answer = PrizePoints(fact.account_id, week_of(fact.occurred_at), fact.prize_points)
    decided = decide(command, state, answer)
    return decided if isinstance(decided, list) else []


def _command(fact: Event) -> Command | None:
    """The order that a fact begins with; None where no order does."""
    at = fact.occurred_at
    match fact:
        case TournamentScheduled(plan=plan):
            return ScheduleTournament(plan, at)
        case PlayerRegistered(account_id=account_id):
            return Register(account_id, at)
        case PlayerWithdrew(account_id=account_id):
            return Withdraw(account_id, at)
        case TablePlayed(match_id=match_id, ends=ends, is_cut=is_cut, ended_at=ended_at):
            return ReportTable(match_id, tuple(end.result for end in ends), is_cut, ended_at, at)
        case ResultVoided(round_number=number, table=table, players=players, ground=ground):
            return VoidResult(number, table, players, ground, at)
        case TournamentClosing(reason=Ending.OPERATOR, ground=ground) if ground is not None:
            return EndEarly(ground, at)
        case TournamentCancelled(reason=Cancelling.OPERATOR, ground=ground) if ground is not None:
            return CancelTournament(ground, at)
        case _:
            return None


def _difference(fact: Event, right: Event) -> str:
    """How a fact differs from what the rules say: by its kind, or in its first field that does."""
    said = type(fact).__name__
    if type(fact) is not type(right):
        return f"{said} where the rules say {type(right).__name__}"
    name = next(
        field.name for field in fields(fact) if getattr(fact, field.name) != getattr(right, field.name)
    )
    return f"{said} has {name} {getattr(fact, name)!r} where the rules say {getattr(right, name)!r}"
