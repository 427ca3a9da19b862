"""Finished games on the wire. Everything about them may be known, but faces that a story holds back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from libs.pb.sparrow.match.v1 import history_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.runtime.names import player_name
from services.match.domain.history.steps import Missed, Out, Step, Story, Taken
from services.match.domain.history.unsolvable import Spoiled
from services.match.wire.layouts import layout_to_wire
from services.match.wire.round_codec import OUT_REASONS, PAIR_KINDS, blockers


def board_fields(message: pb.MatchReplay, story: Story, spoiled: Iterable[Spoiled]) -> None:
    """Add what the first page tells: the board, its faces, and where it was unsolvable for whom."""
    message.layout.CopyFrom(layout_to_wire(story.layout, story.layout_title))
    message.faces.extend(
        match_pb2.VisibleFace(tile=tile, face=story.faces[tile]) for tile in bits(story.shown)
    )
    message.seats.extend(
        pb.SeatReplay(
            player=player_name(account_id), unsolvable=_stretches(of_seat), undecided=of_seat.undecided
        )
        for account_id, of_seat in zip(story.accounts, spoiled, strict=True)
    )


def _stretches(of_seat: Spoiled) -> Iterator[pb.Unsolvable]:
    for each in of_seat.stretches:
        yield pb.Unsolvable(after_pairs=each.after_pairs, ended_by_pair=each.ended_by_pair, exact=each.exact)


def step_message(story: Story, step: Step) -> pb.Step:
    """One step."""
    account_id: UUID = story.accounts[step.seat]
    message = pb.Step(
        player=player_name(account_id),
        seat=step.seat,
        at_ms=step.at_ms,
        round_score=step.score,
        tiles_left=step.present.bit_count(),
    )
    match step.what:
        case Taken() as taken:
            message.pair.CopyFrom(
                pb.StepPair(
                    pair=solitaire_pb2.TilePair(first=taken.first, second=taken.second),
                    faces=[story.faces[taken.first], story.faces[taken.second]],
                    kind=PAIR_KINDS[taken.kind],
                    worth=taken.worth,
                    took_ms=taken.took_ms,
                    record_before_ms=taken.record_before_ms,
                    record_after_ms=taken.record_after_ms,
                    undecided=taken.undecided,
                )
            )
        case Missed(tile=tile, why=why, cost=cost):
            message.miss.CopyFrom(pb.StepMiss(tile=tile, blockers=blockers(why), cost=cost))
        case Out(reason=reason):
            message.out = OUT_REASONS[reason]
    return message
