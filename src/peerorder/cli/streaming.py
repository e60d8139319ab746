"""``peerorder grade`` for rankings larger than memory, or on several workers: what applies, and the work."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from peerorder.cli import display, options, skipped_rows
from peerorder.cli.results import show_order, write_results
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.files.formats.kinds import Kind
    from peerorder.rounds.streamed import StreamedGrades

__all__ = ["grade_streaming", "is_streamed"]

# Those that need the whole round in memory, by the names of their parameters.
IN_MEMORY = {
    "roster": "--roster",
    "handout": "--handout",
    "codes": "--codes",
    "anchors": "--anchors",
    "overrides": "--overrides",
    "students": "--students",
    "letters": "--mail-merge",
    "report": "--report",
    "explain": "--explain",
    "gradebook": "--gradebook",
    "upside_down": "--upside-down",
    "lenient": "--lenient",
}


def is_streamed(given: dict[str, Any]) -> bool:
    """Return whether rankings are streamed: if an engine is named or they are large, and the rule needs only sums."""
    from peerorder.files.streaming.choice import are_large
    from peerorder.rules import RULES

    if RULES.parse(given["rule"]).merge_partitions is None:
        return False
    needed = [option for name, option in IN_MEMORY.items() if given[name]]
    if click.get_current_context().get_parameter_source("engine") is ParameterSource.DEFAULT:
        return not needed and are_large(given["rankings"])
    if needed:
        text = _("{option} needs the whole round in memory, and --engine streams the rankings; omit one")
        raise click.UsageError(text.format(option=needed[0]))
    return True


def grade_streaming(given: dict[str, Any], outputs: "Mapping[str, tuple[Kind, Path]]") -> None:
    """Merge rankings that are never in memory together, and write the results."""
    from peerorder.engines import open_engine
    from peerorder.files.formats import kinds
    from peerorder.files.streaming.rankings import stream_rankings
    from peerorder.rounds.streamed import grade_streamed

    settings = options.grade_settings(given)
    # Next to what is written, because all workers must reach it.
    folder = next(path for _kind, path in outputs.values()).parent
    with (
        open_engine(given["engine"], given["workers"], given["scheduler"]) as engine,
        display.progress_bar(_("reading")) as bar,
        stream_rankings(engine, given["rankings"], folder, bar) as rankings,
    ):
        bar.stage(_("merging"))
        graded = grade_streamed(rankings, settings)
        contents = {kinds.GRADES: graded.grades}
        bar.stage(_("writing"))
        write_results(graded, {path: (kind, contents[kind]()) for kind, path in outputs.values()})
    if given["as_json"]:
        display.show_json(_summary(graded))
        return
    _show(graded)
    display.say(_("Wrote {files}.").format(files=display.with_provenance([path for _kind, path in outputs.values()])))


def _summary(graded: "StreamedGrades") -> dict[str, Any]:
    """Return the result for JSON: without a row per paper, of which there are millions."""
    return {
        "papers": graded.round.n_papers,
        "graders": graded.round.n_graders,
        "notes": skipped_rows.translate_notes(graded.notes),
        "provenance": graded.provenance,
    }


def _show(graded: "StreamedGrades") -> None:
    skipped_rows.show((), graded.notes)
    text = ngettext(
        "**Order of {count:,} paper**, by the rule `{rule}`, from the rankings of {graders:,} graders, streamed.",
        "**Order of {count:,} papers**, by the rule `{rule}`, from the rankings of {graders:,} graders, streamed.",
        graded.round.n_papers,
    )
    display.say(text.format(count=graded.round.n_papers, rule=graded.settings.rule, graders=graded.round.n_graders))
    show_order(graded)
