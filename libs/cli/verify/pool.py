"""A game of the pool worked out anew: its deal and shuffles from the seed, every pair and charge, the pot.

The fold is naive and shares with the match service nothing but the rules of boards and deals. That a hint
kept the board solvable is taken as stored: that its pair is one of the highest value is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from libs.cli.verify.differing import Differing, Numbered, in_order
from libs.cli.verify.recompute import Finding
from libs.rules.solitaire.board import Matching, Pairing, free_mask
from libs.rules.solitaire.moves import available_pairs, can_pair
from libs.rules.solitaire.prng import child_seed
from libs.rules.solitaire.shuffle import ShuffledWithPair, shuffle_pool
from libs.rules.tiles import BAMBOOS, CHARACTERS, CIRCLES, DRAGONS, FLOWERS, SEASONS, WINDS, Face
from services.match.domain.pool import events as ev
from services.match.domain.pool.dealing import DISTINCT_FACES, deal_pool
from services.match.domain.pool.terms import PoolEnding, SeatEnding, SeatResult

COUNTDOWN: Final = timedelta(seconds=3)
STAKES_WITHIN: Final = timedelta(seconds=5)
USES_MAX: Final = 5
CHARGED_PER_PAIR: Final = 5
SETS: Final = (CHARACTERS, CIRCLES, BAMBOOS, WINDS, DRAGONS, FLOWERS, SEASONS)
"""Worth 1 to 7, in this order."""


@dataclass
class _Seat:
    faces: tuple[Face, ...]
    present: int
    plays: bool
    decided: bool
    score: int = 0
    undos: int = 0
    shuffles: int = 0
    hints: int = 0
    impossible: bool = False
    taken: list[tuple[int, int, int, tuple[Face, ...]]] = field(default_factory=list)
    ending: SeatEnding | None = None
    ended_at: datetime | None = None

    @property
    def pairs(self) -> int:
        return self.present.bit_count() // 2

    @property
    def moved(self) -> bool:
        return self.plays and bool(self.taken or self.undos or self.shuffles or self.hints)


class _Fold(Differing):
    """The seats while the events pass by."""

    def __init__(self, dealt: ev.PoolDealt) -> None:
        super().__init__()
        self.dealt, self.deal, self.terms = dealt, dealt.deal, dealt.terms
        free = self.terms.is_training
        full, faces = self.deal.layout.full, self.deal.faces
        self.seats = [_Seat(faces, full, free, free) for _ in self.terms.accounts]
        self.signal_at: datetime | None = dealt.occurred_at if free else None
        self.started = free

    def take(self, version: int, event: Any) -> None:
        """Take the event that stands at a version of the stream."""
        self.at(version, event)
        at = event.occurred_at
        match event:
            case ev.StakePaid(seat=number) | ev.StakeRefused(seat=number):
                seat = self.seats[number]
                self.expect(not seat.decided, "the stake was decided before")
                seat.decided, seat.plays = True, isinstance(event, ev.StakePaid)
                if not seat.plays:
                    seat.ending, seat.ended_at = SeatEnding.NOT_PLAYED, at
                late = at >= self.dealt.occurred_at + STAKES_WITHIN
                self.expect(not (seat.plays and late), "the stake came later than five seconds")
            case ev.CountdownBegun():
                self.expect(all(seat.decided for seat in self.seats), "a stake was open")
                self.expect(sum(seat.plays for seat in self.seats) >= 2, "fewer than two stakes were paid")
                self.signal_at = at + COUNTDOWN
            case ev.PoolStarted():
                self.expect(at == self.signal_at, "the signal does not end the countdown")
                self.started = True
            case ev.ClockPaused(since=since, until=until):
                if self.signal_at is not None and self.signal_at < until:
                    self.signal_at += until - max(since, self.signal_at)
            case ev.PoolSeatEnded(seat=number, ending=ending):
                self._seat_ended(self.seats[number], ending, at)
            case ev.PoolEnded() | ev.PoolDealRevealed():
                pass
            case _:
                seat = self.seats[event.seat]
                is_under_way = self.signal_at is not None and at < self.signal_at + self.terms.limit
                self.expect(self.started and is_under_way, "the clock did not run")
                self.expect(seat.plays and seat.ending is None, "the seat was out")
                self._play(seat, event)

    def _play(self, seat: _Seat, event: ev.BoardFact) -> None:
        cost = CHARGED_PER_PAIR * seat.pairs
        match event:
            case ev.PoolPairRemoved(first=first, second=second):
                self.expect(self._can_go(seat, first, second), f"{first} and {second} were no available pair")
                worth = self._value(seat, first, second) * seat.pairs
                self.expect(event.worth == worth, f"the pair is worth {worth}, not {event.worth}")
                seat.taken.append((first, second, worth, seat.faces))
                seat.present &= ~(1 << first | 1 << second)
                seat.impossible = False
                self._score(seat, worth, event)
            case ev.PoolPairUndone(first=first, second=second):
                self._used(cost, event.charge)
                if not seat.taken or seat.taken[-1][:2] != (first, second):
                    self.expect(False, "this was not the last pair")
                    return
                *_pair, worth, seat.faces = seat.taken.pop()
                seat.present |= 1 << first | 1 << second
                seat.undos += 1
                seat.impossible = False
                self.expect(seat.undos <= USES_MAX, "five undos at most")
                self._score(seat, -worth - cost, event)
            case ev.PoolShuffled(faces=faces):
                self._used(cost, event.charge)
                self.expect(self._shuffled(seat) == faces, "the shuffle does not follow from the seed")
                seat.faces = faces
                seat.shuffles += 1
                self.expect(seat.shuffles <= USES_MAX, "five shuffles at most")
                self._score(seat, -cost, event)
            case ev.PoolShuffleImpossible():
                self.expect(self._shuffled(seat) is None, "a shuffle was possible")
                seat.impossible = True
            case ev.PoolHintGiven(first=first, second=second):
                self._used(cost, event.charge)
                best = max((self._value(seat, *pair) for pair in self._pairs(seat)), default=0)
                is_best = self._can_go(seat, first, second) and self._value(seat, first, second) == best
                self.expect(is_best, f"{first} and {second} are no available pair of the highest value")
                seat.hints += 1
                self.expect(seat.hints <= USES_MAX, "five hints at most")
                self._score(seat, -cost, event)

    def _used(self, cost: int, charged: int) -> None:
        self.expect(charged == cost, f"it costs {cost}, not {charged}")

    def _score(self, seat: _Seat, change: int, event: Any) -> None:
        seat.score += change
        self.expect(event.score == seat.score, f"the score is {seat.score}, not {event.score}")

    def _seat_ended(self, seat: _Seat, ending: SeatEnding, at: datetime) -> None:
        used_up = seat.shuffles >= USES_MAX
        holds = {
            SeatEnding.CLEARED: not seat.present,
            SeatEnding.BLOCKED: not self._pairs(seat)
            and (used_up or free_mask(self.deal.layout, seat.present).bit_count() < 2)
            and (seat.undos >= USES_MAX or not seat.taken),
            SeatEnding.TIME: self.signal_at is not None and at >= self.signal_at + self.terms.limit,
            SeatEnding.ENDED: used_up or seat.impossible,
            SeatEnding.LEFT: True,
            SeatEnding.NOT_PLAYED: False,
        }
        self.expect(holds[ending], f"the seat's game did not end because of {ending}")
        self.expect(seat.plays and seat.ending is None, "the seat was out")
        seat.ending, seat.ended_at = ending, at

    def _pairs(self, seat: _Seat) -> Sequence[tuple[int, int]]:
        return available_pairs(
            self.deal.layout, seat.faces, seat.present, Matching.BONUS_ANY, Pairing.BOTH_FREE
        )

    def _can_go(self, seat: _Seat, first: int, second: int) -> bool:
        layout = self.deal.layout
        return can_pair(
            layout, seat.faces, seat.present, first, second, Matching.BONUS_ANY, Pairing.BOTH_FREE
        )

    def _value(self, seat: _Seat, first: int, second: int) -> int:
        shown = {seat.faces[first], seat.faces[second]}
        return max(value for value, faces in enumerate(SETS, 1) if shown.intersection(faces))

    def _shuffled(self, seat: _Seat) -> tuple[Face, ...] | None:
        chance = child_seed(self.deal.seed, f"shuffle/{seat.shuffles + 1}")
        layout = self.deal.layout
        found = shuffle_pool(layout, seat.faces, seat.present, Matching.BONUS_ANY, Pairing.BOTH_FREE, chance)
        return found.faces if isinstance(found, ShuffledWithPair) else None


def verify_pool(events: Numbered) -> list[Finding]:
    """Work a game of the pool that is over out anew, from its events by version."""
    told = [event for _version, event in events]
    dealt = [event for event in told if isinstance(event, ev.PoolDealt)]
    ended = [event for event in told if isinstance(event, ev.PoolEnded)]
    revealed = [event for event in told if isinstance(event, ev.PoolDealRevealed)]
    counts = (len(dealt), len(ended), len(revealed))
    if counts != (1, 1, 1) or told[0] is not dealt[0]:
        return [Finding("events", f"{len(told)} of the game", (f"beginnings and ends: {counts}, one each",))]
    fold = _Fold(dealt[0])
    for version, event in events[1:]:
        fold.take(version, event)
    claimed = " to ".join(str(seat.score) for seat in ended[0].seats)
    return [
        in_order("game", events),
        _check_deal(dealt[0], revealed[0]),
        Finding("scores", claimed, tuple(fold.wrong)),
        Finding("result", f"{ended[0].ending}, pot {_paid(ended[0])}", tuple(_check_end(fold, ended[0]))),
    ]


def _paid(ended: ev.PoolEnded) -> str:
    return " and ".join(str(seat.payout) for seat in ended.seats)


def _check_deal(dealt: ev.PoolDealt, revealed: ev.PoolDealRevealed) -> Finding:
    """The commitment, the layout and the faces follow from what was revealed."""
    deal, wrong = dealt.deal, []
    made = deal_pool(revealed.seed, revealed.nonce)
    if made.commitment != deal.commitment:
        wrong.append("the reveal does not open the commitment")
    told = (deal.catalogue_version, deal.layout.name, DISTINCT_FACES, deal.seed, deal.nonce)
    shown = (revealed.catalogue_version, revealed.layout_name, revealed.distinct_faces)
    if told != (*shown, revealed.seed, revealed.nonce):
        wrong.append("another deal was revealed than was dealt")
    if (made.layout, made.faces) != (deal.layout, deal.faces):
        wrong.append("layout and faces do not follow from the seed")
    return Finding("deal", f"{deal.layout.name}, {deal.commitment.hex()[:16]}…", tuple(wrong))


def _check_end(fold: _Fold, ended: ev.PoolEnded) -> list[str]:
    """Why it is over, and what every seat comes to."""
    seats, wrong = fold.seats, []
    playing = [seat for seat in seats if seat.plays]
    ending = PoolEnding.PLAYED
    if fold.terms.is_training:
        ending = PoolEnding.PLAYED if ended.next_game_id is None else PoolEnding.RESTARTED
    elif len(playing) < 2:
        ending = PoolEnding.VOID_STAKES
    elif sum(seat.moved for seat in seats) < 2:
        ending = PoolEnding.VOID_MOVES
    if ended.ending is not ending:
        wrong.append(f"the game is {ending}, not {ended.ending}")
    if ending is not PoolEnding.VOID_STAKES and any(seat.ending is None for seat in playing):
        wrong.append("somebody still played")
    scores = [seat.score for seat in playing]
    right = tuple(
        SeatResult(
            place=1 + sum(other > seat.score for other in scores) if seat.plays else 0,
            score=seat.score,
            ending=seat.ending or SeatEnding.NOT_PLAYED,
            ended_at=seat.ended_at or ended.occurred_at,
            pairs_left=seat.pairs,
            payout=chips,
        )
        for seat, chips in zip(seats, _split(fold, ending, ended.occurred_at), strict=True)
    )
    if len(ended.seats) != len(right):
        return [*wrong, f"{len(right)} seats played, not {len(ended.seats)}"]
    for number, (own, stored) in enumerate(zip(right, ended.seats, strict=True)):
        if own != stored:
            wrong.append(f"seat {number} comes to {own}, not {stored}")
    return wrong


def _split(fold: _Fold, ending: PoolEnding, over_at: datetime) -> list[int]:
    """Chips by seat: the pot among the highest scores, the odd ones to whoever ended first; else stakes."""
    stake, seats = fold.terms.stake, fold.seats
    if ending is not PoolEnding.PLAYED or fold.terms.is_training:
        return [stake if seat.plays else 0 for seat in seats]
    best = max(seat.score for seat in seats if seat.plays)
    winners = [at for at, seat in enumerate(seats) if seat.plays and seat.score == best]
    share, odd = divmod(stake * sum(seat.plays for seat in seats), len(winners))
    first = min(winners, key=lambda at: (seats[at].ended_at or over_at, at))
    return [share * (at in winners) + odd * (at == first) for at in range(len(seats))]
