"""The table of fans, and what hands are worth, over real gRPC. Nothing is kept, so there is no database."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import grpc
import pytest

from libs.client.calls import Calls, Retries
from libs.client.errors import RefusedError
from libs.client.hands import HandOutcome, Hands
from libs.pb.sparrow.mcr.v1 import mcr_pb2
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import McrServiceStub
from libs.rules.mcr.fan_names import NAMES
from libs.rules.mcr.fans_table import FANS, MIXED_KONGS
from libs.rules.mcr.notation import parse_hand
from libs.rules.mcr.tiles import NOTATION
from services.mcr.scoring.servicer import GRPC_NAME, HANDS_MAX
from tests.support.edge import Edge, Refusal, refusal_of, refused, serving
from tests.support.mcr_hands import counted_hands, scored_hands
from tests.support.mcr_scoring import bind_scoring
from tests.support.wild_messages import wild_message


@pytest.fixture
async def edge() -> AsyncIterator[Edge]:
    """A server with it."""
    async with serving([bind_scoring]) as edge:
        yield edge


class Token:
    """The bearer of one player's token."""

    def __init__(self, edge: Edge) -> None:
        self._text = edge.as_player()[0][1].removeprefix("Bearer ")

    async def token(self) -> str:
        """Return it."""
        return self._text

    async def renew(self, refused: str) -> None:
        """It stays the same."""


def trainer(edge: Edge, language: str = "") -> Hands:
    """Somebody who asks with the client library."""
    return Hands(Calls(Token(edge), Retries(for_s=0), language), McrServiceStub(edge.channel))


KONG = mcr_pb2.SET_KIND_KONG
PUNG = mcr_pb2.SET_KIND_PUNG
CHOW = mcr_pb2.SET_KIND_CHOW
RED_KONG = mcr_pb2.MeldedSet(kind=KONG, tile="C", concealed=True)
EAST_PUNG = mcr_pb2.MeldedSet(kind=PUNG, tile="E")


def asked(
    concealed: str = "1m 2m 3m 5p 5p 7s 8s",
    melds: tuple[mcr_pb2.MeldedSet, ...] = (EAST_PUNG, RED_KONG),
    **last: Any,
) -> mcr_pb2.HandToScore:
    """A hand; with the circumstances of a last tile, one that is complete unless they say otherwise."""
    tile: dict[str, Any] = {"tile": "9s", "source": mcr_pb2.LAST_TILE_SOURCE_DISCARD} | last
    return mcr_pb2.HandToScore(
        concealed=concealed.split(), melds=melds, last=mcr_pb2.LastTile(**tile) if last else None
    )


async def refusal(edge: Edge, hand: mcr_pb2.HandToScore) -> Refusal:
    """Why a hand is refused."""
    call = McrServiceStub(edge.channel).Score(pb.ScoreRequest(hand=hand), metadata=edge.as_player())
    return await refused(call)


async def test_the_fans_come_in_pages_in_their_order(edge: Edge) -> None:
    """One page holds all 82 with their names; pages of 30 hold them once each; a bad size is refused."""
    stub = McrServiceStub(edge.channel)
    whole = await stub.ListFans(pb.ListFansRequest(page_size=1_000))
    paged: list[mcr_pb2.Fan] = []
    token = ""
    for _ in range(3):
        page = await stub.ListFans(pb.ListFansRequest(page_size=30, page_token=token))
        paged += page.fans
        token = page.next_page_token
    negative = await refused(stub.ListFans(pb.ListFansRequest(page_size=-3)))

    told = [(fan.number, fan.title, fan.points) for fan in whole.fans]
    assert told == [tuple(fan) for fan in (*FANS, MIXED_KONGS)]
    assert [(fan.title, fan.chinese_title, fan.persian_title) for fan in whole.fans] == [
        tuple(names) for names in NAMES.values()
    ]
    assert (whole.next_page_token, token) == ("", "")
    assert paged == list(whole.fans)
    assert negative.field == "page_size"


async def test_a_hand_is_told_with_its_fans_in_three_languages(edge: Edge) -> None:
    """Points with and without flowers, the reading, what the last tile completed, distances, waits."""
    written = parse_hand("[EEE,1][CCCC]123m55p78s9s|EE0000|2")
    worth = await trainer(edge).score(written.hand, written.win)

    assert (worth.outcome, worth.points, worth.total) == (HandOutcome.WIN, 14, 16)
    assert [(fan.english, fan.times, fan.points) for fan in worth.fans] == [
        ("All Types", 1, 6),
        ("Dragon Pung", 1, 2),
        ("Prevalent Wind", 1, 2),
        ("Seat Wind", 1, 2),
        ("Concealed Kong", 1, 2),
        ("Flower Tiles", 2, 2),
    ]
    assert (worth.fans[0].chinese, worth.fans[0].persian) == (NAMES[52].chinese, NAMES[52].persian)
    assert (worth.shape, worth.pair, len(worth.sets)) == ("regular", "5p", 4)
    assert (dict(worth.distances), worth.waits) == ({"regular": 0}, ("6s", "9s"))


