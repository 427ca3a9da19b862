"""From protobuf to the client's own values; the only place that knows both."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date

from libs.client.board_view import BoardView, Place
from libs.client.results import (
    Balances,
    Blockers,
    BoardEntry,
    BoardKind,
    BoardPage,
    BoardWindow,
    BonusPaid,
    ChipsClaimed,
    Contribution,
    DailyBonus,
    Explanation,
    GameState,
    GameSummary,
    Granted,
    Level,
    LevelBest,
    LevelResult,
    Outcome,
    Profile,
    Redeemed,
    Standing,
    StandingDay,
    Update,
)
from libs.client.rounds import (
    mode_of,
    opponents_of,
    own_part_of,
    pair_worth_of,
    rematch_until_of,
    round_result_of,
    round_score_of,
    standings_of,
    tournament_table_of,
)
from libs.pb.sparrow.account.v1 import account_pb2 as account
from libs.pb.sparrow.event.v1 import event_pb2 as event
from libs.pb.sparrow.ledger.v1 import ledger_pb2 as ledger
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger_wire
from libs.pb.sparrow.match.v1 import match_pb2 as match

BOARD_TO_WIRE: Mapping[BoardKind, ledger.Board.ValueType] = {
    BoardKind.AMR: ledger.BOARD_AMR,
    BoardKind.WEEKLY: ledger.BOARD_WEEKLY,
    BoardKind.DAILY: ledger.BOARD_DAILY,
    BoardKind.MCR_YEAR: ledger.BOARD_MCR_YEAR,
    BoardKind.MCR_WEEKLY: ledger.BOARD_MCR_WEEKLY,
    BoardKind.MCR_DAILY: ledger.BOARD_MCR_DAILY,
    BoardKind.MCR_AI_YEAR: ledger.BOARD_MCR_AI_YEAR,
    BoardKind.MCR_AI_WEEKLY: ledger.BOARD_MCR_AI_WEEKLY,
    BoardKind.MCR_AI_DAILY: ledger.BOARD_MCR_AI_DAILY,
    BoardKind.RACE_RATING: ledger.BOARD_RACE_RATING,
}
PART_TO_WIRE: Mapping[str, event.Part.ValueType] = {"facts": event.PART_FACTS, "moves": event.PART_MOVES}
_BOARD_OF = {value: kind for kind, value in BOARD_TO_WIRE.items()}
_STATE_OF: Mapping[int, GameState] = {
    match.MATCH_STATE_COUNTDOWN: GameState.COUNTDOWN,
    match.MATCH_STATE_RUNNING: GameState.RUNNING,
    match.MATCH_STATE_CLEARED: GameState.CLEARED,
    match.MATCH_STATE_LEFT: GameState.LEFT,
    match.MATCH_STATE_RESTARTED: GameState.RESTARTED,
    match.MATCH_STATE_BREAK: GameState.BREAK,
    match.MATCH_STATE_OVER: GameState.OVER,
}
_OUTCOME_OF: Mapping[int, Outcome] = {
    match.TOUCH_OUTCOME_LIFTED: Outcome.LIFTED,
    match.TOUCH_OUTCOME_PAIRED: Outcome.PAIRED,
    match.TOUCH_OUTCOME_NOT_SAME: Outcome.NOT_SAME,
    match.TOUCH_OUTCOME_PUT_BACK: Outcome.PUT_BACK,
    match.TOUCH_OUTCOME_BLOCKED: Outcome.BLOCKED,
    match.TOUCH_OUTCOME_JOKER: Outcome.JOKER,
}


def profile_of(message: account.Profile) -> Profile:
    """Translate a profile."""
    return Profile(message.name, message.display_name)


def board_of(message: match.Board) -> BoardView:
    """Translate a seat's board."""
    return BoardView(
        layout=message.layout.name,
        places=tuple(Place(tile.x, tile.y, tile.z) for tile in message.layout.tiles),
        present=frozenset(message.present),
        faces={seen.tile: seen.face for seen in message.faces},
        lifted=message.lifted if message.HasField("lifted") else None,
        free=frozenset(message.free_tiles),
        pair_available=message.pair_available,
        version=message.board_version,
    )


def state_of(value: match.MatchState.ValueType) -> GameState:
    """Translate where a match stands."""
    return _STATE_OF[value]


def result_of(message: match.LevelResult) -> LevelResult:
    """Translate what a cleared level brought."""
    return LevelResult(
        message.elapsed_ms, message.place, message.first_completion_points, message.time_bonus_points
    )


def update_of(message: match.MatchUpdate) -> Update:
    """Translate what one command changed."""
    return Update(
        time=message.time.ToDatetime(UTC),
        outcome=_OUTCOME_OF.get(message.outcome),
        tile=message.tile if message.HasField("tile") else None,
        pair=(message.pair.first, message.pair.second) if message.HasField("pair") else None,
        blockers=_blockers_of(message.blockers) if message.HasField("blockers") else None,
        uncovered={seen.tile: seen.face for seen in message.uncovered},
        lifted=message.lifted if message.HasField("lifted") else None,
        free=frozenset(message.free_tiles),
        pair_available=message.pair_available,
        board_version=message.board_version,
        tiles_left=message.tiles_left,
        state=_STATE_OF[message.state],
        result=result_of(message.result) if message.HasField("result") else None,
        next_match=message.next_match or None,
        opponents=opponents_of(message),
        round_score=round_score_of(message),
        round_result=round_result_of(message),
        own=own_part_of(message),
        pair_worth=pair_worth_of(message),
        round_number=message.round_number or None,
        standings=standings_of(message),
        rematch_until=rematch_until_of(message),
    )


