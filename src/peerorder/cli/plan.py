"""``peerorder plan``: how many papers each student should rank."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options
from peerorder.cli.first_use import prepare_rules
from peerorder.cli.skipped_rows import translate_notes
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.studies.plan import Plan

__all__ = ["plan"]

COLUMNS = (
    *("k", "minutes", "recovered", "places_off", "share_off"),
    *("borda_recovered", "borda_places_off", "borda_share_off", "law", "source", "borda_source", "recommended"),
)

# The rules that are planned for, and how their columns begin.
RULES = {options.RULE: "", "borda": "borda_"}


def _no_files(context: click.Context, _parameter: click.Parameter, files: tuple[str, ...]) -> None:
    """Raise UsageError if a file is given: the plan is made before there is a roster."""
    if files:
        raise click.UsageError(
            _("plan takes no file, such as {file}; write -n 40 for 40 papers").format(file=files[0]), context
        )


@click.command(short_help="Choose how many papers each student should rank.")
@click.argument("files", nargs=-1, metavar="", callback=_no_files, expose_value=False, is_eager=True)
@click.option("-n", "n", type=int, required=True, help="Number of papers; a team of students has one.")
@click.option(
    "-k", "k", type=int, multiple=True, help="Papers each student ranks; may be repeated.  [default: 3 to 15]"
)
@click.option("--dropout", default="0", show_default=True, help="Share of students who will not rank: 20, 20% or 0.2.")
@click.option(
    "--graders", default="average", show_default=True, help="careful, average, careless, or a noise level from 0 to 50."
)
@click.option("--minutes", type=options.ABOVE_ZERO, default=15.0, show_default=True, help="Minutes to read one paper.")
@click.option("--simulate", is_flag=True, help="Simulate settings that the shipped results do not cover.")
@click.option("--runs", type=int, default=None, help="Classes simulated for each k.  [default: 400 papers' worth]")
@options.seed
@options.engine
@click.option("--out", type=options.FILE, help="Write plan.csv and the figure (SVG and PNG) into this directory.")
@options.as_json
def plan(
    n: int,
    k: tuple[int, ...],
    dropout: str,
    graders: str,
    minutes: float,
    simulate: bool,
    runs: int | None,
    seed: int,
    workers: int | None,
    engine: str,
    scheduler: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show the expected accuracy for each number of papers per student, and recommend one.

    For the default rule the numbers come from simulations that are shipped with peerorder, for Borda
    from its exact law, corrected for the size of the class.

    Example: peerorder plan -n 300 --dropout 20
    """
    from peerorder.engines import open_engine
    from peerorder.studies.plan import make_plan, sizes, sizes_to_simulate

    missing, noise = _percent(dropout), _noise(graders)
    if out is not None:
        from peerorder.files import check_output, output_directory
        from peerorder.files.formats.kinds import PLAN

        output_directory(out)
        check_output(out / "plan.csv", "--out", PLAN, "plan")
    fresh = sizes_to_simulate(n, sizes(n, k), missing, noise, simulate)
    if fresh:
        prepare_rules([options.RULE])
    with (
        open_engine(*((engine, workers, scheduler) if fresh else ())) as opened,
        display.progress_bar(_("simulating")) as progress,
    ):
        made = make_plan(
            n,
            k,
            missing=missing,
            noise=noise,
            minutes=minutes,
            simulate=simulate,
            runs=runs,
            seed=seed,
            engine=opened,
            progress=progress if fresh else lambda done, total: None,  # noqa: ARG005
        )
    if out is not None:
        _write(out, made, {"n": n, "dropout": missing, "noise": noise, "minutes": minutes, "runs": runs, "seed": seed})
    if as_json:
        display.show_json(_summary(made))
        return
    _show(made, graders)
    if out is not None:
        files = [f"`{out / name}`" for name in ("plan.csv", "plan.svg", "plan.png")]
        display.say(_("Wrote {files}.").format(files=display.join_with_and(files)))


def _percent(text: str) -> float:
    """Parse a drop-out as people write it: with a % sign, or below 1 as a share, or from 1 up in percent."""
    number = _number(text, _("--dropout is {value!r}; write 20, 20% or 0.2 for one student in five").format(value=text))
    return 100 * number if 0 <= number < 1 and not text.strip().endswith("%") else number


