"""The relay: publishes a feed to its JetStream stream, and tells the feed's end.

At least once: the checkpoint moves after the acknowledgement, so a crash between them publishes again under
the same message ids. Two relays at once are harmless, and so is losing the stream: the relay sees that it
ends before the checkpoint and publishes again. A stream that ends with what is not in the feed is of another
history: it is made anew. Nothing here decides what is true: consumers check sequences.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import structlog

from libs.bus.envelope import EnvelopeInvalid, from_message, sequence_of, to_message
from libs.bus.port import Bus, BusUnavailable, Message, StreamSettings
from libs.bus.topology import feed_stream, head_subject, message_id, service_of
from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.faults import fault
from libs.eventstore.heads import encode_head
from libs.eventstore.pace import Pace
from libs.eventstore.port import Feed
from libs.eventstore.position import Checkpoint

log = structlog.get_logger(__name__)

BATCH_MAX = 500
HEAD_EVERY_S = 2.0
RETRY_S = (0.1, 0.25, 0.5, 1.0)  # the last for ever


class Relay:
    """Carries one feed. `source` is the CloudEvents source `<site>/<service>`."""

    def __init__(
        self,
        feed: Feed,
        checkpoint: Checkpoint,
        bus: Bus,
        source: str,
        part: Part,
        *,
        pace: Pace | None = None,
        stream: StreamSettings | None = None,
    ) -> None:
        """Bind; `run` does the work."""
        self._feed, self._checkpoint, self._bus = feed, checkpoint, bus
        self._source, self._part = source, part
        self._pace = pace or Pace()
        self._stream = stream or feed_stream(service_of(source), part)
        self._position = 0  # the last sequence that was published in this life
        self._saved = 0
        self._stream_end: int | None = None  # where the stream must end at least; None: look
        self._connection = 0  # the one on which that was looked up
        self._failures = 0

    async def run(self, epoch: int, stop: asyncio.Event) -> None:
        """Publish until `stop`. An outage of the bus is waited out; what else goes wrong is raised."""
        self._position = self._saved = (await self._checkpoint.claim(epoch)).seq
        self._stream_end = None
        heads = asyncio.get_running_loop().create_task(self._tell_heads())
        try:
            while not stop.is_set() and not heads.done():
                await self._round(epoch)
        finally:
            heads.cancel()
            results = await asyncio.gather(heads, return_exceptions=True)
        if isinstance(results[0], Exception):
            raise results[0]

    async def _round(self, epoch: int) -> None:
        try:
            worked = await self.step(epoch)
        except BusUnavailable as error:
            self._stream_end = None
            if self._failures == 0:
                log.warning("relay.waiting", stream=self._stream.name, error=str(error))
            await asyncio.sleep(RETRY_S[min(self._failures, len(RETRY_S) - 1)])
            self._failures += 1
            return
        if self._failures:
            log.info("relay.going_on", stream=self._stream.name, position=self._position)
            self._failures = 0
        if worked < BATCH_MAX:
            await self._pace.wait(worked=worked > 0)

    async def step(self, epoch: int) -> int:
        """Publish what comes next, at most a batch; return how many entries. Raises BusUnavailable."""
        if self._bus.connection != self._connection:
            self._stream_end = None  # the server may have come back on another folder
        if self._stream_end is None:
            await self.inspect()
        entries = await self._feed.read(self._part, self._position + 1, limit=BATCH_MAX)
        if not entries:
            return 0
        if self._bus.connection != self._connection:
            raise BusUnavailable("connected anew: the stream is looked at first")
        fault("relay.before_publish")
        await self._publish(entries)
        fault("relay.acknowledged")
        self._position = entries[-1].seq
        if self._position > self._saved:
            await self._checkpoint.advance(epoch, self._position)
            self._saved = self._position
            fault("relay.saved")
        return len(entries)

    async def _publish(self, entries: Sequence[FeedEntry]) -> None:
        calls = []
        for entry in entries:
            message = to_message(entry, self._source)
            key = message_id(self._source, self._part, entry.seq)
            calls.append(self._bus.publish(message.subject, message.data, message.headers, key))
        published = asyncio.gather(*calls, return_exceptions=True)
        await asyncio.sleep(0)  # the calls begin
        fault("relay.published")
        outcomes = await published
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            self._stream_end = max(self._stream_end or 0, outcome.sequence)

    async def inspect(self) -> None:
        """See that the stream exists and is ours; where it lost its end, go back to publish that again."""
        self._connection = self._bus.connection
        state = await self._bus.ensure_stream(self._stream)
        if self._stream_end is not None and state.last_sequence >= self._stream_end:
            return
        last = await self._bus.last_message(self._stream.name)
        if last is not None and not await self._is_ours(last):
            # A folder from before, or of another database: under ids that we shall use, with other facts.
            log.warning("relay.replaces_stream", stream=self._stream.name, ends_with=dict(last.headers))
            await self._bus.remove_stream(self._stream.name)
            state, last = await self._bus.ensure_stream(self._stream), None
        carried = 0 if last is None else sequence_of(last.headers)
        if carried < self._position:
            back_to = max(carried, await self._first_retained() - 1)
            log.warning("relay.refills", stream=self._stream.name, position=self._position, after=back_to)
            self._position = min(back_to, self._position)
        self._stream_end = state.last_sequence

    async def _is_ours(self, message: Message) -> bool:
        """Whether a message stands in our feed, by sequence and chain."""
        try:
            entry = from_message(message)
        except EnvelopeInvalid:
            return False
        stands = await self._feed.read(self._part, entry.seq, entry.seq)
        is_same = [one.chain for one in stands] == [entry.chain]
        return is_same and message.headers["ce-source"] == self._source

    async def _first_retained(self) -> int:
        """Return the first sequence that the stream would still keep, counted back from the newest entry.

        `at` never falls within a feed, so it is found by halving.
        """
        newest = await self._feed.read(self._part, self._position, limit=1)
        if not newest:
            return self._position
        oldest_at = newest[0].at - timedelta(seconds=self._stream.max_age_s)
        low, high = 1, self._position
        while low < high:
            middle = (low + high) // 2
            found = await self._feed.read(self._part, middle, limit=1)
            if found and found[0].at < oldest_at:
                low = middle + 1
            else:
                high = middle
        return low

    async def _tell_heads(self) -> None:
        """Tell the end of the feed for ever, and look whether the stream still ends where it should."""
        subject = head_subject(service_of(self._source), self._part)
        while True:
            await self._bus.send(subject, encode_head(await self._feed.head(self._part)))
            await asyncio.sleep(HEAD_EVERY_S)
            if self._stream_end is not None and self._bus.connected:
                await self._look()

    async def _look(self) -> None:
        expected = self._stream_end
        try:
            state = await self._bus.ensure_stream(self._stream)
            last = await self._bus.last_message(self._stream.name)
        except BusUnavailable as error:
            log.debug("relay.look_failed", stream=self._stream.name, error=str(error))
            return
        is_short = expected is not None and state.last_sequence < expected
        if is_short or (last is not None and not await self._is_ours(last)):
            self._stream_end = None  # the next step inspects
            self._pace.nudge()
