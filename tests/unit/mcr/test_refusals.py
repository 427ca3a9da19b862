"""Every refusal of a deal has a status and a text; a win below 8 is told with its score."""

from __future__ import annotations

import grpc
import pytest

from libs.rules.mcr.hand import Fault
from libs.runtime.languages.reasons import FAULTS
from services.mcr.domain.deal.refusal import Refusal, UnderEight
from services.mcr.domain.deal.terms import FanCount, WinScore
from services.mcr.refusals import refused


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_has_a_reason_of_the_error_table(refusal: Refusal) -> None:
    """And a sentence of its own."""
    told = refused(refusal)

    assert told.reason == refusal.value
    assert told.message


def test_a_late_decision_is_to_be_looked_at_again() -> None:
    """ABORTED: the caller starts the action anew."""
    assert refused(Refusal.STALE_DECISION).status is grpc.StatusCode.ABORTED


def test_tiles_that_do_not_exist_name_the_field() -> None:
    """INVALID_ARGUMENT."""
    told = refused(Refusal.ACTION_INVALID, "discard.tile")

    assert (told.status, told.field_path) == (grpc.StatusCode.INVALID_ARGUMENT, "discard.tile")


def test_a_win_below_8_is_told_with_its_breakdown() -> None:
    """The fans that count, the points without flowers, the flowers."""
    told = refused(UnderEight(WinScore((FanCount(62, 1, 2), FanCount(70, 2, 2)), 4, 1)))

    assert told.reason == "UNDER_EIGHT"
    assert dict(told.metadata) == {"points": "4", "flowers": "1", "fans": "62*1=2 70*2=2"}


def test_every_fault_of_a_hand_has_a_text() -> None:
    """And robbing a concealed kong, which no hand of the rules can even say."""
    assert {fault.name for fault in Fault} | {"ROBBED_CONCEALED_KONG"} == FAULTS
