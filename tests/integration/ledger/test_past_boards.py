"""Boards of the past, movement, explanations and histories, against a model that recomputes everything."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from services.ledger.board_servicer import ORDINAL_END
from services.ledger.domain.back_then import Moment
from services.ledger.domain.windows import Board
from services.ledger.projections.contributions import Scope
from services.ledger.projections.listings import BoardQuestion
from services.ledger.projections.past import BeforeOpeningError, BehindError
from services.ledger.projections.reads import window_of
from tests.support.board_model import model_of, settle_at_the_clock, stamp
from tests.support.ledger_bench import EPOCH, points_order
from tests.support.past_boards import (
    BY_DAY,
    Past,
    feed_instants,
    random_fact,
    rows_of,
    seq_at,
)


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
