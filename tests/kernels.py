"""Compile the kernels before tests run: `python -m tests.kernels`.

A kernel is compiled at its first call and kept on the disk for later processes. Without this, every test process, and
every command that a test starts, would compile what it needs at the same time. What is missing here is compiled by the
first test that needs it.
"""

import contextlib
import io
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from peerorder.cli import run
from peerorder.core import Profile, child, recovered
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES

STRICT = Profile.from_ballots([[0, 1, 2], [1, 2, 0], [2, 3], [3, 4], [4, 2]], 6)
TIED = Profile.from_ballots([[0, 1, 2], [2, (0, 3), 1], [(1, 4), (2, 3)]], 6, grader=[0, 0, 1], authored=[5, -1])


def the_default_rule() -> None:
    for profile in (STRICT, TIED):
        RULES["posterior"].aggregate(profile, child(0))
        RULES.parse("posterior:tie-quality-to-place=yes").aggregate(profile, child(0))


def other_rules() -> None:
    for rule in RULES.values():
        if rule.name != "posterior":
            for profile in (STRICT, TIED):
                rule.aggregate(profile, child(0))


def rounds() -> None:
    for name in SCHEMES.names:
        with contextlib.suppress(Exception):
            SCHEMES[name].build(31, 6, child(0))
    bundles = SCHEMES["random"].build(31, 6, child(0))
    for name in NOISES.names:
        for options in ("", "random=0.2,reversed=0.2,pull=0.5", "tied=yes"):
            with contextlib.suppress(Exception):
                NOISES.parse(f"{name}:{options}" if options else name).draw(bundles, np.arange(31), child(0))
    recovered(np.arange(31), np.arange(31))


def files() -> None:
    """The commands that instructors type, on a class of 24, and on one with teams."""
    commands = (
        "assign teams.csv -k 3 --out teams-handout.csv",
        "demo --files . -n 24 -k 4",
        "assign roster.csv -k 4 --out handout.csv",
        "demo --answer handout.csv --roster roster.csv --codes codes.csv --out rankings.csv",
        "assign roster.csv --top-up rankings.csv --handout handout.csv --at-least 6 --out more.csv",
        "assign roster.csv --extend handout.csv --out extended.csv",
        "grade rankings.csv --roster roster.csv --handout handout.csv --codes codes.csv --report report.html",
        "compare rankings.csv --rule borda --rule rsd",
        "simulate -n 24 -k 4 --runs 1 --workers 1",
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        teams = "".join(f"t{each},p{each // 2}\n" for each in range(24))
        Path("teams.csv").write_text(f"student,paper\n{teams}staff,\n")
        for command in commands:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                run(command.split())
        os.chdir(Path(folder).parent)


def main() -> None:
    """All of it, on two cores; the commands last, because they need what the others compile."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for done in [pool.submit(work) for work in (the_default_rule, other_rules, rounds, files)]:
            done.result()


if __name__ == "__main__":
    main()
