"""What holds of every tournament, however it went."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from libs.rules.pairing.seating import table_sizes
from services.tournament.domain.tournament.commands import ScheduleTournament
from services.tournament.domain.tournament.events import TournamentScheduled
from services.tournament.domain.tournament.state import Cancelled, Finished
from services.tournament.domain.tournament.verifying import differences
from tests.support.tournament_model import PlainTournament
from tests.support.tournament_random_play import RandomTournament
from tests.support.tournaments import TournamentPlay

STREAM_MAX = 5_000


def check(tournament: RandomTournament) -> None:
    """Seats, TP, standing, prizes and the order of facts, against a plain model of the facts."""
    play = tournament.play
    plain = PlainTournament(play.events)
    _check_seats(plain)
    assert isinstance(play.state, Finished | Cancelled)
    assert plain.ends == 1
    assert all(one.occurred_at <= other.occurred_at for one, other in pairwise(play.events))
    assert len(play.events) <= STREAM_MAX
    assert plain.numbers == list(range(1, len(plain.numbers) + 1))
    if isinstance(play.state, Finished):
        assert plain.told == plain.standing
        assert [(line.player, line.points) for line in play.state.standing] == plain.standing
        assert {place: (one, goods) for place, one, goods in plain.paid.values()} == plain.due
        assert len(plain.paid) == len(plain.due)
    else:
        assert not plain.numbers
    assert differences(play.events) == []


def _check_seats(plain: PlainTournament) -> None:
    """In each round everybody who may be seated is, once; tables are as large as can be."""
    for seated in plain.seated:
        assert all(len(tables) == 1 for tables in seated.values())
        tables = {table for (table,) in seated.values()}
        assert sorted(map(len, tables), reverse=True) == list(table_sizes(len(seated)))
        assert Counter(player for table in tables for player in table) == dict.fromkeys(seated, 1)


def settled_late(tournament: RandomTournament) -> TournamentPlay:
    """The same commands to a tournament that nobody settles in between: each finds due what it finds."""
    scheduled = tournament.play.events[0]
    assert isinstance(scheduled, TournamentScheduled)
    play = TournamentPlay(scheduled.plan.terms, weekly=tournament.play.weekly)
    assert play.give(ScheduleTournament(scheduled.plan, play.now)) == []
    for command in tournament.commands:
        play.now = command.at
        play.give(command)
    play.wait(tournament.second)
    return play
