"""Fair play for people: figures with small bars, flags, reports. Everything foreign is made safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from rich import box
from rich.table import Table
from rich.text import Text

from libs.cli.terminal import foreign
from libs.client.fair_play import PlayerReport, PlayFigures, PlayFlag
from libs.client.results import Profile

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
Names = Mapping[str, Profile]


def figures_table(figures: Sequence[PlayFigures]) -> Table:
    """Return figures as a table, a row a mode; the pace as a bar a bin, the fastest first."""
    table = _table()
    for column in ("mode", "games", "pairs", "median", "blocked", "crucial"):
        table.add_column(column, justify="left" if column == "mode" else "right", no_wrap=True)
    table.add_column("pace: " + pace_legend(figures), no_wrap=True)
    for each in figures:
        choices = each.crucial_found + each.crucial_missed_max
        table.add_row(
            f"{each.mode}, hard" if each.hard else each.mode,
            f"{each.games:,}",
            f"{each.pairs:,}",
            median(each.pace),
            share(each.blocked, each.touches),
            f"{each.crucial_found:,}/{choices:,}" if choices else "–",  # noqa: RUF001
            bars([pairs for _, pairs in each.pace]),
        )
    return table


def flags_table(flags: Sequence[PlayFlag], names: Names) -> Table:
    """Return flags as a table, the newest first."""
    table = _table()
    table.add_column("player, flag", min_width=len(f"players/{UUID(int=0)}"), overflow="fold")
    table.add_column("what", overflow="fold")
    for each in flags:
        who = Text.assemble(_shown(each.player, names), (f"\n{each.player}\n{each.name}", "dim"))
        what = Text(f"{each.mode}, since {each.first_time:%Y-%m-%d %H:%M}\n{_why(each)}")
        if each.dismiss_time is not None:
            reason = each.dismissal_reason.replace("\n", " / ")
            what.append(f"\ndismissed by {foreign(each.dismissed_by).plain}: ").append(foreign(reason))
        table.add_row(who, what)
    return table


def reports_table(reports: Sequence[PlayerReport], names: Names) -> Table:
    """Return reports as a table, the newest first."""
    table = _table()
    for column in ("report", "player", "by", "for", "words", "state"):
        table.add_column(column, no_wrap=column == "report", overflow="fold")
    for each in reports:
        words = Text(" / ").join(foreign(line) for line in each.text.split("\n"))
        state = Text("open") if each.close_time is None else Text.assemble(
            f"closed by {foreign(each.closed_by).plain}: ", foreign(each.finding.replace("\n", " / "))
        )  # fmt: skip
        table.add_row(
            each.name, _shown(each.player, names), _shown(each.reporter, names), each.reason, words, state
        )
    return table


def bars(counts: Sequence[int]) -> str:
    """Return a bar for each count, the highest one full; whatever is not 0 can be seen."""
    most = max(counts, default=0)
    return "".join(BLOCKS[-(-8 * count // most) if most else 0] for count in counts)


def median(pace: Iterable[tuple[int, int]]) -> str:
    """Return between which bounds the median time lies."""
    bins = list(pace)
    total = sum(pairs for _, pairs in bins)
    seen, above = 0, 0
    for bound, pairs in bins:
        seen += pairs
        if total and 2 * seen > total:
            return f"< {bound:,} ms" if bound else f"≥ {above:,} ms"
        above = bound
    return "–"  # noqa: RUF001


def share(part: int, whole: int) -> str:
    """Return a share in percent."""
    return f"{100 * part / whole:.1f} %" if whole else "–"  # noqa: RUF001


def pace_legend(figures: Sequence[PlayFigures]) -> str:
    """Return what the bars stand for."""
    bounds = [bound for bound, _ in figures[0].pace if bound] if figures else []
    return f"under {bounds[0]} … {bounds[-1]:,} ms, longer" if bounds else "none"


def _why(flag: PlayFlag) -> str:
    if flag.rule == "pace":
        return f"{flag.hits:,} of {flag.trials:,} pairs too fast"
    return f"{flag.hits:,} of {flag.trials:,} crucial pairs found"


def _shown(player: str, names: Names) -> Text:
    return foreign(names[player].display_name if player in names else player)


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
