"""`sparrow verify` on arenas: three rounds, their breaks, the prizes, and whatever is changed afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.verify.matches import verify
from libs.rules.solitaire.levels import deal_recipe, recipe
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.match_events import ArenaEnded, MatchCreated, MatchRoundEnded
from services.match.domain.rivals.sequence import first_stage, match_end, next_stage, round_fact
from services.match.domain.rivals.stage import ARENA, Stage
from services.match.domain.rivals.state import Over
from tests.support.arenas import SEATS
from tests.support.attempts import after
from tests.support.rounds import MATCH, NONCE, Table, fold

LEVELS = lending_levels(36)
ROUND_IDS = tuple(UUID(int=number) for number in (201, 202, 203))
Facts = list[Any]
Rounds = list[list[tuple[int, Any]]]


def _round(number: int, at_ms: int, stage: Stage) -> Table:
    """A round in which seat 0 takes a pair, seat 1 two; seat 3 leaves the first one; the others idle."""
    deal = deal_round(LEVELS, bytes([number]) * 32, NONCE)
    dealt = ev.RoundDealt(MATCH, SEATS, deal, after(at_ms), stage)
    table = Table([dealt], fold([dealt]))
    signal_ms = at_ms - 3_000 + stage.countdown // timedelta(milliseconds=1)
    table.until(signal_ms)
    pairs = deal_recipe(recipe(deal.level), deal.seed).certificate
    table.pair(0, *pairs[0], signal_ms + 1_000)
    table.pair(1, *pairs[0], signal_ms + 1_500)
    table.pair(1, *pairs[1], signal_ms + 2_000)
    if number == 1:
        table.leave(3, signal_ms + 4_000)
    table.until(signal_ms + 60_000)
    return table


@pytest.fixture(scope="module")
def played() -> tuple[Facts, Rounds]:
    """A match as it was played: facts, and the rounds' events by version."""
    facts: Facts = [MatchCreated(ARENA, SEATS, ROUND_IDS[0], after(0))]
    rounds: Rounds = []
    stage, at_ms = first_stage(ARENA), 0
    for number in (1, 2, 3):
        table = _round(number, at_ms, stage)
        over = table.state
        assert isinstance(over, Over)
        rounds.append(list(enumerate(table.events, 1)))
        facts.append(_as_stored(round_fact(over, ROUND_IDS[number - 1], (*ROUND_IDS, None)[number])))
        if number < 3:
            dealt_at = over.ended.occurred_at + timedelta(milliseconds=120)
            stage, at_ms = next_stage(over, dealt_at), (dealt_at - after(0)) // timedelta(milliseconds=1)
        else:
            facts.append(match_end(over))
    return facts, rounds


def _as_stored(fact: MatchRoundEnded) -> MatchRoundEnded:
    return replace(fact, ends=tuple(replace(end, tiles_left=0) for end in fact.ends))


def wrong(facts: Facts, rounds: Rounds) -> set[str]:
    """What is not as it is claimed to be."""
    return {finding.what for finding in verify(facts, rounds) if not finding.ok}


def changed(rounds: Rounds, number: int, kind: type[Any], change: Callable[[Any], Any]) -> Rounds:
    """The rounds with the last event of a kind tampered with in one of them."""
    events = list(rounds[number - 1])
    place = max(at for at, (_version, event) in enumerate(events) if isinstance(event, kind))
    events[place] = (events[place][0], change(events[place][1]))
    return [*rounds[: number - 1], events, *rounds[number:]]


def test_an_arena_as_it_was_played_is_right(played: tuple[Facts, Rounds]) -> None:
    """Every round, what lies between them, and the prizes."""
    findings = verify(*played)
    assert wrong(*played) == set(), [finding.differences for finding in findings]
    end = played[0][-1]
    assert isinstance(end, ArenaEnded)

    assert [finding.what for finding in findings] == [
        *(
            f"round {number} {what}"
            for number in (1, 2, 3)
            for what in ("events", "deal", "scores", "result")
        ),
        "rounds",
        "result",
    ]
    assert end.scores[2:] == (0, 0)
    assert end.points == (40, 80, 10, 10)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_tampered_pair_is_found_in_whatever_round(played: tuple[Facts, Rounds], number: int) -> None:
    """A pair that is worth more."""
    facts, rounds = played
    tampered = changed(rounds, number, ev.SeatRemovedPair, lambda event: replace(event, worth=300))

    assert f"round {number} scores" in wrong(facts, tampered)


def test_another_deal_is_found_in_whatever_round(played: tuple[Facts, Rounds]) -> None:
    """A reveal that is not what was committed to."""
    facts, rounds = played

    assert "round 2 deal" in wrong(
        facts, changed(rounds, 2, ev.DealRevealed, lambda event: replace(event, seed=bytes(32)))
    )


def test_a_break_that_was_too_short_is_found(played: tuple[Facts, Rounds]) -> None:
    """The signal came nine seconds after the end."""
    facts, rounds = played

    def hasten(event: ev.RoundDealt) -> ev.RoundDealt:
        shorter = replace(event.stage, countdown=event.stage.countdown - timedelta(seconds=1))
        return replace(event, stage=shorter)

    assert "round 2 events" in wrong(facts, changed(rounds, 2, ev.RoundDealt, hasten))


def test_a_seat_that_came_back_after_leaving_is_found(played: tuple[Facts, Rounds]) -> None:
    """Whoever left is out in the rounds that follow."""
    facts, rounds = played

    def forget(event: ev.RoundDealt) -> ev.RoundDealt:
        return replace(event, stage=replace(event.stage, left=()))

    assert "round 2 events" in wrong(facts, changed(rounds, 2, ev.RoundDealt, forget))


def test_a_round_left_out_is_found(played: tuple[Facts, Rounds]) -> None:
    """Three are played."""
    facts, rounds = played

    assert {"rounds", "result"} <= wrong([*facts[:3], facts[4]], rounds[:2])


@pytest.mark.parametrize(
    "change",
    [
        lambda end: replace(end, points=(80, 40, 10, 10)),
        lambda end: replace(end, points=(40, 80, 20, 0)),
        lambda end: replace(end, scores=(1_000, *end.scores[1:])),
        lambda end: replace(end, places=(2, 1, 3, 4)),
        lambda end: replace(end, accounts=end.accounts[::-1]),
    ],
    ids=["swapped", "not shared", "another sum", "another place", "other accounts"],
)
def test_other_prizes_are_found(
    played: tuple[Facts, Rounds], change: Callable[[ArenaEnded], ArenaEnded]
) -> None:
    """The match pays the places that the sums make."""
    facts, rounds = played

    assert wrong([*facts[:-1], change(facts[-1])], rounds) == {"result"}


def test_a_round_that_the_match_tells_otherwise_is_found(played: tuple[Facts, Rounds]) -> None:
    """Its facts are those of the rounds."""
    facts, rounds = played
    told = replace(facts[2], ends=facts[1].ends[::-1])

    assert wrong([*facts[:2], told, *facts[3:]], rounds) == {"rounds"}
