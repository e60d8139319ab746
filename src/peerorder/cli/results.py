"""Results of ``grade``: written to files, and the order on the terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerorder.cli import display
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.files.formats.kinds import Kind
    from peerorder.rounds.grading import GradedRound, Grades
    from peerorder.rounds.streamed import StreamedGrades

__all__ = ["show_order", "show_sampler", "write_results"]

TOP, BOTTOM = 8, 3


def write_results(graded: "GradedRound | StreamedGrades", contents: "Mapping[Path, tuple[Kind, Any]]") -> None:
    """Write these tables and pages, each with its provenance."""
    from peerorder.files.formats.output import write_table
    from peerorder.files.formats.writing import write_bytes, write_provenance, write_text
    from peerorder.files.rounds import provenance_for

    for path, (kind, content) in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        elif isinstance(content, bytes):
            write_bytes(path, content)
        else:
            write_table(path, content, kind)
        write_provenance(path, {**provenance_for(graded, path), "table": kind.name})


def show_order(graded: "Grades") -> None:
    """Show all places, or the first and the last."""
    parts = [slice(None)]
    if len(graded.outcome.order) > TOP + BOTTOM + 1:
        parts = [slice(TOP), slice(-BOTTOM, None)]
    rows = [row for part in parts for row in display.records(graded.grades(), part)]
    papers = [paper for part in parts for paper in graded.outcome.order[part].tolist()]
    marked = any(row["mark"] not in (None, "") for row in rows)
    lines: list[tuple[object, ...]] = [
        (
            graded.place_label(paper),
            row["paper"],
            display.interval(row),
            row["rankings"],
            _as_mark(row["mark"]) if marked else None,
        )
        for paper, row in zip(papers, rows, strict=True)
    ]
    if len(parts) > 1:
        lines.insert(TOP, (display.GAP,) * len(lines[0]))
    display.show_table((_("place"), _("paper"), _("90% interval"), _("rankings"), _("mark")), lines)


def show_sampler(graded: "GradedRound") -> None:
    """Print how well the chains of the sampler agree; nothing where the rule draws no orders."""
    found = graded.diagnostics
    if found is None:
        return
    text = ngettext(
        "Sampler: {chains:,} chain of {each:,} draws; {sample}largest R-hat {r_hat:.2f}, smallest bulk ESS {bulk:.0f} "
        "and tail ESS {tail:.0f}.",
        "Sampler: {chains:,} chains of {each:,} draws; {sample}largest R-hat {r_hat:.2f}, smallest bulk ESS {bulk:.0f} "
        "and tail ESS {tail:.0f}.",
        found.chains,
    )
    sample = ""
    if found.papers < len(graded.outcome.order):
        sample = _("of {papers:,} evenly spaced papers, ").format(papers=found.papers)
    display.say(
        text.format(
            chains=found.chains,
            each=found.draws // found.chains,
            sample=sample,
            r_hat=found.r_hat,
            bulk=found.ess_bulk,
            tail=found.ess_tail,
        )
    )


def _as_mark(mark: object) -> str:
    return f"{mark:.1f}" if isinstance(mark, float) else str(mark or "\N{EN DASH}")
