"""What deadlines decide in a deal, in their order, and what follows where a window is certain."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from libs.rules.mcr.payment import payments
from libs.rules.mcr.wall import SEATS, TileId
from services.mcr.domain.deal.actions import Kong, Pass, Win
from services.mcr.domain.deal.drawing import draw, ended, first_turn
from services.mcr.domain.deal.events import ClaimAnswered, ClockPaused, Event, TileClaimed, TileDiscarded
from services.mcr.domain.deal.evolve import evolve
from services.mcr.domain.deal.scoring import Scorer, score_of_offered, winners
from services.mcr.domain.deal.state import (
    AfterClaim,
    AfterDraw,
    Dealing,
    DiscardWindow,
    Ended,
    NotDealt,
    Open,
    RobbingWindow,
    State,
    Turn,
    Window,
)
from services.mcr.domain.deal.terms import By, Drawn, DrawReason, Source, WinKind, Won
from services.mcr.domain.deal.windows import best_claim, is_certain, pending
from services.mcr.domain.pauses import Outage, unsettled


def next_deadline(state: State) -> datetime | None:
    """When time decides something unless somebody acts; None once the deal is over."""
    if isinstance(state, NotDealt | Ended):
        return None
    table = state.table
    limits = table.terms.limits
    match state:
        case Dealing():
            return table.since + table.terms.pause
        case AfterDraw() | AfterClaim():
            return table.since + limits.turn
        case DiscardWindow() | RobbingWindow():
            return table.since + (state.hold if is_certain(state) else limits.claim)


def settle(state: State, now: datetime, scorer: Scorer, outages: tuple[Outage, ...] = ()) -> list[Event]:
    """The facts due at `now`. What was due before an outage began comes before its pause, the rest after."""
    events: list[Event] = []
    for outage in _unsettled(state, outages, now):
        state = _run(state, outage.since, scorer, events)
        if isinstance(state, NotDealt | Ended):
            break  # it was over before
        paused = ClockPaused(outage.since, outage.until, max(outage.until, state.table.last_at))
        events.append(paused)
        state = evolve(state, paused)
    _run(state, now, scorer, events)
    return events


def due_at(state: State, now: datetime, outages: tuple[Outage, ...] = ()) -> datetime | None:
    """The instant of the first thing that is due at `now`, a pause included; None when nothing is."""
    deadline = next_deadline(state)
    if deadline is None:
        return None
    pauses = _unsettled(state, outages, now)
    if deadline <= (pauses[0].since if pauses else now):
        return deadline
    return pauses[0].until if pauses else None


def discarded(turn: Turn, tile: TileId, by: By, at: datetime, scorer: Scorer) -> list[Event]:
    """A discard, who may win with it found out, and what follows where nobody can claim it."""
    event = TileDiscarded(turn.seat, tile, by, (), at)
    window = evolve(turn, event)
    assert isinstance(window, DiscardWindow), "the others may claim it"
    return followed(turn, [replace(event, may_win=winners(window, scorer))], at, scorer)


def followed(state: State, events: list[Event], at: datetime, scorer: Scorer) -> list[Event]:
    """The facts, and what a window comes to that is certain and has been held long enough by then."""
    for event in events:
        state = evolve(state, event)
    while isinstance(state, DiscardWindow | RobbingWindow) and _is_over(state, at):
        found = _resolved(state, at, scorer)
        events = [*events, *found]
        for event in found:
            state = evolve(state, event)
    return events


def _is_over(window: Window, at: datetime) -> bool:
    return is_certain(window) and window.table.since + window.hold <= at


def _resolved(window: Window, at: datetime, scorer: Scorer) -> list[Event]:
    """What becomes of the tile of a window whose answers are in."""
    best = best_claim(window)
    if best is None:
        return _unclaimed(window, at, scorer)
    seat, claim = best
    if isinstance(claim, Win):
        return _won(window, seat, at, scorer)
    claimed = TileClaimed(seat, claim, at)
    if not isinstance(claim, Kong):
        return [claimed]
    melded = evolve(window, claimed)
    assert isinstance(melded, AfterClaim), "a kong is claimed in one's turn"
    return [claimed, *draw(melded, seat, Source.KONG, at, scorer)]


def _unclaimed(window: Window, at: datetime, scorer: Scorer) -> list[Event]:
    if isinstance(window, RobbingWindow):
        return draw(window, window.seat, Source.KONG, at, scorer)
    if window.table.wall_left == 0:
        return ended(Drawn(DrawReason.WALL), window, at)
    return draw(window, (window.seat + 1) % SEATS, Source.WALL, at, scorer)


def _won(window: Window, seat: int, at: datetime, scorer: Scorer) -> list[Event]:
    score = score_of_offered(window, seat, scorer)
    assert score is not None, "it was complete when it was declared"
    kind = WinKind.ROBBED_KONG if isinstance(window, RobbingWindow) else WinKind.DISCARD
    paid = payments(score.total, seat, window.seat)
    return ended(Won(seat, window.seat, kind, window.tile, score, paid), window, at)


def _unsettled(state: State, outages: tuple[Outage, ...], now: datetime) -> list[Outage]:
    """The outages to be taken out of the clocks yet."""
    if isinstance(state, NotDealt | Ended):
        return []
    return unsettled(outages, state.table.paused_until, now)


def _run(state: State, until: datetime, scorer: Scorer, events: list[Event]) -> State:
    """Add what is due up to an instant; return the state after it."""
    while (deadline := next_deadline(state)) is not None and deadline <= until:
        assert not isinstance(state, NotDealt | Ended), "it has a deadline"
        for event in _decided(state, max(deadline, state.table.last_at), scorer):
            events.append(event)
            state = evolve(state, event)
    return state


def _decided(state: Open, at: datetime, scorer: Scorer) -> list[Event]:
    match state:
        case Dealing():
            return first_turn(state, at, scorer)
        case AfterDraw(seat=seat, drawn=drawn):
            return discarded(state, drawn, By.TIME, at, scorer)
        case AfterClaim(table=table, seat=seat):
            return discarded(state, table.hands[seat][-1], By.TIME, at, scorer)
        case DiscardWindow() | RobbingWindow():
            late: list[Event] = [ClaimAnswered(seat, Pass(), By.TIME, at) for seat in pending(state)]
            return followed(state, late, at, scorer)
