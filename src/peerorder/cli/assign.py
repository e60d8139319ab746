"""``peerorder assign``: from a roster to a hand-out, and additions for late joiners and missing rankings."""

from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, skipped_rows

if TYPE_CHECKING:
    from peerorder.core.arrays import AnyIntArray
    from peerorder.files.outgoing.handouts import HandoutFiles
    from peerorder.schemes import Coverage

__all__ = ["assign"]

K = 8
SHOWN = 10
CHECKED = "Checked: nobody ranks their own paper, a team-mate's, or one they have a conflict with"
LINKED = "All papers are linked by comparisons"
# The noise level of the graders for the expected accuracy: condorcet graders at this level.
NOISE = 30


@click.command(
    short_help="Decide who ranks what: a hand-out for a roster.", context_settings={"allow_extra_args": True}
)
@click.argument("roster", type=options.FILE)
@click.option(
    "-k", type=int, default=None, help="Papers each grader ranks.  [default: 8; with --extend, what others have]"
)
@click.option("--out", type=options.FILE, required=True, help="Write the hand-out to this file (CSV, XLSX or Parquet).")
@click.option("--conflicts", type=options.FILE, help="Pairs of student and paper that must not meet.")
@click.option("--excused", multiple=True, metavar="ID", help="A student who ranks nothing; may be repeated.")
@click.option("--scheme", help="The allocation scheme, for regular classes.  [default: the best that fits]")
@click.option(
    "--codes",
    type=options.FILE,
    help="Where to write the codes that graders see instead of ids.  [default: codes.csv next to the hand-out, "
    "codes.xlsx next to XLSX]",
)
@click.option("--no-codes", is_flag=True, help="Hand out ids, not codes.")
@options.mail_merge("Write a mail-merge table to this file, and a form next to it.")
@click.option("--forms", type=options.FILE, help="Write one form per grader into this new folder.")
@click.option(
    "--form-type", type=click.Choice(["xlsx", "csv"]), default="xlsx", show_default=True, help="File type of the forms."
)
@click.option("--extend", type=options.FILE, help="Add late joiners to this hand-out; nobody else's papers change.")
@options.top_up
@click.option(
    "--handout", type=options.FILE, multiple=True, help="With --top-up: the hand-out so far; may be repeated."
)
@click.option(
    "--at-least",
    type=int,
    help="With --top-up: rankings that every paper should have.  [default: half of k, at least 2]",
)
@click.option("--seed", type=int, default=None, help="The same seed gives the same hand-out.  [default: a secret one]")
@click.option("--force", is_flag=True, help="Overwrite an existing hand-out and mail-merge table.")
@click.option("--lenient", is_flag=True, help="Skip rows with problems, and report them.")
@options.as_json
def assign(**given: Any) -> None:
    """Decide who ranks what: nobody their own paper or a team-mate's, every paper equally often, at random.

    ROSTER has one row per person: `student`, and optionally `name`, `email`, `paper` (students with the same
    one are a team; empty for people who only rank), `link` and `role` (a ballot by `staff` counts as three).
    Graders see codes, never ids.

    Example: peerorder assign roster.csv -k 8 --out handout.csv --mail-merge messages.csv
    """
    _check_options(given)
    from peerorder.files.formats.writing import PROVENANCE
    from peerorder.files.outgoing.handouts import open_handout

    work = _top_up if given["top_up"] else _first if given["extend"] is None else _extend
    with display.working("assigning"):
        files = open_handout(given)
        files.notes += options.passed_over()
        say, result = work(files, given)
        result |= {"seed": files.seed, "written": [str(path) for path in files.write()]}
        result |= {"notes": skipped_rows.translate_notes(files.notes), "dropped": files.dropped}
    if given["as_json"]:
        display.show_json(result)
    else:
        skipped_rows.show(files.dropped, files.notes)
        say()
        if result["written"]:
            written = [*result["written"], f"{given['out']}{PROVENANCE}"]
            display.say(f"Wrote {display.join_with_and([f'`{path}`' for path in written])}.")
    _left_out(result)
    skipped_rows.raise_left_out(files.dropped, files.said)


