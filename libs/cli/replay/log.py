"""Whole games out of the two feeds of the match service: attempts, races, the pool's, matches with rounds.

The feeds are read side by side in the order of their instants, so that no more is held than what was being
played at one time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.cli.events.feeds import Feeds, Range, pages, range_between
from libs.cli.replay.ratings import RatingBook
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import birth_of
from services.match import events as plain
from services.match.domain.pool import events as pool
from services.match.domain.race import events as race
from services.match.domain.race.rating import Rating
from services.match.domain.rivals import events as ev
from services.match.domain.rivals.match_events import (
    ArenaEnded,
    MatchCreated,
    MatchEvent,
    MatchRoundEnded,
    QuickMatchEnded,
    TournamentMatchEnded,
)
from services.match.wire.event_codec import TYPES as ATTEMPT_TYPES
from services.match.wire.event_codec import EventCodec
from services.match.wire.match_codec import decode_match_fact
from services.match.wire.pool_codec import TYPES as POOL_TYPES
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import TYPES as RACE_TYPES
from services.match.wire.race_codec import RaceCodec
from services.match.wire.round_codec import TYPES, RoundCodec

LATE: Final = timedelta(minutes=1)
"""How much later than it was born a stream may first come in the log."""
Advance = Callable[[int, int], None]
_ATTEMPT: Final = ATTEMPT_TYPES[plain.AttemptStarted][1]
_ROUND: Final = TYPES[ev.RoundDealt][1]
_MATCH: Final = TYPES[MatchCreated][1]
_RACE: Final = RACE_TYPES[race.RaceDealt][1]
_POOL: Final = POOL_TYPES[pool.PoolDealt][1]
_GAMES: Final = frozenset({_ATTEMPT, _MATCH, _RACE, _POOL})
_LAST: Final = frozenset(
    {
        *(
            ATTEMPT_TYPES[kind][1]
            for kind in (plain.AttemptCleared, plain.AttemptLeft, plain.AttemptRestarted)
        ),
        *(TYPES[kind][1] for kind in (ev.DealRevealed, QuickMatchEnded, ArenaEnded, TournamentMatchEnded)),
        RACE_TYPES[race.RaceEnded][1],
        POOL_TYPES[pool.PoolDealRevealed][1],
    }
)


@dataclass(frozen=True)
class FinishedAttempt:
    """An attempt from its start to its end."""

    attempt_id: UUID
    events: tuple[plain.Event, ...]


@dataclass(frozen=True)
class FinishedMatch:
    """A match, and its rounds in their order."""

    match_id: UUID
    facts: tuple[MatchEvent, ...]
    rounds: tuple[tuple[UUID, tuple[ev.Event, ...]], ...]


@dataclass(frozen=True)
class FinishedRace:
    """A race, and the ratings ahead of it where it counts for them."""

    race_id: UUID
    events: tuple[race.Event, ...]
    before: Mapping[UUID, Rating]


@dataclass(frozen=True)
class FinishedPool:
    """A game of the pool: training, or a match."""

    game_id: UUID
    events: tuple[pool.Event, ...]


Finished = FinishedAttempt | FinishedMatch | FinishedRace | FinishedPool


@dataclass
class Games:
    """The games that were begun from `since` on and before `until`; what is still open when the log ends."""

    since: datetime | None
    until: datetime | None
    _open: dict[UUID, list[RecordedEvent]] = field(default_factory=dict)
    _matches: dict[UUID, tuple[MatchEvent, ...]] = field(default_factory=dict)
    _rounds: dict[UUID, tuple[ev.Event, ...]] = field(default_factory=dict)
    _elsewhere: set[UUID] = field(default_factory=set)
    _ratings: RatingBook = field(default_factory=RatingBook)

    @property
    def running(self) -> int:
        """How many games of the range have not ended in the log."""
        begun = (stream[0].type for stream in self._open.values() if stream[0].version == 1)
        return sum(kind in _GAMES for kind in begun) + len(self._matches)

    async def finished(self, feeds: Feeds, advance: Advance) -> AsyncIterator[Finished]:
        """Yield the games in the order of their ends."""
        ranges = [await range_between(feeds, "match", part, self.since, None) for part in Part]
        total, done = sum(each.count for each in ranges), 0
        async for entry in side_by_side(*(entries_of(feeds, each) for each in ranges)):
            done += 1
            if self.until is not None and entry.at > self.until + LATE and not self.running:
                break
            self._ratings.take(entry.event)
            for game in self._take(entry.event):
                yield await self._knowing(feeds, game, ranges[0].first)
            if not done % 1_000:
                advance(done, total)
        advance(total, total)

    async def _knowing(self, feeds: Feeds, game: Finished, first: int) -> Finished:
        """The game, with the ratings ahead of it where it counts for them."""
        ended = game.events[-1] if isinstance(game, FinishedRace) else None
        if not isinstance(game, FinishedRace) or not isinstance(ended, race.RaceEnded) or not ended.rated:
            return game
        accounts = [account for account in ended.accounts if account is not None]
        return replace(game, before=await self._ratings.ahead_of(feeds, game.race_id, accounts, first))

    def _take(self, event: RecordedEvent) -> Iterator[Finished]:
        stream_id = event.stream_id
        if stream_id in self._elsewhere:
            return
        events = self._open.setdefault(stream_id, [])
        events.append(event)
        events.sort(key=lambda each: each.version)
        if events[0].version == 1 and not self._is_wanted(events[0]):
            self._elsewhere.add(stream_id)
            del self._open[stream_id]
            return
        is_whole = events[0].version == 1 and events[-1].version == len(events)
        if is_whole and events[-1].type in _LAST:
            del self._open[stream_id]
            yield from self._ended(stream_id, events)

    def _is_wanted(self, first: RecordedEvent) -> bool:
        """Whether a stream is a game of the range; rounds belong to whenever their match was begun."""
        match first.type:
            case kind if kind == _ROUND:
                dealt = RoundCodec().decode(first)
                assert isinstance(dealt, ev.RoundDealt)
                return self._holds(birth_of(dealt.match_id))
            case kind if kind in _GAMES:
                return self._holds(birth_of(first.stream_id))
            case _:
                return False

    def _holds(self, born_at: datetime) -> bool:
        return (self.since is None or born_at >= self.since) and (self.until is None or born_at < self.until)

    def _ended(self, stream_id: UUID, events: list[RecordedEvent]) -> Iterator[Finished]:
        match events[0].type:
            case kind if kind == _ATTEMPT:
                codec = EventCodec()
                yield FinishedAttempt(stream_id, tuple(codec.decode(event) for event in events))
            case kind if kind == _ROUND:
                rounds = RoundCodec()
                told = tuple(rounds.decode(event) for event in events)
                self._rounds[stream_id] = told
                assert isinstance(told[0], ev.RoundDealt)
                yield from self._whole_match(told[0].match_id)
            case kind if kind == _RACE:
                races = RaceCodec()
                yield FinishedRace(stream_id, tuple(races.decode(event) for event in events), {})
            case kind if kind == _POOL:
                pools = PoolCodec()
                yield FinishedPool(stream_id, tuple(pools.decode(event) for event in events))
            case _:
                facts = (decode_match_fact(event) for event in events)
                self._matches[stream_id] = tuple(fact for fact in facts if fact is not None)
                yield from self._whole_match(stream_id)

    def _whole_match(self, match_id: UUID) -> Iterator[FinishedMatch]:
        facts = self._matches.get(match_id, ())
        ids = [fact.round_id for fact in facts if isinstance(fact, MatchCreated)]
        ids += [
            fact.next_round_id for fact in facts if isinstance(fact, MatchRoundEnded) and fact.next_round_id
        ]
        if not ids or not all(round_id in self._rounds for round_id in ids):
            return
        del self._matches[match_id]
        yield FinishedMatch(
            match_id, facts, tuple((round_id, self._rounds.pop(round_id)) for round_id in ids)
        )


async def entries_of(feeds: Feeds, wanted: Range) -> AsyncIterator[FeedEntry]:
    """The entries of a range, one by one."""
    async for page in pages(feeds, wanted):
        for entry in page:
            yield entry


async def side_by_side(
    one: AsyncIterator[FeedEntry], other: AsyncIterator[FeedEntry]
) -> AsyncIterator[FeedEntry]:
    """The entries of two feeds by their instants."""
    heads = [await anext(one, None), await anext(other, None)]
    feeds = (one, other)
    while any(head is not None for head in heads):
        _at, number = min((head.at, number) for number, head in enumerate(heads) if head is not None)
        entry = heads[number]
        assert entry is not None, "the earliest one is there"
        yield entry
        heads[number] = await anext(feeds[number], None)
