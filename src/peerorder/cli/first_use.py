"""Compilation at first use: the one list of calls that reach every kernel, and a bar while it happens.

A kernel is compiled at its first call and kept on the disk for later processes. That takes a while, so commands do it
before their work, with a bar; ``peerorder prepare`` does it for everything.
"""

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from peerorder.cli import display
from peerorder.core.translation import message, translate

if TYPE_CHECKING:
    from peerorder.core import Profile

__all__ = ["PARTS", "WHAT", "prepare", "prepare_rules"]

WHAT = message("Preparing for first use (once per installation)")
DEFAULT_RULE = "posterior"
# Where kernels are.
PACKAGES = ("core", "files", "marks", "noise", "reports.instructor", "rules", "schemes", "studies", "theory")
# The modules whose functions the default rule needs, and which take nearly all of the time.
OF_THE_DEFAULT_RULE = tuple(f"peerorder.rules.{name}" for name in ("posterior.sampler", "plackett_luce", "newton"))
# Typical commands of instructors, for a class of 24 and for one with teams.
COMMANDS = (
    "assign teams.csv -k 3 --out teams-handout.csv",
    "demo --files . -n 24 -k 4",
    "assign roster.csv -k 4 --out handout.csv",
    "demo --answer handout.csv --roster roster.csv --codes codes.csv --out rankings.csv",
    "assign roster.csv --top-up rankings.csv --handout handout.csv --at-least 6 --out more.csv",
    "assign joined.csv --extend handout.csv --out extended.csv",
    "grade rankings.csv --roster roster.csv --handout handout.csv --codes codes.csv --report report.html",
    "grade rankings.csv --rule borda --engine local --workers 1 --out streamed.csv",
    "compare rankings.csv --codes codes.csv --rule borda --rule rsd --workers 1",
    "simulate -n 24 -k 4 --runs 1 --workers 1",
)


def default_rule() -> None:
    """Merge a few ballots, without ties and with them."""
    from peerorder.rules import RULES

    for profile in _profiles():
        RULES[DEFAULT_RULE].aggregate(profile, 0)


def other_rules() -> None:
    """Merge a few ballots by every other rule."""
    from peerorder.rules import RULES

    for name, rule in RULES.items():
        if name != DEFAULT_RULE:
            for profile in _profiles():
                rule.aggregate(profile, 0)


def rounds() -> None:
    """Allocate papers by every scheme, and rank them by every noise model."""
    import numpy as np

    from peerorder.core import InputError, child, pairwise_accuracy
    from peerorder.noise import NOISES
    from peerorder.schemes import SCHEMES
    from peerorder.theory import eta

    for scheme in SCHEMES.values():
        # Some exist for certain numbers of papers only.
        with contextlib.suppress(InputError):
            scheme.build(31, 6, child(0))
    # So small that its other way is taken.
    SCHEMES["girth6"].build(13, 4, child(0))
    bundles = SCHEMES["random"].build(31, 6, child(0))
    for name in NOISES:
        for options in ("", ":random=0.2,reversed=0.2,pull=0.5", ":tied=yes"):
            with contextlib.suppress(InputError):
                NOISES[f"{name}{options}"].draw(bundles, np.arange(31), child(0))
    pairwise_accuracy(np.arange(31), np.arange(31))
    eta(bundles)


def tight_classes() -> None:
    """Allocate papers where hardly anything fits, and where papers are linked by swaps alone."""
    import numpy as np

    from peerorder.core import child
    from peerorder.schemes.allocation import forbidden_pairs
    from peerorder.schemes.balanced import allot
    from peerorder.schemes.connecting import connect

    nobody = np.empty((0, 2), np.int64)
    ten = np.full(12, 10)
    # Of a few seeds some get stuck, and go on by exchanges along paths.
    for seed in range(3):
        allot(ten, ten, ten + 2, forbidden_pairs(np.arange(12, dtype=np.int32), 12, nobody), child(seed))
    owner = np.repeat(np.arange(4, dtype=np.int32), 2)
    held = np.array([0, 1, 0, 1, 2, 3, 2, 3], np.int32)
    connect(held, owner, forbidden_pairs(np.full(4, -1, np.int32), 4, nobody), child(0))


def commands() -> None:
    """Run commands in a folder of their own."""
    from peerorder.cli import run

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            teams = "".join(f"t{student},p{student // 2}\n" for student in range(24))
            Path("teams.csv").write_text(f"student,paper\n{teams}staff,\n")
            Path("joined.csv").write_text("student\n" + "".join(f"s{student:02}\n" for student in range(1, 30)))
            for command in COMMANDS:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    code = run(command.split())
                if code:
                    raise RuntimeError(f"peerorder {command} ended with code {code}")
        finally:
            os.chdir(before)


PARTS: tuple[Callable[[], None], ...] = (default_rule, other_rules, rounds, tight_classes, commands)


def prepare(parts: Iterable[Callable[[], None]], modules: tuple[str, ...] | None = None) -> int:
    """Make these calls, with a bar that counts functions of these modules or all; return how many were compiled."""
    from peerorder.core.jit import uncompiled, watch

    if modules is None:
        for package in PACKAGES:
            import_module(f"peerorder.{package}")
    functions = {function.py_func for function in uncompiled(modules)}
    if not functions:
        return 0
    done = 0
    with display.progress_bar(translate(WHAT)) as report:

        def count(function: Callable[..., object]) -> None:
            nonlocal done
            if function in functions:
                functions.remove(function)
                done += 1
                report(done, done + len(functions))

        report(0, len(functions))
        with watch(count):
            for part in parts:
                part()
    return done


def prepare_rules(rules: Iterable[str]) -> None:
    """Compile the default rule with a bar, or one line where there is no terminal; the others take no time."""
    from peerorder.core.jit import is_compiled
    from peerorder.rules.posterior.sampler import run

    if any(rule.split(":")[0].strip().lower() == DEFAULT_RULE for rule in rules) and not is_compiled(run):
        display.announce(f"{translate(WHAT)} ...")
        prepare([default_rule], OF_THE_DEFAULT_RULE)


def _profiles() -> "Iterator[Profile]":
    from peerorder.core import Profile

    yield Profile.from_ballots([[0, 1, 2], [1, 2, 0], [2, 3], [3, 4], [4, 2]], 6)
    tied: list[Sequence[int | Sequence[int]]] = [[0, 1, 2], [2, (0, 3), 1], [(1, 4), (2, 3)]]
    yield Profile.from_ballots(tied, 6, grader=[0, 0, 1], authored=[5, -1])
