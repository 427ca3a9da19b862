"""`sparrow verify` on games of the pool: a match as it was played is right, what is changed is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from libs.cli.verify.escrow import Moved, check_escrow
from libs.cli.verify.pool import verify_pool
from libs.rules.tiles import Face
from libs.runtime.names import player_name
from services.match.domain.pool import events as ev
from services.match.domain.pool.commands import RefuseStake, TakeStake
from services.match.domain.pool.dealing import deal_pool
from services.match.domain.pool.terms import PoolEnding, SeatEnding, StakeRefusal
from services.match.wire.pool_ledger import escrow_account, pot_key, stake_key
from tests.support.attempts import ANA, BEN, after
from tests.support.pools import CARL, LIMIT_MS, NEXT, PoolTable

SEED, NONCE = bytes(range(1, 33)), bytes(range(2, 34))
MATCH = UUID(int=0x55)
Numbered = list[tuple[int, Any]]


@pytest.fixture(scope="module")
def table() -> PoolTable:
    """A match on a real deal: pairs, an undo, a hint, shuffles; Ben ends his game, Ana runs out of time."""
    table = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN)).started()
    for seat in (0, 1):
        for number in range(4):
            first, second = _pair(table, seat)
            assert isinstance(table.pair(first, second, seat, 4_000 + 1_000 * number), list)
        assert isinstance(table.undo(seat, 9_000), list)
        assert isinstance(table.hint(seat, 9_500), list)
        assert isinstance(table.shuffle(seat, 10_000), list)
    for number in range(4):
        assert isinstance(table.shuffle(1, 11_000 + number), list)
    assert isinstance(table.end(1, 20_000), list)
    table.pair(*_pair(table, 0), 0, 30_000)
    table.wait_until(3_000 + LIMIT_MS)
    return table


def _pair(table: PoolTable, seat: int) -> tuple[int, int]:
    """Some available pair."""
    board = table.seat(seat).board
    free = [tile for tile in range(board.layout.size) if board.free >> tile & 1]
    return next((a, b) for a in free for b in free if a < b and board.match(a, b))


def numbered(table: PoolTable) -> Numbered:
    """The game's events with their versions."""
    return list(enumerate(table.events, 1))


def wrong(events: Numbered) -> set[str]:
    """What is not as it is claimed to be."""
    return {finding.what for finding in verify_pool(events) if not finding.ok}


def changed(table: PoolTable, kind: type[Any], change: Callable[[Any], Any]) -> set[str]:
    """What is found wrong when the last event of a kind was tampered with."""
    events = numbered(table)
    place = max(at for at, (_version, event) in enumerate(events) if isinstance(event, kind))
    events[place] = (events[place][0], change(events[place][1]))
    return wrong(events)


def test_a_match_as_it_was_played_is_right(table: PoolTable) -> None:
    """Deal, scores and result come out the same, whatever was used."""
    findings = verify_pool(numbered(table))

    assert [finding.what for finding in findings] == ["events", "deal", "scores", "result"]
    assert wrong(numbered(table)) == set(), [finding.differences for finding in findings]
    assert table.ended.ending is PoolEnding.PLAYED
    assert sum(table.payouts) == 200
    assert [seat.ending for seat in table.ended.seats] == [SeatEnding.TIME, SeatEnding.ENDED]


def test_training_and_a_restart_are_right() -> None:
    """A game of one has no stakes; another game may take its place."""
    table = PoolTable(deal_pool(SEED, NONCE))
    table.pair(*_pair(table, 0), 0, 10)
    assert isinstance(table.restart(20), list)

    assert wrong(numbered(table)) == set()
    assert table.ended.next_game_id == NEXT


def test_void_matches_are_right() -> None:
    """Too few stakes, or too few moves: stakes are returned."""
    unpaid = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN))
    unpaid.order(TakeStake(ANA, after(0)))
    unpaid.order(RefuseStake(BEN, StakeRefusal.TOO_FEW_CHIPS, after(10)))
    unmoved = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN, CARL)).started()
    unmoved.wait_until(3_000 + LIMIT_MS)

    assert (unpaid.ended.ending, unmoved.ended.ending) == (PoolEnding.VOID_STAKES, PoolEnding.VOID_MOVES)
    assert wrong(numbered(unpaid)) == set()
    assert wrong(numbered(unmoved)) == set()


def _swapped(faces: tuple[Face, ...]) -> tuple[Face, ...]:
    """Two tiles the other way round."""
    other = next(tile for tile, face in enumerate(faces) if face != faces[0])
    shown = list(faces)
    shown[0], shown[other] = shown[other], shown[0]
    return tuple(shown)


