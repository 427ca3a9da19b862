"""What players are told when a stream ends, in five languages."""

from __future__ import annotations

import pytest

from libs.rules.pairing.rematch import Outcome
from libs.rules.pairing.tickets import Cancelled, Expired, Matched
from libs.runtime.languages.endings import DOMAIN, ENDINGS, LANGUAGE, ending_text
from libs.runtime.languages.negotiation import LANGUAGES, Language
from libs.runtime.languages.reasons import FOLDER
from services.match.wire.tickets import stream_message
from tests.support.catalogues import flaws


def test_every_ending_has_a_sound_text_in_all_five_languages_and_no_text_is_unused() -> None:
    """No key is missing or unused, no placeholder is broken."""
    assert flaws(FOLDER, DOMAIN, set(ENDINGS), set()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_streams_of_tickets_and_rematches_end_with_words_of_their_own(language: Language) -> None:
    """Each way in which they can end."""
    tickets = {
        ending_text(kind.__name__.upper(), "TICKET", language) for kind in (Matched, Cancelled, Expired)
    }
    rematches = {
        ending_text(outcome.name, "REMATCH", language) for outcome in Outcome if outcome is not Outcome.OPEN
    }

    assert len(tickets) == 3
    assert len(rematches) == len(Outcome) - 1
    assert "" not in tickets | rematches


def test_a_text_is_in_the_language_of_the_running_call() -> None:
    """English where there is none."""
    token = LANGUAGE.set("ro")
    try:
        assert stream_message("CANCELLED").end.text == "Nu mai ești în coadă."
    finally:
        LANGUAGE.reset(token)
    assert ending_text("SEAT_TAKEN_OVER") == "You are playing this match on another device now."


def test_a_reason_without_words_has_none() -> None:
    """The stream ends nevertheless."""
    assert ending_text("NEVER_HEARD_OF", "TICKET") == ""
    assert ending_text("MATCH_ENDED", "TICKET") == ending_text("MATCH_ENDED") == "The match is over."
