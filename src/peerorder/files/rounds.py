"""Rounds on disk: reading a round from files, and provenance of the files made from it."""

import hashlib
import os
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from peerorder.files.formats.parts import part_of
from peerorder.files.formats.paths import AnyPath, as_path, as_paths
from peerorder.files.tables.anchors import FULL_MARKS, read_anchors
from peerorder.files.tables.codes import read_codes
from peerorder.files.tables.handouts import is_top_up
from peerorder.files.tables.merging import read_all_handouts, read_all_rankings
from peerorder.files.tables.overrides import with_overrides
from peerorder.files.tables.roster import read_roster
from peerorder.rounds.grading import GradedRound
from peerorder.rounds.round import Input, Round
from peerorder.rounds.settings import GradeSettings
from peerorder.rounds.streamed import StreamedGrades

__all__ = ["as_input", "fingerprint", "numbered", "provenance_for", "read_round"]


def provenance_for(graded: GradedRound | StreamedGrades, path: Path) -> dict[str, Any]:
    """Return the provenance of a file made from a graded round, with relative paths to its inputs."""
    inputs = {role: {**each.record, **_way(each, path.parent)} for role, each in graded.round.inputs.items()}
    return {**graded.provenance, "inputs": inputs}


def _way(source: Input, folder: Path) -> dict[str, str]:
    """Return the relative path from a folder to that of an input, where they differ."""
    try:
        way = PurePath(os.path.relpath(Path(source.location).resolve().parent, folder.resolve())).as_posix()
    except ValueError:
        # Another drive: there is no way that holds elsewhere.
        return {}
    return {} if way == "." else {"folder": way}


def as_input(path: Path, top_up: bool = False) -> Input:
    """Return a file, or the part of it that is read now, as a round knows it."""
    if (part := part_of(path)) is not None:
        return Input(path.name, part.sha256, part.bytes, top_up, str(path), part.course)
    return Input(path.name, fingerprint(path), path.stat().st_size, top_up, str(path))


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_round(
    rankings: AnyPath | Sequence[AnyPath],
    *,
    roster: AnyPath | None = None,
    handout: AnyPath | Sequence[AnyPath] | None = None,
    codes: AnyPath | None = None,
    anchors: AnyPath | Sequence[AnyPath] | None = None,
    lenient: bool = False,
    anchors_points: float = FULL_MARKS,
    overrides: AnyPath | None = None,
    marks: str | None = None,
    marking: bool = True,
    passed_over: Sequence[str] = (),
    top_ups: Collection[Path] | None = None,
) -> Round:
    """Read a round; the problems of all its rankings are told at once, and so are those of all its hand-outs.

    There may be several files of each, and of anchors, where more was asked for later. What a grader says in different
    files are different ballots, but the same ballot in two files is one. ``anchors_points`` are full marks in the files
    of anchors; ``marks`` is the scale that ``overrides``, the decisions of staff, must keep to where ``marking`` is to
    come; ``passed_over`` are notes of ``files.folders``; ``top_ups`` are the hand-outs that asked people who did their
    work for more; unless they are given, the provenance of each says so.
    """
    ranking_paths, handout_paths, anchor_paths = as_paths(rankings), as_paths(handout), as_paths(anchors)
    roster, codes, overrides = as_path(roster), as_path(codes), as_path(overrides)
    people = read_roster(roster, lenient) if roster is not None else None
    behind = read_codes(codes, people) if codes is not None else None
    asks_for_favour = {path: is_top_up(path) if top_ups is None else path in top_ups for path in handout_paths}
    files = {
        **numbered("rankings", ranking_paths),
        "roster": roster,
        **numbered("handout", handout_paths),
        "codes": codes,
        **numbered("anchors", anchor_paths),
        "overrides": overrides,
    }
    # By a thread beside those that read: hashing a large file takes as long as anything else that is done with it.
    pool = ThreadPoolExecutor(1)
    inputs = {
        role: pool.submit(copy_context().run, as_input, path, bool(asks_for_favour.get(path)))
        for role, path in files.items()
        if path is not None
    }
    pool.shutdown(wait=False)
    given = read_all_handouts(handout_paths, behind, lenient, people, asks_for_favour)
    rankings_read = read_all_rankings(ranking_paths, roster=people, codes=behind, handout=given, lenient=lenient)
    marked = (
        read_anchors(anchor_paths, rankings_read.papers, behind, lenient, anchors_points, people)
        if anchor_paths
        else None
    )
    read: list[Any] = [(each.notes, each.dropped) for each in (people, given) if each is not None]
    read.append((rankings_read.reading_notes, rankings_read.dropped))
    if marked is not None:
        read.append((marked.notes, marked.dropped))
    round_ = replace(
        rankings_read,
        handout=None if given is None else given.rows(rankings_read.grader_ids, rankings_read.paper_ids),
        anchors=marked,
        inputs={role: each.result() for role, each in inputs.items()},
        reading_notes=(*passed_over, *(note for notes, _ in read for note in notes)),
        dropped=tuple(problem for _, dropped in read for problem in dropped),
    )
    if overrides is None:
        return round_
    settings = GradeSettings(marks=marks, anchors_points=anchors_points) if marking else None
    return with_overrides(round_, overrides, settings, lenient)


def numbered(role: str, paths: Sequence[Path]) -> dict[str, Path]:
    """Return several files of one role under separate names: rankings, rankings 2 and so on."""
    return {f"{role} {index}" if index > 1 else role: path for index, path in enumerate(paths, 1)}
