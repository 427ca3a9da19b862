"""Boards of the past, movement, explanations and histories, against a model that recomputes everything."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from libs.eventsourcing.envelope import Part
from libs.eventsourcing.ids import uuid7
from libs.eventstore.port import StreamAppend
from libs.runtime.caller import CALLER as CALLER_NOW
from libs.runtime.caller import Player
from libs.runtime.errors import Refused
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.board_servicer import ORDINAL_END, BoardReads
from services.ledger.domain.back_then import Moment
from services.ledger.domain.calendar import day_end, day_start, ledger_day
from services.ledger.domain.days import closing_stream
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import FAMILY, Board, Family
from services.ledger.events import LedgerDayClosed, TransferPosted
from services.ledger.policies import CALLER
from services.ledger.projections.admission import WAITING_MAX, Admission
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.contributions import Scope
from services.ledger.projections.listings import BoardQuestion, BoardSlice
from services.ledger.projections.movement import EndOfDay
from services.ledger.projections.past import WHOLE, BeforeOpeningError, BehindError
from services.ledger.projections.reads import Shown, window_of
from services.ledger.projections.standing_history import RANKS
from services.ledger.wire.events import encode
from tests.support.board_model import BoardModel, model_of, settle_at_the_clock, stamp
from tests.support.ledger_bench import EPOCH, LedgerBench, points_order

FILE = Path(__file__).parents[2] / "data" / "ledger" / "boards.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()][:12]
"""One of each kind; the fold in memory is held to all 36."""
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
BY_DAY = (Board.WEEKLY, Board.DAILY, Board.MCR_WEEKLY, Board.MCR_DAILY)


@dataclass
class Past:
    """A ledger with a year and a half behind it, and what reads it."""

    bench: LedgerBench
    reads: BoardReads = field(init=False)
    accounts: list[str] = field(default_factory=list)
    instants: list[datetime] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read what the bench's own reader reads."""
        self.reads = BoardReads.of(self.bench.database, self.bench.reader, ClubBoards())

    async def pages(self, question: BoardQuestion) -> list[BoardSlice]:
        """Return all pages of a listing."""
        pages = [await self.reads.listings.first(question)]
        while (token := pages[-1].next_token) is not None:
            pages.append(await self.reads.listings.next(question, json.loads(json.dumps(token))))
        return pages


def rows_of(pages: Sequence[BoardSlice]) -> list[Entry]:
    """Return all rows of a listing."""
    return [entry for page in pages for entry in page.entries]


def random_fact(chance: random.Random, accounts: Sequence[str], now: datetime) -> TransferPosted:
    """Return points, table points or rating of a recent day, between the house and a player, or two."""
    asset, reason = chance.choice(
        [
            *[(Asset.POINTS, "ARENA"), (Asset.POINTS, "QUICK_MATCH")] * 2,
            *[(Asset.POINTS, "MCR"), (Asset.POINTS, "TP"), (Asset.RATING, "RACE")],
        ]
    )
    taker = player_account(chance.choice(accounts))
    giver = player_account(chance.choice(accounts)) if chance.random() < 0.15 else HOUSE_POINTS
    if giver == taker:
        giver = HOUSE_POINTS
    sides = (giver, taker) if chance.random() < 0.8 else (taker, giver)
    day = ledger_day(now - timedelta(hours=chance.choice((0, 0, 0, 3, 20, 24 * 40))))
    amount = chance.choice((5, 10, 15, 300))
    return TransferPosted(f"match/{uuid4()}/x", asset, *sides, amount, reason, now, day, "2026.6", "")


def reversal(fact: TransferPosted) -> TransferPosted:
    """Return what takes a transfer back, on its own day."""
    return TransferPosted(
        f"reversal/{fact.key}",
        fact.asset,
        fact.credit,
        fact.debit,
        fact.amount,
        fact.reason,
        fact.occurred_at,
        fact.day,
        fact.time_zone_data,
        "",
        reverses=fact.key,
    )


@pytest.fixture
async def past(bench: LedgerBench) -> Past:
    """14 months of random transfers, late ones, reversals and midnights; the feed stands by the clock."""
    chance = random.Random(52)
    made = Past(bench, [str(UUID(int=chance.getrandbits(128))) for _ in range(14)])
    posted: list[TransferPosted] = []
    await settle_at_the_clock(bench)
    for _ in range(60):
        bench.clock.advance(timedelta(hours=chance.choice((1, 5, 24, 24 * 17))))
        facts = [random_fact(chance, made.accounts, bench.clock.now()) for _ in range(chance.randrange(6))]
        if posted and chance.random() < 0.3:
            facts.append(reversal(posted.pop(chance.randrange(len(posted)))))
        posted.extend(fact for fact in facts if not fact.reverses)
        if chance.random() < 0.5:
            await settle_at_the_clock(bench)
        await bench.log_facts(*facts)
        await settle_at_the_clock(bench)
        made.instants.append(bench.clock.now())
    return made


