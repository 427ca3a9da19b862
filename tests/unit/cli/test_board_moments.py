"""Days and instants as they are typed for boards."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from libs.cli.board_moments import day_of, instant_of


def test_instants_are_utc_with_or_without_a_zone() -> None:
    """One without a zone is meant as UTC."""
    expected = datetime(2026, 11, 29, 12, tzinfo=UTC)

    assert instant_of("2026-11-29T14:00:00+02:00") == instant_of("2026-11-29T12:00:00") == expected
    assert day_of("2026-11-29") == date(2026, 11, 29)
    assert instant_of(None) is day_of(None) is None


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-02-30", "0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_what_is_no_instant_ends_the_program_in_one_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also what only its zone puts outside the years there are."""
    with pytest.raises(SystemExit):
        instant_of(text)

    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_no_day_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever typed several options sees which one it was."""
    with pytest.raises(SystemExit):
        day_of("amr")

    assert "--day: 'amr' is no day" in capsys.readouterr().err
