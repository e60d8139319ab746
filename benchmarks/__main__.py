"""``python -m benchmarks``: run the groups, show the table, write the JSON; a missed target is no error."""

from collections.abc import Callable, Iterable
from pathlib import Path

import click

from benchmarks import borda, bundles, files, hostile, overlaps, recovery, results, rsd, rush, sampler, start
from benchmarks.peers import contest
from benchmarks.peers.standings import Standing
from benchmarks.report import markdown, show, write_json
from benchmarks.scale import groups
from benchmarks.timing import Line

GROUPS: dict[str, Callable[[int], Iterable[Line]]] = {
    "borda": borda.lines,
    "random": bundles.lines,
    "condorcet": sampler.lines,
    "rsd": rsd.lines,
    "recovery": recovery.lines,
    "eta": overlaps.lines,
    "files": files.lines,
}
# From minutes to an hour, and by name only.
LONG: dict[str, Callable[[int], Iterable[Line | Standing]]] = {
    "peers": contest.small,
    "peers_large": contest.large,
    "scaling": contest.scaling,
    "rush": rush.lines,
    "hostile": hostile.lines,
    "results": results.lines,
    "start": start.lines,
    "scale": groups.all_lines,
    "scale_grade": groups.grade_lines,
    "scale_assign": groups.assign_lines,
    "scale_rules": groups.rules_lines,
    "scale_reproduce": groups.reproduce_lines,
    "scale_courses": groups.courses_lines,
}


@click.command()
@click.option("--only", multiple=True, type=click.Choice([*GROUPS, *LONG]), help="This group alone; may be repeated.")
@click.option("--repeat", default=9, show_default=True, type=click.IntRange(1), help="Rounds; slow ones do fewer.")
@click.option(
    "--json",
    "path",
    default=Path(__file__).with_name("results.json"),
    show_default="benchmarks/results.json",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Where every single timing is written.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table as README.md has it.")
def main(only: tuple[str, ...], repeat: int, path: Path, as_markdown: bool) -> None:
    """Time peerorder against what else does the same work, as ratios.

    Without --only, everything but what takes from minutes to an hour: peers, peers_large, scaling, rush, hostile,
    results, start and scale.
    """
    if not path.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no directory {path.resolve().parent}", param_hint="--json")
    found: dict[str, list[Line | Standing]] = {}
    for name in only or GROUPS:
        click.echo(f"timing {name} ...", err=True)
        found[name] = []
        for line in {**GROUPS, **LONG}[name](repeat):
            found[name].append(line)
            # What was measured in an hour is not lost by what fails after it.
            write_json(found, path)
    if as_markdown:
        click.echo(markdown(found))
    else:
        show(found)
    click.echo(f"every timing: {path}", err=True)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
