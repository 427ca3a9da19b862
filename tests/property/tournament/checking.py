"""What holds of every tournament, however it went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from libs.rules.pairing.seating import table_sizes
from services.tournament.domain.tournament.commands import ScheduleTournament
from services.tournament.domain.tournament.events import (
    Event,
    PlayerRegistered,
    PlayerWithdrew,
    ResultVoided,
    RoundSeated,
    TablePlayed,
    TournamentCancelled,
    TournamentClosing,
    TournamentScheduled,
    TournamentStarted,
)
from services.tournament.domain.tournament.state import Cancelled, Finished
from services.tournament.domain.tournament.verifying import differences
from services.tournament.domain.tournament.words import Cancelling, Ending
from tests.support.tournament_model import PlainTournament
from tests.support.tournament_random_play import RandomTournament
from tests.support.tournaments import TournamentPlay

STREAM_MAX = 5_000


def check(tournament: RandomTournament) -> None:
    """Seats, TP, standing, prizes and the order of facts, against a plain model of the facts."""
    play = tournament.play
    plain = PlainTournament(play.events)
    _check_seats(plain)
    _check_entries(play.events)
    _check_clocks(play.events)
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


def _check_entries(events: Sequence[Event]) -> None:
    """Nobody enters but in the day before the start, and with what it takes; no start without enough."""
    assert isinstance(events[0], TournamentScheduled)
    plan, players = events[0].plan, 0
    needed = getattr(plan.terms.entry, "points", None)
    has_started = False
    for event in events:
        match event:
            case PlayerRegistered():
                players += 1
                assert plan.opens_at <= event.occurred_at < plan.starts_at
                assert needed is None or (event.prize_points or 0) >= needed
                assert players <= plan.terms.maximum
            case PlayerWithdrew() if not has_started:
                players -= 1
            case TournamentStarted():
                has_started = True
                assert event.occurred_at == plan.starts_at
                assert players >= plan.terms.minimum
            case TournamentCancelled(reason=Cancelling.TOO_FEW):
                assert event.occurred_at == plan.starts_at
                assert players < plan.terms.minimum


def _check_clocks(events: Sequence[Event]) -> None:
    """Rounds begin a pause after the last table of the one before, the end comes at its time."""
    assert isinstance(events[0], TournamentScheduled)
    plan = events[0].plan
    last_at, begins, number = plan.starts_at, plan.starts_at, 0
    ended: dict[tuple[int, int], datetime] = {}
    for event in events:
        match event:
            case RoundSeated():
                if ended:
                    begins = max(ended.values()) + plan.terms.times.pause
                assert event.occurred_at == max(begins, last_at)
                assert event.occurred_at < plan.ends_at
                number = event.number
                ended = {}
            case TablePlayed():
                ended[event.round_number, event.table] = event.ended_at
            case ResultVoided() if event.round_number == number:
                ended.setdefault((event.round_number, event.table), event.occurred_at)
            case TournamentClosing(reason=Ending.TIME):
                assert event.occurred_at == max(plan.ends_at, last_at)
        last_at = event.occurred_at


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
