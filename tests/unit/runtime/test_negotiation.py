"""Which language a caller is told things in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.runtime.languages.negotiation import HEADER, LANGUAGES, Language, language_of, negotiated


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("es", "es"),
        ("PL", "pl"),
        ("fa-IR", "fa"),
        ("ro_RO", "ro"),
        ("de, pl;q=0.8", "pl"),
        ("es;q=0.2, ro;q=0.9, en;q=0.5", "ro"),
        ("es;q=0.5, ro;q=0.5", "es"),
        ("pl ; q=0.7 , fa;q=0.8", "fa"),
        ("pl;q=0, es", "es"),
        ("zh-Hant-TW, es-419;q=0.9", "es"),
    ],
)
def test_the_language_with_the_highest_weight_among_ours_is_chosen(header: str, language: str) -> None:
    """Weights first, then the header's order; a region's language is its language."""
    assert negotiated(header, "en") == language


@pytest.mark.parametrize("header", ["", "de", "zh, ja;q=0.5", "*", "pl;q=0", "x" * 5_000])
def test_the_default_is_chosen_where_nothing_of_ours_is_asked_for(header: str) -> None:
    """The site's default, English or another."""
    assert negotiated(header, "en") == "en"
    assert negotiated(header, "ro") == "ro"


def test_any_language_is_never_the_one_that_was_refused() -> None:
    """A weight of 0 means: not this one."""
    assert negotiated("en;q=0, *", "en") != "en"


def test_headers_of_one_call_are_read_as_one_list() -> None:
    """HTTP allows a header to come in several lines."""
    assert language_of([(HEADER, "de;q=0.9"), ("other", "fa"), (HEADER, "pl;q=0.4")], "en") == "pl"
    assert language_of(None, "es") == "es"
    assert language_of([(HEADER, b"pl")], "es") == "es"


@pytest.mark.parametrize(
    "header", [";;;", "pl;q=", "pl;q=9", "pl;q=-1", "q=1", ",,,,", "pl;level=1", "🀄", "pl\x00", "p" * 9]
)
def test_malformed_parts_are_passed_over(header: str) -> None:
    """The rest of the header still counts."""
    assert negotiated(header, "en") == "en"
    assert negotiated(f"{header}, es", "en") == "es"


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_no_header_whatever_fails(header: str, default: Language) -> None:
    """Whatever is sent, one of our languages comes out."""
    assert language_of([(HEADER, header)], default) in LANGUAGES
