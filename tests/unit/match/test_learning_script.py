"""The learning board's script: what it teaches, in which order, and that nobody can leave it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Closed, Covered, blockers, free_tiles, is_free
from libs.rules.solitaire.certificate import replay
from libs.rules.tiles import is_flower, is_season
from services.match.domain.learning.play import (
    BEGINNING,
    Action,
    AskHint,
    AskShuffle,
    Note,
    Outcome,
    Position,
    Take,
    Touch,
    play,
)
from services.match.domain.learning.script import (
    MATCHING,
    PAIRING,
    SECONDS_PER_ACTION,
    STEPS,
    Step,
    board,
    places_in_order,
)


def blocked_tile(position: Position) -> int:
    """A tile that is not free."""
    return next(tile for tile in bits(position.present) if not is_free(board(), position.present, tile))


def asked_for(position: Position) -> Action:
    """What a learner does who does what is asked."""
    match position.step:
        case Step.FREE:
            return Touch(free_tiles(board(), position.present)[0])
        case Step.BLOCKED:
            return Touch(blocked_tile(position))
        case Step.HINT:
            return AskHint()
        case Step.SHUFFLE:
            return AskShuffle()
        case _:
            return Take(*position.pairs[0]) if position.pairs else AskShuffle()


def at(step: Step) -> Position:
    """The position where a learner who did what is asked comes to a step."""
    position = BEGINNING
    while position.step is not step:
        position = play(position, asked_for(position)).position
    return position


def actions_to_the_end() -> int:
    """How many actions it takes who does what is asked."""
    position, actions = BEGINNING, 0
    while position.step is not Step.DONE:
        position, actions = play(position, asked_for(position)).position, actions + 1
    return actions


def test_the_board_has_the_size_of_start() -> None:
    """34 tiles, flowers and seasons among them, each with a partner."""
    assert board().size == len(BEGINNING.faces) == 34
    assert sum(map(is_flower, BEGINNING.faces)) == 2
    assert sum(map(is_season, BEGINNING.faces)) == 2


def test_the_script_takes_about_three_minutes() -> None:
    """At the pace of somebody who reads."""
    assert 150 <= actions_to_the_end() * SECONDS_PER_ACTION <= 210


def test_steps_advance_as_the_player_does_what_is_asked() -> None:
    """Each of them in its order: free and blocked tiles, a pair, a hint, flowers, a shuffle, the rest."""
    seen, position = [BEGINNING.step], BEGINNING
    while position.step is not Step.DONE:
        position = play(position, asked_for(position)).position
        if position.step is not seen[-1]:
            seen.append(position.step)

    assert tuple(seen) == STEPS
    assert position.present == 0


@pytest.mark.parametrize("step", [Step.FREE, Step.PAIR, Step.HINT, Step.LIT_PAIR, Step.FLOWERS])
def test_until_the_shuffle_there_is_exactly_one_pair(step: Step) -> None:
    """So nobody can leave the script."""
    assert len(at(step).pairs) == 1


def test_the_shuffle_comes_on_a_blocked_board() -> None:
    """No pair is left there."""
    assert at(Step.SHUFFLE).pairs == []


def test_free_and_blocked_tiles_are_told_apart_with_the_reason() -> None:
    """A covered tile names what covers it, a closed one what closes its sides."""
    notes = {}
    for tile in range(board().size):
        told = play(BEGINNING, Touch(tile))
        assert told.blocked == blockers(board(), BEGINNING.present, tile)
        notes[told.note] = told.blocked

    assert notes.keys() == {Note.FREE, Note.COVERED, Note.CLOSED}
    assert isinstance(notes[Note.COVERED], Covered)
    assert isinstance(notes[Note.CLOSED], Closed)


def test_a_hint_lights_the_pair_that_is_asked_for_next() -> None:
    """It stays lit until it is taken."""
    told = play(at(Step.HINT), AskHint())

    assert told.note is Note.HINT
    assert told.position.lit == told.pair == told.position.pairs[0]
    assert told.position.step is Step.LIT_PAIR
    assert play(told.position, Take(*told.position.pairs[0])).position.lit is None


def test_two_different_flowers_are_a_pair() -> None:
    """Their faces differ, and they match."""
    position = at(Step.FLOWERS)
    first, second = position.pairs[0]

    assert position.faces[first] != position.faces[second]
    assert is_flower(position.faces[first])
    assert is_flower(position.faces[second])
    assert play(position, Take(first, second)).note is Note.PAIR


def test_a_shuffled_board_can_be_cleared() -> None:
    """The faces stay, on the same places."""
    before = at(Step.SHUFFLE)

    told = play(before, AskShuffle())

    assert told.note is Note.SHUFFLED
    assert sorted(told.position.faces) == sorted(before.faces)
    assert told.position.pairs


@pytest.mark.parametrize(
    ("step", "action", "note"),
    [
        (Step.FREE, AskHint(), Note.NOT_NOW),
        (Step.FREE, AskShuffle(), Note.NOT_BLOCKED),
        (Step.FREE, Take(3, 12), Note.NOT_NOW),
        (Step.HINT, Take(13, 19), Note.NOT_NOW),
        (Step.PAIR, AskHint(), Note.NOT_NOW),
        (Step.PAIR, Take(3, 3), Note.SAME_TILE),
        (Step.HINT, Take(3, 0), Note.GONE),
        (Step.HINT, Touch(3), Note.GONE),
        (Step.PAIR, Take(0, 3), Note.NOT_SAME),
        (Step.SHUFFLE, AskHint(), Note.NO_PAIR),
        (Step.CLEAR, AskShuffle(), Note.NOT_BLOCKED),
    ],
)
def test_a_wrong_action_is_explained_and_changes_nothing(step: Step, action: Action, note: Note) -> None:
    """The note says why; the step still asks for the same."""
    told = play(at(step), action)

    assert told.note is note
    assert told.position == at(step)


def test_a_blocked_tile_in_a_pair_is_explained() -> None:
    """With what blocks it."""
    position = at(Step.PAIR)
    told = play(position, Take(3, blocked_tile(position)))

    assert told.note in (Note.COVERED, Note.CLOSED)
    assert told.blocked is not None
    assert told.position == position


def test_a_cleared_board_takes_nothing_more() -> None:
    """And says that one can begin again."""
    done = at(Step.DONE)

    for action in (Touch(0), Take(0, 1), AskHint(), AskShuffle()):
        assert play(done, action) == Outcome(done, Note.DONE)


def test_the_places_of_the_board_can_be_emptied_pair_by_pair() -> None:
    """What a shuffle falls back on where no arrangement of faces is solvable."""
    alike = ["1m"] * board().size

    assert replay(board(), alike, board().full, places_in_order(), MATCHING, PAIRING)  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_a_learner_does_the_board_can_be_cleared(chance: random.Random) -> None:
    """Pairs in any order, hints and shuffles in between, and the same action always has the same outcome."""
    position = BEGINNING
    for _ in range(400):
        if position.step is Step.DONE:
            break
        tiles = range(board().size)
        wild: list[Action] = [Touch(chance.choice(tiles)), AskHint(), AskShuffle()]
        wild.append(Take(chance.choice(tiles), chance.choice(tiles)))
        wild += [Take(*pair) for pair in position.pairs]
        action = chance.choice([*wild, asked_for(position)])
        told = play(position, action)
        assert told == play(position, action)
        position = told.position
    while position.step is not Step.DONE:
        position = play(position, asked_for(position)).position

    assert position.present == 0
