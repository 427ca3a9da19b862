"""A small recorded log, the same every time: ten Romanian days of twelve players, one of them with 23 hours.

`python -m tests.support.events_log DIR` writes it as an export, for trying the questions of
`libs/cli/events/README.md`. Places of levels, times and points are as services would record them; who plays
what is drawn from a seed.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from google.protobuf.message import Message

from libs.cli.events.export import Order, export
from libs.cli.events.manifest import Encoding
from libs.cli.events.schema import event_type, known_services
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventsourcing.ids import derived_id
from libs.eventstore.chain import CHAIN_START, link
from libs.pb.sparrow.account.v1 import account_event_pb2 as account
from libs.pb.sparrow.ledger.v1 import ledger_event_pb2 as ledger
from libs.pb.sparrow.ledger.v1.ledger_pb2 import ASSET_CHIP, ASSET_JOKER, ASSET_POINTS
from libs.pb.sparrow.match.v1 import match_event_pb2 as match
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import round_event_pb2 as round_
from libs.pb.sparrow.solitaire.v1.solitaire_pb2 import Layout, TilePair
from services.ledger.domain.calendar import ONE_DAY, day_start, ledger_day

FIRST_DAY: Final = date(2026, 3, 23)
DAYS: Final = 10
PLAYERS: Final = tuple(UUID(int=0x0193_0000_0000_7000_8000_0000_0000_0100 + number) for number in range(12))
SITE: Final = "recorded"
RUNNING_SEED: Final = bytes(range(101, 133))
"""The seed of a match that has no end in the log."""
SYSTEM: Final = UUID(int=5)
SECOND: Final = timedelta(seconds=1)
MILLISECOND: Final = timedelta(milliseconds=1)
FACES: Final = ("B1", "B2", "B3", "C7")


@dataclass
class Feeds:
    """Feeds in memory, in pages of at most `page_max` entries."""

    entries: dict[tuple[str, Part], list[FeedEntry]] = field(default_factory=dict)
    page_max: int = 1_000

    async def feed_source(self, service: str, part: Part) -> str:
        """As the port says."""
        return f"{SITE}/{service}" if self.entries.get((service, part)) else ""

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As the port says."""
        found = self.entries.get((service, part), [])
        size = min(page_size or 500, self.page_max)
        return found[from_sequence - 1 :][:size], len(found)

    def append(self, service: str, events: Sequence[tuple[datetime, RecordedEvent]]) -> None:
        """Place events, each with its instant, in the feeds of their parts."""
        for at, event in events:
            feed = self.entries.setdefault((service, event.part), [])
            seq, before = len(feed) + 1, feed[-1].chain if feed else CHAIN_START
            feed.append(FeedEntry(seq, at, link(before, seq, at, event), event))


@dataclass
class Recorder:
    """Collects events in any order; `feeds` puts them in the order of their storing."""

    _events: dict[str, list[RecordedEvent]] = field(default_factory=lambda: defaultdict(list))
    _versions: dict[UUID, int] = field(default_factory=lambda: defaultdict(int))

    def add(
        self,
        part: Part,
        stream_id: UUID,
        occurred_at: datetime,
        message: Message,
        *,
        caller: UUID = SYSTEM,
        late: timedelta = 2 * MILLISECOND,
    ) -> str:
        """Record an event, `late` after it occurred; return its id."""
        type_ = event_type(message.DESCRIPTOR)  # type: ignore[arg-type]
        self._versions[stream_id] += 1
        event = RecordedEvent(
            stream_id=stream_id,
            version=self._versions[stream_id],
            part=part,
            type=type_,
            schema_version=1,
            occurred_at=occurred_at,
            recorded_at=occurred_at + late,
            caller=caller,
            request_id=None,
            request_events=0,
            data=message.SerializeToString(deterministic=True),
        )
        self._events[type_.split(".")[1]].append(event)
        return event.id

    def feeds(self) -> Feeds:
        """Return the log as it stands in the feeds, 5 ms after each event was stored."""
        feeds = Feeds()
        for service, events in self._events.items():
            ordered = sorted(events, key=lambda event: event.recorded_at)
            feeds.append(service, [(event.recorded_at + 5 * MILLISECOND, event) for event in ordered])
        return feeds