def _blockers_of(message: match.Blockers) -> Blockers:
    return Blockers(tuple(message.covered_by), tuple(message.left), tuple(message.right))


def summary_of(message: match.Match) -> GameSummary:
    """Translate a match without its board."""
    return GameSummary(
        name=message.name,
        level=message.level,
        hard=message.hard,
        state=_STATE_OF[message.state],
        elapsed_ms=message.elapsed_ms,
        start_time=message.start_time.ToDatetime(UTC),
        end_time=message.end_time.ToDatetime(UTC) if message.HasField("end_time") else None,
        result=result_of(message.result) if message.HasField("result") else None,
        mode=mode_of(message),
        standings=standings_of(message),
        player=message.player,
        round_result=round_result_of(message),
        tournament=tournament_table_of(message),
    )


def level_of(message: match.Level) -> Level:
    """Translate a level."""
    best_ms = message.best_ms if message.completed else None
    return Level(message.level, message.hard, message.layout, message.tile_count, best_ms)


def best_of(message: match.LevelBest) -> LevelBest:
    """Translate a row of best times."""
    return LevelBest(message.place, message.player, message.elapsed_ms)


def page_of(message: ledger_wire.ListBoardEntriesResponse) -> BoardPage:
    """Translate a page of a board."""
    return BoardPage(
        entries=tuple(_entry_of(entry) for entry in message.entries),
        next_page_token=message.next_page_token,
        window=_window_of(message.window),
        player_count=message.player_count,
    )


def standing_of(message: ledger.Standing) -> Standing:
    """Translate a standing."""
    entry = _entry_of(message.entry) if message.HasField("entry") else None
    return Standing(_window_of(message.window), entry, message.player_count)


def explanation_of(message: ledger_wire.ExplainStandingResponse) -> Explanation:
    """Translate a page of what a standing is made of."""
    return Explanation(
        standing_of(message.standing),
        tuple(_contribution_of(each) for each in message.contributions),
        message.next_page_token,
    )


def standing_day_of(message: ledger_wire.StandingDay) -> StandingDay:
    """Translate a day of a player."""
    day = date.fromisoformat(message.day)
    return StandingDay(day, message.points, message.amr_points, message.amr_rank or None)


def _contribution_of(message: ledger.Contribution) -> Contribution:
    transfer = message.transfer
    return Contribution(
        key=transfer.key,
        reason=transfer.reason,
        points=message.points,
        day=date.fromisoformat(transfer.day),
        occurred_time=transfer.occurred_time.ToDatetime(UTC),
        posted_time=transfer.posted_time.ToDatetime(UTC),
        reverses=transfer.reverses,
        cause=message.cause,
        subject=message.subject,
    )


def _entry_of(message: ledger.BoardEntry) -> BoardEntry:
    return BoardEntry(message.rank, message.player, message.points, message.previous_rank or None)


def _window_of(message: ledger.BoardWindow) -> BoardWindow:
    counts_days = bool(message.first_day)
    return BoardWindow(
        board=_BOARD_OF[message.board],
        first_day=date.fromisoformat(message.first_day) if counts_days else None,
        last_day=date.fromisoformat(message.last_day) if counts_days else None,
        start_time=message.start_time.ToDatetime(UTC) if counts_days else None,
        end_time=message.end_time.ToDatetime(UTC) if counts_days else None,
        time_zone=message.time_zone,
    )


def balances_of(message: ledger_wire.GetBalancesResponse) -> Balances:
    """Translate a player's balances."""
    held = {balance.asset: balance.amount for balance in message.balances}
    cups = {cup.cup_kind: cup.amount for cup in message.cups}
    return Balances(jokers=held[ledger.ASSET_JOKER], chips=held[ledger.ASSET_CHIP], cups=cups)


def bonus_of(message: ledger.DailyBonus) -> DailyBonus:
    """Translate where a daily bonus stands."""
    return DailyBonus(
        streak_day=message.streak_day,
        claimed=message.claimed,
        doubled=message.doubled,
        next_points=message.next_points,
        next_joker=message.next_joker,
        doubling_points=message.doubling_points,
        doubling_needs_receipt=message.doubling_needs_receipt,
        day=date.fromisoformat(message.day),
        end_time=message.end_time.ToDatetime(UTC),
        time_zone=message.time_zone,
    )


def claimed_of(message: ledger_wire.ClaimDailyBonusResponse) -> BonusPaid:
    """Translate what a claim paid."""
    points = message.points
    jokers = message.joker.amount if message.HasField("joker") else 0
    return BonusPaid(date.fromisoformat(points.day), points.amount, jokers, message.streak_day)


def doubled_of(message: ledger_wire.DoubleDailyBonusResponse) -> BonusPaid:
    """Translate what a doubling paid."""
    return BonusPaid(date.fromisoformat(message.points.day), message.points.amount)


def chips_claimed_of(message: ledger_wire.ClaimChipsResponse) -> ChipsClaimed:
    """Translate what topped chips up."""
    return ChipsClaimed(date.fromisoformat(message.transfer.day), message.transfer.amount)


def redeemed_of(message: ledger_wire.RedeemPurchaseResponse) -> Redeemed:
    """Translate what a receipt brought."""
    transfer = message.transfer
    return Redeemed(transfer.amount, transfer.key, transfer.occurred_time.ToDatetime(UTC))


def granted_of(message: ledger.Transfer) -> Granted:
    """Translate a grant."""
    asset = ledger.Asset.Name(message.asset).removeprefix("ASSET_")
    return Granted(message.credit, asset, message.amount, message.key)
