"""The consumer: hands a feed to a handler, in order, each entry once, whatever the bus does.

`seq == last + 1` is handled; lower is done already; higher, or a head beyond what arrived, or silence, is
read from the feed's owner. So losing, wiping or disordering JetStream costs latency only. The handler puts
effect and checkpoint into one transaction; the acknowledgement follows it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from libs.bus.envelope import EnvelopeInvalid, from_message
from libs.bus.port import Bus, BusUnavailable, Delivery, Message, Pull, PullLost, StreamMissing
from libs.bus.topology import feed_stream, head_subject, service_of
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.faults import fault
from libs.eventstore.heads import decode_head
from libs.eventstore.inbox import Inbox
from libs.eventstore.port import Fenced
from libs.eventstore.position import Checkpoint, FeedPage, FeedReader
from libs.telemetry.telemetry import UNWATCHED, Telemetry

log = structlog.get_logger(__name__)

Handle = Callable[[Sequence[FeedEntry], int], Awaitable[None]]
"""(entries, epoch): their effect and the checkpoint at the last of them, in one transaction; raises to stop.

The entries are of declared types, in order; sequences missing between them are of types that are skipped.
A bad business value is no reason to raise: the handler parks it in the same transaction.
"""


class VersionUnknown(Exception):
    """An entry of a declared type whose version is newer than this consumer knows."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a consumer waits for what, in seconds."""

    idle_wait_s: float = 0.5  # one fetch, when nothing is known to be missing
    missing_wait_s: float = 0.2  # one fetch, when the head is beyond what arrived
    silence_s: float = 10.0  # nothing heard at all: ask the owner
    outage_poll_s: float = 1.0  # between questions to the owner while the bus is away
    deaf_s: float = 10.0  # the owner had news, and the bus brought nothing for so long: make the durable anew
    retry_first_s: float = 0.5  # after an error while applying; doubled each time
    retry_max_s: float = 30.0


@dataclass
class Progress:
    """What a consumer says of itself, for readiness, metrics and tests."""

    last: int = 0
    head: int = 0
    stopped: str | None = None  # why it does not go on
    from_bus: int = 0  # entries
    from_owner: int = 0
    recreated: int = 0  # durable consumers made anew by the watchdog
    running: bool = False  # whether it is this process that follows
    last_at: datetime | None = None  # when the last entry done in this life was sequenced

    @property
    def lag(self) -> int:
        """Entries known to exist that are not done."""
        return max(self.head - self.last, 0)


