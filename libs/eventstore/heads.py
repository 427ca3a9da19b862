"""The end of a feed as it is told on the bus: small JSON, readable with any NATS tool."""

from __future__ import annotations

import json

from libs.eventstore.port import FeedHead


def encode_head(head: FeedHead) -> bytes:
    """Return what the relay tells every two seconds."""
    return json.dumps({"last_seq": head.last_seq, "chain": head.chain.hex()}).encode()


def decode_head(data: bytes) -> FeedHead | None:
    """Return the head in a message; None for anything else."""
    try:
        fields = json.loads(data)
        head = FeedHead(int(fields["last_seq"]), bytes.fromhex(fields["chain"]))
    except (ValueError, KeyError, TypeError):
        return None
    return head if head.last_seq >= 0 and len(head.chain) == 32 else None
