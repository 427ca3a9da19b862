"""Profiles, sessions and events to protobuf."""

from __future__ import annotations

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from libs.eventsourcing.envelope import NewEvent, Part
from libs.pb.sparrow.account.v1 import account_event_pb2, account_pb2
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import player_name, session_name
from services.account.domain.display_names import CHARACTERS_MAX, NameFault
from services.account.domain.profiles import Profile
from services.account.domain.sessions import Session
from services.account.events import ProfileCreated


def profile_message(profile: Profile) -> account_pb2.Profile:
    """Return what others may see of a player."""
    return account_pb2.Profile(
        name=player_name(profile.account_id),
        display_name=profile.display_name,
        create_time=_timestamp(profile.created_at),
    )


def wrong_name(field: str, fault: NameFault) -> Refused:
    """Return the refusal of a name that is none."""
    if fault is NameFault.LENGTH:
        return invalid_field(field, fault.value, "CHARACTERS", min=1, max=CHARACTERS_MAX)
    return invalid_field(field, fault.value, fault.name)


def session_message(
    session: Session, access: tuple[str, datetime], refresh_token: str
) -> account_pb2.Session:
    """Return a session with its tokens."""
    access_token, access_expires = access
    return account_pb2.Session(
        name=session_name(session.account_id, session.session_id),
        access_token=access_token,
        access_expire_time=_timestamp(access_expires),
        refresh_token=refresh_token,
        refresh_expire_time=_timestamp(session.expires_at),
    )


def encode(event: ProfileCreated, occurred_at: datetime) -> NewEvent:
    """Return the event as it is stored."""
    data = account_event_pb2.ProfileCreated(account_id=str(event.account_id)).SerializeToString()
    return NewEvent(Part.FACTS, "sparrow.account.profile_created.v1", 1, occurred_at, data)


def _timestamp(instant: datetime) -> Timestamp:
    message = Timestamp()
    message.FromDatetime(instant)
    return message
