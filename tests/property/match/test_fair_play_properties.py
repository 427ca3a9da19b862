"""Figures of random rounds against a naive recount from the log."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.catalogue import layout
from libs.rules.solitaire.levels import Recipe, deal_recipe
from services.match.domain.fair_play.counts import BOUNDS_MS, Counts, PlayMode
from services.match.domain.fair_play.tally import played_round
from services.match.domain.position import Position
from services.match.domain.rivals.events import (
    Event,
    JokerUsed,
    RoundEnded,
    RoundStarted,
    SeatLiftedTile,
    SeatPutTileBack,
    SeatRemovedPair,
    SeatTouchedBlocked,
    SeatTouchedNotSame,
)
from services.match.domain.rivals.state import Over, Playing
from tests.support.attempts import ANA, BEN
from tests.support.rounds import Table

TOUCHES = (SeatLiftedTile, SeatPutTileBack, SeatTouchedNotSame, SeatTouchedBlocked, SeatRemovedPair)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 40), data=st.data())
def test_the_figures_of_random_rounds_are_those_of_a_naive_recount(seed: int, data: st.DataObject) -> None:
    """Pace, touches, choices: seat by seat, whatever was touched, taken by joker, left or run out of."""
    dealt = deal_recipe(Recipe("egg", 4), seed.to_bytes(32, "big"))
    table, now = Table.begun(layout("egg"), " ".join(dealt.faces)), 0
    solution = {0: list(dealt.certificate), 1: list(dealt.certificate)}
    for _ in range(data.draw(st.integers(1, 60))):
        now += data.draw(st.sampled_from([0, 99, 100, 249, 250, 300, 2_000, 9_000]))
        table.until(now)
        if isinstance(table.state, Over):
            break
        _step(table, solution, now, data)
    table.until(400_000)

    found = {each.account_id: each for each in played_round(table.events)}
    for seat, account_id in enumerate((ANA, BEN)):
        counts = _recount(table.events, seat)
        if counts.touches:
            assert found[account_id].counts == counts
            assert (found[account_id].mode, found[account_id].hard) == (PlayMode.QUICK_MATCH, False)
        else:
            assert account_id not in found


def _step(table: Table, solution: dict[int, list[tuple[int, int]]], now: int, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, 1))
    assert isinstance(table.state, Playing)
    player = table.state.players[seat]
    position: Position = player.board.position
    what = data.draw(st.sampled_from(["pair", "pair", "pair", "touch", "joker"]))
    if what == "pair" and solution[seat] and player.out is None and player.board.lifted is None:
        first, second = solution[seat][0]
        if position.present >> first & 1 and position.present >> second & 1:
            table.touch(seat, first, now)
            table.touch(seat, second, now, crucial=data.draw(st.booleans()))
        solution[seat].pop(0)
    elif what == "joker":
        asked = table.use_joker(seat, now)
        if isinstance(asked, list):
            table.joker_spent(seat, asked[0].number, now)  # type: ignore[union-attr]
    else:
        table.touch(seat, data.draw(st.integers(0, position.layout.size - 1)), now)


def _recount(events: list[Event], seat: int) -> Counts:
    """The slow way: a list of everything, looked through again for every question."""
    own = [event for event in events if getattr(event, "seat", None) == seat]
    (signal,) = [event for event in events if isinstance(event, RoundStarted)]
    (ended,) = [event for event in events if isinstance(event, RoundEnded)]
    removals = [event for event in own if isinstance(event, SeatRemovedPair | JokerUsed)]
    pace = [0] * (len(BOUNDS_MS) + 1)
    for index, event in enumerate(removals):
        if isinstance(event, SeatRemovedPair):
            before = removals[index - 1].occurred_at if index else signal.occurred_at
            took_ms = (event.occurred_at - before) / timedelta(milliseconds=1)
            pace[sum(bound <= took_ms for bound in BOUNDS_MS)] += 1
    pairs = [event for event in removals if isinstance(event, SeatRemovedPair)]
    missed = 0
    for index, event in enumerate(removals):
        is_last = index == len(removals) - 1
        ends_stretch = isinstance(removals[index + 1], JokerUsed) if not is_last else True
        cleared = is_last and ended.seats[seat].cleared
        if isinstance(event, SeatRemovedPair) and ends_stretch and not cleared:
            missed += not event.verdict.crucial
    touches = [event for event in own if isinstance(event, TOUCHES)]
    return Counts(
        games=1 if touches else 0,
        pairs=len(pairs),
        pace=tuple(pace),
        touches=len(touches),
        blocked=len([event for event in own if isinstance(event, SeatTouchedBlocked)]),
        found=len([event for event in pairs if event.verdict.crucial]),
        missed=missed,
    )
