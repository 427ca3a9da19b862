"""Settings of races, difficulties and CPU levels on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from libs.pb.sparrow.match.v1 import race_pb2 as pb
from libs.runtime.errors import invalid_field
from services.match.domain.race.settings import CPU_PLAYERS_MAX, DEFAULTS, Difficulty, Settings, out_of_range
from services.match.domain.race.terms import CpuLevel

DIFFICULTIES: Final = {
    Difficulty.START: pb.RACE_DIFFICULTY_START,
    Difficulty.EASY: pb.RACE_DIFFICULTY_EASY,
    Difficulty.MEDIUM: pb.RACE_DIFFICULTY_MEDIUM,
    Difficulty.HARD: pb.RACE_DIFFICULTY_HARD,
}
CPU_LEVELS: Final = {
    CpuLevel.EASY: pb.CPU_LEVEL_EASY,
    CpuLevel.MEDIUM: pb.CPU_LEVEL_MEDIUM,
    CpuLevel.HARD: pb.CPU_LEVEL_HARD,
}
K = TypeVar("K")
V = TypeVar("V")


def key_of(table: dict[K, V], value: V) -> K:
    """What a value of a wire enum stands for. Raises KeyError."""
    for key, wire in table.items():
        if wire == value:
            return key
    raise KeyError(value)


def settings_message(settings: Settings) -> pb.RaceSettings:
    """Settings with everything told."""
    return pb.RaceSettings(
        difficulty=DIFFICULTIES[settings.difficulty],
        flowers_and_seasons=settings.flowers_and_seasons,
        shuffles=settings.shuffles,
        unlimited_shuffles=settings.shuffles is None,
        shuffle_pause_s=settings.shuffle_pause_s,
        hints=settings.hints,
        unlimited_hints=settings.hints is None,
        winner_handicap=settings.winner_handicap,
        time_limit_min=settings.time_limit_min,
        idle_limit_s=settings.idle_limit_s,
    )


def settings_of(message: pb.RaceSettings) -> Settings:
    """The settings of a request. Raises FIELD_INVALID with the name of the one that is out of range."""
    if message.difficulty not in {0, *DIFFICULTIES.values()}:
        raise invalid_field("settings.difficulty", "START, EASY, MEDIUM or HARD")
    settings = stored_settings(message)
    fault = out_of_range(settings)
    if fault is not None:
        path = f"settings.{fault.setting}"
        if fault.bounds is None:
            raise invalid_field(path, fault.allowed)
        low, high = fault.bounds
        raise invalid_field(path, fault.allowed, "RANGE", min=low, max=high)
    return settings


def stored_settings(message: pb.RaceSettings) -> Settings:
    """The settings as they were stored."""
    difficulty = message.difficulty or pb.RACE_DIFFICULTY_EASY
    shuffles = message.shuffles if message.HasField("shuffles") else DEFAULTS.shuffles
    hints = message.hints if message.HasField("hints") else DEFAULTS.hints
    limit = message.time_limit_min if message.HasField("time_limit_min") else DEFAULTS.time_limit_min
    return Settings(
        difficulty=key_of(DIFFICULTIES, difficulty),
        flowers_and_seasons=message.flowers_and_seasons,
        shuffles=None if message.unlimited_shuffles else shuffles,
        shuffle_pause_s=message.shuffle_pause_s,
        hints=None if message.unlimited_hints else hints,
        winner_handicap=message.winner_handicap,
        time_limit_min=limit,
        idle_limit_s=message.idle_limit_s,
    )


def cpu_players_of(levels: Sequence[pb.CpuLevel.ValueType]) -> tuple[CpuLevel, ...]:
    """The CPU players of a request. Raises FIELD_INVALID."""
    if len(levels) > CPU_PLAYERS_MAX:
        raise invalid_field("cpu_players", f"at most {CPU_PLAYERS_MAX}", "MAX", max=CPU_PLAYERS_MAX)
    if any(level not in CPU_LEVELS.values() for level in levels):
        raise invalid_field("cpu_players", "EASY, MEDIUM or HARD")
    return tuple(key_of(CPU_LEVELS, level) for level in levels)
