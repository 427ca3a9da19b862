"""Messages carry whole feed entries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.bus.envelope import EnvelopeInvalid, from_message, sequence_of, to_message
from libs.bus.port import Message
from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent

INSTANTS = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 bounds are naive
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
_ID = UUID(int=1)
REQUEST_IDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=36)
ENTRIES = st.builds(
    FeedEntry,
    seq=st.integers(1, 2**63 - 1),
    at=INSTANTS,
    chain=st.binary(min_size=32, max_size=32),
    event=st.builds(
        RecordedEvent,
        stream_id=st.uuids(),
        version=st.integers(1, 5000),
        part=st.sampled_from(Part),
        type=st.from_regex(r"sparrow\.match\.[a-z_]{1,30}\.v[1-9]", fullmatch=True),
        schema_version=st.integers(1, 100),
        occurred_at=INSTANTS,
        recorded_at=INSTANTS,
        caller=st.uuids(),
        request_id=st.none() | REQUEST_IDS,
        request_events=st.integers(0, 5000),
        data=st.binary(max_size=200),
    ),
)


@given(ENTRIES)
def test_an_entry_comes_out_as_it_went_in(entry: FeedEntry) -> None:
    """Decoding undoes encoding, and headers are plain ASCII lines without blanks at their ends."""
    message = to_message(entry, "site/match")

    assert from_message(message) == entry
    assert sequence_of(message.headers) == entry.seq
    for name, value in message.headers.items():
        assert f"{name}{value}".isascii()
        assert value == value.strip()
        assert "\r" not in value and "\n" not in value


@given(ENTRIES)
def test_subjects_keep_the_limits_of_nats(entry: FeedEntry) -> None:
    """A subject has at most 16 tokens and 255 characters: general first, the stream id last."""
    subject = to_message(entry, "site/match").subject

    assert subject.startswith(f"sparrow.evt.match.{entry.event.part}.")
    assert subject.endswith(f".{entry.event.stream_id}")
    assert len(subject) < 256 and len(subject.split(".")) <= 16


def test_an_instant_of_another_zone_is_the_same_instant() -> None:
    """`ce-time` is written in UTC whatever zone an instant is given in."""
    local = datetime(2026, 10, 25, 3, 30, tzinfo=timezone(timedelta(hours=3)))
    utc = local.astimezone(UTC)
    event = RecordedEvent(_ID, 1, Part.FACTS, "sparrow.match.a.v1", 1, local, local, _ID, None, 0, b"")
    message = to_message(FeedEntry(1, local, bytes(32), event), "site/match")

    assert message.headers["ce-time"] == "2026-10-25T00:30:00.000000Z"
    assert from_message(message).at == utc


@given(
    ENTRIES,
    st.sampled_from(
        [
            "ce-specversion",
            "ce-subject",
            "ce-time",
            "ce-chain",
            "ce-sequence",
            "ce-part",
            "ce-version",
            "ce-caller",
        ]
    ),
    st.sampled_from(["", "x", "-1", "2026-01-01T00:00:00", "ff"]),
)
def test_a_damaged_header_is_refused(entry: FeedEntry, name: str, value: str) -> None:
    """A header that is missing or nonsense raises EnvelopeInvalid and nothing else."""
    message = to_message(entry, "site/match")
    damaged = {**message.headers, name: value}
    missing = {key: kept for key, kept in message.headers.items() if key != name}

    for headers in (damaged, missing):
        with pytest.raises(EnvelopeInvalid):
            from_message(Message(message.subject, message.data, headers))