class _Site:
    """Players who play, and a ledger that posts what they earn."""

    def __init__(self) -> None:
        self.random = random.Random(20_260_323)
        self.recorder = Recorder()
        self.cleared: set[tuple[UUID, int]] = set()
        self.streaks: dict[UUID, int] = defaultdict(int)

    def play(self) -> Feeds:
        """Play all days, and begin one match that does not end."""
        for player in PLAYERS:
            created = account.ProfileCreated(account_id=str(player))
            self.recorder.add(Part.FACTS, player, day_start(FIRST_DAY) + SECOND, created, caller=player)
        for number in range(DAYS):
            # The last four come for a few days only.
            self._day(FIRST_DAY + number * ONE_DAY, PLAYERS[: max(8, 14 - number)])
        ana, ben = PLAYERS[:2]
        self._quick_match(ana, ben, day_start(FIRST_DAY + DAYS * ONE_DAY) - 30 * SECOND, ends=False)
        return self.recorder.feeds()

    def _day(self, day: date, players: Sequence[UUID]) -> None:
        begins = day_start(day)
        there = [
            player for at, player in enumerate(players) if at < 3 or self.random.random() < 0.8 - at / 20
        ]
        for player in PLAYERS:
            self.streaks[player] = self.streaks[player] + 1 if player in there else 0
        for player in there:
            at = begins + timedelta(hours=7) + self.random.randrange(30_000) * SECOND
            self._transfer(
                player, "DAILY_BONUS", min(10 * self.streaks[player], 100), at, f"daily/{player}/{day}"
            )
            for _ in range(self.random.randint(1, 2)):
                at += self.random.randrange(60, 1_200) * SECOND
                self._attempt(player, self.random.choice((1, 1, 2, 2, 3, 4)), at)
        for _ in range(3):
            one, other = self.random.sample(there, 2)
            self._quick_match(
                one, other, begins + timedelta(hours=17) + self.random.randrange(18_000) * SECOND
            )
        # Ends 0.1 s before midnight: it counts for the day that is over when the ledger hears of it.
        self._quick_match(
            there[0], there[1], day_start(day + ONE_DAY) - timedelta(milliseconds=100), at_end=True
        )
        midnight = day_start(day + ONE_DAY)
        closed = ledger.LedgerDayClosed(day=day.isoformat())
        self.recorder.add(Part.FACTS, derived_id(midnight, "day", str(day)), midnight, closed)

    def _attempt(self, player: UUID, level: int, at: datetime) -> None:
        stream, add = derived_id(at, "attempt", str(player)), self.recorder.add
        started = match.AttemptStarted(
            account_id=str(player),
            level=level,
            catalogue_version=1,
            layout=Layout(name="layouts/small"),
            faces=FACES,
        )
        begun, ends = at, self.random.random()
        add(Part.MOVES, stream, at, started, caller=player)
        for pair in range(self.random.randint(1, 2)):
            at += self.random.randrange(400, 9_000) * MILLISECOND
            add(Part.MOVES, stream, at, match.TileLifted(tile=2 * pair), caller=player)
            at += 300 * MILLISECOND
            removed = match.PairRemoved(pair=TilePair(first=2 * pair, second=2 * pair + 1))
            add(Part.MOVES, stream, at, removed, caller=player)
        if ends < 0.15 * level:
            at += 5 * SECOND
            left = match.AttemptLeft(account_id=str(player), level=level)
            add(Part.FACTS, stream, at, left, caller=player)
            return
        first = (player, level) not in self.cleared
        self.cleared.add((player, level))
        cleared = match.AttemptCleared(
            account_id=str(player),
            level=level,
            catalogue_version=1,
            elapsed_ms=(at - begun) // MILLISECOND,
            place=1,
            first_completion_points=10 if first else 0,
        )
        cause = add(Part.FACTS, stream, at, cleared, caller=player)
        if first:
            self._transfer(player, "LEVEL_FIRST", 10, at, f"level/{level}/first/{player}", cause)

    def _quick_match(
        self, one: UUID, other: UUID, at: datetime, *, ends: bool = True, at_end: bool = False
    ) -> None:
        """Play a match from an instant on, or up to it."""
        seed = RUNNING_SEED if not ends else self.random.randbytes(32)
        took = timedelta(seconds=self.random.randint(60, 240))
        at = at - took if at_end else at
        game, played = derived_id(at, "match", str(one)), derived_id(at, "round", str(one))
        seats, add = (str(one), str(other)), self.recorder.add
        add(
            Part.FACTS,
            game,
            at,
            match.MatchCreated(mode="quick_match", account_ids=seats, round_id=str(played)),
        )
        dealt = round_.RoundDealt(
            match_id=str(game),
            account_ids=seats,
            level=3,
            catalogue_version=1,
            layout=Layout(name="layouts/small"),
            distinct_faces=4,
            faces=FACES,
            seed=seed,
            nonce=seed[::-1],
            commitment=bytes(32),
        )
        add(Part.MOVES, played, at, dealt)
        add(Part.MOVES, played, at + 3 * SECOND, round_.RoundStarted())
        scores, winner = [0, 0], self.random.randrange(2)
        for number in range(self.random.randint(4, 9)):
            seat = winner if self.random.random() < 0.6 else 1 - winner
            chance = self.random.random() - (0.1 if seat == winner else 0)
            kind = (
                match_pb2.PAIR_KIND_CRUCIAL if chance < 0.1
                else match_pb2.PAIR_KIND_PACE if chance < 0.5
                else match_pb2.PAIR_KIND_PLAIN
            )  # fmt: skip
            worth = 100 * kind
            scores[seat] += worth
            removed = round_.SeatRemovedPair(
                seat=seat,
                pair=TilePair(first=number, second=number + 1),
                kind=kind,
                worth=worth,
                round_score=scores[seat],
                took_ms=2_000,
                record_ms=2_000,
                crucial=kind == match_pb2.PAIR_KIND_CRUCIAL,
            )
            add(Part.MOVES, played, at + (4 + 3 * number) * SECOND, removed, caller=UUID(seats[seat]))
        if ends:
            self._end_match(game, played, seats, scores, at + took, seed)

    def _end_match(
        self, game: UUID, played: UUID, seats: tuple[str, str], scores: list[int], at: datetime, seed: bytes
    ) -> None:
        add, best = self.recorder.add, max(scores)
        places = [1 if score == best else 2 for score in scores]
        points = [15 if place == 1 and places.count(1) == 1 else 0 for place in places]
        rows = list(zip(seats, places, scores, points, strict=True))
        ended = round_.RoundEnded(ending=match_pb2.ROUND_ENDING_TIME)
        result = match.QuickMatchEnded(match_id=str(game))
        for account_id, place, score, earned in rows:
            ended.seats.add(place=place, round_score=score, tiles_left=8)
            result.seats.add(account_id=account_id, place=place, round_score=score, points=earned)
        add(Part.FACTS, played, at, ended)
        revealed = round_.DealRevealed(
            catalogue_version=1, layout="layouts/small", distinct_faces=4, seed=seed, nonce=seed[::-1]
        )
        add(Part.FACTS, played, at, revealed)
        cause = add(Part.FACTS, game, at, result)
        for account_id, _place, _score, earned in rows:
            if earned:
                key = f"match/{game}/quick/{account_id}"
                self._transfer(UUID(account_id), "QUICK_MATCH", earned, at, key, cause)

    def _transfer(
        self, player: UUID, reason: str, amount: int, at: datetime, key: str, cause: str = ""
    ) -> None:
        """Post points; a joker and chips come along with the first bonus."""
        late = self.random.randrange(8, 120) * MILLISECOND
        issued = [(ASSET_POINTS, "house/points", amount, reason, key)]
        if reason == "DAILY_BONUS" and amount == 100:
            issued.append((ASSET_JOKER, "house/jokers", 1, "DAILY_BONUS", f"{key}/joker"))
        if reason == "DAILY_BONUS" and amount == 10:
            issued.append((ASSET_CHIP, "house/chips", 200, "CHIP_TOP_UP", f"{key}/chips"))
        for asset, house, given, why, named in issued:
            posted = ledger.TransferPosted(
                key=named, asset=asset, debit=house, credit=f"players/{player}", amount=given, reason=why,
                day=ledger_day(at).isoformat(), time_zone_data="2026.1",
                cause=f"{SITE}/match:{cause}" if cause else "",
            )  # fmt: skip
            self.recorder.add(Part.FACTS, derived_id(at, named), at, posted, late=late)


def recorded_feeds() -> Feeds:
    """Return the log as feeds."""
    return _Site().play()


def main(folder: str) -> None:
    """Write the log as an export."""
    order = Order(known_services(), Encoding.PARQUET)
    asyncio.run(export(recorded_feeds(), order, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
