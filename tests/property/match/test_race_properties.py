"""Races of several seats that play at random: what holds whatever they do."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.kernel import solve
from libs.rules.solitaire.board import blockers
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.solver import Solved
from services.match.domain.race.clocks import chance_of, cpu_level
from services.match.domain.race.commands import Cpu
from services.match.domain.race.cpu import AskHint, AskShuffle, Take, choose
from services.match.domain.race.cpu_orders import seen_by
from services.match.domain.race.dealing import PAIRING, deal_race
from services.match.domain.race.decide import Paused
from services.match.domain.race.events import RaceBoardShuffled
from services.match.domain.race.evolve import evolve, initial
from services.match.domain.race.placing import live_places
from services.match.domain.race.refusal import RaceRefusal
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.state import Over, Racing
from tests.support.race_table import RaceTable

DEALS = [deal_race(DEFAULTS, Difficulty.START, bytes([n] * 32), bytes(32)) for n in range(3)]
ACTS = ("cpu", "cpu", "cpu", "cpu", "touch", "pair", "shuffle", "hint", "leave", "back", "give_up")


def _act(table: RaceTable, seat: int, account: UUID, ms: int, act: str, number: int) -> object:
    """One order of a seat; CPU orders are chosen from what the seat may see."""
    size = table.racer(seat).tiles
    if act == "cpu":
        racing = table.state
        assert isinstance(racing, Racing)
        racer = racing.racers[seat]
        chosen = choose(seen_by(racing.race, racer), cpu_level(racer), chance_of(racing.race, seat, racer))
        match chosen:
            case Take(first=first, second=second):
                return table.remove(ms, Cpu(seat), first, second)
            case AskHint():
                return table.hint(ms, Cpu(seat))
            case AskShuffle():
                return table.shuffle(ms, Cpu(seat))
            case None:
                return table.give_up(ms, account)
    orders: dict[str, Callable[[], object]] = {
        "touch": lambda: table.touch(ms, account, number % size),
        "pair": lambda: table.remove(ms, account, number % size, number * 7 % size),
        "shuffle": lambda: table.shuffle(ms, account),
        "hint": lambda: table.hint(ms, account),
        "leave": lambda: table.leave(ms, account),
        "back": lambda: table.come_back(ms, account),
        "give_up": lambda: table.give_up(ms, account) if number % 40 == 0 else None,
    }
    return orders[act]()


@settings(max_examples=40, deadline=None)
@given(
    deal=st.sampled_from(DEALS),
    seats=st.integers(1, 5),
    pause=st.sampled_from([0, 5]),
    orders=st.lists(
        st.tuples(st.integers(0, 4), st.integers(1, 8_000), st.sampled_from(ACTS), st.integers(0, 10_000)),
        max_size=120,
    ),
)
def test_random_races_keep_every_rule(
    deal: object, seats: int, pause: int, orders: list[tuple[int, int, str, int]]
) -> None:
    """Boards lose pairs only, shuffled ones can be cleared, limits hold, events replay the state."""
    accounts = [UUID(int=0xA0 + n) for n in range(seats)]
    table = RaceTable.begun(accounts, deal, shuffle_pause_s=pause, rated=seats > 1)  # type: ignore[arg-type]
    ms = 0
    for number, after_ms, act, chosen in orders:
        ms += after_ms
        table.until(ms)
        if isinstance(table.state, Over):
            break
        seat = number % seats
        before = table.racer(seat)
        answer = _act(table, seat, accounts[seat], ms, act, chosen)
        _check(table, seat, before.tiles_left, answer)
    table.until(3_600_000)

    assert isinstance(table.state, Over)
    assert [end.place for end in table.ended.ends] == _competition(table.places)
    state = initial()
    for event in table.events:
        state = evolve(state, event)
    assert state == table.state


def _check(table: RaceTable, seat: int, tiles_before: int, answer: object) -> None:
    racer = table.racer(seat)
    board = racer.board
    if isinstance(answer, RaceRefusal | Paused) or answer is None:
        assert racer.tiles_left == tiles_before
    assert racer.tiles_left in {tiles_before, tiles_before - 2}
    assert racer.shuffles_used <= 3 and racer.hints_used <= 3
    assert racer.percent < 100 or not racer.tiles_left
    assert all(blockers(board.layout, board.present, t) is None for pair in board.pairs() for t in pair)
    if isinstance(answer, list) and any(isinstance(event, RaceBoardShuffled) for event in answer):
        found = solve(board.layout, board.faces, board.present, board.matching, PAIRING)
        assert isinstance(found, Solved)
        assert replay(board.layout, board.faces, board.present, found.certificate, board.matching, PAIRING)
    if isinstance(table.state, Racing):
        assert min(live_places(table.state.racers)) == 1


def _competition(places: list[int]) -> list[int]:
    """The places again, each counted anew: one more than there are better ones."""
    return [1 + sum(other < place for other in places) for place in places]
