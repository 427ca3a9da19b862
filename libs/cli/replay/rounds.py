"""A round run again: its events give the orders and the instants, the rules decide anew what follows.

What was asked outside (a solver's verdict, a joker's partner, outages) is stored in the events and taken from
there; everything else must come out the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe, deal_recipe
from services.match.commands import GiveUpJoker, Leave, PutBack, TakeJoker, Touch, UseJoker
from services.match.domain.partner import Partner
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.commands import Command
from services.match.domain.rivals.decide import Outside, decide
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.settle import cut, settle
from services.match.domain.rivals.state import Dealt, NotDealt, Playing, State
from services.match.domain.rivals.terms import EndReason, Judged, OutReason, RoundDeal
from services.match.wire.round_codec import encoded

_NOBODY: Final = UUID(int=0)


@dataclass(frozen=True)
class RerunRound:
    """The state that a round came to, and where it first came otherwise than it is stored, if it did."""

    state: State
    difference: str | None


def rerun_round(events: Sequence[ev.Event]) -> RerunRound:
    """Run a round again as far as its events go; `events` begin with its dealing."""
    state = evolve(initial(), events[0])
    assert not isinstance(state, NotDealt), "a round begins with its dealing"
    if not _follows_from_seed(state.round.deal):
        return RerunRound(state, "event 1: the faces do not follow from the seed")
    outages: tuple[Outage, ...] = ()
    done = 1
    while done < len(events):
        event = events[done]
        if isinstance(event, ev.ClockPaused):
            outages = (*outages, Outage(event.since, event.until))
        made = _made(state, event, outages)
        if not made:
            return RerunRound(state, f"event {done + 1}: nothing brings about {event}")
        for each, stored in zip(made, events[done:], strict=False):
            done += 1
            if encoded(each) != encoded(stored) or each.occurred_at != stored.occurred_at:
                return RerunRound(state, f"event {done}: {each} comes out, stored is {stored}")
            after = evolve(state, each)
            assert not isinstance(after, NotDealt), "what was dealt stays dealt"
            state = after
    return RerunRound(state, None)


def _follows_from_seed(deal: RoundDeal) -> bool:
    recipe = Recipe(deal.layout.name, deal.distinct_faces)
    is_committed = commitment(deal.nonce, deal.catalogue_version, recipe, deal.seed) == deal.commitment
    return is_committed and deal_recipe(recipe, deal.seed).faces == deal.faces


def _made(state: Dealt, event: ev.Event, outages: tuple[Outage, ...]) -> list[ev.Event]:
    """What the order behind an event brings about, or what is due at its instant; nothing on a refusal."""
    command = _order(state, event)
    if command is None:
        due = settle(state, event.occurred_at, outages)
        is_cut = isinstance(event, ev.RoundEnded) and event.reason is EndReason.CUT
        return due if due or not is_cut else cut(state, event.occurred_at, outages)
    decided = decide(command, state, Outside(outages, _judged(state, event), _partner(state, event)))
    return decided if isinstance(decided, list) else []


def _order(state: Dealt, event: ev.Event) -> Command | None:
    """The order that an event answers; None for what deadlines bring about."""
    seat = getattr(event, "seat", None)
    if seat is None:
        return None
    account = state.round.accounts[seat] if seat < len(state.round.accounts) else _NOBODY
    at = event.occurred_at
    version = state.players[seat].board.board_version if isinstance(state, Playing) else 0
    match event:
        case (
            ev.SeatLiftedTile(tile=tile) | ev.SeatTouchedNotSame(tile=tile) | ev.SeatTouchedBlocked(tile=tile)
        ):
            return Touch(account, tile, version, at)
        case ev.SeatPutTileBack():
            return PutBack(account, version, at)
        case ev.SeatRemovedPair(second=second):
            return Touch(account, second, version, at)
        case ev.JokerRequested():
            return UseJoker(account, version, at)
        case ev.JokerUsed(number=number):
            return TakeJoker(account, number, at)
        case ev.JokerGivenUp(number=number, reason=reason):
            return GiveUpJoker(account, number, reason, at)
        case ev.SeatWentOut(reason=OutReason.LEFT):
            return Leave(account, at)
        case _:
            return None


def _judged(state: Dealt, event: ev.Event) -> Judged | None:
    """The stored verdict about a pair, as the solver gave it."""
    if not isinstance(event, ev.SeatRemovedPair) or not isinstance(state, Playing):
        return None
    both, verdict = (min(event.first, event.second), max(event.first, event.second)), event.verdict
    present = state.players[event.seat].board.position.present
    crucial = both if verdict.crucial else None
    return Judged(present, crucial, verdict.undecided, verdict.nodes, verdict.kernel)


def _partner(state: Dealt, event: ev.Event) -> Partner | None:
    """The stored choice of a joker's partner."""
    if not isinstance(event, ev.JokerRequested) or not isinstance(state, Playing):
        return None
    present = state.players[event.seat].board.position.present
    return Partner(present, event.first, event.second)
