"""Which names are allowed, and which look alike."""

from __future__ import annotations

import time
import unicodedata
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.account.domain.display_names import (
    CHARACTERS_MAX,
    DisplayName,
    NameFault,
    default_name,
    look_alike_key,
    parse_display_name,
)
from services.account.domain.words import ADJECTIVES, BIRDS


def key_of(raw: str) -> str:
    """Return the key of an allowed name."""
    name = parse_display_name(raw)
    assert isinstance(name, DisplayName), name
    return name.key


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Ana", "Ana"),
        ("  Ana \u3000 Maria  ", "Ana Maria"),
        ("Ștefan", "Ștefan"),
        ("\ufb01ne", "fine"),
        ("麻雀", "麻雀"),
        ("زهرا", "زهرا"),
        ("🀄 1", "🀄 1"),
        ("x" * CHARACTERS_MAX, "x" * CHARACTERS_MAX),
        ("\ud55c" * CHARACTERS_MAX, "\ud55c" * CHARACTERS_MAX),  # a syllable of three letters
    ],
)
def test_names_are_shown_in_compatibility_form_with_single_spaces(raw: str, text: str) -> None:
    """Letters of every script are allowed; widths, ligatures and spaces are normalised."""
    assert parse_display_name(raw) == DisplayName(text, look_alike_key(text))


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ("", NameFault.LENGTH),
        ("   ", NameFault.LENGTH),
        ("x" * 25, NameFault.LENGTH),
        ("a" + " " * 300 + "b", NameFault.LENGTH),
        ("\ufdfa" * 2, NameFault.LENGTH),  # one character that stands for 18
        ("a\u200bb", NameFault.INVISIBLE),
        ("a\u202eb", NameFault.INVISIBLE),
        ("a\x00b", NameFault.INVISIBLE),
        ("a\nb", NameFault.INVISIBLE),
        ("\u3164", NameFault.INVISIBLE),
        ("a\u2800", NameFault.INVISIBLE),
        ("a\ufe0f", NameFault.INVISIBLE),
        ("a\ue000", NameFault.INVISIBLE),
        ("a" + "\u0301" * 3, NameFault.MARKS),
        ("...", NameFault.NO_LETTER),
        ("🀄", NameFault.NO_LETTER),
    ],
)
def test_names_that_are_not_allowed_say_why(raw: str, fault: NameFault) -> None:
    """Too long, invisible, piled up with marks, or nothing to read."""
    assert parse_display_name(raw) is fault


def test_a_quarter_of_a_megabyte_of_marks_is_refused_at_once() -> None:
    """Sorting so many marks would hold the event loop up for half a minute."""
    began_s = time.process_time()

    assert parse_display_name("a" + "\u0301\u0323" * 60_000) is NameFault.LENGTH
    assert time.process_time() - began_s < 0.1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ana", "ANA"),
        ("José", "jose"),
        ("Ana Maria", "ana_maria"),
        ("paypal", "\u0440\u0430\u0443\u0440\u0430l"),
        ("Bill", "Bi1l"),
        ("Oslo", "0slo"),
        ("STRASSE", "straße"),
        ("\ufb01ne", "fine"),
        ("\uff21na", "Ana"),
        ("\u03a5ara", "Yara"),
        ("\u039dina", "Nina"),
        ("\u039cAX", "max"),
    ],
)
def test_names_that_look_alike_share_a_key(one: str, other: str) -> None:
    """Case, marks, spaces, widths, look-alike letters and digits make no difference."""
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(("one", "other"), [("Ana", "Anna"), ("Heron 12", "Heron 13"), ("麻雀", "麻将")])
def test_names_that_differ_have_different_keys(one: str, other: str) -> None:
    """Other letters and numbers are other names."""
    assert key_of(one) != key_of(other)


@given(st.text(max_size=60))
def test_an_allowed_name_is_allowed_again_in_its_shown_form(raw: str) -> None:
    """Normalising twice changes nothing, and nothing invisible gets through."""
    name = parse_display_name(raw)
    if isinstance(name, DisplayName):
        assert parse_display_name(name.text) == name
        assert all(unicodedata.category(character)[0] != "C" for character in name.text)


def test_every_generated_name_is_allowed() -> None:
    """The longest words with the longest number fit; no pair of words looks like another."""
    longest = f"{max(ADJECTIVES, key=len)} {max(BIRDS, key=len)} 999999"

    assert isinstance(parse_display_name(longest), DisplayName)
    keys = {look_alike_key(adjective + bird) for adjective in ADJECTIVES for bird in BIRDS}
    assert len(keys) == len(ADJECTIVES) * len(BIRDS)


def test_generated_names_depend_on_the_account_and_the_attempt_alone() -> None:
    """The same account gets the same name; a further attempt another one."""
    account = UUID(int=7)

    assert default_name(account, 0) == default_name(account, 0)
    assert len({default_name(account, attempt).key for attempt in range(10)}) == 10
    assert len({default_name(uuid4(), 0).key for _ in range(200)}) > 195
