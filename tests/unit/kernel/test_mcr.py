"""The kernel about MCR hands: recorded ones, what is no hand, and without the compiled library."""

from __future__ import annotations

import pytest

from libs.kernel import mcr
from libs.rules.mcr.hand import Fault, Hand, NotAHandError, Win
from libs.rules.mcr.melds import Set, SetKind, exposed
from libs.rules.mcr.profile import Profile
from libs.rules.mcr.score import Outcome
from libs.rules.mcr.tiles import NOTATION, TileIndex, tile, tiles
from tests.support.mcr_hands import complete, counted_hands, scored_hands

REST = tiles("1m 2m 3m 4p 5p 6p 7s 8s 9s E")
READY = Hand((*REST, *tiles("E 4s 5s")))


def test_recorded_hands_are_scored_as_recorded() -> None:
    """Outcome, total and fans; two hands have an equal choice of a wait."""
    other = []
    for case in scored_hands():
        told = mcr.score(case.asked.hand, case.asked.win)
        outcome = Outcome.NOT_WINNING if told is None else told.outcome
        total = None if told is None else told.total_without_flowers

        assert (outcome, total) == (case.outcome, case.total), case.asked.name
        if told is not None and told.fans != case.fans:
            other.append(case)
    assert len(other) <= 2


def test_recorded_distances_are_counted_as_recorded() -> None:
    """Shape by shape, the least, and what completes ready hands."""
    for case in counted_hands():
        hand = case.asked.hand
        numbers: dict[str, int] = {str(shape): number for shape, number in mcr.shanten(hand).items()}

        assert numbers | {"min": mcr.least_shanten(hand)} == case.shanten
        if case.waits is not None:
            assert set(case.waits) <= {NOTATION[one] for one in mcr.completing(hand)}


@pytest.mark.parametrize(
    ("hand", "win", "fault"),
    [
        (Hand(REST), Win(tile("E")), Fault.WRONG_COUNT),
        (Hand(REST[1:], (exposed(SetKind.CHOW, tile("7m")),)), Win(tile("E")), Fault.WRONG_COUNT),
        (Hand(REST, (exposed(SetKind.CHOW, tile("8m")),)), Win(tile("E")), Fault.IMPOSSIBLE_MELD),
        (Hand(REST, (exposed(SetKind.KONG, tile("E")),)), Win(tile("W")), Fault.FIVE_COPIES),
        (READY, Win(tile("3s"), seat_wind=tile("C")), Fault.NO_WIND),
        (READY, Win(tile("3s"), flowers=-1), Fault.FLOWERS),
        (READY, Win(tile("3s"), self_drawn=True, kong_related=True), Fault.REPLACEMENT_WITHOUT_KONG),
        (READY, Win(tile("4s"), kong_related=True), Fault.ROBBED_TILE_HELD),
        (READY, Win(tile("3s"), kong_related=True, last_tile=True), Fault.ROBBED_LAST_TILE),
        (READY, Win(tile("4s"), last_of_kind=True), Fault.LAST_OF_KIND_HELD),
    ],
)
def test_what_cannot_be_is_refused_as_by_the_definition(hand: Hand, win: Win, fault: Fault) -> None:
    """With what is wrong, though the kernel itself only says that something is."""
    with pytest.raises(NotAHandError) as raised:
        mcr.score(hand, win)

    assert raised.value.faults == (fault,)


@pytest.mark.parametrize("ask", [mcr.shanten, mcr.least_shanten, mcr.completing])
@pytest.mark.parametrize("hand", [Hand(REST), Hand((*REST[:8], *tiles("E E E E E")))])
def test_a_hand_that_waits_is_held_to_the_same(ask: object, hand: Hand) -> None:
    """Its tiles must be possible."""
    assert callable(ask)
    with pytest.raises(NotAHandError):
        ask(hand)


def test_numbers_are_answered_as_objects_are() -> None:
    """Tiles, melds by their code, and the fields of the win in their order."""
    for case in scored_hands()[:400]:
        _, hand, win = case.asked
        melds = [mcr.code(meld) for meld in hand.melds]

        assert mcr.score_packed(hand.concealed, melds, win) == mcr.score(hand, win)
        assert mcr.least_packed(hand.concealed, melds) == mcr.least_shanten(hand)
        assert tuple(map(mcr.meld_of, melds)) == hand.melds


