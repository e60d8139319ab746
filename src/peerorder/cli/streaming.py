"""``peerorder grade`` for rankings larger than memory, or on several workers: what applies, and the work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from peerorder.cli import display, options, skipped_rows
from peerorder.cli.results import show_order, write_results
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.engines.workspace import Workspace
    from peerorder.files.formats.kinds import Kind
    from peerorder.rounds.streamed import StreamedGrades

    Outputs = Mapping[str, tuple[Kind, Path]]

__all__ = ["grade_streaming", "is_streamed", "shared_work"]

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

    rule = RULES.parse(given["rule"])
    if rule.merge_partitions is None:
        if _is_engine_named() and rule.compute_on is None:
            text = _("--rule {rule} runs in one process; omit --engine, or choose a rule whose work can be shared")
            raise click.UsageError(text.format(rule=rule.name))
        return False
    needed = [option for name, option in IN_MEMORY.items() if given[name]]
    if not _is_engine_named():
        return not needed and are_large(given["rankings"])
    if needed:
        text = _("{option} needs the whole round in memory, and --engine streams the rankings; omit one")
        raise click.UsageError(text.format(option=needed[0]))
    return True


def _is_engine_named() -> bool:
    context = click.get_current_context()
    return any(context.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("engine", "scheduler"))


@contextmanager
def shared_work(given: dict[str, Any], outputs: "Outputs") -> "Iterator[Workspace | None]":
    """Open the engine that was named, with a folder for its workers; None where none was named."""
    if not _is_engine_named():
        yield None
        return
    from peerorder.engines import open_engine
    from peerorder.engines.workspace import open_workspace

    with (
        open_engine(given["engine"], given["workers"], given["scheduler"]) as engine,
        open_workspace(engine, _folder(outputs)) as workspace,
    ):
        yield workspace


def _folder(outputs: "Outputs") -> Path:
    """Return where intermediate results go: next to what is written, because all workers must reach it."""
    return next((path.parent for _kind, path in outputs.values()), Path())


def grade_streaming(given: dict[str, Any], outputs: "Outputs") -> None:
    """Merge rankings that are never in memory together, and write the results."""
    from peerorder.engines import open_engine
    from peerorder.files.formats import kinds
    from peerorder.files.streaming.rankings import stream_rankings
    from peerorder.rounds.streamed import grade_streamed
    from peerorder.rules import RULES

    settings = options.grade_settings(given)
    if given["graders"] is not None and not RULES.parse(settings.rule).rates_graders:
        text = _("--rule {rule} does not rate graders, so there is nothing to write about them; omit --graders")
        raise click.UsageError(text.format(rule=settings.rule))
    with (
        open_engine(given["engine"], given["workers"], given["scheduler"]) as engine,
        display.progress_bar(_("reading")) as bar,
        stream_rankings(engine, given["rankings"], _folder(outputs), bar) as rankings,
    ):
        bar.stage(_("merging"))
        graded = grade_streamed(rankings, settings)
        contents = {kinds.GRADES: graded.grades, kinds.GRADERS: graded.graders}
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
