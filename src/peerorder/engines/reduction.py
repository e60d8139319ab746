"""``reduce``: one sum over partitions, by a fixed tree, so that its bits do not depend on the number of workers.

Every partition is summed up by one task, and every ``FAN_IN`` neighbouring sums are added by another one, until one is
left. States travel through files in a folder that all workers reach, by rename: tasks and results stay small, nothing
stays in the memory of a worker, and a task that runs twice writes the same bytes twice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from peerorder.core.errors import InputError
from peerorder.core.partitions import Arrays, Reduction
from peerorder.core.scratch import load_arrays, save_arrays
from peerorder.core.translation import gettext as _
from peerorder.engines.engine import Engine, TasksGivenUp, map_tasks

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
    """Add up a reduction over all partitions; ``folder`` is one that all workers reach."""
    # A worker that was thought to be lost may still write what it computed for an earlier reduction.
    name = uuid4().hex
    states = [folder / f"{name}-0-{index}.state" for index in range(len(partitions))]
    tasks = [Sum(reduction, partition, state) for partition, state in zip(partitions, states, strict=True)]
    try:
        for done, _task in enumerate(map_tasks(engine, _add, tasks), 1):
            progress(done, len(tasks))
    except TasksGivenUp as problem:
        # There is no sum without its parts.
        raise InputError(_("{problem}; give workers more memory, or use fewer").format(problem=problem)) from None
    level = 0
    while len(states) > FAN_IN:
        level += 1
        groups = [states[begin : begin + FAN_IN] for begin in range(0, len(states), FAN_IN)]
        states = [folder / f"{name}-{level}-{index}.state" for index in range(len(groups))]
        for _merged in map_tasks(engine, _merge, [(reduction, *each) for each in zip(groups, states, strict=True)]):
            pass
        _remove(path for group in groups for path in group)
    # The last ones are added up here, so that their sum is not written only to be read.
    result = reduction.finish(_sum(reduction, states) if states else reduction.start())
    _remove(states)
    return result


@dataclass(frozen=True)
class Sum:
    """The task of adding up over one partition."""

    reduction: Reduction
    partition: Partition
    path: Path

    def __str__(self) -> str:
        return str(self.partition)


def _add(task: Sum) -> None:
    state = task.reduction.start()
    for batch in task.partition.batches():
        state = task.reduction.add(state, batch)
    save_arrays(task.path, state)


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
