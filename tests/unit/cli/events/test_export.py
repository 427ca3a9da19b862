"""Exports: what they hold, what they withhold, and what is left of one that was interrupted."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from libs.cli.events.database import open_database
from libs.cli.events.days import FIRST, LAST
from libs.cli.events.documents import document
from libs.cli.events.export import Order, export
from libs.cli.events.feeds import FeedChanged
from libs.cli.events.manifest import MANIFEST, Encoding, Manifest, NoExport, sha256_of
from libs.cli.events.reading import read_entries, read_transfers
from libs.cli.events.rows import DATA, REQUEST_ID
from libs.cli.events.schema import descriptor_set, known_services, known_types
from libs.cli.events.withholding import DEALS, REVEALING
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.chain import CHAIN_START
from libs.pb.sparrow.match.v1 import round_event_pb2
from tests.support.events_log import RUNNING_SEED, SYSTEM, Feeds, recorded_feeds

MIDDLE = datetime(2026, 3, 28, 22, tzinfo=UTC)  # Romanian midnight, before the day of 23 hours
ALL = Order(known_services(), Encoding.JSONL)
DEALT = "sparrow.match.round_dealt.v1"


def running_round(feeds: Feeds) -> FeedEntry:
    """The deal of the match that has no end."""
    moves = feeds.entries["match", Part.MOVES]
    return next(entry for entry in moves if RUNNING_SEED in entry.event.data)


def names_in(folder: Path) -> set[str]:
    """The names of all that lies in a folder."""
    return {path.name for path in folder.iterdir()}


def everything_in(folder: Path) -> bytes:
    """All that the files of an export say, whatever their format."""
    found = b"".join(path.read_bytes() for path in folder.iterdir())
    with open_database(folder) as database:
        rows = database.execute("SELECT * FROM events").fetchall()
    return found + repr(rows).encode() + b"".join(row[17] or b"" for row in rows)


def test_an_export_holds_what_the_feeds_hold(feeds: Feeds, exported: Path) -> None:
    """Every entry once and in order, equal in every column, with its message decoded."""
    for service in known_services():
        for part in Part:
            found = list(read_entries(exported, service, part))
            expected = feeds.entries.get((service, part), [])
            assert [one.entry for one in found if not one.withheld] == [
                entry for entry, one in zip(expected, found, strict=True) if not one.withheld
            ]
            for entry, one in zip(expected, found, strict=True):
                assert (one.entry.seq, one.entry.chain) == (entry.seq, entry.chain)
                if not one.withheld:
                    message = known_types()[entry.event.type].FromString(entry.event.data)
                    assert one.message == document(message)


def test_the_deal_of_a_running_match_is_nowhere_in_an_export(feeds: Feeds, exported: Path) -> None:
    """Neither seed nor nonce, in no encoding; who plays stands there."""
    content = everything_in(exported)
    for secret in (RUNNING_SEED, RUNNING_SEED[::-1]):
        assert secret not in content
        assert secret.hex().encode() not in content.lower()
        assert b64encode(secret).rstrip(b"=") not in content
    withheld = [one for one in read_entries(exported, "match", Part.MOVES) if one.withheld]
    (one,) = withheld
    assert one.entry.event.id == running_round(feeds).event.id
    assert one.entry.event.data == b""
    assert one.message is not None
    assert one.message["account_ids"]
    assert (one.message["seed"], one.message["faces"], one.message["nonce"]) == (None, None, None)
    assert sum(file.withheld for file in Manifest.read(exported).files) == 1


async def test_a_deal_leaves_once_its_end_is_in_the_log_even_outside_the_range(tmp_path: Path) -> None:
    """The end is placed after `until`; the deal before it is told all the same."""
    feeds = recorded_feeds()
    dealt = running_round(feeds)
    order = replace(ALL, until=dealt.at + timedelta(seconds=20))
    before = await export(feeds, order, tmp_path / "before")
    at = dealt.at + timedelta(minutes=2)
    ended = RecordedEvent(
        stream_id=dealt.event.stream_id,
        version=99,
        part=Part.FACTS,
        type="sparrow.match.round_ended.v1",
        schema_version=1,
        occurred_at=at,
        recorded_at=at,
        caller=SYSTEM,
        request_id=None,
        request_events=0,
        data=round_event_pb2.RoundEnded().SerializeToString(),
    )
    feeds.append("match", [(at, ended)])
    after = await export(feeds, order, tmp_path / "after")

    assert [sum(file.withheld for file in one.files) for one in (before, after)] == [1, 0]
    assert before.count == after.count
    assert any(
        RUNNING_SEED in one.entry.event.data for one in read_entries(tmp_path / "after", "match", Part.MOVES)
    )


def fields_within(descriptor: Any) -> set[str]:
    """The names of a message's fields, and of those of the messages in it."""
    nested = [fields_within(field.message_type) for field in descriptor.fields if field.message_type]
    return {field.name for field in descriptor.fields}.union(*nested)


