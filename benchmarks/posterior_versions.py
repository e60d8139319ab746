"""The rule ``posterior`` of two versions of peerorder on the same simulated classes, cell by cell, with paired errors.

This checkout draws the classes. Each version merges them in processes of its own, which read the ballots from a file
and get the random stream of the study, so its numbers are those of ``peerorder reproduce`` with that version.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import get_ident
from typing import Any

import click
import numpy as np

import peerorder
from peerorder.core.cores import limit_cores
from peerorder.noise import NOISES
from peerorder.studies import Run, study
from peerorder.studies.experiment import begin

__all__ = ["Comparison", "main"]

Processes = Mapping[str, "subprocess.Popen[str]"]

SEED = 0
RULE = "posterior"
BALLOTS = ("papers", "start", "n_papers", "grader", "authored")
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path, resolve_path=True)
ASKED = {
    "robustness": "% recovered; the difference is at least -(0.1 + 2 s.e.)",
    "calibration": "% of intervals that hold the true place; the later version has 88 to 95",
    "collusion": "places gained by the team; the difference is at most 2 s.e.",
}


@dataclass(frozen=True)
class Comparison:
    """The measured numbers of one cell, run by run, of both versions."""

    study: str
    cell: str
    before: Sequence[float]
    after: Sequence[float]

    @property
    def difference(self) -> tuple[float, float]:
        """The mean of after less before, and its paired standard error: 0 for one run, for which nothing is allowed."""
        each = np.subtract(self.after, self.before)
        return float(each.mean()), float(each.std(ddof=1) / np.sqrt(len(each))) if len(each) > 1 else 0.0

    @property
    def kept(self) -> bool:
        """Whether the later version is as good as asked."""
        difference, stderr = self.difference
        if self.study == "calibration":
            return bool(88 <= np.mean(self.after) <= 95)
        return difference <= 2 * stderr if self.study == "collusion" else difference >= -(0.1 + 2 * stderr)

    def __str__(self) -> str:
        difference, stderr = self.difference
        means = f"{np.mean(self.before):8.3f} {np.mean(self.after):8.3f} {difference:+8.3f} {stderr:7.3f}"
        return f"{means}  {len(self.before):4}  {'yes' if self.kept else 'NO':4} {self.cell}"


def merge_on_request() -> None:
    """Be the process of one version: answer each request, one line of JSON, with what the rule says."""
    print(peerorder.__file__, flush=True)
    with limit_cores(1):
        for line in sys.stdin:
            request = json.loads(line)
            with np.load(request["file"]) as data:
                ballots = {name: data[name] for name in BALLOTS}
                truth, place = data["truth"], data["place"]
            profile = peerorder.Profile(**ballots)
            outcome = peerorder.RULES[RULE].aggregate(profile, peerorder.child(*request["stream"]))
            low, high = outcome.result.intervals.T
            answer = {
                "robustness": 100 * outcome.pairwise_accuracy(truth),
                "calibration": 100 * float(np.mean((low <= place) & (place <= high))),
                "places": outcome.places.tolist(),
            }
            print(json.dumps(answer), flush=True)


@contextmanager
def version(source: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a process with the peerorder of this folder, and end it."""
    # -P: modules beside this file must not hide those of others.
    command = [sys.executable, "-P", str(Path(__file__).resolve()), "--merge-on-request"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(source)}, cwd=source, **pipes) as process:
        imported = process.stdout.readline().strip() if process.stdout else ""
        if not imported or not Path(imported).is_relative_to(source):
            raise click.ClickException(f"{source} has no peerorder that can be imported; {imported or 'none'} was")
        yield process


def ask(process: "subprocess.Popen[str]", request: Mapping[str, Any]) -> Any:
    """Send a request to the process of a version, and wait for its answer."""
    print(json.dumps(request), file=process.stdin, flush=True)
    answer = process.stdout.readline() if process.stdout else ""
    if not answer:
        raise click.ClickException(f"the process of a version ended, for the reason above, at {request['stream']}")
    return json.loads(answer)


