"""What the interpreter calls of the kernel itself: threads, processes, memory, and other interpreters."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import IntEnum

import pytest

from libs.kernel import calls, mcr
from libs.rules.mcr.hand import Hand, Win
from libs.rules.mcr.melds import Set, SetKind
from libs.rules.mcr.tiles import TileIndex, tile
from tests.support.mcr_hands import complete, scored_hands

ASKED = [(case.asked.hand, case.asked.win) for case in scored_hands()[:200]]
BLOCKS_MAX = 100
"""Of memory that the interpreter itself may keep meanwhile; one lost in a question would be a thousand."""


def test_threads_are_answered_as_one_is() -> None:
    """Each with its own hand."""
    alone = [mcr.score(*asked) for asked in ASKED]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda _: [mcr.score(*asked) for asked in ASKED], range(4)))

    assert together == [alone] * 4


def test_a_fresh_process_has_the_same_calls() -> None:
    """Nothing is left over from another one's objects."""
    asking = (
        "from libs.kernel import mcr; from tests.support.mcr_hands import complete;"
        "print(mcr._SCORE is not None, mcr.score(*complete('123m456p789sEE45s3s')))"
    )
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=True)

    assert done.stdout == f"True {mcr.score(*complete('123m456p789sEE45s3s'))}\n"


def test_no_memory_is_kept() -> None:
    """Neither of answers nor of refusals."""
    held = []
    for _ in range(2):  # what is kept for later comes about in the first round
        for hand, win in ASKED * 5:
            mcr.score(hand, win)
            mcr.least_shanten(hand)
            with suppress(ValueError):
                mcr.score_packed(hand.concealed, [], (*win[:-1], 9))
        gc.collect()
        held.append(sys.getallocatedblocks())

    assert held[1] - held[0] < BLOCKS_MAX


def test_numbers_that_are_no_plain_ones_count_as_what_they_are() -> None:
    """They cost a little more."""

    class Own(IntEnum):
        """As callers may name tiles."""

        EAST = 27

    hand, win = complete("123m456p789sEE45s3s")
    named = Hand(tuple(TileIndex(Own.EAST) if one == Own.EAST.value else one for one in hand.concealed))

    assert mcr.score(named, win) == mcr.score(hand, win)
    assert mcr.least_shanten(named) == mcr.least_shanten(hand)
    assert mcr.least_packed(bytes(hand.concealed), ()) == mcr.least_shanten(hand)


@pytest.mark.parametrize(
    "meld",
    [
        Set(SetKind.PUNG, TileIndex(2**64 + 3), melded=True, concealed=False),
        Set._make(("chow", tile("1m"), True, False)),
        Set(SetKind.PUNG, tile("1m"), melded=True, concealed=True),
    ],
)
def test_a_meld_that_is_none_is_refused(meld: Set) -> None:
    """And not taken for what its last bits would be."""
    with pytest.raises(ValueError):  # noqa: PT011 whatever is said of it
        mcr.score(Hand(complete("123m456p789sEE45s3s")[0].concealed[3:], (meld,)), Win(tile("3s")))


def test_other_interpreters_have_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The definition answers there; nothing is taken over."""

    def methods(_: object) -> None:
        pytest.fail("the table was handed over")

    monkeypatch.setattr(calls, "_HEAD_BYTES", 2 * ctypes.sizeof(ctypes.c_void_p) + 16)

    assert calls.calls(methods, 4, False, ()) is None


def test_an_interpreter_beside_the_main_one_takes_nothing_over() -> None:
    """The library holds the objects of one, the kinds of melds among them."""
    asking = """if True:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        from libs.kernel import mcr
        from libs.rules.mcr.notation import parse_hand
        hand, win = parse_hand("[123m][EEEE,1]55p789sFF5p|ES1000|2")[:2]
        beside = "from libs.kernel import mcr; print(mcr._SCORE is None, flush=True)"
        before = mcr.score(hand, win)
        interpreters.run_string(interpreters.create(), beside)
        print(mcr._SCORE is not None, mcr.score(hand, win) == before)
        """
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=True)

    assert done.stdout == "True\nTrue True\n"
