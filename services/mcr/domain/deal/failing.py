"""A deal whose rules fail: it ends with a fact, no points move, and other deals go on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.mcr.domain.deal.commands import Command
from services.mcr.domain.deal.decide import Decision, abort, decide
from services.mcr.domain.deal.events import Event
from services.mcr.domain.deal.scoring import Scorer
from services.mcr.domain.deal.settle import settle
from services.mcr.domain.deal.state import State
from services.mcr.domain.pauses import Outage


@dataclass(frozen=True, slots=True)
class Failed:
    """The rules raised. The facts end the deal; append them in place of what was asked for."""

    fault: str
    """The kind of error, as the facts name it."""
    events: list[Event]


def decide_or_end(
    command: Command, state: State, scorer: Scorer, outages: tuple[Outage, ...] = ()
) -> Decision | Failed:
    """What `decide` answers, or the end of the deal where it raises."""
    try:
        return decide(command, state, scorer, outages)
    except Exception as error:  # noqa: BLE001 whatever a fault of the rules is, others go on
        return _failed(error, state, command.at)


def settle_or_end(
    state: State, now: datetime, scorer: Scorer, outages: tuple[Outage, ...] = ()
) -> list[Event] | Failed:
    """What `settle` answers, or the end of the deal where it raises."""
    try:
        return settle(state, now, scorer, outages)
    except Exception as error:  # noqa: BLE001 as above
        return _failed(error, state, now)


def _failed(error: Exception, state: State, at: datetime) -> Failed:
    fault = type(error).__name__
    return Failed(fault, abort(state, fault, at))
