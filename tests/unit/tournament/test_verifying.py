"""Tournaments worked out anew from their facts: sound ones hold, and whatever is changed in one is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest

from services.tournament.domain.tournament.events import (
    Event,
    PlayerRegistered,
    PlayerWithdrew,
    PrizesAwarded,
    PrizesRevoked,
    RegistrationOpened,
    ResultVoided,
    RoundEnded,
    RoundSeated,
    StandingCorrected,
    TablePlayed,
    TournamentCancelled,
    TournamentClosing,
    TournamentFinished,
    TournamentScheduled,
    TournamentStarted,
)
from services.tournament.domain.tournament.state import Finished
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.verifying import differences
from services.tournament.domain.tournament.words import Cancelling, Ending, Line
from tests.support.tournaments import ABSENT, CHAMPIONS, TERMS, TournamentPlay, account, after, scored

E = TypeVar("E", bound=Event)
Changed = Callable[[list[Event]], list[Event]]
MOMENT = timedelta(microseconds=1)


def told() -> list[Event]:
    """Two rounds of a champions tournament, cut by its end; the winner's first result is voided after it."""
    terms = replace(CHAMPIONS, duration=timedelta(seconds=100))
    play = TournamentPlay(terms, weekly=lambda _: 250).started(17)
    play.wait(30)
    play.withdraw(5)
    play.report_all({player: scored(1_000 - player, cleared=False) for player in range(1, 17)})
    play.wait(100)
    play.report_all({player: scored(player) for player in range(1, 17)}, cut=True)
    winner, (first, _second) = next(iter(play.points)), play.shaped(Finished).field.rounds
    table = next(number for number, row in enumerate(first.tables) if winner in row.table.players)
    play.void(1, table, (winner,))
    return play.events


def changed(kind: type[E], change: Callable[[E], Event], which: int = 0) -> Changed:
    """Facts in which one of a kind is another one."""

    def change_in(events: list[Event]) -> list[Event]:
        place = [number for number, event in enumerate(events) if isinstance(event, kind)][which]
        one = events[place]
        assert isinstance(one, kind)
        return [*events[:place], change(one), *events[place + 1 :]]

    return change_in


def without(kind: type[Event], which: int = 0) -> Changed:
    """Facts without one of a kind."""

    def leave_out(events: list[Event]) -> list[Event]:
        place = [number for number, event in enumerate(events) if isinstance(event, kind)][which]
        return [*events[:place], *events[place + 1 :]]

    return leave_out


def twice(kind: type[Event], which: int = 0) -> Changed:
    """Facts in which one of a kind stands twice."""

    def repeat(events: list[Event]) -> list[Event]:
        place = [number for number, event in enumerate(events) if isinstance(event, kind)][which]
        return [*events[: place + 1], *events[place:]]

    return repeat


def other_tp(event: TablePlayed) -> TablePlayed:
    """A point more for the first seat."""
    first, *rest = event.ends
    return replace(event, ends=(replace(first, points=first.points + 1), *rest))


def other_place(event: TablePlayed) -> TablePlayed:
    """A place more for the first seat."""
    first, *rest = event.ends
    return replace(event, ends=(replace(first, place=first.place % 4 + 1), *rest))


def swapped(event: RoundSeated) -> RoundSeated:
    """Two players change their tables."""
    first, second, *rest = event.tables
    (one, *others), (other, *more) = first.players, second.players
    tables = (replace(first, players=(other, *others)), replace(second, players=(one, *more)), *rest)
    return replace(event, tables=tables)


def richer(event: PrizesAwarded) -> PrizesAwarded:
    """The first prize is a point larger."""
    first, *rest = event.awards
    goods = replace(first.goods, points=first.goods.points + 1)
    return replace(event, awards=(replace(first, goods=goods), *rest))