@pytest.mark.parametrize(
    ("concealed", "melds", "win"),
    [
        (REST, [], Win(tile("E"))),
        (READY.concealed, [], Win(TileIndex(34))),
        (READY.concealed, [], Win(TileIndex(300))),
        (READY.concealed, [], Win(tile("3s"))[:-1]),
        (READY.concealed[:10], [mcr.code(exposed(SetKind.CHOW, tile("8m")))], Win(tile("3s"))),
        (READY.concealed[:10], [256], Win(tile("3s"))),
        ((*READY.concealed[:10], -1, 2, 3), [], Win(tile("3s"))),
        (READY.concealed[1:], [], (*Win(tile("3s")), 0)),
        (
            (0, 1),
            [mcr.code(exposed(SetKind.PUNG, TileIndex(wind))) for wind in range(27, 31)],
            Win(tile("3s"))[:-1],
        ),
    ],
)
def test_numbers_that_are_no_hand_are_refused(
    concealed: tuple[int, ...], melds: list[int], win: tuple[int, ...]
) -> None:
    """By a ValueError, NotAHandError among them; nothing is read beyond the numbers."""
    with pytest.raises(ValueError):  # noqa: PT011 whatever is said of them
        mcr.score_packed(concealed, melds, win)


@pytest.mark.parametrize("number", [-1, 34, 300])
def test_a_number_that_is_no_tile_is_refused_in_objects_too(number: int) -> None:
    """By a ValueError; nothing is read beyond the hand."""
    with pytest.raises(ValueError):  # noqa: PT011 whatever is said of it
        mcr.score(Hand((*READY.concealed[1:], TileIndex(number))), Win(tile("3s")))
    with pytest.raises(ValueError):  # noqa: PT011
        mcr.least_shanten(Hand((*READY.concealed[1:], TileIndex(number))))


@pytest.mark.parametrize(
    "meld",
    [
        exposed(SetKind.CHOW, TileIndex(64 + 3)),
        exposed(SetKind.PUNG, TileIndex(3 - 64)),
        Set(SetKind.PUNG, tile("6m"), melded=True, concealed=True),
    ],
)
def test_a_meld_that_is_none_is_taken_for_no_other(meld: Set) -> None:
    """Its byte would be that of another meld: of a pung, a chow, an exposed one."""
    hand, win = Hand(tiles("1m 2m 3m 1p 2p 3p 1s 2s 3s E"), (meld,)), Win(tile("E"))
    with pytest.raises(ValueError):  # noqa: PT011 whatever is said of it
        mcr.score(hand, win)
    with pytest.raises(ValueError):  # noqa: PT011
        mcr.least_shanten(hand)


def test_a_tile_that_is_none_is_no_hand_in_a_batch() -> None:
    """Nor is any number where another belongs; the hands around it are scored."""
    sound = mcr.batch([complete("123m456p789sEE45s3s")])
    broken = [bytes([*sound[:place], 200, *sound[place + 1 :]]) for place in range(len(sound))]
    totals = mcr.score_batch(sound + b"".join(broken) + sound)

    assert totals[0] == totals[-1] == 10
    assert set(totals[1:-1]) <= {mcr.NO_HAND, 10}
    assert totals.count(10) == 2 + 2
    with pytest.raises(ValueError, match="records"):
        mcr.score_batch(sound[:-1])


def test_a_profile_with_points_of_its_own_is_answered_by_the_definition() -> None:
    """The kernel knows the switches of the books only."""
    profile = Profile("house", 7, 5, False, True)
    told = mcr.score(*complete("[1111m][9999s]234p67pEE5p"), profile)

    assert told is not None
    assert told.total_without_flowers == 7 + 2 + 2 + 1
    assert told.fans["Two Concealed Kongs"] == 1


def test_without_the_compiled_kernel_the_definition_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same form."""
    asked = [complete("[EEE,1]123m123p99s78s9s|SW0000|8"), complete("1122233334444s2s")]
    native = [mcr.score(*hand) for hand in asked]
    distances = (mcr.shanten(READY), mcr.least_shanten(READY), mcr.completing(READY))
    for call in ("_SCORE", "_LEAST", "_SHANTEN", "_COMPLETING"):
        monkeypatch.setattr(mcr, call, None)
    defined = [mcr.score(*hand) for hand in asked]

    for one, other in zip(native, defined, strict=True):
        assert one is not None and other is not None
        assert (one.total, one.fans, one.counted) == (other.total, other.fans, other.counted)
    assert (mcr.shanten(READY), mcr.least_shanten(READY), mcr.completing(READY)) == distances
    assert distances[2] == (TileIndex(tile("3s")), tile("6s"))
