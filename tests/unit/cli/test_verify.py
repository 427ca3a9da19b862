"""`sparrow verify`: a match as it was played is right, and whatever is changed afterwards is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from libs.cli.verify.matches import verify
from libs.cli.verify.recompute import Finding
from libs.rules.solitaire.levels import deal_recipe, recipe
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.match_events import MatchCreated, quick_match_ended
from services.match.domain.rivals.state import Over
from services.match.domain.rivals.terms import PairKind
from tests.support.attempts import ANA, BEN, after
from tests.support.rounds import MATCH, NONCE, SEED, Table, fold

BEN_TOUCHES_MS = 500
Events = list[tuple[int, Any]]


@pytest.fixture(scope="module")
def table() -> Table:
    """A real deal: Ben touches a blocked tile and makes a pair, Ana clears her board."""
    deal = deal_round(lending_levels(60), SEED, NONCE)
    dealt = ev.RoundDealt(MATCH, (ANA, BEN), deal, after(0))
    table = Table([dealt], fold([dealt]))
    table.until(0)
    pairs = deal_recipe(recipe(deal.level), SEED).certificate
    free = table.player(1).board.position.free(None)
    blocked = next(tile for tile in range(deal.layout.size) if not free >> tile & 1)
    table.touch(1, blocked, BEN_TOUCHES_MS)
    table.pair(1, *pairs[0], 700)
    table.touch(1, blocked, 800)
    for number, pair in enumerate(pairs):
        table.pair(0, *pair, 1_000 + 900 * number - 7 * number * number, crucial=number == 3)
    return table


def facts_of(table: Table) -> list[Any]:
    """What the match stream says of it."""
    assert isinstance(table.state, Over)
    created = MatchCreated("quick_match", (ANA, BEN), UUID(int=9), after(0))
    ended = quick_match_ended(table.state.round, table.state.ended)
    ends = tuple(replace(end, tiles_left=0) for end in ended.ends)
    return [created, replace(ended, ends=ends)]


def numbered(table: Table) -> Events:
    """The round's events with their versions."""
    return list(enumerate(table.events, 1))


def wrong(findings: list[Finding]) -> set[str]:
    """What is not as it is claimed to be."""
    return {finding.what for finding in findings if not finding.ok}


def index_of(events: Events, kind: type[Any]) -> int:
    """Where the last event of a kind stands."""
    return max(place for place, (_version, event) in enumerate(events) if isinstance(event, kind))


def changed(table: Table, kind: type[Any], **fields: Any) -> set[str]:
    """What is found wrong when the last event of a kind was tampered with."""
    events = numbered(table)
    place = index_of(events, kind)
    version, event = events[place]
    events[place] = (version, replace(event, **fields))
    return wrong(verify(facts_of(table), [events]))


def test_a_match_as_it_was_played_is_right(table: Table) -> None:
    """Deal, scores and result come out the same, for pairs of every kind and for mistakes."""
    kinds = {event.kind for event in table.events if isinstance(event, ev.SeatRemovedPair)}

    assert verify(facts_of(table), [numbered(table)]) != []
    assert wrong(verify(facts_of(table), [numbered(table)])) == set()
    assert kinds == {PairKind.PLAIN, PairKind.PACE, PairKind.CRUCIAL}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"worth": 300}, "scores"),
        ({"round_score": 90_000}, "scores"),
        ({"took_ms": 1}, "scores"),
        ({"first": 0, "second": 1}, "scores"),
    ],
)
def test_a_tampered_pair_is_found(table: Table, fields: dict[str, int], found: str) -> None:
    """A pair that is worth more, took less time, or could not go at all."""
    assert found in changed(table, ev.SeatRemovedPair, **fields)


def test_a_tampered_mistake_is_found(table: Table) -> None:
    """A blocked touch that cost nothing."""
    assert "scores" in changed(table, ev.SeatTouchedBlocked, round_score=100)


def test_another_seed_is_found(table: Table) -> None:
    """A reveal that is not what was committed to."""
    assert changed(table, ev.DealRevealed, seed=bytes(32)) == {"deal"}
    assert changed(table, ev.DealRevealed, nonce=bytes(32)) == {"deal"}


def test_swapped_faces_are_found(table: Table) -> None:
    """Two tiles that were dealt the other way round than the seed says."""
    dealt = table.events[0]
    assert isinstance(dealt, ev.RoundDealt)
    faces = list(dealt.deal.faces)
    other = next(tile for tile, face in enumerate(faces) if face != faces[0])
    faces[0], faces[other] = faces[other], faces[0]

    assert "deal" in changed(table, ev.RoundDealt, deal=replace(dealt.deal, faces=tuple(faces)))


def test_an_event_left_out_is_found(table: Table) -> None:
    """Versions are gapless."""
    events = numbered(table)
    del events[index_of(events, ev.SeatTouchedBlocked)]

    assert "events" in wrong(verify(facts_of(table), [events]))


def test_points_for_somebody_else_are_found(table: Table) -> None:
    """The match pays whom the round made the winner."""
    created, ended = facts_of(table)
    assert ended.points == (20, 0)

    assert wrong(verify([created, replace(ended, points=(0, 20))], [numbered(table)])) == {"result"}
