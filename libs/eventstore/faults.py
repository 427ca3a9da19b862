"""Named fault points: where tests kill, suspend or break a process. In production each is one comparison.

Armed by the environment alone: `SPARROW_FAULT=name:action[:nth]`, several separated by commas.
`nth` (from 1, default 1) is the passage at which it acts, once. Actions: `kill` (SIGKILL to itself), `stop`
(SIGSTOP to itself; the test sends SIGCONT), `raise` (raises `Fault`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from enum import StrEnum

VARIABLE = "SPARROW_FAULT"

# Every point there is, in the order a command and its event pass them.
POINTS: Mapping[str, str] = {
    "club.rows_in": "facts and rows of a club's command are in, uncommitted",
    "club.committed": "a club's command is committed; the reply was not sent",
    "match.received": "a command arrived; nothing was asked of the store",
    "round.next_dealt": "a round has ended and the next one is dealt, uncommitted",
    "match.append_sent": "the append was sent; its outcome is unknown",
    "match.committed": "the append is committed; the reply was not sent",
    "match.replied": "the reply was sent",
    "match.tickets_cancelled": "who sits at tables of a tournament waits nowhere else, uncommitted",
    "match.tables_begun": "tables of a tournament, their deals and seats are in, uncommitted",
    "match.tables_committed": "tables of a tournament are committed; the reply was not sent",
    "match.table_cut": "a table of a tournament was cut, and the others not yet",
    "mcr.received": "a command to a table arrived; nothing was asked of the store",
    "mcr.tables_begun": "tables, their first deals and seats are in, uncommitted",
    "mcr.next_dealt": "a deal has ended and the next one is dealt, uncommitted",
    "mcr.append_sent": "facts of a deal and the rows beside them are in, uncommitted",
    "mcr.committed": "facts of a deal are committed; the reply was not sent",
    "mcr.replied": "the reply was sent",
    "queue.taken": "waiting tickets were read and locked",
    "queue.begun": "the matches are begun, uncommitted",
    "queue.rows_in": "tickets and seats are in too, uncommitted",
    "queue.committed": "the matches are committed, nobody was told",
    "rematch.begun": "the match of a rematch and its seats are in, uncommitted",
    "rematch.rows_in": "what became of the rematch is in too, uncommitted",
    "joker.requested": "a joker was asked for; the ledger knows nothing of it",
    "joker.spent": "the ledger took the joker; the round does not know",
    "joker.used": "the joker has worked; the reply was not sent",
    "pool.staked": "the ledger took or refused a stake; the game does not know",
    "pool.stake_entered": "what became of a stake stands in the game",
    "pool.paid": "a payout of a pool is posted, or a stake given back; others may be open",
    "tournament.append_sent": "facts, row and timer of a tournament are in, uncommitted",
    "tournament.committed": "a step of a tournament is committed; nobody was told",
    "tournament.tables_due": "tables were seated or are to be cut; the match service was not asked",
    "tournament.tables_asked": "the match service has begun or cut tables; the timer stands still",
    "tournament.table_reported": "a table's end and the checkpoint are committed",
    "timer.claimed": "a due timer was claimed",
    "timer.fired": "its events are in, uncommitted",
    "timer.committed": "its transaction is committed",
    "sequencer.read": "outbox rows were read",
    "sequencer.feed_inserted": "feed rows are in, uncommitted",
    "sequencer.commit_sent": "all is in and the commit comes next",
    "sequencer.committed": "the feed rows are committed",
    "relay.before_publish": "entries were read, nothing was published",
    "relay.published": "published, no acknowledgement yet",
    "relay.acknowledged": "acknowledged, checkpoint unsaved",
    "relay.saved": "the relay's checkpoint is saved",
    "consumer.fetched": "entries arrived, nothing was applied",
    "consumer.committed": "effect and checkpoint are committed, nothing acknowledged",
    "consumer.acknowledged": "the transport was told",
    "ledger.rows_in": "transfer, balances and checkpoint are in, uncommitted",
    "ledger.commit_sent": "the commit of an intake comes next",
    "ledger.committed": "an intake is committed",
    "accounts.rows_in": "chips, memberships and checkpoint of account facts are in, uncommitted",
    "accounts.committed": "an intake of account facts is committed",
    "transfer.rows_in": "an ordered transfer is in, uncommitted",
    "transfer.committed": "an ordered transfer is committed; the reply was not sent",
    "cancel.rows_in": "a reversal or tombstone is in, uncommitted",
    "cancel.committed": "a key is cancelled; the reply was not sent",
    "bonus.rows_in": "streak and transfers of a bonus are in, uncommitted",
    "bonus.committed": "a bonus is paid; the reply was not sent",
    "boards.effect_in": "the effect on the boards is in, uncommitted",
    "boards.commit_sent": "the commit of the boards comes next",
    "boards.committed": "boards and their checkpoint are committed",
    "day.before": "a midnight is due, nothing was appended",
    "day.closed": "LedgerDayClosed is appended",
    "day.rolling": "the boards are half rolled over, uncommitted",
    "day.rolled": "the boards stand on the new day",
    "rebuild.midway": "some of the log is folded into a new generation of boards",
    "rebuild.at_barrier": "both generations stand at one place, and the live one waits",
    "rebuild.hash_right": "the boards were compared, reads are not switched",
    "rebuild.switched": "reads are answered from the new generation",
}


class Action(StrEnum):
    """What an armed point does."""

    KILL = "kill"
    STOP = "stop"
    RAISE = "raise"


class Fault(Exception):
    """Raised at a point that was armed with `raise`."""


class Faults:
    """Armed points with the passages that are left before each acts."""

    def __init__(self, text: str) -> None:
        """Read the value of `SPARROW_FAULT`; an unknown name or action is an assertion."""
        self._armed: dict[str, tuple[Action, int]] = {}
        for item in filter(None, text.split(",")):
            name, action, *nth = item.split(":")
            assert name in POINTS, f"there is no fault point {name}"
            self._armed[name] = (Action(action), int(nth[0]) if nth else 1)

    @property
    def is_armed(self) -> bool:
        """Whether any point still waits to act."""
        return bool(self._armed)

    def passed(self, name: str) -> None:
        """Count one passage and act when it is the one."""
        assert name in POINTS, f"there is no fault point {name}"
        if name not in self._armed:
            return
        action, left = self._armed[name]
        if left > 1:
            self._armed[name] = (action, left - 1)
            return
        del self._armed[name]
        match action:
            case Action.KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            case Action.STOP:
                os.kill(os.getpid(), signal.SIGSTOP)
            case Action.RAISE:
                raise Fault(name)


_FAULTS = Faults(os.environ.get(VARIABLE, ""))


def fault(name: str) -> None:
    """Pass the point `name`; nothing happens unless a test armed it."""
    if _FAULTS.is_armed:
        _FAULTS.passed(name)
