"""What players are told for every reason of a refusal, in five languages."""

from __future__ import annotations

import pytest

from libs.runtime.errors import STATUS_OF_REASON
from libs.runtime.languages.catalogue import VALUE_MAX
from libs.runtime.languages.negotiation import LANGUAGES, Language
from libs.runtime.languages.reasons import COUNTED, DOMAIN, FOLDER, INTERNAL_REASON, reason_text, reason_texts
from tests.support.catalogues import counts_as_its_language_does, flaws, is_isolated

REASONS = {*STATUS_OF_REASON, INTERNAL_REASON}


def test_every_reason_has_a_sound_text_in_all_five_languages_and_no_text_is_unused() -> None:
    """No key is missing or unused, no placeholder is broken, every plural form is there."""
    assert flaws(FOLDER, DOMAIN, REASONS, set(COUNTED)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_forms_are_those_of_the_language(language: Language) -> None:
    """The catalogue's rule divides the numbers as Unicode's does."""
    assert counts_as_its_language_does(FOLDER, DOMAIN, language)


@pytest.mark.parametrize(
    ("language", "seconds", "words"),
    [
        ("en", 1, "1 second is left"),
        ("en", 2, "2 seconds are left"),
        ("es", 1, "queda 1 segundo"),
        ("es", 5, "quedan 5 segundos"),
        ("pl", 1, "została 1 sekunda"),
        ("pl", 3, "zostały 3 sekundy"),
        ("pl", 5, "zostało 5 sekund"),
        ("pl", 12, "zostało 12 sekund"),
        ("pl", 22, "zostały 22 sekundy"),
        ("ro", 1, "a mai rămas 1 secundă"),
        ("ro", 19, "au mai rămas 19 secunde"),
        ("ro", 20, "au mai rămas 20 de secunde"),
        ("ro", 101, "au mai rămas 101 secunde"),
    ],
)
def test_seconds_are_counted_with_the_right_form(language: Language, seconds: int, words: str) -> None:
    """As people say them."""
    assert words in reason_text("SHUFFLE_PAUSE", language, retry_after_ms=seconds * 1_000)


def test_a_begun_second_counts_as_a_whole_one() -> None:
    """Nobody is told to wait 0 seconds."""
    assert "1 second." in reason_text("RATE_LIMIT", "en", retry_after_ms=1)
    assert "2 seconds." in reason_text("RATE_LIMIT", "en", retry_after_ms=1_001)
    assert "1 second." in reason_text("RATE_LIMIT", "en")


def test_values_in_a_text_from_right_to_left_keep_their_direction_to_themselves() -> None:
    """A field's name or a number is isolated, so that it moves no word of the Persian sentence."""
    assert is_isolated(reason_text("FIELD_INVALID", "fa", {"field": "name"}), "name")
    assert is_isolated(reason_text("SHUFFLE_PAUSE", "fa", retry_after_ms=7_000), "7")
    assert reason_text("FIELD_INVALID", "en", {"field": "name"}) == "The value of name is not valid."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_neither_breaks_a_text_nor_makes_it_long(language: Language) -> None:
    """Braces of a value are no placeholders, line ends are blanks, long values are cut."""
    hostile = "{field}\n{seconds}\u202e" + "x" * 10_000

    text = reason_text("FIELD_INVALID", language, {"field": hostile})

    assert "\n" not in text
    assert "\u202e" not in text
    assert len(text) < 60 + VALUE_MAX
    assert "{seconds}" in text


def test_a_fact_that_is_not_told_leaves_three_dots() -> None:
    """The sentence stands nevertheless."""
    assert reason_text("FIELD_INVALID", "en") == "The value of … is not valid."


def test_a_reason_without_a_text_has_none_and_does_not_fail() -> None:
    """The refusal goes out with its reason alone."""
    assert reason_text("NEVER_HEARD_OF", "pl") == ""
    assert reason_texts().text("NEVER_HEARD_OF", "pl", count=3) == ""
