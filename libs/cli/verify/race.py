"""A race worked out anew: its deals from their seeds, every move, the placing in classes, and ratings.

The fold is naive and shares with the match service nothing but the rules of boards and deals, and the formula
of ratings. Shuffles of races come from chance that is not stored: that a shuffle came when it was allowed,
kept the faces that were left and brought a pair is checked. What a CPU player chose is taken as stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Final
from uuid import UUID

from libs.cli.verify.differing import Differing, Numbered, in_order
from libs.cli.verify.recompute import Finding
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Pairing, blockers
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.moves import can_pair, has_available_pair
from libs.rules.tiles import Face
from services.match.domain.race import events as ev
from services.match.domain.race.dealing import deal_race, matching_of
from services.match.domain.race.rating import Rating, rated
from services.match.domain.race.settings import Difficulty, is_rated
from services.match.domain.race.terms import EndReason, FinishClass, RaceDeal, RaceSeat, SeatEnd

COUNTDOWN: Final = timedelta(seconds=3)
LONGEST: Final = timedelta(minutes=60)
GRACE: Final = timedelta(seconds=30)
MILLISECOND: Final = timedelta(milliseconds=1)
CLASSES: Final = (
    FinishClass.WITHIN_LIMIT,
    FinishClass.OVER_LIMIT,
    FinishClass.UNFINISHED,
    FinishClass.GIVEN_UP,
)


@dataclass
class _Seat:
    seat: RaceSeat
    deal: RaceDeal
    faces: tuple[Face, ...]
    present: int
    shuffles: int = 0
    hints: int = 0
    waits_until: datetime | None = None
    finished_ms: int | None = None
    by_cpu: bool = False
    gave_up: bool = False
    gave_up_early: bool = False
    away_since: datetime | None = None

    @property
    def is_person(self) -> bool:
        return self.seat.account_id is not None

    @property
    def has_pair(self) -> bool:
        deal = self.deal
        return has_available_pair(deal.layout, self.faces, self.present, matching_of(deal), Pairing.BOTH_FREE)

    @property
    def left(self) -> Fraction:
        return Fraction(self.present.bit_count(), self.deal.layout.size)


class _Fold(Differing):
    """The seats while the events pass by."""

    def __init__(self, dealt: ev.RaceDealt) -> None:
        super().__init__()
        self.settings = dealt.settings
        self.seats = [
            _Seat(seat, deal, deal.faces, deal.layout.full)
            for seat in dealt.seats
            for deal in (dealt.deals[seat.deal],)
        ]
        self.signal_at = dealt.occurred_at + COUNTDOWN
        self.started = False

    def take(self, version: int, event: Any) -> None:
        """Take the event that stands at a version of the stream."""
        self.at(version, event)
        at = event.occurred_at
        match event:
            case ev.RaceStarted():
                self.expect(at == self.signal_at, "the signal does not end the countdown")
                self.started = True
            case ev.ClockPaused(since=since, until=until):
                self._pause(since, until)
            case ev.RaceSeatAway(seat=seat):
                self.expect(self.seats[seat].is_person, "a CPU player is never away")
                self.seats[seat].away_since = at
            case ev.RaceSeatBack(seat=seat):
                self.expect(self.seats[seat].away_since is not None, "the seat was not away")
                self.seats[seat].away_since = None
            case ev.RaceEnded():
                pass
            case _:
                own = self.seats[event.seat]
                self.expect(self.started and at < self.signal_at + LONGEST, "the clock did not run")
                self.expect(own.finished_ms is None and not own.gave_up, "the seat was out")
                self._play(own, event)

    def _pause(self, since: datetime, until: datetime) -> None:
        def moved(anchor: datetime) -> datetime:
            return anchor if anchor >= until else anchor + (until - max(since, anchor))

        for own in self.seats:
            if own.away_since is not None:
                own.away_since = moved(own.away_since)
            elif own.is_person and not (self.started and self.is_done(own)):
                own.away_since = until
            own.waits_until = None if own.waits_until is None else moved(own.waits_until)
        self.signal_at = moved(self.signal_at)

    def _play(self, own: _Seat, event: Any) -> None:
        layout, at = own.deal.layout, event.occurred_at
        is_waiting = own.waits_until is not None and at < own.waits_until
        if not isinstance(event, ev.RaceSeatGaveUp):
            self.expect(not is_waiting, "the pause after a shuffle was not over")
        if getattr(event, "by_cpu", False):
            self.expect(own.is_person, "a CPU player plays for itself")
        match event:
            case ev.RacePairRemoved(first=first, second=second):
                self._expect_pair(own, first, second)
                own.present &= ~(1 << first | 1 << second)
                if not own.present:
                    own.finished_ms = max(0, (at - self.signal_at) // MILLISECOND)
                    own.by_cpu = event.by_cpu
            case ev.RaceTileTouched(tile=tile, why=why):
                lies = bool(own.present >> tile & 1)
                self.expect(lies and blockers(layout, own.present, tile) == why, "it was blocked otherwise")
            case ev.RaceBoardShuffled():
                self._shuffled(own, event)
            case ev.RaceHintShown(first=first, second=second):
                self._expect_pair(own, first, second)
                own.hints += 1
                allowed = self.settings.hints
                self.expect(allowed is None or own.hints <= allowed, f"{allowed} hints at most")
            case ev.RaceSeatGaveUp():
                own.gave_up, own.gave_up_early = True, not self._is_stuck(own)

    def _expect_pair(self, own: _Seat, first: int, second: int) -> None:
        deal = own.deal
        could = can_pair(
            deal.layout, own.faces, own.present, first, second, matching_of(deal), Pairing.BOTH_FREE
        )
        self.expect(could, f"{first} and {second} were no available pair")

    def _shuffled(self, own: _Seat, event: ev.RaceBoardShuffled) -> None:
        self.expect(not own.has_pair, "the board was not blocked")
        before = Counter(own.faces[tile] for tile in bits(own.present))
        after = Counter(event.faces[tile] for tile in bits(event.present))
        self.expect(before == after, "other faces were left")
        self.expect(event.moved or event.present == own.present, "tiles took other places")
        own.faces, own.present = event.faces, event.present
        own.shuffles += 1
        own.waits_until = event.occurred_at + timedelta(seconds=self.settings.shuffle_pause_s)
        allowed = self.settings.shuffles
        self.expect(allowed is None or own.shuffles <= allowed, f"{allowed} shuffles at most")
        self.expect(own.has_pair, "no pair was available after it")

    def _is_stuck(self, own: _Seat) -> bool:
        allowed = self.settings.shuffles
        used_up = allowed is not None and own.shuffles >= allowed
        return bool(own.present) and used_up and not own.has_pair

    def is_done(self, own: _Seat) -> bool:
        """Whether nothing more can come of a seat."""
        return own.finished_ms is not None or own.gave_up or self._is_stuck(own)

    def ends(self) -> tuple[SeatEnd, ...]:
        """How the seats end: by class, then by time or by what is left; equal ones share a place."""
        classes = [self._class_of(own) for own in self.seats]
        ranks = [
            (CLASSES.index(found), (own.finished_ms or 0) if found in CLASSES[:2] else own.left)
            for own, found in zip(self.seats, classes, strict=True)
        ]
        return tuple(
            SeatEnd(
                place=1 + sum(other < rank for other in ranks),
                finish_class=found,
                elapsed_ms=own.finished_ms,
                tiles_left=own.present.bit_count(),
                cpu_played=own.by_cpu or (own.finished_ms is None and own.away_since is not None),
            )
            for own, found, rank in zip(self.seats, classes, ranks, strict=True)
        )

    def _class_of(self, own: _Seat) -> FinishClass:
        if own.finished_ms is not None and not own.by_cpu:
            is_within = own.finished_ms <= self.settings.time_limit_min * 60_000
            return FinishClass.WITHIN_LIMIT if is_within else FinishClass.OVER_LIMIT
        is_out = own.by_cpu or own.gave_up_early or own.away_since is not None
        return FinishClass.GIVEN_UP if is_out else FinishClass.UNFINISHED


def verify_race(events: Numbered, before: Mapping[UUID, Rating] | None = None) -> list[Finding]:
    """Work a race that is over out anew, from its events by version.

    `before` holds the ratings ahead of a rated race; who is absent had none.
    """
    told = [event for _version, event in events]
    dealt = [event for event in told if isinstance(event, ev.RaceDealt)]
    ended = [event for event in told if isinstance(event, ev.RaceEnded)]
    counts = (len(dealt), len(ended))
    if counts != (1, 1) or told[0] is not dealt[0]:
        return [Finding("events", f"{len(told)} of the race", (f"beginnings and ends: {counts}, one each",))]
    fold = _Fold(dealt[0])
    for version, event in events[1:]:
        fold.take(version, event)
    ends = fold.ends()
    findings = [
        in_order("race", events),
        _check_deals(dealt[0]),
        Finding("moves", f"{sum(hasattr(event, 'seat') for event in told)} of seats", tuple(fold.wrong)),
        _check_result(fold, dealt[0], ended[0], ends),
    ]
    if dealt[0].rated or ended[0].rated:
        findings.append(_check_ratings(dealt[0], ended[0], ends, before or {}))
    return findings


def _check_deals(dealt: ev.RaceDealt) -> Finding:
    """Commitments, layouts and faces follow from the seeds; all play one deal, but under the handicap."""
    wrong = []
    for number, deal in enumerate(dealt.deals, 1):
        made = deal_race(dealt.settings, deal.difficulty, deal.seed, deal.nonce)
        if made.commitment != deal.commitment:
            wrong.append(f"seed and nonce do not open commitment {number}")
        if (made.layout, made.faces, made.distinct_faces) != (deal.layout, deal.faces, deal.distinct_faces):
            wrong.append(f"layout and faces of deal {number} do not follow from the seed")
        full = deal.layout.full
        clears = replay(deal.layout, deal.faces, full, deal.certificate, matching_of(deal), Pairing.BOTH_FREE)
        if not clears:
            wrong.append(f"the stored play does not clear deal {number}")
    difficulties = [deal.difficulty for deal in dealt.deals]
    if len(set(difficulties)) < len(difficulties):
        wrong.append("two deals are of one difficulty")
    order = list(Difficulty)
    least = order.index(dealt.settings.difficulty)
    for number, seat in enumerate(dealt.seats):
        raised = order.index(difficulties[seat.deal]) - least
        may_be_raised = dealt.settings.winner_handicap and seat.account_id is not None
        if raised < 0 or (raised and not may_be_raised):
            wrong.append(f"seat {number} played {difficulties[seat.deal]}, not {dealt.settings.difficulty}")
    names = ", ".join(deal.layout.name for deal in dealt.deals)
    return Finding("deal", f"{names}, {dealt.deals[0].commitment.hex()[:16]}…", tuple(wrong))


def _check_result(fold: _Fold, dealt: ev.RaceDealt, ended: ev.RaceEnded, ends: Sequence[SeatEnd]) -> Finding:
    """Why it is over, and who comes where."""
    wrong = []
    accounts = tuple(seat.account_id for seat in dealt.seats)
    if (ended.race_id, ended.group_id, ended.accounts) != (dealt.race_id, dealt.group_id, accounts):
        wrong.append("race, group or seats differ between beginning and end")
    persons = [own for own in fold.seats if own.is_person and not fold.is_done(own)]
    gone = [own.away_since is not None and own.away_since + GRACE <= ended.occurred_at for own in persons]
    holds = {
        EndReason.ALL_DONE: all(gone),
        EndReason.TIME: ended.occurred_at >= fold.signal_at + LONGEST,
    }
    if not holds[ended.reason]:
        wrong.append(f"the race did not end because of {ended.reason}")
    stored = tuple(replace(end, rating=None) for end in ended.ends)
    wrong += [
        f"seat {number} ended as {own}, not as {told}"
        for number, (own, told) in enumerate(zip(ends, stored, strict=False))
        if own != told
    ]
    return Finding("result", f"{ended.reason}, places {[end.place for end in ended.ends]}", tuple(wrong))


def _check_ratings(
    dealt: ev.RaceDealt, ended: ev.RaceEnded, ends: Sequence[SeatEnd], before: Mapping[UUID, Rating]
) -> Finding:
    """Ratings come out of those before and the places; only races with the default settings have them."""
    wrong = []
    persons = [seat.account_id for seat in dealt.seats if seat.account_id is not None]
    may = is_rated(dealt.settings, len(persons), len(dealt.seats) - len(persons), wanted=True)
    if not (may and dealt.rated and ended.rated):
        wrong.append("the race does not count for ratings")
    known = [before.get(seat.account_id, Rating()) if seat.account_id else Rating() for seat in dealt.seats]
    for number, (own, told) in enumerate(zip(rated(ends, known), ended.ends, strict=False)):
        if own.rating != told.rating:
            wrong.append(f"the rating of seat {number} comes to {own.rating}, not {told.rating}")
    shown = ", ".join(f"{end.rating.before} → {end.rating.after}" for end in ended.ends if end.rating)
    return Finding("ratings", shown, tuple(wrong))
