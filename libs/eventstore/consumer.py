"""The consumer: hands a feed to a handler, in order, each entry once, whatever the bus does.

`seq == last + 1` is handled; lower is done already; higher, or a head beyond what arrived, or silence, is
read from the feed's owner. So losing, wiping or disordering JetStream costs latency only, and so does one
that holds another history: what does not link to the chain is dropped. The handler puts effect and checkpoint
into one transaction; the acknowledgement follows it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import structlog

from libs.bus.envelope import EnvelopeInvalid, from_message, sequence_of
from libs.bus.port import Bus, BusUnavailable, Delivery, Message, Pull, PullLost, StreamMissing
from libs.bus.topology import feed_stream, head_subject, service_of
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, Broken, verify_feed
from libs.eventstore.faults import fault
from libs.eventstore.heads import decode_head
from libs.eventstore.inbox import Inbox
from libs.eventstore.patience import FeedDiverged, Patience, Progress, VersionUnknown
from libs.eventstore.port import Fenced
from libs.eventstore.position import Checkpoint, FeedPage, FeedReader
from libs.telemetry.telemetry import UNWATCHED, Telemetry

log = structlog.get_logger(__name__)

BATCH_MAX: Final = 200

Handle = Callable[[Sequence[FeedEntry], int], Awaitable[None]]
"""(entries, epoch): their effect and the checkpoint at the last of them, in one transaction; raises to stop.

The entries are of declared types, in order; sequences missing between them are of types that are skipped.
A bad business value is no reason to raise: the handler parks it in the same transaction.
"""


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
        batch_max: int = BATCH_MAX,
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
        self._inbox = Inbox(0, None)
        self._is_anchored = False  # whether our place was held against the owner's feed
        self._pull: Pull | None = None
        self._connection = 0  # the bus's, on which the pull was opened
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
        reached = await self._checkpoint.claim(epoch)
        self._inbox = Inbox(reached.seq, reached.chain if reached.seq else CHAIN_START)
        self._is_anchored = reached.seq == 0
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
            if self._bus.connection != self._connection:
                await self._drop_pull()
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
        if self._bus.connection != self._connection:
            return []  # what came may be of another server
        if deliveries:
            self._heard_at = self._delivered_at = _now()
            fault("consumer.fetched")
        return deliveries

    async def _open_pull(self) -> Pull:
        """Take up the durable consumer; what is missing is made again from configuration."""
        self._connection = self._bus.connection
        await self._bus.ensure_stream(self._stream)
        await self._check_stream()
        self._pull = await self._bus.pull(self._stream.name, self.name, fresh=self._fresh)
        self._fresh = False
        self._delivered_at = _now()
        self._heard_at = 0.0  # what was published before it existed is not delivered: ask the owner
        return self._pull

    async def _check_stream(self) -> None:
        """Refuse a stream that ends with what is not in the feed: its relay makes it anew.

        After a database was restored, or a folder of NATS, it holds entries that would follow on ours.
        """
        last = await self._bus.last_message(self._stream.name)
        if last is None:
            return
        seq = sequence_of(last.headers)
        page = await self._read_page(seq, seq) if seq else None
        stands = [one.chain.hex() for one in page.entries] if page else []
        if stands != [last.headers.get("ce-chain")]:
            raise BusUnavailable(
                f"the stream {self._stream.name} ends with what is not known to be in the feed"
            )

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
        self._asked_at = _now()
        if not self._is_anchored and not await self._anchor():
            return
        while not stop.is_set():
            heard = self._inbox.head
            page = await self._read_page(self._inbox.last + 1, to_seq)
            if page is None:
                return
            before = self._inbox.last
            await self._prove(page)
            if self._inbox.head == heard:  # else there was news meanwhile
                self._inbox.ends_at(page.last_seq)
                self._note_progress()
            for entry in page.entries:
                self._inbox.offer(entry, proven=True)
            self._inbox.heard_of(page.last_seq)
            self.progress.from_owner += len(page.entries)
            await self._apply_ready(epoch, stop)
            goal = page.last_seq if to_seq is None else to_seq
            if self._inbox.last >= goal or self._inbox.last == before:
                return

    async def _anchor(self) -> bool:
        """Hold our place against the owner's feed; False while it is away."""
        last = self._inbox.last
        page = await self._read_page(last, last)
        if page is None:
            return False
        chain = page.entries[0].chain if page.entries else None
        if chain is None or self._inbox.chain not in (None, chain):
            raise FeedDiverged(f"entry {last} of {self._source} is another now, or none: an operator decides")
        self._inbox.chain = chain
        self._is_anchored = True
        return True

    async def _prove(self, page: FeedPage) -> None:
        """See that the owner's page follows on our place; in a thread, since many take over a millisecond."""
        last, chain = self._inbox.last, self._inbox.chain
        assert chain is not None, "anchored"
        found = await asyncio.to_thread(verify_feed, page.entries, chain, start_seq=last)
        if page.last_seq < last or isinstance(found, Broken):
            raise FeedDiverged(
                f"{self._source} does not follow on entry {last}: {found}, end {page.last_seq}"
            )

    async def _read_page(self, from_seq: int, to_seq: int | None) -> FeedPage | None:
        try:
            page = await self._owner.read_feed(self._part, from_seq, to_seq)
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
        if self._inbox.strangers > self.progress.strangers:
            log.warning("consumer.strangers_dropped", consumer=self.name, after_seq=self._inbox.last)
            self.progress.strangers = self._inbox.strangers

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
            await self._checkpoint.advance(epoch, self._inbox.last, self._inbox.chain)
            self._unsaved = False

    def _going_well(self) -> None:
        self._failures = 0
        self.progress.stopped = None

    def _note_progress(self) -> None:
        self.progress.last, self.progress.head = self._inbox.last, self._inbox.head


def _now() -> float:
    return asyncio.get_running_loop().time()
