"""Simulated rounds as files: what an instructor has on disk when the deadline has passed."""

from pathlib import Path

import numpy as np

from peerorder.core.randomness import child
from peerorder.files.formats.output import write_table
from peerorder.files.rounds import read_round
from peerorder.noise import NOISES
from peerorder.rounds.grading import GradedRound, grade
from peerorder.rounds.round import Round
from peerorder.rounds.settings import GradeSettings
from peerorder.schemes import SCHEMES, hand_out

CROWD = "condorcet:level=30,random=0.1,reversed=0.1,missing=0.1"


def simulated(folder: Path, n=40, k=6, noise=CROWD, seed=0, staff=2) -> dict[str, Path]:
    """Roster, hand-out and rankings of a class; some assistants rank too, and err like the others."""
    rng = child(seed, "round")
    papers = [f"s{at:04d}" for at in range(n)]
    authored = np.arange(n)
    bundles = SCHEMES["random"].build(n, k, rng)
    bundle_of = hand_out(bundles, authored, rng)
    profile = NOISES.parse(noise).draw(bundles, rng.permutation(n), rng, bundle_of=bundle_of, authored=authored)
    who = [*papers, *(f"assistant{at}" for at in range(staff))]
    roster = {
        "student": who,
        "name": [f"Student {at}" if at < n else "" for at in range(n + staff)],
        "paper": [*papers, *[""] * staff],
        "role": ["student"] * n + ["staff"] * staff,
    }
    given = [(papers[at], papers[paper]) for at in range(n) for paper in bundles[int(bundle_of[at])].tolist()]
    ranked = [
        (papers[profile.grader[ballot]], papers[paper], place)
        for ballot in range(len(profile))
        for place, paper in enumerate(profile[ballot].tolist(), 1)
    ]
    for at in range(staff):
        some = rng.choice(n, min(k, n), replace=False).tolist()
        given += [(f"assistant{at}", papers[paper]) for paper in some]
        ranked += [(f"assistant{at}", papers[paper], place) for place, paper in enumerate(some, 1)]
    files = {role: folder / f"{role}.csv" for role in ("roster", "handout", "rankings")}
    write_table(files["roster"], roster)
    write_table(files["handout"], dict(zip(("grader", "paper"), map(list, zip(*given, strict=True)), strict=True)))
    columns = map(list, zip(*ranked, strict=True))
    write_table(files["rankings"], dict(zip(("grader", "paper", "rank"), columns, strict=True)))
    return files


def graded(folder: Path, rule="posterior", staff_weight=3, **options) -> GradedRound:
    read = read_round(**simulated(folder, **options))
    return grade(read, GradeSettings(rule, staff_weight=staff_weight))


def from_rows(folder: Path, rows: str, rule="borda", roster: str = "") -> GradedRound:
    """A round that is written out: grader paper rank, a line each."""
    path = folder / "rankings.csv"
    path.write_text(
        "grader,paper,rank\n" + "\n".join(",".join(row.split()) for row in rows.strip().splitlines()) + "\n"
    )
    people = None
    if roster:
        people = folder / "roster.csv"
        people.write_text(roster)
    return grade(read_round(path, roster=people), GradeSettings(rule))


__all__ = ["CROWD", "Round", "from_rows", "graded", "simulated"]
