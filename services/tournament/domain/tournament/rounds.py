"""How rounds begin, and how they and the tournament end; what prizes that brings."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from libs.eventsourcing.ids import derived_id
from libs.rules.pairing.seating import seated
from libs.rules.solitaire.prng import Prng
from services.tournament.domain.tournament.events import (
    Event,
    PrizesAwarded,
    PrizesRevoked,
    RoundEnded,
    RoundSeated,
    StandingCorrected,
    TournamentClosing,
    TournamentFinished,
)
from services.tournament.domain.tournament.evolve import evolve
from services.tournament.domain.tournament.standing import (
    is_seatable,
    met,
    prizes_of,
    seatable,
    standing_of,
)
from services.tournament.domain.tournament.state import (
    Break,
    Counting,
    Existing,
    Field,
    Finished,
    Playing,
    Starting,
    State,
)
from services.tournament.domain.tournament.words import Award, Ending, Ground, Line, Table


def seating(state: Starting | Break, at: datetime) -> RoundSeated:
    """The next round. The first is drawn by the seed, out of those registered; then neighbours meet."""
    field = state.field
    if isinstance(state, Starting):
        order = Prng(state.seed).shuffled(sorted(field.entrants))
    else:
        order = list(seatable(field))
    number = len(field.rounds) + 1
    tables = tuple(
        Table(match_id(field.plan.tournament_id, number, place, at), players)
        for place, players in enumerate(seated(order, met(field)))
    )
    return RoundSeated(number, field.terms.rounds[number - 1], tables, field.plan.ends_at, at)


def match_id(tournament_id: UUID, round_number: int, table: int, at: datetime) -> UUID:
    """The match of a table: the same for whoever seats it, so that it is made once."""
    return derived_id(at, "tournament", str(tournament_id), str(round_number), str(table))


def following(state: Existing, at: datetime) -> list[Event]:
    """What must follow at once: the end of a round whose tables are over, and that of the tournament.

    With one player left who may be seated it ends, standing as it is.
    """
    match state:
        case Playing() if state.field.rounds[-1].is_over:
            return _round_over(state.field, at)
        case Playing() if _is_few(state.field):
            return [TournamentClosing(Ending.ONE_LEFT, None, at)]
        case Break() if _is_few(state.field):
            return close(state, Ending.ONE_LEFT, None, at)
        case Counting(reason=reason) if state.field.rounds[-1].is_over:
            return _finish(state.field, reason, at)
        case _:
            return []


def close(state: Playing | Break, reason: Ending, ground: Ground | None, at: datetime) -> list[Event]:
    """The end has come: at once where no table is played, else when the last has reported."""
    closing = TournamentClosing(reason, ground, at)
    return [closing, *following(Counting(state.field, reason), at)]


def correction(state: Finished, at: datetime) -> list[Event]:
    """What a changed result changes: the standing, and the prizes of places that others hold now."""
    standing = standing_of(state.field)
    if standing == state.standing:
        return []
    wanted = _wanted(state.field, standing)
    held = {(award.place, award.account_id, award.goods) for award in state.awards}
    kept = {(award.place, award.account_id, award.goods) for award in wanted}
    gone = tuple(a for a in state.awards if (a.place, a.account_id, a.goods) not in kept)
    new = [award for award in wanted if (award.place, award.account_id, award.goods) not in held]
    events: list[Event] = [StandingCorrected(standing, at)]
    if gone:
        events.append(PrizesRevoked(gone, state.finished_at, at))
    if new:
        events.append(PrizesAwarded(_numbered(new, state.awards_made), state.finished_at, at))
    return events


def evolved(state: State, events: list[Event]) -> State:
    """The state after several facts."""
    for event in events:
        state = evolve(state, event)
    return state


def _is_few(field: Field) -> bool:
    return sum(is_seatable(field, player) for player in field.entrants) < 2


def _round_over(field: Field, at: datetime) -> list[Event]:
    number = len(field.rounds)
    if number == len(field.terms.rounds):
        return [RoundEnded(number, None, at), *_finish(field, Ending.ROUNDS, at)]
    if _is_few(field):
        closing = TournamentClosing(Ending.ONE_LEFT, None, at)
        return [RoundEnded(number, None, at), closing, *_finish(field, Ending.ONE_LEFT, at)]
    ends = [row.ended_at for row in field.rounds[-1].tables if row.ended_at is not None]
    return [RoundEnded(number, max(ends) + field.terms.times.pause, at)]


def _finish(field: Field, reason: Ending, at: datetime) -> list[Event]:
    standing = standing_of(field)
    events: list[Event] = [TournamentFinished(reason, standing, at)]
    awards = _numbered(_wanted(field, standing), 0)
    return [*events, PrizesAwarded(awards, at, at)] if awards else events


def _wanted(field: Field, standing: tuple[Line, ...]) -> list[Award]:
    prizes = prizes_of(field.terms, standing)
    return [
        Award(0, place, player, field.entrants[player].account_id, goods)
        for place, (player, goods) in prizes.items()
    ]


def _numbered(awards: list[Award], made: int) -> tuple[Award, ...]:
    """Awards under the next numbers."""
    return tuple(
        Award(number, award.place, award.player, award.account_id, award.goods)
        for number, award in enumerate(awards, made + 1)
    )
