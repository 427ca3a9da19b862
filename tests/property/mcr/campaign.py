"""Play random legal actions over seeded deals and hold them to what must always be true.

    python -m tests.property.mcr.campaign --actions 1000000

Tells what came out as a line of JSON, and ends with 1 at the first fault, naming the deal's seed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.support.mcr_random_play import RandomDeal, Tally


def main() -> int:
    """Play deals until there were as many actions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first deal; the others follow")
    asked = parser.parse_args()
    begun, tally, seed = time.process_time(), Tally(), asked.seed
    fault = ""
    while tally.actions < asked.actions and not fault:
        try:
            RandomDeal(seed, tally).run()
        except AssertionError as broken:
            fault = f"deal {seed}: {broken}"
        seed += 1
    told = {
        "actions": tally.actions,
        "deals": tally.deals,
        "refused_candidates": tally.refused,
        "kinds": dict(tally.kinds.most_common()),
        "endings": dict(tally.endings.most_common()),
        "fault": fault,
        "cpu_s": round(time.process_time() - begun, 1),
    }
    print(json.dumps(told), flush=True)  # noqa: T201 what the campaign is for
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
