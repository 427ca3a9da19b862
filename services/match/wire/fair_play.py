"""Fair play on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import fair_play_pb2 as pb
from libs.runtime.errors import invalid_field
from libs.runtime.names import CANONICAL_UUID, match_name, player_name
from services.match import events as single
from services.match.domain.fair_play.counts import BOUNDS_MS, Counts, PlayMode
from services.match.domain.fair_play.flags import Flag
from services.match.domain.fair_play.judging import Rule
from services.match.domain.fair_play.reporting import (
    LINES_MAX,
    TEXT_MAX,
    Report,
    ReportReason,
    TextFault,
    parse_text,
)
from services.match.domain.pool.events import PoolDealt
from services.match.domain.race.events import RaceDealt
from services.match.domain.rivals.match_events import MatchCreated
from services.match.wire import event_codec, pool_codec, race_codec, round_codec
from services.match.wire.match_codec import decode_match_fact

MODES: Final = {
    PlayMode.LEVEL: pb.PLAY_MODE_LEVEL,
    PlayMode.QUICK_MATCH: pb.PLAY_MODE_QUICK_MATCH,
    PlayMode.ARENA: pb.PLAY_MODE_ARENA,
    PlayMode.RACE: pb.PLAY_MODE_RACE,
    PlayMode.POOL: pb.PLAY_MODE_POOL,
    PlayMode.TOURNAMENT: pb.PLAY_MODE_TOURNAMENT,
}
RULES: Final = {Rule.PACE: pb.PLAY_RULE_PACE, Rule.CHOICES: pb.PLAY_RULE_CHOICES}
REASONS: Final = {
    pb.REPORT_REASON_PERSONAL_INFORMATION: ReportReason.PERSONAL_INFORMATION,
    pb.REPORT_REASON_AUTOMATION: ReportReason.AUTOMATION,
    pb.REPORT_REASON_CONNECTION_EXPLOIT: ReportReason.CONNECTION_EXPLOIT,
    pb.REPORT_REASON_ABUSE: ReportReason.ABUSE,
    pb.REPORT_REASON_OTHER: ReportReason.OTHER,
}
_REASONS_TO_WIRE: Final = {reason: number for number, reason in REASONS.items()}
_FIRST: Final[dict[str, Callable[[RecordedEvent], Any]]] = {
    event_codec.TYPES[single.AttemptStarted][1]: event_codec.EventCodec().decode,
    round_codec.TYPES[MatchCreated][1]: decode_match_fact,
    race_codec.TYPES[RaceDealt][1]: race_codec.RaceCodec().decode,
    pool_codec.TYPES[PoolDealt][1]: pool_codec.PoolCodec().decode,
}


def report_name(report_id: UUID) -> str:
    """Return the name of a report."""
    return f"reports/{report_id}"


def parse_report(field: str, text: str) -> UUID:
    """Return the id of a report's name. Raises FIELD_INVALID."""
    return _parse("reports", field, text)


def flag_name(flag_id: UUID) -> str:
    """Return the name of a flag."""
    return f"flags/{flag_id}"


def parse_flag(field: str, text: str) -> UUID:
    """Return the id of a flag's name. Raises FIELD_INVALID."""
    return _parse("flags", field, text)


def _parse(collection: str, field: str, text: str) -> UUID:
    prefix, _, raw = text.partition("/")
    if prefix != collection or CANONICAL_UUID.fullmatch(raw) is None:
        raise invalid_field(field, f'expected "{collection}/<uuid>"')
    return UUID(raw)


def parse_reason(number: int) -> ReportReason:
    """Return the reason. Raises FIELD_INVALID."""
    reason = next((reason for known, reason in REASONS.items() if known == number), None)
    if reason is None:
        raise invalid_field("reason", "one of those that there are")
    return reason


def parse_words(field: str, raw: str) -> str:
    """Return somebody's words. Raises FIELD_INVALID."""
    words = parse_text(raw)
    if isinstance(words, TextFault):
        match words:
            case TextFault.LENGTH:
                raise invalid_field(field, words.value, "CHARACTERS", min=0, max=TEXT_MAX)
            case TextFault.LINES:
                raise invalid_field(field, words.value, "LINES", max=LINES_MAX)
            case TextFault.INVISIBLE:
                raise invalid_field(field, words.value, "INVISIBLE")
    return words


def seated(first: RecordedEvent | None) -> frozenset[UUID]:
    """Return who has a seat in the game that began with this fact; nobody, where it is no game."""
    decoder = None if first is None else _FIRST.get(first.type)
    if first is None or decoder is None:
        return frozenset()
    fact = decoder(first)
    match fact:
        case single.AttemptStarted(account_id=account_id):
            return frozenset((account_id,))
        case MatchCreated(accounts=accounts):
            return frozenset(accounts)
        case RaceDealt(seats=seats):
            return frozenset(seat.account_id for seat in seats if seat.account_id is not None)
        case PoolDealt(terms=terms):
            return frozenset(terms.accounts)
    raise AssertionError(f"{first.type} does not say who plays")


def statistics_message(figures: Mapping[PlayMode, Mapping[bool, Counts]]) -> list[pb.PlayStatistics]:
    """A player's figures, in the order of the modes."""
    return [
        _figures(mode, figures[mode][hard], hard=hard)
        for mode in PlayMode
        if mode in figures
        for hard in sorted(figures[mode])
    ]


def _figures(mode: PlayMode, counts: Counts, *, hard: bool) -> pb.PlayStatistics:
    return pb.PlayStatistics(
        mode=MODES[mode],
        hard=hard,
        games=counts.games,
        pairs=counts.pairs,
        touches=counts.touches,
        blocked_touches=counts.blocked,
        crucial_found=counts.found,
        crucial_missed_max=counts.missed,
        pace=[
            pb.PaceBin(under_ms=bound, pairs=pairs)
            for bound, pairs in zip((*BOUNDS_MS, 0), counts.pace, strict=True)
        ],
    )


def flag_message(flag: Flag) -> pb.PlayFlag:
    """A flag as operators see it."""
    message = pb.PlayFlag(
        name=flag_name(flag.flag_id),
        player=player_name(flag.account_id),
        mode=MODES[flag.mode],
        rule=RULES[flag.suspicion.rule],
        hits=flag.suspicion.hits,
        trials=flag.suspicion.trials,
    )
    message.first_time.FromDatetime(flag.first_at)
    message.last_time.FromDatetime(flag.last_at)
    if flag.dismissed is not None:
        message.dismiss_time.FromDatetime(flag.dismissed.at)
        message.dismissed_by = flag.dismissed.by
        message.dismissal_reason = flag.dismissed.reason
    return message


def report_message(report: Report) -> pb.PlayerReport:
    """A report as operators see it."""
    message = pb.PlayerReport(
        name=report_name(report.report_id),
        reporter=player_name(report.reporter),
        player=player_name(report.reported),
        match="" if report.match_id is None else match_name(report.match_id),
        reason=_REASONS_TO_WIRE[report.reason],
        text=report.text,
    )
    message.create_time.FromDatetime(report.at)
    if report.closed is not None:
        message.close_time.FromDatetime(report.closed.at)
        message.closed_by = report.closed.by
        message.finding = report.closed.finding
    return message
