"""What is no hand is told precisely; and how hands are written."""

from __future__ import annotations

import pytest

from libs.rules.mcr.hand import Fault, Hand, NotAHandError, Win
from libs.rules.mcr.melds import Set, SetKind, concealed_kong, exposed
from libs.rules.mcr.notation import NotationError, parse_hand, write_tiles
from libs.rules.mcr.score import score
from libs.rules.mcr.shanten import shanten
from libs.rules.mcr.tiles import tile, tiles
from tests.support.mcr_hands import complete, scored

REST = tiles("1m 2m 3m 4p 5p 6p 7s 8s 9s E")
SOUND = Hand((*REST, *tiles("E 4s 5s")))


def faults(hand: Hand, win: Win) -> tuple[Fault, ...]:
    """What is wrong with a hand."""
    with pytest.raises(NotAHandError) as raised:
        score(hand, win)
    return raised.value.faults


@pytest.mark.parametrize(
    ("hand", "win", "fault"),
    [
        (Hand(REST), Win(tile("E")), Fault.WRONG_COUNT),
        (
            Hand((), tuple(exposed(SetKind.PUNG, one) for one in REST[5:])),
            Win(tile("1m")),
            Fault.TOO_MANY_MELDS,
        ),
        (Hand(REST, (exposed(SetKind.CHOW, tile("8m")),)), Win(tile("E")), Fault.IMPOSSIBLE_MELD),
        (Hand(REST, (exposed(SetKind.CHOW, tile("E")),)), Win(tile("E")), Fault.IMPOSSIBLE_MELD),
        (Hand(REST, (Set(SetKind.PUNG, tile("W"), melded=True),)), Win(tile("E")), Fault.IMPOSSIBLE_MELD),
        (Hand(REST, (exposed(SetKind.KONG, tile("E")),)), Win(tile("W")), Fault.FIVE_COPIES),
        (SOUND, Win(tile("3s"), seat_wind=tile("C")), Fault.NO_WIND),
        (SOUND, Win(tile("3s"), flowers=9), Fault.FLOWERS),
        (SOUND, Win(tile("3s"), self_drawn=True, kong_related=True), Fault.REPLACEMENT_WITHOUT_KONG),
        (SOUND, Win(tile("4s"), kong_related=True), Fault.ROBBED_TILE_HELD),
        (SOUND, Win(tile("3s"), kong_related=True, last_tile=True), Fault.ROBBED_LAST_TILE),
        (SOUND, Win(tile("4s"), last_of_kind=True), Fault.LAST_OF_KIND_HELD),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_wrong(hand: Hand, win: Win, fault: Fault) -> None:
    """One fault each."""
    assert faults(hand, win) == (fault,)


def test_all_that_is_wrong_is_told() -> None:
    """Not the first fault only, and with the tile in question."""
    wrong = Hand((*tiles("E E E E E 4s 5s"), *REST[:3]))
    with pytest.raises(NotAHandError, match=r"10.*five copies of a tile \(E\).*flowers") as raised:
        score(wrong, Win(tile("3s"), flowers=-1))

    assert raised.value.faults == (Fault.WRONG_COUNT, Fault.FIVE_COPIES, Fault.FLOWERS)


def test_a_hand_that_waits_is_held_to_the_same() -> None:
    """Shanten numbers are of hands that can be."""
    with pytest.raises(NotAHandError, match="five copies"):
        shanten(Hand((*REST[:8], *tiles("E E E E E"))))


def test_a_hand_is_read_as_players_write_it() -> None:
    """Melds, sources, circumstances and flowers; blanks mean nothing."""
    written = parse_hand(" [123m,3] [5555s] [EEEE,1] 4 5p CC 6p | SW1011 | 3 ")

    assert written.hand.melds == (
        exposed(SetKind.CHOW, tile("1m")),
        concealed_kong(tile("5s")),
        exposed(SetKind.KONG, tile("E")),
    )
    assert written.hand.concealed == tiles("4p 5p C C")
    assert written.win == Win(
        tile("6p"),
        self_drawn=True,
        last_tile=True,
        kong_related=True,
        seat_wind=tile("W"),
        prevalent_wind=tile("S"),
        flowers=3,
    )


def test_thirteen_tiles_are_a_hand_that_waits() -> None:
    """Without circumstances, which a hand that waits has not yet."""
    assert parse_hand("123m456p789sEE45s").win is None
    with pytest.raises(NotationError, match="13 tiles"):
        parse_hand("123m456p789sEE45s|EE0000")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 tiles"),
        ("123x456p", "123x456p"),
        ("1m2", "'2' are no tiles"),
        ("[124m]1m", r"\[124m\] is no chow"),
        ("[1m9m1p]1m", "is no chow"),
        ("[]1m", "is no chow"),
        ("[123m1m", "are no tiles"),
        ("123m456p789sEE45s3s|EE00", "round wind"),
        ("123m456p789sEE45s3s|EE0000|9", "number of flowers"),
        ("123m456p789sEE45s3s|EE0000|1|1", "two bars"),
    ],
)
def test_what_is_no_notation_is_refused(text: str, said: str) -> None:
    """With the place or the word that cannot be read."""
    with pytest.raises(NotationError, match=said):
        parse_hand(text)


def test_tiles_are_written_as_they_are_read() -> None:
    """A suit stands once behind its ranks."""
    assert write_tiles(tiles("1m 2m 3m 3p E S 9p")) == "123m3pES9p"
    assert complete("123m456p789sEE45s3s")[0] == Hand((*REST, *tiles("E 4s 5s")))
    assert scored("123m456p789sEE45s3s").total_without_flowers == 2 + 8