async def test_recorded_hands_are_told_as_recorded(edge: Edge) -> None:
    """Totals, fans and outcomes of hands, distances and waits of others; several in one call."""
    hands, waiting = scored_hands()[::150], counted_hands()[::25]
    trains = trainer(edge)
    told = await trains.score_all([(one.asked.hand, one.asked.win) for one in hands])
    before = await trains.score_all([(one.asked.hand, None) for one in waiting])

    assert [(one.outcome, one.points) for one in told] == [(one.outcome, one.total or 0) for one in hands]
    complete = [(one, right) for one, right in zip(told, hands, strict=True) if right.total is not None]
    assert [sum(fan.times for fan in one.fans) for one, _ in complete] == [
        sum(right.fans.values()) for _, right in complete
    ]
    for one, right in zip(before, waiting, strict=True):
        numbers: dict[str, int] = {str(shape): number for shape, number in one.distances.items()}
        assert numbers | {"min": min(numbers.values())} == right.shanten
        assert sorted(one.waits) == sorted(right.waits or ())
        assert (one.outcome, one.fans) == (None, ())


async def test_the_profile_of_the_book_may_be_asked_for(edge: Edge) -> None:
    """Two concealed kongs count eight points there, six at tables."""
    written = parse_hand("[EEEE][CCCC]234p55p78s9s")
    usual = await trainer(edge).score(written.hand, written.win)
    book = await trainer(edge).score(written.hand, written.win, wmo=True)

    assert book.points - usual.points == 2


