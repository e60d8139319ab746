"""``reduce``: one sum over partitions, by a fixed tree, so that its bits do not depend on the number of workers.

Every partition is summed up by one task, and every ``FAN_IN`` neighbouring sums are added by another one, until one is
left. States travel through files in a folder that all workers reach, by rename: tasks and results stay small, nothing
stays in the memory of a worker, and a task that runs twice writes the same bytes twice.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from peerorder.core.partitions import Arrays, Reduction
from peerorder.core.scratch import load_arrays, save_arrays
from peerorder.engines.engine import Engine, map_tasks

__all__ = ["Partition", "reduce_partitions"]

# Sums that one task adds up: few enough to be read one after another, many enough for a flat tree.
FAN_IN = 8


class Partition(Protocol):
    """Some of what is added up."""

    def batches(self) -> Iterable[Any]:
        """Return it in batches that fit into memory."""
        ...


def reduce_partitions(
    engine: Engine,
    reduction: Reduction,
    partitions: Sequence[Partition],
    folder: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Any:
    """Add up a reduction over all partitions; ``folder`` is empty, and all workers reach it."""
    states = [folder / f"0-{index}.state" for index in range(len(partitions))]
    tasks = [(reduction, partition, state) for partition, state in zip(partitions, states, strict=True)]
    for done, _ in enumerate(map_tasks(engine, _add, tasks), 1):
        progress(done, len(tasks))
    level = 0
    while len(states) > FAN_IN:
        level += 1
        groups = [states[begin : begin + FAN_IN] for begin in range(0, len(states), FAN_IN)]
        states = [folder / f"{level}-{index}.state" for index in range(len(groups))]
        for _ in map_tasks(engine, _merge, [(reduction, *each) for each in zip(groups, states, strict=True)]):
            pass
        _remove(path for group in groups for path in group)
    # The last ones are added up here, so that their sum is not written only to be read.
    result = reduction.finish(_sum(reduction, states) if states else reduction.start())
    _remove(states)
    return result


def _add(task: tuple[Reduction, Partition, Path]) -> None:
    reduction, partition, path = task
    state = reduction.start()
    for batch in partition.batches():
        state = reduction.add(state, batch)
    save_arrays(path, state)


def _merge(task: tuple[Reduction, Sequence[Path], Path]) -> None:
    reduction, parts, path = task
    save_arrays(path, _sum(reduction, parts))


def _sum(reduction: Reduction, parts: Sequence[Path]) -> Arrays:
    state = load_arrays(parts[0])
    for part in parts[1:]:
        state = reduction.merge(state, load_arrays(part))
    return state


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink()
