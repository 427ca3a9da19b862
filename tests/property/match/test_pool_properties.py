"""Random games of the pool: they always end, undo restores, the pot is zero-sum, events replay the state."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.moves import available_pairs
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.dealing import deal_pool
from services.match.domain.pool.events import (
    PoolDealt,
    PoolHintGiven,
    PoolPairRemoved,
    PoolPairUndone,
    PoolShuffled,
)
from services.match.domain.pool.evolve import evolve, initial
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.state import Dealt
from services.match.domain.pool.terms import MATCHING, PAIRING, USES_MAX, Phase, SeatEnding
from services.match.domain.pool.values import pair_value
from tests.support.attempts import ANA, BEN
from tests.support.pools import CARL, DORA, LIMIT_MS, SIGNAL_MS, PoolTable

SEEDS = st.integers(0, 60).map(lambda n: n.to_bytes(32, "big"))
ACCOUNTS = (ANA, BEN, CARL, DORA)
ORDERS = st.tuples(st.sampled_from("ppppppppppushhe"), st.integers(0, 10**6), st.integers(0, 3))


def pairs_of(board: PoolBoard) -> list[tuple[int, int]]:
    """The available pairs."""
    return available_pairs(board.layout, board.faces, board.present, MATCHING, PAIRING)


def obey(table: PoolTable, order: tuple[str, int, int]) -> None:
    """Carry an order out as far as it can be."""
    what, which, number = order
    seat = number % len(table.accounts)
    match what:
        case "p":
            pairs = pairs_of(table.seat(seat).board)
            if pairs:
                table.pair(*pairs[which % len(pairs)], seat)
        case "u":
            table.undo(seat)
        case "s":
            table.shuffle(seat)
        case "h":
            table.hint(seat)
        case _:
            if which % 7 == 0:
                table.leave(seat) if len(table.accounts) > 1 else table.end(seat)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.lists(st.integers(0, 10**6), min_size=100, max_size=100))
def test_random_play_always_ends(seed: bytes, choices: list[int]) -> None:
    """Pairs while there are any, else shuffles, else undos: cleared or blocked, never stuck."""
    table = PoolTable(deal_pool(seed, seed))
    for choice in choices * 2:
        if table.seat().ending is not None:
            break
        pairs = pairs_of(table.seat().board)
        if pairs:
            table.pair(*pairs[choice % len(pairs)])
        elif isinstance(table.shuffle(), PoolRefusal) or not table.seat().board.pair_available:
            assert isinstance(table.undo(), list), "what is not blocked can be undone or shuffled"
    assert table.seat().ending in {SeatEnding.CLEARED, SeatEnding.BLOCKED}
    assert table.game.phase is Phase.OVER


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(2, 4), st.integers(1, 1_000), st.lists(ORDERS, max_size=120))
def test_the_pot_is_zero_sum_and_the_score_is_the_sum_of_its_facts(
    seed: bytes, seats: int, stake: int, orders: list[tuple[str, int, int]]
) -> None:
    """Whatever happens: payouts are the stakes, only the best are paid, uses stay within five."""
    table = PoolTable(deal_pool(seed, seed), ACCOUNTS[:seats], stake).started()
    for order in orders:
        obey(table, order)
    table.wait_until(SIGNAL_MS + LIMIT_MS)
    scores = [0] * seats
    for event in table.events:
        match event:
            case PoolPairRemoved(seat=seat, worth=worth):
                scores[seat] += worth
            case PoolPairUndone(seat=seat, first=first, second=second, charge=charge):
                taken = _worth_of_last(table, event)
                scores[seat] -= taken + charge
                assert first != second
            case PoolShuffled(seat=seat, charge=charge) | PoolHintGiven(seat=seat, charge=charge):
                scores[seat] -= charge
            case _:
                pass
    assert scores == [seat.score for seat in table.game.seats]
    assert sum(table.payouts) == stake * seats
    assert all(payout >= 0 for payout in table.payouts)
    assert all(max(s.undos, s.shuffles, s.hints) <= USES_MAX for s in table.game.seats)


def _worth_of_last(table: PoolTable, undone: PoolPairUndone) -> int:
    """What the pair had brought that an undo took back."""
    before = table.events[: table.events.index(undone)]
    stack: list[int] = []
    for event in before:
        match event:
            case PoolPairRemoved(seat=undone.seat, worth=worth):
                stack.append(worth)
            case PoolPairUndone(seat=undone.seat):
                stack.pop()
            case _:
                pass
    return stack[-1]


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.lists(ORDERS, max_size=60), st.integers(1, 5), st.lists(st.booleans(), max_size=3))
def test_undo_restores_faces_places_and_score_five_in_a_row_and_across_shuffles(
    seed: bytes, orders: list[tuple[str, int, int]], count: int, shuffles: list[bool]
) -> None:
    """Each undo goes to the board of before its pair, and leaves that score less the charges since."""
    table = PoolTable(deal_pool(seed, seed))
    for order in orders:
        if order[0] == "p":
            obey(table, order)
    boards = []
    for turn in range(count):
        pairs = pairs_of(table.seat().board)
        if not pairs:
            break
        boards.append((table.seat().board, table.seat().score))
        table.pair(*pairs[0])
        if shuffles[turn : turn + 1] == [True] and table.seat().ending is None:
            table.shuffle()
    charges = sum(event.charge for event in table.events if isinstance(event, PoolShuffled))
    shuffled = charges
    while boards and table.seat().ending is None:
        board, score = boards.pop()
        events = table.undo()
        assert isinstance(events, list)
        assert isinstance(events[0], PoolPairUndone)
        charges += events[0].charge
        since = shuffled - sum(
            event.charge
            for event in table.events[: _position_of_pair(table, len(boards))]
            if isinstance(event, PoolShuffled)
        )
        assert table.seat().board == board
        assert table.seat().score == score - since - (charges - shuffled)


def _position_of_pair(table: PoolTable, left: int) -> int:
    """Where the pair stands in the log that was the `left`-th of those made in a row at the end."""
    made = [at for at, event in enumerate(table.events) if isinstance(event, PoolPairRemoved)]
    undone = sum(isinstance(event, PoolPairUndone) for event in table.events)
    return made[len(made) - undone]


@settings(max_examples=15, deadline=None)
@given(SEEDS, st.lists(ORDERS, max_size=80))
def test_events_replay_to_the_same_state_and_hints_name_a_best_pair(
    seed: bytes, orders: list[tuple[str, int, int]]
) -> None:
    """The fold of all facts is the state that decided them; no hint is beaten by another available pair."""
    table = PoolTable(deal_pool(seed, seed), (ANA, BEN)).started()
    for order in orders:
        obey(table, order)
    state = initial()
    for event in table.events:
        if isinstance(event, PoolHintGiven):
            assert isinstance(state, Dealt)
            board = state.seats[event.seat].board
            best = max(pair_value(board.faces[a], board.faces[b]) for a, b in pairs_of(board))
            assert pair_value(board.faces[event.first], board.faces[event.second]) == best
        state = evolve(state, event)
    assert state == table.state
    assert isinstance(table.events[0], PoolDealt)