@pytest.mark.parametrize(
    ("kind", "change", "found"),
    [
        (ev.PoolDealRevealed, lambda event: replace(event, seed=bytes(32)), "deal"),
        (ev.PoolDealRevealed, lambda event: replace(event, nonce=bytes(32)), "deal"),
        (
            ev.PoolDealt,
            lambda event: replace(event, deal=replace(event.deal, faces=_swapped(event.deal.faces))),
            "deal",
        ),
        (ev.PoolPairRemoved, lambda event: replace(event, worth=event.worth + 1), "scores"),
        (ev.PoolPairRemoved, lambda event: replace(event, score=90_000), "scores"),
        (ev.PoolPairRemoved, lambda event: replace(event, second=event.first), "scores"),
        (ev.PoolPairUndone, lambda event: replace(event, charge=0), "scores"),
        (ev.PoolPairUndone, lambda event: replace(event, first=event.second), "scores"),
        (ev.PoolShuffled, lambda event: replace(event, faces=_swapped(event.faces)), "scores"),
        (ev.PoolShuffled, lambda event: replace(event, charge=1), "scores"),
        (ev.PoolHintGiven, lambda event: replace(event, charge=1), "scores"),
        (ev.PoolHintGiven, lambda event: replace(event, first=event.second), "scores"),
        (ev.PoolStarted, lambda event: replace(event, occurred_at=after(2_999)), "scores"),
        (ev.PoolSeatEnded, lambda event: replace(event, ending=SeatEnding.CLEARED), "scores"),
        (ev.StakePaid, lambda event: replace(event, seat=0), "scores"),
        (ev.PoolEnded, lambda event: replace(event, ending=PoolEnding.VOID_MOVES), "result"),
        (ev.PoolEnded, lambda event: replace(event, seats=event.seats[::-1]), "result"),
        (
            ev.PoolEnded,
            lambda event: replace(event, seats=(replace(event.seats[0], payout=199), event.seats[1])),
            "result",
        ),
    ],
)
def test_what_is_changed_afterwards_is_found(
    table: PoolTable, kind: type[Any], change: Callable[[Any], Any], found: str
) -> None:
    """Deal, reveal, pairs, help and its charges, ends, the pot."""
    assert found in changed(table, kind, change)


def test_an_event_left_out_is_found(table: PoolTable) -> None:
    """Versions are gapless."""
    events = numbered(table)
    del events[7]

    assert "events" in wrong(events)


def _transfers(table: PoolTable) -> list[Moved]:
    """What the ledger tells of the match."""
    escrow = escrow_account(MATCH)
    staked = [Moved(stake_key(MATCH, each), player_name(each), escrow, 100) for each in (ANA, BEN)]
    paid = [
        Moved(pot_key(MATCH, account), escrow, player_name(account), chips)
        for account, chips in zip((ANA, BEN), table.payouts, strict=True)
        if chips
    ]
    return [*staked, *paid]


def test_the_escrow_of_a_match_follows_from_it(table: PoolTable) -> None:
    """Every stake once, the pot as it was split; whatever is missing or too much is found."""
    terms, moved = table.game.terms, _transfers(table)

    def found(transfers: list[Moved]) -> bool:
        return check_escrow(MATCH, terms, {0, 1}, table.ended, transfers).ok

    assert found(moved)
    assert not found(moved[1:])
    assert not found(moved[:-1])
    assert not found([*moved, moved[-1]])
    assert not found([*moved[:-1], replace(moved[-1], chips=moved[-1].chips - 1)])
    assert not found([*moved[:-1], replace(moved[-1], credit="house/other")])


def test_the_stakes_of_a_void_match_go_back() -> None:
    """By reversals; a stake that was taken too late goes back as well."""
    table = PoolTable(deal_pool(SEED, NONCE), (ANA, BEN))
    table.order(TakeStake(ANA, after(0)))
    table.wait_until(6_000)
    escrow = escrow_account(MATCH)
    moved = []
    for account in (ANA, BEN):
        key = stake_key(MATCH, account)
        moved.append(Moved(key, player_name(account), escrow, 100))
        moved.append(Moved(f"reversal/{key}", escrow, player_name(account), 100, key))

    assert check_escrow(MATCH, table.game.terms, {0}, table.ended, moved).ok
    assert check_escrow(MATCH, table.game.terms, {0}, table.ended, moved[:2]).ok
    assert not check_escrow(MATCH, table.game.terms, {0}, table.ended, moved[:3]).ok
