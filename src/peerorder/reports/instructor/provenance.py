"""Provenance of a report: everything needed to compute the same grades again, and the command to verify it."""

import shlex
from pathlib import Path

from peerorder.files.tables.folders import whole_folders
from peerorder.reports.instructor.text import count, with_options
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.sections import facts
from peerorder.reports.table_cells import bullets
from peerorder.rounds.grading import GradedRound
from peerorder.rounds.round import Round
from peerorder.rules import RULES

__all__ = ["ranking_files", "section"]

NOTED = 20


def ranking_files(read: Round) -> list[Path]:
    """Return the files of rankings; empty where the round was not read from files."""
    return [Path(each.location) for role, each in read.inputs.items() if role.split(" ")[0] == "rankings"]


def section(graded: GradedRound, kept: Path | None) -> Markup:
    """Return the settings, the inputs with their digests, the command that verifies the grades, and notes."""
    read, about = graded.round, graded.provenance
    inputs = "files" if read.inputs else "rankings"
    lead = f"The same {inputs}, rule, options and seed give the same order with the same version, to the last digit."
    again = " This command grades again and checks that these files give the same grades:"
    usual = {option.name: option.default for option in RULES[graded.outcome.rule].options}
    set_ = {name: value for name, value in graded.outcome.options.items() if value != usual.get(name)}
    options = ", ".join(f"{name}={_plain(value)}" for name, value in set_.items())
    settings = {
        "rule": graded.outcome.rule,
        "options": options or "defaults",
        "seed": str(graded.settings.seed),
        "a staff ranking counts": count(graded.settings.staff_weight, "time"),
        **({"rows with problems": "skipped" if graded.settings.lenient else "not accepted"} if read.inputs else {}),
        **({"ranks": "read upside down"} if graded.settings.upside_down else {}),
        **_marking(graded),
        "peerorder": about["version"],
        "rankings as numbers (hash)": about["profile"],
    }
    files = {
        role: f"{source['file']}, {source['bytes']:,} bytes, SHA-256 {source['sha256']}"
        for role, source in about["inputs"].items()
    }
    notes = [*graded.notes, *(f"Skipped: {problem}" for problem in read.dropped)]
    notes = [with_options(note, bool(read.inputs)) for note in notes]
    return joined(
        element("p", lead + (again if kept is not None else "")),
        element("pre", element("code", _verify(read, kept)), tabindex=0) if kept is not None else None,
        facts({**settings, **files}),
        element("h3", "Notes") if notes else None,
        bullets(notes, most=NOTED),
    )


def _marking(graded: GradedRound) -> dict[str, str]:
    """Return how the marks of students were made; empty where there are none."""
    settings = graded.settings
    if graded.marking is None:
        return {}
    return {
        "marks": settings.marks or "anchors",
        "papers that nobody ranked": settings.unranked or "no mark",
        **({"papers that staff marked": _staff_marks(settings.smooth_anchors)} if graded.marking.anchors else {}),
        "mark for ranking": settings.review,
        "points off for ranking nothing": f"{settings.penalty:g}",
        "mark without a paper": "none" if settings.absent is None else f"{settings.absent:g}",
    }


def _staff_marks(smooth: bool) -> str:
    return "get the mark of the curve" if smooth else "keep staff's mark"


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _verify(read: Round, kept: Path) -> str:
    """Return the command, one line per file, for a shell; a folder of rankings is named alone."""
    # A role may have a number: rankings 2.
    files = [(role.split(" ")[0], Path(each.location)) for role, each in read.inputs.items()]
    others = [path for role, path in files if role != "rankings"]
    rankings = whole_folders(ranking_files(read), [kept, *others])
    lines = [["peerorder", "grade", "--verify", str(kept), *map(str, rankings)]]
    lines += [[f"--{role}", str(path)] for role, path in files if role != "rankings"]
    return " \\\n  ".join(shlex.join(words) for words in lines)