CONCEALED = "1m 2m 3m 4m 5m 6m 7m 8m 9m 5p 5p 7s 8s"
FAULTS: dict[str, tuple[mcr_pb2.HandToScore, str]] = {
    "WRONG_COUNT": (asked("1m 2m 3m 5p 5p 7s"), "hand.concealed"),
    "TOO_MANY_MELDS": (asked("1m", (EAST_PUNG,) * 5), "hand.melds"),
    "IMPOSSIBLE_MELD": (asked(melds=(RED_KONG, mcr_pb2.MeldedSet(kind=CHOW, tile="8p"))), "hand.melds[1]"),
    "FIVE_COPIES": (asked("C 2m 3m 5p 5p 7s 8s"), "hand.melds[1]"),
    "NO_WIND": (asked(seat_wind="P"), "hand.last.seat_wind"),
    "FLOWERS": (asked(flowers=9), "hand.last.flowers"),
    "REPLACEMENT_WITHOUT_KONG": (
        asked(CONCEALED, (), source=mcr_pb2.LAST_TILE_SOURCE_REPLACEMENT),
        "hand.last.source",
    ),
    "ROBBED_TILE_HELD": (asked(source=mcr_pb2.LAST_TILE_SOURCE_ADDED_KONG, tile="2m"), "hand.last.source"),
    "ROBBED_LAST_TILE": (
        asked(source=mcr_pb2.LAST_TILE_SOURCE_ADDED_KONG, last_of_wall=True),
        "hand.last.last_of_wall",
    ),
    "ROBBED_CONCEALED_KONG": (asked(source=mcr_pb2.LAST_TILE_SOURCE_CONCEALED_KONG), "hand.last.source"),
    "LAST_OF_KIND_HELD": (asked(tile="8s", last_of_kind=True), "hand.last.last_of_kind"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_what_is_no_hand_is_refused_precisely(edge: Edge, fault: str) -> None:
    """With the fault and the field of it."""
    hand, field = FAULTS[fault]
    told = await refusal(edge, hand)

    assert (told.reason, told.code) == ("NOT_A_HAND", grpc.StatusCode.INVALID_ARGUMENT)
    assert (told.metadata["fault"], told.metadata["field"], told.field) == (fault, field, field)


async def test_the_fifth_copy_is_named_where_it_is(edge: Edge) -> None:
    """Among the concealed tiles, or the last one."""
    concealed = await refusal(edge, asked("E E E E E 1m 2m 3m 4p 5p 6p 7s 7s", ()))
    last = await refusal(edge, asked("E E E E 1m 2m 3m 4m 5p 6p 7p 7s 7s", (), tile="E"))

    assert (concealed.field, last.field) == ("hand.concealed[4]", "hand.last.tile")


async def test_a_player_is_told_in_the_own_language_what_is_wrong(edge: Edge) -> None:
    """Of a hand among several the field tells which."""
    right = parse_hand("[EEE,1][CCCC]123m55p78s9s")
    wrong = parse_hand("[EEE,1][CCCC]123m55p78s9s|EE0011")
    trains = trainer(edge, "pl")
    with pytest.raises(RefusedError, match="NOT_A_HAND") as found:
        await trains.score_all([(right.hand, right.win), (wrong.hand, wrong.win)])

    assert found.value.metadata["field"] == "hands[1].last.last_of_wall"
    assert (
        found.value.text == "Po ostatniej płytce muru nikt nie może zrobić konga, więc nie ma czego zrabować."
    )


@pytest.mark.parametrize(
    ("hand", "field"),
    [
        (asked("1m 10m"), "hand.concealed[1]"),
        (asked(melds=(EAST_PUNG, mcr_pb2.MeldedSet(kind=PUNG, tile="e"))), "hand.melds[1].tile"),
        (asked(melds=(EAST_PUNG, mcr_pb2.MeldedSet(tile="E"))), "hand.melds[1].kind"),
        (asked(tile=""), "hand.last.tile"),
        (asked(source=0), "hand.last.source"),
        (asked(prevalent_wind="East"), "hand.last.prevalent_wind"),
        (asked(""), "hand.concealed"),
    ],
)
async def test_what_is_no_tile_names_its_field(edge: Edge, hand: mcr_pb2.HandToScore, field: str) -> None:
    """So does what is missing."""
    told = await refusal(edge, hand)

    assert (told.reason, told.field) == ("FIELD_INVALID", field)


async def test_a_call_holds_so_many_hands_and_no_more(edge: Edge) -> None:
    """And asks who calls."""
    written = parse_hand("[EEE,1][CCCC]123m55p78s9s")
    with pytest.raises(RefusedError) as found:
        await trainer(edge).score_all([(written.hand, written.win)] * (HANDS_MAX + 1))
    anybody = await refused(McrServiceStub(edge.channel).ScoreHands(pb.ScoreHandsRequest()))

    assert found.value.metadata["field"] == "hands"
    assert anybody.reason in {"TOKEN_MISSING", "FIELD_INVALID"}


async def test_whatever_is_sent_is_answered_and_never_by_an_error_of_ours(edge: Edge) -> None:
    """Random bytes, wild messages, hands of random tiles with random circumstances: an answer or a reason."""
    random = Random(20261130)
    inputs = {"Score": pb.ScoreRequest.DESCRIPTOR, "ScoreHands": pb.ScoreHandsRequest.DESCRIPTOR}
    reasons = Counter[str]()
    for number in range(450):
        name = "ScoreHands" if number % 5 == 4 else "Score"
        if number % 3 == 0:
            raw = random.randbytes(random.randrange(120))
        elif number % 3 == 1:
            raw = wild_message(inputs[name], random).SerializeToString()
        else:
            hand = random_hand(random)
            raw = (
                pb.ScoreRequest(hand=hand) if name == "Score" else pb.ScoreHandsRequest(hands=[hand, hand])
            ).SerializeToString()
        call: Any = edge.channel.unary_unary(f"/{GRPC_NAME}/{name}")
        try:
            await call(raw, metadata=edge.as_player(), timeout=20)
            reasons["OK"] += 1
        except grpc.aio.AioRpcError as error:
            reasons[refusal_of(error).reason] += 1

    assert reasons.keys() <= {"OK", "NOT_A_HAND", "FIELD_INVALID", "MESSAGE_MALFORMED", "MESSAGE_TOO_LARGE"}
    assert min(reasons["OK"], reasons["NOT_A_HAND"], reasons["FIELD_INVALID"]) > 10


def random_hand(random: Random) -> mcr_pb2.HandToScore:
    """Tiles of which few kinds are drawn, so that some hands are complete and some have five copies."""
    kinds = random.sample(NOTATION, random.choice((4, 8, 34)))
    melds = random.choice((0, 0, 1, 2, 4))
    held = 13 - 3 * melds
    return mcr_pb2.HandToScore(
        concealed=random.choices(kinds, k=held if random.random() < 0.9 else random.randrange(15)),
        melds=[
            mcr_pb2.MeldedSet(
                kind=random.choice((mcr_pb2.SET_KIND_PUNG, mcr_pb2.SET_KIND_KONG, mcr_pb2.SET_KIND_CHOW)),
                tile=random.choice(NOTATION),
                concealed=False,
            )
            for _ in range(melds)
        ],
        last=mcr_pb2.LastTile(
            tile=random.choice(kinds),
            source=mcr_pb2.LastTileSource.ValueType(random.choice((1, 1, 3, 3, 2, 4, 5))),
            last_of_kind=random.random() < 0.1,
            last_of_wall=random.random() < 0.1,
            seat_wind=random.choice("ESWN"),
            prevalent_wind=random.choice("ESWN"),
            flowers=random.choice((0, 0, 0, 3, 8, 9)),
        ),
    )
