"""Studies whose finished runs are kept: in one go with interrupts, or in shards that are merged at the end.

Shards are for clusters without a scheduler that tasks can be sent to: they know nothing of each other, and each has its
own journal.
"""

import glob
import hashlib
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from peerorder.core.errors import InputError
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.engines import Engine
from peerorder.files import output_directory
from peerorder.studies.journal import Journal, about_this_code, read_journal
from peerorder.studies.runner import Results, Study, run_studies

__all__ = ["Shard", "run_kept", "run_shard"]

SUFFIX = ".jsonl"
WRITTEN = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


@dataclass(frozen=True)
class Shard:
    """One of several shares of a list; the whole of it, where nothing is said."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the shard that is written as 3/40."""
        match = WRITTEN.fullmatch(text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise InputError(
                _("`shard` is {text!r}; write its number and how many there are, as in 3/40").format(text=text)
            )
        return cls(int(match[1]), int(match[2]))

    @property
    def part(self) -> slice:
        """The positions in a list that belong to this shard. Neighbours take about as long, so all shards do."""
        return slice(self.number - 1, None, self.count)


def run_shard(
    studies: Mapping[str, Study],
    directory: Path,
    shard: Shard,
    *,
    seed: int = 0,
    runs: int | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> list[Path]:
    """Run one shard of every study, and write its journals alone; return their paths.

    ``studies`` are by the names with which their journals begin.
    """
    with ExitStack() as stack:
        journals = {}
        for name, study in studies.items():
            about = {**_settings(study, seed, runs), "shard": [shard.number, shard.count]}
            file = f"{name}-shard-{shard.number}-of-{shard.count}{SUFFIX}"
            journals[study.name] = stack.enter_context(closing(Journal(directory, about, file)))
        run_studies(
            studies.values(),
            seed=seed,
            runs=runs,
            engine=engine,
            journals=journals,
            part=shard.part,
            progress=progress,
        )
    return [journal.path for journal in journals.values()]


def run_kept(
    studies: Mapping[str, Study],
    directory: Path,
    *,
    seed: int = 0,
    runs: int | None = None,
    engine: Engine | None = None,
    merge_shards: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> tuple[dict[str, Results], Callable[[], None]]:
    """Run studies and keep every finished run in the folder: after an interrupt, the same call continues from there.

    Parameters
    ----------
    studies
        By the names of their outputs, which tell the journals of several outputs in one folder apart.
    merge_shards
        Take the runs of all shards, which must be in the folder.

    Returns
    -------
    tuple
        The results of each study by its name, and what to call once they are written: it removes the journals.
    """
    merged = [_read_shards(directory, *each, seed, runs) for each in studies.items()] if merge_shards else []
    output_directory(directory)
    with ExitStack() as stack:
        journals = {}
        for name, study in studies.items():
            about = {"study": study.name, "seed": seed, "output": name}
            journals[study.name] = stack.enter_context(closing(Journal(directory, about)))
        for study, (shards, _files) in zip(studies.values(), merged, strict=False):
            for key, result in shards.items():
                journals[study.name].add(key, result)
        results = run_studies(
            studies.values(), seed=seed, runs=runs, engine=engine, journals=journals, progress=progress
        )

    def discard() -> None:
        for journal in journals.values():
            journal.discard()
        for _results, files in merged:
            for path in files:
                path.unlink(missing_ok=True)

    return results, discard


def _read_shards(
    directory: Path, name: str, study: Study, seed: int, runs: int | None
) -> tuple[dict[str, dict[str, float]], list[Path]]:
    """Return the results of all shards of a study by the keys of its runs, and the files that hold them.

    Raise InputError if a shard is missing, unfinished or of other settings.
    """
    files = sorted(directory.glob(f"{glob.escape(name)}-shard-*-of-*{SUFFIX}"))
    if not files:
        raise InputError(
            _("{folder} has no shards of {name}; run them first, each with `shard`").format(folder=directory, name=name)
        )
    found: dict[Shard, dict[str, dict[str, float]]] = {}
    for path in files:
        head, results = read_journal(path)
        for setting, value in {**about_this_code(), **_settings(study, seed, runs)}.items():
            if head.get(setting) != value:
                text = _("{path} is a shard of other settings: {setting} is {found}, but here it is {value}")
                raise InputError(text.format(path=path, setting=setting, found=head.get(setting), value=value))
        found[Shard(*head["shard"])] = results
    first, *others = sorted({shard.count for shard in found})
    if others:
        text = _("{folder} has shards of {name} in {first} and in {second} parts; delete those of one")
        raise InputError(text.format(folder=directory, name=name, first=first, second=others[0]))
    planned = study.planned(seed, runs)
    missing = [
        f"{number}/{first}"
        for number in range(1, first + 1)
        if any(run.key not in found.get(Shard(number, first), ()) for run in planned[Shard(number, first).part])
    ]
    if missing:
        text = ngettext(
            "shard {shards} of {name} in {folder} is missing or not finished; run it again",
            "shards {shards} of {name} in {folder} are missing or not finished; run them again",
            len(missing),
        )
        raise InputError(text.format(shards=shortlist(missing), name=name, folder=directory))
    return {key: result for each in found.values() for key, result in each.items()}, files


def _settings(study: Study, seed: int, runs: int | None) -> dict[str, Any]:
    """Return what shards of one study have in common."""
    cells = "\n".join(f"{cell.key} {' '.join(cell.rules)}" for cell in study.cells)
    return {
        "study": study.name,
        "seed": seed,
        "runs": study.runs if runs is None else runs,
        "cells": hashlib.blake2b(cells.encode(), digest_size=6).hexdigest(),
    }
