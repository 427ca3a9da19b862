"""When things are due in a race, and when the CPU plays a seat. Every clock is an anchor and a span."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from libs.rules.solitaire.prng import Prng, child_seed
from services.match.domain.pauses import Outage
from services.match.domain.race.cpu import pace
from services.match.domain.race.state import Countdown, Race, Racer, Racing, State, is_done
from services.match.domain.race.terms import COUNTDOWN, GRACE, RACE_MAX, CpuLevel

STAND_IN: Final = CpuLevel.MEDIUM
"""How the CPU plays for a person."""


def signal_at(state: Countdown) -> datetime:
    """When the signal is due."""
    return state.since + COUNTDOWN


def all_gone_at(state: Racing) -> datetime | None:
    """When the last person who could still play is gone for good; None while one is there."""
    waiting = [
        racer
        for racer in state.racers
        if racer.seat.account_id is not None and not is_done(state.race, racer)
    ]
    gone = [racer.away_since + GRACE for racer in waiting if racer.away_since is not None]
    return max(gone) if gone and len(gone) == len(waiting) else None


def next_deadline(state: State) -> datetime | None:
    """The earliest deadline; None once the race is over."""
    match state:
        case Countdown():
            return signal_at(state)
        case Racing():
            end, gone = state.since + RACE_MAX, all_gone_at(state)
            return end if gone is None else min(end, gone)
        case _:
            return None


def cpu_since(race: Race, racer: Racer) -> datetime | None:
    """From when on the CPU plays the seat; None where it does not, or nothing more can come of it."""
    if is_done(race, racer):
        return None
    if racer.seat.cpu is not None:
        return racer.progress_at
    starts = []
    if racer.away_since is not None:
        starts.append(racer.away_since + GRACE)
    if race.settings.idle_limit is not None:
        starts.append(racer.moved_at + race.settings.idle_limit)
    return min(starts, default=None)


def cpu_level(racer: Racer) -> CpuLevel:
    """How the CPU plays the seat."""
    return racer.seat.cpu or STAND_IN


def cpu_due(race: Race, seat: int, racer: Racer) -> datetime | None:
    """When the CPU's next move on the seat is due; None while it plays none."""
    since = cpu_since(race, racer)
    if since is None:
        return None
    return max(since, racer.acted_at, racer.pause_until) + pace(
        cpu_level(racer), chance_of(race, seat, racer)
    )


def chance_of(race: Race, seat: int, racer: Racer) -> Prng:
    """The CPU's luck in its next move on the seat: the same whoever asks, and however often."""
    return Prng(child_seed(race.dealt.cpu_seed, f"{seat}/{racer.board_version}"))


def wake_at(state: State) -> datetime | None:
    """When the race wants to be looked at: a deadline, or a move of the CPU; None once it is over."""
    deadline = next_deadline(state)
    if not isinstance(state, Racing) or deadline is None:
        return deadline
    due = [cpu_due(state.race, seat, racer) for seat, racer in enumerate(state.racers)]
    return min([deadline, *(at for at in due if at is not None)])


def unsettled(state: State, outages: tuple[Outage, ...], now: datetime) -> list[Outage]:
    """The outages to be taken out of the race's clocks yet, earliest first, without what overlaps."""
    if not isinstance(state, Countdown | Racing):
        return []
    found: list[Outage] = []
    done = state.paused_until
    for outage in sorted(outages, key=lambda each: each.since):
        since = max(outage.since, done)
        if since < outage.until <= now:
            found.append(Outage(since, outage.until))
            done = outage.until
    return found
