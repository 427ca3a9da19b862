"""Play random tournaments and hold them to what must always be true.

    python -m tests.property.tournament.campaign --tournaments 10000

Tells what came out as a line of JSON, and ends with 1 at the first fault, naming the tournament's seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter

from services.tournament.domain.tournament.events import TournamentCancelled, TournamentFinished
from tests.property.tournament.checking import check, settled_late
from tests.support.tournament_random_play import RandomTournament


def main() -> int:
    """Play so many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tournaments", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=40, help="players in a field")
    parser.add_argument("--seed", type=int, default=0, help="of the first; the others follow")
    asked = parser.parse_args()
    begun, fault, played = time.process_time(), "", 0
    kinds: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.tournaments):
        tournament = RandomTournament(seed, asked.most)
        try:
            tournament.run()
            check(tournament)
            if not tournament.skew_s:
                late = settled_late(tournament)
                assert late.events == tournament.play.events, "settling late changed the facts"
        except AssertionError as broken:
            fault = f"tournament {seed}: {broken}"
            break
        played += 1
        kinds.update(type(event).__name__ for event in tournament.play.events)
        ends = [
            event
            for event in tournament.play.events
            if isinstance(event, TournamentFinished | TournamentCancelled)
        ]
        endings.update(f"{type(event).__name__}: {event.reason}" for event in ends)
    told = {
        "tournaments": played,
        "kinds": dict(kinds.most_common()),
        "endings": dict(endings.most_common()),
        "fault": fault,
        "cpu_s": round(time.process_time() - begun, 1),
    }
    print(json.dumps(told), flush=True)  # noqa: T201 what the campaign is for
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