def seq_at(model: BoardModel, instants: Sequence[tuple[datetime, int]], at: datetime) -> int:
    """Return the last place that was in the feed at an instant."""
    return max(seq for stood, seq in instants if stood <= at)


async def feed_instants(bench: LedgerBench) -> list[tuple[datetime, int]]:
    """Return when each entry came to the feed."""
    entries = await bench.database.feed.read(Part.FACTS, 1, limit=100_000)
    return [(entry.at, entry.seq) for entry in entries]


async def test_as_of_shows_what_a_recomputation_shows_at_every_instant(past: Past) -> None:
    """All boards, at and between the instants of posts and midnights, page by page."""
    model, instants = await model_of(past.bench), await feed_instants(past.bench)
    chance = random.Random(5)
    for at in chance.sample(past.instants, 18):
        asked = at - timedelta(seconds=chance.choice((0, 0, 1_800)))
        seq = seq_at(model, instants, asked)
        day = model.day_at(seq)
        assert await past.reads.past.moment(asked) == Moment(seq, day)
        for board in Board:
            pages = await past.pages(BoardQuestion(board, 4, at=asked))
            assert rows_of(pages) == model.board(board, seq, day)
            assert {page.window for page in pages} == {window_of(board, day)}


async def test_a_past_day_and_its_week_hold_everything_known_of_them_now(past: Past) -> None:
    """Late results and reversals included, however long ago."""
    model = await model_of(past.bench)
    last = model.facts[-1][0]
    today = model.day_at(last)
    for back in range(0, 420, 7):
        day = today - timedelta(days=back)
        for board in BY_DAY:
            pages = await past.pages(BoardQuestion(board, 5, day=day))
            assert rows_of(pages) == model.board(board, last, day)


async def test_the_page_around_each_player_is_the_right_one_on_past_boards(past: Past) -> None:
    """As of an instant, and of a past day: the same rows as around them in a full sort."""
    model, instants = await model_of(past.bench), await feed_instants(past.bench)
    at = past.instants[30]
    seq = seq_at(model, instants, at)
    last = model.facts[-1][0]
    busy = max((model.day_at(last) - timedelta(days=back) for back in range(200)), key=lambda day: len(
        model.board(Board.WEEKLY, last, day)
    ))  # fmt: skip
    for full, question in (
        (model.board(Board.AMR, seq, model.day_at(seq)), BoardQuestion(Board.AMR, 3, at=at)),
        (model.board(Board.WEEKLY, last, busy), BoardQuestion(Board.WEEKLY, 3, day=busy)),
    ):
        for index, entry in enumerate(full):
            asked = BoardQuestion(question.board, 3, entry.account, question.day, question.at)
            page = await past.reads.listings.first(asked)
            first = min(max(0, index - 1), max(0, len(full) - 3))
            assert list(page.entries) == full[first : first + 3]


async def test_previous_ranks_are_those_of_the_board_as_the_day_before_ended(past: Past) -> None:
    """On every board, also on a Monday, and after results that came late for that day."""
    bench = past.bench
    for _ in range(8):
        bench.clock.advance(timedelta(hours=24))
        await settle_at_the_clock(bench)
        chance = random.Random(str(bench.clock.now()))
        facts = [random_fact(chance, past.accounts, bench.clock.now()) for _ in range(12)]
        await bench.log_facts(*facts)
        await settle_at_the_clock(bench)
        model = await model_of(bench)
        today = model.day_at(model.facts[-1][0])
        before = today - timedelta(days=1)
        closing = model.closing_of(before)
        assert closing is not None
        for board in Board:
            then = {entry.account: entry.rank for entry in model.board(board, closing, before)}
            pages = await past.pages(BoardQuestion(board, 4, with_previous_rank=True))
            told = {account: rank for page in pages for account, rank in page.previous_ranks.items()}
            shown = {entry.account for entry in rows_of(pages)}
            assert told == {account: rank for account, rank in then.items() if account in shown}


