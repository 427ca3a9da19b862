"""An attempt at a level worked out anew: the level's deal, every touch, the time and what can be paid for it.

The place is a verdict about others' times, and what was paid before is not in the stream: points are held
against what such a place may bring.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from libs.cli.verify.differing import Differing, Numbered, in_order
from libs.cli.verify.recompute import Finding
from libs.kernel import level_deal
from libs.rules.solitaire.board import Matching, Pairing, blockers, is_free
from libs.rules.solitaire.levels import is_level
from libs.rules.solitaire.moves import can_pair
from services.match import events as ev

MILLISECOND: Final = timedelta(milliseconds=1)
TIME_BONUS: Final = {1: 10} | dict.fromkeys(range(2, 11), 5)
"""At most so many points for a place."""
Ended = ev.AttemptCleared | ev.AttemptLeft | ev.AttemptRestarted


class _Fold(Differing):
    """The board while the events pass by."""

    def __init__(self, started: ev.AttemptStarted) -> None:
        super().__init__()
        self.deal, self.account = started.deal, started.account_id
        self.present = self.deal.layout.full
        self.lifted: int | None = None
        self.since: datetime = started.occurred_at
        self.asked: dict[int, tuple[int, int]] = {}
        self.is_over = False

    def take(self, version: int, event: Any) -> None:  # noqa: C901 one case per event
        """Take the event that stands at a version of the stream."""
        self.at(version, event)
        self.expect(not self.is_over or isinstance(event, ev.JokerGivenUp), "the attempt was over")
        layout, faces = self.deal.layout, self.deal.faces
        match event:
            case ev.TileLifted(tile=tile, replaced=replaced):
                self.expect(self._lies(tile) and is_free(layout, self.present, tile), "it was not free")
                self.expect(replaced == self.lifted, "another tile was lifted before")
                self.lifted = tile
            case ev.TilePutBack(tile=tile):
                self.expect(self.lifted == tile, "the tile was not lifted")
                self.lifted = None
            case ev.TouchNotSame(tile=tile):
                self.expect(self._lies(tile) and self.lifted is not None, "nothing was lifted")
            case ev.TouchBlocked(tile=tile, why=why):
                away = 0 if self.lifted is None else 1 << self.lifted
                self.expect(blockers(layout, self.present & ~away, tile) == why, "it was blocked otherwise")
            case ev.PairRemoved(first=first, second=second):
                could = self.lifted == first and can_pair(
                    layout, faces, self.present, first, second, Matching.EXACT, Pairing.LIFT
                )
                self.expect(could, f"{first} and {second} were no available pair")
                self._remove(first, second)
            case ev.JokerRequested(number=number, first=first, second=second):
                same = self._lies(second) and first != second and faces[first] == faces[second]
                self.expect(self.lifted == first and same, "the joker takes no pair")
                self.asked[number] = (first, second)
            case ev.JokerUsed(number=number, first=first, second=second):
                self.expect(self.asked.get(number) == (first, second), "it was not asked for")
                self._remove(first, second)
            case ev.ClockPaused(since=since, until=until):
                if self.since < until:
                    self.since += until - max(since, self.since)
            case ev.AttemptCleared() | ev.AttemptLeft() | ev.AttemptRestarted():
                self.is_over = True

    def _remove(self, first: int, second: int) -> None:
        self.present &= ~(1 << first | 1 << second)
        self.lifted = None

    def _lies(self, tile: int) -> bool:
        return bool(self.present >> tile & 1)


def verify_attempt(events: Numbered) -> list[Finding]:
    """Work an attempt that is over out anew, from its events by version."""
    told = [event for _version, event in events]
    started = [event for event in told if isinstance(event, ev.AttemptStarted)]
    ended = [event for event in told if isinstance(event, Ended)]
    counts = (len(started), len(ended))
    if counts != (1, 1) or told[0] is not started[0]:
        differing = (f"beginnings and ends: {counts}, one each",)
        return [Finding("events", f"{len(told)} of the attempt", differing)]
    fold = _Fold(started[0])
    for version, event in events[1:]:
        fold.take(version, event)
    return [
        in_order("attempt", events),
        _check_deal(started[0]),
        Finding("moves", f"{fold.present.bit_count()} tiles left", tuple(fold.wrong)),
        _check_result(fold, ended[0]),
    ]


def _check_deal(started: ev.AttemptStarted) -> Finding:
    """Everybody gets the same board of a level."""
    deal, wrong = started.deal, []
    made = level_deal(deal.level) if is_level(deal.level) else None
    if made is None or (made.layout, made.faces) != (deal.layout, deal.faces):
        wrong.append("layout and faces are not those of the level")
    return Finding("deal", f"level {deal.level}, {deal.layout.name}", tuple(wrong))


def _check_result(fold: _Fold, ended: Ended) -> Finding:
    """The account and level, and of a cleared one the time and what such a place may bring."""
    wrong = []
    if (ended.account_id, ended.level) != (fold.account, fold.deal.level):
        wrong.append("account or level differ between beginning and end")
    is_cleared = isinstance(ended, ev.AttemptCleared)
    if is_cleared == bool(fold.present):
        wrong.append(f"{fold.present.bit_count()} tiles were left")
    if not isinstance(ended, ev.AttemptCleared):
        return Finding("result", "not cleared", tuple(wrong))
    elapsed_ms = max(0, (ended.occurred_at - fold.since) // MILLISECOND)
    if ended.elapsed_ms != elapsed_ms:
        wrong.append(f"it took {elapsed_ms} ms, not {ended.elapsed_ms}")
    if ended.catalogue_version != fold.deal.catalogue_version:
        wrong.append("it was cleared under another version of the catalogue")
    if ended.place < 1 or ended.time_bonus_points not in {0, TIME_BONUS.get(ended.place, 0)}:
        wrong.append(f"place {ended.place} does not bring {ended.time_bonus_points} points")
    if ended.first_completion_points not in {0, 10}:
        wrong.append(f"a first completion is worth 10, not {ended.first_completion_points}")
    claimed = f"{ended.elapsed_ms} ms, {ended.first_completion_points} and {ended.time_bonus_points} points"
    return Finding("result", claimed, tuple(wrong))
