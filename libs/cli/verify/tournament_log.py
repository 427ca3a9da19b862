"""The events of a tournament, of the matches at its tables and of its prizes, out of the feeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.cli.verify.collect import SKEW, Feeds, entries_since
from libs.cli.verify.differing import Numbered
from libs.cli.verify.tournament import PrizeMoved, prizes_due
from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventsourcing.ids import EPOCH
from services.ledger.events import TransferCancelled, TransferPosted
from services.ledger.wire import events as ledger_wire
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.match.wire.match_codec import decode_match_fact
from services.match.wire.round_codec import TYPES as MATCH_TYPES
from services.tournament.domain.tournament import events as ev
from services.tournament.wire.tournament_codec import TYPES, TournamentCodec

SERVICE: Final = "tournament"
OF_TOURNAMENTS: Final = frozenset(name for _part, name in TYPES.values())
MATCH_ENDED: Final = MATCH_TYPES[TournamentMatchEnded][1]


@dataclass(frozen=True)
class CollectedPrizes:
    """What the ledger moved for a tournament, and the keys of it that it never posts."""

    moved: tuple[PrizeMoved, ...]
    cancelled: frozenset[str]


async def tournament_events(feeds: Feeds, tournament_id: UUID) -> list[RecordedEvent]:
    """The events of a tournament by version; empty where there is none.

    The id of an occurrence of a series does not tell when it was scheduled: the feed is read whole.
    """
    recorded = [
        entry.event
        async for entry in entries_since(feeds, Part.FACTS, EPOCH, SERVICE)
        if entry.event.stream_id == tournament_id and entry.event.type in OF_TOURNAMENTS
    ]
    return sorted(recorded, key=lambda event: event.version)


async def tournament_facts(feeds: Feeds, tournament_id: UUID) -> Numbered:
    """The facts of a tournament by version; empty where there is none."""
    codec = TournamentCodec()
    return [(event.version, codec.decode(event)) for event in await tournament_events(feeds, tournament_id)]


async def ended_matches(feeds: Feeds, facts: Numbered) -> dict[UUID, TournamentMatchEnded]:
    """How the matches of the tables that were played ended, by match; absent where none has."""
    played = [fact for _version, fact in facts if isinstance(fact, ev.TablePlayed)]
    started = [fact for _version, fact in facts if isinstance(fact, ev.TournamentStarted)]
    if not played or not started:
        return {}
    missing, last_at = {fact.match_id for fact in played}, max(fact.occurred_at for fact in played)
    ended: dict[UUID, TournamentMatchEnded] = {}
    async for entry in entries_since(feeds, Part.FACTS, started[0].occurred_at - SKEW):
        if entry.event.type == MATCH_ENDED and entry.event.stream_id in missing:
            fact = decode_match_fact(entry.event)
            if isinstance(fact, TournamentMatchEnded):
                ended[entry.event.stream_id] = fact
                missing.discard(entry.event.stream_id)
        if not missing or entry.at > last_at + SKEW:
            break
    return ended


async def prizes_of(feeds: Feeds, tournament_id: UUID, told: Sequence[ev.Event]) -> CollectedPrizes:
    """What the ledger did under the keys of a tournament's prizes, as far as its feed goes."""
    awarded = [fact for fact in told if isinstance(fact, ev.PrizesAwarded)]
    prefixes = (f"tournament/{tournament_id}/", f"reversal/tournament/{tournament_id}/")
    moved, cancelled = list[PrizeMoved](), set[str]()
    last_at = told[-1].occurred_at
    first_at = awarded[0].finished_at if awarded else last_at
    due = len(prizes_due(tournament_id, told))
    async for entry in entries_since(feeds, Part.FACTS, first_at - SKEW, "ledger"):
        match ledger_wire.decode(entry.event):
            case TransferPosted(key=key) as posted if key.startswith(prefixes):
                moved.append(_moved(posted))
            case TransferCancelled(key=key) if key.startswith(prefixes):
                cancelled.add(key)
        if len(moved) >= due and entry.at > last_at + SKEW:
            break
    return CollectedPrizes(tuple(moved), frozenset(cancelled))


def _moved(posted: TransferPosted) -> PrizeMoved:
    return PrizeMoved(
        posted.key,
        posted.asset,
        posted.debit,
        posted.credit,
        posted.amount,
        posted.occurred_at,
        posted.cup_kind,
        posted.reverses,
    )
