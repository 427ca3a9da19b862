"""Hold the kernel against the definition on many random small positions under each of the six rules.

    python -m tests.property.kernel.campaign --positions 100000

Tells what came out as a line of JSON for each rule, and ends with 1 where an answer differed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product

from libs import kernel
from libs.rules.solitaire.board import Matching, Pairing
from tests.property.kernel.agreement import disagreement, small_positions


def main() -> int:
    """Try all rules; the seed decides the positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000, help="how many under each rule")
    parser.add_argument("--seed", type=int, default=2)
    asked = parser.parse_args()
    if not kernel.native():
        print("the kernel is not built", file=sys.stderr)  # noqa: T201 a program's word
        return 1
    faults = 0
    for matching, pairing in product(Matching, Pairing):
        begun, wrong = time.process_time(), []
        for number, small in enumerate(small_positions(asked.seed, asked.positions)):
            difference = disagreement(small, matching, pairing)
            if difference is not None:
                wrong.append(f"{number}: {difference}")
        faults += len(wrong)
        told = {
            "rule": f"{matching} {pairing}",
            "positions": asked.positions,
            "differences": wrong[:20],
            "cpu_s": round(time.process_time() - begun, 1),
        }
        print(json.dumps(told), flush=True)  # noqa: T201 what the campaign is for
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
