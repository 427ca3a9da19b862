"""What every bus must do: one suite, run on the memory twin and on NATS."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from libs.bus.port import Bus, Delivery, Message, Pull, PullLost, StreamMissing, StreamSettings


def a_stream() -> StreamSettings:
    """Return settings of a stream that no other test uses."""
    name = uuid4().hex[:12]
    return StreamSettings(name=f"T_{name}", subjects=(f"t.{name}.>",), max_bytes=1 << 24)


def subject_in(settings: StreamSettings, tail: str = "a") -> str:
    """Return a subject that a stream keeps."""
    return settings.subjects[0].replace(">", tail)


async def put(bus: Bus, settings: StreamSettings, *texts: str) -> None:
    """Publish texts, each under itself as id."""
    for text in texts:
        await bus.publish(subject_in(settings), text.encode(), {"ce-id": text}, text)


async def fetch_count(pull: Pull, count: int, timeout_s: float = 5.0) -> list[Delivery]:
    """Fetch until `count` deliveries have come."""
    got: list[Delivery] = []
    async with asyncio.timeout(timeout_s):
        while len(got) < count:
            got += await pull.fetch(100, 0.5)
    return got


def texts(deliveries: list[Delivery]) -> list[str]:
    """Return the bodies."""
    return [delivery.message.data.decode() for delivery in deliveries]


class BusContract:
    """Derive, and give a `bus` fixture."""

    async def test_a_stream_is_made_once(self, bus: Bus) -> None:
        """Ensuring a stream twice makes it once, and tells where it ends."""
        settings = a_stream()
        first = await bus.ensure_stream(settings)
        await put(bus, settings, "a", "b")
        second = await bus.ensure_stream(settings)

        assert (first.created, first.last_sequence) == (True, 0)
        assert (second.created, second.last_sequence) == (False, 2)

    async def test_a_published_message_is_kept_whole(self, bus: Bus) -> None:
        """Subject, body and headers come out as they went in."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        assert await bus.last_message(settings.name) is None
        await bus.publish(subject_in(settings, "x.y"), b"\x00\xff\r\n", {"ce-id": "1", "ce-type": "t"}, "1")
        last = await bus.last_message(settings.name)

        assert last is not None
        assert (last.subject, last.data) == (subject_in(settings, "x.y"), b"\x00\xff\r\n")
        assert last.headers["ce-id"] == "1" and last.headers["ce-type"] == "t"

    async def test_a_removed_stream_is_gone_with_its_ids_and_its_durables(self, bus: Bus) -> None:
        """Removed and made again, a stream is empty, takes the same ids, and old pulls are told."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        pull = await bus.pull(settings.name, "d")
        await put(bus, settings, "a")
        await bus.remove_stream(settings.name)
        await bus.remove_stream(settings.name)
        assert (await bus.ensure_stream(settings)).created
        await put(bus, settings, "a")

        assert (await bus.ensure_stream(settings)).last_sequence == 1
        with pytest.raises(PullLost):
            await fetch_count(pull, 2, 10.0)

    async def test_publishing_without_a_stream_says_so(self, bus: Bus) -> None:
        """A subject that no stream keeps is StreamMissing, and so are its last message and its pull."""
        settings = a_stream()
        with pytest.raises(StreamMissing):
            await put(bus, settings, "a")
        with pytest.raises(StreamMissing):
            await bus.last_message(settings.name)
        with pytest.raises(StreamMissing):
            await bus.pull(settings.name, "d")

    async def test_a_repeated_id_is_stored_once(self, bus: Bus) -> None:
        """Within the duplicate window a repeat is acknowledged as a duplicate, with the first one's place."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        first = await bus.publish(subject_in(settings), b"1", {}, "same")
        again = await bus.publish(subject_in(settings), b"1", {}, "same")

        assert (first.sequence, first.duplicate) == (1, False)
        assert (again.sequence, again.duplicate) == (1, True)

    async def test_pipelined_publishes_keep_their_order(self, bus: Bus) -> None:
        """Two hundred publishes that wait together are stored in the order of the calls."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        calls = [bus.publish(subject_in(settings), str(n).encode(), {}, str(n)) for n in range(200)]
        published = await asyncio.gather(*calls)

        assert [one.sequence for one in published] == list(range(1, 201))

    async def test_a_new_durable_gets_what_comes_from_now_on(self, bus: Bus) -> None:
        """What is older than a durable consumer is not delivered to it; what is newer is, in order."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        await put(bus, settings, "old")
        pull = await bus.pull(settings.name, "d")
        await put(bus, settings, "a", "b", "c")
        got = await fetch_count(pull, 3)
        await pull.close()

        assert texts(got) == ["a", "b", "c"]
        assert [one.sequence for one in got] == [2, 3, 4]
        assert {one.attempt for one in got} == {1}

    async def test_an_idle_fetch_returns_nothing(self, bus: Bus) -> None:
        """A fetch that finds nothing is an ordinary answer, not before the time it was given."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        pull = await bus.pull(settings.name, "d")
        started = asyncio.get_running_loop().time()
        got = await pull.fetch(10, 0.2)
        elapsed = asyncio.get_running_loop().time() - started
        await pull.close()

        assert got == []
        assert elapsed > 0.15

    async def test_a_waiting_fetch_hears_at_once(self, bus: Bus) -> None:
        """A message published while a fetch waits is handed on without the end of the wait."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        pull = await bus.pull(settings.name, "d")
        waiting = asyncio.create_task(pull.fetch(100, 45.0))
        await asyncio.sleep(0.1)
        await put(bus, settings, "a")
        got = await asyncio.wait_for(waiting, 30)
        await pull.close()

        assert texts(got) == ["a"]

    async def test_an_acknowledgement_covers_all_before_it(self, bus: Bus) -> None:
        """What was acknowledged through a later message stays away; the rest comes again."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        pull = await bus.pull(settings.name, "d", ack_wait_s=0.5)
        await put(bus, settings, "a", "b", "c")
        got = await fetch_count(pull, 3)
        await pull.ack(got[1])
        again = await fetch_count(pull, 1)
        await pull.ack(again[-1])
        await pull.close()

        assert texts(again) == ["c"]
        assert again[0].attempt == 2

    async def test_a_durable_goes_on_where_it_was(self, bus: Bus) -> None:
        """A second hand of the same durable consumer gets what came while nobody read."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        first = await bus.pull(settings.name, "d")
        await put(bus, settings, "a")
        await first.ack((await fetch_count(first, 1))[0])
        await first.close()
        await put(bus, settings, "b")
        second = await bus.pull(settings.name, "d")
        got = await fetch_count(second, 1)
        await second.close()

        assert texts(got) == ["b"]

    async def test_a_fresh_durable_forgets(self, bus: Bus) -> None:
        """Made anew, a durable consumer begins at the end, and the old hand learns that it is lost."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        old = await bus.pull(settings.name, "d")
        await old.fetch(1, 0.05)
        await put(bus, settings, "a")
        assert texts(await fetch_count(old, 1)) == ["a"]
        fresh = await bus.pull(settings.name, "d", fresh=True)
        await put(bus, settings, "b")
        got = await fetch_count(fresh, 1)
        await fresh.close()

        assert texts(got) == ["b"]

    async def test_core_subjects_reach_whoever_listens(self, bus: Bus) -> None:
        """A sent message reaches matching subscriptions, in order; after unsubscribing nothing comes."""
        root = uuid4().hex
        heard: asyncio.Queue[Message] = asyncio.Queue()
        subscription = await bus.subscribe(f"{root}.*", heard.put)
        await asyncio.sleep(0.05)
        await bus.send(f"{root}.a", b"1")
        await bus.send(f"{root}.b", b"2")
        await bus.send(f"{root}.b.c", b"not matched")
        async with asyncio.timeout(20):
            got = [await heard.get(), await heard.get()]
        await subscription.unsubscribe()
        await bus.send(f"{root}.a", b"3")
        await asyncio.sleep(0.05)

        assert [(one.subject, one.data) for one in got] == [(f"{root}.a", b"1"), (f"{root}.b", b"2")]
        assert heard.empty()

    async def test_a_failing_handler_does_not_end_its_subscription(self, bus: Bus) -> None:
        """After an error in a handler the next message is handled."""
        subject = uuid4().hex
        heard: asyncio.Queue[bytes] = asyncio.Queue()

        async def handle(message: Message) -> None:
            if message.data == b"bad":
                raise RuntimeError("a handler's own error")
            await heard.put(message.data)

        subscription = await bus.subscribe(subject, handle)
        await asyncio.sleep(0.05)
        await bus.send(subject, b"bad")
        await bus.send(subject, b"good")
        async with asyncio.timeout(20):
            assert await heard.get() == b"good"
        await subscription.unsubscribe()

    async def test_a_lost_durable_is_told(self, bus: Bus) -> None:
        """The hand of a durable consumer that was made anew elsewhere raises, or goes on with the new one."""
        settings = a_stream()
        await bus.ensure_stream(settings)
        old = await bus.pull(settings.name, "d")
        waiting = asyncio.create_task(old.fetch(10, 3.0))
        await asyncio.sleep(0.1)
        fresh = await bus.pull(settings.name, "d", fresh=True)
        (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
        assert outcome == [] or isinstance(outcome, PullLost)
        await fresh.close()
