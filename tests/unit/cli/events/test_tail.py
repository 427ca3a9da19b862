"""The live log: nothing skipped, nothing repeated, whatever happens to the server."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from datetime import UTC, datetime, timedelta

import grpc
import pytest

from libs.cli.events import tail
from libs.cli.events.feeds import FeedChanged, MintedTokens
from libs.cli.events.schema import known_services
from libs.cli.events.tail import Position, follow, positions
from libs.cli.events.tail_lines import tell_events
from libs.client.errors import UnreachableError
from libs.eventsourcing.envelope import FeedEntry, Part
from tests.support.events_log import RUNNING_SEED, Feeds, recorded_feeds


class Flickering(Feeds):
    """Feeds that grow by a few entries with each read, and do not answer every thirteenth time."""

    def __init__(self) -> None:
        super().__init__()
        whole = recorded_feeds()
        self.coming = {key: list(entries) for key, entries in whole.entries.items()}
        self.reads = 0
        self.page_max = 9

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As the port says, most of the time."""
        self.reads += 1
        if self.reads % 13 == 0:
            raise UnreachableError("UNAVAILABLE", grpc.StatusCode.UNAVAILABLE)
        for key, entries in self.coming.items():
            self.entries.setdefault(key, []).extend(entries[:5])
            del entries[:5]
        return await super().read_feed(service, part, from_sequence, page_size)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause while nothing comes."""
    monkeypatch.setattr(tail, "AWAY_S", 0)


async def taken(feeds: Feeds, begin: list[Position], count: int) -> list[tuple[str, Part, int]]:
    """Follow until so many entries came: their feeds and sequences."""
    found: list[tuple[str, Part, int]] = []
    async with aclosing(follow(feeds, begin, lambda _: None, poll_s=0)) as coming:  # type: ignore[type-var]
        async for feed, entry in coming:
            found.append((feed.service, feed.part, entry.seq))
            if len(found) == count:
                break
    return found


async def test_nothing_is_skipped_or_repeated_while_the_server_comes_and_goes() -> None:
    """Each feed comes from its first entry on, gapless."""
    feeds = Flickering()
    total = sum(map(len, feeds.coming.values()))
    begin = [Position(service, part, 0, bytes(32)) for service in known_services() for part in Part]
    found = await asyncio.wait_for(taken(feeds, begin, total), 30)

    for service in known_services():
        for part in Part:
            came = [seq for name, of, seq in found if (name, of) == (service, part)]
            assert came == list(range(1, len(feeds.entries.get((service, part), [])) + 1))


async def test_it_begins_now_or_where_it_was_told(feeds: Feeds) -> None:
    """At the ends of the feeds; or with what was placed at an instant or later."""
    now = await positions(feeds, ("match",), None)
    early = await positions(feeds, ("match",), datetime(2026, 3, 24, tzinfo=UTC))

    assert [at.seq for at in now] == [len(feeds.entries["match", part]) for part in Part]
    for at in early:
        entries = feeds.entries["match", at.part]
        assert 0 < at.seq < len(entries)
        assert entries[at.seq - 1].at < datetime(2026, 3, 24, tzinfo=UTC) <= entries[at.seq].at
        assert at.chain == entries[at.seq - 1].chain


async def test_a_log_that_was_replaced_is_told() -> None:
    """A feed that ends earlier, or goes on after another entry, is not the one that was followed."""
    feeds = recorded_feeds()
    ledger = feeds.entries["ledger", Part.FACTS]
    (facts, _) = await positions(feeds, ("ledger",), None)
    del ledger[-5:]
    with pytest.raises(FeedChanged, match="ends with"):
        await taken(feeds, [facts], 1)
    other = Position("ledger", Part.FACTS, 50, bytes(32))
    with pytest.raises(FeedChanged, match="51 does not follow on 50"):
        await taken(feeds, [other], 1)


class Drained(Feeds):
    """Feeds that end the test once nothing comes any more."""

    empty = 0

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As the port says."""
        entries, end = await super().read_feed(service, part, from_sequence, page_size)
        self.empty = 0 if entries else self.empty + 1
        if self.empty > len(Part):
            raise EOFError
        return entries, end


async def lines(capsys: pytest.CaptureFixture[str], types: str, *, as_json: bool) -> list[str]:
    """What is printed of the whole log."""
    since = datetime(2020, 1, 1, tzinfo=UTC)
    feeds = Drained(recorded_feeds().entries)
    with pytest.raises(EOFError):
        await tell_events(feeds, ("match",), types, since, as_json=as_json)
    return capsys.readouterr().out.splitlines()


async def test_deals_are_withheld_and_types_chosen(capsys: pytest.CaptureFixture[str], feeds: Feeds) -> None:
    """Lines of JSON have the columns of an export."""
    printed = [json.loads(line) for line in await lines(capsys, "*.round_dealt.*", as_json=True)]
    moves = feeds.entries["match", Part.MOVES]
    dealt = [entry.seq for entry in moves if entry.event.type == "sparrow.match.round_dealt.v1"]

    assert [row["seq"] for row in printed] == dealt
    assert {row["withheld"] for row in printed} == {"data"}
    assert RUNNING_SEED.hex() not in json.dumps(printed)


async def test_people_read_a_line_an_event(capsys: pytest.CaptureFixture[str]) -> None:
    """Time, place, type and what it says, nothing that moves a terminal."""
    printed = await lines(capsys, "*quick_match_ended*", as_json=False)

    assert all("  quick_match_ended.v1  {" in line and line.isprintable() for line in printed)
    assert len(printed) == 40


async def test_tokens_are_made_anew_before_they_expire() -> None:
    """After half a minute, and when one was refused."""
    now, made = [datetime(2026, 3, 1, tzinfo=UTC)], iter("abc")
    tokens = MintedTokens(lambda: next(made), lambda: now[0])

    assert [await tokens.token(), await tokens.token()] == ["a", "a"]
    now[0] += timedelta(seconds=31)
    assert await tokens.token() == "b"
    await tokens.renew("a")
    assert await tokens.token() == "b"
    await tokens.renew("b")
    assert await tokens.token() == "c"
