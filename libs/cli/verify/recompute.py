"""A round worked out anew, from its events alone, and held against what those events claim.

The fold is naive and shares with the match service nothing but the rules of boards and deals: it keeps the
tiles of each seat, a score, a record, and adds up. Verdicts of the solver are taken as stored: a pair that
was judged crucial is worth what a crucial pair is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from libs.kernel import deal_recipe
from libs.rules.solitaire.board import Matching, Pairing, blockers, is_free
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe
from libs.rules.solitaire.moves import can_pair
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.terms import EndReason, OutReason, PairKind, RoundDeal, SeatEnd

LIMIT: Final = timedelta(minutes=5)
"""Of a round outside of tournaments, which have limits of their own."""
IDLE: Final = timedelta(seconds=20)
MILLISECOND: Final = timedelta(milliseconds=1)
JOKERS_MAX: Final = 2
WORTH: Final = {PairKind.PLAIN: 100, PairKind.PACE: 200, PairKind.CRUCIAL: 300, PairKind.JOKER: 100}


@dataclass(frozen=True)
class Finding:
    """One thing that was worked out anew: what the match claims, and whether it is so."""

    what: str
    claimed: str
    differences: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


@dataclass
class _Seat:
    present: int
    lifted: int | None = None
    score: int = 0
    record_ms: int | None = None
    since: datetime | None = None
    """Where the time of the next pair counts from."""
    jokers: int = 0
    asked: dict[int, tuple[int, int]] = field(default_factory=dict)
    out: bool = False


class _Fold:
    """The seats while the events pass by; what is wrong is collected, and the fold goes on as claimed."""

    def __init__(self, dealt: ev.RoundDealt) -> None:
        stage = dealt.stage
        self.deal: RoundDeal = dealt.deal
        self.seats = [_Seat(self.deal.layout.full) for _ in dealt.accounts]
        self.starts_at = dealt.occurred_at + stage.countdown
        self.wrong: list[str] = []
        self.at = dealt.occurred_at
        self.started = False
        self.left = set(stage.left)
        laid_down = stage.tournament
        self.limit = LIMIT if laid_down is None else laid_down.round_limit
        # An operator may cut it before; one that was dealt later is over at once.
        self.cut_at = None if laid_down is None else max(laid_down.ends_at, dealt.occurred_at)
        self._may_leave_before, self._is_only = stage.number > 1, not stage.is_of_several
        for seat, each in enumerate(self.seats):
            each.out = seat in self.left

    def take(self, version: int, event: Any) -> None:
        """Take the event that stands at a version of the stream."""
        self._where = f"event {version}, {type(event).__name__}"
        self._expect(event.occurred_at >= self.at, "happened before the event ahead of it")
        self.at = max(self.at, event.occurred_at)
        match event:
            case ev.RoundStarted(occurred_at=at):
                self._expect(at == self.starts_at, "the signal does not end the countdown")
                self.started, self.starts_at = True, at
                for seat in self.seats:
                    seat.since = at
            case ev.ClockPaused(since=since, until=until):
                self._pause(since, until)
            case ev.SeatWentOut(seat=number, reason=OutReason.LEFT):
                self._expect(self.started or self._may_leave_before, "came before the signal")
                is_out = self.seats[number].out if self._is_only else number in self.left
                self._expect(not is_out, "the seat was out")
                self.left.add(number)
                self.seats[number].out = True
            case _ if hasattr(event, "seat"):
                self._expect(self.started, "came before the signal")
                self._take_seat(self.seats[event.seat], event)

    def _expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.wrong.append(f"{self._where}: {otherwise}")

    def _pause(self, since: datetime, until: datetime) -> None:
        def moved(anchor: datetime) -> datetime:
            return anchor if anchor >= until else anchor + (until - max(since, anchor))

        self.starts_at = moved(self.starts_at)
        for seat in self.seats:
            seat.since = None if seat.since is None else moved(seat.since)

    def _take_seat(self, seat: _Seat, event: Any) -> None:
        layout, present = self.deal.layout, seat.present
        self._expect(not seat.out or isinstance(event, ev.JokerGivenUp), "the seat was out")
        match event:
            case ev.SeatLiftedTile(tile=tile, replaced=replaced):
                self._expect(
                    self._lies(seat, tile) and is_free(layout, present, tile), "the tile was not free"
                )
                self._expect(replaced == seat.lifted, "another tile was lifted before")
                seat.lifted = tile
            case ev.SeatPutTileBack(tile=tile):
                self._expect(seat.lifted == tile, "the tile was not lifted")
                seat.lifted = None
            case ev.SeatTouchedNotSame(tile=tile):
                self._expect(self._lies(seat, tile) and seat.lifted is not None, "nothing was lifted")
            case ev.SeatTouchedBlocked(tile=tile, why=why):
                away = 0 if seat.lifted is None else 1 << seat.lifted
                self._expect(blockers(layout, present & ~away, tile) == why, "it was blocked otherwise")
                self._score(seat, max(0, seat.score - 100), event)
            case ev.SeatRemovedPair():
                self._take_pair(seat, event)
            case ev.JokerRequested(number=number, first=first, second=second):
                faces = self.deal.faces
                self._expect(seat.lifted == first, "the tile was not lifted")
                same = self._lies(seat, second) and first != second and faces[first] == faces[second]
                self._expect(same, "the joker takes no pair")
                seat.asked[number] = (first, second)
            case ev.JokerUsed(number=number, first=first, second=second, worth=worth):
                self._expect(seat.asked.get(number) == (first, second), "it was not asked for")
                self._expect(worth == WORTH[PairKind.JOKER], f"a joker's pair is worth 100, not {worth}")
                seat.jokers += 1
                self._expect(seat.jokers <= JOKERS_MAX, "two jokers at most")
                self._remove(seat, first, second, event.occurred_at)
                self._score(seat, seat.score + WORTH[PairKind.JOKER], event)
            case ev.SeatWentOut(reason=reason, occurred_at=at):
                # A joker that was asked for holds the 20 seconds; how long it did is the ledger's affair.
                if reason is OutReason.IDLE and not seat.asked:
                    self._expect(
                        seat.since is not None and at == seat.since + IDLE, "not 20 s without a pair"
                    )
                seat.out = True

    def _take_pair(self, seat: _Seat, event: ev.SeatRemovedPair) -> None:
        """Judge a pair: whether it could go, how long it took, and so what it is worth."""
        first, second = event.first, event.second
        deal = self.deal
        could = seat.lifted == first and can_pair(
            deal.layout, deal.faces, seat.present, first, second, Matching.EXACT, Pairing.LIFT
        )
        self._expect(could, f"{first} and {second} were no available pair")
        took_ms = max(0, (event.occurred_at - (seat.since or event.occurred_at)) // MILLISECOND)
        self._expect(event.took_ms == took_ms, f"it took {took_ms} ms, not {event.took_ms}")
        faster = seat.record_ms is not None and took_ms < seat.record_ms
        kind = PairKind.CRUCIAL if event.verdict.crucial else PairKind.PACE if faster else PairKind.PLAIN
        self._expect(
            (event.kind, event.worth) == (kind, WORTH[kind]),
            f"the pair is {kind}, {WORTH[kind]}, not {event.kind}, {event.worth}",
        )
        seat.record_ms = took_ms if seat.record_ms is None else min(seat.record_ms, took_ms)
        self._expect(event.record_ms == seat.record_ms, f"the record is {seat.record_ms} ms")
        self._remove(seat, first, second, event.occurred_at)
        self._score(seat, seat.score + WORTH[kind], event)

    def _remove(self, seat: _Seat, first: int, second: int, at: datetime) -> None:
        seat.present &= ~(1 << first | 1 << second)
        seat.lifted, seat.since = None, at

    def _score(self, seat: _Seat, score: int, event: Any) -> None:
        self._expect(event.round_score == score, f"the score is {score}, not {event.round_score}")
        seat.score = score

    @staticmethod
    def _lies(seat: _Seat, tile: int) -> bool:
        return bool(seat.present >> tile & 1)

    def ends(self) -> tuple[SeatEnd, ...]:
        """How the seats end: whoever cleared comes first, then by score; equal ones share a place."""
        ranks = [(seat.present == 0, seat.score) for seat in self.seats]
        return tuple(
            SeatEnd(1 + sum(other > rank for other in ranks), rank[1], rank[0], seat.present.bit_count())
            for seat, rank in zip(self.seats, ranks, strict=True)
        )


def check_deal(dealt: ev.RoundDealt, revealed: ev.DealRevealed) -> Finding:
    """The commitment follows from the reveal, and the faces from its seed."""
    deal, made = dealt.deal, Recipe(revealed.layout_name, revealed.distinct_faces)
    wrong = []
    if commitment(revealed.nonce, revealed.catalogue_version, made, revealed.seed) != deal.commitment:
        wrong.append("the reveal does not open the commitment")
    told = (deal.catalogue_version, deal.layout.name, deal.distinct_faces, deal.seed, deal.nonce)
    shown = (revealed.catalogue_version, made.layout_name, made.distinct_faces, revealed.seed, revealed.nonce)
    if told != shown:
        wrong.append("another deal was revealed than was dealt")
    if deal_recipe(made, revealed.seed).faces != deal.faces:
        wrong.append("the faces do not follow from the seed")
    return Finding("deal", f"{deal.layout.name}, {deal.commitment.hex()[:16]}…", tuple(wrong))


def _check_ending(fold: _Fold, ended: ev.RoundEnded) -> list[str]:
    holds = {
        EndReason.CLEARED: any(seat.present == 0 for seat in fold.seats),
        EndReason.TIME: ended.occurred_at == fold.starts_at + fold.limit,
        EndReason.ALL_OUT: all(seat.out for seat in fold.seats),
        EndReason.CUT: fold.cut_at is not None and all(seat.present for seat in fold.seats),
    }
    wrong = [] if holds[ended.reason] else [f"the round did not end because of {ended.reason}"]
    if fold.cut_at is not None and ended.occurred_at > fold.cut_at:
        wrong.append("the round went on after the end of its tournament")
    return wrong


@dataclass(frozen=True)
class CheckedRound:
    """A round that has one beginning and one end, and what was found in it."""

    dealt: ev.RoundDealt
    ended: ev.RoundEnded
    revealed: ev.DealRevealed
    ends: tuple[SeatEnd, ...]
    """How its seats ended, worked out anew."""
    left: frozenset[int]
    events: Finding
    deal: Finding
    scores: Finding
    result: Finding


def check_round(round_events: Sequence[tuple[int, Any]]) -> CheckedRound | Finding:
    """Work a round out anew, from its events by version; a finding alone where it lacks beginning or end."""
    events = [event for _version, event in round_events]
    dealt = [event for event in events if isinstance(event, ev.RoundDealt)]
    ended = [event for event in events if isinstance(event, ev.RoundEnded)]
    revealed = [event for event in events if isinstance(event, ev.DealRevealed)]
    claimed, counts = f"{len(events)} of the round", (len(dealt), len(ended), len(revealed))
    if counts != (1, 1, 1):
        return Finding("events", claimed, (f"beginnings and ends: {counts}, one each",))
    is_gapless = [version for version, _event in round_events] == list(range(1, len(events) + 1))
    fold = _Fold(dealt[0])
    for version, event in round_events[1:]:
        fold.take(version, event)
    ends, result = fold.ends(), _check_ending(fold, ended[0])
    if ended[0].seats != ends:
        result.append(f"the seats ended as {ends}, not as {ended[0].seats}")
    return CheckedRound(
        dealt[0],
        ended[0],
        revealed[0],
        ends,
        frozenset(fold.left),
        Finding("events", claimed, () if is_gapless else ("versions are missing or come twice",)),
        check_deal(dealt[0], revealed[0]),
        Finding("scores", " to ".join(str(seat.score) for seat in fold.seats), tuple(fold.wrong)),
        Finding("result", f"{ended[0].reason}", tuple(result)),
    )