async def test_contributions_sum_to_every_standing(past: Past) -> None:
    """Every player, every board: now, on past days, as of instants; newest first, each with its transfer."""
    model, instants = await model_of(past.bench), await feed_instants(past.bench)
    last = model.facts[-1][0]
    at = past.instants[40]
    moments = [
        (last, model.day_at(last)),
        (seq_at(model, instants, at), model.day_at(seq_at(model, instants, at))),
    ]
    moments += [(last, model.day_at(last) - timedelta(days=back)) for back in (1, 8, 40)]
    for seq, day in moments:
        for board in Board:
            made_of = list(model.made_of(board, seq, day))
            for account in past.accounts:
                scope = Scope.of(board, account, window_of(board, day), seq)
                found, below = [], (date.max, ORDINAL_END)
                while page := await past.reads.contributions.page(scope, below, 3):
                    found.extend(page)
                    below = page[-1].transfer.day, page[-1].seq
                order = [(each.transfer.day, each.seq) for each in found]
                expected = {(place, points) for place, owner, points in made_of if owner == account}
                assert {(each.seq, each.points) for each in found} == expected
                assert order == sorted(order, reverse=True)
                entry = model.entry(board, seq, day, account)
                assert sum(each.points for each in found) == (entry.points if entry else 0)


async def test_a_history_holds_points_by_day_and_what_amr_showed_at_each_end(past: Past) -> None:
    """Each day's points as known now; AMR points and rank as the boards stood when the day was closed."""
    model = await model_of(past.bench)
    last = model.facts[-1][0]
    today = model.day_at(last)
    for account in past.accounts[:4]:
        history = await past.reads.history.days(account, 480)
        assert [day.day.day for day in history] == [
            today - timedelta(days=back) for back in range(479, -1, -1)
        ]
        for told in history:
            day = told.day.day
            seq = last if day == today else model.closing_of(day)
            entry = model.entry(Board.AMR, seq, day, account) if seq is not None else None
            own = model.entry(Board.DAILY, last, day, account)
            assert told.day.points == (own.points if own else 0)
            assert (told.day.year_points, told.rank) == ((entry.points, entry.rank) if entry else (0, 0))


