"""Groups of races on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from libs.pb.sparrow.match.v1 import race_pb2 as pb
from libs.runtime.errors import invalid_field
from libs.runtime.names import CANONICAL_UUID, match_name, player_name
from services.match.domain.race.group import Group, Plan
from services.match.domain.race.settings import DEFAULTS, Settings
from services.match.wire.race_settings import (
    CPU_LEVELS,
    cpu_players_of,
    settings_message,
    settings_of,
    stored_settings,
)
from services.match.wire.race_views import group_name

LINK: Final = "sparrow:race/"
CURRENT: Final = "raceGroups/current"


def plan_of(
    settings: pb.RaceSettings | None, cpu_players: Sequence[pb.CpuLevel.ValueType], *, rated: bool
) -> Plan:
    """What a request wants to play. Raises FIELD_INVALID."""
    wanted = DEFAULTS if settings is None else settings_of(settings)
    return Plan(wanted, cpu_players_of(cpu_players), rated)


def settings_bytes(settings: Settings) -> bytes:
    """Settings as they are kept."""
    return settings_message(settings).SerializeToString(deterministic=True)


def plan_settings(data: bytes) -> Settings:
    """Settings as they were kept."""
    return stored_settings(pb.RaceSettings.FromString(data))


def group_message(group: Group) -> pb.RaceGroup:
    """A group as its members see it."""
    return pb.RaceGroup(
        name=group_name(group.group_id),
        code=group.code,
        link=f"{LINK}{group.code}",
        host=player_name(group.host),
        members=[
            pb.RaceGroup.Member(
                player=player_name(member.account_id),
                wins_in_a_row=member.wins,
                asks_for_another=member.asks,
            )
            for member in group.members
        ],
        settings=settings_message(group.plan.settings),
        cpu_players=[CPU_LEVELS[level] for level in group.plan.cpu_players],
        rated=group.plan.rated,
        race="" if group.race_id is None else match_name(group.race_id),
        playing=group.playing,
        version=group.version,
    )


def parse_group(name: str) -> UUID | None:
    """The id of a group's name; None for the current one. Raises FIELD_INVALID."""
    if name == CURRENT:
        return None
    collection, _, raw = name.partition("/")
    if collection != "raceGroups" or CANONICAL_UUID.fullmatch(raw) is None:
        raise invalid_field("name", 'expected "raceGroups/<uuid>"')
    return UUID(raw)


def parse_code(text: str) -> str:
    """The code in a code or a link. Raises FIELD_INVALID."""
    code = text.removeprefix(LINK).upper()
    if not 1 <= len(code) <= 16 or not code.isascii() or not code.isalnum():
        raise invalid_field("code", "an invitation's code or link")
    return code
