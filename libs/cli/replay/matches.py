"""A match of several seats run again: its rounds, what lies between them, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from libs.cli.replay.rounds import rerun_round
from services.match.domain.rivals.events import Event, RoundDealt
from services.match.domain.rivals.match_events import MatchCreated, MatchEvent
from services.match.domain.rivals.sequence import (
    first_stage,
    goes_on,
    match_end,
    next_stage,
    round_fact,
    table_stage,
)
from services.match.domain.rivals.state import Over
from services.match.wire.round_codec import encoded


def rerun_match(facts: Sequence[MatchEvent], rounds: Sequence[tuple[UUID, Sequence[Event]]]) -> str | None:
    """Run a finished match again; return where it first comes otherwise than it is stored."""
    created = facts[0]
    if not isinstance(created, MatchCreated) or not rounds or rounds[0][0] != created.round_id:
        return "fact 1: the match does not begin with its first round"
    made: list[MatchEvent] = [created]
    laid_down = created.tournament
    stage = table_stage(laid_down) if laid_down else first_stage(created.mode, private=created.private)
    for number, (round_id, events) in enumerate(rounds, 1):
        dealt = events[0]
        if not isinstance(dealt, RoundDealt) or (dealt.accounts, dealt.stage) != (created.accounts, stage):
            return (
                f"round {number}: it was dealt to others, or otherwise than the round before it brings about"
            )
        rerun = rerun_round(events)
        if rerun.difference is not None:
            return f"round {number}, {rerun.difference}"
        over = rerun.state
        if not isinstance(over, Over):
            return f"round {number}: it does not end"
        following = rounds[number] if number < len(rounds) else None
        if goes_on(over) != (following is not None):
            return f"round {number}: another one {'does not follow' if goes_on(over) else 'follows'}"
        if following is not None:
            made.append(round_fact(over, round_id, following[0]))
            stage = next_stage(over, following[1][0].occurred_at)
            continue
        if over.round.stage.is_of_several:
            made.append(round_fact(over, round_id, None))
        made.append(match_end(over))
    return _differ(made, facts)


def _differ(made: Sequence[MatchEvent], facts: Sequence[MatchEvent]) -> str | None:
    for number, (each, stored) in enumerate(zip(made, facts, strict=False), 1):
        if encoded(each) != encoded(stored) or each.occurred_at != stored.occurred_at:
            return f"fact {number}: {each} comes out, stored is {stored}"
    return None if len(made) == len(facts) else f"{len(made)} facts come out, stored are {len(facts)}"