def test_every_event_that_says_a_secret_is_withheld_or_reveals_it_on_purpose() -> None:
    """Whoever adds an event with faces, a seed, a nonce or a wall says here until when it stays."""
    secrets = {"seed", "nonce", "faces", "wall", "hand", "hands", "may_win", "answer", "concealed_tiles"}
    telling = {
        type_ for type_, message in known_types().items() if secrets & fields_within(message.DESCRIPTOR)
    }

    assert telling == set(DEALS) | REVEALING
    for type_, deal in DEALS.items():
        fields = {field.name: field for field in known_types()[type_].DESCRIPTOR.fields}
        assert deal.open_fields <= set(fields) - secrets
        assert not any(fields[name].message_type for name in deal.open_fields)
        assert deal.ends <= set(known_types())


def test_the_manifest_says_what_the_files_are(feeds: Feeds, exported: Path) -> None:
    """Ranges, counts, chain values and hashes."""
    manifest = Manifest.read(exported)
    assert manifest.count == sum(map(len, feeds.entries.values()))
    assert [(file.service, file.part) for file in manifest.files] == [
        (service, part.value) for service in known_services() for part in Part
    ]
    for file in manifest.files:
        entries = feeds.entries.get((file.service, Part(file.part)), [])
        assert file.sha256 == sha256_of(exported / file.name)
        assert file.chain_before == CHAIN_START.hex()
        assert sum(sum(versions.values()) for versions in file.types.values()) == file.count == len(entries)
        if entries:
            assert (file.first_seq, file.last_seq) == (1, len(entries))
            assert (file.first_chain, file.last_chain) == (entries[0].chain.hex(), entries[-1].chain.hex())
            assert file.source == f"recorded/{file.service}"
    assert (exported / manifest.protos.name).read_bytes() == descriptor_set()
    assert names_in(exported) == {
        *(file.name for file in manifest.files),
        *(MANIFEST, manifest.protos.name, manifest.days.name),
    }


def test_the_days_of_an_export_are_the_ledgers(exported: Path) -> None:
    """One row a day; those of the changes of the clock have 23 and 25 hours."""
    with open_database(exported) as database:
        count = database.execute("SELECT count(*) FROM days").fetchall()
        odd = database.execute(
            "SELECT CAST(day AS VARCHAR), hours, CAST(starts_at AS VARCHAR) FROM days "
            "WHERE hours <> 24 AND year(day) = 2026"
        ).fetchall()

    assert count == [((LAST - FIRST).days + 1,)]
    assert odd == [("2026-03-29", 23, "2026-03-28 22:00:00"), ("2026-10-25", 25, "2026-10-24 21:00:00")]


async def test_neighbouring_ranges_meet_without_gap_or_overlap(feeds: Feeds, tmp_path: Path) -> None:
    """What one leaves out at its end the next begins with, in sequence and chain."""
    feeds.page_max = 7
    early = await export(feeds, replace(ALL, until=MIDDLE), tmp_path / "early")
    late = await export(feeds, replace(ALL, since=MIDDLE), tmp_path / "late")
    feeds.page_max = 1_000

    assert early.count + late.count == sum(map(len, feeds.entries.values()))
    for first, second in zip(early.files, late.files, strict=True):
        if first.count and second.count:
            assert first.last_seq is not None
            assert second.first_seq == first.last_seq + 1
            assert second.chain_before == first.last_chain
            assert first.last_at is not None
            assert second.first_at is not None
            assert first.last_at < "2026-03-28T22:00:00" <= second.first_at


async def test_a_range_without_events_is_an_export_too(feeds: Feeds, tmp_path: Path) -> None:
    """Empty files, and tables without rows."""
    for encoding in Encoding:
        order = Order(("ledger",), encoding, since=datetime(2030, 1, 1, tzinfo=UTC))
        manifest = await export(feeds, order, tmp_path / encoding)
        assert manifest.count == 0
        assert list(read_transfers(tmp_path / encoding)) == []
        with open_database(tmp_path / encoding) as database:
            assert database.execute("SELECT count(*) FROM transfers").fetchall() == [(0,)]
            assert database.execute("SELECT count(*) FROM match.round_dealt").fetchall() == [(0,)]