async def test_histories_are_ranked_one_at_a_time(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads hundreds of whole histograms: many who ask at once leave connections to other readers."""
    fetch, running, most = past.bench.reader.fetch, 0, 0

    async def counted(template: str, arguments: Any) -> Any:
        nonlocal running, most
        running += template == RANKS
        most = max(most, running)
        try:
            return await fetch(template, arguments)
        finally:
            running -= template == RANKS

    monkeypatch.setattr(past.bench.reader, "fetch", counted)
    asked = past.accounts[:8]
    told = await asyncio.gather(*(past.reads.history.days(account, 365) for account in asked))

    assert most == 1
    assert [len(days) for days in told] == [365] * len(asked)


@pytest.mark.parametrize(
    "kind", ["live", "live with movement", "day", "as of", "from a place in the middle of a tie"]
)
async def test_no_player_comes_twice_and_none_is_skipped_while_points_pour_in(past: Past, kind: str) -> None:
    """All pages show the board as of the first one: through posts, reversals, and a midnight or two."""
    bench, board = past.bench, Board.WEEKLY
    chance = random.Random(11)
    accounts = [str(uuid4()) for _ in range(30)]
    now = bench.clock.now()
    await bench.post(*(points_order(UUID(each), chance.choice((5, 5, 10)), now) for each in accounts))
    await settle_at_the_clock(bench)
    model = await model_of(bench)
    seq = model.facts[-1][0]
    day = model.day_at(seq)
    full = model.board(board, seq, day)
    question = {
        "live": BoardQuestion(board, 4),
        "live with movement": BoardQuestion(board, 4, with_previous_rank=True),
        "day": BoardQuestion(board, 4, day=day),
        "as of": BoardQuestion(board, 4, at=now),
        "from a place in the middle of a tie": BoardQuestion(board, 4, anchor=full[12].account),
    }[kind]

    pages = [await past.reads.listings.first(question)]
    while (token := pages[-1].next_token) is not None:
        facts = [random_fact(chance, [*accounts, str(uuid4())], bench.clock.now()) for _ in range(8)]
        await bench.log_facts(*facts)
        bench.clock.advance(timedelta(hours=4))
        await settle_at_the_clock(bench)
        pages.append(await past.reads.listings.next(question, token))

    assert rows_of(pages) == (full[10:] if question.anchor else full)


async def test_instants_before_the_opening_and_beyond_the_boards_are_told(past: Past) -> None:
    """Nothing was shown before the first closing; what is not folded yet is not guessed."""
    with pytest.raises(BeforeOpeningError):
        await past.reads.past.moment(datetime(2026, 3, 2, 11, tzinfo=UTC))
    bench = past.bench
    await bench.post(points_order(UUID(past.accounts[0]), 5, bench.clock.now()))
    last = await bench.count("SELECT last_seq FROM feed_head WHERE part = 1")
    await bench.sequencer.step(EPOCH)
    await stamp(bench, last, [bench.clock.now()])
    with pytest.raises(BehindError):
        await past.reads.past.moment(bench.clock.now())


def account_of(name: str) -> str:
    """Return a golden account as an id, in the same order."""
    return str(UUID(int=int(name.removeprefix("acc-"), 16)))


def golden_log(case: dict[str, Any]) -> list[tuple[datetime, Any]]:
    """Return a case as facts and when they came to the feed: closings on the midnight, then transfers."""
    rows: dict[str, Any] = {}
    for row in case["transfers"]:
        rows.setdefault(row["id"], row)
    log: list[tuple[datetime, int, Any]] = []
    for row in rows.values():
        original = rows[row["reverses"]] if row["reason"] == "REVERSAL" else row
        sides = (HOUSE_POINTS, player_account(account_of(row["account"])))
        fact = TransferPosted(
            row["id"],
            Asset.POINTS,
            *(sides if row["points"] > 0 else sides[::-1]),
            abs(row["points"]),
            original["reason"],
            instant(row["occurred_at"]),
            ledger_day(instant(original["occurred_at"])),
            "",
            "",
        )
        log.append((instant(row["posted_at"]), 1, fact))
    asked = [instant(row["as_of"]) for row in case["boards"]]
    day = ledger_day(min(asked))  # the boards open on the first day asked about
    log.append((day_start(day), 0, LedgerDayClosed(day - timedelta(days=1))))
    while day_end(day) <= max(asked):
        log.append((day_end(day), 0, LedgerDayClosed(day)))
        day += timedelta(days=1)
    return [(at, fact) for at, _, fact in sorted(log, key=lambda step: step[:2])]


def stream_of(fact: Any) -> UUID:
    """Return the stream that a fact stands in."""
    return uuid7(NOON, uuid4().bytes[:10]) if isinstance(fact, TransferPosted) else closing_stream(fact.day)


def occurred_at(fact: Any) -> datetime:
    """Return when a fact occurred."""
    return fact.occurred_at if isinstance(fact, TransferPosted) else day_end(fact.day)


def instant(text: str) -> datetime:
    """Read an instant of the file."""
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])
async def test_the_golden_boards_come_out_of_the_tables_as_of_each_instant(
    bench: LedgerBench, case: dict[str, Any]
) -> None:
    """All transfers of a case are in; asked as of each of its instants the three boards are the file's."""
    log = golden_log(case)
    streams = [StreamAppend(stream_of(fact), 0, (encode(fact, occurred_at(fact)),)) for _, fact in log]
    await bench.database.store.append(streams, recorded_at=bench.clock.now(), caller=CALLER)
    while await bench.sequencer.step(EPOCH):
        pass
    await stamp(bench, 0, [at for at, _ in log])
    await bench.projector.claim(EPOCH)
    while await bench.projector.step(EPOCH):
        pass
    reads = BoardReads.of(bench.database, bench.reader, ClubBoards())

    for asked in case["boards"]:
        for board in (board for board in Board if FAMILY[board] is Family.POINTS):
            found = await reads.listings.first(BoardQuestion(board, 200, at=instant(asked["as_of"])))
            rows = [[entry.rank, entry.account, entry.points] for entry in found.entries]
            assert rows == [[rank, account_of(name), points] for rank, name, points in asked[board.value]]


def _ranked_by(day: date, points: int, _shown: Shown) -> tuple[Any, ...]:
    return [day], [points], 1


async def test_ranks_in_kept_boards_are_found_between_and_beyond_their_points(past: Past) -> None:
    """A binary search in what a closing kept: above all, in a tie, in a gap, below all."""
    async with past.bench.database.engine.begin() as connection:
        await connection.execute(text("DELETE FROM board_history_g2"))
        await connection.execute(
            text("INSERT INTO board_history_g2 VALUES ('2026-03-05', 1, 5, '{-5,10,20,40}', '{7,6,5,2}')")
        )
    day = date(2026, 3, 5)
    asked = {41: 1, 40: 1, 39: 3, 20: 3, 15: 6, 10: 6, 5: 7, -5: 7, -6: 8}

    for points, rank in asked.items():
        _, rows = await past.bench.reader.fetch(RANKS, partial(_ranked_by, day, points))
        assert [row["rank"] for row in rows] == [rank]
        assert EndOfDay(5, [-5, 10, 20, 40], [7, 6, 5, 2]).rank(points) == rank


async def test_a_third_read_of_a_player_who_has_two_waiting_is_refused(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RATE_LIMIT with a time to wait, for boards of instants and for histories; others still get theirs."""
    hold = asyncio.Event()
    fetch = past.bench.reader.fetch

    async def held(template: str, arguments: Any) -> Any:
        if template in {RANKS, WHOLE}:
            await hold.wait()
        return await fetch(template, arguments)

    monkeypatch.setattr(past.bench.reader, "fetch", held)
    one, other = (Player(UUID(int=number), UUID(int=9)) for number in (1, 2))

    def ask(player: Player, at: datetime | None = None) -> asyncio.Task[Any]:
        context = copy_context()
        context.run(CALLER_NOW.set, player)
        if at is None:
            read: Any = past.reads.history.days(past.accounts[0], 300)
        else:
            read = past.reads.listings.first(BoardQuestion(Board.AMR, 4, at=at))
        return asyncio.get_running_loop().create_task(read, context=context)

    instants = past.instants[20:23]
    waiting = [
        *(ask(one, at) for at in instants[:2]),
        *(ask(one) for _ in range(2)),
    ]
    await asyncio.sleep(0.3)
    for third in (ask(one, instants[2]), ask(one)):
        with pytest.raises(Refused) as refusal:
            await third
        assert (refusal.value.reason, refusal.value.retry_after_ms) == ("RATE_LIMIT", 1_000)
    waiting += [ask(other, instants[2]), ask(other)]
    hold.set()

    assert len(await asyncio.gather(*waiting)) == 6
    assert await ask(one, instants[2])


async def test_only_so_many_reads_wait_altogether() -> None:
    """Those of operators too; whoever is done makes room."""
    admission = Admission()
    with ExitStack() as waiting:
        for _ in range(WAITING_MAX):
            waiting.enter_context(admission.admitted())
        with pytest.raises(Refused), admission.admitted():
            pass
    with admission.admitted():
        pass


async def test_nothing_kept_survives_a_switch_of_generation(past: Past) -> None:
    """A board of an instant, the opening, the end of yesterday: of the new generation from then on."""
    bench = past.bench
    at, before = past.instants[30], BoardQuestion(Board.RACE_RATING, 50, with_previous_rank=True)
    instant = BoardQuestion(Board.AMR, 50, at=at)
    old = await past.reads.listings.first(instant)
    old_ranks = (await past.reads.listings.first(before)).previous_ranks
    tables = ("row", "count", "entry", "history")
    statements = (
        "SELECT create_board_generation(3)",
        *(f"INSERT INTO board_{table}_g3 SELECT * FROM board_{table}_g2" for table in tables),
        "UPDATE board_row_g3 SET points = points + 100000 WHERE board IN (1, 3)",
        "UPDATE board_history_g3 SET players = ARRAY(SELECT p + 9 FROM unnest(players) AS p)",
        "UPDATE board_state SET as_of_day = (SELECT max(as_of_day) FROM board_state) WHERE generation = 3",
        "UPDATE checkpoint SET name = 'boards_g3' WHERE name = 'boards_g2'",
        "UPDATE active_generation SET generation = 3",
    )
    async with bench.database.engine.begin() as connection:
        for statement in statements:
            await connection.exec_driver_sql(statement)
    new = await past.reads.listings.first(instant)
    new_ranks = (await past.reads.listings.first(before)).previous_ranks

    assert rows_of([new]) != rows_of([old])
    assert max(old_ranks.values()) > 1
    assert new_ranks == {account: rank + 9 if rank > 1 else 1 for account, rank in old_ranks.items()}


@pytest.mark.parametrize("stray", ["2001-01-01", "2100-01-01", "-infinity", "infinity"])
async def test_a_stray_history_is_told_and_passed_over(past: Past, stray: str) -> None:
    """Instants are answered as without it, and those before the opening are still before it."""
    at = past.instants[30]
    question = BoardQuestion(Board.AMR, 50, at=at)
    expected = await past.reads.listings.first(question)
    async with past.bench.database.engine.begin() as connection:
        await connection.execute(
            text("INSERT INTO board_history_g2 VALUES (CAST(:day AS text)::date, 1, 0, '{}', '{}')"),
            {"day": stray},
        )
    reads = BoardReads.of(past.bench.database, past.bench.reader, ClubBoards())

    with capture_logs() as logs:
        assert await reads.listings.first(question) == expected
        with pytest.raises(BeforeOpeningError):
            await reads.past.moment(datetime(2026, 3, 2, 11, tzinfo=UTC))

    assert [each["days"] for each in logs] == ([[stray]] if stray == "2001-01-01" else [])
