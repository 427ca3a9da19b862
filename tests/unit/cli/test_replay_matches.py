"""`sparrow replay`: a match replays from its events to the same final state and result, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.cli.replay.attempts import rerun_attempt
from libs.cli.replay.matches import rerun_match
from libs.cli.replay.rerun import Rerun, rerun
from libs.cli.replay.rounds import rerun_round
from libs.cli.verify.matches import verify
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import uuid7
from libs.rules.solitaire.levels import deal_recipe, recipe
from libs.rules.solitaire.prng import child_seed
from services.match import events as plain
from services.match.commands import GiveUpReason
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.match_events import ArenaEnded, MatchCreated, MatchEvent
from services.match.domain.rivals.sequence import first_stage, goes_on, match_end, next_stage, round_fact
from services.match.domain.rivals.settle import settle
from services.match.domain.rivals.stage import ARENA, QUICK_MATCH
from services.match.domain.rivals.state import Over
from services.match.wire.event_codec import EventCodec
from services.match.wire.round_codec import encoded
from tests.support.arenas import SEATS
from tests.support.attempts import ANA, BEN, LEVEL, NEXT, after, started
from tests.support.rounds import NONCE, SIGNAL_MS, Table, apart, at, fold

LEVELS = lending_levels(36)
MATCH = uuid7(after(0), b"0" * 10)
Rounds = list[tuple[UUID, tuple[ev.Event, ...]]]


def _but(told: Any, **fields: Any) -> Any:
    """The same with other fields."""
    return replace(told, **fields)


def _dealt(accounts: Sequence[UUID], number: int, stage: Any, at_ms: int) -> Table:
    deal = deal_round(LEVELS, child_seed(bytes(32), str(number)), NONCE)
    first = ev.RoundDealt(MATCH, tuple(accounts), deal, after(at_ms), stage)
    return Table([first], fold([first]))


def _pairs(table: Table) -> Sequence[tuple[int, int]]:
    first = table.events[0]
    assert isinstance(first, ev.RoundDealt)
    return deal_recipe(recipe(first.deal.level), first.deal.seed).certificate


def quick(*, private: bool = False) -> tuple[list[MatchEvent], Rounds]:
    """A match with everything in it: misses, jokers got and not, an outage, a lift put back, a clear."""
    table = _dealt((ANA, BEN), 0, first_stage(QUICK_MATCH, private=private), 0)
    table.until(0)
    pairs = _pairs(table)
    for tile in range(36):
        if table.player(0).board.position.layout.size > tile:
            table.touch(0, tile, 500)
    if table.player(0).board.lifted is not None:
        table.put_back(0, 600)
    table.touch(0, pairs[0][0], 700)
    table.use_joker(0, 800)
    table.joker_lost(0, 1, 900, GiveUpReason.NONE_OWNED)
    table.use_joker(0, 1_000)
    table.joker_spent(0, 2, 1_100)
    table.outages = (Outage(at(2_000), at(9_000)),)
    table.until(9_500)
    for number, (first, second) in enumerate(pairs):
        table.pair(1, first, second, 10_000 + 700 * number, crucial=number % 5 == 4)
    over = table.state
    assert isinstance(over, Over)
    round_id = uuid7(after(0), b"1" * 10)
    created = MatchCreated(QUICK_MATCH, (ANA, BEN), round_id, after(0), private)
    return [created, match_end(over)], [(round_id, tuple(table.events))]


def arena() -> tuple[list[MatchEvent], Rounds]:
    """Three rounds; one player leaves in the second."""
    stage, at_ms = first_stage(ARENA), 0
    ids = [uuid7(after(0), bytes([number]) * 10) for number in (1, 2, 3)]
    facts: list[MatchEvent] = [MatchCreated(ARENA, SEATS, ids[0], after(0))]
    rounds: Rounds = []
    for number in (1, 2, 3):
        table = _dealt(SEATS, number, stage, at_ms)
        signal_ms = at_ms - SIGNAL_MS + stage.countdown // timedelta(milliseconds=1)
        table.until(signal_ms)
        table.pair(number % 3, *_pairs(table)[0], signal_ms + 1_000)
        if number == 2:
            table.leave(3, signal_ms + 2_000)
        table.until(signal_ms + 60_000)
        over = table.state
        assert isinstance(over, Over)
        rounds.append((ids[number - 1], tuple(table.events)))
        facts.append(round_fact(over, ids[number - 1], (*ids, None)[number]))
        if goes_on(over):
            dealt_at = over.ended.occurred_at + timedelta(milliseconds=120)
            stage, at_ms = next_stage(over, dealt_at), (dealt_at - after(0)) // timedelta(milliseconds=1)
        else:
            facts.append(match_end(over))
    return facts, rounds


def tampered(rounds: Rounds, number: int, kind: type[Any], **fields: Any) -> Rounds:
    """The rounds with the first event of a kind changed in one of them."""
    round_id, events = rounds[number]
    place = next(place for place, event in enumerate(events) if isinstance(event, kind))
    changed: Any = _but(events[place], **fields)
    return [
        *rounds[:number],
        (round_id, (*events[:place], changed, *events[place + 1 :])),
        *rounds[number + 1 :],
    ]


@pytest.mark.parametrize("played", [quick, arena])
def test_a_match_comes_out_as_it_was(played: Any) -> None:
    """Touches, jokers, an outage, leaving, breaks, results."""
    assert rerun_match(*played()) is None


def test_a_private_match_pays_nothing_and_comes_out_as_it_was() -> None:
    """It is not to be passed off as one from the queue; `sparrow verify` knows it as well."""
    facts, rounds = quick(private=True)
    end: Any = facts[-1]
    stored = [facts[0], _but(end, ends=tuple(_but(each, tiles_left=0) for each in end.ends))]
    by_version = [list(enumerate(events, 1)) for _id, events in rounds]

    assert end.points == (0, 0)
    assert rerun_match(facts, rounds) is None
    assert rerun_match([_but(facts[0], private=False), end], rounds) is not None
    assert all(finding.ok for finding in verify(stored, by_version))
    assert not all(finding.ok for finding in verify([stored[0], _but(stored[1], points=(0, 20))], by_version))


def test_a_round_comes_to_the_same_final_state() -> None:
    """The state that its events fold to."""
    _facts, [(_round_id, events)] = quick()

    assert rerun_round(events).state == fold(events)


def test_whatever_is_changed_afterwards_comes_out_otherwise() -> None:
    """A score, a record, an instant, the end, a place, points."""
    facts, rounds = quick()
    changes: list[tuple[type[Any], dict[str, Any]]] = [
        (ev.SeatRemovedPair, {"worth": 300}),
        (ev.SeatRemovedPair, {"record_ms": 1}),
        (ev.SeatTouchedBlocked, {"round_score": 900}),
        (ev.JokerUsed, {"round_score": 900}),
        (ev.RoundStarted, {"occurred_at": at(1)}),
        (ev.DealRevealed, {"nonce": bytes(32)}),
    ]
    found = [rerun_match(facts, tampered(rounds, 0, kind, **fields)) for kind, fields in changes]
    paid: Any = facts[-1]

    assert all(found), found
    assert rerun_match([facts[0], _but(paid, points=(20, 20))], rounds) is not None
    assert rerun_match(facts[:-1], rounds) is not None


def test_the_rounds_of_an_arena_are_held_against_each_other() -> None:
    """Another stage, a round less, other prizes."""
    facts, rounds = arena()
    dealt: Any = rounds[1][1][0]
    shorter = _but(dealt.stage, countdown=timedelta(seconds=1))
    end = facts[-1]
    assert isinstance(end, ArenaEnded)

    assert rerun_match(facts, tampered(rounds, 1, ev.RoundDealt, stage=shorter)) is not None
    assert rerun_match(facts, rounds[:2]) is not None
    assert rerun_match([*facts[:-1], _but(end, points=(80, 80, 80, 80))], rounds) is not None


PAIRS = "1m 1m 2m 2m"
ATTEMPT: tuple[plain.Event, ...] = (
    started(apart(4), PAIRS),
    plain.TileLifted(0, None, after(100)),
    plain.TilePutBack(0, after(200)),
    plain.TileLifted(2, None, after(300)),
    plain.JokerRequested(0, 1, 2, 3, after(400)),
    plain.JokerUsed(0, 1, 2, 3, 0, 0, after(450)),
    plain.ClockPaused(after(500), after(1_500), after(1_500)),
    plain.TileLifted(0, None, after(2_000)),
    plain.PairRemoved(0, 1, after(3_000)),
    plain.AttemptCleared(ANA, LEVEL, 1, 2_000, 3, 10, 5, after(3_000)),
)


def test_an_attempt_comes_out_as_it_was() -> None:
    """Cleared on a clock that leaves an outage out; left; started again."""
    assert rerun_attempt(ATTEMPT) is None
    assert rerun_attempt([*ATTEMPT[:3], plain.AttemptLeft(ANA, LEVEL, after(900))]) is None
    assert rerun_attempt([*ATTEMPT[:3], plain.AttemptRestarted(ANA, LEVEL, NEXT, after(900))]) is None


@pytest.mark.parametrize("field", ["elapsed_ms", "time_bonus_points", "level"])
def test_a_changed_finish_comes_out_otherwise(field: str) -> None:
    """Time, points for it, level."""
    cleared: Any = _but(ATTEMPT[-1], **{field: 9})

    assert rerun_attempt([*ATTEMPT[:-1], cleared]) is not None


class Log:
    """The two feeds of what was played."""

    def __init__(self, *streams: tuple[UUID, Sequence[Any]]) -> None:
        self.feeds: dict[Part, list[FeedEntry]] = {part: [] for part in Part}
        recorded = [
            self._recorded(stream_id, number, event)
            for stream_id, events in streams
            for number, event in enumerate(events, 1)
        ]
        for event in sorted(recorded, key=lambda each: each.occurred_at):
            feed = self.feeds[event.part]
            feed.append(FeedEntry(len(feed) + 1, event.occurred_at, bytes(32), event))

    @staticmethod
    def _recorded(stream_id: UUID, version: int, event: Any) -> RecordedEvent:
        of_attempts = type(event).__module__ == plain.__name__ and version > 0 and stream_id.int & 1
        part, name, schema, data = EventCodec().encode(event) if of_attempts else encoded(event)
        when: datetime = event.occurred_at
        return RecordedEvent(stream_id, version, part, name, schema, when, when, ANA, None, 0, data)

    async def feed_source(self, service: str, part: Part) -> str:
        """There is one."""
        return f"test/{service}/{part}"

    async def read_feed(
        self, _service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """A page."""
        feed = self.feeds[part]
        return feed[from_sequence - 1 : from_sequence - 1 + (page_size or 1_000)], len(feed)


def _odd(ms: int) -> UUID:
    return uuid7(after(ms), b"\xff" * 10)


async def test_a_range_is_run_again_and_what_differs_is_counted() -> None:
    """Matches that were begun in it, whatever their length; what still runs is counted apart."""
    facts, rounds = quick()
    others, three = arena()
    arena_id = uuid7(after(0), b"2" * 10)
    rounds_of_arena = [
        (round_id, (_but(events[0], match_id=arena_id), *events[1:])) for round_id, events in three
    ]
    others = [fact if isinstance(fact, MatchCreated) else _but(fact, match_id=arena_id) for fact in others]
    wrong = (*ATTEMPT[:-1], _but(ATTEMPT[-1], place=11))
    log = Log(
        (MATCH, facts),
        *rounds,
        (arena_id, others),
        *rounds_of_arena,
        (_odd(0), ATTEMPT),
        (_odd(5), wrong),
        (_odd(6), ATTEMPT[:4]),
        (
            _odd(120_000),
            [_but(each, occurred_at=each.occurred_at + timedelta(minutes=2)) for each in ATTEMPT],
        ),
    )
    told: list[tuple[int, int]] = []
    found = await rerun(log, after(0), after(60_000), lambda done, of: told.append((done, of)))
    nothing = await rerun(log, after(300_000), None, lambda _done, _of: None)

    assert (found.attempts, found.matches, found.rounds, found.running) == (2, 2, 4, 1)
    assert [name for name, _said in found.differences] == [f"matches/{_odd(5)}"]
    assert told[-1] == (sum(map(len, log.feeds.values())),) * 2
    assert nothing == Rerun()


def test_deadlines_decide_alike() -> None:
    """What is due comes out by itself: nothing in the log says that somebody ordered it."""
    _facts, rounds = arena()
    events = rounds[0][1]
    outs = [event for event in events if isinstance(event, ev.SeatWentOut)]

    assert len(outs) == 4
    assert settle(fold(events[:2]), events[2].occurred_at) == []
