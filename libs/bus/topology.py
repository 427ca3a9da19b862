"""Every name on the bus, and the settings of the streams, in one place.

subject                                                  who publishes            kept in
sparrow.evt.<service>.<part>.<event>.v<n>.<stream_id>    relay of the service     EVT_<SERVICE>_<PART>
sparrow.head.<service>.<part>                            relay, every 2 s         -
sparrow.wake.<service>                                   after each commit        -
sparrow.live.<stream_id>                                 after each commit        -
sparrow.seat.<stream_id>                                 who opens a stream       -
sparrow.queue.<service>                                  who makes a ticket       -
sparrow.ticket.<ticket_id>                               when it waits no more    -
sparrow.rematch.<match_id>                               when somebody answers    -
sparrow.tournament.<tournament_id>                       after each commit        -
"""

from __future__ import annotations

from uuid import UUID

from libs.bus.port import StreamSettings
from libs.eventsourcing.envelope import Part


def event_subject(service: str, part: Part, event_type: str, stream_id: UUID) -> str:
    """Return where an event is published: general first, the id last.

    Types are `sparrow.<service>.<event>.v<n>`; anything else is our own error.
    """
    prefix = f"sparrow.{service}."
    assert event_type.startswith(prefix), f"{event_type} is not of {service}"
    event = event_type.removeprefix(prefix)
    assert event.count(".") == 1, f"{event_type} is not sparrow.<service>.<event>.v<n>"
    return f"sparrow.evt.{service}.{part}.{event}.{stream_id}"


def feed_stream(
    service: str, part: Part, *, max_age_s: float = 7 * 86_400.0, max_bytes: int = 1 << 30, replicas: int = 1
) -> StreamSettings:
    """Return the settings of the stream that carries one feed.

    It holds a week, or a gibibyte: what is older is read from the owner's feed. Discarding the oldest, not
    refusing the newest, keeps the relay going when a limit is reached. The duplicate window only saves work;
    consumers drop what comes twice, whenever it comes.
    """
    return StreamSettings(
        name=f"EVT_{service.upper()}_{part.upper()}",
        subjects=(f"sparrow.evt.{service}.{part}.>",),
        max_age_s=max_age_s,
        max_bytes=max_bytes,
        replicas=replicas,
    )


def head_subject(service: str, part: Part) -> str:
    """Return where the end of a feed is told."""
    return f"sparrow.head.{service}.{part}"


def wake_subject(service: str) -> str:
    """Return where a commit of a service is told to its sequencers."""
    return f"sparrow.wake.{service}"


def live_subject(stream_id: UUID) -> str:
    """Return where the new version of a stream is told to its watchers."""
    return f"sparrow.live.{stream_id}"


def message_id(source: str, part: Part, seq: int) -> str:
    """Return the id under which JetStream stores a feed entry once (within its duplicate window)."""
    return f"{source}.{part}.{seq}"


def service_of(source: str) -> str:
    """Return the service in a CloudEvents source `<site>/<service>`."""
    site, slash, service = source.rpartition("/")
    assert site and slash and service, f"{source} is not <site>/<service>"
    return service


def seat_subject(stream_id: UUID) -> str:
    """Return where it is told which session watches a seat now: streams of the others end."""
    return f"sparrow.seat.{stream_id}"


def queue_subject(service: str) -> str:
    """Return where a new ticket is told to the matchmakers; moves, told elsewhere, do not wake them."""
    return f"sparrow.queue.{service}"


def ticket_subject(ticket_id: UUID) -> str:
    """Return where it is told that a ticket waits no more."""
    return f"sparrow.ticket.{ticket_id}"


def rematch_subject(match_id: UUID) -> str:
    """Return where it is told that the offer of a rematch has changed."""
    return f"sparrow.rematch.{match_id}"


def tournament_subject(tournament_id: UUID) -> str:
    """Return where it is told that a tournament has moved on."""
    return f"sparrow.tournament.{tournament_id}"
