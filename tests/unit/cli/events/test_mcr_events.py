"""MCR in exports: what is secret while a deal goes on is nowhere, and afterwards SQL asks all of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from libs.cli.events.answers import ask
from libs.cli.events.database import open_database
from libs.cli.events.export import Order, export
from libs.cli.events.manifest import Encoding
from libs.cli.events.reading import read_entries
from libs.cli.events.schema import known_types
from libs.cli.events.withholding import DEALS
from libs.eventsourcing.envelope import Part
from libs.eventstore.chain import link
from libs.pb.sparrow.mcr.v1 import deal_event_pb2 as pb
from libs.pb.sparrow.mcr.v1.deal_pb2 import TileSource
from libs.rules.mcr.wall import TILES
from services.mcr.domain.deal.events import DealDealt, WallRevealed
from services.mcr.domain.deal.terms import Ai, Person
from services.mcr.domain.session.events import TableClosed
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.events_log import Feeds
from tests.support.golden_events import REPOSITORY
from tests.support.mcr_deals import PLAYERS
from tests.support.mcr_tables import PlayedTable, played_table
from tests.support.stored_feeds import Stored

SECRET = "Secret until the deal has ended"
ENDING = 2
"""The last facts of a deal: its end, and the wall."""


@pytest.fixture(scope="module")
def table() -> PlayedTable:
    """Two deals of two persons and two AI players."""
    return played_table((Person(PLAYERS[0]), Ai(), Person(PLAYERS[1]), Ai()), 2)


def logged(table: PlayedTable, *, running: bool) -> Feeds:
    """The feeds of the service, without the last deal's end and what follows it while that is running."""
    stored, deals = Stored(), list(table.deals.items())
    for number, (deal_id, events) in enumerate(deals, 1):
        is_last = number == len(deals)
        stored.play(deal_id, DealCodec(), events[:-ENDING] if is_last and running else events, "mcr")
    facts = table.facts[:-ENDING] if running else table.facts
    stored.play(table.terms.table_id, TableCodec(), facts, "mcr")
    feeds = Feeds()
    for feed in stored.entries.values():
        feeds.append("mcr", [(entry.at, entry.event) for entry in sorted(feed, key=lambda each: each.at)])
    return feeds


async def exported(table: PlayedTable, folder: Path, *, running: bool) -> Path:
    """An export of these feeds."""
    await export(logged(table, running=running), Order(("mcr",), Encoding.JSONL), folder)
    return folder


def secret_fields() -> dict[str, set[str]]:
    """By event type, what the contract calls secret: fields by their comments, or whole messages."""
    found: dict[str, set[str]] = {}
    text = (REPOSITORY / "protos/sparrow/mcr/v1/deal_event.proto").read_text(encoding="utf-8")
    messages = re.findall(r"((?:^//[^\n]*\n)+)message (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    for comment, name, body in messages:
        fields = re.findall(r"((?: +//.*\n)+) +.*?(\w+) = \d+;", body)
        secret = {field for said, field in fields if SECRET in said or SECRET in comment}
        if secret:
            found[type_of(name)] = secret
    return found


def type_of(message: str) -> str:
    """The event type of a message of that file."""
    mcr = {each.DESCRIPTOR.name: kind for kind, each in known_types().items() if ".mcr." in kind}
    return mcr[message]


def test_every_field_that_the_contract_calls_secret_is_withheld() -> None:
    """And no event with such a field is told as a whole."""
    secret = secret_fields()

    assert len(secret) == 8
    assert sum(map(len, secret.values())) == 21
    assert {kind for kind in DEALS if kind.startswith("sparrow.mcr.")} == set(secret)
    for kind, fields in secret.items():
        assert not fields & DEALS[kind].open_fields


async def test_nothing_secret_of_a_running_deal_leaves_and_the_finished_one_is_whole(
    table: PlayedTable, tmp_path: Path
) -> None:
    """Neither as a field nor as bytes; who discarded what stands there."""
    folder = await exported(table, tmp_path / "running", running=True)
    first, running = table.deals
    revealed = table.deals[running][-1]
    assert isinstance(revealed, WallRevealed)

    seen: list[Any] = []
    for one in read_entries(folder, "mcr", Part.MOVES):
        kind, message = one.entry.event.type, one.message
        assert message is not None
        is_withheld = one.entry.event.stream_id == running and kind in DEALS
        assert bool(one.withheld) == is_withheld
        if is_withheld:
            assert one.entry.event.data == b""
            assert {name for name, value in message.items() if value is not None} <= DEALS[kind].open_fields
            seen += [message["tile"]] if kind.endswith("tile_discarded.v1") else []
    assert seen and None not in seen
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    for secret in (revealed.seed, revealed.nonce):
        assert secret not in content
        assert secret.hex().encode() not in content
    assert {one.entry.event.stream_id for one in read_entries(folder, "mcr", Part.MOVES)} == {first, running}


async def test_no_guess_of_a_withheld_tile_is_proved_by_the_chain(table: PlayedTable, tmp_path: Path) -> None:
    """A chain value is a hash of the whole entry: all tiles that could have been drawn are tried in vain."""
    folder = await exported(table, tmp_path / "running", running=True)
    chain, tried = b"", 0
    for one in read_entries(folder, "mcr", Part.MOVES):
        before, chain = chain, one.entry.chain
        if not one.withheld or not one.entry.event.type.endswith("tile_drawn.v1"):
            continue
        assert one.message is not None
        seat, source = one.message["seat"], TileSource.Value(one.message["source"])
        for tile, may_win in product(range(TILES), (False, True)):
            data = pb.TileDrawn(seat=seat, tile=tile, source=source, may_win=may_win).SerializeToString()
            guess = replace(one.entry.event, data=data)
            assert link(before, one.entry.seq, one.entry.at, guess) != chain
            tried += 1
    assert tried > TILES


async def test_sql_asks_what_tables_came_to(table: PlayedTable, tmp_path: Path) -> None:
    """Payments by seat with their accounts, fans, discards; everything once the table has closed."""
    folder = await exported(table, tmp_path / "closed", running=False)
    closed = table.facts[-1]
    assert isinstance(closed, TableClosed)

    with open_database(folder) as database:

        def rows(sql: str) -> Sequence[tuple[Any, ...]]:
            return list(ask(database, sql).rows)

        sums = rows(
            "SELECT seat - 1, coalesce(sum(outcome.won.payments[seat]), 0) FROM mcr.deal_finished,"
            " generate_series(1, 4) AS s (seat) GROUP BY seat ORDER BY seat"
        )
        fans = rows(
            "SELECT count(*) FROM mcr.deal_finished, unnest(outcome.won.score.fans) AS f (fan)"
            " WHERE outcome.won IS NOT NULL"
        )
        accounts = rows("SELECT DISTINCT accounts[1], accounts[2] FROM mcr.deal_finished")
        walls = rows("SELECT seed FROM mcr.deal_dealt ORDER BY number")
        drawn = rows("SELECT count(*) FROM mcr.tile_drawn WHERE tile IS NULL")

    assert [int(total) for _seat, total in sums] == list(closed.totals)
    assert fans[0][0] > 0
    assert accounts == [(str(PLAYERS[0]), "")]
    dealt = [events[0] for events in table.deals.values()]
    assert walls == [(fact.wall.seed.hex(),) for fact in dealt if isinstance(fact, DealDealt)]
    assert drawn == [(0,)]
