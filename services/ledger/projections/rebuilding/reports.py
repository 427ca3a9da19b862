"""What a piece of work did or found, as it is kept and told: LedgerWorkReport in plain values."""

from __future__ import annotations

from typing import Any

from services.ledger.projections.rebuilding.differences import Fault, Faults
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuilt
from services.ledger.projections.rebuilding.verification import Verified


def report_of_rebuild(done: Rebuilt, progress: Progress) -> dict[str, Any]:
    """Return the report of a rebuild."""
    return {
        "generation": done.generation,
        "switched": done.switched,
        "replaced_generation": done.replaced,
        "sequence": done.seq,
        "counts": {"events": done.events, "entries": done.entries, "rows": done.rows},
        **_digests(done.stored_digest, done.digest),
        **_faults(done.faults),
        **_parts(progress),
    }


def report_of_verification(found: Verified, progress: Progress) -> dict[str, Any]:
    """Return the report of a verification."""
    return {
        "generation": found.generation,
        "sequence": found.seq,
        "counts": {
            "events": found.events,
            "transfers": found.transfers,
            "entries": found.entries,
            "rows": found.rows,
        },
        **_digests(found.stored_digest, found.digest),
        "digest_at": "" if found.digest_at is None else f"{found.digest_at:064x}",
        **_faults(found.faults),
        **_parts(progress),
    }


def report_of_failure(why: str, progress: Progress) -> dict[str, Any]:
    """Return the report of work that ended early."""
    return {"error": why, **_parts(progress)}


def _digests(stored: int, recomputed: int) -> dict[str, str]:
    return {"stored_digest": f"{stored:064x}", "digest": f"{recomputed:064x}"}


def _faults(faults: Faults) -> dict[str, Any]:
    return {"fault_count": faults.count, "faults": [_fault(each) for each in faults.named]}


def _fault(fault: Fault) -> dict[str, Any]:
    account = fault.account
    return {
        "kind": fault.kind,
        "board": fault.board,
        "day": "" if fault.day is None else fault.day.isoformat(),
        "account": account if "/" in account or not account else f"players/{account}",
        "sequence": fault.seq,
        "name": fault.name,
        "stored": fault.stored,
        "expected": fault.expected,
    }


def _parts(progress: Progress) -> dict[str, Any]:
    return {
        "parts": [{"phase": phase, "milliseconds": round(part_s * 1000)} for phase, part_s in progress.parts]
    }
