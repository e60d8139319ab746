"""RSD in a process of its own, for its memory: how far the peak rises above what the process had before.

The kernels are loaded and run once at a small size first, so that what is measured is the call. Linux keeps
the peak of a process in ``VmHWM`` and forgets it when 5 is written to ``clear_refs``; elsewhere the time is
measured and the memory left out. (``ru_maxrss`` would not do: a child inherits the peak of its parent.)

Run as a module it measures; imported it starts that module and reads what it printed.
"""

import gc
import json
import subprocess
import sys
from pathlib import Path
from time import process_time

__all__ = ["rsd_apart"]

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def rsd_apart(n: int, k: int, noise: str) -> tuple[float, float | None, str]:
    """Processor seconds, megabytes above the start of the call, and why not where there are none."""
    command = [sys.executable, "-m", "benchmarks.memory", str(n), str(k), noise]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    found = json.loads(done.stdout)
    return found["seconds"], found["megabytes"], found["left_out"]


def main(n: int, k: int, noise: str) -> None:
    """Measure, and print one line of JSON."""
    from benchmarks.data import SEED, sample_round
    from peerorder import RULES, child

    rule, rng = RULES["rsd"], child(SEED, "rsd", n)
    rule.aggregate(sample_round(200, k, noise), rng)
    profile = sample_round(n, k, noise)
    gc.collect()
    before, left_out = None, ""
    try:
        CLEAR.write_text("5")
        before = _kilobytes("VmRSS")
    except OSError:
        left_out = "the peak of a process can only be reset on Linux"
    begin = process_time()
    rule.aggregate(profile, rng)
    seconds = process_time() - begin
    megabytes = None if before is None else (_kilobytes("VmHWM") - before) * 1024 / 1e6
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, "left_out": left_out}))


def _kilobytes(field: str) -> int:
    for line in STATUS.read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0])
    raise OSError(f"{STATUS} has no {field}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
