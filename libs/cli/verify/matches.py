"""A match worked out anew from its rounds: who comes where, who is paid, and what lies between the rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from libs.cli.verify.recompute import CheckedRound, Finding, check_round
from services.match.domain.rivals.events import SeatLiftedTile, SeatTouchedBlocked
from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchCreated,
    MatchRoundEnded,
    QuickMatchEnded,
    TournamentMatchEnded,
)
from services.match.domain.rivals.stage import PlayedRound
from services.match.domain.rivals.terms import EndReason, Reveal, SeatEnd

COUNTDOWN: Final = timedelta(seconds=3)
BREAK: Final = timedelta(seconds=10)
ROUNDS: Final = 3
PRIZES: Final = (80, 40, 20, 0)


def verify(facts: Iterable[Any], rounds: Sequence[Sequence[tuple[int, Any]]]) -> list[Finding]:
    """Work everything out anew. `facts` are the match stream's, `rounds` each round's events by version."""
    told = list(facts)
    created = [fact for fact in told if isinstance(fact, MatchCreated)]
    quick = [fact for fact in told if isinstance(fact, QuickMatchEnded)]
    arenas = [fact for fact in told if isinstance(fact, ArenaEnded)]
    tables = [fact for fact in told if isinstance(fact, TournamentMatchEnded)]
    counts = (len(created), len(quick) + len(arenas) + len(tables))
    if counts != (1, 1) or not rounds:
        return [Finding("events", f"{len(told)} facts", (f"beginnings and ends: {counts}, one each",))]
    checked = []
    for each in rounds:
        found = check_round(each)
        if isinstance(found, Finding):
            return [found]
        checked.append(found)
    if quick:
        return _quick(created[0], quick[0], checked)
    if tables:
        return _table(created[0], tables[0], checked, [event for _version, event in rounds[0]])
    ends = [fact for fact in told if isinstance(fact, MatchRoundEnded)]
    return _arena(created[0], ends, arenas[0], checked)


def _quick(created: MatchCreated, paid: QuickMatchEnded, rounds: Sequence[CheckedRound]) -> list[Finding]:
    [played] = rounds
    wrong, result = list(played.events.differences), list(played.result.differences)
    if not created.accounts == played.dealt.accounts == paid.accounts:
        wrong.append("the seats differ between the match, its round and its end")
    points = (0,) * len(played.ends) if created.private else _quick_points(played.ends)
    if played.dealt.stage.private != created.private:
        wrong.append("the round and its match differ in whether it is private")
    # The match's own end does not say what is left of each board.
    paid_for = tuple(replace(end, tiles_left=0) for end in played.ends)
    if (paid.ends, paid.points) != (paid_for, points):
        result.append(f"points are {points} for {paid_for}, not {paid.points} for {paid.ends}")
    return [
        replace(played.events, differences=tuple(wrong)),
        played.deal,
        played.scores,
        Finding("result", f"{played.result.claimed}, points {paid.points}", tuple(result)),
    ]


def _table(
    created: MatchCreated, end: TournamentMatchEnded, rounds: Sequence[CheckedRound], events: Sequence[Any]
) -> list[Finding]:
    """A table of a tournament: one round under its terms; what the tournament is told follows from it."""
    [played] = rounds
    wrong, result = list(played.events.differences), list(played.result.differences)
    if not created.accounts == played.dealt.accounts == end.accounts:
        wrong.append("the seats differ between the match, its round and its end")
    laid_down = created.tournament
    if laid_down is None or laid_down != played.dealt.stage.tournament:
        wrong.append("the match and its round differ in what the tournament laid down")
    elif (laid_down.tournament_id, laid_down.round_number) != (end.tournament_id, end.round_number):
        wrong.append("the end is told to another tournament or round")
    first_moves = (SeatLiftedTile, SeatTouchedBlocked)  # every other move needs a lifted tile
    movers = {event.seat for event in events if isinstance(event, first_moves)}
    right = (
        tuple(replace(each, tiles_left=0) for each in played.ends),
        tuple(seat in movers for seat in range(len(end.accounts))),
        played.ended.reason is EndReason.CUT,
    )
    if (end.ends, end.acted, end.cut) != right:
        result.append(f"the tournament is to be told {right}, not {(end.ends, end.acted, end.cut)}")
    return [
        replace(played.events, differences=tuple(wrong)),
        played.deal,
        played.scores,
        Finding("result", f"{played.result.claimed}, no points", tuple(result)),
    ]


def _quick_points(ends: Sequence[SeatEnd]) -> tuple[int, ...]:
    """20 for winning with a cleared board, 15 for winning, else nothing; nothing without a sole winner."""
    sole = sum(end.place == 1 for end in ends) == 1 and any(end.round_score for end in ends)
    return tuple((20 if end.cleared else 15) if sole and end.place == 1 else 0 for end in ends)


def _arena(
    created: MatchCreated,
    told: Sequence[MatchRoundEnded],
    end: ArenaEnded,
    rounds: Sequence[CheckedRound],
) -> list[Finding]:
    findings = []
    for number, played in enumerate(rounds, 1):
        name = f"round {number}"
        wrong = [*played.events.differences, *_between(rounds[: number - 1], played)]
        if played.dealt.accounts != created.accounts:
            wrong.append("the seats differ from those of the match")
        events = replace(played.events, differences=tuple(wrong))
        parts = (events, played.deal, played.scores, played.result)
        findings += [replace(each, what=f"{name} {each.what}") for each in parts]
    seeds = {played.revealed.seed for played in rounds}
    wrong = [] if len(seeds) == len(rounds) else ["two rounds had one deal"]
    wrong += _chain(told, rounds)
    if len(rounds) != ROUNDS and len(rounds[-1].left) < len(created.accounts):
        wrong.append(f"{len(rounds)} rounds were played, not {ROUNDS}")
    findings.append(Finding("rounds", f"{len(rounds)} on deals of their own", tuple(wrong)))
    findings.append(_prizes(created, end, rounds))
    return findings


def _between(earlier: Sequence[CheckedRound], played: CheckedRound) -> list[str]:
    """What is wrong with how a round followed those before it."""
    dealt, stage = played.dealt, played.dealt.stage
    wrong = []
    if stage.number != len(earlier) + 1:
        wrong.append(f"it is called round {stage.number}")
    if stage.earlier != tuple(_as_played(each) for each in earlier):
        wrong.append("it tells the rounds before it otherwise than they ended")
    if not earlier:
        return wrong
    last = earlier[-1]
    signal_at = max(dealt.occurred_at + COUNTDOWN, last.ended.occurred_at + BREAK)
    if dealt.occurred_at < last.ended.occurred_at or dealt.occurred_at + stage.countdown != signal_at:
        wrong.append("the break was not ten seconds")
    if set(stage.left) != last.left:
        wrong.append(f"seats {sorted(last.left)} had left, not {sorted(stage.left)}")
    return wrong


def _as_played(checked: CheckedRound) -> PlayedRound:
    shown = checked.revealed
    reveal = Reveal(shown.catalogue_version, shown.layout_name, shown.distinct_faces, shown.seed, shown.nonce)
    return PlayedRound(checked.ended.reason, checked.ended.seats, reveal)


def _chain(told: Sequence[MatchRoundEnded], rounds: Sequence[CheckedRound]) -> list[str]:
    """What is wrong with what the match says of its rounds."""
    if [fact.number for fact in told] != list(range(1, len(rounds) + 1)):
        return [f"the match tells of the rounds {[fact.number for fact in told]}"]
    return [
        f"the match tells round {fact.number} otherwise than it ended"
        for fact, played in zip(told, rounds, strict=True)
        if fact.ends != tuple(replace(end, tiles_left=0) for end in played.ends)
        or (fact.reason, fact.accounts) != (played.ended.reason, played.dealt.accounts)
    ]


def _prizes(created: MatchCreated, end: ArenaEnded, rounds: Sequence[CheckedRound]) -> Finding:
    """Places by the sums, prizes by the places."""
    seats = range(len(created.accounts))
    round_scores = tuple(tuple(played.ends[seat].round_score for played in rounds) for seat in seats)
    sums = tuple(sum(scores) for scores in round_scores)
    order = sorted(sums, reverse=True)
    points = []
    for score in sums:
        group = [prize for prize, other in zip(PRIZES, order, strict=True) if other == score]
        points.append(0 if created.private else sum(group) // len(group))
    right = (created.accounts, round_scores, sums, tuple(order.index(s) + 1 for s in sums), tuple(points))
    claimed = (end.accounts, end.round_scores, end.scores, end.places, end.points)
    wrong = () if claimed == right else (f"sums, places and points are {right[2:]}, not {claimed[2:]}",)
    return Finding("result", f"{' to '.join(map(str, end.scores))}, points {end.points}", wrong)
