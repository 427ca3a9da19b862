"""Why a step was worth what it was, and what came of a seat, in words."""

from __future__ import annotations

from libs.cli.levels import seconds
from libs.client.pools import PoolEnd
from libs.client.replays import (
    BlockedTouch,
    Finish,
    FreeTouch,
    LitPair,
    PoolPlacing,
    RaceNews,
    RacePlacing,
    Shuffled,
    TakenPair,
    UndonePair,
    What,
)
from libs.client.rounds import Out, PairKind

SETS = ("", "characters", "circles", "bamboos", "winds", "dragons", "flowers", "seasons")
"""By value."""
_NEWS = {
    RaceNews.GAVE_UP: "gave up",
    RaceNews.GAVE_UP_STUCK: "gave up",
    RaceNews.AWAY: "went away",
    RaceNews.BACK: "is back",
}
_ENDS = {
    PoolEnd.CLEARED: "cleared the board",
    PoolEnd.BLOCKED: "is blocked",
    PoolEnd.TIME: "is out of time",
    PoolEnd.ENDED: "ended the game",
    PoolEnd.LEFT: "left",
    PoolEnd.NOT_PLAYED: "did not play",
}
_FINISHES = {
    Finish.WITHIN_LIMIT: "cleared within the limit",
    Finish.OVER_LIMIT: "cleared over the limit",
    Finish.UNFINISHED: "unfinished",
    Finish.GIVEN_UP: "given up",
}


def what_happened(what: What) -> str:
    """Return in a few words what a seat did."""
    match what:
        case TakenPair(tiles=tiles, faces=faces):
            return f"{_shown(faces)} {tiles[0]}–{tiles[1]}"  # noqa: RUF001 a range
        case LitPair(tiles=tiles, faces=faces):
            return f"hint {_shown(faces)} {tiles[0]}–{tiles[1]}"  # noqa: RUF001 a range
        case UndonePair(tiles=tiles):
            return f"undo {tiles[0]}–{tiles[1]}"  # noqa: RUF001 a range
        case BlockedTouch(tile=tile):
            return f"blocked {tile}"
        case FreeTouch(tile=tile):
            return f"touched {tile}"
        case Shuffled():
            return "shuffle"
        case Out():
            return "left" if what is Out.LEFT else "out"
        case RaceNews():
            return _NEWS[what]
        case _:
            return _ENDS[what]


def why(what: What) -> str:
    """Return why it was worth what it was, or why nothing came of it."""
    match what:
        case TakenPair():
            return why_worth(what)
        case BlockedTouch():
            return why_blocked(what)
        case FreeTouch(not_same=not_same):
            return "does not match" if not_same else "free"
        case Shuffled():
            return _why_shuffled(what)
        case LitPair(charge=charge, left=left):
            return _joined(_charged(charge), _left(left, "hint"))
        case UndonePair(worth=worth, charge=charge, left=left):
            return _joined(f"back go {worth}", _charged(charge), _left(left, "undo"))
        case Out():
            return "" if what is Out.LEFT else "20 s without a pair"
        case RaceNews():
            return "blocked, and no shuffle was left" if what is RaceNews.GAVE_UP_STUCK else ""
        case _:
            return ""


def change(what: What) -> int | None:
    """Return what a step did to the score; None where scores have nothing to do with it."""
    match what:
        case TakenPair(worth=worth):
            return worth
        case BlockedTouch(cost=cost):
            return -cost
        case UndonePair(worth=worth, charge=charge):
            return -worth - charge
        case LitPair(charge=charge) | Shuffled(charge=charge, impossible=False):
            return -charge
        case Shuffled():
            return 0
        case _:
            return None


def why_worth(taken: TakenPair) -> str:
    """Return why a pair was worth what it was."""
    if taken.value:
        return f"{SETS[taken.value]} {taken.value} × {taken.pairs_on_board} pairs"  # noqa: RUF001 times
    before, after = taken.record_before_ms, taken.record_after_ms
    is_beaten = before is not None and after is not None and after < before
    record = f"record {seconds(before or 0)} → {seconds(after or 0)}" if is_beaten else ""
    match taken.kind:
        case PairKind.CRUCIAL:
            crucial = "crucial: the only pair that kept the board solvable"
            return f"{crucial}; {record}" if record else crucial
        case PairKind.JOKER:
            return "by a joker"
        case PairKind.PACE:
            return record
        case _:
            return "the first sets the record" if before is None and after is not None else ""


def why_blocked(blocked: BlockedTouch) -> str:
    """Return why a tile was blocked."""
    if blocked.covered_by:
        return f"under {_tiles(blocked.covered_by)}"
    return f"between {_tiles(blocked.left)} and {_tiles(blocked.right)}"


def how_placed(placing: RacePlacing | PoolPlacing) -> str:
    """Return how a seat of a race or of the pool ended."""
    if isinstance(placing, PoolPlacing):
        ended = _ENDS[placing.end]
        if not placing.place:
            return f"{ended}, {placing.payout:,} chips back" if placing.payout else ended
        won = f", {placing.payout:,} chips" if placing.payout else ""
        return f"{placing.score:,} points, {ended} with {placing.pairs_left} pairs left{won}"
    came = _FINISHES[placing.finish]
    if placing.elapsed_ms is not None:
        came += f" in {seconds(placing.elapsed_ms)}"
    else:
        came += f" at {placing.percent} %"
    by_cpu = ", played on by the CPU" if placing.cpu_played else ""
    was = f"{placing.rating_before} → " if placing.rating_before else ""
    rated = "" if placing.rating is None else f", rating {was}{placing.rating}"
    return f"{came}{by_cpu}{rated}"


def _why_shuffled(shuffled: Shuffled) -> str:
    if shuffled.impossible:
        return "no arrangement has a pair: nothing is charged"
    moved = "tiles took other places" if shuffled.moved else ""
    return _joined(moved, _charged(shuffled.charge), _left(shuffled.left, "shuffle"))


def _charged(charge: int) -> str:
    return f"5 × {charge // 5} pairs" if charge else ""  # noqa: RUF001 times


def _left(left: int | None, what: str) -> str:
    return "" if left is None else f"{left} {what}{'' if left == 1 else 's'} left"


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _shown(faces: tuple[str, str]) -> str:
    return faces[0] if faces[0] == faces[1] else f"{faces[0]} {faces[1]}"


def _tiles(tiles: tuple[int, ...]) -> str:
    return " and ".join(map(str, tiles))
