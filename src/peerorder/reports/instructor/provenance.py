"""Provenance of a report: everything needed to compute the same grades again, and the command to verify it."""

import shlex
from pathlib import Path

from peerorder.core.translation import gettext as _, ngettext
from peerorder.files.tables.folders import whole_folders
from peerorder.reports.instructor.text import with_options
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
    if read.inputs:
        lead = _("The same files, rule, options and seed give the same order with the same version, to the last digit.")
    else:
        lead = _(
            "The same rankings, rule, options and seed give the same order with the same version, to the last digit."
        )
    again = _("This command grades again and checks that these files give the same grades:")
    times = graded.settings.staff_weight
    usual = {option.name: option.default for option in RULES[graded.outcome.rule].options}
    set_ = {name: value for name, value in graded.outcome.options.items() if value != usual.get(name)}
    options = ", ".join(f"{name}={_plain(value)}" for name, value in set_.items())
    settings = {
        _("rule"): graded.outcome.rule,
        _("options"): options or _("defaults"),
        _("seed"): str(graded.settings.seed),
        _("a staff ranking counts"): ngettext("{count:,} time", "{count:,} times", times).format(count=times),
        **(
            {_("rows with problems"): _("skipped") if graded.settings.lenient else _("not accepted")}
            if read.inputs
            else {}
        ),
        **({_("ranks"): _("read upside down")} if graded.settings.upside_down else {}),
        **_marking(graded),
        "peerorder": about["version"],
        _("rankings as numbers (hash)"): about["profile"],
    }
    files = {
        role: _("{file}, {bytes:,} bytes, SHA-256 {sha256}").format_map(source)
        for role, source in about["inputs"].items()
    }
    notes = [*graded.notes, *(_("Skipped: {problem}").format(problem=problem) for problem in read.dropped)]
    notes = [with_options(note, bool(read.inputs)) for note in notes]
    return joined(
        element("p", lead, f" {again}" if kept is not None else None),
        element("pre", element("code", _verify(read, kept)), tabindex=0) if kept is not None else None,
        facts({**settings, **files}),
        element("h3", _("Notes")) if notes else None,
        bullets(notes, most=NOTED),
    )


def _marking(graded: GradedRound) -> dict[str, str]:
    """Return how the marks of students were made; empty where there are none."""
    settings = graded.settings
    if graded.marking is None:
        return {}
    return {
        _("marks"): settings.marks or _("anchors"),
        _("papers that nobody ranked"): settings.unranked or _("no mark"),
        **({_("papers that staff marked"): _staff_marks(settings.smooth_anchors)} if graded.marking.anchors else {}),
        _("mark for ranking"): settings.review,
        _("points off for ranking nothing"): f"{settings.penalty:g}",
        _("mark without a paper"): _("none") if settings.absent is None else f"{settings.absent:g}",
    }


def _staff_marks(smooth: bool) -> str:
    return _("get the mark of the curve") if smooth else _("keep the mark that staff gave")


def _plain(value: object) -> str:
    return {True: _("yes"), False: _("no")}[value] if isinstance(value, bool) else str(value)


def _verify(read: Round, kept: Path) -> str:
    """Return the command, one line per file, for a shell; a folder of rankings is named alone."""
    # A role may have a number: rankings 2.
    files = [(role.split(" ")[0], Path(each.location)) for role, each in read.inputs.items()]
    others = [path for role, path in files if role != "rankings"]
    rankings = whole_folders(ranking_files(read), [kept, *others])
    lines = [["peerorder", "grade", "--verify", str(kept), *map(str, rankings)]]
    lines += [[f"--{role}", str(path)] for role, path in files if role != "rankings"]
    return " \\\n  ".join(shlex.join(words) for words in lines)