def _check_options(given: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go together, and for extra arguments."""
    if more := click.get_current_context().args:
        cure = "; for several rankings, give their folder, or repeat --top-up" if given["top_up"] else ""
        raise click.UsageError(f"{more[0]} belongs to no option; the roster is {given['roster']}{cure}")
    both = (
        (
            "extend",
            "top_up",
            "--extend adds late joiners and --top-up asks for more rankings; run them one after the other",
        ),
        ("codes", "no_codes", "--codes and --no-codes contradict each other; omit one"),
        ("extend", "scheme", "--scheme is for a first hand-out; omit it with --extend"),
        ("top_up", "scheme", "--scheme is for a first hand-out; omit it with --top-up"),
        (
            "top_up",
            "k",
            "-k is for a hand-out; with --top-up, give --at-least, the rankings that every paper should have",
        ),
    )
    alone = (
        ("top_up", "handout", "--top-up needs --handout, the hand-out so far, so that nobody gets a paper twice"),
        ("handout", "top_up", "--handout goes with --top-up; to add late joiners to a hand-out, use --extend"),
        ("at_least", "top_up", "--at-least goes with --top-up"),
    )
    for one, other, message in both:
        if _is_given(given[one]) and _is_given(given[other]):
            raise click.UsageError(message)
    for one, other, message in alone:
        if _is_given(given[one]) and not _is_given(given[other]):
            raise click.UsageError(message)


def _is_given(value: Any) -> bool:
    return value not in (None, False, ())


def _first(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Make the first hand-out of a class."""
    from peerorder.rounds import allocate

    roster = files.roster
    k = K if given["k"] is None else given["k"]
    new = allocate(files.participants, k, seed=files.seed, scheme=given["scheme"])
    files.hand_out(new)
    made, bundles, report = new.result, new.result.bundles, new.result.report
    low, high = report.paper_degrees
    asked = int((bundles.sizes > 0).sum())
    idle = int(((roster.authored < 0) & (bundles.sizes > 0)).sum())

    def say() -> None:
        display.say(
            f"**{display.count(asked, 'grader')} rank{'s' if asked == 1 else ''} {display.count(k, 'paper')} each** of "
            f"{len(roster.papers):,}; every paper has "
            f"{display.count(low, 'grader') if low == high else f'{low} or {high} graders'}."
        )
        if idle:
            have = "has no paper of their own and ranks" if idle == 1 else "have no paper of their own and rank"
            display.say(f"{display.count(idle, 'grader')} {have} as many papers as the others.")
        display.say(f"Scheme: `{made.scheme}`, {made.why}.")
        display.say(f"{CHECKED}. {_describe_links(report, made.apart)}")

    return say, {
        "graders": asked,
        "papers": len(roster.papers),
        "k": k,
        "scheme": made.scheme,
        "why": made.why,
        "regular": report.regular,
        "loads": [low, high],
        "components": report.components - (len(bundles) - asked),
        "girth": report.girth,
        "four_cycles": report.four_cycles,
        "apart": made.apart,
    }


def _describe_links(report: Any, apart: str | None) -> str:
    """Say whether all papers are linked, and how often two graders share two papers, which does no harm."""
    if apart is not None:
        return f"**Not all papers are linked by comparisons**: {apart}."
    often = f"In {display.count(report.four_cycles, 'case')} two graders share two papers, which is normal."
    return f"{LINKED}. {often if report.four_cycles else 'No two graders share more than one paper.'}"


def _extend(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Add late joiners."""
    from peerorder.core.errors import InputError
    from peerorder.rounds import add_late_joiners

    roster, people = files.roster, files.participants
    new = add_late_joiners(people, given["k"], seed=files.seed, step=len(roster.students))
    k, result = new.settings["k"], new.result
    if not len(result.grader):
        raise InputError(
            f"--extend {given['extend']}: {roster.path} has no new student and no new paper, so there is nothing to "
            "add; nothing was written"
        )
    files.hand_out(new, keep=True)
    short = [roster.papers[p] for p in result.short]
    clashes = people.clashes()

    def say() -> None:
        display.say(
            f"**{display.count(len(result.joined), 'new grader')}** with {display.count(k, 'paper')}"
            f"{'' if len(result.joined) == 1 else ' each'}, and "
            f"**{display.count(len(result.late), 'new paper')}** with {display.count(result.target, 'grader')}"
            f"{'' if len(result.late) == 1 else ' each'}, as the others have."
        )
        earlier = display.count(len(result.one_more), "earlier grader gets", "earlier graders get")
        display.say(f"{earlier} one more paper; no existing row changes.")
        if short:
            display.say(f"These have fewer graders, because there is nobody left to ask: {display.some(short)}.")
        whole = LINKED if result.components == 1 else f"**The papers are in {result.components} separate groups**"
        unknown = "" if people.conflicts else " (no conflicts are known)"
        before = f", except for {display.count(clashes, 'row')} of the earlier hand-out" if clashes else ""
        display.say(f"{CHECKED}{unknown}{before}. {whole}.")

    return say, {
        "new_graders": [roster.students[g] for g in result.joined],
        "new_papers": [roster.papers[p] for p in result.late],
        "k": k,
        "rankings_of_a_new_paper": result.target,
        "one_more": [roster.students[g] for g in result.one_more],
        "short": short,
        "components": result.components,
        "clashes": clashes,
    }


def _top_up(files: "HandoutFiles", given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Ask for more rankings after the deadline."""
    import numpy as np

    from peerorder.rounds import top_up

    roster = files.roster
    profile = files.rankings()
    if silent := int(((profile.sizes > 0) & ~profile.informative).sum()):
        ballots = display.count(silent, "ballot compares", "ballots compare")
        files.notes.append(
            f"{ballots} nothing, with a single paper or all papers tied; "
            f"{'it does' if silent == 1 else 'they do'} not count here"
        )
    new = top_up(files.participants, profile, given["at_least"], seed=files.seed)
    least, result = new.settings["at_least"], new.result
    if len(result.grader):
        files.hand_out(new, ballot=files.next_ballot())
    who, counts = np.unique(result.grader, return_counts=True)
    short = [roster.papers[p] for p in result.short]
    lines = {"before": _coverage_record(result.before, least), "after": _coverage_record(result.after, least)}

    def say() -> None:
        display.say(f"Now: {_in_words(lines['before'], least, len(roster.papers))}")
        if len(who):
            display.say(
                f"**{len(who)} of the {result.willing} graders who ranked "
                f"{'is' if len(who) == 1 else 'are'} asked for more:** "
                f"{display.count(int(counts.sum()), 'paper')}, "
                f"{counts.min() if counts.min() == counts.max() else f'{counts.min()} to {counts.max()}'} each."
            )
            display.show_table(("grader", "more papers"), _rows(roster.students, who, counts))
            display.say(f"Then: {_in_words(lines['after'], least, len(roster.papers))}")
        else:
            display.say("Nobody needs to be asked for more. Nothing was written.")
        display.say(
            "The accuracy is the expected share of all pairs of papers in the right order, if graders are of average "
            "accuracy (noise level 30). A few more rankings hardly change this overall figure, but they help "
            "the papers that had few."
        )

    return say, {
        "at_least": least,
        "asked": {roster.students[g]: int(x) for g, x in zip(who.tolist(), counts.tolist(), strict=True)},
        "short": short,
        **lines,
    }


def _coverage_record(state: "Coverage", least: int) -> dict[str, Any]:
    from peerorder.studies.live_forecast import expected_so_far
    from peerorder.theory import effective_k

    return {
        "papers_below": state.below(least),
        "components": state.components,
        "expected_accuracy": round(100 * expected_so_far(state.comparisons, NOISE), 1),
        "amounts_to_k": round(effective_k(state.comparisons), 1),
    }


def _in_words(line: dict[str, Any], least: int, papers: int) -> str:
    parts = "all papers are linked" if line["components"] == 1 else f"{line['components']} separate groups"
    below = line["papers_below"]
    fewer = f"{'has' if below == 1 else 'have'} fewer than {display.count(least, 'ranking')}"
    return f"{below} of {papers} papers {fewer}; {parts}; expected accuracy {line['expected_accuracy']}%."


def _rows(students: tuple[str, ...], who: "AnyIntArray", counts: "AnyIntArray") -> list[tuple[str, object]]:
    """Return the first graders who are asked, for how many papers, and how many are not shown."""
    rows: list[tuple[str, object]] = [(students[g], int(x)) for g, x in zip(who[:SHOWN], counts[:SHOWN], strict=True)]
    return [*rows, (f"and {len(who) - SHOWN} more", "")] if len(who) > SHOWN else rows


def _left_out(result: dict[str, Any]) -> None:
    """Raise PartlyDone if papers would still have too few rankings."""
    from peerorder.core.errors import PartlyDone

    if "at_least" in result and result["short"]:
        raise PartlyDone(
            f"these papers would still have too few rankings: {display.some(result['short'])}; everybody who ranked "
            "has had them, wrote them or has a conflict, so ask other students, or staff"
        )
