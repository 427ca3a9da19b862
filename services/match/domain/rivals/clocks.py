"""When things are due in a round. Every clock is an anchor and a span; a pause moves the anchor on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from services.match.domain.pauses import Outage, moved_on
from services.match.domain.rivals.stage import COUNTDOWN, LIMIT
from services.match.domain.rivals.state import Countdown, Over, Player, Playing, State

__all__ = [
    "COUNTDOWN",
    "IDLE",
    "LIMIT",
    "MILLISECOND",
    "Cut",
    "Deadline",
    "IdleOut",
    "Outage",
    "Signal",
    "TimeUp",
    "clock_ms",
    "idle_deadline",
    "moved_on",
    "next_deadline",
    "unsettled",
]

MILLISECOND: Final = timedelta(milliseconds=1)
IDLE: Final = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Signal:
    """The countdown ends."""

    due: datetime


@dataclass(frozen=True, slots=True)
class IdleOut:
    """A seat has gone 20 seconds without a pair."""

    due: datetime
    seat: int


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The five minutes are over."""

    due: datetime


@dataclass(frozen=True, slots=True)
class Cut:
    """The tournament ends, and the round with it."""

    due: datetime


Deadline = Signal | IdleOut | TimeUp | Cut


def next_deadline(state: State) -> Deadline | None:
    """The earliest deadline; None once it is over.

    Of several at one instant a seat's comes before the round's, and the tournament's is the last. A round
    that would begin when it is cut does not begin.
    """
    match state:
        case Countdown(signal_at=due):
            cut_at = state.round.stage.cut_at
            return Signal(due) if cut_at is None or due < cut_at else Cut(cut_at)
        case Playing(players=players, since=since):
            deadlines: list[Deadline] = [
                IdleOut(player.idle_since + IDLE, seat)
                for seat, player in enumerate(players)
                if player.out is None and player.pending is None
            ]
            deadlines.append(TimeUp(since + state.round.stage.limit))
            if (cut_at := state.round.stage.cut_at) is not None:
                deadlines.append(Cut(cut_at))
            return min(deadlines, key=lambda deadline: deadline.due)
        case _:
            return None


def idle_deadline(player: Player) -> datetime | None:
    """When the seat goes out unless it removes a pair; None when it is out, or a pending joker holds it."""
    return None if player.out is not None or player.pending is not None else player.idle_since + IDLE


def unsettled(state: State, outages: tuple[Outage, ...], now: datetime) -> list[Outage]:
    """The outages to be taken out of the round's clocks yet, earliest first, without what overlaps."""
    if not isinstance(state, Countdown | Playing):
        return []
    found: list[Outage] = []
    done = state.paused_until
    for outage in sorted(outages, key=lambda each: each.since):
        since = max(outage.since, done)
        if since < outage.until <= now:
            found.append(Outage(since, outage.until))
            done = outage.until
    return found


def clock_ms(state: State, at: datetime) -> int:
    """Whole milliseconds since the signal without pauses; 0 before it; stands still at the end."""
    match state:
        case Playing(since=since, last_at=last_at):
            return max(0, (max(at, last_at) - since) // MILLISECOND)
        case Over(since=since, ended=ended):
            return max(0, (ended.occurred_at - since) // MILLISECOND)
        case _:
            return 0
