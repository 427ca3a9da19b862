"""Hold the kernel against the definition on many random MCR hands aimed at every fan.

    python -m tests.property.kernel.mcr_campaign --hands 200000

Two thirds in the profile `mil`. Tells what came out as one line of JSON, with how often the rarest fan was
met, and ends with 1 where an answer differed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter

from libs import kernel
from libs.kernel import mcr
from tests.property.kernel.mcr_agreement import (
    PROFILES,
    disagreement,
    distance_disagreement,
    reading_disagreement,
)
from tests.property.rules.mcr.random_hands import random_hands


def main() -> int:
    """Try them all; the seed decides the hands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hands", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=2)
    asked = parser.parse_args()
    if not kernel.native():
        print("the kernel is not built", file=sys.stderr)  # noqa: T201 a program's word
        return 1
    begun, wrong, met = time.process_time(), [], Counter[str]()
    for number, (hand, win) in enumerate(random_hands(asked.seed, asked.hands)):
        profile = PROFILES[max(0, number % 6 - 3)]
        differing = [disagreement(hand, win, profile)]
        if number % 10 == 0:
            differing += [distance_disagreement(hand), reading_disagreement(hand, win, profile)]
        wrong += [f"{number}: {told}" for told in differing if told]
        told = mcr.score(hand, win, profile)
        met.update(told.fans.keys() if told else ["not complete"])
    rarest = min(met.items(), key=lambda one: one[1])
    told_all = {
        "hands": asked.hands,
        "seed": asked.seed,
        "fans_met": len(met) - 1,
        "rarest": rarest,
        "differences": wrong[:20],
        "cpu_s": round(time.process_time() - begun, 1),
    }
    print(json.dumps(told_all))  # noqa: T201 what the campaign is for
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
