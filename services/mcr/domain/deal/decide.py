"""Orders judged: the facts they bring about, or why they change nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from libs.rules.mcr.payment import payments
from libs.rules.mcr.wall import TILES
from services.mcr.domain.deal.actions import (
    Action,
    AddedKong,
    ConcealedKong,
    Discard,
    Win,
    tiles_of,
    tiles_wanted,
)
from services.mcr.domain.deal.commands import Act, Actor, ByAccount, ByAi, Command, Leave, Return
from services.mcr.domain.deal.drawing import draw, ended
from services.mcr.domain.deal.events import (
    ClaimAnswered,
    Event,
    KongAdded,
    KongDeclared,
    SeatLeft,
    SeatReturned,
)
from services.mcr.domain.deal.evolve import evolve
from services.mcr.domain.deal.judging import judge_answer, judge_kong
from services.mcr.domain.deal.refusal import Refusal, UnderEight
from services.mcr.domain.deal.scoring import Scorer, is_enough, score_of_draw, score_of_offered, winners
from services.mcr.domain.deal.settle import discarded, due_at, followed
from services.mcr.domain.deal.state import (
    AfterClaim,
    Dealing,
    Dealt,
    DiscardWindow,
    Ended,
    NotDealt,
    RobbingWindow,
    State,
    Table,
    Turn,
    Window,
)
from services.mcr.domain.deal.terms import Aborted, By, Source, WinKind, WinScore, Won
from services.mcr.domain.pauses import Outage

RETURNS_MAX: Final = 50
"""Of a seat in a deal, so that a stream has an end."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Deadlines have passed: settle first, then ask again."""

    due: datetime


Decision = list[Event] | Refusal | UnderEight | Unsettled


def decide(command: Command, state: State, scorer: Scorer, outages: tuple[Outage, ...] = ()) -> Decision:
    """Judge an order. Deadlines that have passed come first."""
    if isinstance(state, NotDealt):
        return Refusal.NOT_FOUND
    actor = command.actor if isinstance(command, Act) else ByAccount(command.account_id)
    seat = _seat(state.table, actor)
    if seat is None:
        return Refusal.NOT_YOURS
    due = due_at(state, command.at, outages)
    if due is not None:
        return Unsettled(due)
    at = max(command.at, state.table.last_at)
    match command:
        case Leave(reason=reason):
            if isinstance(state, Ended):
                return Refusal.MATCH_ENDED
            return Refusal.SEAT_AWAY if seat in state.table.away else [SeatLeft(seat, reason, at)]
        case Return():
            if isinstance(state, Ended):
                return Refusal.MATCH_ENDED
            return _return(state.table, seat, at)
        case Act():
            return _act(command, state, seat, at, scorer)


def abort(state: State, fault: str, at: datetime) -> list[Event]:
    """The end of a deal whose rules have failed: no points move, and other deals go on."""
    if isinstance(state, NotDealt | Ended):
        return []
    return ended(Aborted(fault), state, max(at, state.table.last_at))


def _seat(table: Table, actor: Actor) -> int | None:
    """The seat for which somebody may act."""
    match actor:
        case ByAccount(account_id=account_id):
            return table.seat_of(account_id)
        case ByAi(seat=seat):
            is_there = 0 <= seat < len(table.terms.occupants)
            return seat if is_there and table.is_played_by_ai(seat) else None


def _act(command: Act, state: Dealt, seat: int, at: datetime, scorer: Scorer) -> Decision:
    if not _is_well_formed(command.action):
        return Refusal.ACTION_INVALID
    if isinstance(state, Dealing):
        return Refusal.NOT_STARTED
    if isinstance(state, Ended):
        return Refusal.MATCH_ENDED
    is_person = isinstance(command.actor, ByAccount)
    if is_person and seat in state.table.away:
        return Refusal.SEAT_AWAY
    if command.expected_decision != state.table.decision:
        return Refusal.STALE_DECISION
    by = By.PLAYER if is_person else By.AI
    if isinstance(state, DiscardWindow | RobbingWindow):
        return _answer(state, seat, command.action, by, at, scorer)
    if state.seat != seat:
        return Refusal.NOT_YOUR_TURN
    return _turn(state, command.action, by, at, scorer)


def _return(table: Table, seat: int, at: datetime) -> Decision:
    """A person plays again; nothing for one who is there."""
    if seat not in table.away:
        return []
    return Refusal.RETURN_LIMIT if table.returns[seat] >= RETURNS_MAX else [SeatReturned(seat, at)]


def _is_well_formed(action: Action) -> bool:
    tiles = tiles_of(action)
    return (
        len(tiles) == tiles_wanted(action)
        and len(set(tiles)) == len(tiles)
        and all(0 <= tile < TILES for tile in tiles)
    )


def _turn(turn: Turn, action: Action, by: By, at: datetime, scorer: Scorer) -> Decision:
    table, seat = turn.table, turn.seat
    if isinstance(action, Discard):
        is_held = action.tile in table.hands[seat]
        return discarded(turn, action.tile, by, at, scorer) if is_held else Refusal.NO_SUCH_TILE
    if not isinstance(action, Win | ConcealedKong | AddedKong):
        return Refusal.NOTHING_TO_CLAIM
    if isinstance(turn, AfterClaim):
        return Refusal.DISCARD_FIRST
    if isinstance(action, Win):
        score = score_of_draw(turn, scorer)
        return _worth(score) or _self_drawn(turn, score, at)
    refusal = judge_kong(table, seat, action)
    if refusal is not None:
        return refusal
    if isinstance(action, AddedKong):
        return _added(turn, action, by, at, scorer)
    declared = KongDeclared(seat, tuple(sorted(action.tiles)), by, at)
    melded = evolve(turn, declared)
    assert isinstance(melded, AfterClaim), "the turn goes on"
    return [declared, *draw(melded, seat, Source.KONG, at, scorer)]


def _added(turn: Turn, action: AddedKong, by: By, at: datetime, scorer: Scorer) -> list[Event]:
    event = KongAdded(turn.seat, action.tile, by, (), at)
    window = evolve(turn, event)
    assert isinstance(window, RobbingWindow), "the others may rob it"
    return followed(turn, [replace(event, may_win=winners(window, scorer))], at, scorer)


def _self_drawn(turn: Turn, score: WinScore | None, at: datetime) -> list[Event]:
    assert score is not None, "it is enough"
    assert not isinstance(turn, AfterClaim), "a tile was drawn"
    paid = payments(score.total, turn.seat, None)
    return ended(Won(turn.seat, None, WinKind.SELF_DRAWN, turn.drawn, score, paid), turn, at)


def _answer(window: Window, seat: int, action: Action, by: By, at: datetime, scorer: Scorer) -> Decision:
    if seat == window.seat or isinstance(action, Discard | ConcealedKong | AddedKong):
        return Refusal.NOT_YOUR_TURN
    if window.answers[seat] is not None:
        return Refusal.ALREADY_ANSWERED
    if isinstance(action, Win):
        refusal = _worth(score_of_offered(window, seat, scorer))
        if refusal is not None:
            return refusal
    else:
        claim = judge_answer(window, seat, action)
        if isinstance(claim, Refusal):
            return claim
        action = claim
    return followed(window, [ClaimAnswered(seat, action, by, at)], at, scorer)


def _worth(score: WinScore | None) -> Refusal | UnderEight | None:
    """Why a hand may not be declared; None where it may."""
    if score is None:
        return Refusal.NOT_WINNING
    return None if is_enough(score) else UnderEight(score)
