"""A race run again: its events give the orders and the instants, the rules decide anew what follows.

Moves of the CPU give orders as those of people do: how well it plays may change, what it did may not. A
shuffle drew chance that no event holds: it is taken as stored, where it keeps the faces that were left and
brings a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import matches
from services.match.domain.pauses import Outage
from services.match.domain.race import events as ev
from services.match.domain.race.commands import (
    By,
    ComeBack,
    Command,
    Cpu,
    GiveUp,
    GoAway,
    Hint,
    RemovePair,
    Shuffle,
    TouchTile,
)
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.decide import NewArrangement, Outside, decide
from services.match.domain.race.evolve import evolve, initial
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import is_rated
from services.match.domain.race.settle import settle
from services.match.domain.race.state import NotDealt, Over, RaceBoard, Racing, State
from services.match.wire.race_codec import RaceCodec

Ratings = Mapping[UUID, Rating]
_CODEC = RaceCodec()


def rerun_race(events: Sequence[ev.Event], before: Ratings) -> str | None:
    """Run a finished race again; return where it first comes otherwise than stored.

    `before` holds the ratings ahead of a rated race; who is absent had none.
    """
    dealt = events[0]
    if not isinstance(dealt, ev.RaceDealt) or not _is_dealt_rightly(dealt):
        return "event 1: boards do not follow from their seeds, or the race may not count for ratings"
    state = evolve(initial(), dealt)
    outages: tuple[Outage, ...] = ()
    done = 1
    while done < len(events):
        event = events[done]
        if isinstance(event, ev.ClockPaused):
            outages = (*outages, Outage(event.since, event.until))
        following = events[done + 1] if done + 1 < len(events) else None
        made = _made(state, event, following, Outside(outages, ratings=before))
        if not made:
            return f"event {done + 1}: nothing brings about {event}"
        for each, stored in zip(made, events[done:], strict=False):
            done += 1
            if _CODEC.encode(each) != _CODEC.encode(stored) or each.occurred_at != stored.occurred_at:
                return f"event {done}: {each} comes out, stored is {stored}"
            state = evolve(state, each)
    return None if isinstance(state, Over) else f"event {done}: the race does not end"


def _is_dealt_rightly(dealt: ev.RaceDealt) -> bool:
    persons = sum(seat.account_id is not None for seat in dealt.seats)
    may_count = is_rated(dealt.settings, persons, len(dealt.seats) - persons, wanted=True)
    made = tuple(deal_race(dealt.settings, deal.difficulty, deal.seed, deal.nonce) for deal in dealt.deals)
    return made == dealt.deals and (may_count or not dealt.rated)


def _made(state: State, event: ev.Event, following: ev.Event | None, outside: Outside) -> list[ev.Event]:
    """What the order behind an event brings about, or what is due at its instant; nothing on a refusal."""
    if following is not None and isinstance(event, ev.RaceSeatBack) and _goes_on(event, following):
        return _made(state, following, None, outside)
    seat = getattr(event, "seat", None)
    if seat is None:
        return settle(state, event.occurred_at, outside.outages, outside.ratings)
    if isinstance(state, NotDealt) or not 0 <= seat < len(state.race.seats):
        return []
    command = _order(state, seat, event)
    if command is None:
        return []
    if isinstance(event, ev.RaceBoardShuffled) and isinstance(state, Racing):
        board = state.racers[seat].board
        if not _may_come_of(board, event):
            return []
        arrangement = NewArrangement(board, event.faces, event.present, event.moved)
        outside = Outside(outside.outages, arrangement, outside.ratings)
    decided = decide(command, state, outside)
    return decided if isinstance(decided, list) else []


def _goes_on(back: ev.RaceSeatBack, following: ev.Event) -> bool:
    """Whether the seat came back by a move, which stands behind it."""
    return (
        isinstance(following, ev.Move | ev.RaceSeatGaveUp)
        and (following.seat, following.occurred_at) == (back.seat, back.occurred_at)
        and not getattr(following, "by_cpu", False)
    )


def _order(state: State, seat: int, event: ev.Event) -> Command | None:
    """The order that an event answers; None where there can be none."""
    assert not isinstance(state, NotDealt), "a seat has a race"
    account, at = state.race.seats[seat].account_id, event.occurred_at
    if account is None or getattr(event, "by_cpu", False):
        is_move = isinstance(event, ev.RacePairRemoved | ev.RaceBoardShuffled | ev.RaceHintShown)
        return _move(state, seat, Cpu(seat), event) if is_move and isinstance(state, Racing) else None
    match event:
        case ev.RaceSeatAway():
            return GoAway(account, at)
        case ev.RaceSeatBack():
            return ComeBack(account, at)
        case ev.RaceSeatGaveUp():
            return GiveUp(account, at)
        case _:
            return _move(state, seat, account, event) if isinstance(state, Racing) else None


def _move(state: Racing, seat: int, by: By, event: ev.Event) -> Command | None:
    version, at, board = state.racers[seat].board_version, event.occurred_at, state.racers[seat].board
    match event:
        case ev.RacePairRemoved(first=first, second=second):
            return RemovePair(by, first, second, version, at)
        case ev.RaceTileTouched(tile=tile, not_same=True):
            other = _other_kind(board, tile)
            return None if other is None else RemovePair(by, other, tile, version, at)
        case ev.RaceTileTouched(tile=tile):
            return TouchTile(by, tile, version, at)
        case ev.RaceBoardShuffled():
            return Shuffle(by, version, at)
        case ev.RaceHintShown():
            return Hint(by, version, at)
        case _:
            return None


def _other_kind(board: RaceBoard, tile: int) -> int | None:
    """A free tile that does not match: with it the two were touched."""
    if not 0 <= tile < board.layout.size:
        return None
    free = (other for other in bits(board.free) if other != tile)
    return next(
        (other for other in free if not matches(board.matching, board.faces[other], board.faces[tile])), None
    )


def _may_come_of(board: RaceBoard, shuffled: ev.RaceBoardShuffled) -> bool:
    """Whether a shuffle kept the faces that were left, and their places unless it says otherwise."""
    size = board.layout.size
    if len(shuffled.faces) != size or shuffled.present >> size:
        return False
    before = Counter(board.faces[tile] for tile in bits(board.present))
    after = Counter(shuffled.faces[tile] for tile in bits(shuffled.present))
    laid = RaceBoard(board.layout, shuffled.faces, shuffled.present, board.matching)
    return before == after and laid.pair_available and (shuffled.moved or shuffled.present == board.present)