class Consumer:
    """Follows one feed of one source (`<site>/<service>`) under a name of its own.

    `declared` gives the newest schema version known of each event type that matters here.
    """

    def __init__(
        self,
        bus: Bus,
        owner: FeedReader,
        checkpoint: Checkpoint,
        *,
        name: str,
        source: str,
        part: Part,
        declared: Mapping[str, int],
        handle: Handle,
        batch_max: int = 200,
        patience: Patience | None = None,
    ) -> None:
        """Bind; `run` does the work."""
        self.name = name
        self.progress = Progress()
        self.skipped: Counter[str] = Counter()  # by type
        self._bus, self._owner, self._checkpoint = bus, owner, checkpoint
        self._source, self._part = source, part
        self._stream = feed_stream(service_of(source), part)
        self._subject = f"sparrow.evt.{service_of(source)}.{part}"
        self._declared, self._handle, self._batch_max = declared, handle, batch_max
        self._patience = patience or Patience()
        self._inbox = Inbox(0)
        self._pull: Pull | None = None
        self._unacked: deque[tuple[Delivery, int]] = deque()
        self._unsaved = False  # skipped entries at the end, not in the checkpoint yet
        self._heard_at = self._delivered_at = self._asked_at = 0.0
        self._bus_away = self._owner_away = False
        self._fresh = False
        self._failures = 0
        self._telemetry = UNWATCHED

    def be_watched(self, telemetry: Telemetry) -> None:
        """Span the handling of traced entries, too."""
        self._telemetry = telemetry

    async def run(self, epoch: int, stop: asyncio.Event) -> None:
        """Follow until `stop`. Errors stop the consumer, are told, and it tries again from its checkpoint."""
        subject = head_subject(service_of(self._source), self._part)
        heads = await self._bus.subscribe(subject, self._on_head)
        self.progress.running = True
        try:
            while not stop.is_set():
                try:
                    await self._follow(epoch, stop)
                except Fenced:
                    raise  # another process follows now
                except Exception as error:  # noqa: BLE001 told, and tried again
                    await self._tell_stopped(error, stop)
        finally:
            self.progress.running = False
            await heads.unsubscribe()
            await self._drop_pull()

    async def _tell_stopped(self, error: Exception, stop: asyncio.Event) -> None:
        if stop.is_set():  # the lease went to another: whatever failed, it is theirs now
            return
        self.progress.stopped = f"{type(error).__name__}: {error}"
        retry_s = min(self._patience.retry_first_s * 2**self._failures, self._patience.retry_max_s)
        self._failures = min(self._failures + 1, 16)
        log.error(
            "consumer.stopped",
            consumer=self.name,
            after_seq=self._inbox.last,
            retry_s=retry_s,
            exc_info=error,
        )
        await self._drop_pull()
        try:
            async with asyncio.timeout(retry_s):
                await stop.wait()
        except TimeoutError:
            return

    async def _follow(self, epoch: int, stop: asyncio.Event) -> None:
        self._inbox = Inbox(await self._checkpoint.claim(epoch))
        self._unacked.clear()
        self._unsaved = False
        self._note_progress()
        await self._ask_owner(epoch, stop)
        if not self._inbox.is_behind:
            self._going_well()  # what failed last was done all the same
        while not stop.is_set():
            deliveries = await self._receive()
            for delivery in deliveries:
                self._take(delivery)
            await self._apply_ready(epoch, stop)
            if self._inbox.hole_end() is not None:
                await self._ask_owner(epoch, stop, self._inbox.hole_end())
            elif not deliveries:
                await self._when_nothing_came(epoch, stop)
            await self._ack_done()
        await self._save_skipped(epoch)

    # what the bus brings

    async def _receive(self) -> list[Delivery]:
        patience = self._patience
        wait_s = patience.missing_wait_s if self._inbox.is_behind else patience.idle_wait_s
        try:
            pull = self._pull or await self._open_pull()
            deliveries = await pull.fetch(self._batch_max, wait_s)
        except (PullLost, StreamMissing):
            await self._drop_pull()
            await asyncio.sleep(patience.missing_wait_s)
            return []
        except BusUnavailable:
            self._bus_away = True
            await asyncio.sleep(patience.missing_wait_s)
            return []
        self._bus_away = False
        if deliveries:
            self._heard_at = self._delivered_at = _now()
            fault("consumer.fetched")
        return deliveries

    async def _open_pull(self) -> Pull:
        """Take up the durable consumer; what is missing is made again from configuration."""
        await self._bus.ensure_stream(self._stream)
        self._pull = await self._bus.pull(self._stream.name, self.name, fresh=self._fresh)
        self._fresh = False
        self._delivered_at = _now()
        self._heard_at = 0.0  # what was published before it existed is not delivered: ask the owner
        return self._pull

    async def _drop_pull(self) -> None:
        pull, self._pull = self._pull, None
        self._unacked.clear()
        if pull is not None:
            await pull.close()

    def _take(self, delivery: Delivery) -> None:
        try:
            entry = from_message(delivery.message)
        except EnvelopeInvalid as error:
            # Not ours, or damaged: if it stands in the feed, the hole that it leaves is read from the owner.
            log.warning("consumer.message_invalid", consumer=self.name, error=str(error))
            self._unacked.append((delivery, 0))
            return
        if delivery.message.headers["ce-source"] != self._source or entry.event.part != self._part:
            log.warning("consumer.message_foreign", consumer=self.name, subject=delivery.message.subject)
            self._unacked.append((delivery, 0))
            return
        if entry.seq > self._inbox.last:
            self.progress.from_bus += 1
        self._inbox.offer(entry)
        self._unacked.append((delivery, entry.seq))

    async def _ack_done(self) -> None:
        done: Delivery | None = None
        while self._unacked and self._unacked[0][1] <= self._inbox.last:
            done = self._unacked.popleft()[0]
        if done is not None and self._pull is not None:
            await self._pull.ack(done)
            fault("consumer.acknowledged")

    async def _on_head(self, message: Message) -> None:
        head = decode_head(message.data)
        if head is not None:
            self._heard_at = _now()
            self._inbox.heard_of(head.last_seq)
            self._note_progress()

    # what the owner tells

    async def _when_nothing_came(self, epoch: int, stop: asyncio.Event) -> None:
        await self._save_skipped(epoch)
        now, patience = _now(), self._patience
        silent = now - max(self._heard_at, self._asked_at) >= patience.silence_s or self._heard_at == 0.0
        polled = self._bus_away and now - self._asked_at >= patience.outage_poll_s
        if not (self._inbox.is_behind or silent or polled):
            return
        before = self._inbox.last
        await self._ask_owner(epoch, stop)
        deaf = self._pull is not None and not self._bus_away and now - self._delivered_at >= patience.deaf_s
        if deaf and self._inbox.last > before:
            log.warning("consumer.recreated", consumer=self.name, stream=self._stream.name)
            self.progress.recreated += 1
            self._fresh = True
            await self._drop_pull()

    async def _ask_owner(self, epoch: int, stop: asyncio.Event, to_seq: int | None = None) -> None:
        """Read and apply what comes next, up to `to_seq` or the head. An absent owner is asked later."""
        while not stop.is_set():
            page = await self._read_page(to_seq)
            if page is None:
                return
            before = self._inbox.last
            for entry in page.entries:
                self._inbox.offer(entry)
            self._inbox.heard_of(page.last_seq)
            self.progress.from_owner += len(page.entries)
            await self._apply_ready(epoch, stop)
            goal = page.last_seq if to_seq is None else to_seq
            if self._inbox.last >= goal or self._inbox.last == before:
                return

    async def _read_page(self, to_seq: int | None) -> FeedPage | None:
        self._asked_at = _now()
        try:
            page = await self._owner.read_feed(self._part, self._inbox.last + 1, to_seq)
        except Exception as error:  # noqa: BLE001 whatever the owner's transport raises
            if not self._owner_away:
                log.warning(
                    "consumer.owner_away", consumer=self.name, error=f"{type(error).__name__}: {error}"
                )
            self._owner_away = True
            await asyncio.sleep(self._patience.missing_wait_s)
            return None
        self._owner_away = False
        self._heard_at = _now()
        return page

    # what is done with it

    async def _apply_ready(self, epoch: int, stop: asyncio.Event) -> None:
        while not stop.is_set() and (run := self._inbox.ready(self._batch_max)):
            await self._apply(run, epoch)
            self._going_well()
            self._note_progress()

    async def _apply(self, run: Sequence[FeedEntry], epoch: int) -> None:
        """Hand on what is declared. Before an entry that is too new, what stands before it is done first."""
        wanted: list[FeedEntry] = []
        skipped: Counter[str] = Counter()
        last = self._inbox.last
        for entry in run:
            newest = self._declared.get(entry.event.type)
            if newest is None:
                skipped[entry.event.type] += 1
            elif entry.event.schema_version <= newest:
                wanted.append(entry)
            elif last > self._inbox.last:
                break
            else:
                version = entry.event.schema_version
                raise VersionUnknown(f"{entry.event.type} at {entry.seq} has version {version}, not {newest}")
            last = entry.seq
        if wanted:
            traces = (entry.event.traceparent for entry in wanted)
            with self._telemetry.processing(f"process {self._subject}", traces):
                await self._handle(wanted, epoch)
            fault("consumer.committed")
        self._unsaved = not wanted or wanted[-1].seq < last
        self.skipped.update(skipped)
        self._inbox.done(last)
        self.progress.last_at = next(entry.at for entry in run if entry.seq == last)

    async def _save_skipped(self, epoch: int) -> None:
        """Keep the place after skipped entries, when there is time: lost, they are skipped again."""
        if self._unsaved:
            await self._checkpoint.advance(epoch, self._inbox.last)
            self._unsaved = False

    def _going_well(self) -> None:
        self._failures = 0
        self.progress.stopped = None

    def _note_progress(self) -> None:
        self.progress.last, self.progress.head = self._inbox.last, self._inbox.head


def _now() -> float:
    return asyncio.get_running_loop().time()
