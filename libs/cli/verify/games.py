"""Any match by its id: which mode it is of, whether it is over, and what working it out anew finds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.cli.verify.attempt import verify_attempt
from libs.cli.verify.collect import LATE, SKEW, Feeds, collect, entries_since
from libs.cli.verify.escrow import check_escrow, transfers_of
from libs.cli.verify.matches import verify as verify_rounds
from libs.cli.verify.pool import verify_pool
from libs.cli.verify.race import verify_race
from libs.cli.verify.ratings import ratings_before
from libs.cli.verify.recompute import Finding
from libs.cli.verify.table import verify_table
from libs.cli.verify.table_log import collect_table, points_of
from libs.cli.verify.tournament import verify_tournament
from libs.cli.verify.tournament_log import ended_matches, prizes_of, tournament_facts
from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventsourcing.ids import birth_of
from services.match.domain.pool import events as pool_events
from services.match.domain.race.events import RaceDealt, RaceEnded
from services.match.events import AttemptCleared, AttemptLeft, AttemptRestarted, AttemptStarted
from services.match.wire import event_codec, pool_codec, race_codec

RACE_ENDED: Final = race_codec.TYPES[RaceEnded][1]
LAST: Final = frozenset(
    {
        RACE_ENDED,
        pool_codec.TYPES[pool_events.PoolDealRevealed][1],
        event_codec.TYPES[AttemptCleared][1],
        event_codec.TYPES[AttemptLeft][1],
        event_codec.TYPES[AttemptRestarted][1],
    }
)
"""The last event of a race, of a game of the pool, of an attempt."""
ATTEMPT_STARTED: Final = event_codec.TYPES[AttemptStarted][1]
RACE_DEALT: Final = race_codec.TYPES[RaceDealt][1]
POOL_DEALT: Final = pool_codec.TYPES[pool_events.PoolDealt][1]


@dataclass(frozen=True)
class NotThere:
    """No match has this id."""


@dataclass(frozen=True)
class NotOver:
    """The match goes on: its deals are secret."""


async def verify_match(feeds: Feeds, match_id: UUID) -> list[Finding] | NotThere | NotOver:
    """Read a match and everything that it brought about, and work it out anew."""
    collected = await collect(feeds, match_id)
    if collected.facts:
        return verify_rounds(collected.facts, collected.rounds) if collected.is_over else NotOver()
    events = await own_events(feeds, match_id)
    begun = events[0].type if events else None
    if begun not in {RACE_DEALT, POOL_DEALT, ATTEMPT_STARTED}:
        return NotThere()
    if not any(event.type in LAST for event in events):
        return NotOver()
    if begun == RACE_DEALT:
        return await _race(feeds, events)
    if begun == POOL_DEALT:
        return await _pool(feeds, match_id, events)
    codec = event_codec.EventCodec()
    return verify_attempt([(event.version, codec.decode(event)) for event in events])


async def verify_played_table(feeds: Feeds, table_id: UUID) -> list[Finding] | NotThere | NotOver:
    """Read an MCR table, its deals and its points, and work them out anew."""
    collected = await collect_table(feeds, table_id)
    if not collected.facts:
        return NotThere()
    if not collected.is_over:
        return NotOver()
    return verify_table(collected.facts, collected.deals, await points_of(feeds, collected))


async def verify_held_tournament(feeds: Feeds, tournament_id: UUID) -> list[Finding] | NotThere:
    """Read a tournament, its matches and its prizes, and work out anew what there is of it so far."""
    facts = await tournament_facts(feeds, tournament_id)
    if not facts:
        return NotThere()
    matches = await ended_matches(feeds, facts)
    prizes = await prizes_of(feeds, tournament_id, [fact for _version, fact in facts])
    return verify_tournament(tournament_id, facts, matches, prizes.moved, prizes.cancelled)


async def own_events(feeds: Feeds, game_id: UUID) -> list[RecordedEvent]:
    """The events of a game that is one stream, by version; empty where there is no such stream."""
    if not await _is_there(feeds, game_id):
        return []
    facts, until = await _own(feeds, Part.FACTS, game_id, None)
    moves, _until = await _own(feeds, Part.MOVES, game_id, until)
    return sorted([*facts, *moves], key=lambda event: event.version)


async def _is_there(feeds: Feeds, game_id: UUID) -> bool:
    """Whether a game has its first event, which comes with its birth."""
    born_at = birth_of(game_id)
    async for entry in entries_since(feeds, Part.MOVES, born_at - SKEW):
        if entry.event.stream_id == game_id:
            return True
        if entry.at > born_at + LATE:
            break
    return False


async def _own(
    feeds: Feeds, part: Part, game_id: UUID, until: datetime | None
) -> tuple[list[RecordedEvent], datetime | None]:
    """A game's events in a part up to an instant, or to its last event; and until when others may come."""
    found: list[RecordedEvent] = []
    async for entry in entries_since(feeds, part, birth_of(game_id) - SKEW):
        if until is not None and entry.at > until:
            break
        if entry.event.stream_id == game_id:
            found.append(entry.event)
            if entry.event.type in LAST:
                until = entry.at + LATE
    return found, until


async def _race(feeds: Feeds, events: list[RecordedEvent]) -> list[Finding]:
    codec = race_codec.RaceCodec()
    numbered = [(event.version, codec.decode(event)) for event in events]
    ended = next(event for _version, event in numbered if isinstance(event, RaceEnded))
    before = await ratings_before(feeds, ended) if ended.rated else {}
    return verify_race(numbered, before)


async def _pool(feeds: Feeds, match_id: UUID, events: list[RecordedEvent]) -> list[Finding]:
    codec = pool_codec.PoolCodec()
    numbered = [(event.version, codec.decode(event)) for event in events]
    findings = verify_pool(numbered)
    told = [event for _version, event in numbered]
    dealt = [event for event in told if isinstance(event, pool_events.PoolDealt)]
    ended = [event for event in told if isinstance(event, pool_events.PoolEnded)]
    if dealt and ended and not dealt[0].terms.is_training:
        paid = {event.seat for event in told if isinstance(event, pool_events.StakePaid)}
        transfers = await transfers_of(feeds, match_id, ended[0].occurred_at)
        findings.append(check_escrow(match_id, dealt[0].terms, paid, ended[0], transfers))
    return findings
