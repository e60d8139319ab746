"""RSD in a process of its own, for its memory: how far the peak rises above what the process had before.

The kernels are loaded and run once at a small size first, so that what is measured is the call.
Run as a module it measures; imported it starts that module and reads what it printed.
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.peak import NO_MEMORY, measured

__all__ = ["rsd_apart"]


def rsd_apart(n: int, k: int, noise: str) -> tuple[float, float | None, str]:
    """Processor seconds, megabytes above the start of the call, and why not where there are none."""
    command = [sys.executable, "-m", "benchmarks.memory", str(n), str(k), noise]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    found = json.loads(done.stdout)
    return found["seconds"], found["megabytes"], "" if found["megabytes"] is not None else NO_MEMORY


def main(n: int, k: int, noise: str) -> None:
    """Measure, and print one line of JSON."""
    from benchmarks.data import SEED, sample_round
    from peerorder import RULES, child

    rule, rng = RULES["rsd"], child(SEED, "rsd", n)
    rule.aggregate(sample_round(200, k, noise), rng)
    profile = sample_round(n, k, noise)
    _, cost = measured(lambda: rule.aggregate(profile, rng))
    print(json.dumps({"seconds": cost.processor, "megabytes": cost.above}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
