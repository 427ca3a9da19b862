"""`sparrow verify` and `sparrow replay` on tables of tournaments, and on whatever is changed afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.replay.matches import rerun_match
from libs.cli.replay.rerun import rerun
from libs.cli.verify.matches import verify
from libs.rules.solitaire.levels import deal_recipe, recipe
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.match_events import MatchCreated, MatchEvent, TournamentMatchEnded
from services.match.domain.rivals.sequence import match_end, table_stage
from services.match.domain.rivals.settle import cut
from services.match.domain.rivals.stage import TOURNAMENT, TournamentStage
from services.match.domain.rivals.state import Over
from services.match.domain.rivals.terms import EndReason
from tests.support.attempts import ANA, BEN, after
from tests.support.rounds import MATCH, NONCE, SEED, SIGNAL_MS, Table, at, fold
from tests.unit.cli.test_replay_matches import Log

CARL = UUID(int=0xC)
SEATS = (ANA, BEN, CARL)
ROUND = UUID(int=201)
DEAL = deal_round(lending_levels(36), SEED, NONCE)
PAIRS = deal_recipe(recipe(DEAL.level), DEAL.seed).certificate
Told = tuple[list[MatchEvent], list[tuple[UUID, tuple[ev.Event, ...]]]]


def _table(ends_ms: int) -> Table:
    laid_down = TournamentStage(UUID(int=9), 2, timedelta(seconds=50), at(ends_ms))
    dealt = ev.RoundDealt(MATCH, SEATS, DEAL, after(0), table_stage(laid_down))
    return Table([dealt], fold([dealt]))


def _told(table: Table) -> Told:
    dealt = table.events[0]
    assert isinstance(table.state, Over)
    assert isinstance(dealt, ev.RoundDealt)
    created = MatchCreated(TOURNAMENT, SEATS, ROUND, after(0), tournament=dealt.stage.tournament)
    end = match_end(table.state)
    assert isinstance(end, TournamentMatchEnded)
    # As it is read back: what is left of each board stands in the round's own end.
    told = replace(end, ends=tuple(replace(each, tiles_left=0) for each in end.ends))
    return [created, told], [(ROUND, tuple(table.events))]


def _cut_by_its_end() -> Table:
    table = _table(10_000)
    table.until(0)
    table.pair(0, *PAIRS[0], 1_000)
    table.touch(1, PAIRS[0][0], 2_000)
    table.until(20_000)
    return table


def _cut_by_an_operator() -> Table:
    table = _table(100_000)
    table.until(0)
    table.pair(0, *PAIRS[0], 1_000)
    assert not isinstance(table.state, Over)
    events = cut(table.state, at(5_000))  # type: ignore[arg-type]  # it was dealt
    table.events += events
    table.state = fold(table.events)
    return table


def _cut_before_its_signal() -> Table:
    table = _table(-SIGNAL_MS // 2)
    table.until(60_000)
    return table


def _cut_in_an_outage() -> Table:
    table = _table(10_000)
    table.until(0)
    table.pair(0, *PAIRS[0], 1_000)
    table.outages = (Outage(at(4_000), at(30_000)),)
    table.until(60_000)
    return table


def _all_out() -> Table:
    table = _table(100_000)
    table.until(60_000)
    return table


def _at_its_limit() -> Table:
    table = _table(100_000)
    table.until(0)
    for ms in range(15_000, 50_000, 15_000):
        table.pair(0, *PAIRS[ms // 15_000], ms)
    table.until(60_000)
    return table


def _cleared() -> Table:
    table = _table(100_000)
    table.until(0)
    for number, (first, second) in enumerate(PAIRS, 1):
        table.pair(2, first, second, number * 1_000)
    return table


PLAYED: list[Callable[[], Table]] = [
    *(_cut_by_its_end, _cut_by_an_operator, _cut_before_its_signal, _cut_in_an_outage),
    *(_all_out, _at_its_limit, _cleared),
]


def _differences(facts: list[Any], rounds: Any) -> list[str]:
    versions = [list(enumerate(events, 1)) for _round_id, events in rounds]
    return [each for finding in verify(facts, versions) for each in finding.differences]


@pytest.mark.parametrize("play", PLAYED, ids=lambda play: play.__name__)
def test_a_table_as_it_was_played_is_right_and_comes_out_again(play: Callable[[], Table]) -> None:
    """However it ended."""
    facts, rounds = _told(play())

    assert _differences(facts, rounds) == []
    assert rerun_match(facts, rounds) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"cut": False},
        {"acted": (True, False, False)},
        {"acted": (True, True, True)},
        {"round_number": 3},
        {"tournament_id": UUID(int=10)},
        {"accounts": (BEN, ANA, CARL)},
    ],
    ids=str,
)
def test_another_end_than_the_round_brings_about_is_found(fields: dict[str, Any]) -> None:
    """What the tournament is told follows from the round."""
    facts, rounds = _told(_cut_by_its_end())
    changed = [facts[0], replace(facts[1], **fields)]

    assert _differences(changed, rounds)
    assert rerun_match(changed, rounds) is not None


def test_a_round_that_claims_another_reason_or_instant_is_found() -> None:
    """Cut without a tournament's end, or played on after it."""
    facts, [(round_id, events)] = _told(_cut_by_its_end())
    [end] = [event for event in events if isinstance(event, ev.RoundEnded)]
    for wrong in (
        replace(end, reason=EndReason.TIME),
        replace(end, reason=EndReason.ALL_OUT),
        replace(end, reason=EndReason.CLEARED),
        replace(end, occurred_at=at(10_001)),
    ):
        changed = tuple(wrong if event is end else event for event in events)
        assert _differences(facts, [(round_id, changed)])
        assert rerun_match(facts, [(round_id, changed)]) is not None


def test_another_end_of_the_tournament_than_was_laid_down_is_found() -> None:
    """The match and its round say the same."""
    facts, rounds = _told(_cut_by_its_end())
    created = facts[0]
    assert isinstance(created, MatchCreated)
    assert created.tournament is not None
    later = replace(created.tournament, ends_at=at(11_000))
    changed = [replace(created, tournament=later), facts[1]]

    assert _differences(changed, rounds)
    assert rerun_match(changed, rounds) is not None


async def test_the_log_is_run_again_with_tables_of_tournaments_in_it() -> None:
    """A table that is over is whole; one that is played is counted apart."""
    facts, rounds = _told(_cut_by_its_end())
    running = UUID(int=300)
    created = replace(facts[0], round_id=UUID(int=302))  # type: ignore[arg-type]  # the first fact of a match
    log = Log((MATCH, facts), *rounds, (running, [created]))
    found = await rerun(log, None, None, lambda _done, _of: None)

    assert (found.matches, found.rounds, found.running) == (1, 1, 1)
    assert list(found.differences) == []