def _noise(text: str) -> float:
    """Parse a noise level, or one of the words for it."""
    from peerorder.studies.plan import GRADERS

    word = text.strip().lower()
    wrong = _("--graders is {value!r}; give {words} or a noise level from 0 to 50")
    wrong = wrong.format(value=text, words=", ".join(GRADERS))
    return GRADERS[word] if word in GRADERS else _number(word, wrong)


def _number(text: str, wrong: str) -> float:
    """Parse a number as people write it, perhaps with a % sign; otherwise raise InputError with ``wrong``."""
    from peerorder.core.errors import InputError

    try:
        number = float(text.strip().replace(",", ".").removesuffix("%"))
    except ValueError:
        number = float("nan")
    if number != number:
        raise InputError(wrong)
    return number


def _summary(made: "Plan") -> dict[str, Any]:
    return {
        "n": made.n,
        "dropout": made.missing,
        "noise": made.noise,
        "recommended": {"k": made.recommended.k, "reason": made.recommended.reason},
        "choices": _rows(made),
        "notes": translate_notes(made.notes),
    }


def _rows(made: "Plan") -> list[dict[str, Any]]:
    rows = []
    for choice in made.choices:
        row: dict[str, Any] = {"k": choice.k, "minutes": round(choice.minutes, 2)}
        for rule, prefix in RULES.items():
            result = choice.expected.get(rule)
            row[f"{prefix}recovered"] = None if result is None else round(100 * result.pairwise_accuracy, 2)
            row[f"{prefix}places_off"] = None if result is None else round(made.n * result.off, 2)
            row[f"{prefix}share_off"] = None if result is None else round(100 * result.off, 2)
            row[f"{prefix}source"] = choice.source.get(rule)
        row["law"] = round(100 * choice.law.pairwise_accuracy, 2)
        row["recommended"] = "yes" if choice.k == made.recommended.k else None
        rows.append({column: row[column] for column in COLUMNS})
    return rows


def _write(out: Path, made: "Plan", about: dict[str, Any]) -> None:
    from peerorder._version import __version__
    from peerorder.files import write_provenance, write_rows
    from peerorder.studies.figure_style import save
    from peerorder.studies.plan_figure import figure_plan

    figure = figure_plan(made)
    write_rows(out / "plan.csv", COLUMNS, _rows(made))
    write_provenance(out / "plan.csv", {"command": "plan", **about, "version": __version__})
    save(figure, out / "plan")


def _show(made: "Plan", graders: str) -> None:
    word = graders.strip().lower()
    texts = {
        "careful": _("careful graders (noise level {noise:g})"),
        "average": _("average graders (noise level {noise:g})"),
        "careless": _("careless graders (noise level {noise:g})"),
    }
    who = texts.get(word, _("graders of noise level {noise:g}")).format(noise=made.noise)
    title = ngettext("**{count:,} paper**, {graders}", "**{count:,} papers**, {graders}", made.n)
    if made.missing:
        title = ngettext(
            "**{count:,} paper**, {missing:g}% of whose graders submit no ranking, {graders}",
            "**{count:,} papers**, {missing:g}% of whose graders submit no ranking, {graders}",
            made.n,
        )
    rules = [rule for rule in RULES if any(rule in choice.expected for choice in made.choices)]
    right, off = (f"{head}\n" for head in (_("right %"), _("places off")))
    columns = ["k", _("reading"), *(right + rule for rule in rules), *(off + rule for rule in rules), ""]
    lines = []
    for choice in made.choices:
        result = [choice.expected.get(rule) for rule in rules]
        lines.append(
            [
                choice.k,
                _time(choice.minutes),
                *("" if each is None else f"{100 * each.pairwise_accuracy:.1f}" for each in result),
                *("" if each is None else _off(made.n * each.off, 100 * each.off) for each in result),
                "<--" if choice.k == made.recommended.k else "",
            ]
        )
    display.show_table(columns, lines, title=title.format(count=made.n, missing=made.missing, graders=who))
    advice, k = _("**Recommended: {count} papers each**, {reason}."), made.recommended.k
    display.say(advice.format(count=k, reason=made.recommended.reason))
    for note in translate_notes(made.notes):
        display.say(_("Note: {note}.").format(note=note))


def _off(places: float, percent: float) -> str:
    """Format both with two digits."""
    return f"{places:.{0 if places >= 9.95 else 1}f} ({percent:.{0 if percent >= 9.95 else 1}f}%)"


def _time(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return (_("{hours} h {minutes:02d}") if hours else _("{minutes} min")).format(hours=hours, minutes=rest)
