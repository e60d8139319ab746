"""One rule or library on one file of ballots, in this process: scores and costs go to another file.

It runs on a small file first, so that compiling and loading are not measured. What goes wrong is written
down as well. Needs NumPy and the library alone.
"""

import sys
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.peak import Cost, measured
from benchmarks.peers.ballots import load
from benchmarks.peers.libraries import OTHERS, rule

# Short calls are repeated, and the best counts; this many seconds at most.
REPEAT_SECONDS = 2.0


def main(name: str, small: Path, large: Path, out: Path, repeat: int) -> None:
    """Measure, and write scores and costs, or why there are none."""
    try:
        prepare, library = (
            (OTHERS[name].prepare, OTHERS[name].distribution) if name in OTHERS else (rule(name), "peerorder")
        )
        prepare(load(small))()
        call = prepare(load(large))
        scores, first = measured(call)
        costs: list[Cost] = [first]
        begin = perf_counter()
        while len(costs) < repeat and perf_counter() - begin + first.wall < REPEAT_SECONDS:
            costs.append(measured(call)[1])
    except MemoryError:
        np.savez(out, problem="ran out of memory")
    except Exception as error:
        np.savez(out, problem=f"{type(error).__name__}: {error}")
    else:
        np.savez(
            out,
            scores=np.asarray(scores, np.float64),
            wall=[cost.wall for cost in costs],
            processor=[cost.processor for cost in costs],
            # The first call alone has all its memory still to ask for.
            megabytes=[np.nan if amount is None else amount for amount in (first.above, first.whole)],
            library=library,
            version=_version(library),
        )


def _version(library: str) -> str:
    """Give the version of what was imported; an editable installation keeps the number of the day it was made."""
    return getattr(sys.modules.get(library), "__version__", None) or version(library)


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:5]), repeat=int(sys.argv[5]))