def measure(run: Run, processes: Processes, folder: Path) -> dict[str, float]:
    """Draw the class of a run, and return what its study measures, by version."""
    simulated, noise = begin(run), NOISES.parse(run.cell.noise)
    # The second is the same class without its team.
    noises = [noise, noise.with_options(team=0)] if run.study == "collusion" else [noise]
    common = simulated.bundles, simulated.truth
    drawn = [n.draw_class(*common, simulated.stream("noise"), bundle_of=simulated.bundle_of) for n in noises]
    requests = []
    for each in drawn:
        file = folder / f"{get_ident()}-{len(requests)}.npz"
        ballots = {name: getattr(each.profile, name) for name in BALLOTS}
        np.savez(file, **ballots, truth=noise.truth(simulated.truth), place=simulated.truth + 1)
        requests.append({"file": str(file), "stream": (run.seed, run.study, run.cell.key, run.number, f"rule {RULE}")})
    answers = {side: [ask(process, request) for request in requests] for side, process in processes.items()}
    if run.study != "collusion":
        return {side: found[0][run.study] for side, found in answers.items()}
    team = drawn[0].profile.authored[drawn[0].role == "team"]
    places = {side: [np.array(each["places"]) for each in found] for side, found in answers.items()}
    return {side: float(np.mean((honest - colluding)[team])) for side, (colluding, honest) in places.items()}


def code_digest(source: Path) -> str:
    """Return a digest of a version's code."""
    paths = sorted((source / "peerorder").rglob("*.py"))
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in paths)).hexdigest()[:16]


@click.command()
@click.option("--before", required=True, type=FOLDER, help="The folder that holds the earlier peerorder.")
@click.option("--after", required=True, type=FOLDER, help="The folder that holds the later one.")
@click.option("--study", "name", default="robustness", show_default=True, type=click.Choice(list(ASKED)))
@click.option("--cells", default="", help="Only cells that this regular expression is found in.")
@click.option("--runs", type=click.IntRange(1), help="Runs of each cell.  [default: those of the study]")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1), help="Classes merged at once.")
@click.option("--out", default=Path("posterior-versions.jsonl"), show_default=True, type=click.Path(path_type=Path))
def main(before: Path, after: Path, name: str, cells: str, runs: int | None, workers: int, out: Path) -> None:
    """Compare the rule posterior of two versions on the classes of a study.

    What a version gives in a run is one line of --out, and is not computed again while its code is the same.
    """
    sources = {"before": before, "after": after}
    codes = {side: code_digest(source) for side, source in sources.items()}
    planned = [run for run in study(name).planned(SEED, runs) if re.search(cells, run.cell.key)]
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()] if out.exists() else []
    known = [line for line in lines if (line["study"], line["code"]) == (name, codes[line["side"]])]
    found = {(line["cell"], line["run"], line["side"]): line["value"] for line in known}
    todo = [run for run in planned if any((run.cell.key, run.number, side) not in found for side in sources)]
    free: SimpleQueue[Processes] = SimpleQueue()

    def run_once(run: Run) -> dict[str, float]:
        processes = free.get()
        missing = {side: each for side, each in processes.items() if (run.cell.key, run.number, side) not in found}
        try:
            return measure(run, missing, folder)
        finally:
            free.put(processes)

    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        file = stack.enter_context(out.open("a", encoding="utf-8"))
        for _ in range(min(workers, len(todo))):
            free.put({side: stack.enter_context(version(source)) for side, source in sources.items()})
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(pool.shutdown, cancel_futures=True)
        jobs = {pool.submit(run_once, run): run for run in todo}
        for done, job in enumerate(as_completed(jobs), 1):
            run = jobs[job]
            for side, value in job.result().items():
                found[run.cell.key, run.number, side] = value
                about = {"study": name, "cell": run.cell.key, "run": run.number, "side": side, "code": codes[side]}
                print(json.dumps({**about, "value": value}), file=file, flush=True)
            click.echo(f"\r{done} of {len(todo)} runs", nl=done == len(todo), err=True)
    result = []
    for key in dict.fromkeys(run.cell.key for run in planned):
        numbers = [run.number for run in planned if run.cell.key == key]
        result.append(Comparison(name, key, *([found[key, i, side] for i in numbers] for side in sources)))
    click.echo(f"{name}: {ASKED[name]}\n  before    after     diff    s.e.  runs  kept cell")
    click.echo("\n".join([*map(str, result), f"kept in {sum(each.kept for each in result)} of {len(result)} cells"]))


if __name__ == "__main__":
    merge_on_request() if sys.argv[1:] == ["--merge-on-request"] else main()
