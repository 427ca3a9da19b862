"""Do the tests bite? Tournaments that are broken on purpose, each by the name of its fault, are found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from libs.rules.pairing import seating as pairing
from libs.rules.pairing import table_points as rule
from services.tournament.domain.tournament import (
    clocks,
    decide,
    entering,
    evolve,
    rounds,
    scoring,
    settle,
    standing,
    state,
)
from services.tournament.domain.tournament.events import RoundSeated, TournamentClosing
from services.tournament.domain.tournament.words import Ending
from tests.property.tournament.checking import check
from tests.support.tournament_random_play import RandomTournament

Patch = pytest.MonkeyPatch
SEEDS = range(60)


def absent_seats_get_points(patch: Patch) -> None:
    """A seat that never acted is paid by its place."""
    real = scoring.seat_ends

    def paid(players: Any, results: Any, multiplier: int) -> Any:
        there = real(players, [replace(result, acted=True) for result in results], multiplier)
        return there and tuple(replace(end, result=one) for end, one in zip(there, results, strict=True))

    patch.setattr(decide, "seat_ends", paid)


def absent_points_are_passed_on(patch: Patch) -> None:
    """Those who acted move up into the places of those who did not."""
    real = scoring.seat_ends

    def moved_up(players: Any, results: Any, multiplier: int) -> Any:
        ends = real(players, results, multiplier)
        lost = sum(end.points == 0 for end in ends or ())
        return ends and tuple(
            replace(end, points=end.points + (lost if end.result.acted else 0)) for end in ends
        )

    patch.setattr(decide, "seat_ends", moved_up)


def ties_are_not_shared(patch: Patch) -> None:
    """Everybody at a place gets its whole TP."""
    real = rule.table_points

    def whole(results: Any, multiplier: int) -> Any:
        points = real(results, multiplier)
        if isinstance(points, rule.Refusal) or not any(line.points for line in points):
            return points
        scale = rule.TP_BY_PLACE_CLEARED if any(seat.cleared for seat in results) else rule.TP_BY_PLACE
        row = scale[len(points)]
        return tuple(replace(line, points=row[line.place - 1] * multiplier) for line in points)

    patch.setattr(rule, "table_points", whole)


def the_multiplier_is_forgotten(patch: Patch) -> None:
    """Every round counts once."""
    real = rule.table_points
    patch.setattr(rule, "table_points", lambda results, _multiplier: real(results, 1))


def clearing_does_not_come_first(patch: Patch) -> None:
    """Places by score alone."""
    patch.setattr(rule, "_standing", lambda seat: (False, seat.score))


def prizes_without_tp(patch: Patch) -> None:
    """The first places are paid whoever has them."""

    def all_places(terms: Any, lines: Any) -> Any:
        pairs = enumerate(zip(lines, terms.prizes, strict=False), 1)
        return {place: (line.player, prize) for place, (line, prize) in pairs if not prize.is_nothing}

    patch.setattr(rounds, "prizes_of", all_places)


def equal_tp_by_account(patch: Patch) -> None:
    """Ties go by the account's bytes, not by the registration."""
    patch.setattr(
        standing, "_rank", lambda field, line: (-line.points, field.entrants[line.player].account_id.bytes)
    )


def nobody_is_dropped(patch: Patch) -> None:
    """Who never shows up is seated for ever."""
    patch.setattr(standing, "MISSES_MAX", 99)


def one_miss_drops(patch: Patch) -> None:
    """Who misses one round is seated no more."""
    patch.setattr(standing, "MISSES_MAX", 1)


def the_withdrawn_are_seated(patch: Patch) -> None:
    """Withdrawing after the start changes nothing."""
    patch.setattr(
        standing, "is_seatable", lambda field, player: field.tally_of(player).misses < standing.MISSES_MAX
    )


def voided_results_count(patch: Patch) -> None:
    """What an operator took out stays in the standing."""
    real = state.Tally.with_end

    def kept(self: state.Tally, end: Any, sign: int = 1) -> state.Tally:
        return real(self, end) if sign > 0 else self

    patch.setattr(state.Tally, "with_end", kept)


def prizes_stay_after_a_correction(patch: Patch) -> None:
    """The standing is corrected and nobody's prize."""
    real = rounds.correction
    patch.setattr("services.tournament.domain.tournament.operating.correction", lambda s, at: real(s, at)[:1])


