"""The table of fans, over real gRPC."""

from __future__ import annotations

from libs.pb.sparrow.mcr.v1 import mcr_pb2
from libs.pb.sparrow.mcr.v1 import mcr_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.mcr_service_pb2_grpc import McrServiceStub
from libs.rules.mcr.fans_table import FANS
from services.mcr.servicer import bind
from tests.support.edge import refused, serving


async def test_the_fans_come_in_pages_in_their_order() -> None:
    """One page holds all 81; pages of 30 hold them once each; a bad size is refused."""
    async with serving([bind]) as edge:
        stub = McrServiceStub(edge.channel)
        whole = await stub.ListFans(pb.ListFansRequest(page_size=1_000))
        paged: list[mcr_pb2.Fan] = []
        token = ""
        for _ in range(3):
            page = await stub.ListFans(pb.ListFansRequest(page_size=30, page_token=token))
            paged += page.fans
            token = page.next_page_token
        negative = await refused(stub.ListFans(pb.ListFansRequest(page_size=-3)))

    assert [(fan.number, fan.title, fan.points) for fan in whole.fans] == [tuple(fan) for fan in FANS]
    assert (whole.next_page_token, token) == ("", "")
    assert paged == list(whole.fans)
    assert negative.field == "page_size"
