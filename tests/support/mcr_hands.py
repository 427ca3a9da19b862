"""The scored hands of tests/data/mcr, and hands as players write them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from libs.cli.mcr.record import ScoreRecord, ShantenRecord, parse_score, parse_shanten
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.notation import parse_hand
from libs.rules.mcr.profile import MIL, Profile
from libs.rules.mcr.score import Score, score

DATA: Final = Path(__file__).parents[1] / "data" / "mcr"


class ScoredHand(NamedTuple):
    """A recorded hand and what is right about it; see tests/data/mcr/FORMAT.md."""

    asked: ScoreRecord
    outcome: str
    total: int | None
    fans: dict[str, int]
    contested: tuple[str, ...]


class CountedHand(NamedTuple):
    """A recorded hand with its shanten numbers, and its waits when it is ready."""

    asked: ShantenRecord
    shanten: dict[str, int]
    waits: tuple[str, ...] | None


@cache
def scored_hands() -> tuple[ScoredHand, ...]:
    """All of hands.jsonl, read once."""
    return tuple(_scored(line) for line in (DATA / "hands.jsonl").read_bytes().splitlines())


@cache
def counted_hands() -> tuple[CountedHand, ...]:
    """All of shanten.jsonl, read once."""
    return tuple(_counted(line) for line in (DATA / "shanten.jsonl").read_bytes().splitlines())


def _scored(line: bytes) -> ScoredHand:
    raw = json.loads(line)
    return ScoredHand(
        parse_score(line), raw["expect"], raw["total_without_flowers"], raw["fans"], tuple(raw["contested"])
    )


def _counted(line: bytes) -> CountedHand:
    raw: dict[str, Any] = json.loads(line)
    return CountedHand(parse_shanten(line), raw["shanten"], tuple(raw["waits"]) if "waits" in raw else None)


def complete(text: str) -> tuple[Hand, Win]:
    """A hand with its last tile, in the notation of players."""
    written = parse_hand(text)
    assert written.win is not None, text
    return written.hand, written.win


def scored(text: str, profile: Profile = MIL) -> Score:
    """The best score of a complete hand in the notation of players."""
    best = score(*complete(text), profile)
    assert best is not None, text
    return best
