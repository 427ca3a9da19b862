"""The figures of one game, from its facts: one pass, nothing is solved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from libs.rules.solitaire.levels import is_hard
from services.match import events as single
from services.match.domain.fair_play.counts import NO_PACE, Counts, Played, PlayMode, bin_of
from services.match.domain.pauses import Outage, moved_on
from services.match.domain.pool import events as pool
from services.match.domain.race import events as race
from services.match.domain.rivals import events as rivals

_MILLISECOND = timedelta(milliseconds=1)


@dataclass(slots=True)
class SeatTally:
    """The figures of a seat while its facts go by.

    A crucial pair that was taken is known from its verdict. One that was missed is not: the events judge the
    pair that was taken only. But nothing is crucial any more on a board that cannot be solved, so a stretch
    of play (up to a joker, or the end) holds at most one miss, and none if the board was cleared in it or its
    last pair was crucial. So `missed` is an upper bound, in the player's favour.
    """

    since: datetime
    pairs: int = 0
    pace: list[int] = field(default_factory=lambda: list(NO_PACE))
    touches: int = 0
    blocked: int = 0
    found: int = 0
    missed: int = 0
    _uncertain: bool = False

    def touch(self, *, blocked: bool = False) -> None:
        """A touch that removed nothing."""
        self.touches += 1
        self.blocked += blocked

    def pair(self, at: datetime, ms: int | None = None, *, crucial: bool | None = None) -> None:
        """A pair, after `ms` or else by the clock; `crucial` is its verdict where it was judged."""
        self.touches += 1
        self.pairs += 1
        took_ms = max(0, (at - self.since) // _MILLISECOND) if ms is None else ms
        self.pace[bin_of(took_ms)] += 1
        self.since = at
        if crucial is not None:
            self.found += crucial
            self._uncertain = not crucial

    def joker(self, at: datetime) -> None:
        """A joker's pair: no pace and no choice, and whatever was missed before does not count on."""
        self.since = at
        self.end(cleared=False)

    def pause(self, outage: Outage) -> None:
        """A time in which nobody could play."""
        self.since = moved_on(self.since, outage)

    def end(self, *, cleared: bool) -> None:
        """The stretch is over."""
        self.missed += self._uncertain and not cleared
        self._uncertain = False

    def counts(self) -> Counts:
        """The figures."""
        return Counts(
            int(self.touches > 0),
            self.pairs,
            tuple(self.pace),
            self.touches,
            self.blocked,
            self.found,
            self.missed,
        )


def played_level(events: Iterable[single.Event]) -> list[Played]:
    """What an attempt that is over shows."""
    facts = list(events)
    first, last = facts[0], facts[-1]
    assert isinstance(first, single.AttemptStarted), "an attempt begins with its start"
    seat = SeatTally(first.occurred_at)
    for fact in facts:
        match fact:
            case single.PairRemoved(occurred_at=at):
                seat.pair(at)
            case single.JokerUsed(occurred_at=at):
                seat.joker(at)
            case single.TouchBlocked():
                seat.touch(blocked=True)
            case single.TileLifted() | single.TilePutBack() | single.TouchNotSame():
                seat.touch()
            case single.ClockPaused(since=since, until=until):
                seat.pause(Outage(since, until))
    return _kept({first.account_id: seat}, PlayMode.LEVEL, last.occurred_at, hard=first.deal.hard)


def played_round(events: Iterable[rivals.Event]) -> list[Played]:
    """What a round of a Rivals mode that is over shows of each seat."""
    facts = list(events)
    first = facts[0]
    assert isinstance(first, rivals.RoundDealt), "a round begins with its deal"
    seats = [SeatTally(first.occurred_at) for _ in first.accounts]
    ended_at = first.occurred_at
    for fact in facts:
        match fact:
            case rivals.SeatRemovedPair(seat=seat, occurred_at=at, took_ms=ms, verdict=verdict):
                seats[seat].pair(at, ms, crucial=verdict.crucial)
            case rivals.JokerUsed(seat=seat, occurred_at=at):
                seats[seat].joker(at)
            case rivals.SeatTouchedBlocked(seat=seat):
                seats[seat].touch(blocked=True)
            case (
                rivals.SeatLiftedTile(seat=seat)
                | rivals.SeatPutTileBack(seat=seat)
                | rivals.SeatTouchedNotSame(seat=seat)
            ):
                seats[seat].touch()
            case rivals.RoundEnded(seats=ends, occurred_at=ended_at):
                for tally, end in zip(seats, ends, strict=True):
                    tally.end(cleared=end.cleared)
    by_account = dict(zip(first.accounts, seats, strict=True))
    return _kept(by_account, PlayMode(first.stage.mode), ended_at, hard=is_hard(first.deal.level))


def played_race(events: Iterable[race.Event]) -> list[Played]:
    """What a race that is over shows of the persons in it; what the CPU did for them is not theirs."""
    facts = list(events)
    first, last = facts[0], facts[-1]
    assert isinstance(first, race.RaceDealt), "a race begins with its deal"
    seats = [SeatTally(first.occurred_at) for _ in first.seats]
    for fact in facts:
        match fact:
            case race.RaceStarted(occurred_at=at):
                for seat in seats:
                    seat.since = at
            case race.RacePairRemoved(seat=number, by_cpu=False, occurred_at=at):
                seats[number].pair(at)
            case race.RacePairRemoved(seat=number, occurred_at=at):
                seats[number].since = at
            case race.RaceTileTouched(seat=number, why=why):
                seats[number].touch(blocked=why is not None)
            case race.ClockPaused(since=since, until=until):
                for seat in seats:
                    seat.pause(Outage(since, until))
    persons = {
        seat.account_id: tally
        for seat, tally in zip(first.seats, seats, strict=True)
        if seat.account_id is not None
    }
    return _kept(persons, PlayMode.RACE, last.occurred_at, hard=False)


def played_pool(events: Iterable[pool.Event]) -> list[Played]:
    """What a game of the pool that is over shows of each seat."""
    facts = list(events)
    first, last = facts[0], facts[-1]
    assert isinstance(first, pool.PoolDealt), "a game begins with its deal"
    seats = [SeatTally(first.occurred_at) for _ in first.terms.accounts]
    for fact in facts:
        match fact:
            case pool.PoolStarted(occurred_at=at):
                for seat in seats:
                    seat.since = at
            case pool.PoolPairRemoved(seat=number, occurred_at=at):
                seats[number].pair(at)
            case pool.ClockPaused(since=since, until=until):
                for seat in seats:
                    seat.pause(Outage(since, until))
    by_account = dict(zip(first.terms.accounts, seats, strict=True))
    return _kept(by_account, PlayMode.POOL, last.occurred_at, hard=False)


def _kept(seats: Mapping[UUID, SeatTally], mode: PlayMode, ended_at: datetime, *, hard: bool) -> list[Played]:
    """Those of the seats in which anything was done."""
    return [
        Played(account_id, mode, hard, ended_at.date(), tally.counts())
        for account_id, tally in seats.items()
        if tally.touches
    ]
