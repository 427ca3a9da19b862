"""Settings of races and their deals."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from libs.rules.solitaire.board import Matching
from libs.rules.solitaire.certificate import replay
from libs.rules.tiles import BONUS
from services.match.domain.race.dealing import PAIRING, deal_race, layouts_of
from services.match.domain.race.settings import DEFAULTS, Difficulty, Settings, is_rated, out_of_range


def test_the_defaults_are_those_of_the_source() -> None:
    """Easy, no flowers, three shuffles without pause, three hints, ten minutes, no handicap."""
    assert Settings(Difficulty.EASY, False, 3, 0, 3, False, 10, 0) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "within", "outside"),
    [
        ("shuffles", [0, 9, None], [-1, 10]),
        ("shuffle_pause_s", [0, 60], [-1, 61]),
        ("hints", [0, 1, 9, None], [-1, 10]),
        ("time_limit_min", [1, 60], [0, 61]),
        ("idle_limit_s", [0, 30, 60], [1, 29, 31, 61]),
    ],
)
def test_a_setting_outside_its_range_is_refused_by_name(
    name: str, within: list[Any], outside: list[Any]
) -> None:
    """Both ends belong to the range."""
    assert all(out_of_range(replace(DEFAULTS, **{name: value})) is None for value in within)
    for value in outside:
        fault = out_of_range(replace(DEFAULTS, **{name: value}))
        assert fault is not None and fault.setting == name


@pytest.mark.parametrize("difficulty", list(Difficulty))
@pytest.mark.parametrize("flowers", [False, True])
def test_boards_have_the_size_of_their_difficulty_whole_groups_of_faces_and_can_be_cleared(
    difficulty: Difficulty, flowers: bool
) -> None:
    """34, 68, 94, 136, and eight more with flowers and seasons; one group of two where the count needs it."""
    settings = replace(DEFAULTS, flowers_and_seasons=flowers)
    deal = deal_race(settings, difficulty, bytes([7] * 32), bytes(32))
    counts = Counter(face for face in deal.faces if face not in BONUS)
    twos = [face for face, count in counts.items() if count == 2]

    assert len(deal.faces) == difficulty.tiles + (8 if flowers else 0)
    assert sum(face in BONUS for face in deal.faces) == (8 if flowers else 0)
    assert set(counts.values()) <= {2, 4}
    assert len(twos) == (1 if difficulty.tiles % 4 else 0)
    assert len(counts) == deal.distinct_faces
    matching = Matching.FLOWERS_SEASONS if flowers else Matching.EXACT
    assert replay(deal.layout, deal.faces, deal.layout.full, deal.certificate, matching, PAIRING)


def test_larger_boards_have_more_layers() -> None:
    """Every size has layouts, and the highest ones rise with the size."""
    sizes = [difficulty.tiles for difficulty in Difficulty]
    assert sizes == [34, 68, 94, 136]
    assert all(layouts_of(size) and layouts_of(size + 8) for size in sizes)


def test_another_seed_is_another_deal_and_the_same_seed_the_same() -> None:
    """Everything follows from the seed."""
    first = deal_race(DEFAULTS, Difficulty.EASY, bytes([1] * 32), bytes(32))

    assert deal_race(DEFAULTS, Difficulty.EASY, bytes([1] * 32), bytes(32)) == first
    assert deal_race(DEFAULTS, Difficulty.EASY, bytes([2] * 32), bytes(32)).faces != first.faces


def test_rated_are_races_with_default_settings_two_persons_no_cpu_and_no_handicap() -> None:
    """Where the host wants it, or out of the queue."""
    assert is_rated(DEFAULTS, 2, 0, wanted=True)
    assert not is_rated(DEFAULTS, 2, 0, wanted=False)
    assert not is_rated(DEFAULTS, 1, 0, wanted=True)
    assert not is_rated(DEFAULTS, 2, 1, wanted=True)
    assert not is_rated(replace(DEFAULTS, hints=2), 2, 0, wanted=True)
    assert not is_rated(replace(DEFAULTS, winner_handicap=True), 2, 0, wanted=True)
