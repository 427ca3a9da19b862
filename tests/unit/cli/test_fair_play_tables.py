"""Figures, flags and reports as an operator reads them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console, RenderableType

from libs.cli.fair_play.tables import bars, figures_table, flags_table, median, reports_table
from libs.client.fair_play import PlayerReport, PlayFigures, PlayFlag

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
BOUNDS = (100, 250, 1_000, 0)
FIGURES = PlayFigures("arena", True, 3, 10, 40, 4, 6, 2, tuple(zip(BOUNDS, (0, 2, 7, 1), strict=True)))
FLAG = PlayFlag("flags/1", "players/a", "level", "pace", 100, 100, AT, AT, None, "", "")
REPORT = PlayerReport(
    "reports/1", "players/a", "players/b", "", "abuse", "[red]a\x1b[2J\nb", AT, None, "", ""
)


def _shown(what: RenderableType, width: int = 140) -> str:
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(what)
    return capture.get()


def test_bars_show_whatever_is_there() -> None:
    """The highest is full, the smallest is seen, nothing is blank."""
    assert bars([0, 1, 50, 100]) == " ▁▄█"
    assert bars([0, 0]) == "  "
    assert bars([]) == ""


def test_the_median_is_told_between_bounds() -> None:
    """As flags see it: more than half are under the bound."""
    assert median(FIGURES.pace) == "< 1,000 ms"
    assert median([(100, 5), (250, 5), (0, 0)]) == "< 250 ms"
    assert median([(100, 0), (250, 0), (0, 4)]) == "≥ 250 ms"
    assert median([(100, 0), (0, 0)]) == "–"  # noqa: RUF001


def test_figures_stand_in_a_row_a_mode() -> None:
    """Shares in percent, choices as found of all, the pace in bars; no choices, no share of them."""
    shown = _shown(
        figures_table([FIGURES, replace(FIGURES, mode="level", crucial_found=0, crucial_missed_max=0)])
    )

    assert "arena, hard" in shown
    assert "10.0 %" in shown
    assert "6/8" in shown
    assert " ▃█▂" in shown
    assert shown.count("–") == 1  # noqa: RUF001


def test_a_flag_tells_its_rule_and_its_figures() -> None:
    """In words, on a narrow terminal too."""
    pace = replace(FLAG, mode="race", hits=90)
    shown = _shown(flags_table([pace, replace(pace, rule="choices", hits=405, trials=405)], {}), 80)

    assert "90 of 100 pairs too fast" in shown
    assert "405 of 405 crucial pairs found" in shown
    assert "2026-03-02 12:00" in shown


def test_a_flag_tells_its_name_and_who_dismissed_it_why() -> None:
    """The words are shown as they are, without control characters; names are whole on a narrow terminal."""
    name, player = (f"{kind}/01999999-0000-7000-8000-000000000001" for kind in ("flags", "players"))
    flag = replace(FLAG, name=name, player=player, mode="quick match", hits=12_345, trials=12_345)
    words = "[b]a\x1b[2J\nb " + "word " * 30
    shown = _shown(
        flags_table([flag, replace(flag, dismiss_time=AT, dismissed_by="ivy", dismissal_reason=words)], {}),
        100,
    )

    assert shown.count(name) == 2
    assert player in shown
    assert shown.count("dismissed by ivy: [b]a") == 1
    assert "\x1b" not in shown


def test_the_words_of_a_report_steer_neither_markup_nor_terminal() -> None:
    """They are shown as they are, without control characters; so is what an operator wrote."""
    closed = replace(REPORT, close_time=AT, closed_by="[b]ivy", finding="[i]no")
    shown = _shown(reports_table([REPORT, closed], {}))

    assert "[red]a�[2J / b" in shown
    assert "\x1b" not in shown
    assert "open" in shown
    assert "closed by [b]ivy: [i]no" in shown
