"""What players are told for every reason of a refusal, in five languages."""

from __future__ import annotations

import pytest

from libs.runtime.errors import STATUS_OF_REASON, invalid_field
from libs.runtime.languages.catalogue import VALUE_MAX
from libs.runtime.languages.negotiation import LANGUAGES, Language
from libs.runtime.languages.reasons import (
    COUNTED,
    DOMAIN,
    FOLDER,
    INTERNAL_REASON,
    VARIANTS,
    reason_text,
    reason_texts,
)
from tests.support.catalogues import counts_as_its_language_does, flaws, is_isolated

REASONS = {*STATUS_OF_REASON, INTERNAL_REASON, *VARIANTS}


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


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The value of level must be from 1 to 11000."),
        ("es", "El valor de level debe estar entre 1 y 11000."),
        ("pl", "Wartość pola level musi wynosić od 1 do 11000."),
        ("ro", "Valoarea câmpului level trebuie să fie între 1 și 11000."),
    ],
)
def test_a_field_out_of_range_says_what_is_allowed(language: Language, text: str) -> None:
    """The details of the call are values of the text."""
    refused = invalid_field("level", "1 to 11000", "RANGE", min=1, max=11_000)

    assert reason_text(refused.reason, language, refused.metadata) == text


@pytest.mark.parametrize(
    ("language", "most", "words"),
    [
        ("en", 1, "at most 1 line."),
        ("en", 10, "at most 10 lines."),
        ("pl", 3, "najwyżej 3 wiersze."),
        ("pl", 10, "najwyżej 10 wierszy."),
        ("ro", 10, "cel mult 10 rânduri."),
        ("ro", 20, "cel mult 20 de rânduri."),
    ],
)
def test_limits_are_counted_with_the_right_form(language: Language, most: int, words: str) -> None:
    """By the number that the sentence names."""
    refused = invalid_field("text", "too many lines", "LINES", max=most)

    assert reason_text(refused.reason, language, refused.metadata).endswith(words)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("players/x", "There is no such player."),
        ("clubs/x", "There is no such club."),
        ("matches/x", "There is no such match."),
        ("invitations/", "No game has this invitation code."),
        ("anything else", "This was not found."),
    ],
)
def test_what_was_not_found_is_told_by_its_kind(name: str, text: str) -> None:
    """By the collection of its name."""
    assert reason_text("NOT_FOUND", "en", {"name": name}) == text


def test_a_rule_without_a_text_leaves_the_reason_its_own() -> None:
    """Nobody can choose another text by what they send."""
    for rule in ("", "NEVER_HEARD_OF", "RANGE.RANGE"):
        metadata = {"field": "level", "rule": rule}
        assert reason_text("FIELD_INVALID", "en", metadata) == "The value of level is not valid."
    assert reason_text("MATCH_ENDED", "en", {"rule": "RANGE"}) == "The match is over."
