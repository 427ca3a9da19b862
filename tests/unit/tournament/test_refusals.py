"""What a caller is told when nothing changes."""

from __future__ import annotations

import pytest

from libs.runtime.errors import STATUS_OF_REASON
from libs.runtime.languages.negotiation import LANGUAGES
from libs.runtime.languages.reasons import reason_text
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.refusals import NEVER_MS, refused


@pytest.mark.parametrize("refusal", Refusal)
def test_every_refusal_has_a_status_and_words_in_every_language(refusal: Refusal) -> None:
    """For developers a phrase, for players a sentence."""
    told = refused(refusal, "plan.terms")

    assert told.reason in STATUS_OF_REASON
    assert str(told)
    assert all(reason_text(told.reason, language, told.metadata) for language in LANGUAGES)


def test_who_has_too_few_prize_points_is_told_how_many_there_are_and_how_many_it_takes() -> None:
    """In the sentence, and for programs beside it."""
    told = refused(TooFewPrizePoints(150, 200))

    assert (told.reason, told.metadata) == ("ENTRY_CONDITION", {"points": "150", "min": "200"})
    assert reason_text(told.reason, "en", told.metadata) == (
        "Points from tournament prizes this week: 150. To enter you need 200."
    )


def test_a_limit_carries_a_pause() -> None:
    """As every limit does."""
    assert refused(Refusal.REGISTRATION_LIMIT).retry_after_ms == NEVER_MS
    assert refused(Refusal.TOURNAMENT_FULL).retry_after_ms is None