def prizes_are_paid_again_by_a_correction(patch: Patch) -> None:
    """Numbers begin anew."""
    real = rounds._numbered
    patch.setattr(rounds, "_numbered", lambda awards, _made: real(awards, 0))


def nobody_meets_a_pair(patch: Patch) -> None:
    """A table of one, where there are five."""
    real = pairing.table_sizes
    patch.setattr(pairing, "table_sizes", lambda n: (4, 1) if n == 5 else real(n))


def a_player_sits_out(patch: Patch) -> None:
    """The last in the standing has no table where there are enough others."""
    real = standing.seatable
    patch.setattr(rounds, "seatable", lambda field: real(field)[: max(2, len(real(field)) - 1)])


def the_end_does_not_wait(patch: Patch) -> None:
    """The standing is final before the tables that were cut have reported."""

    def at_once(which: Any, reason: Ending, ground: Any, at: Any) -> Any:
        closing = TournamentClosing(reason, ground, at)
        return [closing, *rounds._finish(which.field, reason, at)]

    patch.setattr(settle, "close", at_once)


def the_break_is_longer(patch: Patch) -> None:
    """Rounds begin a second late, and the facts say so."""
    real = rounds.seating
    patch.setattr(settle, "seating", lambda which, at: real(which, at + timedelta(seconds=1)))


def facts_go_back(patch: Patch) -> None:
    """What is told late is put at its own instant, before what was told already."""
    real = evolve.evolve
    epoch = {}

    def early(current: Any, event: Any) -> Any:
        after = real(current, event)
        if isinstance(event, RoundSeated):
            epoch["at"] = event.occurred_at
        field = getattr(after, "field", None)
        return (
            replace(after, field=replace(field, last_at=epoch.get("at", field.last_at))) if field else after
        )

    patch.setattr("tests.support.tournaments.evolve", early)


def entry_without_points(patch: Patch) -> None:
    """The ledger is asked, and its answer not looked at."""
    real = entering.register

    def let_in(command: Any, which: Any, at: Any, answer: Any) -> Any:
        rich = answer and replace(answer, points=10**6)
        return (
            [replace(event, prize_points=answer.points) if answer else event for event in decided]
            if isinstance(decided := real(command, which, at, rich), list)
            else decided
        )

    patch.setattr(decide, "register", let_in)


def the_minimum_is_forgotten(patch: Patch) -> None:
    """Two are enough for champions."""
    real = settle._start

    def start(which: Any, at: Any, seed: bytes) -> Any:
        terms = replace(which.field.plan.terms, minimum=2)
        return real(
            replace(which, field=replace(which.field, plan=replace(which.field.plan, terms=terms))), at, seed
        )

    patch.setattr(settle, "_start", start)


def the_start_is_never_due(patch: Patch) -> None:
    """Registration goes on after the start."""
    real = clocks.next_deadline

    def late(current: Any) -> Any:
        deadline = real(current)
        if deadline is None or not isinstance(current, state.Registering):
            return deadline
        return deadline + timedelta(seconds=30)

    patch.setattr(clocks, "next_deadline", late)


MUTANTS: list[Callable[[Patch], None]] = [
    absent_seats_get_points,
    absent_points_are_passed_on,
    ties_are_not_shared,
    the_multiplier_is_forgotten,
    clearing_does_not_come_first,
    prizes_without_tp,
    equal_tp_by_account,
    nobody_is_dropped,
    one_miss_drops,
    the_withdrawn_are_seated,
    voided_results_count,
    prizes_stay_after_a_correction,
    prizes_are_paid_again_by_a_correction,
    nobody_meets_a_pair,
    a_player_sits_out,
    the_end_does_not_wait,
    the_break_is_longer,
    facts_go_back,
    entry_without_points,
    the_minimum_is_forgotten,
    the_start_is_never_due,
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_rule_is_found_out(mutant: Callable[[Patch], None], monkeypatch: Patch) -> None:
    """By the plain model of the facts, whatever the broken rules say of themselves."""
    mutant(monkeypatch)
    with pytest.raises(AssertionError):
        _hold_all()


def test_without_a_fault_the_same_tournaments_hold() -> None:
    """So that it is the fault that is found."""
    _hold_all()


def _hold_all() -> None:
    for seed in SEEDS:
        tournament = RandomTournament(seed)
        tournament.run()
        check(tournament)
