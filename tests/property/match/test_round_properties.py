"""Random rounds against a naive second model that keeps score and clocks as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.board import free_tiles
from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.levels import Recipe, deal_recipe
from libs.rules.solitaire.moves import freed_by_lifting
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.state import Over, Playing
from services.match.domain.rivals.terms import EndReason
from tests.support.rounds import Table, fold

SEEDS = st.integers(0, 40).map(lambda n: n.to_bytes(32, "big"))


@dataclass
class Naive:
    """One seat: milliseconds after the signal, nothing else."""

    score: int = 0
    record: int | None = None
    pace: int = 0
    idle: int = 0
    out_at: int | None = None
    cleared: bool = False
    taken: set[int] = field(default_factory=set)

    def paired(self, now: int, *, crucial: bool) -> None:
        """A pair at that instant."""
        took = now - self.pace
        beaten = self.record is not None and took < self.record
        self.score += 300 if crucial else 200 if beaten else 100
        self.record = took if self.record is None or beaten else self.record
        self.pace = self.idle = now

    def blocked(self) -> None:
        """A mistake."""
        self.score = max(0, self.score - 100)


def _expire(seats: list[Naive], now: int) -> None:
    for seat in seats:
        if seat.out_at is None and now >= seat.idle + 20_000:
            seat.out_at = seat.idle + 20_000


def _ended_at(seats: list[Naive], now: int) -> int | None:
    outs = [seat.out_at for seat in seats]
    if all(out is not None for out in outs):
        return min(300_000, max(out for out in outs if out is not None))
    return 300_000 if now >= 300_000 else None


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_random_rounds_agree_with_a_naive_count(seed: bytes, data: st.DataObject) -> None:
    """Scores, records, who is out and when, and the end are those of the naive model after every step."""
    board = layout("egg")
    dealt = deal_recipe(Recipe("egg", 4), seed)
    table = Table.begun(board, " ".join(dealt.faces))
    seats, now = [Naive(), Naive()], 0
    for _ in range(data.draw(st.integers(1, 120))):
        now += data.draw(st.sampled_from([0, 1, 300, 2_000, 9_000, 19_999, 20_000]))
        _step(table, seats, now, data)
        if _agree(table, seats, now):
            break
    assert fold(table.events) == table.state


def _step(table: Table, seats: list[Naive], now: int, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, 1))
    table.until(now)
    _expire(seats, now)
    if isinstance(table.state, Over):
        return
    assert isinstance(table.state, Playing)
    player = table.state.players[seat]
    board, position = player.board, player.board.position
    if data.draw(st.integers(0, 40)) == 0:
        left = table.leave(seat, now)
        assert (left is Refusal.SEAT_OUT) == (seats[seat].out_at is not None)
        if isinstance(left, list):
            seats[seat].out_at = now
        return
    candidates = list(free_tiles(position.layout, position.present))
    if board.lifted is not None:
        free = sum(1 << tile for tile in candidates)
        opened = freed_by_lifting(position.layout, position.present, free, board.lifted)
        candidates += [tile for tile in range(position.layout.size) if opened >> tile & 1]
        face = position.faces[board.lifted]
        same = [t for t in candidates if position.faces[t] == face and t != board.lifted]
        candidates = same or candidates
    if not candidates or data.draw(st.integers(0, 9)) == 0:
        candidates = list(range(position.layout.size))
    tile, crucial = data.draw(st.sampled_from(candidates)), data.draw(st.booleans())
    told = table.touch(seat, tile, now, crucial=crucial)
    if isinstance(told, Refusal):
        assert told in {Refusal.TILE_GONE, Refusal.SEAT_OUT}
        assert (told is Refusal.SEAT_OUT) == (seats[seat].out_at is not None)
        return
    match type(told[0]).__name__:
        case "SeatRemovedPair":
            seats[seat].paired(now, crucial=crucial)
            seats[seat].cleared = position.tiles_left == 2
        case "SeatTouchedBlocked":
            seats[seat].blocked()
        case _:
            pass


def _agree(table: Table, seats: list[Naive], now: int) -> bool:
    """Whether the round is over by both accounts."""
    assert isinstance(table.state, Playing | Over)
    for player, naive in zip(table.state.players, seats, strict=True):
        assert (player.score, player.record_ms) == (naive.score, naive.record)
        if isinstance(table.state, Playing):
            assert (player.out is not None) == (naive.out_at is not None)
    if any(naive.cleared for naive in seats):
        end = table.events[-2]
        assert isinstance(end, RoundEnded)
        assert end.reason is EndReason.CLEARED
        return True
    ended_at = _ended_at(seats, now)
    assert isinstance(table.state, Over) == (ended_at is not None)
    if isinstance(table.state, Over):
        assert ended_at is not None
        assert (table.state.ended.occurred_at - table.state.since).total_seconds() * 1_000 == ended_at
    return isinstance(table.state, Over)