FAULTS: dict[str, Changed] = {
    "too many points": changed(TablePlayed, other_tp),
    "too many points later": changed(TablePlayed, other_tp, 7),
    "another place": changed(TablePlayed, other_place),
    "another score": changed(TablePlayed, lambda e: replace(e, ends=tuple(reversed(e.ends)))),
    "another match": changed(TablePlayed, lambda e: replace(e, match_id=UUID(int=1))),
    "another seating": changed(RoundSeated, swapped),
    "another seating later": changed(RoundSeated, swapped, 1),
    "another multiplier": changed(RoundSeated, lambda e: replace(e, multiplier=6)),
    "a round too early": changed(RoundSeated, lambda e: replace(e, occurred_at=e.occurred_at - MOMENT), 1),
    "another seed": changed(TournamentStarted, lambda e: replace(e, seed=bytes(32))),
    "another end of a round": changed(RoundEnded, lambda e: replace(e, next_at=after(41))),
    "another standing": changed(TournamentFinished, lambda e: replace(e, standing=e.standing[::-1])),
    "a point in the standing": changed(
        TournamentFinished,
        lambda e: replace(e, standing=(Line(e.standing[0].player, 999), *e.standing[1:])),
    ),
    "another reason": changed(TournamentFinished, lambda e: replace(e, reason=Ending.ROUNDS)),
    "a larger prize": changed(PrizesAwarded, richer),
    "a prize for another": changed(
        PrizesAwarded,
        lambda e: replace(e, awards=(replace(e.awards[0], account_id=account(9)), *e.awards[1:])),
    ),
    "a prize less": changed(PrizesAwarded, lambda e: replace(e, awards=e.awards[:-1])),
    "a prize number used again": changed(
        PrizesAwarded, lambda e: replace(e, awards=(replace(e.awards[0], number=1), *e.awards[1:])), 1
    ),
    "no prizes": without(PrizesAwarded),
    "prizes twice": twice(PrizesAwarded),
    "prizes not taken back": without(PrizesRevoked),
    "no correction": without(StandingCorrected),
    "another correction": changed(StandingCorrected, lambda e: replace(e, standing=e.standing[::-1])),
    "voided at no table": changed(ResultVoided, lambda e: replace(e, table=9)),
    "a table left out": without(TablePlayed),
    "a table twice": twice(TablePlayed),
    "a round left out": without(RoundSeated, 1),
    "no closing": without(TournamentClosing),
    "a closing too late": changed(
        TournamentClosing, lambda e: replace(e, occurred_at=e.occurred_at + MOMENT)
    ),
    "never opened": without(RegistrationOpened),
    "a registration left out": without(PlayerRegistered),
    "a registration twice": twice(PlayerRegistered),
    "another number": changed(PlayerRegistered, lambda e: replace(e, player=e.player + 1), 3),
    "too few prize points": changed(PlayerRegistered, lambda e: replace(e, prize_points=199)),
    "nobody asked the ledger": changed(PlayerRegistered, lambda e: replace(e, prize_points=None)),
    "a withdrawal of nobody": changed(PlayerWithdrew, lambda e: replace(e, account_id=account(99))),
    "impossible terms": changed(
        TournamentScheduled,
        lambda e: replace(e, plan=replace(e.plan, terms=replace(e.plan.terms, rounds=(7,)))),
    ),
    "another prize in the terms": changed(
        TournamentScheduled,
        lambda e: replace(
            e,
            plan=replace(
                e.plan,
                terms=replace(e.plan.terms, prizes=(replace(e.plan.terms.prizes[0], points=1), Prize(2))),
            ),
        ),
    ),
    "cancelled at the start": changed(
        TournamentStarted, lambda e: TournamentCancelled(Cancelling.TOO_FEW, None, e.occurred_at)
    ),
    "no beginning": without(TournamentScheduled),
}


def test_the_facts_of_a_tournament_are_what_the_rules_make_of_it() -> None:
    """At any point of it."""
    events = told()

    assert all(differences(events[:cut]) == [] for cut in range(len(events) + 1))
    assert {type(event) for event in events} >= {
        TablePlayed,
        PlayerWithdrew,
        PrizesRevoked,
        StandingCorrected,
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    """Wherever it is."""
    events = told()
    faulty = FAULTS[fault](events)

    assert faulty != events
    assert len(differences(faulty)) == 1


def test_a_difference_is_told_by_fact_and_field() -> None:
    """So that an operator knows where to look."""
    play = TournamentPlay(replace(TERMS, rounds=(1,))).started(2)
    play.report_all({1: scored(5), 2: ABSENT})
    faulty = changed(TournamentFinished, lambda e: replace(e, reason=Ending.TIME))(play.events)
    place = faulty.index(next(event for event in faulty if isinstance(event, TournamentFinished))) + 1

    assert differences(faulty) == [
        f"fact {place}: TournamentFinished has reason {Ending.TIME!r} where the rules say {Ending.ROUNDS!r}"
    ]


def test_what_operators_did_is_taken_as_it_is_told() -> None:
    """An early end and a cancelling hold; without a ground neither does."""
    ended, cancelled = TournamentPlay().started(4), TournamentPlay().started(4)
    ended.end_early()
    ended.report_all({}, cut=True)
    cancelled.cancel()

    for events in (ended.events, cancelled.events):
        assert differences(events) == []
    assert differences(changed(TournamentClosing, lambda e: replace(e, ground=None))(ended.events)) != []
    assert (
        differences(changed(TournamentCancelled, lambda e: replace(e, ground=None))(cancelled.events)) != []
    )
