"""Who comes where: the live order, and the places at the end in their four classes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from services.match.domain.race.state import Race, Racer, Racing
from services.match.domain.race.terms import MILLISECOND, FinishClass, SeatEnd

_ORDER = list(FinishClass)


def live_order(racers: Sequence[Racer]) -> list[int]:
    """The seats as they stand: finished ones by time, then by tiles removed, then who got there first."""
    return sorted(range(len(racers)), key=lambda seat: _live_rank(racers[seat]))


def live_places(racers: Sequence[Racer]) -> tuple[int, ...]:
    """By seat, the place of the live order, from 1; what is equal in everything shares one."""
    ranks = [_live_rank(racer) for racer in racers]
    return tuple(1 + sum(other < rank for other in ranks) for rank in ranks)


def _live_rank(racer: Racer) -> tuple[bool, int, Fraction, datetime]:
    finished = racer.finished_ms
    return (finished is None, finished or 0, -racer.share, racer.progress_at)


def finish_class(race: Race, racer: Racer) -> FinishClass:
    """The class of a seat when the race ends."""
    is_person = racer.seat.account_id is not None
    if racer.finished_ms is not None and not racer.finished_by_cpu:
        limit_ms = race.settings.time_limit // MILLISECOND
        return FinishClass.WITHIN_LIMIT if racer.finished_ms <= limit_ms else FinishClass.OVER_LIMIT
    if racer.finished_by_cpu or (racer.gave_up and not racer.gave_up_stuck):
        return FinishClass.GIVEN_UP
    if is_person and racer.away_since is not None:
        return FinishClass.GIVEN_UP
    return FinishClass.UNFINISHED


def is_cpu_played(racer: Racer) -> bool:
    """Whether it is marked: the CPU cleared a person's board, or the person was not back at the end."""
    return racer.finished_by_cpu or (racer.finished_ms is None and racer.away_since is not None)


def placed(state: Racing) -> tuple[SeatEnd, ...]:
    """How every seat ended: by class, within it by time or by progress; what is equal is a tie."""
    ranks = [_rank(state.race, racer) for racer in state.racers]
    return tuple(
        SeatEnd(
            place=1 + sum(other < rank for other in ranks),
            finish_class=finish_class(state.race, racer),
            elapsed_ms=racer.finished_ms,
            tiles_left=racer.tiles_left,
            cpu_played=is_cpu_played(racer),
        )
        for racer, rank in zip(state.racers, ranks, strict=True)
    )


def _rank(race: Race, racer: Racer) -> tuple[int, int, Fraction]:
    found = finish_class(race, racer)
    by_time = found in {FinishClass.WITHIN_LIMIT, FinishClass.OVER_LIMIT}
    return (
        _ORDER.index(found),
        (racer.finished_ms or 0) if by_time else 0,
        Fraction(0) if by_time else -racer.share,
    )
