"""An export: ranges of feeds as files in a folder that appears only when it is whole.

Everything is written into a folder aside, the manifest last; then the folder gets its name. An export that is
interrupted leaves nothing under that name.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from libs.cli.events.days import write_days
from libs.cli.events.feeds import Feeds, Range, chain_before, pages, range_between
from libs.cli.events.instants import instant_text
from libs.cli.events.manifest import DAYS, PROTOS, Encoding, FeedFile, Manifest, SideFile, sha256_of
from libs.cli.events.parquet import to_parquet
from libs.cli.events.rows import line_of, row_of
from libs.cli.events.schema import descriptor_set
from libs.cli.events.withholding import EndedStreams
from libs.eventsourcing.envelope import FeedEntry, Part
from services.ledger.domain.calendar import TIME_ZONE_DATA


@dataclass(frozen=True)
class Order:
    """What to export: placed in the feeds from `since` on and before `until`; None leaves that side open."""

    services: Sequence[str]
    encoding: Encoding
    since: datetime | None = None
    until: datetime | None = None


Advance = Callable[[int, int], None]
"""Told of progress: entries written, of how many."""


def be_still(_done: int, _of: int) -> None:
    """Tell nobody."""


async def export(feeds: Feeds, order: Order, folder: Path, advance: Advance = be_still) -> Manifest:
    """Write an export. Raises FileExistsError when `folder` holds something, and what the feeds raise."""
    with _whole(folder) as aside:
        manifest = await _write(feeds, order, aside, advance)
        manifest.write(aside)
    return manifest


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """Give a folder aside that becomes `folder` when all went well, and is gone when not."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} exists and is not empty")
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.partial-", dir=folder.parent))
    try:
        yield aside
        aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


async def _write(feeds: Feeds, order: Order, folder: Path, advance: Advance) -> Manifest:
    ranges = [
        await range_between(feeds, service, part, order.since, order.until)
        for service in order.services
        for part in (Part.FACTS, Part.MOVES)
    ]
    total, done = sum(wanted.count for wanted in ranges), 0
    ended: defaultdict[str, EndedStreams] = defaultdict(EndedStreams)
    files = []
    for wanted in ranges:
        writing = _Writing(wanted, await feeds.feed_source(wanted.service, wanted.part))
        with (folder / writing.jsonl).open("xb") as out:
            async for page in pages(feeds, wanted):
                if wanted.part == Part.FACTS:  # ends are facts, and stand ahead of the moves here
                    ended[wanted.service].see(page)
                out.write(writing.take(page, ended[wanted.service]))
                done += len(page)
                advance(done, total)
        if wanted.part == Part.FACTS:
            await _see_later_ends(feeds, wanted, ended[wanted.service])
        before = await chain_before(feeds, wanted.service, wanted.part, wanted.first)
        files.append(writing.finish(folder, order.encoding, before))
    write_days(folder / DAYS)
    (folder / PROTOS).write_bytes(descriptor_set())
    return Manifest(
        encoding=order.encoding,
        since=None if order.since is None else instant_text(order.since),
        until=None if order.until is None else instant_text(order.until),
        files=tuple(files),
        protos=SideFile(PROTOS, sha256_of(folder / PROTOS)),
        days=SideFile(DAYS, sha256_of(folder / DAYS)),
        time_zone_data=TIME_ZONE_DATA,
    )


async def _see_later_ends(feeds: Feeds, exported: Range, ended: EndedStreams) -> None:
    """Read on to the end of the feed: a game that began in the range may have ended after it."""
    after = exported.last + 1
    _, end = await feeds.read_feed(exported.service, exported.part, 1, 1)
    async for page in pages(feeds, Range(exported.service, exported.part, after, end)):
        ended.see(page)


@dataclass
class _Writing:
    """One file while it grows."""

    wanted: Range
    source: str
    count: int = 0
    withheld: int = 0
    first: FeedEntry | None = None
    last: FeedEntry | None = None
    types: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    @property
    def stem(self) -> str:
        return f"{self.wanted.service}.{self.wanted.part}"

    @property
    def jsonl(self) -> str:
        return f"{self.stem}.jsonl"

    def take(self, page: Sequence[FeedEntry], ended: EndedStreams) -> bytes:
        """Return the lines of a page."""
        lines = []
        for entry in page:
            withhold = ended.withholds(entry.event)
            self.withheld += withhold
            self.types[entry.event.type][str(entry.event.schema_version)] += 1
            lines.append(line_of(row_of(entry, self.wanted.service, self.source, withhold=withhold)))
        self.count += len(page)
        self.first, self.last = self.first or page[0], page[-1]
        text = ("\n".join(lines) + "\n").encode()
        self.digest.update(text)
        return text

    def finish(self, folder: Path, encoding: Encoding, before: bytes) -> FeedFile:
        """Turn the lines into the file that was asked for, and say what it holds."""
        name, sha256 = self.jsonl, self.digest.hexdigest()
        if encoding is Encoding.PARQUET:
            name = f"{self.stem}.parquet"
            to_parquet(folder / self.jsonl, folder / name)
            (folder / self.jsonl).unlink()
            sha256 = sha256_of(folder / name)
        first, last = self.first, self.last
        return FeedFile(
            name=name,
            service=self.wanted.service,
            part=self.wanted.part.value,
            source=self.source,
            count=self.count,
            withheld=self.withheld,
            first_seq=None if first is None else first.seq,
            last_seq=None if last is None else last.seq,
            first_at=None if first is None else instant_text(first.at),
            last_at=None if last is None else instant_text(last.at),
            chain_before=before.hex(),
            first_chain=None if first is None else first.chain.hex(),
            last_chain=None if last is None else last.chain.hex(),
            types={type_: dict(sorted(counts.items())) for type_, counts in sorted(self.types.items())},
            bytes=(folder / name).stat().st_size,
            sha256=sha256,
        )