@pytest.mark.parametrize("encoding", Encoding)
async def test_the_same_range_again_is_the_same_export(
    feeds: Feeds, tmp_path: Path, encoding: Encoding
) -> None:
    """Byte for byte in JSONL, the manifest included; row by row in Parquet."""
    order = Order(known_services(), encoding, until=MIDDLE)
    for name in ("one", "two"):
        await export(feeds, order, tmp_path / name)

    if encoding is Encoding.JSONL:
        for name in names_in(tmp_path / "one"):
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    for service in known_services():
        for part in Part:
            one, two = (list(read_entries(tmp_path / name, service, part)) for name in ("one", "two"))
            assert one == two


class _Interrupted(Feeds):
    """Feeds that fail once so many entries were read."""

    def __init__(self, feeds: Feeds, failure: BaseException) -> None:
        super().__init__(feeds.entries, page_max=50)
        self.left, self.failure = 500, failure

    async def read_feed(
        self, service: str, part: Part, from_sequence: int, page_size: int = 0
    ) -> tuple[list[FeedEntry], int]:
        """As the port says, for a while."""
        entries, end = await super().read_feed(service, part, from_sequence, page_size)
        self.left -= len(entries)
        if self.left < 0:
            raise self.failure
        return entries, end


@pytest.mark.parametrize("failure", [ConnectionResetError("gone"), asyncio.CancelledError()])
async def test_an_interrupted_export_leaves_nothing_that_looks_whole(
    feeds: Feeds, tmp_path: Path, failure: BaseException
) -> None:
    """Neither the folder nor a file in it."""
    with pytest.raises(type(failure)):
        await export(_Interrupted(feeds, failure), ALL, tmp_path / "out")

    assert names_in(tmp_path) == set()


def test_files_without_a_manifest_are_no_export(exported: Path, tmp_path: Path) -> None:
    """What a killed export leaves aside is never read as one."""
    for path in exported.iterdir():
        if path.name != MANIFEST:
            (tmp_path / path.name).write_bytes(path.read_bytes())

    with pytest.raises(NoExport, match="no whole export"), open_database(tmp_path):
        pass


async def test_a_folder_that_holds_something_is_left_alone(feeds: Feeds, tmp_path: Path) -> None:
    """Nothing is overwritten, an earlier export neither."""
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(FileExistsError):
        await export(feeds, ALL, tmp_path)
    assert names_in(tmp_path) == {"mine.txt"}


async def test_a_gap_in_a_feed_stops_the_export(tmp_path: Path) -> None:
    """The feed is gapless; what is not is not exported."""
    feeds = recorded_feeds()
    del feeds.entries["ledger", Part.FACTS][10]

    with pytest.raises(FeedChanged, match="ledger/facts does not go on at"):
        await export(feeds, ALL, tmp_path / "out")
    assert names_in(tmp_path) == set()


async def test_words_of_clients_stay_and_unknown_types_come_with_their_bytes(tmp_path: Path) -> None:
    """A request id that is a UUID is told; any other is not. What cannot be decoded is still there."""
    at = datetime(2026, 5, 1, tzinfo=UTC)
    base = running_round(recorded_feeds()).event
    of_future = replace(base, type="sparrow.match.tea_served.v1", part=Part.FACTS, occurred_at=at)
    feeds = Feeds()
    wordy = replace(of_future, request_id="ana@example.com", data=b"\x01tea")
    usual = replace(of_future, version=2, request_id=str(UUID(int=9)))
    feeds.append("match", [(at, wordy), (at, usual)])
    await export(feeds, ALL, tmp_path / "out")

    first, second = read_entries(tmp_path / "out", "match", Part.FACTS)
    assert (first.withheld, first.entry.event.request_id) == (frozenset({REQUEST_ID}), None)
    assert (first.entry.event.data, first.message) == (b"\x01tea", None)
    assert second.entry == feeds.entries["match", Part.FACTS][1]
    assert b"example.com" not in everything_in(tmp_path / "out")
    assert DATA not in first.withheld


def test_transfers_come_as_they_were_posted(feeds: Feeds, exported: Path) -> None:
    """In the order of the feed, with the day that the ledger gave them."""
    transfers = list(read_transfers(exported))
    posted = [
        entry for entry in feeds.entries["ledger", Part.FACTS] if entry.event.type.endswith("posted.v1")
    ]

    assert [one.event_id for one in transfers] == [entry.event.id for entry in posted]
    assert {one.asset for one in transfers} == {"POINTS", "JOKER", "CHIP"}
    at_midnight = [
        one for one in transfers if one.posted_at.date() != one.day and one.reason == "QUICK_MATCH"
    ]
    assert at_midnight == [] or all(one.occurred_at < one.posted_at for one in at_midnight)
